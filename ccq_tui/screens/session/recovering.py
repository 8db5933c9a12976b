"""The part of the screen where one key does what there is to do about an error."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from ccq_tui.agent.problems import Remedy
from ccq_tui.screens.session.base import SessionBase
from ccq_tui.screens.session.prompting import Prompting
from ccq_tui.supervisor.events import Reconnected, SessionEvent
from ccq_tui.widgets.lifetime import start_work

GO_ON = "Go on."
"""The prompt that continues after the turn limit, or after the process has ended."""


class Recovering(Prompting):
    """Offers the remedy of the newest error, and does it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        # Before the field takes it, which knows it for selecting a line.
        Binding("f6", "recover", "Do what an error card offers", show=False, priority=True, id="recover")
    ]

    class ElsewhereWanted(Message):
        """What can be done about a session that another process runs is to be chosen."""

        def __init__(self, screen: SessionBase) -> None:
            super().__init__()
            self.screen = screen

    def handle(self, event: SessionEvent) -> None:
        """Show what can be done now."""
        super().handle(event)
        if isinstance(event, Reconnected):
            self.transcript.add_notice("Connected again.")
        self.show_offer()

    def show_offer(self) -> None:
        """Show which key does something about what went wrong, or none."""
        recovery = self.session.recovery
        self.transcript.offer(recovery.words)
        self.dock.offer(f"{recovery.because} {recovery.words}" if recovery.words else "")

    def action_recover(self) -> None:
        """Do what is offered, once."""
        recovery = self.session.recovery
        offer = recovery.offer
        if offer is None:
            self.dock.notices.say("F6 helps after an error; there is none now")
            return
        wait = recovery.seconds_to_wait(self.clock())
        if wait > 0:
            self.dock.notices.say(f"That failed just now · F6 again in {math.ceil(wait)} s")
            return
        self.session.take_offer()
        self.show_offer()
        self._remedies()[offer]()

    def _remedies(self) -> dict[Remedy, Callable[[], object]]:
        return {
            Remedy.RETRY: lambda: self.say(self.session.recovery.prompt),
            Remedy.GO_ON: self._continue_turn,
            Remedy.COMPACT: lambda: self.say("/compact"),
            Remedy.MODEL: lambda: self.take_command("/model"),
            Remedy.SERVERS: lambda: self.take_command("/mcp"),
            Remedy.RECONNECT: self.session.reconnect,
            Remedy.ANEW: self.session.reconnect,
            Remedy.ELSEWHERE: lambda: self.post_message(self.ElsewhereWanted(self)),
        }

    def _continue_turn(self) -> None:
        recovery = self.session.recovery
        if recovery.unsure and recovery.prompt_id:
            start_work(self, partial(self._continue_from, recovery.prompt, recovery.prompt_id), name="go on")
        else:
            self.say(GO_ON)

    async def _continue_from(self, prompt: str, prompt_id: str) -> None:
        """Send a prompt again whose process ended, unless the record says that the agent has read it."""
        read = await self.session.agent.taken({prompt_id: self.view.session_id})
        self.say(GO_ON if prompt_id in read else prompt)

"""The part of the screen where one key does what there is to do about an error."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from ccq_tui.agent.events import AgentEvent, Connected
from ccq_tui.agent.problems import Remedy
from ccq_tui.screens.session.base import SessionBase
from ccq_tui.screens.session.prompting import Prompting
from ccq_tui.screens.session.recovery import Recovery, noted, relaunched, taken
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

    _recovery = Recovery()

    def handle(self, event: AgentEvent) -> None:
        """Find out what can be done now."""
        super().handle(event)
        if isinstance(event, Connected) and self._recovery.doing is not None:
            self.transcript.add_notice("Connected again.")
        self._recover(noted(self._recovery, event))

    def _recover(self, recovery: Recovery) -> None:
        self._recovery = recovery
        self.transcript.offer(recovery.words)
        self.dock.offer(f"{recovery.because} {recovery.words}" if recovery.words else "")

    def action_recover(self) -> None:
        """Do what is offered, once."""
        offer = self._recovery.offer
        if offer is None:
            self.dock.notices.say("F6 helps after an error; there is none now")
            return
        wait = self._recovery.seconds_to_wait(self.clock())
        if wait > 0:
            self.dock.notices.say(f"That failed just now · F6 again in {math.ceil(wait)} s")
            return
        self._recover(taken(self._recovery, self.clock()))
        self._remedies()[offer]()

    def start_again(self) -> float:
        """Start the session again that has no process; where that failed before, not at once.

        Returns:
            For how many seconds it has to wait; 0 when it was started.
        """
        wait = self._recovery.seconds_to_wait(self.clock())
        if wait == 0:
            anew = self._recovery.offer is Remedy.ANEW
            offer = Remedy.ANEW if anew else Remedy.RECONNECT
            self._recover(taken(replace(self._recovery, offer=offer), self.clock()))
            self.reconnect()
        return wait

    def _remedies(self) -> dict[Remedy, Callable[[], object]]:
        return {
            Remedy.RETRY: lambda: self.say(self._recovery.prompt),
            Remedy.GO_ON: self._continue_turn,
            Remedy.COMPACT: lambda: self.say("/compact"),
            Remedy.MODEL: lambda: self.take_command("/model"),
            Remedy.SERVERS: lambda: self.take_command("/mcp"),
            Remedy.RECONNECT: self.reconnect,
            Remedy.ANEW: self.reconnect,
            Remedy.ELSEWHERE: lambda: self.post_message(self.ElsewhereWanted(self)),
        }

    def _continue_turn(self) -> None:
        if self._recovery.unsure and self._recovery.prompt_id:
            recovery = self._recovery
            start_work(self, partial(self._continue_from, recovery.prompt, recovery.prompt_id), name="go on")
        else:
            self.say(GO_ON)

    async def _continue_from(self, prompt: str, prompt_id: str) -> None:
        """Send a prompt again whose process ended, unless the record says that the agent has read it."""
        read = await self.session.taken({prompt_id: self.view.session_id})
        self.say(GO_ON if prompt_id in read else prompt)

    def reconnect(self, *, fork: bool = False) -> None:
        """Start the CLI again; the transcript stays, and so does what is typed.

        Args:
            fork: Whether for a copy of the session.
        """
        recovery = self._recovery
        launch = relaunched(self.launch, self.view, recovery)
        self.renew(replace(launch, fork=fork or launch.fork), told_already=recovery.begun)

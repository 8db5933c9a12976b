"""The key that applies the remedy of the newest error."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

from ccq_tui.agent.problems import Remedy
from ccq_tui.config.keymap import key_of, with_keys
from ccq_tui.runtime.events import Reconnected, SessionEvent
from ccq_tui.screens.session.messages import ProgramAction
from ccq_tui.screens.session.ui import SessionUi

NO_ERROR = "No error to recover from · {recover} works after one"
GO_ON = "Go on."
"""The prompt that continues after the turn limit, or after the process has ended."""


class Remedies:
    """Offers the remedy of the newest error, and applies it."""

    def __init__(
        self, ui: SessionUi, send: Callable[[str], object], command: Callable[[str], object]
    ) -> None:
        self._ui = ui
        self._send = send
        self._command = command

    def take(self, event: SessionEvent) -> None:
        if isinstance(event, Reconnected):
            self._ui.note("Connected again.")
        self.show()

    def show(self) -> None:
        """Show the key and words of the remedy, or nothing."""
        recovery = self._ui.session.recovery
        self._ui.transcript.offer(recovery.words)
        self._ui.dock.offer(f"{recovery.because} {recovery.words}" if recovery.words else "")

    def do(self) -> None:
        recovery = self._ui.session.recovery
        offer = recovery.offer
        if offer is None:
            self._ui.say(with_keys(NO_ERROR))
            return
        wait = recovery.seconds_to_wait(self._ui.clock())
        if wait > 0:
            self._ui.say(f"It has just failed · {key_of('recover')} works again in {math.ceil(wait)} s")
            return
        self._ui.session.take_offer()
        self.show()
        self._remedies()[offer]()

    def _remedies(self) -> dict[Remedy, Callable[[], object]]:
        return {
            Remedy.RETRY: lambda: self._send(self._ui.session.recovery.prompt),
            Remedy.CHANGE: lambda: self._ui.dock.prompt.put_back(self._ui.session.recovery.prompt),
            Remedy.GO_ON: self._continue_turn,
            Remedy.COMPACT: lambda: self._send("/compact"),
            Remedy.MODEL: lambda: self._command("/model"),
            Remedy.SIGN_IN: lambda: self._command("/login"),
            Remedy.SERVERS: lambda: self._command("/mcp"),
            Remedy.RECONNECT: self._ui.session.reconnect,
            Remedy.ANEW: self._ui.session.reconnect,
            Remedy.ELSEWHERE: lambda: self._ui.post_message(ProgramAction("elsewhere", self._ui.session)),
        }

    def _continue_turn(self) -> None:
        recovery = self._ui.session.recovery
        if recovery.unsure and recovery.prompt_id:
            self._ui.start(partial(self._continue_from, recovery.prompt, recovery.prompt_id), "go on")
        else:
            self._send(GO_ON)

    async def _continue_from(self, prompt: str, prompt_id: str) -> None:
        """Send a prompt again after its process ended, or `GO_ON` if the record says that it was read."""
        read = await self._ui.session.agent.taken({prompt_id: self._ui.view.session_id})
        self._send(GO_ON if prompt_id in read else prompt)

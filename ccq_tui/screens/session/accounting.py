"""The part of the screen that accounts for context and cost, and hands other commands to their actions."""

from __future__ import annotations

from ccq_tui.agent import controls
from ccq_tui.agent.events import TurnEnded
from ccq_tui.screens.session.accounts import context_text
from ccq_tui.screens.session.commanding import Commanding
from ccq_tui.screens.session.commands import Called
from ccq_tui.screens.session.view import duration
from ccq_tui.supervisor.events import SessionEvent


class Accounting(Commanding):
    """Does /context and /cost."""

    _turns = 0
    _seconds = 0.0

    def handle(self, event: SessionEvent) -> None:
        """Count the turns and their time."""
        super().handle(event)
        if isinstance(event, TurnEnded):
            self._turns += 1
            self._seconds += event.duration

    def command(self, command: Called) -> None:
        """Ask the CLI, and show what it says."""
        match command.name:
            case "context":
                self.work(self._show_context, "context")
            case "cost":
                self.work(self._show_cost, "cost")
            case _:
                super().command(command)

    async def _show_context(self) -> None:
        self.tell(context_text(await self.ask(controls.context_details())))

    async def _show_cost(self) -> None:
        turns = f"{self._turns} turn{'' if self._turns == 1 else 's'} ended in this terminal"
        said = (await self.ask(controls.session_cost())).strip()
        self.tell(f"{turns}, {duration(int(self._seconds))} of work\n{said}".rstrip())

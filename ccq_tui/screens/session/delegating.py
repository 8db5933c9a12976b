"""The part of the screen whose commands are done elsewhere."""

from __future__ import annotations

from functools import partial

from ccq_tui.screens.session.commanding import Commanding
from ccq_tui.screens.session.commands import Called
from ccq_tui.screens.session.reading import Reading


class Delegating(Reading, Commanding):
    """Does /export and /help."""

    def command(self, command: Called) -> None:
        """Hand a command to what does it."""
        match command.name:
            case "export":
                self.work(partial(self.export, command.argument), "export")
            case "help":
                self.work(self.run_help, "help")
            case _:
                super().command(command)

    async def run_help(self) -> None:
        """Show all keys."""
        await self.run_action("app.help")

"""/login and /logout: Claude Code, which keeps the account, gets the terminal meanwhile."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable

from textual.app import SuspendNotSupported

from ccq_tui.agent.commands import CommandError
from ccq_tui.agent.events import SessionState
from ccq_tui.claude_files import find_cli
from ccq_tui.compat.textual.driver import is_lent
from ccq_tui.screens.editor import GROUP, UnstartedError, run_program
from ccq_tui.screens.session.commands import CommandGroup, CommandRunner

NEXT = "this session uses the account from its next start on"

CANCELLED = ("exit code 130", f"ended by signal {signal.SIGINT.value}")
"""Results of Claude Code after Ctrl+C."""


class AccountCommands(CommandGroup):
    """Signs in and out."""

    def __init__(self, runner: CommandRunner, works: Callable[[], bool]) -> None:
        super().__init__(runner)
        self._works = works

    def login(self) -> None:
        """Sign in; an idle session starts again with the account."""
        self._begin("login")

    def logout(self) -> None:
        """Sign out; running sessions keep the account until they restart."""
        self._begin("logout")

    def _begin(self, what: str) -> None:
        if is_lent(self._ui.app):
            return

        async def run() -> None:
            try:
                await self._run(what)
            except CommandError as error:
                self._runner.tell(f"/{what} failed: {error}", "warning")

        # Not as a command: another one would end it, and with it the program that has the terminal.
        self._ui.start(run, f"/{what}", group=GROUP)

    async def _run(self, what: str) -> None:
        program = self._ui.launch.settings.cli_path
        if program is None:
            program, _ = await asyncio.to_thread(find_cli)
        if program is None:
            raise CommandError("Claude Code was not found · ccq-tui doctor shows where ccq-tui looks")
        try:
            failed = await run_program(self._ui.app, [str(program), "auth", what])
        except SuspendNotSupported as error:
            raise CommandError(
                f"this terminal cannot be handed over · run claude auth {what} in another one"
            ) from error
        except UnstartedError as error:
            raise CommandError(f"{program} cannot be started: {error}") from error
        if failed in CANCELLED:
            self._ui.say(f"/{what} was cancelled · nothing changed")
            return
        if failed:
            raise CommandError(f"Claude Code ended with {failed} · run claude auth {what} to see why")
        if what == "logout":
            self._runner.tell("Signed out · running sessions keep the account until they restart")
        elif self._ui.view.state is SessionState.IDLE and not self._works():
            self._runner.tell("Signed in · the session restarts with this account")
            self._ui.session.reconnect()
        else:
            self._runner.tell(f"Signed in · {NEXT}")

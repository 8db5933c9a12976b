"""/copy, /status, /diff, /add-dir, /cd, /mcp, /login and /logout."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from textual.app import SuspendNotSupported

from ccq_tui.agent import controls
from ccq_tui.agent.commands import CommandError
from ccq_tui.agent.controls import ChangedFile, McpServer
from ccq_tui.agent.events import Connected, SessionState
from ccq_tui.bounded import begin
from ccq_tui.claude_files import find_cli
from ccq_tui.compat.textual.driver import is_lent
from ccq_tui.config.keymap import with_keys
from ccq_tui.prompts.files import untracked_files
from ccq_tui.runtime.events import SessionEvent
from ccq_tui.screens.clipboard import copy
from ccq_tui.screens.editor import GROUP, UnstartedError, run_program
from ccq_tui.screens.pickers import PickRow
from ccq_tui.screens.session.commands import CommandGroup, CommandRunner
from ccq_tui.screens.session.messages import ProgramAction
from ccq_tui.screens.session.view import short_path
from ccq_tui.text import one_line, plural
from ccq_tui.transcript.blocks import ProseBlock
from ccq_tui.widgets.transcript.contents import text_of

BUSY = "Claude is working · {interrupt} interrupts it, and /new opens a session there"
RUNS = "background work would end · /tasks shows it, and /new opens a session there"
UNTRACKED = "not in git"
MOST_NEW = 200
"""Most untracked files listed."""
MOST_BYTES = 100_000
"""Most bytes read of such a file."""
MOST_LINES = 500
"""Most lines shown of a diff."""

STATES = {
    "connected": "✔ connected",
    "pending": "◌ connecting",
    "failed": "✖ failed",
    "needs-auth": "◆ needs you to sign in",
    "disabled": "○ off",
}
NONE = "No MCP servers here · `claude mcp add` adds one; --mcp-config names a file"


class McpCommand(CommandGroup):
    """Shows the MCP servers and changes them; each change leads back to the list, with its result."""

    async def servers(self) -> None:
        """Show the servers, and change the chosen one."""
        said = ""
        while servers := await self._runner.ask(controls.servers()):
            rows = [
                PickRow(one.name, one.name, _about(one), STATES.get(one.status, one.status))
                for one in servers
            ]
            name = await self._runner.pick("MCP servers", rows, about=said, choose="change")
            server = next((one for one in servers if one.name == name), None)
            if server is None:
                return
            said = await self._change(server) or said
        self._runner.tell(NONE)

    async def _change(self, server: McpServer) -> str:
        """Let the person change a server; return what came of it."""
        on = server.status != "disabled"
        rows = [PickRow("reconnect", "Reconnect", "stop the server and start it again")] if on else []
        rows.append(PickRow("off", "Turn off", "removes its tools") if on else PickRow("on", "Turn on"))
        choice = await self._runner.pick(server.name, rows, about=_about(server))
        try:
            match choice:
                case "reconnect":
                    await self._runner.ask(controls.reconnect(server.name))
                    return f"{server.name} was reconnected"
                case "on" | "off":
                    await self._runner.ask(controls.toggle(server.name, enabled=choice == "on"))
                    return f"{server.name} was turned {choice}"
                case _:
                    return ""
        except CommandError as error:
            return f"{server.name}: {error}"


def _about(server: McpServer) -> str:
    tools = plural(server.tools, "tool") if server.tools else ""
    return " · ".join(part for part in (tools, server.scope, server.error) if part)


class WorkspaceCommands(CommandGroup):
    """Shows what a session works on, copies what was said, adds directories, moves to another one.

    Args:
        runner: Runs commands.
        works: Whether work runs beside the conversation that would end with Claude's process.
    """

    def __init__(self, runner: CommandRunner, works: Callable[[], bool]) -> None:
        super().__init__(runner)
        self._works = works
        self._added: tuple[str, ...] = ()

    def take(self, event: SessionEvent) -> None:
        """Forget the directories added for an earlier Claude process."""
        if isinstance(event, Connected):
            self._added = ()

    # -- /copy -------------------------------------------------------------------------------------------

    async def copy(self, which: str) -> None:
        """Copy Claude's last answer, or the Nth from the end."""
        number = int(which) if which.isdecimal() else 1
        said = [block for block in self._ui.transcript.model.blocks if isinstance(block, ProseBlock)]
        if (which and not which.isdecimal()) or not 1 <= number <= len(said):
            answers = plural(len(said), "answer")
            raise CommandError(f"the transcript has {answers} · /copy N copies the Nth from the end")
        text = await asyncio.to_thread(text_of, said[-number])
        await copy(self._ui.app, text)
        first = one_line(text.strip().split("\n", 1)[0], 40)
        self._ui.say(f"Copied {len(text):,} characters: {first}")

    # -- /status -----------------------------------------------------------------------------------------

    async def status(self) -> None:
        """Show version, account, model and settings."""
        lines: list[str] = []
        for section in await self._runner.ask(controls.session_status()):
            lines += [
                section.title,
                *(f"  {': '.join(part for part in row if part)}" for row in section.rows),
            ]
        self._runner.tell("\n".join(lines) or "Claude Code reported no status")

    # -- /diff -------------------------------------------------------------------------------------------

    async def diff(self) -> None:
        """List the files that are changed and not committed, and show the diff of one."""
        cwd = self._ui.view.cwd
        known = await self._runner.ask(controls.workspace_diff())
        new = await asyncio.to_thread(untracked_files, cwd)
        # Claude Code lists some of the new files too, without their lines.
        untracked = set(new)
        tracked = (one for one in known if one.path not in untracked)
        files = (*tracked, *(ChangedFile(path, UNTRACKED) for path in new[:MOST_NEW]))
        if not files:
            self._ui.say("No uncommitted changes")
            return
        rows = [
            PickRow(
                str(number),
                one.path,
                one.status,
                "" if one.status == UNTRACKED else f"+{one.added} −{one.removed}",
            )
            for number, one in enumerate(files)
        ]
        more = f"and {len(new) - MOST_NEW:,} more untracked files" if len(new) > MOST_NEW else ""
        chosen = await self._runner.pick("Changed files", rows, about=more, choose="show the diff")
        if chosen is not None:
            file = files[int(chosen)]
            if file.status == UNTRACKED:
                file = await asyncio.to_thread(_whole, cwd, file)
            self._runner.tell(_diff_of(file), "diff")

    # -- /add-dir ----------------------------------------------------------------------------------------

    async def add_directory(self, path: str) -> None:
        """Let Claude work in another directory, for this session."""
        self._runner.need_process()
        directory = await asyncio.to_thread(_resolved, path, self._ui.view.cwd)
        added = tuple(dict.fromkeys((*self._added, str(directory))))
        await self._runner.ask(controls.add_directories(added))
        self._added = added
        self._ui.session.add_directory(directory)
        self._runner.tell(f"Claude may work in {directory} too, as long as this session is open")

    # -- /cd ---------------------------------------------------------------------------------------------

    async def move(self, path: str) -> None:
        """Continue this session in another directory."""
        self._runner.need_process()
        directory = await asyncio.to_thread(_resolved, path, self._ui.view.cwd)
        if directory == await asyncio.to_thread(self._ui.view.cwd.resolve):
            self._ui.say(f"The session works in {short_path(directory)} already")
            return
        if self._ui.view.state is not SessionState.IDLE:
            raise CommandError(with_keys(BUSY))
        if self._works():
            raise CommandError(RUNS)
        self._ui.post_message(ProgramAction("move", self._ui.session, directory))


def _resolved(path: str, base: Path) -> Path:
    """Return a typed directory as an absolute path; raises `CommandError`."""
    try:
        directory = (base / Path(path.strip("\"'")).expanduser()).resolve(strict=True)
    except (OSError, RuntimeError, ValueError) as error:
        raise CommandError(f"no directory {one_line(path, 200)}") from error
    if not directory.is_dir():
        raise CommandError(f"{one_line(path, 200)} is not a directory")
    return directory


def _whole(directory: Path, file: ChangedFile) -> ChangedFile:
    """Return an untracked file with all its lines as added ones. For a thread."""
    try:
        content = begin(directory / file.path, MOST_BYTES)
    except (OSError, ValueError) as error:
        raise CommandError(
            f"{one_line(file.path, 200)} cannot be read: {one_line(str(error), 200)}"
        ) from error
    if b"\0" in content:
        return replace(file, status="binary")
    lines = tuple(f"+{line}" for line in content.decode("utf-8", "replace").splitlines())
    return replace(file, added=len(lines), lines=lines)


def _diff_of(file: ChangedFile) -> str:
    head = f"{file.path} · {file.status} · +{file.added} −{file.removed}"
    more = len(file.lines) - MOST_LINES
    rest = [f"… {more:,} more lines"] if more > 0 else []
    return "\n".join([head, *file.lines[:MOST_LINES], *rest])


NEXT = "this session uses the account from its next start on"

CANCELLED = ("exit code 130", f"ended by signal {signal.SIGINT.value}")
"""Results of Claude Code after Ctrl+C."""


class AccountCommands(CommandGroup):
    """Signs in and out: Claude Code, which keeps the account, gets the terminal meanwhile."""

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

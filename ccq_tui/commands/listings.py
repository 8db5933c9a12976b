"""/permissions, /memory, /btw, /mcp and /tasks."""

import asyncio
import re
from pathlib import Path

from ccq_tui.agent import controls
from ccq_tui.agent import events as ev
from ccq_tui.agent.controls import CommandError, McpServer, MemoryPlace, PermissionRule
from ccq_tui.bounded import begin
from ccq_tui.claude_files import claude_directory
from ccq_tui.commands.command import CommandGroup, CommandUi, PickRow, Work
from ccq_tui.config.keymap import key_of
from ccq_tui.runtime.view import short_path
from ccq_tui.text import one_line, safe
from ccq_tui.transcript.blocks import ToolBlock, with_inner
from ccq_tui.words import on_clock, plural

SETTINGS_FILES = {
    "localSettings": (".claude/settings.local.json", "this project, only for you"),
    "projectSettings": (".claude/settings.json", "this project, for everyone"),
    "userSettings": ("settings.json", "all your projects"),
}
"""The settings files that a person may change: their names, and where they apply."""
SOURCES = {
    "localSettings": "local",
    "projectSettings": "project",
    "userSettings": "user",
    "flagSettings": "--settings",
    "policySettings": "your organization",
    "cliArg": "flag",
    "command": "a slash command",
    "session": "this session",
}
CHECKED = {"deny": 0, "ask": 1, "allow": 2}
"""The behaviours of rules in the order of their checks."""


def _rule_row(one: PermissionRule | str) -> PickRow:
    if isinstance(one, str):
        return PickRow("", *SETTINGS_FILES[one], group="Settings files")
    source = SOURCES.get(one.source, one.source)
    disabled = "" if one.in_effect else " · your organization disables it"
    return PickRow("", one.rule, f"{source}{disabled}", one.behavior)


class ListingCommands(CommandGroup[CommandUi]):
    """Shows rules, files of instructions, MCP servers and tasks, and asks beside the conversation."""

    # -- /permissions ------------------------------------------------------------------------------------

    async def permissions(self) -> None:
        """List the rules in force, and edit the file of one, or one for a new rule."""
        found = await self._runner.send_control(controls.PERMISSION_RULES)
        rules = sorted(found, key=lambda one: CHECKED.get(one.behavior, len(CHECKED)))
        rows: list[PermissionRule | str] = [*rules, *SETTINGS_FILES]
        one = await self._runner.one_of("Permission rules", rows, _rule_row, choose="edit its file")
        if one is None:
            return
        source = one if isinstance(one, str) else one.source
        if source not in SETTINGS_FILES:
            words = one_line(SOURCES.get(source, source), 80)
            raise CommandError(f"this rule comes from {words}, not from a settings file of yours")
        own = source == "userSettings"
        directory = claude_directory() if own else self._ui.launch.settings.directory.resolve()
        await self._edit_made(directory / SETTINGS_FILES[source][0], "applies within seconds")

    # -- /memory -----------------------------------------------------------------------------------------

    async def memory(self) -> None:
        """List the files of instructions, and open one in the person's editor."""
        none = "No instruction files are loaded here · --bare leaves them out"
        places = await self._runner.send_control(controls.MEMORY)
        place = await self._runner.one_of("Memory", places, _place_row, choose="edit it", none=none)
        if place is None:
            return
        path = Path(place.path)
        if place.is_directory:
            self._ui.say(f"Claude keeps its memories in {short_path(path)} · open them in your editor", 20.0)
            return
        await self._edit_made(path, "takes effect after /clear or in a new session")

    async def _edit_made(self, path: Path, then: str) -> None:
        """Open a file that may not exist yet; ``then`` says what follows from a change."""
        try:
            # Editors do not make the directory of a new file. It stays: it may be the project's own.
            await asyncio.to_thread(path.parent.mkdir, parents=True, exist_ok=True)
        except OSError as error:
            raise CommandError(f"{path.parent} cannot be created: {error.strerror}") from error
        self._ui.edit_file(path, then)

    # -- /btw --------------------------------------------------------------------------------------------

    async def ask_beside(self, question: str) -> None:
        """Ask the model a question that stays out of the conversation."""
        answer = await self._runner.send_control(controls.side_question(question))
        if not answer.strip():
            raise CommandError("Claude gave no answer · ask again, or send it as a prompt")
        self._runner.tell(f"Beside the conversation: {one_line(question, 200)}\n{answer}")

    # -- /mcp --------------------------------------------------------------------------------------------

    async def servers(self) -> None:
        """Show the MCP servers, and change the chosen one; each change leads back to the list."""
        result = ""
        while servers := await self._runner.send_control(controls.SERVERS):
            server = await self._runner.one_of(
                "MCP servers", servers, _server_row, about=result, choose="change"
            )
            if server is None:
                return
            result = await self._change_server(server) or result
        self._runner.tell("No MCP servers here · `claude mcp add` adds one; --mcp-config names a file")

    async def _change_server(self, server: McpServer) -> str:
        """Let the person change a server; return what came of it."""
        on = server.status != "disabled"
        rows = [PickRow("reconnect", "Reconnect", "stop the server and start it again")] if on else []
        rows.append(PickRow("off", "Turn off", "removes its tools") if on else PickRow("on", "Turn on"))
        choice = await self._runner.pick(server.name, rows, about=_of_server(server))
        try:
            match choice:
                case "reconnect":
                    await self._runner.send_control(controls.reconnect(server.name))
                    return f"{server.name} was reconnected"
                case "on" | "off":
                    await self._runner.send_control(controls.toggle(server.name, enabled=choice == "on"))
                    return f"{server.name} was turned {choice}"
                case _:
                    return ""
        except CommandError as error:
            return f"{server.name}: {error}"

    # -- /tasks and /background ----------------------------------------------------------------------------

    def background(self) -> Work | None:
        """Send Claude's running work to the background."""
        if self._ui.view.busy:
            return self._background
        self._ui.say("Claude is idle: nothing can go to the background")
        return None

    async def _background(self) -> None:
        await self._runner.send_control(controls.BACKGROUND_TASKS)
        self._ui.say(f"The work continues in the background · {key_of('tasks')} shows it")

    async def stop_tasks(self) -> None:
        """Show the tasks, and stop the chosen ones."""
        stopped: set[str] = set()
        # The CLI reports the end a moment later; the list must not offer it again.
        while tasks := [task for task in self._ui.view.tasks if task.task_id not in stopped]:
            task = await self._runner.one_of("Running tasks", tasks, self._row, choose="show")
            if task is None:
                return
            what = task.description or task.task_id
            sure = [PickRow("no", "Keep it running"), PickRow("yes", "Stop it", "its results so far stay")]
            if await self._runner.pick(f"Stop: {what}", sure, about=await self._about(task)) != "yes":
                continue
            await self._runner.send_control(controls.stop_task(task.task_id))
            stopped.add(task.task_id)
            self._runner.tell(f"Stopped: {what}")
        self._ui.say(NO_TASKS)

    def _row(self, task: ev.TaskStarted) -> PickRow:
        kind = "subagent" if task.agent else "command"
        return PickRow("", task.description or task.task_id, kind, self._ran(task))

    def _call(self, task: ev.TaskStarted) -> ToolBlock | None:
        blocks = with_inner(self._ui.transcript.model.blocks)
        calls = (one for one in blocks if isinstance(one, ToolBlock))
        return next((one for one in calls if one.id == task.tool_use_id), None)

    def _ran(self, task: ev.TaskStarted) -> str:
        call = self._call(task)
        return on_clock(int(self._ui.clock() - call.started)) if call else ""

    async def _about(self, task: ev.TaskStarted) -> str:
        """Return a task's command or current action, its time, and the last lines of its output."""
        call = self._call(task)
        if call is None:
            return ""
        doing = str(call.input.get("command", "")) or (call.task.doing if call.task else "")
        head = " · ".join(filter(None, (one_line(doing, 300), self._ran(task))))
        file = re.search(rf"/\S+/{re.escape(task.task_id)}\.output", call.output)
        lines = await asyncio.to_thread(_last_lines, Path(file[0])) if file else []
        return "\n".join((head, *lines))


def _place_row(place: MemoryPlace) -> PickRow:
    label = place.label.removeprefix("Open ").removeprefix("L ")
    about = short_path(Path(place.path))
    # The CLI's note repeats the place of its usual files.
    note = "" if not place.note or place.note.startswith("Saved in") else place.note
    return PickRow("", label, about, note if place.exists else "new")


SERVER_STATES = {
    "connected": "✔ connected",
    "pending": "◌ connecting",
    "failed": "✖ failed",
    "needs-auth": "◆ needs you to sign in",
    "disabled": "○ off",
}


def _server_row(one: McpServer) -> PickRow:
    return PickRow("", one.name, _of_server(one), SERVER_STATES.get(one.status, one.status))


def _of_server(server: McpServer) -> str:
    tools = plural(server.tools, "tool") if server.tools else ""
    return " · ".join(part for part in (tools, server.scope, server.error) if part)


NO_TASKS = "No tasks are running"
LAST_LINES, LAST_BYTES = 5, 4000
"""Most of a task's output that is shown: its end."""


def _last_lines(path: Path) -> list[str]:
    try:
        data = begin(path, LAST_BYTES, max(0, path.stat().st_size - LAST_BYTES))
    except OSError:
        return []  # the CLI has removed it
    lines = safe(data.decode("utf-8", "replace")).rstrip().splitlines()
    return [one_line(line, 300) for line in lines[-LAST_LINES:]]

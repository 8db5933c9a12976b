"""/tasks: what runs in the background of a session."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from pathlib import Path

from ccq_tui.agent import controls
from ccq_tui.agent.events import TaskEnded, TaskProgressed, TaskStarted, ToolFinished, ToolStarted
from ccq_tui.bounded import begin
from ccq_tui.config.keymap import key_of
from ccq_tui.runtime.events import SessionEvent
from ccq_tui.screens.pickers import PickRow
from ccq_tui.screens.session.commands import CommandGroup, CommandRunner
from ccq_tui.screens.session.view import duration
from ccq_tui.text import one_line, safe

NO_TASKS = "No tasks are running"
LAST_LINES, LAST_BYTES = 5, 4000
"""Most of a task's output that is shown: its end."""
_OUTPUT = re.compile(r"(/\S+/([^/\s]+)\.output)")
"""The file of a command's output, as the CLI names it in the result of the call."""


@dataclass(slots=True)
class _Progress:
    """What is known of a task: the command or the current action of a subagent, and the output's file."""

    doing: str
    since: float
    output: Path | None = None


class TasksCommand(CommandGroup):
    """Shows the background tasks, and stops them."""

    def __init__(self, runner: CommandRunner) -> None:
        super().__init__(runner)
        self._commands: dict[str, str] = {}
        self._progress: dict[str, _Progress] = {}

    def take(self, event: SessionEvent) -> None:
        match event:
            case ToolStarted(tool_use_id=call, tool="Bash", input={"command": str(command)}):
                self._commands[call] = command
            case TaskStarted(task_id=name, tool_use_id=call):
                self._progress[name] = _Progress(self._commands.get(call, ""), self._ui.clock())
            case TaskProgressed(task_id=name, doing=doing) if name in self._progress:
                self._progress[name].doing = doing
            case ToolFinished(tool_use_id=call, output=output):
                self._commands.pop(call, None)
                if (found := _OUTPUT.search(output)) and found[2] in self._progress:
                    self._progress[found[2]].output = Path(found[1])
            case TaskEnded(task_id=name):
                self._progress.pop(name, None)
            case _:
                pass

    def background(self) -> None:
        """Send Claude's running work to the background."""
        if self._ui.view.busy:
            self._runner.run(self._background, "background")
        else:
            self._ui.say("Claude is idle: nothing can go to the background")

    async def _background(self) -> None:
        await self._runner.ask(controls.background_tasks())
        self._ui.say(f"The work continues in the background · {key_of('tasks')} shows it")

    async def stop(self) -> None:
        """Show the tasks, and stop the chosen ones."""
        stopped: set[str] = set()
        # The CLI reports the end a moment later; the list must not offer it again.
        while tasks := [task for task in self._ui.view.tasks if task.task_id not in stopped]:
            rows = [
                PickRow(
                    task.task_id,
                    task.description or task.task_id,
                    "subagent" if task.agent else "command",
                    self._ran(task.task_id),
                )
                for task in tasks
            ]
            task_id = await self._runner.pick("Running tasks", rows, choose="show")
            if task_id is None:
                return
            what = next(row.label for row in rows if row.value == task_id)
            sure = [PickRow("no", "Keep it running"), PickRow("yes", "Stop it", "its results so far stay")]
            about = await self._about(task_id)
            if await self._runner.pick(f"Stop: {what}", sure, about=about) != "yes":
                continue
            await self._runner.ask(controls.stop_task(task_id))
            stopped.add(task_id)
            self._runner.tell(f"Stopped: {what}")
        self._ui.say(NO_TASKS)

    def _ran(self, name: str) -> str:
        known = self._progress.get(name)
        return duration(int(self._ui.clock() - known.since)) if known else ""

    async def _about(self, name: str) -> str:
        """Return a task's command or current action, its time, and the last lines of its output."""
        known = self._progress.get(name)
        if known is None:
            return ""
        head = " · ".join(filter(None, (one_line(known.doing, 300), self._ran(name))))
        lines = await asyncio.to_thread(_last_lines, known.output) if known.output else []
        return "\n".join((head, *lines))


def _last_lines(path: Path) -> list[str]:
    try:
        data = begin(path, LAST_BYTES, max(0, path.stat().st_size - LAST_BYTES))
    except OSError:
        return []  # the CLI has removed it
    lines = safe(data.decode("utf-8", "replace")).rstrip().splitlines()
    return [one_line(line, 300) for line in lines[-LAST_LINES:]]

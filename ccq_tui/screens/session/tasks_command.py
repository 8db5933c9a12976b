"""/tasks: what runs in the background of a session."""

from __future__ import annotations

from ccq_tui.agent import controls
from ccq_tui.agent.events import SessionLost, TaskEnded, TaskStarted
from ccq_tui.screens.pickers import PickRow
from ccq_tui.screens.session.commands import CommandGroup, CommandRunner
from ccq_tui.supervisor.events import SessionEvent

NO_TASKS = "No tasks are running"


class TasksCommand(CommandGroup):
    """Shows the background tasks, and stops them."""

    def __init__(self, runner: CommandRunner) -> None:
        super().__init__(runner)
        self.running: tuple[TaskStarted, ...] = ()
        """The running tasks."""

    def take(self, event: SessionEvent) -> None:
        match event:
            case TaskStarted():
                self.running = (*self.running, event)
            case TaskEnded(task_id=task_id):
                self.running = tuple(task for task in self.running if task.task_id != task_id)
            case SessionLost():
                self.running = ()
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
        self._ui.say("The work continues in the background · Ctrl+T shows it")

    async def stop(self) -> None:
        """Show the tasks, and stop the chosen ones."""
        while tasks := self.running:
            rows = [
                PickRow(
                    task.task_id, task.description or task.task_id, "subagent" if task.agent else "command"
                )
                for task in tasks
            ]
            task_id = await self._runner.pick("Running tasks", rows, choose="stop")
            if task_id is None:
                return
            what = next(row.label for row in rows if row.value == task_id)
            sure = [PickRow("no", "Keep it running"), PickRow("yes", "Stop it", "its results so far stay")]
            if await self._runner.pick(f"Stop: {what}", sure) != "yes":
                continue
            await self._runner.ask(controls.stop_task(task_id))
            # The CLI reports the end a moment later; the list must not offer it again.
            self.running = tuple(task for task in self.running if task.task_id != task_id)
            self._runner.tell(f"Stopped: {what}")
        self._ui.say(NO_TASKS)

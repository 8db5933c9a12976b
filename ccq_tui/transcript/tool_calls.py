"""Follows tool calls from start to end, with the CLI's reports on them."""

from collections.abc import Callable, Collection, Iterable
from typing import TypeGuard

from ccq_tui.agent import events as ev
from ccq_tui.prompts.shell_runs import ShellRun
from ccq_tui.transcript.blocks import Block, NoticeBlock, PermissionBlock, Task, ToolBlock, ToolState
from ccq_tui.transcript.bodies import TaskList
from ccq_tui.transcript.order import BlockOrder
from ccq_tui.transcript.tools import READING, SHELL, ToolCard


def finished(name: str, run: ShellRun) -> ev.ToolFinished:
    """Return the end of a command that a person ran in the shell."""
    failed = f"Exit code {run.code}\n" if run.code else ""
    return ev.ToolFinished(name, SHELL, f"{failed}{run.output}", is_error=bool(run.code))


class ToolCalls:
    """All tool calls of a transcript.

    Attributes:
        directory: The session's working directory, or "".
        running: Calls that go on, some of them beside the turns and after their result, by ``tool_use_id``.
    """

    def __init__(self, order: BlockOrder, clock: Callable[[], float]) -> None:
        self.running: dict[str, ToolBlock] = {}
        self.directory = ""
        self._order = order
        self._clock = clock
        self._calls: dict[str, ToolBlock] = {}
        self._by_task: dict[str, ToolBlock] = {}
        self._list = TaskList()
        self._listed: ToolBlock | None = None
        self._unreported: list[ToolBlock] = []
        """Commands that a person ran and the agent does not know yet."""

    def get(self, tool_use_id: str) -> ToolBlock | None:
        """Return a call, or None if unknown."""
        return self._calls.get(tool_use_id)

    def work_in(self, directory: str) -> None:
        """Show paths relative to the session's working directory, also those of its past."""
        if directory != self.directory:
            self.directory = directory
            for block in self._calls.values():
                block.directory = directory
                self._order.touch(block)

    def put_first(self, earlier: "ToolCalls") -> None:
        """Take over the calls of an earlier past, none of which still runs."""
        earlier.stop(everything=True)
        earlier.work_in(self.directory)
        self._calls = earlier._calls | self._calls

    def start(self, event: ev.ToolStarted) -> ToolBlock:
        block = ToolBlock(
            event.tool_use_id, event.tool, event.input, self._clock(), event.parent, self.directory
        )
        self._calls[block.id] = self.running[block.id] = block
        if event.tool == SHELL:
            self._unreported.append(block)
        self._order.add(block, event.parent)
        return block

    def grow(self, event: ev.ToolGrew) -> None:
        """Show a call's output so far."""
        block = self.running.get(event.tool_use_id)
        if block is not None:
            block.output = event.output
            self._order.touch(block)

    def report_run(self, name: str, run: ShellRun) -> None:
        """Note that the agent learns of a person's command; show one that was run elsewhere."""
        for block in reversed(self._unreported):
            if block.input.get("command") == run.command:
                self._unreported.remove(block)
                return
        block = self.start(ev.ToolStarted(f"{SHELL} {name}", SHELL, {"command": run.command}))
        self.finish(block, finished(block.id, run))
        self._unreported.remove(block)

    def finish(self, block: ToolBlock, event: ev.ToolFinished) -> None:
        """Show a call's result; a call that continues in the background has none yet."""
        block.output, block.structured = event.output, event.structured
        if not block.background or event.is_error:
            self.running.pop(block.id, None)
            state = ToolState.FAILED if event.is_error else ToolState.OK
            self._end(block, ToolState.STOPPED if block.interrupted and event.is_error else state)
        if block.card is ToolCard.TASKS and block.state is ToolState.OK:
            self._follow_list(block)
        self._order.touch(block)

    def _end(self, block: ToolBlock, state: ToolState) -> None:
        block.state = state
        block.seconds = self._clock() - block.started
        self._order.touch(block)
        if block.folded:
            self.fold(block, folded=True)

    def _follow_list(self, block: ToolBlock) -> None:
        """Show the task list on the newest of consecutive calls that change it."""
        block.entry = self._list.take(block.tool, block.input, block.output, block.structured)
        block.checklist = self._list.entries
        earlier, self._listed = self._listed, block
        if earlier is not None and earlier.at >= 0 and earlier.at == block.at - 1:
            earlier.checklist = ()
            self._order.touch(earlier)

    def permission_settled(self, permission: PermissionBlock) -> None:
        """Redraw a call whose permission was decided."""
        block = self._calls.get(permission.request.tool_use_id)
        if block is not None and block.permission is permission:
            block.started = self._clock()  # a person's time is not the tool's
            self._order.touch(block)

    def fold(self, block: ToolBlock, *, folded: bool) -> None:
        """Fold away the blocks under a finished Agent call, or reads after the first; or bring them back."""
        if block.at < 0:
            return
        if not folded and block.inner:
            inner, block.inner = block.inner, []
            self._order.put_under(block, inner)
        elif folded and block.card is ToolCard.AGENT and block.state is not ToolState.RUNNING:
            block.inner = [*self._order.take_under(block), *block.inner]
        elif folded and _reads(block):
            self._gather(block)

    def _gather(self, block: ToolBlock) -> None:
        """Fold reads and searches in a row into the first of them."""
        blocks = self._order.blocks
        if block.at and _reads(before := blocks[block.at - 1], block.parent):
            block = before
        while block.at + 1 < len(blocks) and _reads(after := blocks[block.at + 1], block.parent):
            self._order.remove(after)
            block.inner += [after, *after.inner]
            after.inner = []
            self._order.touch(block)

    def task_started(self, event: ev.TaskStarted) -> None:
        """Note that a call has a task of its own."""
        block = self._calls.get(event.tool_use_id)
        if block is None:
            return
        self._by_task[event.task_id] = block
        # A command that takes a few seconds shows everything itself.
        if block.card is ToolCard.AGENT or event.background:
            block.task = Task(event.background)
            self._order.touch(block)

    def task_backgrounded(self, event: ev.TaskBackgrounded) -> None:
        """Note that a call continues in the background, which its result will not say."""
        if (block := self._by_task.get(event.task_id)) is not None:
            block.task = block.task or Task()
            block.task.background = True
            self._order.touch(block)

    def task_progressed(self, event: ev.TaskProgressed) -> None:
        block = self._by_task.get(event.task_id)
        if block is not None and block.task is not None:
            block.task.doing = event.doing
            block.task.tools, block.task.tokens = event.tools, event.tokens
            self._order.touch(block)

    def task_ended(self, event: ev.TaskEnded) -> None:
        """Show a task's end; a background task also gets a notice at the present end of the conversation."""
        block = self._by_task.get(event.task_id)
        if block is None or block.task is None:
            return
        if event.tools or event.tokens:
            block.task.tools, block.task.tokens = event.tools, event.tokens
        state = {"completed": ToolState.OK, "failed": ToolState.FAILED}.get(event.status, ToolState.STOPPED)
        if not block.task.ended:
            block.task.ended = True
            if block.background:
                self.running.pop(block.id, None)
                self._stop(one for one in self.running.values() if self.beside_turns(one.id) is block)
                self._end(block, state)
        self._order.touch(block)
        if block.background:
            self._say_end(event, block, block.task, state)

    def _say_end(self, event: ev.TaskEnded, block: ToolBlock, task: Task, state: ToolState) -> None:
        level = {ToolState.OK: "done", ToolState.FAILED: "error"}.get(state, "info")
        name = str(block.input.get("description") or block.input.get("command") or block.tool)
        summary = "" if block.card is ToolCard.AGENT else event.summary  # an agent's is its whole report
        text = summary or f"“{name}” in the background: {event.status}"
        if task.notice is None:
            task.notice = NoticeBlock(level, text)
            self._order.add(task.notice)
        elif summary:
            task.notice.text = text
            self._order.touch(task.notice)

    def tick(self) -> None:
        """Update the elapsed times."""
        for block in self.running.values():
            if not block.waiting:
                block.seconds = self._clock() - block.started
                self._order.touch(block)

    def stop(self, *, everything: bool) -> None:
        """Stop running calls; what runs beside the turns continues, unless all is over."""
        running = self.running.values()
        self._stop(block for block in running if everything or self.beside_turns(block.id) is None)

    def end_past(self, present: Collection[str]) -> None:
        """Stop the calls of a past: no process is left that could end them; ``present`` are not of it."""
        self._stop(block for name, block in self.running.items() if name not in present)

    def beside_turns(self, call: str) -> ToolBlock | None:
        """Return the call that continues after the turn and that this one is, or works for; or None."""
        seen = {""}
        while call not in seen and (block := self._calls.get(call)) is not None:
            if block.background or block.tool == SHELL:
                return block
            seen.add(call)  # a recording may name a call as its own
            call = block.parent
        return None

    def _stop(self, blocks: Iterable[ToolBlock]) -> None:
        for block in list(blocks):
            self.running.pop(block.id, None)
            block.state = ToolState.STOPPED
            self._order.touch(block)


def _reads(block: Block, parent: str | None = None) -> TypeGuard[ToolBlock]:
    """Return whether a block is a folded read or search that is over, with nothing else to say."""
    return (
        isinstance(block, ToolBlock)
        and block.folded
        and block.card in READING
        and block.state is ToolState.OK
        and block.permission is None
        and (parent is None or block.parent == parent)
    )

"""Tool calls as blocks: what was called, how far it is, and what of its outcome is shown."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from ccq_tui.agent.texts import INTERRUPTED
from ccq_tui.inbox import Denied, PermissionRequest
from ccq_tui.widgets.transcript.block import FOLD_LINES, Block, Body, RequestBlock
from ccq_tui.widgets.transcript.checklist import TASK_TOOLS, Checklist, Entry, todos
from ccq_tui.widgets.transcript.diff import EDITORS, edit_diff
from ccq_tui.widgets.transcript.excerpt import Excerpt
from ccq_tui.widgets.transcript.plaintext import PlainText

TAIL_LINES = 6
"""Lines of a command's output that are shown while it is folded: it is the end that tells what came of it."""
AGENT_TOOLS = frozenset({"Agent", "Task"})
"""Tools whose calls have calls of their own under them."""
SILENT = "(Bash completed with no output)"
_KNOWN = frozenset({"Bash", "Read", "Glob", "Grep", "LS", "WebFetch", "WebSearch", "Skill"})
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_ERROR_TAGS = re.compile(r"</?(?:tool_use_error|error)>")
_REPORT = re.compile(r"\A\[Subagent hand-back\].*?The report follows:\n(.*?)(?:\nagentId: .*)?\Z", re.DOTALL)
_EXIT = re.compile(r"\AExit code -?\d+\n?")


class ToolState(StrEnum):
    """How far a tool call is."""

    RUNNING = "running"
    OK = "ok"
    FAILED = "failed"
    STOPPED = "stopped"


@dataclass(eq=False)
class PermissionBlock(RequestBlock):
    """A permission that was asked for; ``attached`` when it stands right under the call that it is for."""

    request: PermissionRequest
    attached: bool = False


@dataclass(eq=False)
class Task:
    """What the CLI tells of a subagent or a command that takes a while.

    Attributes:
        background: Whether the turn goes on meanwhile.
        doing: What it does now.
        tools: How many tools it has called.
        tokens: Tokens it took.
        ended: Whether it is over.
    """

    id: str
    background: bool = False
    doing: str = ""
    tools: int = 0
    tokens: int = 0
    ended: bool = False


@dataclass(eq=False)
class ToolBlock(Block):
    """A tool call and its result.

    Attributes:
        id: The ``tool_use_id`` of the call.
        parent: The Agent call that it works for, or "".
        directory: Where the session works, or "": paths in it are shown without it.
        started: When it began, in seconds of the model's clock.
        seconds: How long it took, or has taken so far.
        permission: The permission that was asked for it, or None.
        task: What the CLI tells of it while it goes on, or None.
        entry: The entry of the task list that it was about, or None.
        checklist: The task list after it, where it is shown.
        inner: Blocks that belong under it and are folded away.
    """

    id: str
    tool: str
    input: Mapping[str, Any]
    started: float
    parent: str = ""
    directory: str = ""
    state: ToolState = ToolState.RUNNING
    seconds: float = 0.0
    output: str = ""
    structured: Any = None
    permission: PermissionBlock | None = field(default=None, init=False)
    task: Task | None = field(default=None, init=False)
    entry: Entry | None = field(default=None, init=False)
    checklist: tuple[Entry, ...] = field(default=(), init=False)
    inner: list[Block] = field(default_factory=list, init=False)
    _bodies: dict[bool, Body | None] = field(default_factory=dict, init=False)

    def renew(self) -> None:
        """Forget what was made of the result: it is another one now."""
        self._bodies.clear()

    @property
    def background(self) -> bool:
        """Whether the turn went on, or goes on, while it runs."""
        return self.task is not None and self.task.background

    @property
    def waiting(self) -> bool:
        """Whether a person has not said yet whether it may run."""
        return self.permission is not None and self.permission.outcome is None

    @property
    def refused(self) -> bool:
        """Whether a person did not allow it."""
        return self.permission is not None and isinstance(self.permission.outcome, Denied)

    @property
    def interrupted(self) -> bool:
        """Whether a person ended the turn before the call was over."""
        return self.output.startswith(INTERRUPTED)

    @property
    def body(self) -> Body | None:
        """What is shown under the head."""
        if self.folded not in self._bodies:
            self._bodies[self.folded] = _short(self) if self.folded else _whole(self)
        return self._bodies[self.folded]

    @property
    def foldable(self) -> bool:
        """Whether there is a longer form."""
        return bool(
            self.output.strip() not in ("", SILENT) or self.inner or (self.input and self.tool not in _KNOWN)
        )


def _short(block: ToolBlock) -> Body | None:
    """Return what of a result is worth its lines without being asked for."""
    if listed := _listed(block):
        return Checklist(listed, FOLD_LINES)
    if block.refused or block.background:
        return None
    if block.state is ToolState.FAILED:
        text = readable(block)
        return Excerpt(text, FOLD_LINES, tail=True) if "\n" in text.strip() else None
    if block.state is not ToolState.OK:
        return None
    if block.tool in EDITORS:
        return edit_diff(block.tool, block.input, block.structured, FOLD_LINES)
    if block.tool == "Bash" and "\n" in block.output.strip():
        return Excerpt(readable(block), TAIL_LINES, tail=True)
    return None


def _whole(block: ToolBlock) -> Body | None:
    """Return all of a result."""
    if listed := _listed(block):
        return Checklist(listed)
    if block.state is ToolState.OK and block.tool in EDITORS:
        diff = edit_diff(block.tool, block.input, block.structured)
        if diff is not None:
            return diff
    text = readable(block)
    if block.tool not in _KNOWN | EDITORS | AGENT_TOOLS and block.input:
        given = json.dumps(block.input, indent=2, ensure_ascii=False, default=str)
        text = f"{given}\n\n{_laid_out(text)}"
    return PlainText(text) if text.strip() else None


def _listed(block: ToolBlock) -> tuple[Entry, ...]:
    if block.state is ToolState.FAILED:
        return ()
    if block.tool == "TodoWrite":
        return todos(block.input.get("todos"))
    return block.checklist if block.tool in TASK_TOOLS else ()


def readable(block: ToolBlock) -> str:
    """Return a call's output without what only a terminal or the model is meant to read, unsanitised."""
    text = "" if block.interrupted else block.output
    if block.tool == "Bash":
        if text == SILENT:
            return ""
        text = _as_left(_COLOURS.sub("", text))
        return _EXIT.sub("", text) if block.state is ToolState.FAILED else text
    if block.tool in AGENT_TOOLS and (found := _REPORT.match(text)):
        return "\n".join(line.removeprefix("  ") for line in found[1].split("\n"))
    return _ERROR_TAGS.sub("", text) if block.state is ToolState.FAILED else text


def _as_left(text: str) -> str:
    """Keep of each line what stood there last: progress bars write over themselves."""
    if "\r" not in text:
        return text
    lines = text.replace("\r\n", "\n").split("\n")
    return "\n".join(line.rstrip("\r").rsplit("\r", 1)[-1] for line in lines)


def _laid_out(text: str) -> str:
    """Indent JSON; anything else stays as it is."""
    if len(text) > 100_000 or not text.lstrip().startswith(("{", "[")):
        return text
    try:
        return json.dumps(json.loads(text), indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):
        return text  # it only looked like JSON

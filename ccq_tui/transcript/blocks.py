"""The parts of a session's transcript: blocks of data, in order, independent of any screen."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, ClassVar

from ccq_tui.agent.events import Retrying, TurnEnded
from ccq_tui.agent.user_texts import hook_refusal
from ccq_tui.inbox import requests
from ccq_tui.inbox.actors import Actor
from ccq_tui.inbox.agent_texts import ABANDONED, INTERRUPTED
from ccq_tui.questions import Answered, Discussed
from ccq_tui.transcript.bodies import Checklist, Diff, Excerpt, PlainText, Todo, edit_diff, plain, todos
from ccq_tui.transcript.document import Document
from ccq_tui.transcript.tools import EDITS, ToolCard, card_of

Body = Document | PlainText | Excerpt | Diff | Checklist
"""The content of a block beside its head: text in parts."""

FOLD_LINES = 20
"""Most lines of a prompt that is not folded, and lines of other folded blocks."""


@dataclass(eq=False)
class Block:
    """One thing that happened.

    Attributes:
        at: Its place in the transcript, kept by the model.
        depth: Number of Agent calls it is nested in.
        version: Changes whenever the head would be drawn differently.
        folded: Whether only the short form is shown, where there is a longer one.
        called: Its name, in a word or two.
        hides: Whether its document, if it has one, is hidden while it is folded.
    """

    called: ClassVar[str] = "notice"
    hides: ClassVar[bool] = False
    at: int = field(default=-1, init=False)
    depth: int = field(default=0, init=False)
    version: int = field(default=0, init=False)
    folded: bool = field(default=True, init=False)

    @property
    def head(self) -> bool:
        """Whether the block begins with something that is not part of its body."""
        return True

    @property
    def body(self) -> Body | None:
        """The text shown under the head now, in parts, or None."""
        return None if self.hides and self.folded else getattr(self, "document", None)

    @property
    def foldable(self) -> bool:
        """Whether there is a longer form."""
        return self.hides and getattr(self, "document", None) is not None


class RequestPlace(StrEnum):
    """Where a waiting request is answered now; a key is named by its action."""

    OPEN = "below"
    HIDDEN = "{panel} answers"
    QUEUED = "waits its turn"
    ELSEWHERE = "waiting for you"


@dataclass(eq=False)
class RequestBlock(Block):
    """Something that waits, or waited, for a person.

    Attributes:
        place: Where it is answered now.
        outcome: The end of the waiting, or None while it continues.
        settled: Time of the outcome, or None if unknown.
        actor: Who answered, or None if unknown.
    """

    place: RequestPlace = field(default=RequestPlace.ELSEWHERE, init=False)
    outcome: requests.RequestOutcome | None = field(default=None, init=False)
    settled: datetime | None = field(default=None, init=False)
    actor: Actor | None = field(default=None, init=False)


SILENT = "(Bash completed with no output)"
_KNOWN = frozenset({ToolCard.COMMAND, ToolCard.FILE, ToolCard.SEARCH, ToolCard.WEB, ToolCard.LINE})
"""Cards whose first line shows the complete input."""
ERROR_TAGS = re.compile(r"</?(?:tool_use_error|error)>")
_REPORT = re.compile(r"\A\[Subagent hand-back\].*?The report follows:\n(.*?)(?:\nagentId: .*)?\Z", re.DOTALL)
EXIT = re.compile(r"\AExit code (-?\d+)\n?")


class ToolState(StrEnum):
    """State of a tool call."""

    RUNNING = "running"
    OK = "ok"
    FAILED = "failed"
    STOPPED = "stopped"


@dataclass(eq=False)
class PermissionBlock(RequestBlock):
    """A permission that was asked for."""

    called = "permission"
    request: requests.PermissionRequest


@dataclass(eq=False)
class Task:
    """The CLI's reports on a subagent or a command that takes a while.

    Attributes:
        background: Whether the turn continues meanwhile.
        doing: Its present activity.
        tools: Number of tools it has called.
        tokens: Tokens it took.
        ended: Whether it is over.
        notice: What the transcript says of the end of one in the background, or None.
    """

    background: bool = False
    doing: str = ""
    tools: int = 0
    tokens: int = 0
    ended: bool = False
    notice: "NoticeBlock | None" = None


@dataclass(eq=False)
class ToolBlock(Block):
    """A tool call and its result.

    Attributes:
        id: The ``tool_use_id`` of the call.
        parent: The Agent call that it works for, or "".
        directory: The session's working directory, or "": paths in it are shown without it.
        started: When it began, in seconds of the model's clock.
        seconds: Seconds it took, or has taken so far.
        permission: The permission that was asked for it, or None.
        task: The CLI's reports on it while it continues, or None.
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
    entry: Todo | None = field(default=None, init=False)
    checklist: tuple[Todo, ...] = field(default=(), init=False)
    inner: list[Block] = field(default_factory=list, init=False)
    _bodies: dict[bool, tuple[int, Body | None]] = field(default_factory=dict, init=False)

    @property
    def card(self) -> ToolCard:
        return card_of(self.tool)

    @property
    def background(self) -> bool:
        """Whether the turn continued, or continues, while it runs."""
        return self.task is not None and self.task.background

    @property
    def waiting(self) -> bool:
        """Whether a person must still decide if it may run."""
        return self.permission is not None and self.permission.outcome is None

    @property
    def refused(self) -> bool:
        """Whether a person denied it."""
        return self.permission is not None and isinstance(self.permission.outcome, requests.Denied)

    @property
    def interrupted(self) -> bool:
        """Whether a person ended the turn before the call was over."""
        return self.output.startswith((INTERRUPTED, ABANDONED))

    @property
    def body(self) -> Body | None:
        known = self._bodies.get(self.folded)
        if known is None or known[0] != self.version:
            known = self._bodies[self.folded] = self.version, (_short if self.folded else _whole)(self)
        return known[1]

    @property
    def foldable(self) -> bool:
        return bool(
            self.output.strip() not in ("", SILENT) or self.inner or (self.input and self.card not in _KNOWN)
        )


def _short(block: ToolBlock) -> Body | None:
    """Return the part of a result that is worth its lines unasked."""
    if listed := _listed(block):
        return Checklist(listed, FOLD_LINES)
    if block.refused or block.background or block.card is ToolCard.REQUEST:
        return None
    if block.state is ToolState.FAILED:
        text, coloured = readable(block), block.card is ToolCard.COMMAND
        return Excerpt(text, FOLD_LINES, tail=True, colours=coloured) if "\n" in text.strip() else None
    if block.state is ToolState.OK and block.card in EDITS:
        return edit_diff(block.input, block.structured, FOLD_LINES)
    output = block.output.strip()
    # What ended with one line has it beside its name.
    shown = {ToolState.RUNNING: bool(output), ToolState.OK: "\n" in output}
    if block.card is ToolCard.COMMAND and shown.get(block.state):
        # The end of a command's output shows the result.
        return Excerpt(readable(block), 6, tail=True, colours=True)
    return None


def _whole(block: ToolBlock) -> Body | None:
    """Return all of a result."""
    if listed := _listed(block):
        return Checklist(listed)
    if block.state is ToolState.OK and block.card in EDITS:
        diff = edit_diff(block.input, block.structured)
        if diff is not None:
            return diff
    text = readable(block)
    if block.card not in _KNOWN | EDITS | {ToolCard.AGENT} and block.input:
        given = json.dumps(block.input, indent=2, ensure_ascii=False, default=str)
        text = f"{given}\n\n{_laid_out(text)}"
    return PlainText(text, colours=block.card is ToolCard.COMMAND) if text.strip() else None


def _listed(block: ToolBlock) -> tuple[Todo, ...]:
    if block.state is ToolState.FAILED:
        return ()
    if block.card is ToolCard.TODOS:
        return todos(block.input.get("todos"))
    return block.checklist if block.card is ToolCard.TASKS else ()


def uncoloured(block: ToolBlock) -> str:
    """Return a call's whole output, unsanitised; a command's without its colour sequences."""
    return plain(block.output) if block.card is ToolCard.COMMAND else block.output


def readable(block: ToolBlock) -> str:
    """Return a call's output without the parts meant for the model; a command's with its colours."""
    text = "" if block.interrupted else block.output
    if block.state is ToolState.FAILED and (reason := hook_refusal(text)) is not None:
        return reason
    if block.card is ToolCard.COMMAND:
        if text == SILENT:
            return ""
        text = _as_left(text)
        return EXIT.sub("", text) if block.state is ToolState.FAILED else text
    if block.card is ToolCard.AGENT and (found := _REPORT.match(text)):
        return "\n".join(line.removeprefix("  ") for line in found[1].split("\n"))
    return ERROR_TAGS.sub("", text) if block.state is ToolState.FAILED else text


def _as_left(text: str) -> str:
    """Keep only the last state of each line: progress bars overwrite themselves."""
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


@dataclass(eq=False)
class PromptBlock(Block):
    """Words of the user.

    Attributes:
        accepted: Whether the agent was seen to have taken it.
        queued: Whether it waits for the running turn to end.
        prompt_id: The id under which it was sent, or "".
    """

    called = "your prompt"
    text: str
    accepted: bool = False
    queued: bool = False
    prompt_id: str = ""
    lines: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.text = self.text.rstrip()
        self.lines, self._whole = self.text.count("\n") + 1, PlainText(self.text)

    @property
    def body(self) -> Body | None:
        return None if self.head else self._whole

    @property
    def head(self) -> bool:
        return self.folded and self.foldable

    @property
    def foldable(self) -> bool:
        return _is_long(self.text)


def _is_long(text: str) -> bool:
    """Whether a text of the person is folded."""
    return text.count("\n") >= FOLD_LINES or len(text) > FOLD_LINES * 200


@dataclass(eq=False)
class ProseBlock(Block):
    """Words of the agent, in Markdown."""

    called = "text"
    head = False
    document: Document


@dataclass(eq=False)
class ThinkingBlock(Block):
    """Thoughts of the agent; one line unless unfolded."""

    called = "thinking"
    hides = True
    document: Document


@dataclass(eq=False)
class QuestionBlock(RequestBlock):
    """A question set with its outcome."""

    called = "questions"
    request: requests.QuestionRequest

    @property
    def foldable(self) -> bool:
        # Most characters of a question that is shown whole while it is folded.
        long = any(len(one.text) > 140 for one in self.request.questions.questions)
        long = long or any(map(_is_long, self._own_texts()))
        return self.outcome is not None and (long or not isinstance(self.outcome, Answered | Discussed))

    def _own_texts(self) -> Iterator[str]:
        match self.outcome:
            case Answered(answers):
                yield from (text for one in answers for text in (one.other, one.note))
            case Discussed(text=text):
                yield text


@dataclass(eq=False)
class FormBlock(RequestBlock):
    """A form or a link of an MCP server, with its outcome."""

    called = "form"
    request: requests.ElicitationRequest


@dataclass(eq=False)
class PlanBlock(RequestBlock):
    """A plan that was proposed."""

    called = "plan"
    request: requests.PlanRequest
    document: Document


@dataclass(eq=False)
class NoticeBlock(Block):
    """A notice of the CLI or the program; ``level`` is "info", "warning", "error" or a word of its own."""

    level: str
    text: str


@dataclass(eq=False)
class ErrorBlock(Block):
    """An error.

    Attributes:
        kind: One of `ccq_tui.agent.problems`, or the CLI's word for it.
        text: Further details, or "".
        offer: The key that does something about it now, or "".
        times: Number of its occurrences in a row.
    """

    called = "error"
    kind: str
    text: str
    offer: str = ""
    times: int = 1


@dataclass(eq=False)
class RetryBlock(Block):
    """A retry of a request to the model.

    Attributes:
        until: Time of the retry, in seconds of the model's clock.
        left: Seconds until then.
        over: Whether an answer came.
    """

    event: Retrying
    until: float = 0.0
    left: int = 0
    over: bool = False


@dataclass(eq=False)
class RuleBlock(Block):
    """A line across; the blocks above it are no longer part of the conversation, except as its summary."""

    hides = True
    text: str
    document: Document | None = None
    compaction: bool = False


@dataclass(eq=False)
class ResultBlock(Block):
    """The end of a turn."""

    called = "end of a turn"
    event: TurnEnded


def with_inner(blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield blocks, each followed by the blocks folded away under it, in the order in which they happened."""
    for block in blocks:
        yield block
        if isinstance(block, ToolBlock):
            yield from with_inner(block.inner)

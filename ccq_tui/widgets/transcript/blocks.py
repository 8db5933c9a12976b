"""What a session's transcript consists of: blocks of data, in order, that know nothing of a screen."""

from __future__ import annotations

from dataclasses import dataclass, field

from ccq_tui.agent.events import Retrying, TurnEnded
from ccq_tui.inbox import PlanRequest, QuestionRequest
from ccq_tui.widgets.transcript.block import FOLD_LINES as FOLD_LINES
from ccq_tui.widgets.transcript.block import Block as Block
from ccq_tui.widgets.transcript.block import Body as Body
from ccq_tui.widgets.transcript.block import RequestBlock as RequestBlock
from ccq_tui.widgets.transcript.calls import PermissionBlock as PermissionBlock
from ccq_tui.widgets.transcript.calls import Task as Task
from ccq_tui.widgets.transcript.calls import ToolBlock as ToolBlock
from ccq_tui.widgets.transcript.calls import ToolState as ToolState
from ccq_tui.widgets.transcript.document import Document
from ccq_tui.widgets.transcript.plaintext import PlainText


@dataclass(eq=False)
class PromptBlock(Block):
    """What the user said.

    Attributes:
        accepted: Whether the agent was seen to have taken it.
        queued: Whether it waits for the running turn to end.
        prompt_id: The id under which it was sent, or "".
    """

    text: str
    accepted: bool = False
    queued: bool = False
    prompt_id: str = ""
    lines: int = field(default=0, init=False)
    _whole: PlainText | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.text = self.text.rstrip()
        self.lines = self.text.count("\n") + 1

    @property
    def body(self) -> Body | None:
        """What is shown under the head."""
        if self.folded and self.foldable:
            return None
        if self._whole is None:
            self._whole = PlainText(self.text)
        return self._whole

    @property
    def head(self) -> bool:
        """Whether the body does not begin at once."""
        return self.folded and self.foldable

    @property
    def foldable(self) -> bool:
        """Whether there is a longer form."""
        return self.lines > FOLD_LINES or len(self.text) > FOLD_LINES * 200


@dataclass(eq=False)
class ProseBlock(Block):
    """What the agent says, in Markdown."""

    document: Document

    @property
    def head(self) -> bool:
        """Whether the body does not begin at once."""
        return False

    @property
    def body(self) -> Body:
        """What is shown under the head."""
        return self.document


@dataclass(eq=False)
class ThinkingBlock(Block):
    """What the agent thinks; one line unless unfolded."""

    document: Document
    characters: int = 0

    @property
    def body(self) -> Body | None:
        """What is shown under the head."""
        return None if self.folded else self.document

    @property
    def foldable(self) -> bool:
        """Whether there is a longer form."""
        return True


@dataclass(eq=False)
class QuestionBlock(RequestBlock):
    """A question set with what became of it."""

    request: QuestionRequest


@dataclass(eq=False)
class PlanBlock(RequestBlock):
    """A plan that was proposed."""

    request: PlanRequest
    document: Document

    @property
    def body(self) -> Body:
        """What is shown under the head."""
        return self.document


@dataclass(eq=False)
class NoticeBlock(Block):
    """Something the CLI or the program said; ``level`` is "info", "warning", "error" or a word of its own."""

    level: str
    text: str


@dataclass(eq=False)
class ErrorBlock(Block):
    """Something went wrong.

    Attributes:
        kind: Which of `ccq_tui.agent.problems` it is, or the CLI's word for it.
        text: What more there is to say about it, or "".
        offer: Which key does something about it now, or "".
        times: How often it happened, with nothing else in between.
    """

    kind: str
    text: str
    offer: str = ""
    times: int = 1


@dataclass(eq=False)
class RetryBlock(Block):
    """A request to the model is made again.

    Attributes:
        until: When that is, in seconds of the model's clock.
        left: Seconds until then.
        over: Whether an answer came.
    """

    event: Retrying
    until: float = 0.0
    left: int = 0
    over: bool = False


@dataclass(eq=False)
class RuleBlock(Block):
    """A line across: what is above it is no longer part of the conversation."""

    text: str


@dataclass(eq=False)
class ResultBlock(Block):
    """How a turn ended."""

    event: TurnEnded

"""What every block of a transcript has."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from ccq_tui.inbox import RequestOutcome
from ccq_tui.inbox.actors import Actor
from ccq_tui.widgets.transcript.checklist import Checklist
from ccq_tui.widgets.transcript.diff import Diff
from ccq_tui.widgets.transcript.document import Document
from ccq_tui.widgets.transcript.excerpt import Excerpt
from ccq_tui.widgets.transcript.plaintext import PlainText

Body = Document | PlainText | Excerpt | Diff | Checklist
"""What a block holds beside its head: text in parts."""

FOLD_LINES = 20
"""Lines of a prompt that are shown while it is folded."""


@dataclass(eq=False)
class Block:
    """One thing that happened.

    Attributes:
        at: Its place in the transcript, kept by the model.
        depth: How many Agent calls it is nested in.
        version: Changes whenever the head would be drawn differently.
        folded: Whether only the short form is shown, where there is a longer one.
    """

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
        return None

    @property
    def foldable(self) -> bool:
        """Whether there is a longer form."""
        return False


@dataclass(eq=False)
class RequestBlock(Block):
    """Something that waits, or waited, for a person.

    Attributes:
        outcome: How the waiting ended, or None while it goes on.
        settled: When that was, or None if it is not known.
        actor: Who answered, or None if that is not known.
    """

    outcome: RequestOutcome | None = field(default=None, init=False)
    settled: datetime | None = field(default=None, init=False)
    actor: Actor | None = field(default=None, init=False)

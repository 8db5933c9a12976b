"""What each kind of request says and does."""

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from ccq_tui.answering.document import Passage
from ccq_tui.answering.record import Record, RecordShape
from ccq_tui.inbox.layout import QUOTED
from ccq_tui.inbox.requests import Reply, RequestOutcome
from ccq_tui.questions.model import Asked
from ccq_tui.text import one_line


class RequestKind(Protocol):
    """A kind of request; its functions take requests of its own type alone.

    Attributes:
        WORD: The kind, in the database and in JSON.
        NOUN: The noun for counting its requests.
        TYPE: The type of its requests.
        SAME: The attributes that are equal where two requests ask the same.
        OUTLIVES: Whether a request can be answered after the process that asked has ended.
        EXPIRES: Whether a request may end because nobody answered in time.
        CALLED: What a sentence calls a request.
        RECORD: The shape of its own fields in JSON.
        ENDS: The outcomes that settle a request; any request can be cancelled besides.
    """

    WORD: str
    NOUN: str
    TYPE: type[Any]
    SAME: tuple[str, ...]
    OUTLIVES: bool = False
    EXPIRES: bool = False
    CALLED: str
    RECORD: type[RecordShape]
    ENDS: tuple[type[RequestOutcome], ...]

    def same(self, one: Any, other: Any, /) -> bool:
        """Whether two requests ask the same."""
        return all(getattr(one, name) == getattr(other, name) for name in self.SAME)

    def check(self, request: Any, outcome: Any, /) -> None:
        """Refuse an outcome of `ENDS` that a request does not take, as `InvalidOutcome`."""

    def asked(self, request: Any, /) -> Asked:
        """Return a request as a person is asked it."""

    def title(self, _request: Any, /) -> str:
        """Name the kind for a list."""
        return self.WORD

    def summary(self, request: Any, /) -> str:
        """Summarize a request in one line."""

    def news(self, request: Any, /) -> str:
        """Announce a request in a sentence, for a person who is looking elsewhere."""

    def topics(self, request: Any, /) -> tuple[str, ...]:
        """Name the topics of a request, for counting requests about the same topic."""
        return (one_line(self.summary(request), QUOTED),)

    def document(self, request: Any, outcome: RequestOutcome | None, /) -> Iterator[Passage]:
        """Return the whole request, with its answers."""

    def record(self, request: Any, /) -> Record:
        """Return the fields of `RECORD`."""

    def deliver(self, request: Any, outcome: Any, source: Mapping[str, Any], /) -> Reply:
        """Return the reply for an outcome of `ENDS`; ``source`` is the input of the call."""

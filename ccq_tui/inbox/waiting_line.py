"""The line of requests that wait on one screen, each with the draft a person left in it."""

from collections import Counter
from dataclasses import dataclass

from ccq_tui.config.keymap import key_of
from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.open_request import OpenRequest
from ccq_tui.inbox.requests import QuestionRequest, Request
from ccq_tui.text import one_line
from ccq_tui.words import plural

HELD_UP_SECONDS = 0.5
"""Seconds that a whole set may take to be asked before the requests behind it go first."""


@dataclass(frozen=True, slots=True)
class WaitingLine:
    """Requests in the order in which they came; the first is the one shown."""

    items: tuple[OpenRequest, ...] = ()

    @property
    def head(self) -> OpenRequest | None:
        """The request to show, or None."""
        return self.items[0] if self.items else None

    @property
    def asked(self) -> "WaitingLine":
        """The line without arriving sets."""
        return WaitingLine(tuple(item for item in self.items if item.arriving is None))

    @property
    def asked_first(self) -> "WaitingLine":
        """The line with arriving sets behind everything else."""
        arriving = tuple(item for item in self.items if item.arriving is not None)
        return WaitingLine((*self.asked.items, *arriving))

    @property
    def held_up(self) -> bool:
        """Whether all of the first set is here, but it is not asked, and another request waits behind it."""
        arriving = self.head.arriving if self.head is not None else None
        return arriving is not None and arriving.whole and bool(self.asked.items)

    def words(self, countdown: str, *, opens: bool) -> str:
        """Return the text beside the prompt: the waiting requests, and the key that shows them."""
        if not self.items:
            return countdown
        later = "opens when you pause typing" if opens else ""
        parts = (
            (countdown, self.summary()) if countdown else (self.summary(), self._topics, self._draft, later)
        )
        return " · ".join(part for part in (*parts, f"{key_of('panel')} opens") if part)

    def summary(self) -> str:
        """Count the waiting requests."""
        counts: Counter[str] = Counter()
        for item in self.asked.items:
            counts[kind_of(item.request).NOUN] += count_of(item.request)
        waiting = " and ".join(plural(count, noun) for noun, count in sorted(counts.items(), reverse=True))
        arriving = sum(count_of(item.request) for item in self.items if item.arriving is not None)
        parts = (
            f"{waiting} waiting" if waiting else "",
            f"{plural(arriving, 'question')} arriving" if arriving else "",
        )
        return " · ".join(part for part in parts if part)

    @property
    def _topics(self) -> str:
        topics = (topic for item in self.items for topic in kind_of(item.request).topics(item.request))
        # Most characters of the topics of all that waits.
        return one_line(", ".join(dict.fromkeys(topics)), 80)

    @property
    def _draft(self) -> str:
        """The progress of what nobody has confirmed."""
        drafts = [one for item in self.items if (one := item.draft) and not one.page.question.acts]
        answered, of = sum(one.answered_count for one in drafts), sum(len(one.asked_tabs) for one in drafts)
        return f"draft {answered}/{of}, nothing sent" if answered else ""


def count_of(request: Request) -> int:
    """Return the number of its questions or decisions; a form is one."""
    return len(request.questions.questions) if isinstance(request, QuestionRequest) else 1

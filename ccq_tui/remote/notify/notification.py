"""What a notification says of the requests that wait, and what became of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.requests import QuestionRequest, Request
from ccq_tui.inbox.store.rows import StoredRequest, StoredSession
from ccq_tui.text import one_line
from ccq_tui.words import listed, waiting

MOST_NAME, MOST_TOPIC, MOST_TEXT = 40, 60, 600
MOST_NAMED = 5
"""Most requests that a summary names."""

Stored = tuple[StoredRequest, StoredSession | None]


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of a notification in one channel.

    Attributes:
        channel: The channel, without its secrets.
        problem: Why it failed, for a person, without secrets, or "".
        sent: How many addressees it was sent to; 0 without a problem if there is none.
    """

    channel: str
    problem: str = ""
    sent: int = 0


@dataclass(frozen=True, slots=True)
class Notification:
    """A notification.

    Attributes:
        title: Who asks, and what.
        text: The rest.
        page: The URL of the page that answers, with a slash at its end, or "".
        topic: What it is about, as Web Push names it, or "".
    """

    title: str
    text: str
    page: str = ""
    topic: str = ""


def notification_of(found: Sequence[Stored], *, with_text: bool, with_topic: bool) -> Notification:
    """Return the notification of one request, or the summary of several.

    Args:
        found: The requests, at least one.
        with_text: Whether it has the text of what is asked.
        with_topic: Whether it has the header of a question, or the tool of a permission.
    """
    titles = [_title(*one, with_topic=with_topic) for one in found]
    if len(found) > 1:
        return Notification(waiting(len(found), "request"), listed(titles, MOST_NAMED))
    request = found[0][0].request
    kind = kind_of(request)
    count = len(request.questions.questions) if isinstance(request, QuestionRequest) else 1
    text = one_line(kind.summary(request), MOST_TEXT) if with_text else ""
    return Notification(titles[0], text or waiting(count, kind.NOUN))


def _title(stored: StoredRequest, session: StoredSession | None, *, with_topic: bool) -> str:
    """Return the session, and what it asks."""
    request, origin = stored.request, stored.request.origin
    directory = session.directory if session else origin.directory
    name = (session.name if session else "") or PurePath(directory).name or origin.called
    what = (with_topic and _topic(request)) or kind_of(request).title(request)
    return f"{one_line(name, MOST_NAME)} · {one_line(what, MOST_TOPIC)}"


def _topic(request: Request) -> str:
    """Return the headers of questions, which may have none, or another kind with its topics."""
    if isinstance(request, QuestionRequest):
        # Not the kind's topics: those of a question without a header are its text.
        return ", ".join(one.header for one in request.questions.questions if one.header)
    kind = kind_of(request)
    return ": ".join(dict.fromkeys((kind.title(request), *kind.topics(request))))

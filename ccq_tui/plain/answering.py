"""Answers any request line by line, and walks through all that wait."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ccq_tui.inbox.actors import Actor
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.open_request import OpenRequest
from ccq_tui.inbox.requests import AnsweredRequest, Request
from ccq_tui.inbox.store.rows import StoredRequest
from ccq_tui.inbox.store.store import Store
from ccq_tui.plain.decision import decide
from ccq_tui.plain.dialog import End
from ccq_tui.plain.form import fill_in
from ccq_tui.plain.lines import Lines
from ccq_tui.plain.tables import as_sentences
from ccq_tui.words import SHORT, waiting

LEAVE = "Leave it for later? The draft is kept."
NEXT = "Continue with the next request? The draft is kept."


async def answer(opened: OpenRequest, lines: Lines, actor: Actor, leave: str = LEAVE) -> End:
    """Print a request, and see it answered or decided with one line after the other.

    Args:
        opened: The request; its draft is typed on, and settled with the answer.
        lines: Where it is shown and answered.
        actor: Who answers.
        leave: The question whether to leave it.

    Raises:
        InboxError: The answer could not be kept.
    """
    lines.ring()
    if isinstance(opened.request, AnsweredRequest):
        return await fill_in(opened, lines, actor, leave)
    return await decide(opened, lines, actor, leave)


async def walk(inbox: Inbox, lines: Lines, actor: Actor, delivered: Callable[[Request, Store], str]) -> None:
    """Go through the requests that wait, oldest first, and answer them; new ones come last.

    Args:
        inbox: The inbox.
        lines: Where they are shown and answered.
        actor: Who answers.
        delivered: Says how an agent gets an answer.

    Raises:
        InboxError: The inbox cannot be read, or an answer not be kept.
    """
    seen: set[str] = set()
    while True:
        found = await inbox.run(lambda store: store.requests.waiting())
        left = [one for one in found if one.request.id not in seen]
        if not left:
            break
        seen.add(left[0].request.id)
        opened = await inbox.open(left[0].request.id)
        if opened is None or not opened.is_pending:
            continue
        place, name = len(seen), await inbox.run(partial(_asker, opened.request))
        lines.say(f"request {place} of {place - 1 + len(left)}", _head(opened.stored, name))
        end = await answer(opened, lines, actor, NEXT)
        if end is End.PARKED:
            break
        if end is End.HERE:
            lines.note(await inbox.run(partial(delivered, opened.request)))
    still = len(await inbox.run(lambda store: store.requests.waiting()))
    lines.note(f"{waiting(still, 'request')}." if still else "Nothing waits now.")


def _asker(request: Request, store: Store) -> str:
    """Name who asks."""
    if request.origin.is_foreign:
        return request.origin.called
    known = store.sessions.get(request.session_id)
    return f"session {(known.name if known else '') or request.session_id[:SHORT]}"


def _head(stored: StoredRequest, asker: str) -> str:
    said, called = stored.context.strip(), stored.request.origin.called
    before = f"\n{called} wrote before: {as_sentences(said)}" if said else ""
    return f"{kind_of(stored.request).title(stored.request)} from {asker}{before}"

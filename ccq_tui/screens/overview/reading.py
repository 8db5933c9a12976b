"""Cards of stored sessions; called in the store's thread."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from ccq_tui.inbox.standing import group_of
from ccq_tui.inbox.store import Store, StoredSession, StoredStanding
from ccq_tui.processes import alive, this_process
from ccq_tui.screens.inbox.listing import Place
from ccq_tui.screens.overview.cards import Card, harmless
from ccq_tui.worktrees.model import can_be_there

PAGE = 100
SHORT_ID = 8


def read_page(
    store: Store, after: StoredSession | None, recorded: Collection[str] | None = None
) -> tuple[list[Card], StoredSession | None]:
    """Return a page of the stored sessions, the one that changed last first.

    Args:
        store: The store.
        after: The last session of the page before, or None.
        recorded: The sessions that Claude Code keeps, or None where that is not known.

    Returns:
        The cards, and what the next page comes after; None after the last one.

    Raises:
        InboxUnavailable: The disk cannot be read.
    """
    found = store.standings(after, PAGE)
    return [_card(one, recorded) for one in found], found[-1].session if len(found) == PAGE else None


def read_cards(
    store: Store, session_ids: tuple[str, ...], recorded: Collection[str] | None = None
) -> list[Card]:
    """Return the cards of some sessions; those that are not stored are left out.

    Args:
        store: The store.
        session_ids: The sessions.
        recorded: The sessions that Claude Code keeps, or None where that is not known.

    Raises:
        InboxUnavailable: The disk cannot be read.
    """
    return [_card(one, recorded) for name in session_ids if (one := store.standing(name)) is not None]


def _card(one: StoredStanding, recorded: Collection[str] | None) -> Card:
    session, runs = one.session, alive(one.session.owner)
    directory = session.directory
    if runs and session.owner != this_process():
        place = Place.OTHER
    elif recorded is not None and session.id not in recorded:
        place = Place.GONE
    else:
        place = Place.RESTS if directory and can_be_there(Path(directory)) else Place.GONE
    return harmless(
        Card(
            key=session.id,
            session_id=session.id,
            session=session.name or Path(directory).name or session.id[:SHORT_ID],
            group=group_of(session.state, one.waiting, runs=runs, done=session.done),
            place=place,
            state=str(session.state),
            since=one.since.timestamp(),
            waiting=one.waiting,
            undelivered=0 if runs else one.undelivered,
            cost=session.cost,
            last_line=session.last_line,
            directory=directory,
            done=session.done,
        )
    )

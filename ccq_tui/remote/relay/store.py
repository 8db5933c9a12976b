"""Where the relay keeps everything: entries that change one at a time, and the events of each pairing."""

import asyncio
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple, Protocol

from ccq_tui.remote.relay.records import Record, Rule

EVENTS_KEPT = 1_000
"""Events of a pairing that are kept for clients which were away."""


class StoreError(Exception):
    """The store cannot be used; the message says why, for a person."""


class Entry(NamedTuple):
    """A kept text.

    Attributes:
        seq: The number of its last change within its group.
        text: The text.
    """

    seq: int
    text: str


class Swap(NamedTuple):
    """A change of an entry.

    Attributes:
        group: The entry's group.
        key: Its key.
        old: The entry as it was read, or None if there was none.
        new: The new text, or None to drop it.
        expires: When it expires, in seconds since 1970.
        event: What listeners get, or None for nothing.
    """

    group: str
    key: str
    old: Entry | None
    new: str | None
    expires: float | None = None
    event: str | None = None


class News:
    """Wakes who waits for a change in a group."""

    def __init__(self) -> None:
        self._listeners: set[tuple[str, asyncio.Event]] = set()
        self.is_closing = False

    @contextmanager
    def listening(self, group: str) -> Iterator[asyncio.Event]:
        """Give an event that is set by every change in a group."""
        listener = (group, asyncio.Event())
        self._listeners.add(listener)
        try:
            yield listener[1]
        finally:
            self._listeners.discard(listener)

    def wake(self, group: str | None) -> None:
        """Report a change in a group; None if anything may have changed."""
        for of, event in self._listeners:
            if group in (None, of):
                event.set()

    def close(self) -> None:
        """End all waits."""
        self.is_closing = True
        self.wake(None)


class RelayStore(Protocol):
    """Entries in groups; what has expired is not there."""

    news: News

    async def get(self, group: str, key: str) -> Entry | None:
        """Return an entry."""

    async def entries(self, group: str) -> Mapping[str, Entry]:
        """Return the entries of a group by their keys."""

    async def count(self, group: str) -> int:
        """Return how many entries a group has."""

    async def swap(self, change: Swap) -> bool:
        """Change an entry unless it has changed since it was read; return whether it was."""

    async def events(self, group: str, after: int) -> list[Entry]:
        """Return the events of a group after a number, oldest first."""

    async def newest(self, group: str) -> int:
        """Return the number of the last change in a group."""

    async def close(self) -> None:
        """Close it."""


def records_of(pairing: str) -> str:
    """Return the group of a pairing's records."""
    return f"records/{pairing}"


async def records_in(store: RelayStore, pairing: str) -> list[tuple[int, Record]]:
    """Return a pairing's records with the numbers of their last changes, oldest first."""
    entries = await store.entries(records_of(pairing))
    found = [(entry.seq, Record.model_validate_json(entry.text)) for entry in entries.values()]
    return sorted(found, key=lambda one: (one[1].posted, one[1].id))


async def change_record(store: RelayStore, pairing: str, id_: str, rule: Rule) -> None:
    """Change a record by a rule; whoever comes second gets the rule's word on the first one's change.

    Args:
        store: The store.
        pairing: The pairing.
        id_: The record's id.
        rule: Says what is to become of the record; raises `ProblemError`.
    """
    group, text = records_of(pairing), None
    for _ in range(1_000):
        old = await store.get(group, id_)
        if old and old.text == text:
            return  # the store took it, and its reply was lost
        change = rule(Record.model_validate_json(old.text) if old else None)
        if change.event is None:
            return
        new = change.record
        text, ends = (new.model_dump_json(), new.dropped_at) if new else (None, None)
        event = json.dumps({"name": change.event, "id": id_})
        if await store.swap(Swap(group, id_, old, text, ends, event)):
            return
    raise StoreError("the record changes all the time; try again")

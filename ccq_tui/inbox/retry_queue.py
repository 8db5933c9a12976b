"""Writes that are still owed: the newest drafts, and changes that the disk refused."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import replace

from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.draft_fields import (
    DraftField,
    DraftFields,
    changed,
    fields_of,
    open_field,
    texts_of,
    untouched,
    with_fields,
)
from ccq_tui.inbox.held import write_fact
from ccq_tui.inbox.port import DraftUpdated, SessionFact
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.verdicts import InboxError, InvalidOutcome
from ccq_tui.inbox.waiting_line import Draft

_logger = logging.getLogger(__name__)

RETRY_SECONDS = 1.0
"""Seconds to leave the disk alone after it refused something."""
MOST_HEARD = 4
"""Most changes of one draft by other processes that a surface of this one may still take over."""
MOST_OWED = 10_000
"""Most refused changes to try again; beyond that the oldest are given up, and logged."""


class SeenDraft:
    """The draft of one surface of this process, and the changes of others that it may still take over."""

    def __init__(self, own: Draft, heard: Iterable[DraftFields]) -> None:
        self.own = own
        self.heard = deque((dict(fields) for fields in heard), maxlen=MOST_HEARD)
        for name, value in fields_of(own).items():
            if any(fields.get(name) == value for fields in self.heard):
                self._takes_over(name, value)

    def take(self, draft: Draft) -> tuple[frozenset[DraftField], frozenset[DraftField]]:
        """Take the surface's current draft.

        Returns the changed fields, and those of them that do not hold what another surface wrote.
        """
        fields, new = fields_of(draft), changed(draft, self.own)
        self.own = draft
        return new, frozenset(name for name in new if not self._takes_over(name, fields[name]))

    def hear(self, fields: DraftFields) -> None:
        """Record a change by another process, without the values that the surface has already."""
        own = fields_of(self.own)
        awaited = {name for one in self.heard for name in one}
        self.heard.append(
            {name: value for name, value in fields.items() if name in awaited or own.get(name) != value}
        )

    @property
    def misses(self) -> bool:
        """Whether the surface does not show a change by another process that it could show."""
        own, newest = fields_of(self.own), dict[DraftField, object]()
        for fields in self.heard:
            newest |= fields
        return any(value != own.get(name) for name, value in newest.items() if name != open_field(self.own))

    def _takes_over(self, name: DraftField, value: object) -> bool:
        """Return whether a field has a value that another process wrote; drop that value and older ones."""
        for fields in tuple(self.heard):
            other = fields.pop(name, None)
            if other is not None and other == value:
                return True
        return False


class KnownDraft:
    """One draft on the surfaces of this process, and the changes to it by other processes."""

    def __init__(self, draft: Draft) -> None:
        self.newest = draft
        """The newest draft that a surface had, or opened with."""
        self._base = untouched(draft)
        self._seen = {Surface.PANEL: SeenDraft(self._base, ())}
        self._heard: deque[DraftFields] = deque(maxlen=MOST_HEARD)
        self._touched: frozenset[DraftField] = frozenset()
        self._writing: frozenset[DraftField] = frozenset()
        self._typed: dict[DraftField, str] = {}
        self.missed = False
        """Whether the surface whose draft was taken last does not show a change by another process."""
        self.changed_by: Actor | None = None
        """The last actor of another process to change it."""

    def take(self, draft: Draft, surface: Surface) -> bool:
        """Take the draft of a surface; return whether it must be written."""
        seen = self._seen.get(surface)
        if seen is None:
            seen = self._seen[surface] = SeenDraft(self._base, self._heard)
        texts, before = texts_of(draft), texts_of(seen.own)
        new, touched = seen.take(draft)
        self._typed |= {
            name: texts[name] for name in texts.keys() & touched if before.get(name) != texts[name]
        }
        self.missed = seen.misses
        if (fields := fields_of(draft)).keys() == fields_of(self.newest).keys():
            # In fields that nobody typed in here, another surface may be ahead of this one.
            newer = touched | (new - self._touched - self._writing)
            draft = with_fields(draft, self.newest, fields.keys() - newer)
        self._touched |= touched
        self.newest = self._base = draft
        return bool(touched) or not new

    def open(self, draft: Draft) -> None:
        """Record the draft from the disk with which a surface opens."""
        self.newest = self._base = draft
        first = texts_of(untouched(draft))
        self._typed |= {name: text for name, text in texts_of(draft).items() if text != first[name]}
        self._seen = {Surface.PANEL: SeenDraft(draft, ())}
        self._heard.clear()

    def show(self, draft: Draft, surface: Surface) -> None:
        """Record the draft that a surface shows but did not type; its changes from now on are its own."""
        self._seen[surface] = SeenDraft(draft, self._heard)

    def hear(self, change: DraftUpdated) -> DraftUpdated:
        """Record a change by another process; return it with the values of the draft known here."""
        pending, fields = self._touched | self._writing, fields_of(change.draft)
        drafts = [fields_of(one) for one in (self._base, *(seen.own for seen in self._seen.values()))]
        before = [*drafts, *self._heard]
        known = {
            name: tuple(each[name] for each in before if name in each)
            for name in fields
            if name not in pending
        }
        if not pending:
            self.newest = change.draft
        self._heard.append(fields)
        self.changed_by = change.actor
        for seen in self._seen.values():
            # Fields changed here meanwhile are newer: no surface takes over the other process's values.
            seen.hear({name: value for name, value in fields.items() if name not in pending})
        return replace(change, known=known, typed=dict(self._typed))

    def begin_writing(self) -> frozenset[DraftField]:
        """Return the fields that were changed here and are not on disk yet; call `end_writing` next."""
        self._writing, self._touched = self._touched, frozenset()
        return self._writing

    def end_writing(self, *, done: bool) -> None:
        """Record whether those fields are on disk now."""
        if not done:
            self._touched |= self._writing
        self._writing = frozenset()


class RetryQueue:
    """The queue of owed writes, filled in the event loop and written in the store's thread."""

    def __init__(self, failed: Callable[[InboxError], None]) -> None:
        self._failed = failed
        self._lock = threading.Lock()
        self._drafts: dict[str, Draft] = {}
        self._actors: dict[str, Actor] = {}
        """The actors whose drafts are not on disk yet."""
        self._known: dict[str, KnownDraft] = {}
        self._shared: dict[str, Actor | None] = {}
        """Drafts in which a surface here does not show another process's text, with that text's actor."""
        self._facts: dict[str, SessionFact] = {}
        """Facts about sessions that the disk refused, merged for each session."""
        self._refused: deque[Callable[[Store], object]] = deque()
        self._not_before = 0.0

    def draft(self, request_id: str, draft: Draft, actor: Actor) -> None:
        """Queue a draft in place of an older one."""
        with self._lock:
            known = self._known_of(request_id, draft)
            if known.take(draft, actor.surface) or request_id in self._drafts:
                self._drafts[request_id], self._actors[request_id] = known.newest, actor
            if known.missed:
                self._shared.setdefault(request_id, known.changed_by)

    def read(self, request_id: str, draft: Draft) -> None:
        """Record a draft from the disk: only its changed fields are written back."""
        with self._lock:
            self._known_of(request_id, draft).open(draft)

    def shown(self, request_id: str, draft: Draft, surface: Surface) -> None:
        """Record the draft that a surface got from another one of this process."""
        with self._lock:
            self._known_of(request_id, draft).show(draft, surface)

    def heard(self, change: DraftUpdated) -> DraftUpdated:
        """Record a change by another process; return it with the values of that draft known here.

        Call it in the store's thread, right after the change was read: later writes are newer.
        """
        with self._lock:
            return self._known_of(change.request.id, change.draft).hear(change)

    def _known_of(self, request_id: str, draft: Draft) -> KnownDraft:
        known = self._known.get(request_id)
        if known is None:
            known = self._known[request_id] = KnownDraft(draft)
        return known

    def shared(self) -> dict[str, Actor | None]:
        """Return, once, the drafts that got values from another surface, with their actors."""
        with self._lock:
            shared, self._shared = self._shared, {}
        return shared

    def forget(self, request_id: str) -> None:
        """Forget the drafts of a request that is settled."""
        with self._lock:
            self._known.pop(request_id, None)
            self._actors.pop(request_id, None)

    def unsaved(self, request_id: str) -> Draft | None:
        """Return a draft that is not on disk yet, or None."""
        with self._lock:
            return self._drafts.get(request_id)

    def refused(self, change: Callable[[Store], object]) -> None:
        """Queue a change that the disk refused, to try it again later."""
        with self._lock:
            self._refused.append(change)
            if len(self._refused) > MOST_OWED:
                self._refused.popleft()
                _logger.error("A change of the inbox is given up: the disk refused too many")

    def fact(self, session_id: str, fact: SessionFact) -> SessionFact:
        """Queue facts about a session until they are written; return all that are owed for it."""
        with self._lock:
            whole = self._facts.get(session_id, SessionFact()).and_then(fact)
            self._facts[session_id] = whole
        return whole

    def write_fact(self, store: Store, session_id: str, fact: SessionFact) -> SessionFact:
        """Write new facts about a session with those owed, and return them; in the store's thread.

        Raises `InboxUnavailable`.
        """
        whole = self.fact(session_id, fact)
        write_fact(store, session_id, whole)
        with self._lock:
            del self._facts[session_id]
        return whole

    def newest(self, request_id: str) -> Draft | None:
        """Return the newest draft of a request that was read or written here, or None."""
        with self._lock:
            known = self._known.get(request_id)
            return known.newest if known is not None else None

    @property
    def anything(self) -> bool:
        """Whether something is not on disk yet."""
        return bool(self._refused or self._facts or self._drafts)

    def write(self, store: Store) -> None:
        """Write what is owed, in the store's thread; what fails stays owed."""
        if time.monotonic() < self._not_before:
            return
        try:
            self._write_refused(store)
            for session_id in tuple(self._facts):
                self.write_fact(store, session_id, SessionFact())
            self._write_drafts(store)
        except InboxError as error:
            self._not_before = time.monotonic() + RETRY_SECONDS
            self._failed(error)

    def _write_refused(self, store: Store) -> None:
        while self._refused:
            try:
                self._refused[0](store)
            except InboxError as error:
                if not isinstance(error, InvalidOutcome):
                    raise
                _logger.exception("An answer is given up")
            except Exception:  # one that can never be written must not block all others
                _logger.exception("A change of the inbox is given up")
            with self._lock:
                self._refused.popleft()

    def _write_drafts(self, store: Store) -> None:
        with self._lock:
            drafts, self._drafts = self._drafts, {}
            actors = {name: self._actors[name] for name in drafts if name in self._actors}
            known = {name: self._known[name] for name in drafts if name in self._known}
            touched = {name: one.begin_writing() for name, one in known.items()}
        done, shared = False, dict[str, Actor | None]()
        try:
            if drafts:
                shared = store.drafts.save_all(drafts, touched, actors)
            done = True
        finally:
            with self._lock:
                self._shared |= shared
                for one in known.values():
                    one.end_writing(done=done)
                if not done:
                    self._drafts = drafts | self._drafts

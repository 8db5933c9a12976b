"""Drafts of requests, saved while a person types.

The code that encodes drafts needs the question flow, so it is loaded at the first draft: a program that lists
requests has none.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ccq_tui.inbox.actors import Actor
from ccq_tui.inbox.requests import Request
from ccq_tui.inbox.store.database import Database, request_key
from ccq_tui.inbox.store.encoding import actor_from_json, actor_to_json

if TYPE_CHECKING:
    from ccq_tui.inbox.draft_fields import DraftField
    from ccq_tui.inbox.waiting_line import Draft


@dataclass(frozen=True, slots=True)
class StoredDraft:
    """A draft as it is on disk.

    Attributes:
        serial: Its place in the order of saving.
        request_id: Its request.
        actor: Who wrote it last, or None.
    """

    serial: int
    request_id: str
    actor: Actor | None


class DraftTable:
    """The table of drafts."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def save_all(
        self,
        drafts: Mapping[str, Draft],
        touched: Mapping[str, Collection[DraftField]] | None = None,
        actors: Mapping[str, Actor] | None = None,
    ) -> dict[str, Actor | None]:
        """Save the newest drafts, by the ids of their requests; ignore drafts of unknown requests.

        A draft is saved even if its request was settled meanwhile: typed text is never lost. Fields that
        another surface wrote and this one did not touch stay.

        Returns the requests whose drafts now hold values of another surface, with their last writer.
        Raises `InboxUnavailable`.
        """
        from ccq_tui.inbox.draft_fields import changed
        from ccq_tui.inbox.store.drafts import draft_to_json, merged

        shared = {}
        with self._database.writing() as at:
            serial = self.last()
            for request_id, draft in drafts.items():
                key, serial = request_key(request_id), serial + 1
                stored = self._database.rows("SELECT body, actor FROM drafts WHERE request_id = ?", (key,))
                body = own = draft_to_json(draft)
                if stored:
                    fields = (touched or {}).get(request_id)
                    body = merged(stored[0]["body"], draft, changed(draft) if fields is None else fields)
                    if body != own:
                        shared[request_id] = actor_from_json(stored[0]["actor"])
                self._database.do(
                    "INSERT INTO drafts (request_id, body, saved_at, actor, serial)"
                    " SELECT id, ?, ?, ?, ? FROM requests WHERE id = ?"
                    " ON CONFLICT (request_id) DO UPDATE SET body = excluded.body,"
                    " saved_at = excluded.saved_at, actor = excluded.actor, serial = excluded.serial",
                    (body, at, actor_to_json((actors or {}).get(request_id)), serial, key),
                )
        return shared

    def save(self, request_id: str, draft: Draft, before: Draft | None = None) -> None:
        """Save a request's newest draft, as `save_all` does; raises `InboxUnavailable`."""
        from ccq_tui.inbox.draft_fields import changed

        self.save_all({request_id: draft}, {request_id: changed(draft, before)})

    def load(self, request: Request) -> Draft | None:
        """Return the state in which a request opens with its draft, or None when none is kept."""
        query = "SELECT body FROM drafts WHERE request_id = ?"
        rows = self._database.rows(query, (request_key(request.id),))
        if not rows:
            return None
        from ccq_tui.inbox.store.drafts import with_draft

        return with_draft(request, rows[0]["body"])

    def after(self, serial: int) -> list[StoredDraft]:
        """Return the drafts saved after the one with ``serial``, in the order of saving."""
        query = "SELECT serial, request_id, actor FROM drafts WHERE serial > ? ORDER BY serial"
        return [
            StoredDraft(row[0], row[1], actor_from_json(row[2]))
            for row in self._database.rows(query, (serial,))
        ]

    def last(self) -> int:
        """Return the serial of the draft that was saved last; 0 if there is none."""
        return int(self._database.rows("SELECT coalesce(max(serial), 0) FROM drafts")[0][0])

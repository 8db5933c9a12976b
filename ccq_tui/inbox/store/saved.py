"""Drafts of requests, as they are typed.

What reads and writes them knows how questions are answered, and is loaded at the first draft: a program that
lists what waits has none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ccq_tui.inbox.requests import Request
from ccq_tui.inbox.store.base import Connected, request_key

if TYPE_CHECKING:
    from ccq_tui.inbox.waiting import Draft


class Drafts(Connected):
    """Reads and writes drafts."""

    def save_drafts(
        self, drafts: Mapping[str, Draft], bases: Mapping[str, Sequence[Draft]] | None = None
    ) -> None:
        """Keep the newest drafts, by the ids of their requests; one for no known request is passed over.

        A draft is kept although its request was settled meanwhile: what was typed is never lost. Of a
        draft that another surface wrote, what this one did not touch stays.

        Args:
            drafts: The drafts.
            bases: The drafts that the surface had before: what is as in one of them it did not touch.

        Raises:
            InboxUnavailable: None of them was kept.
        """
        from ccq_tui.inbox.store.drafts import draft_to_json, merged

        with self._writing() as at:
            for request_id, draft in drafts.items():
                key = request_key(request_id)
                stored = self._rows("SELECT body FROM drafts WHERE request_id = ?", (key,))
                base = (bases or {}).get(request_id, ())
                body = merged(stored[0]["body"], draft, base) if stored else draft_to_json(draft)
                self._do(
                    "INSERT INTO drafts (request_id, body, saved_at)"
                    " SELECT id, ?, ? FROM requests WHERE id = ?"
                    " ON CONFLICT (request_id) DO UPDATE"
                    " SET body = excluded.body, saved_at = excluded.saved_at",
                    (body, at, key),
                )

    def save_draft(self, request_id: str, draft: Draft, before: Draft | None = None) -> None:
        """Keep a request's newest draft; as `save_drafts`.

        Args:
            request_id: The request.
            draft: The draft.
            before: The draft that the surface had before.

        Raises:
            InboxUnavailable: It was not kept.
        """
        self.save_drafts({request_id: draft}, {request_id: (before,)} if before is not None else None)

    def load_draft(self, request: Request) -> Draft | None:
        """Return the state in which a request opens with its draft, or None when none is kept."""
        query = "SELECT body FROM drafts WHERE request_id = ?"
        rows = self._rows(query, (request_key(request.id),))
        if not rows:
            return None
        from ccq_tui.inbox.store.drafts import with_draft

        return with_draft(request, rows[0]["body"])

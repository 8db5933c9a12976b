"""Prompts that Claude has not read yet, kept beyond the end of the program."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from functools import reduce

from ccq_tui.inbox.store.database import Table, name_key
from ccq_tui.inbox.store.encoding import prompts_from_json, prompts_to_json
from ccq_tui.inbox.verdicts import InboxUnavailable
from ccq_tui.processes import Owner, alive, this_process
from ccq_tui.prompts.unread import PromptDraft, joined

MOST_CHARACTERS = 4_000_000
"""Most characters of a draft that is kept, as it is written."""
MOST_KEPT = 200
"""Most drafts kept; beyond that, the oldest are deleted."""


class PromptTable(Table):
    """The table of prompts, each kept for a session or a directory.

    Several keepers, in one process or in several, may keep something for the same session or directory. What
    a keeper has is its own until it releases it, or its process ends.
    """

    def save(self, keeper: str, kept_for: str, draft: PromptDraft) -> None:
        """Keep a draft in the place of all that this keeper has; an empty one leaves nothing.

        Raises `InboxUnavailable`; then what was kept before stays.
        """
        with self._database.writing() as at:
            self._database.do("DELETE FROM prompts WHERE keeper = ?", (keeper,))
            self._insert(at, kept_for, draft, keeper)

    def take(self, keeper: str, *kept_for: str) -> PromptDraft | None:
        """Take over the free drafts of the first of some sessions or directories that has any, as one.

        Raises `InboxUnavailable`.
        """
        with self._database.writing():
            # What this keeper wrote itself is in its field already.
            found = next(filter(None, (self._free(one, "") for one in kept_for)), ())
            for number, _ in found:
                self._own(number, keeper)
        return reduce(joined, (draft for _, draft in found)) if found else None

    def leave(self, kept_for: str, draft: PromptDraft, keeper: str = "") -> None:
        """Add a draft to what this keeper has, or else to a free one, and release it.

        Raises `InboxUnavailable`.
        """
        with self._database.writing() as at:
            for number, before in self._free(kept_for, keeper)[:1]:
                draft = joined(before, draft)
                self._database.do("DELETE FROM prompts WHERE number = ?", (number,))
            self._insert(at, kept_for, draft)

    def release(self, keeper: str) -> None:
        """Leave what a keeper has to the next one; raises `InboxUnavailable`."""
        with self._database.writing():
            released = "UPDATE prompts SET owner_pid = NULL WHERE keeper = ?"
            self._database.do(released, (keeper,))

    def _free(self, kept_for: str, keeper: str) -> Sequence[tuple[int, PromptDraft]]:
        """Return the drafts that no other keeper has, the keeper's own first."""
        query = "SELECT * FROM prompts WHERE kept_for = ? ORDER BY keeper = ? DESC, number"
        rows = self._database.rows(query, (name_key(kept_for), keeper))
        read = ((row["number"], prompts_from_json(row["body"])) for row in rows if not _is_taken(row, keeper))
        return [(number, draft) for number, draft in read if draft is not None]

    def _own(self, number: int, keeper: str) -> None:
        here = this_process()
        query = "UPDATE prompts SET keeper = ?, owner_pid = ?, owner_start = ? WHERE number = ?"
        self._database.do(query, (keeper, here.pid, here.start, number))

    def _insert(self, at: str, kept_for: str, draft: PromptDraft, keeper: str = "") -> None:
        if not draft:
            return
        body = prompts_to_json(draft)
        if len(body) > MOST_CHARACTERS:
            raise InboxUnavailable(f"a prompt takes more than {MOST_CHARACTERS:,} characters")
        pid, start = (this_process().pid, this_process().start) if keeper else (None, "")
        owner = {"keeper": keeper, "owner_pid": pid, "owner_start": start}
        row = {"kept_for": name_key(kept_for), "unbegun": "", "body": body}
        self._database.insert("prompts", row | owner | {"saved_at": at})
        newest = "SELECT number FROM prompts ORDER BY saved_at DESC LIMIT ?"
        self._database.do(f"DELETE FROM prompts WHERE number NOT IN ({newest})", (MOST_KEPT,))  # noqa: S608 - ours


def _is_taken(row: sqlite3.Row, keeper: str) -> bool:
    """Whether another keeper, of this process or another one, has a draft."""
    if row["owner_pid"] is None:
        return False
    owner = Owner(row["owner_pid"], row["owner_start"])
    return row["keeper"] != keeper if owner == this_process() else alive(owner)

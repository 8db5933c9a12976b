"""Prompts that Claude has not read yet, kept beyond the end of the program."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import replace

from ccq_tui.inbox.store.database import Table, name_key
from ccq_tui.inbox.store.encoding import prompts_from_json, prompts_to_json
from ccq_tui.inbox.verdicts import InboxUnavailable
from ccq_tui.processes import Owner, alive, this_process
from ccq_tui.prompts.unread import PromptDraft, Unbegun, joined

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

        The draft of a session that must come back as itself is kept for that session, whatever ``kept_for``
        says. Raises `InboxUnavailable`; then what was kept before stays.
        """
        with self._database.writing() as at:
            self._database.do("DELETE FROM prompts WHERE keeper = ?", (keeper,))
            self._insert(at, kept_for, draft, keeper)

    def take(self, keeper: str, *kept_for: str) -> PromptDraft | None:
        """Take over a draft of the first of some sessions or directories for which a free one is kept.

        Raises `InboxUnavailable`.
        """
        with self._database.writing():
            # What this keeper wrote itself is in its field already.
            for number, draft in (found for one in kept_for for found in self._free(one, "")):
                self._own(number, keeper)
                return draft
        return None

    def leave(self, kept_for: str, draft: PromptDraft, keeper: str = "") -> None:
        """Add a draft to what this keeper has, or else to a free one, and release it.

        Raises `InboxUnavailable`.
        """
        with self._database.writing() as at:
            for number, before in self._free(kept_for, keeper):
                draft = joined(before, draft)
                self._database.do("DELETE FROM prompts WHERE number = ?", (number,))
                break
            self._insert(at, kept_for, draft)

    def release(self, keeper: str) -> None:
        """Leave what a keeper has to the next one; raises `InboxUnavailable`."""
        with self._database.writing():
            released = "UPDATE prompts SET owner_pid = NULL WHERE keeper = ?"
            self._database.do(released, (keeper,))

    def take_unbegun(self, belongs: Callable[[Unbegun], bool]) -> tuple[Unbegun, ...]:
        """Take over, for this process, the sessions that had not begun when theirs ended, in their order.

        Only those that ``belongs`` accepts. Raises `InboxUnavailable`.
        """
        found = []
        with self._database.writing():
            for row in self._database.rows("SELECT * FROM prompts WHERE unbegun != ''"):
                draft = None if _is_taken(row, "") else prompts_from_json(row["body"])
                if draft is not None and draft.session is not None and belongs(draft.session):
                    self._own(row["number"], "")
                    found.append(replace(draft.session, id=row["unbegun"]))  # it may have another id by now
        return tuple(sorted(found, key=lambda one: one.opened_at))

    def get(self, kept_for: str) -> PromptDraft | None:
        """Return the draft for a session or directory, whoever has it; raises `InboxUnavailable`."""
        rows = self._database.rows("SELECT body FROM prompts WHERE kept_for = ?", (name_key(kept_for),))
        return prompts_from_json(rows[0]["body"]) if rows else None

    def rename(self, old: str, new: str) -> None:
        """Keep the draft of a session that has not begun for another id; raises `InboxUnavailable`."""
        with self._database.writing():
            renamed = "UPDATE prompts SET kept_for = ?, unbegun = ? WHERE kept_for = ? AND unbegun = ?"
            self._database.do(renamed, (name_key(new), name_key(new), name_key(old), name_key(old)))

    def remove(self, session_id: str) -> None:
        """Delete what is kept for a session; raises `InboxUnavailable`."""
        with self._database.writing():
            self._database.do("DELETE FROM prompts WHERE kept_for = ?", (name_key(session_id),))

    def _free(self, kept_for: str, keeper: str) -> Iterator[tuple[int, PromptDraft]]:
        """Return the drafts that no other keeper has; the draft of a session is no other's."""
        query = """SELECT * FROM prompts WHERE kept_for = ? AND unbegun IN ('', kept_for)
            ORDER BY keeper = ? DESC, number"""
        for row in self._database.rows(query, (name_key(kept_for), keeper)):
            draft = None if _is_taken(row, keeper) else prompts_from_json(row["body"])
            if draft is not None:
                yield row["number"], draft

    def _own(self, number: int, keeper: str) -> None:
        here = this_process()
        query = "UPDATE prompts SET keeper = ?, owner_pid = ?, owner_start = ? WHERE number = ?"
        self._database.do(query, (keeper, here.pid, here.start, number))

    def _insert(self, at: str, kept_for: str, draft: PromptDraft, keeper: str = "") -> None:
        if not draft:
            return
        body, session = prompts_to_json(draft), draft.session.id if draft.session else ""
        if len(body) > MOST_CHARACTERS:
            raise InboxUnavailable(f"a prompt takes more than {MOST_CHARACTERS:,} characters")
        pid, start = (this_process().pid, this_process().start) if keeper else (None, "")
        owner = {"keeper": keeper, "owner_pid": pid, "owner_start": start}
        row = {"kept_for": name_key(session or kept_for), "unbegun": name_key(session), "body": body}
        self._database.insert("prompts", row | owner | {"saved_at": at})
        newest = "SELECT number FROM prompts ORDER BY saved_at DESC LIMIT ?"
        self._database.do(f"DELETE FROM prompts WHERE number NOT IN ({newest})", (MOST_KEPT,))  # noqa: S608 - ours


def _is_taken(row: sqlite3.Row, keeper: str) -> bool:
    """Whether another keeper, of this process or another one, has a draft."""
    if row["owner_pid"] is None:
        return False
    owner = Owner(row["owner_pid"], row["owner_start"])
    return row["keeper"] not in ("", keeper) if owner == this_process() else alive(owner)

"""Who may still decide: what only the process that asked could take is withdrawn once that has ended."""

from __future__ import annotations

from ccq_tui.inbox.actors import WITHDRAWN
from ccq_tui.inbox.kinds import KINDS
from ccq_tui.inbox.requests import ENDS_WITH_ASKER, Cancelled
from ccq_tui.inbox.store.database import Database
from ccq_tui.inbox.store.encoding import actor_to_json, outcome_to_json
from ccq_tui.inbox.store.rows import TO_DELIVER, RequestState
from ccq_tui.processes import Owner, alive

PROCESS_GONE = "the process that asked has ended, and only it could have taken the decision"
_OURS = f"""
    SELECT r.id, r.session_id, s.owner_pid, s.owner_start
    FROM requests r JOIN sessions s ON s.id = r.session_id
    WHERE r.state = 'pending' AND r.asker = 'session'
    AND r.kind IN ({", ".join(f"'{kind.WORD}'" for kind in KINDS if not kind.OUTLIVES)})"""  # noqa: S608 - ours
_OTHERS = f"""
    SELECT r.id, r.session_id, json_extract(r.body, '$.origin.process.pid') AS pid,
        json_extract(r.body, '$.origin.process.start')
    FROM requests r
    WHERE r.state = 'pending' AND r.asker IN ({", ".join(f"'{asker}'" for asker in ENDS_WITH_ASKER)})
    AND json_valid(r.body) AND pid IS NOT NULL"""  # noqa: S608 - ours


class Orphans:
    """The withdrawal of requests that end with their asker's process, once that is known to be gone."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def withdraw_all(self) -> int:
        """Withdraw all orphans, and return their number; raises `InboxUnavailable`."""
        if not self.found():
            return 0
        with self._database.writing() as at:
            found = self.found()
            for key, session_id in found:
                self.withdraw(at, key, session_id)
        return len(found)

    def give_up(self, request_id: str, reason: str) -> bool:
        """Withdraw a decision that no process can take any more.

        Returns whether there was one to deliver. Raises `InboxUnavailable`.
        """
        marks = ", ".join("?" * len(TO_DELIVER))
        query = f"SELECT id, session_id, state FROM requests WHERE id = ? AND state IN ({marks})"  # noqa: S608 - ours
        with self._database.writing() as at:
            for key, session_id, was in self._database.rows(query, (request_id, *TO_DELIVER)):
                self._database.do("UPDATE requests SET state = 'cancelled' WHERE id = ?", (key,))
                self._database.do(
                    "UPDATE answers SET outcome = ?, actor = ? WHERE request_id = ?",
                    (outcome_to_json(Cancelled(reason)), actor_to_json(WITHDRAWN), key),
                )
                self._database.note(at, session_id, key, (was, RequestState.CANCELLED), reason, WITHDRAWN)
                return True
        return False

    def found(self, key: str = "") -> list[tuple[str, str]]:
        """Return the id and the session of each orphan, or of the one with ``key``."""
        only, values = (" AND r.id = ?", (key,)) if key else ("", ())
        rows = (row for query in (_OURS, _OTHERS) for row in self._database.rows(query + only, values))
        return [(id_, session_id) for id_, session_id, pid, start in rows if not _runs(pid, start)]

    def withdraw(self, at: str, key: str, session_id: str) -> None:
        """Withdraw one orphan, inside `writing`."""
        became = RequestState.CANCELLED
        self._database.do("UPDATE requests SET state = ?, deferred = 0 WHERE id = ?", (became, key))
        self._database.do(
            "INSERT INTO answers (request_id, outcome, actor, settled_at, way) VALUES (?, ?, ?, ?, '')",
            (key, outcome_to_json(Cancelled(PROCESS_GONE)), actor_to_json(WITHDRAWN), at),
        )
        self._database.note(at, session_id, key, (RequestState.PENDING, became), PROCESS_GONE, WITHDRAWN)


def _runs(pid: object, start: object) -> bool:
    """Whether a process runs; no process, or invalid values from another program, name none that does."""
    return isinstance(pid, int) and alive(Owner(pid, start if isinstance(start, str) else ""))

"""Requests: asked, settled by the first answer, delivered."""

import json
import logging
import sqlite3
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import chain, count

from ccq_tui.inbox.actors import WITHDRAWN, Actor
from ccq_tui.inbox.kinds import KINDS, check_outcome, kind_of
from ccq_tui.inbox.requests import ENDS_WITH_ASKER, Cancelled, Request, RequestOutcome
from ccq_tui.inbox.store.database import PAGE, Table, call_key, name_key, request_key
from ccq_tui.inbox.store.encoding import (
    actor_to_json,
    from_row,
    outcome_to_json,
    request_from_json,
    request_to_json,
    storable,
)
from ccq_tui.inbox.store.rows import (
    LISTED,
    OF_ANSWER,
    TO_DELIVER,
    RequestState,
    StoredRequest,
    moment,
    stamp,
    state_after,
)
from ccq_tui.inbox.store.schema import row_of
from ccq_tui.inbox.verdicts import Accepted, AlreadySettled, InboxUnavailable, Unknown, Verdict
from ccq_tui.processes import Owner, alive, this_process
from ccq_tui.text import one_line

_logger = logging.getLogger(__name__)

MOST_ANSWERED = 50

PROCESS_ENDED = "the process that asked has ended, and only it could have taken the decision"

_SELECT = f"""
    SELECT requests.*, {", ".join(f"answers.{name}" for name in OF_ANSWER)},
        EXISTS (SELECT 1 FROM drafts WHERE drafts.request_id = requests.id) AS has_draft,
        (SELECT coalesce(max(history.number), 0) FROM history WHERE history.request_id = requests.id
            AND was = 'cancelled' AND became = 'pending') AS asked_again
    FROM requests LEFT JOIN answers ON answers.request_id = requests.id
"""  # noqa: S608 - ours

_END_WITH_THEIR_PROCESS = f"""
    SELECT * FROM (
        SELECT r.id, s.owner_pid AS pid, s.owner_start AS start
        FROM requests r JOIN sessions s ON s.id = r.session_id
        WHERE r.state = 'pending' AND r.asker = 'session'
        AND r.kind IN ({", ".join(f"'{kind.WORD}'" for kind in KINDS if not kind.OUTLIVES)})
        UNION ALL
        SELECT r.id, json_extract(r.body, '$.origin.process.pid') AS pid,
            json_extract(r.body, '$.origin.process.start')
        FROM requests r
        WHERE r.state = 'pending' AND r.asker IN ({", ".join(f"'{asker}'" for asker in ENDS_WITH_ASKER)})
        AND json_valid(r.body) AND pid IS NOT NULL
    )"""  # noqa: S608 - ours
"""Pending requests that only their askers can take the outcome of, with the processes of these."""
_TO_DELIVER = f"""state IN ('{"', '".join(TO_DELIVER)}')"""
PENDING = (RequestState.PENDING,)
Move = tuple[Sequence[str], RequestState]
"""The states that a request may have, and the one it gets."""


class RequestTable(Table):
    """The table of requests and their outcomes.

    Attributes:
        unreadable: The numbers of pending requests that could not be read so far, and are left out of lists.
    """

    unreadable: frozenset[int] = frozenset()

    def add(self, request: Request, context: str = "") -> StoredRequest:
        """Write a request; when this returns, it is on disk.

        The same call of the same session, asked again, keeps its place, its draft and, if a person decided
        and the agent was not seen to know, its outcome. A cancelled one is pending again: the process that
        cancelled it asks again. Any other call with a known id is a request of its own, and nobody has
        answered it. So is the call of a copied session.

        Returns the stored request; its state says whether it is pending. Raises `InboxUnavailable`.
        """
        with self._database.writing() as at:
            self._add(at, request, context)
        return self._written(request_key(request.id))

    def claim(self, request: Request, taken: Collection[str] = ()) -> StoredRequest:
        """Write a request as `add` does, as the first of its calls that is not in use: CALL, CALL-2, ...

        A decision that one of them got, and nobody is left to take, comes first, as it was asked; then one
        with a draft.

        Args:
            request: The request, of this process.
            taken: The ids of the requests that this process waits for.

        Raises:
            InboxUnavailable: Nothing was written.
        """
        with self._database.writing() as at:
            claimed = self._unclaimed(request, taken)
            self._add(at, claimed)
            self._renew(claimed)
        return self._written(request_key(claimed.id))

    def _unclaimed(self, request: Request, taken: Collection[str]) -> Request:
        first, here, begun = request.tool_use_id, this_process(), []
        # The id of a call that got its answer stays with that: a late answer to it is none to another call.
        given = "SELECT call FROM requests WHERE session_id = ? AND state = 'delivered'"
        used = {call for (call,) in self._database.rows(given, (name_key(request.session_id),))}
        where = f"session_id = ? AND (state = 'pending' OR {_TO_DELIVER} OR way = '{LISTED}') ORDER BY number"
        for one in self._found(where, name_key(request.session_id)):
            owner, call = one.request.origin.process, one.request.tool_use_id
            if one.request.id in taken or (owner != here and alive(owner)):
                used.add(call)
            elif call == first or call.startswith(f"{first}-"):
                if one.outcome is not None:
                    return replace(one.request, origin=request.origin)
                begun += [call] * one.has_draft
        calls = (first if number == 1 else f"{first}-{number}" for number in count(1))
        return replace(request, tool_use_id=next(call for call in chain(begun, calls) if call not in used))

    def _add(self, at: str, request: Request, context: str = "") -> None:
        key, before = request_key(request.id), self.get(request.id)
        self._set_apart(before, request)
        asked = self._ask(at, StoredRequest(0, request, context, RequestState.PENDING, moment(at)))
        if not (asked or (before and _same_asker(before, request))):
            again = (RequestState.PENDING, RequestState.CANCELLED), RequestState.PENDING
            if self._move(at, key, again, "asked again"):
                self._database.do("DELETE FROM answers WHERE request_id = ?", (key,))
                self._renew(request)

    def _renew(self, request: Request) -> None:
        renewed = request_to_json(request), request_key(request.id)
        self._database.do("UPDATE requests SET body = ? WHERE id = ?", renewed)

    def _ask(self, at: str, asked: StoredRequest) -> bool:
        request = asked.request
        row = row_of(asked, "requests") | {
            "id": request_key(request.id),
            "call": call_key(request.tool_use_id),
            "asker": request.origin.asker,
            "asker_id": name_key(request.asker_id),
            "kind": kind_of(request).WORD,
            "body": request_to_json(request),
        }
        new = self._database.insert("requests", row, "ON CONFLICT (id) DO NOTHING")
        if new:
            of = name_key(request.session_id), request_key(request.id)
            self._database.note(at, of, ("", RequestState.PENDING), "asked")
        return bool(new)

    def _move(self, at: str, key: str, change: Move, cause: str, actor: Actor | None = None) -> bool:
        """Change the state of a request, if it has one of some, in one conditional update, and note that."""
        states, became = change
        query = "SELECT session_id, state FROM requests WHERE id = ?"
        for session_id, was in self._database.rows(query, (key,)):
            moved = "UPDATE requests SET state = ?, deferred = 0 WHERE id = ? AND state = ?"
            if was in states and self._database.do(moved, (became, key, was)):
                self._database.note(at, (session_id, key), (was, became), cause, actor)
                return True
        return False

    def _insert_answer(self, at: str, key: str, outcome: RequestOutcome, actor: Actor | None) -> None:
        row = {"outcome": outcome_to_json(outcome), "actor": actor_to_json(actor)}
        self._database.insert("answers", {"request_id": key, **row, "settled_at": at, "way": ""})

    def _written(self, key: str) -> StoredRequest:
        stored = self.get(key)
        if stored is None:
            raise InboxUnavailable(f"{self._database.path}: the request {key} was written and cannot be read")
        return stored

    def _set_apart(self, before: StoredRequest | None, request: Request) -> None:
        """Rename a finished request whose id comes back with another call."""
        if before is None or before.state in (RequestState.PENDING, RequestState.CANCELLED):
            return
        is_same = type(before.request) is type(request) and kind_of(request).same(before.request, request)
        if is_same and (before.state in TO_DELIVER or before.way == LISTED):
            return
        key, call = request_key(request.id), f"{call_key(request.tool_use_id)}#{before.number}"
        new = request_key(replace(before.request, tool_use_id=call).id)
        renamed = "UPDATE requests SET id = ?, call = ? WHERE id = ? AND number = ?"
        if self._database.do(renamed, (new, call, key, before.number)):
            self._database.do("UPDATE history SET request_id = ? WHERE request_id = ?", (new, key))

    def settle(self, request_id: str, outcome: RequestOutcome, actor: Actor) -> Verdict:
        """Settle a request if nobody has yet, in one conditional update; it cannot be undone.

        A request that only its process could take is withdrawn instead, if that is known to be gone.

        Returns whether this call settled it, and if not, who did. Raises `InvalidOutcome` and
        `InboxUnavailable`.
        """
        key, became = request_key(request_id), state_after(outcome)
        cause = outcome.reason if isinstance(outcome, Cancelled) else str(became)
        with self._database.writing() as at:
            self._withdraw_orphans(at, key)
            if (stored := self.get(key)) is not None:
                check_outcome(stored.request, outcome)
            settled = self._move(at, key, (PENDING, became), cause, actor)
            if settled:
                self._insert_answer(at, key, outcome, actor)
            stored = self.get(key)
        if settled:
            return Accepted()
        if stored is None or stored.outcome is None or stored.settled_at is None:
            return Unknown()
        return AlreadySettled(stored.actor, stored.settled_at, stored.outcome)

    def defer(self, request_id: str) -> bool:
        """Record that the resumed session asks a pending request again, as the same call.

        Returns whether it is still pending. Raises `InboxUnavailable`; then nothing was changed.
        """
        key = request_key(request_id)
        with self._database.writing() as at:
            done = self._move(at, key, (PENDING, RequestState.PENDING), "deferred")
            self._database.do("UPDATE requests SET deferred = ? WHERE id = ?", (int(done), key))
        return done

    def mark_delivered(self, request_id: str, way: str) -> bool:
        """Record that the agent was seen to have a decision.

        Returns whether this call recorded it; False if it was recorded before or there is nothing to deliver.
        Raises `InboxUnavailable`.
        """
        key = request_key(request_id)
        with self._database.writing() as at:
            if not self._move(at, key, (TO_DELIVER, RequestState.DELIVERED), f"seen as {way}"):
                taken = "UPDATE answers SET way = ? WHERE request_id = ? AND way = ?"
                self._database.do(taken, (way, key, LISTED))
                return False
            given = "UPDATE answers SET delivered_at = ?, way = ? WHERE request_id = ?"
            self._database.do(given, (at, way, key))
        return True

    def give_up(self, request_id: str, reason: str) -> bool:
        """Withdraw a decision that no process can take any more.

        Returns whether there was one to deliver. Raises `InboxUnavailable`.
        """
        key = request_key(request_id)
        with self._database.writing() as at:
            given_up = self._move(at, key, (TO_DELIVER, RequestState.CANCELLED), reason, WITHDRAWN)
            if given_up:
                withdrawn = outcome_to_json(Cancelled(reason)), actor_to_json(WITHDRAWN), key
                self._database.do("UPDATE answers SET outcome = ?, actor = ? WHERE request_id = ?", withdrawn)
        return given_up

    def withdraw_orphans(self) -> int:
        """Withdraw what only a process could take that is known to be gone; return the number of requests.

        Raises `InboxUnavailable`.
        """
        if not self._orphans():
            return 0
        with self._database.writing() as at:
            return self._withdraw_orphans(at)

    def _withdraw_orphans(self, at: str, key: str = "") -> int:
        found = self._orphans(key)
        for orphan in found:
            if self._move(at, orphan, (PENDING, RequestState.CANCELLED), PROCESS_ENDED, WITHDRAWN):
                self._insert_answer(at, orphan, Cancelled(PROCESS_ENDED), WITHDRAWN)
        return len(found)

    def _orphans(self, key: str = "") -> list[str]:
        only, values = (" WHERE id = ?", (key,)) if key else ("", ())
        rows = self._database.rows(_END_WITH_THEIR_PROCESS + only, values)
        return [id_ for id_, pid, start in rows if pid is None or not alive(Owner(pid, start or ""))]

    def get(self, request_id: str) -> StoredRequest | None:
        """Return a request by its id, or None if there is no readable one."""
        return next(iter(self._found("id = ?", request_key(request_id))), None)

    def _found(self, where: str, *values: object) -> list[StoredRequest]:
        return _read(self._database.rows(f"{_SELECT} WHERE {where}", values))

    def waiting(
        self, session_id: str | None = None, after: int = 0, limit: int = PAGE
    ) -> list[StoredRequest]:
        """Return pending requests, oldest first."""
        return self.page(RequestState.PENDING, session_id, after, limit)

    def page(
        self, state: RequestState, session_id: str | None = None, after: int = 0, limit: int = PAGE
    ) -> list[StoredRequest]:
        """Return requests in a state, oldest first."""
        only = [] if session_id is None else [name_key(session_id)]
        # Named in the query, so that SQLite uses the index of pending ones.
        query = f"{_SELECT} WHERE state = '{state}' AND number > ? {'AND session_id = ?' if only else ''}"
        while True:
            rows = self._database.rows(f"{query} ORDER BY number LIMIT ?", (after, *only, limit))
            found = _read(rows)
            self.unreadable |= {row["number"] for row in rows} - {one.number for one in found}
            if found or not rows:
                return found
            after = rows[-1]["number"]  # a whole page that cannot be read is not the end

    def unsettled_before(self, since: datetime) -> list[StoredRequest]:
        """Return the requests that are pending, or were settled since a time, oldest first."""
        return self._found("state = 'pending' OR settled_at >= ? ORDER BY number", stamp(since))

    def answered(
        self, words: Sequence[str], directory: str = "", *, without: str = ""
    ) -> list[StoredRequest]:
        """Return answered question sets with one of some words, those of ``directory`` first, then newest."""
        if not words:
            return []
        either = " OR ".join("instr(requests.body, ?)" for _ in words)
        query = f"""{_SELECT} LEFT JOIN sessions ON sessions.id = requests.session_id
            WHERE requests.kind = 'question' AND requests.state IN ('answered', 'delivered')
            AND requests.number > (SELECT coalesce(max(number), 0) - 2000 FROM requests)
            AND requests.id != ? AND ({either})
            ORDER BY sessions.directory = ? DESC, requests.number DESC LIMIT {MOST_ANSWERED}"""  # noqa: S608 - ours
        written = (json.dumps(word)[1:-1] for word in words)
        return _read(self._database.rows(query, (request_key(without), *written, storable(directory))))

    def forget(self, session_id: str) -> int:
        """Delete the settled requests of a session, with their answers and drafts.

        Returns their number. Raises `InboxUnavailable`.
        """
        query = "SELECT id FROM requests WHERE session_id = ? AND state != 'pending'"
        return self._delete(query, name_key(session_id))

    def prune(self, before: datetime, limit: int = PAGE) -> int:
        """Delete requests that were delivered or withdrawn before a time, with everything about them.

        Returns their number, at most ``limit``. Raises `InboxUnavailable`.
        """
        query = """SELECT id FROM requests JOIN answers ON request_id = id
            WHERE state IN ('delivered', 'cancelled') AND coalesce(delivered_at, settled_at) < ? LIMIT ?"""
        return self._delete(query, stamp(before), limit, tables=("drafts", "answers", "history"))

    def _delete(self, query: str, *values: object, tables: Sequence[str] = ("drafts", "answers")) -> int:
        with self._database.writing():
            keys = [row[0] for row in self._database.rows(query, values)]
            for key in keys:
                for table in tables:
                    self._database.do(f"DELETE FROM {table} WHERE request_id = ?", (key,))  # noqa: S608 - ours
                self._database.do("DELETE FROM requests WHERE id = ?", (key,))
        return len(keys)

    def waiting_counts(self) -> dict[str, int]:
        """Return the number of pending requests for each session that has any, the longest wait first."""
        query = """SELECT session_id, count(*) FROM requests WHERE state = 'pending' GROUP BY session_id
            ORDER BY min(number)"""
        return {row[0]: row[1] for row in self._database.rows(query)}

    def undelivered_counts(self) -> dict[str, int]:
        """Return the number of confirmed answers that have not reached the agent, for each session with any.

        A running session is left out: its answers are on their way. Permissions and plans are no answers.
        """
        # Read from the index on session and state, so that only those few need a look at their kind.
        query = f"""
            SELECT r.session_id, r.found, s.owner_pid, s.owner_start FROM (
                SELECT session_id, count(*) AS found FROM requests
                WHERE {_TO_DELIVER} AND kind = 'question' AND asker = 'session' GROUP BY session_id
            ) r LEFT JOIN sessions s ON s.id = r.session_id"""  # noqa: S608 - ours
        return {
            session_id: found
            for session_id, found, pid, start in self._database.rows(query)
            if pid is None or not alive(Owner(pid, start))
        }

    def question_sets(self, session_id: str) -> frozenset[str]:
        """Return the calls of all question sets that a session asked."""
        query = "SELECT call FROM requests WHERE session_id = ? AND kind = 'question'"
        return frozenset(row[0] for row in self._database.rows(query, (name_key(session_id),)))

    def undelivered(self, session_id: str) -> list[StoredRequest]:
        """Return decided requests of a session whose outcome its agent was not seen to have, oldest first."""
        return self._found(f"session_id = ? AND {_TO_DELIVER} ORDER BY number", name_key(session_id))

    def ended_without_result(self, session_id: str) -> list[StoredRequest]:
        """Return a session's requests whose calls do not tell their end, oldest first; at most `PAGE`.

        A message delivered their answers, or nobody decided while their process lived.
        """
        where = """session_id = ? AND (state = 'delivered' AND way = 'message'
            OR state = 'cancelled' AND kind != 'question') ORDER BY number DESC LIMIT ?"""
        return self._found(where, name_key(session_id), PAGE)[::-1]

    def earlier_calls(self, request: Request) -> int:
        """Return the number of the session's requests that were renamed because this call has their id."""
        call = f"{call_key(request.tool_use_id)}#"
        query = "SELECT count(*) FROM requests WHERE session_id = ? AND substr(call, 1, ?) = ?"
        return int(self._database.rows(query, (name_key(request.session_id), len(call), call))[0][0])


def _same_asker(before: StoredRequest, request: Request) -> bool:
    """Whether the process that wrote a pending call writes it once more, which changes nothing."""
    process = request.origin.process
    waits = before.state is RequestState.PENDING
    return waits and process is not None and before.request.origin.process == process


def _read(rows: Iterable[sqlite3.Row]) -> list[StoredRequest]:
    """Read rows, and skip those that only another version understands."""
    found: list[StoredRequest] = []
    for row in rows:
        try:
            found.append(_stored(row))
        except (ValueError, TypeError, AttributeError) as error:
            name = one_line(str(row["id"]), 200)
            _logger.warning("Request %s, %s, cannot be read: %s", row["number"], name, type(error).__name__)
    return found


def _stored(row: sqlite3.Row) -> StoredRequest:
    request = request_from_json(row["body"])
    if call_key(request.tool_use_id) != row["call"]:
        # Renamed by `_set_apart`.
        request = replace(request, tool_use_id=row["call"])
    return from_row(StoredRequest, row, request=request)

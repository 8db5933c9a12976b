"""The runs of all machines, what happened in them, and what people said: tables in SQLite or Postgres."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, fields
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid5

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import SQLAlchemyError

from ccq_tui.service.port import NewTicket, TicketMessage
from ccq_tui.service.run import Happened, Run, RunEvent, RunState

EVENTS = UUID("5b0e9f0c-8d55-4a0e-9f3e-0a4b1f6a7c11")
"""The namespace of the ids of events."""
KEPT_DAYS = 30
"""Days after which deliveries and messages are forgotten, which nobody repeats any more."""
BUSY_SECONDS = 10
"""Seconds to wait for another process that writes, or for a database to answer."""

_TABLES = sa.MetaData()
_RUNS = sa.Table(
    "ccq_runs",
    _TABLES,
    *(sa.Column(one.name, sa.Text, nullable=False) for one in fields(Run) if one.type in ("str", "RunState")),
    sa.Column("segment", sa.Integer, nullable=False),
    sa.Column("created", sa.Double, nullable=False),
    sa.Column("changed", sa.Double, nullable=False),
    sa.PrimaryKeyConstraint("id"),
    sa.UniqueConstraint("source", "ticket"),
    sa.Index("ccq_runs_by_state", "state", "machine"),
    sa.Index("ccq_runs_by_session", "session"),
)
_EVENTS = sa.Table(
    "ccq_run_events",
    _TABLES,
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("id", sa.Text, unique=True, nullable=False),
    sa.Column("run", sa.Text, index=True, nullable=False),
    *(sa.Column(name, sa.Text, nullable=False, default="") for name in ("kind", "body", "problem")),
    sa.Column("at", sa.Double, nullable=False),
    sa.Column("told", sa.Boolean, nullable=False, default=False, index=True),
)
_MESSAGES = sa.Table(
    "ccq_messages",
    _TABLES,
    *(sa.Column(name, sa.Text, primary_key=True) for name in ("source", "id")),
    *(sa.Column(name, sa.Text, nullable=False, default="") for name in ("ticket", "body", "meant")),
    sa.Column("at", sa.Double, nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("taken", sa.Boolean, nullable=False, default=False, index=True),
    sa.Index("ccq_messages_by_ticket", "source", "ticket"),
)
_DELIVERIES = sa.Table(
    "ccq_deliveries",
    _TABLES,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("at", sa.Double, nullable=False),
)


class RunStoreError(Exception):
    """The database cannot be used now; the message says why, and what can be done."""


class UnknownRunError(Exception):
    """There is no run with an id."""

    def __init__(self, run_id: str) -> None:
        super().__init__(f"No run has the id {run_id}.")


class RunStore:
    """Keeps runs, events and messages. Its calls block: not for the event loop. Each raises `RunStoreError`.

    Args:
        engine: The database, whose tables exist.
    """

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine
        self._insert = postgresql.insert if engine.dialect.name == "postgresql" else sqlite.insert

    @classmethod
    def open(cls, url: str) -> RunStore:
        """Open a database, and make its tables where they are missing.

        Args:
            url: ``sqlite:///PATH`` or ``postgresql://…``, as SQLAlchemy writes it.
        """
        with _explained():
            engine = sa.create_engine(driver_url(url), pool_pre_ping=True, connect_args=_connecting(url))
            if engine.dialect.name == "sqlite":
                mode = "PRAGMA journal_mode=WAL"
                sa.event.listen(engine, "connect", lambda connection, _: connection.execute(mode).close())
            _TABLES.create_all(engine)
        return cls(engine)

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    @contextmanager
    def _work(self) -> Iterator[sa.Connection]:
        with _explained(), self._engine.begin() as connection:
            yield connection

    def _do(self, statement: sa.Executable) -> Sequence[Any]:
        """Execute one statement; return the rows that it returns."""
        with self._work() as work:
            done = work.execute(statement)
            return done.all() if done.returns_rows else ()

    # -- runs -----------------------------------------------------------------------------------------------

    def create(self, run: Run) -> Run:
        """Add a run, or return the one that its ticket has already."""
        with self._work() as work:
            row = {**asdict(run), "created": run.created.timestamp(), "changed": run.changed.timestamp()}
            work.execute(self._insert(_RUNS).values(row).on_conflict_do_nothing())
            one = (_RUNS.c.source == run.source) & (_RUNS.c.ticket == run.ticket)
            return _run(work.execute(sa.select(_RUNS).where(one)).one())

    def get(self, run_id: str) -> Run:
        """Return a run; raises `UnknownRunError`."""
        if (run := self._first(_RUNS.c.id == run_id)) is None:
            raise UnknownRunError(run_id)
        return run

    def of_ticket(self, source: str, ticket: str) -> Run | None:
        """Return the run of a ticket."""
        return self._first((_RUNS.c.source == source) & (_RUNS.c.ticket == ticket))

    def of_session(self, session: str) -> Run | None:
        """Return the run that a Claude session belongs to."""
        return self._first(_RUNS.c.session == session) if session else None

    def _first(self, clause: sa.ColumnElement[bool]) -> Run | None:
        return next((_run(row) for row in self._do(sa.select(_RUNS).where(clause))), None)

    def list(self, states: Collection[RunState] = (), machine: str = "", limit: int = 100) -> list[Run]:
        """Return runs, the one that changed last first.

        Args:
            states: Their states; none for all.
            machine: The machine that has them; "" for all.
            limit: The most that are returned.
        """
        found = sa.select(_RUNS).order_by(_RUNS.c.changed.desc(), _RUNS.c.id).limit(limit)
        if states:
            found = found.where(_RUNS.c.state.in_(list(states)))
        if machine:
            found = found.where(_RUNS.c.machine == machine)
        return [_run(row) for row in self._do(found)]

    def counts(self) -> dict[RunState, int]:
        """Return how many runs there are in each state."""
        counted = sa.select(_RUNS.c.state, sa.func.count()).group_by(_RUNS.c.state)
        return dict.fromkeys(RunState, 0) | {RunState(one): count for one, count in self._do(counted)}

    def update(self, run_id: str, **changes: object) -> Run:
        """Change fields of a run, and return it; raises `UnknownRunError`."""
        self._do(sa.update(_RUNS).where(_RUNS.c.id == run_id).values({**changes, "changed": _now()}))
        return self.get(run_id)

    def move(self, run_id: str, before: Collection[RunState], to: RunState, **changes: object) -> bool:
        """Move a run on, with other fields; return whether it was in one of the states before.

        Of several that want to move a run on, the first does.

        Args:
            run_id: The run.
            before: The states that it may be moved from.
            to: Its new state.
            changes: Other fields; ``segment`` is also compared: it must be more than that of the run.
        """
        one = (_RUNS.c.id == run_id) & _RUNS.c.state.in_(list(before))
        if "segment" in changes:
            one &= _RUNS.c.segment < changes["segment"]
        with self._work() as work:
            changed = {**changes, "state": to, "changed": _now()}
            return work.execute(sa.update(_RUNS).where(one).values(changed)).rowcount == 1

    # -- events ---------------------------------------------------------------------------------------------

    def record(self, run_id: str, kind: Happened, what: str, body: Mapping[str, Any]) -> RunEvent:
        """Record what happened in a run, once: the same again returns the event there is.

        Args:
            run_id: The run.
            kind: What happened.
            what: What tells it from other events of the same kind in the run.
            body: The details, as JSON.
        """
        event_id = event_key(run_id, kind, what)
        row = {"id": event_id, "run": run_id, "kind": kind, "at": _now(), "body": json.dumps(body)}
        with self._work() as work:
            work.execute(self._insert(_EVENTS).values(**row, told=False, problem="").on_conflict_do_nothing())
            return _event(work.execute(sa.select(_EVENTS).where(_EVENTS.c.id == event_id)).one())

    def events(self, run_id: str | None = None, after: int = 0, limit: int = 100) -> Sequence[RunEvent]:
        """Return the events of a run, or of all, after one with a number, in order."""
        found = sa.select(_EVENTS).where(_EVENTS.c.number > after).order_by(_EVENTS.c.number).limit(limit)
        if run_id is not None:
            found = found.where(_EVENTS.c.run == run_id)
        return [_event(row) for row in self._do(found)]

    def untold(
        self,
        limit: int = 100,
        sources: Collection[str] = (),
        machine: str = "",
        without: Collection[str] = (),
    ) -> Sequence[RunEvent]:
        """Return events that their tickets were not told yet, in order.

        Args:
            limit: The most that are returned.
            sources: The adapters of their runs; none for all.
            machine: Only those of runs of this machine, or of none yet; "" for all.
            without: Runs whose events are left out.
        """
        found = sa.select(_EVENTS).join(_RUNS, _RUNS.c.id == _EVENTS.c.run).order_by(_EVENTS.c.number)
        found = found.where(~_EVENTS.c.told, _RUNS.c.id.not_in(list(without))).limit(limit)
        if sources:
            found = found.where(_RUNS.c.source.in_(list(sources)))
        if machine:
            found = found.where(_RUNS.c.machine.in_(["", machine]))
        return [_event(row) for row in self._do(found)]

    def told(self, event_id: str, problem: str = "") -> None:
        """Note that a ticket was told an event, or why it refuses it."""
        self._do(sa.update(_EVENTS).where(_EVENTS.c.id == event_id).values(told=True, problem=problem))

    # -- what comes in --------------------------------------------------------------------------------------

    def seen(self, delivery: str) -> bool:
        """Note a delivery; return whether it came before."""
        row = self._insert(_DELIVERIES).values(id=delivery, at=_now()).on_conflict_do_nothing()
        return not self._do(row.returning(_DELIVERIES.c.id))

    def unsee(self, delivery: str) -> None:
        """Forget a delivery that could not be taken: it may come again."""
        self._do(sa.delete(_DELIVERIES).where(_DELIVERIES.c.id == delivery))

    def keep(self, message: TicketMessage) -> bool:
        """Keep a message until it is taken; return whether it is new."""
        with self._work() as work:
            number = work.execute(
                sa.select(sa.func.coalesce(sa.func.max(_MESSAGES.c.number), 0))
            ).scalar_one()
            said = {name: getattr(message, name) for name in ("source", "id", "ticket")}
            row = {**said, "at": _now(), "number": number + 1, "body": json.dumps(asdict(message))}
            added = self._insert(_MESSAGES).values(row).on_conflict_do_nothing().returning(_MESSAGES.c.id)
            return work.execute(added).first() is not None

    def kept(self, run: Run, *, whole: bool = False) -> Sequence[TicketMessage]:
        """Return the messages to a run that are not taken yet, or the whole of them, in order."""
        found = sa.select(_MESSAGES.c.body).order_by(_MESSAGES.c.number)
        found = found.where(_MESSAGES.c.source == run.source, _MESSAGES.c.ticket == run.ticket)
        rows = self._do(found if whole else found.where(~_MESSAGES.c.taken))
        return [_message(json.loads(row.body)) for row in rows]

    def left(self, machine: str) -> Sequence[Run]:
        """Return the runs of a machine, or of none yet, with messages that are not taken yet."""
        same = (_MESSAGES.c.source == _RUNS.c.source) & (_MESSAGES.c.ticket == _RUNS.c.ticket)
        left = sa.exists().where(same, ~_MESSAGES.c.taken)
        found = sa.select(_RUNS).where(_RUNS.c.machine.in_(["", machine]), left)
        return [_run(row) for row in self._do(found)]

    def assign(self, message: TicketMessage, what: str) -> str:
        """Note what a message is meant for, once; return that, or what was noted before."""
        one = (_MESSAGES.c.source == message.source) & (_MESSAGES.c.id == message.id)
        with self._work() as work:
            work.execute(sa.update(_MESSAGES).where(one, _MESSAGES.c.meant == "").values(meant=what))
            return str(work.execute(sa.select(_MESSAGES.c.meant).where(one)).scalar_one())

    def taken(self, message: TicketMessage) -> None:
        """Note that a message was taken: as an answer, or by the session that it prompts."""
        one = (_MESSAGES.c.source == message.source) & (_MESSAGES.c.id == message.id)
        self._do(sa.update(_MESSAGES).where(one).values(taken=True))

    def forget_old(self) -> None:
        """Forget the deliveries and messages that nobody repeats any more."""
        before = (datetime.now(UTC) - timedelta(days=KEPT_DAYS)).timestamp()
        self._do(sa.delete(_DELIVERIES).where(_DELIVERIES.c.at < before))
        self._do(sa.delete(_MESSAGES).where(_MESSAGES.c.at < before, _MESSAGES.c.taken))


def event_key(run_id: str, kind: Happened, what: str) -> str:
    """Return the id of what happened in a run, a UUID."""
    return str(uuid5(EVENTS, f"{run_id}:{kind}:{what}"))


def driver_url(url: str) -> str:
    """Return a database's URL as SQLAlchemy takes it: Postgres by psycopg, which is installed."""
    return re.sub("^postgres(ql)?://", "postgresql+psycopg://", url)


def _connecting(url: str) -> dict[str, object]:
    return {"timeout": BUSY_SECONDS} if url.startswith("sqlite") else {"connect_timeout": BUSY_SECONDS}


@contextmanager
def _explained() -> Iterator[None]:
    try:
        yield
    except SQLAlchemyError as error:
        reason = str(getattr(error, "orig", None) or error).strip().splitlines()
        raise RunStoreError(
            f"The database of runs cannot be used: {reason[0] if reason else error!r}"
        ) from error


def _now() -> float:
    return datetime.now(UTC).timestamp()


def _run(row: sa.Row[Any]) -> Run:
    there = dict(row._mapping)
    times = {name: datetime.fromtimestamp(there[name], UTC) for name in ("created", "changed")}
    return Run(**{**there, **times, "state": RunState(there["state"])})


def _event(row: sa.Row[Any]) -> RunEvent:
    at = datetime.fromtimestamp(row.at, UTC)
    return RunEvent(row.id, row.run, row.number, Happened(row.kind), at, json.loads(row.body))


def _message(body: dict[str, Any]) -> TicketMessage:
    new = body.pop("new", None)
    return TicketMessage(**body, new=NewTicket(**new) if new else None)

"""The runs of all machines, what happened in them, and what people said: tables in SQLite or Postgres."""

import asyncio
import json
import logging
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, fields
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, ParamSpec, TypeVar
from uuid import UUID, uuid4, uuid5

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import SQLAlchemyError

from ccq_tui.inbox.actors import Surface
from ccq_tui.service.people import Involved, Participant, TicketRole
from ccq_tui.service.port import NewTicket, TicketMessage
from ccq_tui.service.run import OVER, Happened, Run, RunEvent, RunState
from ccq_tui.stored import locked

_logger = logging.getLogger(__name__)
P = ParamSpec("P")
T = TypeVar("T")

EVENTS = UUID("5b0e9f0c-8d55-4a0e-9f3e-0a4b1f6a7c11")
"""The namespace of the ids of events."""
_POSTGRES = {"connect_timeout": "10", "keepalives_idle": "10", "keepalives_interval": "5",
             "keepalives_count": "3", "tcp_user_timeout": "25000"}  # fmt: skip
"""When a connection is given up that a network has cut; the system would take a quarter of an hour."""
_CLAIM = "SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3"
"""Lets Postgres notice within half a minute that a machine with a claim is gone."""

FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0
"""Seconds between the first two tries of a database that is away, and most between two."""
PROMPT = "prompt"
"""What a message is meant for that answers nothing."""
MOST_RUNS = 100_000
ADOPTED = """
Another machine worked on this before and is gone. Your worktree has what it pushed. People were asked, \
answered and wrote before:"""


class _Text(sa.TypeDecorator[str]):
    """A text without NUL, which Postgres does not take."""

    impl, cache_ok = sa.Text, True

    def process_bind_param(self, value: str | None, dialect: sa.Dialect) -> str | None:  # noqa: ARG002
        return value and value.replace("\0", "␀")


_TABLES = sa.MetaData()
_RUNS = sa.Table(
    "ccq_runs",
    _TABLES,
    *(sa.Column(one.name, _Text, nullable=False) for one in fields(Run) if one.type in (str, RunState)),
    sa.Column("people", _Text, nullable=False),
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
    sa.Column("id", _Text, unique=True, nullable=False),
    sa.Column("run", _Text, index=True, nullable=False),
    *(sa.Column(name, _Text, nullable=False, default="") for name in ("kind", "body", "problem")),
    sa.Column("at", sa.Double, nullable=False),
    sa.Column("sent", sa.Boolean, nullable=False, default=False, index=True),
)
_MESSAGES = sa.Table(
    "ccq_messages",
    _TABLES,
    *(sa.Column(name, _Text, primary_key=True) for name in ("source", "id")),
    *(sa.Column(name, _Text, nullable=False, default="") for name in ("ticket", "body", "meant")),
    sa.Column("at", sa.Double, nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("taken", sa.Boolean, nullable=False, default=False, index=True),
    sa.Index("ccq_messages_by_ticket", "source", "ticket"),
)
_SCHEMA = sa.Table("ccq_schema", _TABLES, sa.Column("version", sa.Integer, primary_key=True))
VERSION = 5
"""The version of these tables, which only grows."""


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
        self._claims = ExitStack()
        self._insert = postgresql.insert if engine.dialect.name == "postgresql" else sqlite.insert

    @classmethod
    def open(cls, url: str) -> "RunStore":
        """Open a database, and make its tables where they are missing.

        Args:
            url: ``sqlite:///PATH`` or ``postgresql://…``, as SQLAlchemy writes it.
        """
        with explained():
            engine = sa.create_engine(driver_url(url), pool_pre_ping=True)
            if engine.dialect.name == "sqlite":
                with suppress(OSError):  # SQLite's own files beside it get the same mode
                    Path(str(engine.url.database)).touch(0o600)
                    Path(str(engine.url.database)).chmod(0o600)
                mode = "PRAGMA journal_mode=WAL"
                sa.event.listen(engine, "connect", lambda connection, _: connection.execute(mode).close())
            _migrate(engine)
        return cls(engine)

    def claim(self, machine: str) -> None:
        """Serve as a machine until `close`; raises `RunStoreError` where another process does."""
        if self._engine.dialect.name == "sqlite":
            file = Path(f"{self._engine.url.database}.{machine}.lock")
            is_ours = self._claims.enter_context(locked(file))
        else:
            lock = sa.func.pg_try_advisory_lock(sa.func.hashtext(machine))
            with explained():
                connection = self._claims.enter_context(self._engine.connect())
                connection.execution_options(isolation_level="AUTOCOMMIT").exec_driver_sql(_CLAIM)
                is_ours = bool(connection.scalar(sa.select(lock)))
        if not is_ours:
            raise RunStoreError(f"Another process serves as the machine {machine}: set another “machine”.")

    def close(self) -> None:
        """Close all connections."""
        with suppress(SQLAlchemyError):
            self._claims.close()
        self._engine.dispose()

    @contextmanager
    def _work(self) -> Iterator[sa.Connection]:
        with explained(), self._engine.begin() as connection:
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
            row["people"] = people_to_json(run.people)
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

    def adopt(self, machine: str, by: str, repositories: Collection[str]) -> Sequence[Run]:
        """Give the runs of a machine that is gone to another one, and return them.

        Each gets a new session, which reads what was asked, answered and written so far, in the worktree of
        the branch as it was pushed: what the machine had not pushed stays there.

        Args:
            machine: The machine that is gone.
            by: The machine that continues its runs, as soon as its service looks.
            repositories: The names of that machine's repositories; runs of others are left alone.
        """
        adopted = []
        for run in self.list((), machine, MOST_RUNS):
            if run.repository not in repositories:
                continue
            # One that waits for nothing is continued; the gone machine's own segment is not.
            to = run.state if run.state in OVER else RunState.WAITING
            changes = {"machine": by, "directory": "", "session": str(uuid4()), "prompt": self._story(run)}
            if self.move(run, to, **changes):
                adopted.append(self.get(run.id))
        return adopted

    def _story(self, run: Run) -> str:
        """Return what was asked, answered and said in a run."""
        shown = (Happened.ASKED, Happened.ANSWERED, Happened.ENDED)
        events = [one for one in self.events(run.id, limit=MOST_RUNS) if one.kind in shown]
        lines = [f"- {one.kind}: {one.body.get('text', '')}" for one in events]
        lines += [f"- a person wrote: {one.text}" for one in self.kept(run, whole=True) if not one.stop]
        return "\n".join([run.prompt, ADOPTED, *lines])

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

    def check(self) -> None:
        """Write something, which a database that is away or full refuses."""
        self._do(sa.update(_SCHEMA).values(version=VERSION))

    def counts(self) -> dict[RunState, int]:
        """Return how many runs there are in each state."""
        counted = sa.select(_RUNS.c.state, sa.func.count()).group_by(_RUNS.c.state)
        return dict.fromkeys(RunState, 0) | {RunState(one): count for one, count in self._do(counted)}

    def update(self, run_id: str, **changes: object) -> Run:
        """Change fields of a run, and return it; raises `UnknownRunError`."""
        self._do(sa.update(_RUNS).where(_RUNS.c.id == run_id).values({**changes, "changed": _now()}))
        return self.get(run_id)

    def move(self, run: Run, to: RunState, **changes: object) -> bool:
        """Move a run on, with other fields; return whether nothing had moved it since it was read."""
        known = ("id", "state", "segment", "machine")
        same = [_RUNS.c[name] == getattr(run, name) for name in known]
        changed = {**changes, "state": to, "changed": _now()}
        with self._work() as work:
            return work.execute(sa.update(_RUNS).where(*same).values(changed)).rowcount == 1

    # -- events ---------------------------------------------------------------------------------------------

    def record(self, run_id: str, kind: Happened, what: str, body: Mapping[str, Any]) -> RunEvent | None:
        """Record what happened in a run, once; return the event, or None if it is there already.

        Args:
            run_id: The run.
            kind: What happened.
            what: What distinguishes it from other events of the same kind in the run.
            body: The details, as JSON.
        """
        event_id = str(uuid5(EVENTS, f"{run_id}:{kind}:{what}"))
        row = {"id": event_id, "run": run_id, "kind": kind, "at": _now(), "body": json.dumps(body)}
        made = self._insert(_EVENTS).values(**row, sent=False, problem="").on_conflict_do_nothing()
        return next((_event(one) for one in self._do(made.returning(_EVENTS))), None)

    def events(
        self, run_id: str | None = None, after: int = 0, limit: int = 100, *, newest: bool = False
    ) -> Sequence[RunEvent]:
        """Return the events of a run, or of all, after one with a number, in order or the newest first."""
        number = _EVENTS.c.number
        found = sa.select(_EVENTS).where(number > after).order_by(number.desc() if newest else number)
        if run_id is not None:
            found = found.where(_EVENTS.c.run == run_id)
        return [_event(row) for row in self._do(found.limit(limit))]

    def all_events(self, run_id: str | None, kind: Happened) -> Iterator[RunEvent]:
        """Yield the events of a kind of a run, or of all, in order."""
        found, after = self.events(run_id), 0
        while found:
            yield from (one for one in found if one.kind is kind)
            after = found[-1].number
            found = self.events(run_id, after)

    def unsent(
        self, sources: Collection[str], machine: str, without: Collection[str] = (), limit: int = 100
    ) -> Sequence[RunEvent]:
        """Return events that are not sent to their tickets yet, in order.

        Args:
            sources: The adapters of their runs.
            machine: The machine that has the runs, or may take them yet.
            without: Runs whose events are left out.
            limit: The most that are returned.
        """
        found = sa.select(_EVENTS).join(_RUNS, _RUNS.c.id == _EVENTS.c.run).order_by(_EVENTS.c.number)
        found = found.where(~_EVENTS.c.sent, _RUNS.c.id.not_in(list(without))).limit(limit)
        found = found.where(_RUNS.c.source.in_(list(sources)), _RUNS.c.machine.in_(["", machine]))
        return [_event(row) for row in self._do(found)]

    def current(self, kind: Happened) -> Sequence[RunEvent]:
        """Return the events of a kind of runs that have not ended, in order."""
        found = sa.select(_EVENTS).join(_RUNS, _RUNS.c.id == _EVENTS.c.run).order_by(_EVENTS.c.number)
        found = found.where(_EVENTS.c.kind == kind, _RUNS.c.state.not_in(OVER))
        return [_event(row) for row in self._do(found)]

    def asked(self, runs: Collection[str]) -> Sequence[RunEvent]:
        """Return what runs ask, of those whose last question has no answer yet."""
        ends = (Happened.ASKED, Happened.ANSWERED, Happened.ENDED)
        last = sa.select(sa.func.max(_EVENTS.c.number)).group_by(_EVENTS.c.run)
        last = last.where(_EVENTS.c.run.in_(list(runs)), _EVENTS.c.kind.in_(ends))
        asked = _EVENTS.c.number.in_(last) & (_EVENTS.c.kind == Happened.ASKED)
        return [_event(row) for row in self._do(sa.select(_EVENTS).where(asked))]

    def mark_sent(self, event_id: str, problem: str = "") -> None:
        """Note that an event was sent to its ticket, or why that refuses it."""
        self._do(sa.update(_EVENTS).where(_EVENTS.c.id == event_id).values(sent=True, problem=problem))

    # -- what comes in --------------------------------------------------------------------------------------

    def keep(self, message: TicketMessage) -> None:
        """Keep a message until it is taken; the same again does nothing.

        One that comes after a stop answers nothing, though the run has not stopped yet.
        """
        row: dict[str, Any] = {name: getattr(message, name) for name in ("source", "id", "ticket")}
        last = sa.select(sa.func.coalesce(sa.func.max(_MESSAGES.c.number), 0)).scalar_subquery()
        before = (_MESSAGES.c.source == message.source) & (_MESSAGES.c.ticket == message.ticket)
        with self._work() as work:
            left = work.execute(sa.select(_MESSAGES.c.body).where(before, ~_MESSAGES.c.taken))
            target = PROMPT if any(json.loads(one.body)["stop"] for one in left) else ""
            row |= {"at": _now(), "number": last + 1, "body": json.dumps(asdict(message)), "meant": target}
            work.execute(self._insert(_MESSAGES).values(row).on_conflict_do_nothing())

    def unknown(self, messages: Sequence[TicketMessage]) -> Sequence[TicketMessage]:
        """Return those messages of a ticket that never came."""
        ids = [one.id for one in messages]
        known = {row.id for row in self._do(sa.select(_MESSAGES.c.id).where(_MESSAGES.c.id.in_(ids)))}
        return [one for one in messages if one.id not in known]

    def kept(
        self, run: Run, *, whole: bool = False, after: datetime | None = None
    ) -> Sequence[TicketMessage]:
        """Return the messages to a run that are not taken yet, or the whole of them, in order.

        Args:
            run: The run.
            whole: Whether those count that were taken.
            after: Only those that came later.
        """
        found = sa.select(_MESSAGES.c.body).order_by(_MESSAGES.c.number)
        found = found.where(_MESSAGES.c.source == run.source, _MESSAGES.c.ticket == run.ticket)
        if after is not None:
            found = found.where(_MESSAGES.c.at > after.timestamp())
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

    def forget_old(self, audit: float | None = None) -> None:
        """Forget messages that no sender repeats any more, and who did what, so many seconds later."""
        # Days after which messages are forgotten: no sender repeats them any more.
        old = _MESSAGES.c.at < _now() - 30 * 86_400
        self._do(sa.delete(_MESSAGES).where(old, _MESSAGES.c.taken))
        if audit is not None:
            old = _EVENTS.c.at < _now() - audit
            self._do(sa.delete(_EVENTS).where(old, _EVENTS.c.kind == Happened.ACTED))

    def over(self, machine: str, seconds: float) -> Sequence[Run]:
        """Return the runs of a machine that ended longer than some seconds ago."""
        old = (_RUNS.c.changed < _now() - seconds) & _RUNS.c.state.in_(OVER)
        return [_run(row) for row in self._do(sa.select(_RUNS).where(old, _RUNS.c.machine == machine))]

    def forget(self, run: Run, *, audit: bool = False) -> None:
        """Forget a run that has ended, with what happened in it and what was said; perhaps its audit, too."""
        events = _EVENTS.c.run == run.id
        stays = sa.false() if audit else _EVENTS.c.kind == Happened.ACTED
        messages = (_MESSAGES.c.source == run.source) & (_MESSAGES.c.ticket == run.ticket)
        with self._work() as work:
            work.execute(sa.delete(_RUNS).where(_RUNS.c.id == run.id))
            work.execute(sa.delete(_EVENTS).where(events, ~stays))
            work.execute(sa.delete(_MESSAGES).where(messages))


def _migrate(engine: sa.Engine) -> None:
    """Make the tables, and the columns that an earlier version had not; refuse those of a later version."""
    with engine.begin() as work:
        _TABLES.create_all(work)
        known = work.execute(sa.select(sa.func.max(_SCHEMA.c.version))).scalar() or 0
        if known > VERSION:
            problem = f"The database of runs is of a newer ccq-tui (version {known}): upgrade this one."
            raise RunStoreError(problem)
        there = {one["name"] for one in sa.inspect(work).get_columns(_RUNS.name)}
        # The columns of runs that came later, with the values of older runs.
        for name, default in {"people": "{}", "link": "", "kind": ""}.items():
            if name not in there:
                column = f"{name} TEXT NOT NULL DEFAULT '{default}'"
                work.execute(sa.text(f"ALTER TABLE {_RUNS.name} ADD COLUMN {column}"))
        if known < VERSION:
            work.execute(sa.delete(_SCHEMA))
            work.execute(sa.insert(_SCHEMA).values(version=VERSION))


def driver_url(url: str) -> str:
    """Return a database's URL as SQLAlchemy takes it: Postgres by psycopg, which is installed."""
    found = sa.make_url(re.sub("^postgres(ql)?://", "postgresql+psycopg://", url))
    # Seconds to wait for another process that writes.
    waits = {"timeout": "10"} if found.drivername.startswith("sqlite") else _POSTGRES
    return found.update_query_dict(waits | found.query).render_as_string(hide_password=False)


@contextmanager
def explained() -> Iterator[None]:
    """Raise `RunStoreError` for what the database raises."""
    try:
        yield
    except SQLAlchemyError as error:
        reason = str(getattr(error, "orig", None) or error).strip().splitlines()
        raise RunStoreError(
            f"The database of runs cannot be used: {reason[0] if reason else error!r}"
        ) from error


async def lasting(work: Callable[P, T], *values: P.args, **named: P.kwargs) -> T:
    """Call the store in a thread; while its database is away, again until it is back."""
    pause = FIRST_PAUSE
    while True:
        try:
            return await asyncio.to_thread(partial(work, *values, **named))
        except RunStoreError as error:
            _logger.warning("%s It is tried again in %.1f s.", error, pause)
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)


def _now() -> float:
    return datetime.now(UTC).timestamp()


def _run(row: sa.Row[Any]) -> Run:
    there = dict(row._mapping)
    times = {name: datetime.fromtimestamp(there[name], UTC) for name in ("created", "changed")}
    people = _people(json.loads(there["people"]))
    return Run(**{**there, **times, "state": RunState(there["state"]), "people": people})


def _event(row: sa.Row[Any]) -> RunEvent:
    at = datetime.fromtimestamp(row.at, UTC)
    return RunEvent(row.id, row.run, row.number, Happened(row.kind), at, json.loads(row.body))


def _message(body: dict[str, Any]) -> TicketMessage:
    new, surface = body.pop("new", None), Surface(body.pop("surface", Surface.TICKET))
    if new:
        people, person = _people(new.pop("people", {})), Participant(**new.pop("person", {}))
        new = NewTicket(**new, people=people, person=person)
    author = body.pop("author", "")  # of an earlier version
    person = Participant(**body.pop("person", {"name": author}))
    return TicketMessage(**body, person=person, new=new or None, surface=surface)


def people_to_json(people: Involved) -> str:
    """Return the people of a ticket as the database has them."""
    return json.dumps({role: asdict(one) for role, one in people.items()})


def _people(record: Mapping[str, Any]) -> Involved:
    return {TicketRole(role): Participant(**one) for role, one in record.items()}

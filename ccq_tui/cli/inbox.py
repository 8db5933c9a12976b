"""Commands that print what the inbox holds, or wait for a change of it, for people and for scripts."""

import os
import signal
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ccq_tui.answering.record import Record
from ccq_tui.bridges.claude_code.live_sessions import live_sessions
from ccq_tui.claude_files import claude_directory
from ccq_tui.cli.answer import delivery_words
from ccq_tui.cli.exits import CRASHED, ENDED, Refused, refusing
from ccq_tui.cli.options import AS_JSON, flag, given_settings, seconds_in, setting_flags, with_flags
from ccq_tui.cli.session import begin, end_on_signals
from ccq_tui.cli.store import (
    complete_sessions,
    complete_waiting,
    find_request,
    find_session,
    opened_store,
    place_of,
    polls,
    since_flag,
)
from ccq_tui.config.paths import inbox_path
from ccq_tui.inbox import format as texts
from ccq_tui.inbox import records
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.layout import sentences, table
from ccq_tui.inbox.place import NO_RECORD_WORDS, Place
from ccq_tui.inbox.requests import Asker, Request
from ccq_tui.inbox.store.rows import RequestState, SessionState, StoredRequest
from ccq_tui.inbox.verdicts import InboxError
from ccq_tui.output import echo, not_terminals
from ccq_tui.plain.mode import plain_reason
from ccq_tui.processes import alive
from ccq_tui.text import one_line
from ccq_tui.words import SHORT, bytes_counted
from ccq_tui.worktrees.model import can_be_there

if TYPE_CHECKING:
    from ccq_tui.inbox.store.store import Store


_narrowed = with_flags(
    AS_JSON,
    flag(
        "--session",
        "ID",
        "Only this session: an id or any unambiguous prefix.",
        shell_complete=complete_sessions,
    ),
    since_flag,
)


@click.group(invoke_without_command=True)
@_narrowed
@click.option(
    "--state",
    type=click.Choice(RequestState, case_sensitive=False),
    metavar="STATE",
    help=f"Those in another state: {', '.join(RequestState)}.",
)
@click.option("--asker", type=click.Choice(Asker, case_sensitive=False), help="Only those of this kind.")
@click.option("--jsonl", is_flag=True, help="One line of JSON for each request.")
@click.option("--plain", is_flag=True, help="Print the list, and answer line by line.")
@setting_flags(hidden=True)
def inbox(
    as_json: bool,
    session: str | None,
    start: datetime | None,
    state: RequestState | None,
    asker: Asker | None,
    jsonl: bool,
    plain: bool,
    **_flags: object,
) -> int | None:
    """List and answer the waiting requests of all sessions.

    In a terminal it opens a screen; a session starts only when you answer its request. With --plain, it
    prints the list, oldest first, and asks you for the answers line by line. With any other of these flags,
    in a pipe or without a terminal, it prints the list.
    """
    if click.get_current_context().invoked_subcommand is not None:
        return None
    native = not (as_json or jsonl or session or start or state or asker)
    missing = not_terminals()
    if native and not missing and not plain_reason(os.environ, flag=plain):
        return begin(given_settings(), inbox=True)

    # Nobody would see prompts in a file, or expect them in a pipe without the flag.
    walks = native and (not missing or (plain and missing != ["output"]))
    state = state or RequestState.PENDING
    with opened_store() as store:
        only = None if session is None else find_session(store, session)
        found = [
            item
            for item in store.requests.page(state, only, limit=-1)
            if (start is None or item.asked_at >= start) and asker in (None, item.request.origin.asker)
        ]
        if unread := sorted(store.requests.unreadable):
            numbers = ", ".join(map(str, unread[:10]))
            echo(f"{texts.unread_words(len(unread))}; numbers in the table of requests: {numbers}", err=True)
        if jsonl:
            text = records.lines_report(map(records.request_record, found))
        elif as_json:
            text = records.list_report("requests", map(records.request_record, found))
        else:
            drawn = sentences if plain or walks else table  # in what is read line by line, no columns
            text = "\n".join(_listed(store, found, state, only, drawn, native=native))
    if text:
        echo(text)
    if walks:
        _walk_through()
    return None


def _listed(
    store: "Store",
    found: Sequence[StoredRequest],
    state: RequestState,
    only: str | None,
    drawn: texts.Drawn,
    *,
    native: bool,
) -> list[str]:
    """List requests of a state, answers that are not delivered, and what waits in ``native`` sessions."""
    named = {item.id: item.name for item in store.sessions.page(limit=-1)}

    def names(key: str) -> str:
        return named.get(key) or key[:SHORT]

    lines = texts.inbox_lines(found, texts.shortener(store.ids.requests()), names, drawn)
    if found and state is RequestState.PENDING:
        lines += ["", "ccq-tui show REQUEST says more, ccq-tui answer REQUEST answers."]
    if native and (elsewhere := _native_waiting(store)):
        from ccq_tui.doctor.examine import examine_hooks

        lines += texts.native_lines(elsewhere, hooked=bool(examine_hooks()), drawn=drawn)
    late = store.requests.undelivered_counts()
    if late := {name: count for name, count in late.items() if only in (None, name)}:
        lines += ["", *texts.undelivered_lines(late, names, partial(place_of, store))]
    return lines


def _walk_through() -> None:
    """Answer line by line what waits."""
    import asyncio

    from ccq_tui.inbox.inbox import Inbox
    from ccq_tui.plain.answering import walk
    from ccq_tui.plain.lines import Lines

    def delivered(request: Request, store: "Store") -> str:
        return delivery_words(store, request, place_of(store, request.session_id, request.origin))

    async def walked() -> None:
        inbox = await Inbox.connect(inbox_path())
        inbox.listen()
        try:
            lines = Lines()
            asyncio.get_running_loop().add_signal_handler(signal.SIGINT, lines.interrupt)
            await walk(inbox, lines, Actor.here(Surface.INBOX), delivered)
        finally:
            await inbox.close()

    if os.path.lexists(inbox_path()):
        end_on_signals()
        with refusing(InboxError):
            asyncio.run(walked())


@inbox.command()
@click.argument("file", type=click.Path(path_type=Path))
def backup(file: Path) -> None:
    """Copy the whole inbox into FILE, also while it is in use."""
    with opened_store(needed=True) as store:
        if os.path.lexists(file):
            raise Refused(f"{one_line(str(file), 300)} exists: name another file.")
        store.database.copy_to(file)
        echo(f"The inbox is copied: {one_line(str(file), 300)}, {bytes_counted(file.stat().st_size)}.")


@click.command()
@_narrowed
@click.option(
    "--label", "labels", metavar="KEY[=VALUE]", multiple=True, help="Only those with this label. Repeatable."
)
def sessions(as_json: bool, session: str | None, start: datetime | None, labels: tuple[str, ...]) -> None:
    """List the sessions, the one that changed last at the end."""
    with opened_store() as store:
        only = None if session is None else find_session(store, session)
        found = [
            item
            # All at once: several may have changed at the same time, and a page would end between them.
            for item in reversed(store.sessions.page(limit=-1))
            if only in (None, item.id) and (start is None or item.changed_at >= start)
            if all(map(item.has, labels))
        ]
        waiting, undelivered = store.requests.waiting_counts(), store.requests.undelivered_counts()
        ids = store.ids.sessions()
        rounds = {one.id: len(store.requests.question_sets(one.id)) for one in found if as_json}
    if as_json:
        counts = (waiting, undelivered, rounds)
        rows = (records.session_record(one, *(count.get(one.id, 0) for count in counts)) for one in found)
        echo(records.list_report("sessions", rows))
    else:
        echo("\n".join(texts.session_lines(found, waiting, undelivered, texts.shortener(ids))))


@click.command()
@click.argument("of", metavar="[SESSION]", required=False, shell_complete=complete_sessions)
@_narrowed
@click.option("--after", type=int, metavar="N", help="Only changes with a higher number.")
@click.option("--follow", is_flag=True, help="Print changes as they come, one line of JSON each.")
def history(
    of: str | None,
    as_json: bool,
    session: str | None,
    start: datetime | None,
    after: int | None,
    follow: bool,
) -> None:
    """List every change of a request or a session, oldest first.

    SESSION is the same as with --session.
    """
    session = session if of is None else of
    with opened_store(needed=follow) as store:
        only = None if session is None else find_session(store, session)
        if follow:
            _follow(store, start, only, after)
            return
        found = store.history.changes(start, only, after=after or 0, limit=-1)
        requests, every = store.ids.requests(), store.ids.sessions()
    if as_json:
        echo(records.list_report("changes", (records.change_record(change) for change in found)))
    else:
        echo("\n".join(texts.history_lines(found, texts.shortener(requests), texts.shortener(every))))


def _follow(store: "Store", start: datetime | None, only: str | None, after: int | None) -> None:
    """Print changes as they come, until the reader closes the pipe."""
    end_on_signals()
    if after is None:
        after = 0 if start else store.history.last()
    for _ in polls(store):
        for change in store.history.changes(start, only, after=after, limit=-1):
            after = change.number
            echo(records.lines_report([records.change_record(change)]))


@click.command()
@click.argument("name", metavar="REQUEST|SESSION", shell_complete=complete_waiting)
@click.option(
    "--until",
    type=click.Choice(("answered", "idle", "ended")),
    help="Nothing waits for a person; the turn is over; no process runs. "
    "[default: answered for a request, idle for a session]",
)
@click.option(
    "--timeout", metavar="T", help="At most this long, as in 90s, 15m, 2h; 0 looks once. Then end with 1."
)
@with_flags(AS_JSON)
def wait(name: str, until: str | None, timeout: str | None, as_json: bool) -> int:
    """Wait until a request is decided, or a session's turn is over.

    REQUEST or SESSION is an id or any unambiguous prefix.
    """
    end_on_signals()
    once = timeout in ("0", "0s")
    seconds = 0.0 if once else seconds_in("--timeout", timeout)
    with opened_store() as store:
        if name and store.ids.requests(name, 1):
            if until in ("idle", "ended"):
                raise Refused(f"--until {until} needs a session; a request is only answered.")
            asked = find_request(store, name).request
            what, called = "request", store.ids.name_of(asked)
            decided = partial(_decided, store, asked.id)
        else:
            key = find_session(store, name)
            known = store.sessions.get(key)
            what, called = "session", (known.name if known else "") or key
            decided = partial(_over, store, key, until)
        for _ in polls(store, seconds):
            if (found := decided()) is not None:
                words = f"{one_line(called, 80)}: {found['state']}."
                echo(records.report(what, found) if as_json else words)
                return ENDED
    echo(f"{one_line(called, 80)}: still waits{'' if once else f' after {timeout}'}.", err=True)
    return CRASHED


def _decided(store: "Store", key: str) -> Record | None:
    """Return a request, unless it still waits."""
    now = store.requests.get(key)
    if now is None:
        raise Refused("the request was deleted; ccq-tui history has what became of it.")
    return None if now.state is RequestState.PENDING else records.whole_record(now)


def _over(store: "Store", key: str, until: str | None) -> Record | None:
    """Return a session that is where it is waited for."""
    now, waiting = store.sessions.get(key), store.requests.waiting_counts().get(key, 0)
    if now is None:
        raise Refused("the session was deleted; ccq-tui sessions lists those that are left.")
    match until:
        case "answered":
            has_come = not waiting
        case "ended":
            has_come = not alive(now.owner)
        case _:
            has_come = not alive(now.owner) or (now.state is SessionState.IDLE and not waiting)
    rounds = len(store.requests.question_sets(key))
    return records.session_record(now, waiting, rounds=rounds) if has_come else None


@click.command()
@click.argument("request", shell_complete=complete_waiting)
@with_flags(AS_JSON)
def show(request: str, as_json: bool) -> None:
    """Show a request, and how to answer it or what became of it.

    REQUEST is an id or any unambiguous prefix.
    """
    with opened_store() as store:
        stored = find_request(store, request)
        called, known = store.ids.name_of(stored.request), store.sessions.get(stored.request.session_id)
        unreached = _unreached(store, stored)
    if as_json:
        echo(records.report("request", records.whole_record(stored)))
        return
    there = known is None or not known.directory or can_be_there(Path(known.directory))
    resume = f"ccq-tui resume {one_line(stored.request.session_id[:SHORT], 24)}"
    parts = [
        stored.request.session_id,
        *([known.name, known.directory] if known else []),
        "" if there else f"its directory is gone: {resume} --cwd DIR",
    ]
    session = " · ".join(part for part in parts if part)
    echo("\n".join(texts.request_lines(stored, called, session, unreached)))


def _unreached(store: "Store", stored: StoredRequest) -> str:
    """Say why no agent can receive a decision, or "" if one can."""
    if not kind_of(stored.request).OUTLIVES:
        return ""
    place = place_of(store, stored.request.session_id, stored.request.origin)
    return f"{NO_RECORD_WORDS}." if place is Place.NO_RECORD else ""


def _native_waiting(store: "Store") -> list[StoredRequest]:
    """Return requests that wait in Claude Code's own screen, unless the settings turn this off."""
    config = claude_directory()
    if not any(one.waits for one in live_sessions(config)):
        return []  # reading the settings takes longer than this look

    from ccq_tui.bridges.claude_code.native_sessions import NativeSessions, beside_hooks
    from ccq_tui.config.load import load_settings

    if not load_settings(given_settings()).settings.native_sessions:
        return []
    return beside_hooks(store, NativeSessions(config).waiting())

"""Commands that print what the inbox holds, for people and for scripts."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ccq_tui.cli.exits import ENDED, Refused
from ccq_tui.cli.options import as_json_flag, given_settings, setting_flags
from ccq_tui.cli.session import begin, has_screen
from ccq_tui.cli.store import (
    SINCE,
    complete_sessions,
    complete_waiting,
    find_request,
    find_session,
    opened_store,
    print_lines,
    reach_of,
    since,
)
from ccq_tui.output import echo
from ccq_tui.text import one_line

if TYPE_CHECKING:
    from ccq_tui.inbox.store.rows import Change, StoredRequest, StoredSession
    from ccq_tui.inbox.store.store import Store

AnyCallable = TypeVar("AnyCallable", bound=Callable[..., Any])
PAGE = 500


def _narrowed(function: AnyCallable) -> AnyCallable:
    """Give a command the flags that select and format its rows."""
    function = click.option("--since", "since_text", metavar="T", help=f"Only since then: {SINCE}.")(function)
    of_session = click.option(
        "--session",
        metavar="ID",
        shell_complete=complete_sessions,
        help="Only this session: an id or any unambiguous prefix.",
    )
    return as_json_flag(of_session(function))


@click.group(invoke_without_command=True)
@_narrowed
@click.option("--plain", is_flag=True, help="Print the list even in a terminal.")
@setting_flags(hidden=True)
@click.pass_context
def inbox(
    context: click.Context,
    /,
    as_json: bool,
    session: str | None,
    since_text: str | None,
    plain: bool,
    **_flags: object,
) -> int | None:
    """List and answer the waiting requests of all sessions.

    In a terminal it opens a screen; a session starts only when you answer its request. With any of these
    flags, in a pipe or without a terminal, it prints the list, oldest first.
    """
    if context.invoked_subcommand is not None:
        return None
    if not (as_json or plain or session or since_text) and has_screen():
        return begin(given_settings(context), inbox=True)
    native = not (as_json or session or since_text)
    return _print_inbox(as_json, session, since_text, given_settings(context) if native else None)


@inbox.command()
@click.argument("file", type=click.Path(path_type=Path))
def backup(file: Path) -> int:
    """Copy the whole inbox into FILE, also while it is in use."""
    from ccq_tui.words import bytes_counted

    with opened_store() as store:
        if store is None:
            raise Refused("there is no inbox yet; it is made when ccq-tui starts.")
        if os.path.lexists(file):
            raise Refused(f"{one_line(str(file), 300)} exists: name another file.")
        store.database.copy_to(file)
        print_lines(f"The inbox is copied: {one_line(str(file), 300)}, {bytes_counted(file.stat().st_size)}.")
    return ENDED


@inbox.command()
@click.option("--before", required=True, metavar="T", help=f"Older than this: {SINCE}.")
def prune(before: str) -> int:
    """Delete requests that were answered and delivered, or withdrawn, before T; nothing else.

    The setting prune_after does so at every start.
    """
    from ccq_tui.words import plural

    count, limit = 0, since(before, "--before")
    with opened_store() as store:
        while store and limit and (deleted := store.requests.prune(limit)):
            count += deleted
        print_lines(f"{plural(count, 'request')} deleted.")
        if store and count:
            store.database.shrink()
    return ENDED


def _print_inbox(
    as_json: bool, session: str | None, since_text: str | None, flags: Mapping[str, Any] | None
) -> int:
    from ccq_tui.inbox.format import inbox_lines, native_lines, shortener, undelivered_lines, unread_words
    from ccq_tui.inbox.records import list_report, request_record

    start = since(since_text)
    with opened_store() as store:
        only = None if session is None else find_session(store, session)
        found = [item for item in _waiting(store, only) if start is None or item.asked_at >= start]
        if store and store.requests.unreadable:
            unread = sorted(store.requests.unreadable)
            numbers = ", ".join(map(str, unread[:10]))
            echo(f"{unread_words(len(unread))}; numbers in the table of requests: {numbers}", err=True)
        if as_json:
            print_lines(list_report("requests", (request_record(item) for item in found)))
            return ENDED
        ids, names = _ids(store), _session_names(store)
        late = store.requests.undelivered_counts() if store else {}
        late = {name: count for name, count in late.items() if only in (None, name)}
        reached = {name: reach_of(store, name) for name in late} if store else {}
        native = _native_waiting(store, flags) if flags is not None else []
    lines = inbox_lines(found, shortener(ids), names)
    if found:
        lines += ["", "ccq-tui show REQUEST says more, ccq-tui answer REQUEST answers."]
    lines += native_lines(native, hooked=bool(native) and _is_hooked())
    if late:
        lines += ["", *undelivered_lines(late, names, reached.__getitem__)]
    print_lines("\n".join(lines))
    return ENDED


@click.command()
@_narrowed
def sessions(as_json: bool, session: str | None, since_text: str | None) -> int:
    """List the sessions, the one that changed last at the end."""
    from ccq_tui.inbox.format import session_lines, shortener
    from ccq_tui.inbox.records import list_report, session_record

    start = since(since_text)
    with opened_store() as store:
        only = None if session is None else find_session(store, session)
        found = [
            item
            for item in reversed(_sessions(store))
            if only in (None, item.id) and (start is None or item.changed_at >= start)
        ]
        waiting = store.requests.waiting_counts() if store else {}
        undelivered = store.requests.undelivered_counts() if store else {}
        ids = store.ids.sessions() if store else []
    if as_json:
        print_lines(
            list_report(
                "sessions",
                (session_record(one, waiting.get(one.id, 0), undelivered.get(one.id, 0)) for one in found),
            )
        )
    else:
        print_lines("\n".join(session_lines(found, waiting, shortener(ids), undelivered)))
    return ENDED


@click.command()
@_narrowed
def history(as_json: bool, session: str | None, since_text: str | None) -> int:
    """List every change of a request or a session, oldest first."""
    from ccq_tui.inbox.format import history_lines, shortener
    from ccq_tui.inbox.records import change_record, list_report

    start = since(since_text)
    with opened_store() as store:
        only = None if session is None else find_session(store, session)
        found: list[Change] = []
        while store and (
            page := store.history.changes(start, only, after=found[-1].number if found else 0, limit=PAGE)
        ):
            found += page
        requests = _ids(store)
        every = store.ids.sessions() if store else []
    if as_json:
        print_lines(list_report("changes", (change_record(change) for change in found)))
    else:
        print_lines("\n".join(history_lines(found, shortener(requests), shortener(every))))
    return ENDED


@click.command()
@click.argument("request", shell_complete=complete_waiting)
@as_json_flag
def show(request: str, as_json: bool) -> int:
    """Show a request, and how to answer it or what became of it.

    REQUEST is an id or any unambiguous prefix.
    """
    from pathlib import Path

    from ccq_tui.inbox.format import request_lines
    from ccq_tui.inbox.records import report, whole_record
    from ccq_tui.words import SHORT
    from ccq_tui.worktrees.model import can_be_there

    with opened_store() as store:
        store, stored = find_request(store, request)
        called, known = store.ids.name_of(stored.request), store.sessions.get(stored.request.session_id)
        unreached = _unreached(store, stored)
    if as_json:
        print_lines(report("request", whole_record(stored)))
        return ENDED
    there = known is None or not known.directory or can_be_there(Path(known.directory))
    resume = f"ccq-tui resume {one_line(stored.request.session_id[:SHORT], 24)}"
    parts = [
        stored.request.session_id,
        *([known.name, known.directory] if known else []),
        "" if there else f"its directory is gone: {resume} --cwd DIR",
    ]
    session = " · ".join(part for part in parts if part)
    print_lines("\n".join(request_lines(stored, called, session, unreached)))
    return ENDED


def _unreached(store: Store, stored: StoredRequest) -> str:
    """Say why no agent can receive a decision, or "" if one can."""
    from ccq_tui.inbox.kinds import kind_of
    from ccq_tui.inbox.reach import NO_RECORD_WORDS, Reach

    if not kind_of(stored.request).OUTLIVES:
        return ""
    reach = reach_of(store, stored.request.session_id, stored.request.origin)
    return f"{NO_RECORD_WORDS}." if reach is Reach.NO_RECORD else ""


def _waiting(store: Store | None, only: str | None) -> Iterator[StoredRequest]:
    after = 0
    while store and (page := store.requests.waiting(only, after, PAGE)):
        yield from page
        after = page[-1].number


def _sessions(store: Store | None) -> list[StoredSession]:
    # All at once: several may have changed at the same time, and a page would end between them.
    return store.sessions.page(limit=-1) if store else []


def _native_waiting(store: Store | None, flags: Mapping[str, Any]) -> list[StoredRequest]:
    """Return requests that wait in Claude Code's own screen, unless the settings turn this off."""
    from ccq_tui.bridges.claude_code.live_sessions import live_sessions
    from ccq_tui.claude_files import claude_directory

    config = claude_directory()
    if not any(one.waits for one in live_sessions(config)):
        return []  # reading the settings takes longer than this look

    from ccq_tui.bridges.claude_code.native_sessions import NativeSessions, without_asked
    from ccq_tui.config.load import load_settings

    if not load_settings(flags).settings.native_sessions:
        return []
    found = NativeSessions(config).waiting()
    return without_asked(store, found) if store else found


def _is_hooked() -> bool:
    """Whether our hooks are in a settings file of Claude Code that can be read."""
    from ccq_tui.bridges.claude_code.hook_settings import installed, settings_files
    from ccq_tui.bridges.edited_file import SettingsFileError

    for file in settings_files(os.environ, Path.cwd()):
        with suppress(SettingsFileError):
            if installed(file.read()):
                return True
    return False


def _ids(store: Store | None) -> list[str]:
    return store.ids.requests() if store else []


def _session_names(store: Store | None) -> Callable[[str], str]:
    names = {item.id: item.name for item in _sessions(store)}
    return lambda key: names.get(key) or key[:8]

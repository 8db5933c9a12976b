"""The inbox for commands: opening it, and finding requests and sessions by id."""

import os
import re
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import click
from click.shell_completion import CompletionItem

from ccq_tui.claude_files import recorded_sessions
from ccq_tui.cli.exits import Refused, refusing
from ccq_tui.cli.options import flag
from ccq_tui.config.paths import inbox_path
from ccq_tui.inbox import place
from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.layout import fit
from ccq_tui.inbox.place import Place
from ccq_tui.inbox.requests import Origin
from ccq_tui.inbox.store.rows import StoredRequest, StoredSession
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.verdicts import InboxError
from ccq_tui.output import echo
from ccq_tui.text import one_line, safe
from ccq_tui.worktrees.model import can_be_there

_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
SINCE = "a time as in 2026-01-31, 2026-01-31T12:30 or 2026-01-31T12:30Z, or an age as in 90s, 15m, 2h, 3d"
WHOLE_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_SHOWN = 3
POLL_SECONDS = 0.2
"""Seconds between two checks whether the inbox has changed."""


@contextmanager
def opened_store(*, needed: bool = False) -> Iterator[Store]:
    """Open the inbox while a command runs; if there is none yet, an empty one that leaves nothing behind.

    Raises `Refused` where it cannot be opened or read, or is ``needed`` and not there.
    """
    path = inbox_path()
    with refusing(InboxError), ExitStack() as ending:
        if not os.path.lexists(path):
            if needed:
                raise Refused("there is no inbox yet; it is made when ccq-tui starts.")
            path = Path(ending.enter_context(TemporaryDirectory(prefix="ccq-"))) / path.name
        store = ending.enter_context(closing(Store(path)))
        if store.database.notice:
            echo(store.database.notice, err=True)
        with suppress(InboxError):  # what cannot be written now can still be read
            store.requests.withdraw_orphans()
        yield store


def place_of(store: Store, session_id: str, origin: Origin | None = None) -> Place:
    """Return the place of a session; reads processes and files."""
    checks = place.ResumeChecks(can_be_there, recorded_sessions(os.environ))
    return place.place_of(store.sessions.get(session_id), checks, origin or place.OURS)


def polls(store: Store, seconds: float | None = None) -> Iterator[None]:
    """Yield now, after each change of the inbox and each second, for at most some seconds.

    Raises `Refused` once another file is at the inbox's path.
    """
    until = float("inf") if seconds is None else time.monotonic() + seconds
    while True:
        with suppress(InboxError):
            store.requests.withdraw_orphans()
        version = store.database.versions()
        yield
        if time.monotonic() >= until:
            return
        due = min(until, time.monotonic() + 1.0)  # processes end without a word
        while time.monotonic() < due and store.database.versions() == version:
            time.sleep(min(POLL_SECONDS, max(0.0, due - time.monotonic())))
        if not store.database.is_current():
            raise Refused("the inbox was moved or replaced: run the command again.")


Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def _completing(find: Callable[[Store], Iterable[tuple[str, str]]]) -> Complete:
    """Return what proposes names of the inbox to the shell; nothing if the inbox cannot be read.

    A shell has no place for an error message while it completes.
    """

    def complete(_context: click.Context, _parameter: click.Parameter, start: str) -> list[CompletionItem]:
        with suppress(Refused), opened_store() as store:
            return [
                CompletionItem(name, help=fit(about, 60))
                for name, about in find(store)
                # A harmful name cannot be shown as it is, and its harmless form could not be found again.
                if name.startswith(start) and safe(name, keep_newlines=False) == name
            ]
        return []

    return complete


def _waiting(store: Store) -> Iterator[tuple[str, str]]:
    for one in store.requests.waiting():
        yield store.ids.name_of(one.request), kind_of(one.request).summary(one.request)


complete_waiting = _completing(_waiting)
complete_sessions = _completing(
    lambda store: ((one.id, one.name or one.directory) for one in store.sessions.page())
)


def find_request(store: Store, name: str) -> StoredRequest:
    """Return the request whose id begins with ``name``; raises `Refused`.

    The id of a call is enough if no other session made a call with that id.
    """
    ids = store.ids.requests(name, _SHOWN + 1) if name else []
    if len(ids) > 1 and len(calls := store.ids.requests_of(name)) == 1:
        ids = calls  # other ids begin like this, but it is the whole id of a call

    def called(key: str) -> str:
        stored = store.requests.get(key)
        return store.ids.name_of(stored.request) if stored else key

    key = _one(ids, name, "request", "ccq-tui inbox lists those that wait", called)
    stored = store.requests.get(key)
    if stored is None:
        raise Refused(
            f"the request {one_line(key, 80)} was written by another version and cannot be read: "
            "update ccq-tui."
        )
    return stored


def find_session(store: Store, name: str) -> str:
    """Return the session id that begins with ``name``; raises `Refused` for none or several."""
    ids = store.ids.sessions(name, _SHOWN + 1) if name else []
    return _one(ids, name, "session", "ccq-tui sessions lists them")


def known_session(name: str, *, any_name: bool = False) -> tuple[str, StoredSession | None]:
    """Return the session id that begins with ``name``, and what the inbox knows; raises `Refused`.

    A whole id, or with ``any_name`` any name that no id begins with, may be one that Claude Code alone knows.
    """
    with opened_store() as store:
        known = store.sessions.get(name)
        if not (known or WHOLE_ID.fullmatch(name) or (any_name and not store.ids.sessions(name, 1))):
            name = find_session(store, name)
        return name, store.sessions.get(name)


def _since(_context: click.Context, _parameter: click.Parameter, text: str | None) -> datetime | None:
    """Read a time or an age; a time without a zone is local. Raises `Refused`."""
    if text is None:
        return None
    try:
        if found := re.fullmatch(r"(\d{1,9})([smhdw])", text.strip(), re.ASCII):
            return datetime.now(UTC) - timedelta(**{_UNITS[found[2]]: int(found[1])})
        return datetime.fromisoformat(text.strip()).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise Refused(f"--since takes {SINCE}, not “{one_line(text, 40)}”.") from error


since_flag = flag("--since start", "T", f"Only since then: {SINCE}.", callback=_since)


def _one(ids: list[str], name: str, what: str, where: str, called: Callable[[str], str] = str) -> str:
    shown = one_line(name, 80)
    if name in ids:
        return name
    if not ids:
        raise Refused(f"no {what} has an id that starts with “{shown}”; {where}.")
    if len(ids) > 1:
        some = ", ".join(one_line(called(item), 80) for item in ids[:_SHOWN])
        more = ", …" if len(ids) > _SHOWN else ""
        raise Refused(
            f"several {what}s have an id that starts with “{shown}”: {some}{more}; give more characters."
        )
    return ids[0]

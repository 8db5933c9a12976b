"""Opening the database: who may read it, which version it has, and what becomes of a bad one."""

import fcntl
import json
import os
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from shutil import copyfile

import pytest

from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.requests import Asker, PermissionRequest
from ccq_tui.inbox.store import database
from ccq_tui.inbox.store.database import open_database
from ccq_tui.inbox.store.drafts import draft_to_json
from ccq_tui.inbox.store.encoding import actor_to_json, outcome_to_json
from ccq_tui.inbox.store.rows import CommandKind, CommandState
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.verdicts import Accepted, InboxBusy, InboxTooNew, InboxUnavailable
from ccq_tui.questions import Declined
from tests.actors import PANEL
from tests.unit.inbox.made import known, load_draft

OF_8 = Path(__file__).parent / "databases" / "version_8"
ROOT = Path(__file__).parents[3]
ASKED = PermissionRequest("a", "s", "Bash", {})


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def filled(path: Path) -> None:
    """Make a database with one request, everything in the main file."""
    store = Store(path)
    store.requests.add(ASKED)
    store.close()


def test_only_the_owner_reads_it_also_when_it_was_open_to_others(path: Path) -> None:
    path.parent.mkdir(mode=0o755)
    path.touch(mode=0o644)
    store = Store(path)
    store.requests.add(ASKED)
    files = sorted(path.parent.iterdir())
    assert [file.name for file in files] == ["inbox.db", "inbox.db-shm", "inbox.db-wal"]
    assert [mode(file) for file in (path.parent, *files)] == [0o700, 0o600, 0o600, 0o600]
    store.close()


def test_what_was_confirmed_is_synced_and_references_hold(path: Path) -> None:
    opened = open_database(path)
    settings = {
        name: opened.connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
    }
    assert settings == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "busy_timeout": 3000}
    with pytest.raises(sqlite3.IntegrityError):
        opened.connection.execute("INSERT INTO drafts VALUES ('nobody', '{}', 'now', '', 1)")
    opened.connection.close()


NEW_FIELDS = """
import importlib.util
import sys
from dataclasses import replace
from pathlib import Path

spec = importlib.util.find_spec("ccq_tui.inbox.store.rows")
rows = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
source = Path(spec.origin).read_text()
for line, new in (("deferred: bool = False", "colour: str = 'red'"), ("done: bool = False", "size: int = 5")):
    assert source.count(f"    {line}\\n") == 1
    source = source.replace(line, f"{line}\\n    {new}")
exec(compile(source, spec.origin, "exec"), vars(rows))

from ccq_tui.inbox.requests import PermissionRequest
from ccq_tui.inbox.store.store import Store

store = Store(Path(sys.argv[1]))
old = store.requests.get("a@s")
with store.database.writing() as at:
    store.requests._ask(at, replace(old, request=PermissionRequest("b", "s", "Bash", {}), colour="blue"))
new = store.requests.get("b@s")
sizes = [store.sessions.upsert("s", "/there").size, store.sessions.upsert("s", size=7).size]
print(store.database.notice, old.colour, new.colour, sizes)
store.close()
"""


def test_a_column_is_a_field_in_one_file(path: Path) -> None:
    """What one adds to a record is kept at once, in an inbox that is there, too, which others go on using."""
    filled(path)
    command = [sys.executable, "-c", NEW_FIELDS, str(path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout == " red blue [5, 7]\n", done.stderr
    store = Store(path)
    assert store.database.notice == ""
    assert [one.request.id for one in store.requests.waiting()] == ["a@s", "b@s"]
    store.requests.add(replace(ASKED, tool_use_id="c"))
    colours = store.database.rows("SELECT colour FROM requests ORDER BY number")
    assert [row[0] for row in colours] == ["red", "blue", "red"]
    store.close()


def torn(path: Path) -> None:
    """Damage pages that no opening reads."""
    filled(path)
    content = bytearray(path.read_bytes())
    content[4096:20_000] = b"\xff" * (20_000 - 4096)
    path.write_bytes(content)


def no_database(path: Path) -> None:
    path.write_bytes(b"this is not a database, whatever its name says" * 100)


def foreign(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE requests (mine)")
    connection.close()


@pytest.mark.parametrize("damage", [no_database, foreign])
def test_a_damaged_one_is_moved_aside_and_named(path: Path, damage: Callable[[Path], None]) -> None:
    path.parent.mkdir()
    damage(path)
    before = path.read_bytes()
    store = Store(path)
    (aside,) = path.parent.glob("inbox.db.damaged-*[0-9]")
    assert (
        store.database.notice == f"The inbox was damaged and is kept as {aside.name}; this is an empty one."
    )
    assert aside.read_bytes() == before
    assert mode(aside) == 0o600
    assert store.requests.waiting() == []
    store.requests.add(ASKED)
    store.close()
    again = Store(path)
    assert again.database.notice == ""
    assert [stored.request for stored in again.requests.waiting()] == [ASKED]
    again.close()


def test_damage_that_a_read_meets_is_moved_aside_and_named(path: Path) -> None:
    path.parent.mkdir()
    torn(path)
    store = Store(path)
    with pytest.raises(InboxUnavailable, match=r"kept as inbox\.db\.damaged-.*; .* Try again\."):
        store.requests.waiting()
    assert not store.database.is_current()
    store.close()
    again = Store(path)
    assert again.requests.waiting() == []
    again.close()


def test_openings_share_the_lock_and_check_nothing_while_all_is_well(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full check takes as long as the file is large, and forty hooks may come at once."""
    running = Store(path)
    running.requests.add(ASKED)  # its log is there, as in the middle of every day
    monkeypatch.setattr(database, "_mend", None)
    other = os.open(path.parent, os.O_RDONLY)
    fcntl.flock(other, fcntl.LOCK_SH)
    opened = [Store(path, busy_seconds=0.0) for _ in range(3)]
    running.database.complete()
    assert [one.requests.waiting()[0].request for one in (*opened, running)] == [ASKED] * 4
    assert all(one.database.is_current() for one in (*opened, running)), "a checkpoint is no damage"
    fcntl.flock(other, fcntl.LOCK_EX)
    with pytest.raises(InboxBusy, match="another process opens the inbox; try again"):
        Store(path, busy_seconds=0.0)
    os.close(other)
    for store in (*opened, running):
        store.close()


def test_a_place_that_cannot_be_written_is_said_with_its_name(path: Path) -> None:
    path.parent.write_text("a file where the directory should be")
    with pytest.raises(InboxUnavailable, match=r"state.*: (File exists|Not a directory)"):
        Store(path)
    with pytest.raises(InboxUnavailable, match=r"/proc/no/inbox\.db"):
        Store(Path("/proc/no/inbox.db"))


@pytest.mark.parametrize(
    ("obstacle", "words"),
    [
        (Path.mkdir, "it is not a file"),
        (lambda path: path.symlink_to("nowhere"), "it is a link to nothing"),
        (os.mkfifo, "it is not a file"),
    ],
)
def test_what_cannot_be_a_database_is_named(path: Path, obstacle: Callable[[Path], None], words: str) -> None:
    path.parent.mkdir()
    obstacle(path)
    with pytest.raises(InboxUnavailable, match=words):
        Store(path)


def test_a_full_disk_changes_nothing_and_says_so(path: Path) -> None:
    store = Store(path)
    store.requests.add(ASKED)
    pages = store.database._connection.execute("PRAGMA page_count").fetchone()[0]
    store.database._connection.execute(f"PRAGMA max_page_count = {pages}")
    big = PermissionRequest("b", "s", "Bash", {"command": "x" * 1_000_000})
    with pytest.raises(InboxUnavailable, match="the disk is full"):
        store.requests.add(big)
    assert [stored.request for stored in store.requests.waiting()] == [ASKED]
    assert len(store.history.changes()) == 1
    store.close()


def everything(store: Store) -> dict[str, object]:
    """Return what a store has in the form of the files with what is expected of it."""
    requests = []
    for name in store.ids.requests():
        stored = known(store.requests.get(name))
        draft = load_draft(store, stored.request)
        requests.append(
            {
                "id": stored.request.id,
                "call": stored.request.tool_use_id,
                "session": stored.request.session_id,
                "asker": stored.request.origin.asker,
                "kind": kind_of(stored.request).WORD,
                "state": stored.state,
                "deferred": stored.deferred,
                "outcome": outcome_to_json(stored.outcome) if stored.outcome else None,
                "actor": actor_to_json(stored.actor),
                "way": stored.way,
                "draft": draft_to_json(draft) if draft is not None else None,
                "context": stored.context,
            }
        )
    changes = store.history.changes()
    history = [[one.session_id, one.request_id, one.became, actor_to_json(one.actor)] for one in changes]
    commands = [actor_to_json(one.actor) for one in map(store.commands.get, (1, 2)) if one is not None]
    return {"requests": requests, "history": history, "commands": commands}


def test_an_inbox_of_an_earlier_program_keeps_everything(tmp_path: Path) -> None:
    expected = json.loads((OF_8 / "expected.json").read_text())
    path = copied(tmp_path)
    for _ in range(2):  # a second opening changes nothing
        store = Store(path)
        found = everything(store)
        for kind, wanted in expected.items():
            assert sorted(found[kind], key=str) == sorted(wanted, key=str)  # type: ignore[call-overload]
        store.close()


def test_what_an_earlier_program_left_waits_where_it_was_asked_and_is_answered(tmp_path: Path) -> None:
    store, session = Store(copied(tmp_path)), "01000000-0000-4000-8000-000000000001"
    hook = known(store.requests.get(f"hook_2@hook:{session}"))
    assert (hook.request.origin.asker, hook.request.asker_id) == (Asker.HOOK, session)
    assert {one.request.origin.asker for one in store.requests.waiting(session)} == {Asker.SESSION}
    command = known(store.commands.get(1))
    assert (command.kind, command.state) == (CommandKind.PARK, CommandState.OPEN)
    parked = known(store.requests.get(f"toolu_parked@{session}"))
    assert (parked.deferred, store.requests.add(parked.request).has_draft) == (True, True)
    assert store.requests.settle(parked.request.id, Declined(), PANEL) == Accepted()
    assert store.requests.undelivered(session) == [store.requests.get(parked.request.id)]
    store.close()


@pytest.mark.parametrize(
    ("version", "words"),
    [
        (99, r"version 99, and this program knows version \d+: update ccq-tui"),
        (1, r"inbox\.db: the inbox has version 1, .* move it away"),
        (7, r"inbox\.db: the inbox has version 7, .* move it away"),
    ],
)
def test_one_of_a_version_that_is_not_known_is_refused_and_left_as_it_is(
    path: Path, version: int, words: str
) -> None:
    filled(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {version}")
    before = path.read_bytes()
    with pytest.raises(InboxTooNew if version == 99 else InboxUnavailable, match=words):
        Store(path)
    assert path.read_bytes() == before


def copied(tmp_path: Path) -> Path:
    return Path(copyfile(OF_8 / "inbox.db", tmp_path / "inbox.db"))

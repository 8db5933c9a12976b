"""Why a waiting request gets no notification, and the files by which terminal programs prove a person."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime, time, timedelta, timezone
from pathlib import Path

import pytest

from ccq_tui.processes import owner_of, this_process
from ccq_tui.remote.notify import presence
from ccq_tui.remote.notify.notifier import Suppression, suppression
from ccq_tui.remote.notify.presence import Presence, PresenceFile, read_presences
from tests.steps import until_true

NOW = datetime(2026, 11, 27, 12, 0, tzinfo=UTC)
AT = NOW.timestamp()
NIGHT, NOON = (time(22), time(7)), (time(12), time(13, 30))


PRESENCES = [
    (AT, [], False),  # no terminal is open
    (AT, [Presence(False, AT), Presence(False, AT - 5)], False),
    (AT, [Presence(True, AT - 3600)], True),  # in focus: counted from the asking
    (AT, [Presence(False, AT), Presence(True, AT - 3600)], True),
    (AT, [Presence(None, AT - 19)], True),  # a key press counts for a while
    (AT, [Presence(None, AT - 20)], False),
    (AT, [Presence(True, AT + 1)], False),  # a clock that was set back
    (AT - 20, [Presence(True, AT - 60)], False),
    (AT - 60, [Presence(True, AT - 19)], True),  # from the last proof
    (AT - 60, [Presence(True, AT - 20)], False),
]


@pytest.mark.parametrize(("asked", "presences", "is_present"), PRESENCES)
def test_presence_must_be_proven(asked: float, presences: list[Presence], is_present: bool) -> None:
    found = suppression(asked, presences, NOW, wait=20)
    assert found is (Suppression.PRESENT if is_present else None)


HOURS = [
    ((21, 59), NIGHT, False),
    ((22, 0), NIGHT, True),
    ((7, 0), NIGHT, False),
    ((12, 0), NOON, True),
    ((13, 30), NOON, False),
]


@pytest.mark.parametrize(("clock", "quiet", "is_quiet"), HOURS)
def test_hours_are_quiet(clock: tuple[int, int], quiet: tuple[time, time], is_quiet: bool) -> None:
    there = datetime(2026, 11, 27, *clock, tzinfo=timezone(timedelta(hours=-5)))
    found = suppression(there.timestamp(), (), there, wait=20, quiet=quiet)
    assert found is (Suppression.QUIET if is_quiet else None)


def test_one_that_had_none_waits_for_the_summary() -> None:
    assert suppression(AT, (), NOW, wait=20, free_at=AT + 1) is Suppression.TOO_SOON
    assert suppression(AT, (), NOW, wait=20, free_at=AT) is None
    assert suppression(AT, (), NOW, wait=20, notified=True) is Suppression.NOTIFIED


# -- proofs of presence --------------------------------------------------------------------------------------


async def test_keys_and_focus_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(presence, "KEY_SECONDS", 3600.0)
    file, directory = PresenceFile(tmp_path / "presence"), tmp_path / "presence"

    def focuses() -> list[bool | None]:
        return [one.focused for one in read_presences(directory)]

    assert focuses() == [], "no proof, no file"
    file.pressed()
    await until_true(lambda: focuses() == [None])
    (path,) = directory.iterdir()
    first = path.stat()
    file.pressed()  # too soon for another
    assert path.stat() == first
    monkeypatch.setattr(presence, "KEY_SECONDS", 0.0)
    file.pressed()
    await until_true(lambda: path.stat().st_mtime_ns > first.st_mtime_ns)
    file.focus_reported(False)
    await until_true(lambda: focuses() == [False])
    file.pressed()  # which a terminal out of focus does not get
    await until_true(lambda: focuses() == [True])
    file.end()
    assert list(directory.iterdir()) == []


def test_files_of_dead_processes_are_removed_and_others_left_alone(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        owner = owner_of(process.pid)
        file = tmp_path / f"{owner.pid}@{owner.start}"
        file.write_text("true", encoding="utf-8")
        (tmp_path / f".{file.name}.half-written").touch()
        assert read_presences(tmp_path) == [Presence(True, file.stat().st_mtime)]
    assert read_presences(tmp_path) == []
    assert [path.name[0] for path in tmp_path.iterdir()] == ["."]


@pytest.mark.parametrize("content", ["", "[]", "1", "[" * 90, " " * 101])
def test_a_damaged_file_proves_nothing_of_any(
    tmp_path: Path, content: str, caplog: pytest.LogCaptureFixture
) -> None:
    me, parent = this_process(), owner_of(1)
    (tmp_path / f"{me.pid}@{me.start}").write_text("true", encoding="utf-8")
    (tmp_path / f"{parent.pid}@{parent.start}").write_text(content, encoding="utf-8")
    assert read_presences(tmp_path) == []
    assert "Presence is taken as unproven" in caplog.text

"""The files by which terminal programs prove that a person is there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ccq_tui.processes import owner_of, this_process
from ccq_tui.remote.notify import presence
from ccq_tui.remote.notify.presence import Presence, PresenceFile, read_presences
from tests.steps import until_true


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

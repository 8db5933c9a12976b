"""A disk that really has no room: a small file system of its own, or a limit on the size of files."""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ccq_tui.inbox.requests import Allowed, Denied
from ccq_tui.inbox.store.rows import RequestState
from ccq_tui.inbox.store.store import Store
from tests.actors import PANEL
from tests.unit.inbox.made import known

SIZE = 4 * 1024 * 1024
NO_ROOM = (0, 4096, 20_480, 36_864, 131_072)
"""Bytes: enough for nothing; for the file; for its companions; for some tables; for all but what is asked."""
REASONS = ("the disk is full", "the disk does not read or write it")


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own; skipped where the system gives none."""
    place = tmp_path / "disk"
    place.mkdir()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(b"tmpfs", str(place).encode(), b"tmpfs", 0, f"size={SIZE}".encode()):
        pytest.skip(f"no file system can be mounted: {os.strerror(ctypes.get_errno())}")
    try:
        yield place
    finally:
        assert libc.umount2(str(place).encode(), 2) == 0


@pytest.mark.parametrize("room", NO_ROOM)
def test_a_start_on_a_full_disk_keeps_everything_and_says_so_once(small: Path, room: int) -> None:
    check(small, "tmpfs", room)


@pytest.mark.parametrize("room", NO_ROOM)
def test_a_start_where_no_file_may_grow_keeps_everything_and_says_so_once(tmp_path: Path, room: int) -> None:
    check(tmp_path, "limit", room)


def check(place: Path, way: str, room: int) -> None:
    command = [sys.executable, "-m", "tests.unit.inbox.small_disk", way, str(room), str(place)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    told = json.loads(done.stdout)
    assert len(told["troubles"]) == len(told["renewals"]) == 1, told
    assert told["troubles"][0].endswith(REASONS)
    assert told["opened"] in ("", *told["troubles"])
    assert told["renewals"] == ["Questions are on disk again"]
    store = Store(place / "state" / "inbox.db")
    try:
        over, waits = known(store.requests.get("over@s")), known(store.requests.get("waits@s"))
        session = known(store.sessions.get("s"))
        assert (over.outcome, over.actor and over.actor.surface) == (Allowed("1"), PANEL.surface)
        assert (waits.outcome, waits.state) == (Denied("2"), RequestState.DECLINED)
        assert waits.context.startswith("I looked.")
        assert session.name == "api"
    finally:
        store.close()
    assert {file.name for file in (place / "state").iterdir()} <= {"inbox.db", "inbox.db-wal", "inbox.db-shm"}

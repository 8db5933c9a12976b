"""Records reach their file whole and once, whatever fails on the way."""

import errno
import itertools
import json
import os
import re
import resource
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from ccq_tui.forms.output import OutputError, Records, check_output, read_records, write_record
from tests.processes import begun, codes

STEPS = ("write", "fsync", "ftruncate", "replace")
"""The calls of the system on the way of a record."""
TORN = b'{"id": "torn", "answ'


def record(number: int = 0, *, size: int = 10) -> dict[str, Any]:
    return {"id": str(uuid4()), "number": number, "text": "wörter\u2028\udcff" + "x" * size}


EARLIER = record()
LINE = json.dumps(EARLIER).encode() + b"\n"


def failing(at: int, fail: Callable[[], None]) -> dict[str, Callable[..., Any]]:
    """Return the calls of the system; the one in a place fails halfway."""
    made: list[str] = []

    def guarded(name: str) -> Callable[..., Any]:
        real = getattr(os, name)

        def call(*args: Any, **options: Any) -> Any:
            made.append(name)
            if len(made) == at + 1:
                if name == "write":
                    real(args[0], args[1][: len(args[1]) // 2])
                fail()
            return real(*args, **options)

        return call

    return {name: guarded(name) for name in STEPS}


def full() -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def kill_at(at: int, path: Path, wanted: dict[str, Any]) -> int | None:
    def work() -> None:
        for name, call in failing(at, lambda: os.kill(os.getpid(), signal.SIGKILL)).items():
            setattr(os, name, call)
        write_record(str(path), wanted)

    return codes(begun(work))[0]


@pytest.mark.parametrize(
    "before",
    [b"", LINE, LINE + TORN, TORN, LINE.rstrip()],
    ids=["empty", "whole", "torn", "only torn", "no line end"],
)
def test_killed_at_every_step_a_line_is_whole_or_no_record(before: bytes, tmp_path: Path) -> None:
    kept = [EARLIER] if LINE.rstrip() in before else []
    for at in itertools.count():
        path, wanted = tmp_path / f"{at}.jsonl", record(at)
        path.write_bytes(before)
        ended = kill_at(at, path, wanted)
        read = read_records(str(path))
        assert [one for one in read.records if one != wanted] == kept, at
        write_record(str(path), wanted)
        write_record(str(path), wanted)
        assert read_records(str(path)).records == [*kept, wanted], at
        assert path.read_bytes().startswith(before), "nothing that was there goes"
        if ended == 0:
            break
        assert ended == -signal.SIGKILL
    assert at >= 2


def test_killed_at_every_step_a_new_file_is_whole_or_does_not_exist(tmp_path: Path) -> None:
    for at in itertools.count():
        path, wanted = tmp_path / f"{at}.json", record(at)
        ended = kill_at(at, path, wanted)
        assert not path.exists() or json.loads(path.read_bytes()) == wanted
        write_record(str(path), wanted)
        assert json.loads(path.read_bytes()) == wanted
        with pytest.raises(OutputError, match="exists; name a new file"):
            write_record(str(path), record())
        assert json.loads(path.read_bytes()) == wanted
        if ended == 0:
            break
    assert at >= 3


@pytest.mark.parametrize(
    ("name", "at"), [("all.jsonl", 0), ("all.jsonl", 1), ("new.json", 0), ("new.json", 1)]
)
def test_a_full_disk_leaves_everything_as_it_was(
    name: str, at: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "all.jsonl").write_bytes(LINE)
    path = tmp_path / name
    with monkeypatch.context() as patched:
        for step, call in failing(at, full).items():
            patched.setattr(os, step, call)
        with pytest.raises(OutputError, match=f"{path} was not written: No space left on device"):
            write_record(str(path), record())
    assert {one.name: one.read_bytes() for one in tmp_path.iterdir()} == {"all.jsonl": LINE}


def test_a_write_that_the_system_cuts_short_is_undone(tmp_path: Path) -> None:
    path = tmp_path / "all.jsonl"
    path.write_bytes(LINE)

    def work() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(LINE) + 100, len(LINE) + 100))
        with pytest.raises(OutputError, match="was not written: File too large"):
            write_record(str(path), record(size=1000))

    assert codes(begun(work)) == [0]
    assert path.read_bytes() == LINE


def test_a_record_takes_the_place_of_others_of_its_file(tmp_path: Path) -> None:
    path = tmp_path / "all.jsonl"
    path.write_bytes(LINE + b'{"no": "id"}\n' + TORN)
    path.chmod(0o640)
    new = record(7)
    for _ in range(2):
        write_record(str(path), new, [EARLIER["id"], None])
    assert read_records(str(path)) == Records([{"no": "id"}, new], [2])
    assert path.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("name", ["all.jsonl", "new.json"])
def test_a_disk_that_takes_no_more_is_named_beforehand(name: str, tmp_path: Path) -> None:
    (tmp_path / "all.jsonl").write_bytes(LINE)

    def work() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
        with pytest.raises(OutputError, match=f"{name} cannot be written: File too large"):
            check_output(str(tmp_path / name))

    assert codes(begun(work)) == [0]
    assert [one.name for one in tmp_path.iterdir()] == ["all.jsonl"]


def test_twenty_writers_at_once_write_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "all.jsonl"
    path.write_bytes(LINE + TORN)
    wanted = [[record(writer * 10 + number, size=20_000) for number in range(3)] for writer in range(20)]
    children = [begun(lambda some=some: [write_record(str(path), one) for one in some]) for some in wanted]
    assert codes(*children) == [0] * 20
    read = read_records(str(path))
    assert read.unreadable == [2]
    assert sorted(one["number"] for one in read.records) == sorted(
        one["number"] for one in (EARLIER, *itertools.chain(*wanted))
    )


def test_what_cannot_take_a_record_is_refused_beforehand(tmp_path: Path) -> None:
    (tmp_path / "made.json").write_text("{}")
    (tmp_path / "dangling.json").symlink_to(tmp_path / "nowhere")
    os.mkfifo(tmp_path / "pipe.jsonl")
    for name, text in {
        ".": "is a directory; name a file in it, such as",
        "sub/new.jsonl": "the directory {}/sub does not exist; make it first",
        "made.json": "exists; name a new file, or one that ends in .jsonl to add to it",
        "dangling.json": "exists; name a new file",
        "pipe.jsonl": "exists; name a new file",
        "made.json/new.jsonl": "the directory {}/made.json does not exist; make it first",
        "x" * 300: "cannot be written: File name too long",
    }.items():
        with pytest.raises(OutputError, match=re.escape(text.format(tmp_path))):
            check_output(str(tmp_path / name))
    (tmp_path / "all.jsonl").write_bytes(LINE)
    for fine in ("-", "", str(tmp_path / "new.json"), str(tmp_path / "all.jsonl")):
        check_output(fine)
    assert not (tmp_path / "new.json").exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_what_may_not_be_written_is_refused_beforehand(tmp_path: Path) -> None:
    path = tmp_path / "all.jsonl"
    path.touch(0o400)
    with pytest.raises(OutputError, match="cannot be written; name a file that you may write"):
        check_output(str(path))


def test_a_record_on_standard_output_is_a_line_of_json(capsys: pytest.CaptureFixture[str]) -> None:
    write_record("-", EARLIER)
    write_record("", EARLIER)
    assert json.loads(capsys.readouterr().out) == EARLIER


def test_standard_output_that_takes_no_record_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with Path("/dev/full").open("w") as full, monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", full)
        check_output("-")
        with pytest.raises(OutputError, match="standard output was not written: No space left"):
            write_record("-", EARLIER)
        with suppress(OSError):
            full.close()
        patched.setattr(sys, "stdout", None)
        with pytest.raises(OutputError, match="standard output is closed; name a file with --output"):
            check_output("-")


def test_lines_that_hold_no_record_are_named(tmp_path: Path) -> None:
    path = tmp_path / "all.jsonl"
    assert read_records(str(path)) == Records([], [])
    path.write_bytes(LINE + b"\n[1]\n" + b"[" * 100_000 + b"\n\xff\n" + LINE)
    assert read_records(str(path)) == Records([EARLIER, EARLIER], [3, 4, 5])

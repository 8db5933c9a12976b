"""Writes records to files: each whole, once, and never over anything else.

A file that ends in .jsonl collects records, one a line. Any other file gets one record and must be new.
"""

import json
import os
import tempfile
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from ccq_tui.bounded import parse_json
from ccq_tui.config.paths import expanded
from ccq_tui.output import echo, has_output
from ccq_tui.stored import locked, write_whole
from ccq_tui.text import reason

STDOUT = "-"
COLLECTS = ".jsonl"
LOCK_SECONDS = 30.0
"""Seconds to wait for other writers of a file."""


class OutputError(Exception):
    """A record cannot be written; the message names the file, says why, and is for a person."""


class Records(NamedTuple):
    """The records of a file.

    Attributes:
        records: What could be read, in order.
        unreadable: The numbers of lines that hold no record.
    """

    records: list[dict[str, Any]]
    unreadable: list[int]


def check_output(path: str) -> None:
    """Refuse a file that cannot take a record, before anybody is asked.

    Args:
        path: The file, or "-" for standard output, or "" for no output.

    Raises:
        OutputError: It is a directory or cannot be written, its directory does not exist, or, unless it is
            for .jsonl, it exists.
    """
    if path == STDOUT and not has_output():
        raise OutputError("standard output is closed; name a file with --output")
    if path in (STDOUT, ""):
        return
    file = expanded(path)
    try:
        if file.is_dir():
            raise OutputError(f"{path} is a directory; name a file in it, such as {file / 'answers.jsonl'}")
        if not file.parent.is_dir():
            raise OutputError(f"{path}: the directory {file.parent} does not exist; make it first")
        exists = file.exists() or file.is_symlink()
        if exists and (file.suffix != COLLECTS or not file.is_file()):
            raise OutputError(f"{path} exists; name a new file, or one that ends in {COLLECTS} to add to it")
        if not os.access(file if exists else file.parent, os.W_OK):
            raise OutputError(f"{path} cannot be written; name a file that you may write")
        if os.access(file.parent, os.W_OK):  # a full disk, or one that takes no files
            with tempfile.TemporaryFile(dir=file.parent) as trying:
                # Bytes that are tried to be written before anybody is asked.
                trying.write(bytes(4_096))
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {reason(error)}") from error


def write_record(path: str, record: Mapping[str, Any], replaces: Collection[object] = ()) -> None:
    """Write a record, all of it or nothing; a record whose id is there already is not written again.

    Args:
        path: The file, "-" for standard output, or "" for none.
        record: The record.
        replaces: The ids of records that a file of several loses then.

    Raises:
        OutputError: The file is as it was before.
    """
    if path == "":
        return
    file, line = expanded(path), json.dumps(record, ensure_ascii=False).encode(errors="backslashreplace")
    try:
        if path == STDOUT:
            echo(json.dumps(record))
        elif file.suffix == COLLECTS:
            _append(file, line + b"\n", str(record["id"]), replaces)
        else:
            _create(file, line + b"\n", str(record["id"]))
    except OSError as error:
        name = "standard output" if path == STDOUT else path
        raise OutputError(f"{name} was not written: {reason(error)}") from error


def read_records(path: str) -> Records:
    """Return the records of a file that collects them; none if it does not exist. Raises OSError."""
    found = Records([], [])
    with suppress(FileNotFoundError), expanded(path).open("rb") as file:
        for number, line in enumerate(file, 1):
            record = _record(line)
            if record is not None:
                found.records.append(record)
            elif line.strip():
                found.unreadable.append(number)
    return found


def _record(line: bytes) -> dict[str, Any] | None:
    try:
        found = parse_json(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _holds(line: bytes, record_id: str) -> bool:
    """Whether a line is the record of an id; that of any other line is not parsed."""
    return record_id.encode() in line and (_record(line) or {}).get("id") == record_id


def _append(file: Path, line: bytes, record_id: str, replaces: Collection[object] = ()) -> None:
    with locked(file, LOCK_SECONDS) as is_ours:
        if not is_ours:
            raise OutputError(f"{file} is locked by another program; end it, and try again")
        handle = os.open(file, os.O_RDWR | os.O_CLOEXEC)
        try:
            with os.fdopen(os.dup(handle), "rb") as reading:
                last = b"\n"
                for last in reading:
                    if _holds(last, record_id):
                        return
                end = reading.tell()
            try:
                os.lseek(handle, end, os.SEEK_SET)
                # What follows a line that a crash cut must not become a part of it.
                rest = line if last.endswith(b"\n") else b"\n" + line
                while rest:
                    rest = rest[os.write(handle, rest) :]
                os.fsync(handle)
            except BaseException:
                os.ftruncate(handle, end)
                raise
        finally:
            os.close(handle)
        if replaces:
            lines = file.read_bytes().splitlines(keepends=True)
            kept = [one for one in lines if (_record(one) or {}).get("id", line) not in replaces]
            write_whole(file.resolve(), b"".join(kept), file.stat().st_mode & 0o777, synced=True)
        _sync_directory(file)


def _create(file: Path, line: bytes, record_id: str) -> None:
    with locked(file.parent, LOCK_SECONDS) as is_ours:
        if not is_ours:
            raise OutputError(f"{file.parent} is locked by another program; end it, and try again")
        if file.exists() or file.is_symlink():
            if file.is_file() and _holds(file.read_bytes(), record_id):
                return
            raise OutputError(f"{file} exists; name a new file, or one that ends in {COLLECTS} to add to it")
        write_whole(file, line, synced=True)
        _sync_directory(file)


def _sync_directory(file: Path) -> None:
    """Let a new name of a file survive a power failure, where the system can."""
    with suppress(OSError):
        handle = os.open(file.parent, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

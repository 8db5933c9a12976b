"""Bounded reading of small files that people write, such as settings.

A pipe or a device would block the program forever, a sparse file fill its memory, and deep nesting crash it.
"""

import errno
import json
import os
import re
import stat
import tomllib
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

SETTINGS_BYTES = 100_000
"""Largest settings or theme file; anything larger is something else."""
JSON_BYTES = 1_000_000
"""Largest JSON file that is read whole."""
DEEPEST = 64
"""Most levels of nested tables and lists."""
_PART = r"""(?:[A-Za-z0-9_-]++|"[^"\n]*"|'[^'\n]*')"""
_LONG_KEY = re.compile(rf"(?<![A-Za-z0-9_-]){_PART}(?:[ \t]*\.[ \t]*{_PART}){{{DEEPEST}}}")
"""Matches a dotted key with so many parts that parsing it takes minutes."""


class UnfitFileError(ValueError):
    """A file that cannot be read, or is not what it should be; the message says why."""


def read_bytes(path: Path, most: int) -> bytes:
    """Read a file whole; raises `UnfitFileError` for no regular file or a larger one, and OSError."""
    found = begin(path, most + 1)
    if len(found) > most:
        raise UnfitFileError(f"is larger than {most:,} bytes")
    return found


def begin(path: Path, most: int, at: int = 0) -> bytes:
    """Read bytes of a file from offset ``at``; raises `UnfitFileError` for no regular file, and OSError."""
    # Do not wait for a writer if the file is a pipe.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    kind = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(kind):
        os.close(descriptor)
        if stat.S_ISDIR(kind):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        raise UnfitFileError("is not a file")
    with os.fdopen(descriptor, "rb") as file:
        file.seek(at)
        return file.read(most)


def read_text(path: Path, most: int = SETTINGS_BYTES) -> str:
    """Read a UTF-8 file whole; raises `UnfitFileError` for anything wrong with it."""
    try:
        return read_bytes(path, most).decode("utf-8-sig")
    except OSError as error:
        raise UnfitFileError(f"cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UnfitFileError(f"is not UTF-8 text: {error.reason}") from error


def parse_toml(text: str, number: Callable[[str], Any] = float) -> dict[str, Any]:
    """Parse TOML; ``number`` reads its fractions; raises TOMLDecodeError when it is invalid or too deep."""
    with suppress(RecursionError):
        if not _LONG_KEY.search(text) and _is_flat(values := tomllib.loads(text, parse_float=number)):
            return values
    raise tomllib.TOMLDecodeError(TOO_DEEP)


def toml_place(error: tomllib.TOMLDecodeError, text: str) -> tuple[str, int, str]:
    """Split tomllib's "(at line 3, column 5)" off its message: the cause, the line or 0, the column."""
    message = str(error)
    found = re.search(r" \(at (?:line (\d+), column (\d+)|end of document)\)$", message)
    if found is None:
        return message, 0, ""
    line = int(found[1] or text.rstrip("\n").count("\n") + 1)
    return message[: found.start()], line, f"column {found[2]}" if found[2] else "end of file"


def parse_json(
    text: str | bytes,
    number: Callable[[str], Any] = float,
    keys: Callable[[list[tuple[str, Any]]], Any] | None = None,
) -> Any:
    """Parse JSON; ``number`` reads fractions, ``keys`` objects; raises ValueError if invalid or too deep."""
    with suppress(RecursionError):
        if _is_flat(content := json.loads(text, parse_float=number, object_pairs_hook=keys)):
            return content
    raise ValueError(TOO_DEEP)


def json_object(path: Path, most: int = JSON_BYTES) -> dict[str, Any]:
    """Return the JSON object in a file; an empty one if none can be read, which its own program reports."""
    try:
        found = parse_json(read_bytes(path, most))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


TOO_DEEP = f"it is nested more than {DEEPEST} levels deep"


def _is_flat(content: Any) -> bool:
    level = _inner([content])
    for _ in range(DEEPEST):
        if not level:
            return True
        level = _inner(value for one in level for value in (one.values() if isinstance(one, dict) else one))
    return not level


def _inner(values: Iterable[Any]) -> list[Any]:
    return [one for one in values if isinstance(one, dict | list)]

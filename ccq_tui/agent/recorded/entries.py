"""Parses a line into JSON objects of any shape, with text that can be shown."""

from __future__ import annotations

import json
import re
from typing import Any

from ccq_tui.claude_lines import bounded, whole_entries

Entry = dict[str, Any]

DEEPEST = 40
"""Most levels of an input or a record that are kept."""
MOST_ITEMS = 2_000
LONGEST_TEXT = 200_000

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_LONE_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


class BadLineError(ValueError):
    """A line is not JSON, or not of objects."""


def entries(data: bytes, *, too_long: bool = False) -> list[Entry]:
    """Read the objects of a line, none for an empty one; raises `BadLineError`."""
    if too_long:
        raise BadLineError("too long")
    data = data.removeprefix(_BYTE_ORDER_MARK).strip()
    if not data:
        return []
    try:
        found = json.loads(data.decode())
        if _LONE_SURROGATE.search(data):
            found = _whole(found)
    except (ValueError, RecursionError) as error:
        found = _whole(whole_entries(data.decode(errors="replace"))[0])
        if not found:
            raise BadLineError("not JSON") from error
    items = found if isinstance(found, list) else [found]
    objects = [item for item in items if isinstance(item, dict)]
    if not objects:
        raise BadLineError("no object")
    return objects


def _whole(value: Any) -> Any:
    """Replace lone surrogates, which JSON can contain and nothing can show."""
    match value:
        case str():
            return value.encode("utf-8", "replace").decode()
        case list():
            return [_whole(item) for item in value]
        case dict():
            return {_whole(name): _whole(item) for name, item in value.items()}
        case _:
            return value


def kept(value: Any, depth: int = 0) -> Any:
    """Return a copy of a value without the parts that are too deep, too many or too long to be shown."""
    match value:
        case str():
            return bounded(value, LONGEST_TEXT)
        case list():
            return [kept(item, depth + 1) for item in value[:MOST_ITEMS]] if depth < DEEPEST else "…"
        case dict():
            if depth >= DEEPEST:
                return "…"
            return {name: kept(value[name], depth + 1) for name in list(value)[:MOST_ITEMS]}
        case _:
            return value

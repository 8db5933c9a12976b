"""The lines of Claude Code's stream and of its records: JSON objects, whose shape may be any."""

import json
import math
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any

from ccq_tui.words import bytes_counted

Line = Mapping[str, Any]

QUESTION_TOOL, PLAN_TOOL = "AskUserQuestion", "ExitPlanMode"
MAX_OUTPUT_CHARACTERS = 200_000
"""Most characters kept of a text; the model has all of it, a person reads both ends."""
_BEGIN = re.compile(r'\{\s*"(?:parentUuid|type|uuid|session_?[iI]d|isSidechain|message)"')
_NOTHING = "\0 \t\r\n"


def record_entry(line: bytes) -> dict[str, Any]:
    """Return the entry in a line of a record; empty for a line that a killed CLI left unfinished."""
    return next(iter(whole_entries(line.decode(errors="replace"))[0]), {})


def blocks_of(message: Any) -> list[Mapping[str, Any]]:
    """Return the content blocks of a message; a text alone is one."""
    line: Line = message if isinstance(message, Mapping) else {}
    content = line.get("content")
    return [{"type": "text", "text": content}] if isinstance(content, str) else objects(line, "content")


def whole_entries(line: str) -> tuple[list[dict[str, Any]], bool]:
    """Return the whole entries in a line of a record, and whether anything else is in it.

    A process that is killed leaves the beginning of one, and the next process writes behind it.
    """
    found: list[dict[str, Any]] = []
    with suppress(ValueError, RecursionError):
        read = json.loads(line.removeprefix("\ufeff"))
        found = [one for one in (read if isinstance(read, list) else [read]) if isinstance(one, dict)]
        return found, not found
    decoder, at, torn = json.JSONDecoder(), 0, False
    while (place := _BEGIN.search(line, at)) is not None:
        torn, at = torn or bool(line[at : place.start()].strip(_NOTHING)), place.start()
        try:
            entry, at = decoder.raw_decode(line, at)
        except (ValueError, RecursionError):
            torn, at = True, at + 1
            continue
        if not torn or {"uuid", "sessionId", "session_id"} & entry.keys():  # else a part of what was torn
            found.append(entry)
    return found, torn or bool(line[at:].strip(_NOTHING))


def text(line: Line, *names: str) -> str:
    """Return the first of some fields that is a text, or ""."""
    return next((line[name] for name in names if isinstance(line.get(name), str)), "")


def fields(line: Line, *names: str) -> Line:
    """Return the first of some fields that is an object, or an empty one."""
    return next((line[name] for name in names if isinstance(line.get(name), Mapping)), {})


def objects(line: Line, name: str) -> list[Line]:
    """Return the objects of a field that is a list, none of another."""
    listed = line.get(name)
    return [one for one in listed if isinstance(one, Mapping)] if isinstance(listed, list) else []


def number(line: Line, name: str) -> float | None:
    """Return a field that is a number of a sensible size, or None."""
    value = line.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) and abs(value) < 1e15 else None


def time_of(line: Line) -> datetime | None:
    """Return when a line was written, or None if it does not say."""
    try:
        return datetime.fromisoformat(text(line, "timestamp")).astimezone()
    except (ValueError, OverflowError, OSError):
        return None


def output_text(content: Any) -> str:
    """Return a tool result's content as bounded text; other content is named with its kind and size."""
    if isinstance(content, list):
        content = "\n".join(_block_text(block) for block in content)
    return bounded("" if content is None else str(content))


def bounded(text: str, limit: int = MAX_OUTPUT_CHARACTERS) -> str:
    """Return a text with its middle cut out beyond a limit, and a line that says how much is missing."""
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]}\n… {len(text) - 2 * half:,} characters left out …\n{text[-half:]}"


def _block_text(block: Any) -> str:
    if not isinstance(block, dict):
        return str(block)
    if block.get("type") == "text":
        return str(block.get("text", ""))
    return f"[{', '.join([str(block.get('type', 'unknown')), *_facts(block.get('source'))])}]"


def _facts(source: Any) -> Iterator[str]:
    """Yield the kind and the size of a block's data."""
    if not isinstance(source, dict):
        return
    if source.get("media_type"):
        yield str(source["media_type"])
    data = source.get("data")
    if isinstance(data, str) and source.get("type") == "base64":
        yield bytes_counted(len(data) * 3 // 4 - data[-2:].count("="), exact=True)

"""JSON settings of other programs, and changes in their text: all else keeps its place, order and look."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ccq_tui.bounded import parse_json
from ccq_tui.bridges.edited_file import SettingsFileError

_MARK = "\ufeff"
_BLANK = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()
_INDENT = re.compile(r"\n([ \t]+)\S")


def read_object(text: str, plain: Callable[[str], str] = str) -> dict[str, Any]:
    """Return the object that settings are; a blank text is an empty one.

    Raises `SettingsFileError` for anything else, and where a key comes twice: programs read one of them.
    """
    text = plain(text.removeprefix(_MARK))
    if not text.strip():
        return {}
    try:
        value = parse_json(text)
        json.loads(text, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        raise SettingsFileError(_problem(text, error)) from error
    except ValueError as error:
        raise SettingsFileError(str(error)) from error
    if not isinstance(value, dict):
        raise SettingsFileError("it is no JSON object")
    return value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise SettingsFileError(f'it has "{name}" twice: only the last one is read')
        found[name] = value
    return found


def _problem(text: str, error: json.JSONDecodeError) -> str:
    line = text.splitlines()[error.lineno - 1] if error.lineno <= len(text.splitlines()) else ""
    if line.lstrip().startswith(("//", "/*", "#")) or text[error.pos : error.pos + 2] in ("//", "/*"):
        return f"line {error.lineno} is a comment, which JSON does not have: take it out"
    return f"line {error.lineno} is no JSON: {error.msg.lower()}, at character {error.colno}"


def rewritten(text: str, value: Any, plain: Callable[[str], str] = str) -> str:
    """Return the text of JSON with another value; only the differences are written.

    Args:
        text: JSON as `json.loads` takes it; a blank text is an empty object.
        value: The value to write. Members and items that are new come last.
        plain: Makes the text readable, and keeps the place of every value: for JSON with comments.
    """
    mark, text = text[: text.startswith(_MARK)], text.removeprefix(_MARK)
    text = text if text.strip() else "{}\n"
    while (changed := _one_change(text, _read(plain(text)), value)) is not None:
        text = changed
    return mark + text


@dataclass(slots=True)
class TextSpan:
    """The place of a value.

    Attributes:
        begin: Its first character.
        end: The character after its last one.
        key: The first character of its key, if it is a member of an object, else its own.
        value: The value.
        parts: The places of an array's items, by number, or of an object's members, by key.
    """

    begin: int
    end: int
    key: int
    value: Any
    parts: dict[int | str, TextSpan] = field(default_factory=dict)


def _one_change(text: str, place: TextSpan, value: Any) -> str | None:
    """Return the text with one difference less between a place and a value, or None if there is none."""
    before = place.value
    if isinstance(before, dict) and isinstance(value, dict):
        for key, member in place.parts.items():
            if key not in value:
                return _without(text, place, member)
            if (changed := _one_change(text, member, value[key])) is not None:
                return changed
        new = next((key for key in value if key not in before), None)
        return None if new is None else _added(text, place, value[new], f"{json.dumps(new)}: ")
    if isinstance(before, list) and isinstance(value, list):
        for item, wanted in zip(place.parts.values(), value, strict=False):
            if (changed := _one_change(text, item, wanted)) is not None:
                return changed if len(before) <= len(value) else _without(text, place, item)
        if len(before) > len(value):
            return _without(text, place, place.parts[len(value)])
        return None if len(before) == len(value) else _added(text, place, value[len(before)])
    if json.dumps(before) == json.dumps(value):
        return None
    return text[: place.begin] + _dumped(text, value, _outer(text, place)) + text[place.end :]


def _without(text: str, whole: TextSpan, gone: TextSpan) -> str:
    parts = list(whole.parts.values())
    at = next(number for number, one in enumerate(parts) if one is gone)
    if len(parts) == 1:
        return text[: whole.begin + 1] + text[whole.end - 1 :]
    if at + 1 < len(parts):
        return text[: gone.key] + text[_blank(text, text.index(",", gone.end) + 1) :]  # keeps comments
    return text[: parts[at - 1].end] + text[gone.end :]


def _added(text: str, whole: TextSpan, value: Any, key: str = "") -> str:
    newline, inner = _newline(text), _inner(text, whole)
    words = key + _dumped(text, value, inner)
    if not whole.parts:
        end = f"{newline}{_outer(text, whole)}{text[whole.end - 1 :]}"
        return f"{text[: whole.begin + 1]}{newline}{inner}{words}{end}"
    last = list(whole.parts.values())[-1]
    own_line = "\n" in text[whole.begin : last.key] and not _line_before(text, last.key).strip(" \t")
    return text[: last.end] + (f",{newline}{inner}" if own_line else ", ") + words + text[last.end :]


def _dumped(text: str, value: Any, indent: str) -> str:
    words = json.dumps(value, indent=_step(text), ensure_ascii=False)
    return words.replace("\n", _newline(text) + indent)


def _step(text: str) -> str:
    """Return the indent of one level."""
    found = _INDENT.search(text)
    return found[1] if found else "  "


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _line_before(text: str, at: int) -> str:
    return text[text.rfind("\n", 0, at) + 1 : at]


def _outer(text: str, whole: TextSpan) -> str:
    """Return the indent of the line on which something begins."""
    line = _line_before(text, whole.begin)
    return line[: len(line) - len(line.lstrip(" \t"))]


def _inner(text: str, whole: TextSpan) -> str:
    """Return the indent of the parts of an array or object."""
    first = next(iter(whole.parts.values()), None)
    if first is not None and not (lead := _line_before(text, first.key)).strip(" \t"):
        return lead
    return _outer(text, whole) + _step(text)


def _blank(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at


def _read(text: str, at: int = 0, key: int | None = None) -> TextSpan:
    """Return the place of the value at an offset, and of each value in it."""
    at = _blank(text, at)
    place = TextSpan(at, at, at if key is None else key, None)
    if text[at] not in "{[":
        place.value, place.end = _DECODER.raw_decode(text, at)
        return place
    place.value = {} if text[at] == "{" else []
    at = _blank(text, at + 1)
    while text[at] not in "}]":
        begin = at
        if isinstance(place.value, dict):
            name, at = _DECODER.raw_decode(text, at)
            part = _read(text, _blank(text, at) + 1, begin)  # after the colon
            place.parts[name] = part
            place.value[name] = part.value
        else:
            part = _read(text, at)
            place.parts[len(place.parts)] = part
            place.value.append(part.value)
        at = _blank(text, part.end)
        if text[at] == ",":
            at = _blank(text, at + 1)
    place.end = at + 1
    return place

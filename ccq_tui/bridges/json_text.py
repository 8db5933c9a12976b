"""Changes of JSON in its text: everything else keeps its place, its order and its look.

The text must be readable by `json`; this module only finds the place of each value.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

_BLANK = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()
_INDENT = re.compile(r"\n([ \t]+)\S")


@dataclass(slots=True)
class TextSpan:
    """The place of a value.

    Attributes:
        begin: Its first character.
        end: The character after its last one.
        key: The first character of its key, if it is a member of an object, else its own.
        value: The value.
        items: The places of the items of an array.
        members: The places of the members of an object, by key.
    """

    begin: int
    end: int
    key: int
    value: Any
    items: list[TextSpan] = field(default_factory=list)
    members: dict[str, TextSpan] = field(default_factory=dict)
    twice: list[str] = field(default_factory=list)
    """Keys that the object has twice; the last one counts."""


def places(text: str) -> TextSpan:
    """Return the place of each value of a text, which must be JSON as `json.loads` takes it."""
    at = _blank(text, 0)
    return _value(text, at, at)


def with_item(text: str, array: TextSpan, value: Any) -> str:
    """Return the text with one more item at the end of an array."""
    return _added(text, array, array.items, _written(text, array, value))


def with_member(text: str, place: TextSpan, key: str, value: Any) -> str:
    """Return the text with one more member at the end of an object."""
    words = f"{json.dumps(key)}: {_written(text, place, value)}"
    return _added(text, place, list(place.members.values()), words)


def without(text: str, whole: TextSpan, gone: TextSpan) -> str:
    """Return the text without the item ``gone`` of an array, or member of an object, ``whole``."""
    all_of_it = whole.items or list(whole.members.values())
    at = next(number for number, one in enumerate(all_of_it) if one is gone)
    if len(all_of_it) == 1:
        return text[: whole.begin + 1] + text[whole.end - 1 :]
    if at + 1 < len(all_of_it):
        return text[: gone.key] + text[_blank(text, text.index(",", gone.end) + 1) :]  # keeps comments
    return text[: all_of_it[at - 1].end] + text[gone.end :]


def replaced(text: str, place: TextSpan, value: Any) -> str:
    """Return the text with another value in a place."""
    lead = text[text.rfind("\n", 0, place.begin) + 1 : place.begin]
    outer = lead[: len(lead) - len(lead.lstrip(" \t"))]
    return text[: place.begin] + _dumped(text, value, outer) + text[place.end :]


def _added(text: str, whole: TextSpan, there: list[TextSpan], words: str) -> str:
    newline, inner, outer = _newline(text), _inner(text, whole), _outer(text, whole)
    if there:
        apart = text[text.rfind("\n", 0, there[-1].key) + 1 : there[-1].key]
        own_line = "\n" in text[whole.begin : there[-1].key] and not apart.strip(" \t")
        lead = f",{newline}{inner}" if own_line else ", "
        return text[: there[-1].end] + lead + words + text[there[-1].end :]
    return f"{text[: whole.begin + 1]}{newline}{inner}{words}{newline}{outer}{text[whole.end - 1 :]}"


def _written(text: str, whole: TextSpan, value: Any) -> str:
    return _dumped(text, value, _inner(text, whole))


def _dumped(text: str, value: Any, indent: str) -> str:
    words = json.dumps(value, indent=_step(text), ensure_ascii=False)
    return words.replace("\n", _newline(text) + indent)


def _step(text: str) -> str:
    """Return the indent of one level."""
    found = _INDENT.search(text)
    return found[1] if found else "  "


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _outer(text: str, whole: TextSpan) -> str:
    """Return the indent of the line on which something begins."""
    line = text[text.rfind("\n", 0, whole.begin) + 1 :]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _inner(text: str, whole: TextSpan) -> str:
    """Return the indent of the parts of an array or object."""
    first = next(iter(whole.items or whole.members.values()), None)
    if first is not None:
        lead = text[text.rfind("\n", 0, first.key) + 1 : first.key]
        if not lead.strip(" \t"):
            return lead
    return _outer(text, whole) + _step(text)


def _blank(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at


def _value(text: str, at: int, key: int) -> TextSpan:
    match text[at]:
        case "{":
            return _object(text, at, key)
        case "[":
            return _array(text, at, key)
        case _:
            value, end = _DECODER.raw_decode(text, at)
            return TextSpan(at, end, key, value)


def _object(text: str, at: int, key: int) -> TextSpan:
    place = TextSpan(at, at, key, {})
    at = _blank(text, at + 1)
    while text[at] != "}":
        begin = at
        name, at = _DECODER.raw_decode(text, at)
        at = _blank(text, _blank(text, at) + 1)  # after the colon
        member = _value(text, at, begin)
        if name in place.members:
            place.twice.append(name)
        place.members[name], place.value[name] = member, member.value
        at = _next(text, member.end)
    place.end = at + 1
    return place


def _array(text: str, at: int, key: int) -> TextSpan:
    place = TextSpan(at, at, key, [])
    at = _blank(text, at + 1)
    while text[at] != "]":
        item = _value(text, at, at)
        place.items.append(item)
        place.value.append(item.value)
        at = _next(text, item.end)
    place.end = at + 1
    return place


def _next(text: str, at: int) -> int:
    at = _blank(text, at)
    return _blank(text, at + 1) if text[at] == "," else at

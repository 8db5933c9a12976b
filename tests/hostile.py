"""Hostile text, and whatever the program's own types say may hold some."""

import dataclasses
import enum
import re
import types
import typing
from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from typing import Any

from ccq_tui.agent import events
from ccq_tui.agent.events import AgentEvent

MARK = (
    "\x1b]0;OWNED\x07\x1b[8;7777m\x1b[2;7777J\x9d0;OWNED\x9c\x9b31m\x7f\x08"
    "\u202e\u2066\u200b\u2060\ufeff\u00ad\u2028\U000e0041\u6f22e\u0301\u0301\u0301\u0301\u0301\u0301\r\t\nFORGED"
)
"""A title, hidden text, an erased screen, the same in C1, text that runs backwards or is unseen, a wide
character, one under a tower of marks, a line.
"""
TEXT = MARK + "\x00\ud800"
"""The same with what a file, a name and a variable cannot hold, but a model's JSON can."""
FORBIDDEN = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]"
    "|[\u0300-\u036f]{5}"
)
"""What must not reach a terminal. Of characters that hide, those that no living text in these tests has."""
FORGED = re.compile("^FORGED", re.MULTILINE)
SIGNS = ("␛", "\\x1b", "\\u001b", "\\033")
"""How an ESC that was planted is seen in what was printed."""


def in_toml(text: str) -> str:
    """Write a text as TOML has it, in ASCII."""
    return "".join(
        one if " " <= one <= "~" and one not in '"\\' else f"\\U{ord(one):08x}" for one in text
    ).join('""')


def variants(kind: Any, inside: tuple[Any, ...] = ()) -> list[Any]:
    """Return values of a type that between them have each of its alternatives, every text of them hostile.

    Args:
        kind: A type, as annotations have it.
        inside: The types that it is a part of; one inside itself is left out.
    """
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if kind in inside:
        return []
    if kind is Any:
        return [TEXT]
    if origin in (typing.Union, types.UnionType):
        return [one for part in arguments for one in variants(part, inside)]
    if origin is typing.Annotated:
        return variants(arguments[0], inside)
    if origin is typing.Literal:
        return list(arguments)
    if isinstance(kind, type) and origin is None:
        return _plain(kind, inside)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return [
            {name: one for name in variants(arguments[0], inside) for one in variants(arguments[1], inside)}
        ]
    if isinstance(origin, type) and issubclass(origin, Collection):
        return [origin(variants(arguments[0], inside)) if origin in (list, tuple, frozenset) else ()]
    raise TypeError(f"no hostile values of {kind!r} are known")


def _plain(kind: type, inside: tuple[Any, ...]) -> list[Any]:
    known: dict[Any, list[Any]] = {
        str: [TEXT],
        object: [TEXT],
        bool: [True, False],
        int: [2],
        float: [1.5],
        types.NoneType: [None],
        datetime: [datetime(2026, 1, 31, tzinfo=UTC)],
    }
    if kind in known:
        return known[kind]
    if issubclass(kind, enum.Enum):
        return list(kind)
    if kind is AgentEvent:
        kinds = (
            one for one in vars(events).values() if isinstance(one, type) and issubclass(one, AgentEvent)
        )
        return [one for part in kinds if part is not AgentEvent for one in variants(part, inside)]
    if dataclasses.is_dataclass(kind):
        hints = typing.get_type_hints(kind)
        fields = {
            field.name: variants(hints[field.name], (*inside, kind)) for field in dataclasses.fields(kind)
        }
        if any(not values for values in fields.values()):
            return []  # it holds itself
        most = max((len(values) for values in fields.values()), default=1)
        return [
            kind(**{name: values[number % len(values)] for name, values in fields.items()})
            for number in range(most)
        ]
    if issubclass(kind, str):
        return [kind(TEXT)]
    if issubclass(kind, tuple):  # a named one
        return [kind(*(variants(hint, inside)[0] for hint in typing.get_type_hints(kind).values()))]
    raise TypeError(f"no hostile values of {kind!r} are known")

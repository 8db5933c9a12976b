"""Requests and outcomes as JSON: versioned, ASCII, and read tolerantly.

An unknown field is ignored and a missing one has its default, so that programs of neighbouring versions can
share an inbox. Data that cannot be understood at all raise `StoredFormatError`.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass, replace
from datetime import datetime
from enum import StrEnum
from functools import cache, partial
from sqlite3 import Row
from types import UnionType
from typing import Any, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.kinds import TYPES, kind_of
from ccq_tui.inbox.requests import Request, RequestOutcome
from ccq_tui.inbox.store.rows import SessionState, Short, moment, stamp
from ccq_tui.prompts.unread import PromptDraft

VERSION = 1
MOST_NAME = 200
"""Most characters kept of an actor's name."""
T = TypeVar("T")
Read = Callable[[Any], Any]

_OUTCOMES: dict[str, type[RequestOutcome]] = {one.__name__.lower(): one for one in get_args(RequestOutcome)}


class StoredFormatError(ValueError):
    """Stored data that this version cannot read."""


def request_to_json(request: Request) -> str:
    """Write a request."""
    return dump({"kind": kind_of(request).WORD, **plain(request)})


def request_from_json(text: str) -> Request:
    """Read a request; raises `StoredFormatError`."""
    return _read(parse(text), TYPES, "kind")


def outcome_to_json(outcome: RequestOutcome) -> str:
    """Write an outcome."""
    return dump({"outcome": outcome_word(outcome), **plain(outcome)})


def outcome_word(outcome: RequestOutcome) -> str:
    """Return the word for the way in which a request ended."""
    return type(outcome).__name__.lower()


def outcome_from_json(text: str) -> RequestOutcome:
    """Read an outcome; raises `StoredFormatError`."""
    return _read(parse(text), _OUTCOMES, "outcome")


def actor_to_json(actor: Actor | None) -> str:
    """Write an actor without its empty fields; "" for None."""
    if actor is None:
        return ""
    kept = replace(actor, name=actor.name[:MOST_NAME], device=actor.device[:MOST_NAME])
    return dump({name: value for name, value in plain(kept).items() if value})


def actor_from_json(text: str) -> Actor | None:
    """Read an actor; an unreadable one becomes another program, and never hides its action."""
    if not text:
        return None
    try:
        return _made(Actor, parse(text))
    except (TypeError, ValueError, AttributeError):
        return Actor(Surface.PROGRAM)


def prompts_to_json(draft: PromptDraft) -> str:
    """Write prompts that Claude has not read."""
    return dump(plain(draft))


def prompts_from_json(content: Mapping[str, Any] | str) -> PromptDraft | None:
    """Read prompts that Claude has not read; None if they are damaged."""
    try:
        return _made(PromptDraft, parse(content) if isinstance(content, str) else content)
    except (TypeError, ValueError, AttributeError):
        return None


def dump(content: Mapping[str, Any]) -> str:
    """Write JSON with its version; ASCII, because a model's text may hold lone surrogates."""
    return json.dumps({"v": VERSION, **content}, default=str)


def parse(text: str) -> dict[str, Any]:
    """Read a JSON object; raises `StoredFormatError`."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise StoredFormatError("not JSON") from error
    if not isinstance(content, dict):
        raise StoredFormatError("not an object")
    return content


def plain(value: Any) -> Any:
    """Return a value in JSON's terms: a dataclass as its fields."""
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    return {name: plain(item) for name, item in value.items()} if isinstance(value, Mapping) else value


def _read(content: Mapping[str, Any], kinds: Mapping[str, type[T]], name: str) -> T:
    kind = kinds.get(str(content.get(name)))
    if kind is None:
        raise StoredFormatError(f"{name} is {content.get(name)!r}")
    try:
        return _made(kind, content)
    except (TypeError, ValueError, AttributeError) as error:
        raise StoredFormatError(f"not a {name}: {error}") from error


def _made(kind: type[T], content: Mapping[str, Any]) -> T:
    readers = _readers(kind)  # type: ignore[arg-type]  # a class is hashable, whatever T is
    return kind(**{name: readers[name](value) for name, value in content.items() if name in readers})


@cache
def _readers(kind: type[Any]) -> Mapping[str, Read]:
    """Return the reader of each field of a dataclass; a page of requests asks for them a thousand times."""
    hints = get_type_hints(kind)
    return {field.name: _reader(hints[field.name]) for field in fields(kind)}


def _reader(hint: Any) -> Read:
    """Return a function that reads a value of a type: code that draws it must not meet any other.

    It raises TypeError or ValueError for any other.
    """
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is UnionType:
        one = _reader(arguments[0])
        return lambda value: None if value is None else one(value)
    if origin is tuple:
        one = _reader(arguments[0])
        return lambda value: tuple(map(one, _checked(list, value)))
    if origin is Mapping and arguments[1] is not Any:
        one = _reader(arguments[1])
        return lambda value: {name: one(item) for name, item in _checked(Mapping, value).items()}
    if isinstance(hint, type) and is_dataclass(hint):
        return partial(_made, hint)
    if issubclass(origin or hint, StrEnum):
        return partial(_word, {str(one): one for one in hint}, _OTHERS.get(hint))
    return partial(_checked, (float, int) if hint is float else origin or hint)


def _checked(wanted: type | tuple[type, ...], value: Any) -> Any:
    if not isinstance(value, wanted):
        raise TypeError(f"{type(value).__name__} is another type")
    return value


def _word(known: Mapping[str, StrEnum], other: StrEnum | None, value: Any) -> StrEnum:
    found = known.get(value, other)
    if found is None:
        raise ValueError(f"unknown word {value!r}")
    return found


_OTHERS: Mapping[Any, StrEnum] = {Surface: Surface.PROGRAM, SessionState: SessionState.ENDED}
"""What stands for a word that only a newer version knows."""


class Column(NamedTuple):
    """How a field of a record is kept: the declaration of its column, and what reads and writes a value."""

    declared: str
    read: Read
    write: Read


@cache
def columns_of(record: type[Any]) -> Mapping[str, Column]:
    """Return the columns of a record's fields, by their names; a field of another type has none."""
    hints = get_type_hints(record, include_extras=True)
    found = {}
    for one in fields(record):
        if (column := _column(hints[one.name])) is not None:
            default = one.default if one.default_factory is MISSING else one.default_factory()
            written = None if default is MISSING else column.write(default)
            given = "" if written is None else f" DEFAULT {written!r}"
            found[one.name] = column._replace(declared=column.declared + given)
    return found


def from_row(kind: type[T], row: Row, **given: Any) -> T:
    """Make a record of a row, in which each field that is not given is the column of its name.

    Raises TypeError or ValueError for what only another version understands.
    """
    columns = columns_of(kind)  # type: ignore[arg-type]  # a class is hashable, whatever T is
    read = {name: column.read(row[name]) for name, column in columns.items() if name not in given}
    return kind(**given, **read)


def storable(text: str, most: int = 100_000) -> str:  # most characters kept of a text beside a request
    """Return text as the database takes it: lone surrogates replaced, and only the end of a long text."""
    return text[-most:].encode("utf-8", "replace").decode("utf-8")


def _column(hint: Any) -> Column | None:
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return Column(TEXT, _reader(hint), str)
    return _COLUMNS.get(hint)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else _checked(str, value or "")


def _mapping(text: str) -> dict[str, Any]:
    try:
        return parse(text)
    except StoredFormatError:
        return {}


TEXT, NUMBER = "TEXT NOT NULL", "INTEGER NOT NULL"
_OBJECT = Column(TEXT, _mapping, lambda value: json.dumps(dict(value), default=str))
_COLUMNS: Mapping[Any, Column] = {
    int: Column(NUMBER, int, int),
    bool: Column(NUMBER, bool, int),
    float: Column("REAL NOT NULL", float, float),
    str: Column(TEXT, _text, storable),
    Short: Column(TEXT, _text, partial(storable, most=500)),
    datetime: Column(TEXT, moment, stamp),
    datetime | None: Column("TEXT", lambda text: moment(text) if text else None, lambda at: at and stamp(at)),
    Actor: Column(TEXT, lambda text: actor_from_json(text) or Actor(Surface.PROGRAM), actor_to_json),
    Actor | None: Column(TEXT, lambda text: actor_from_json(text or ""), actor_to_json),
    RequestOutcome | None: Column(
        "TEXT",
        lambda text: outcome_from_json(text) if text else None,
        lambda end: end and outcome_to_json(end),
    ),
    Mapping[str, Any]: _OBJECT,
    Mapping[str, str]: _OBJECT,
}

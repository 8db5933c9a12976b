"""Requests and outcomes as JSON: versioned, ASCII, and read tolerantly.

An unknown field is ignored and a missing one has its default, so that programs of neighbouring versions can
share an inbox. Data that cannot be understood at all raise `StoredFormatError`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from functools import cache
from typing import Any, TypeVar

from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.kinds import KINDS, kind_of
from ccq_tui.inbox.requests import (
    Allowed,
    Asker,
    Cancelled,
    Denied,
    Origin,
    Request,
    RequestOutcome,
)
from ccq_tui.inbox.suggestions import Rule, Suggestion
from ccq_tui.processes import Owner
from ccq_tui.questions import (
    Answer,
    Answered,
    Declined,
    Discussed,
    Dismissed,
    Expired,
    FieldRules,
    Kind,
    Option,
    Question,
    QuestionSet,
)

VERSION = 1
MOST_NAME = 200
"""Most characters kept of an actor's name."""
T = TypeVar("T")

_REQUESTS: dict[str, type[Request]] = {kind.WORD: kind.TYPE for kind in KINDS}
_OUTCOMES: dict[str, type[RequestOutcome]] = {
    "answered": Answered,
    "discussed": Discussed,
    "declined": Declined,
    "dismissed": Dismissed,
    "expired": Expired,
    "allowed": Allowed,
    "denied": Denied,
    "cancelled": Cancelled,
}


class StoredFormatError(ValueError):
    """Stored data that this version cannot read."""


def request_to_json(request: Request) -> str:
    """Write a request."""
    return dump({"kind": kind_of(request).WORD, **_plain(request)})


def request_from_json(text: str) -> Request:
    """Read a request; raises `StoredFormatError`."""
    content = parse(text)
    # An older version named a request by its call alone.
    content.setdefault("tool_use_id", content.get("id"))
    return _read(content, _REQUESTS, "kind")


def outcome_to_json(outcome: RequestOutcome) -> str:
    """Write an outcome."""
    word = next(word for word, kind in _OUTCOMES.items() if isinstance(outcome, kind))
    return dump({"outcome": word, **_plain(outcome)})


def outcome_from_json(text: str) -> RequestOutcome:
    """Read an outcome; raises `StoredFormatError`."""
    return _read(parse(text), _OUTCOMES, "outcome")


def actor_to_json(actor: Actor | None) -> str:
    """Write an actor without its empty fields; "" for None."""
    if actor is None:
        return ""
    kept = replace(actor, name=actor.name[:MOST_NAME], device=actor.device[:MOST_NAME])
    return dump({name: value for name, value in _plain(kept).items() if value})


def actor_from_json(text: str) -> Actor | None:
    """Read an actor; an unreadable one becomes another program, and never hides its action."""
    if not text:
        return None
    try:
        return _made(Actor, parse(text))
    except (TypeError, ValueError, AttributeError):
        return Actor(Surface.PROGRAM)


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


def _plain(thing: Any) -> dict[str, Any]:
    """Return a dataclass's fields; mappings in them stay mappings."""
    return {field.name: _value(getattr(thing, field.name)) for field in fields(thing)}


def _value(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, tuple):
        return [_value(item) for item in value]
    return _plain(value) if hasattr(value, "__dataclass_fields__") else value


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
    given = {}
    for key, value in content.items():
        if key in readers:
            read = readers[key]
            given[key] = value if read is None else read(value)
    made = kind(**given)
    for name, wanted in _types(kind).items():  # type: ignore[arg-type]  # a class is hashable, whatever T is
        if not isinstance(getattr(made, name), wanted):
            raise TypeError(f"{kind.__name__}.{name} has another type")
    return made


@cache
def _types(kind: type[Any]) -> Mapping[str, tuple[type, ...]]:
    """Return the types of each field of a dataclass: code that draws it must not meet any other."""
    return {
        field.name: tuple(
            found for part in str(field.type).split(" | ") for found in _TYPES[part.partition("[")[0]]
        )
        for field in fields(kind)
    }


@cache
def _readers(kind: type[Any]) -> Mapping[str, Callable[[Any], Any] | None]:
    """Return the reader of each field of a dataclass; a page of requests asks for them a thousand times."""
    return {field.name: _READERS.get(field.name) for field in fields(kind)}


def _several(kind: type[Any]) -> Callable[[Any], Any]:
    def read(value: Any) -> Any:
        return tuple(_made(kind, item) for item in value) if isinstance(value, list) else value

    return read


def _questions(value: Any) -> Any:
    return _list_of_questions(value) if isinstance(value, list) else _made(QuestionSet, value)


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(str(item) for item in value)


_TYPES: dict[str, tuple[type, ...]] = {
    "str": (str,),
    "bool": (bool,),
    "float": (float, int),
    "None": (type(None),),
    "tuple": (tuple,),
    "Mapping": (Mapping,),
    "Kind": (Kind,),
    "QuestionSet": (QuestionSet,),
    "FieldRules": (FieldRules,),
    "Suggestion": (Suggestion,),
    "Surface": (Surface,),
    "Owner": (Owner,),
    "int": (int,),
    "Asker": (Asker,),
    "Origin": (Origin,),
}
_list_of_questions = _several(Question)
_KINDS = {str(kind): kind for kind in Kind}
_ASKERS = {str(asker): asker for asker in Asker}
_SURFACES = {str(surface): surface for surface in Surface}
_READERS: dict[str, Callable[[Any], Any]] = {
    "questions": _questions,
    "options": _several(Option),
    "answers": _several(Answer),
    "rules": _several(Rule),
    "suggestions": _several(Suggestion),
    "kind": lambda value: _KINDS.get(value, value) if isinstance(value, str) else value,
    "suggestion": lambda value: None if value is None else _made(Suggestion, value),
    "surface": lambda value: _SURFACES.get(str(value), Surface.PROGRAM),
    "process": lambda value: None if value is None else _made(Owner, value),
    "asker": lambda value: _ASKERS.get(str(value), Asker.OTHER),
    "origin": lambda value: _made(Origin, value),
    "selected": _texts,
    "directories": _texts,
    "source": dict,
    "input": dict,
    "change": dict,
    "schema": dict,
    "order": _texts,
    "field": lambda value: None if value is None else _made(FieldRules, value),
    "preset": _texts,
}
"""The readers of fields that hold more than text, numbers and JSON, by names that no other fields have."""

"""The public JSON of an answer, read strictly: what is ambiguous or unknown is refused, and nothing guessed.

Every function raises `InvalidOutcome` with the field and the reason, in words that fit any surface.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any, TypeGuard

from ccq_tui.inbox.store.rows import stamp
from ccq_tui.inbox.verdicts import InvalidOutcome
from ccq_tui.text import one_line

VERSION = 1
"""Of all public JSON: changes when its readers must change."""
MOST_JSON = 5_000_000
"""Most bytes of an answer to read."""
_HALVES = re.compile("[\ud800-\udfff]")


def load_answer(text: str | bytes) -> dict[str, Any]:
    """Load the fields of an answer, and check its version."""
    if len(text) > MOST_JSON:
        raise InvalidOutcome("", f"it has more than {MOST_JSON:,} bytes: shorten it")
    try:
        data = json.loads(text, object_pairs_hook=_fields, parse_float=Decimal)
    except RecursionError as error:
        raise InvalidOutcome("", "it is nested too deeply") from error
    except ValueError as error:
        raise InvalidOutcome("", f"it cannot be read: {one_line(str(error), 120)}") from error
    if not isinstance(data, dict):
        raise InvalidOutcome("", "an object is needed")
    version = data.pop("version", VERSION)
    if not is_number(version) or version != VERSION:
        raise InvalidOutcome("version", f"it must be {VERSION}")
    return data


def check_fields(data: Mapping[str, Any], known: tuple[str, ...], path: str = "") -> None:
    """Refuse a field that is not known."""
    strange = next((name for name in data if name not in known), None)
    if strange is not None:
        raise InvalidOutcome(path, f"unknown field “{one_line(strange, 40)}”; known are {', '.join(known)}")


def words(data: Mapping[str, Any], name: str, path: str) -> str:
    """Return a text as a panel's field would hold it, or "" for none."""
    from ccq_tui.questions.state import typable  # a list reads no answers

    value = data.get(name)
    if not isinstance(value, str | None):
        raise InvalidOutcome(path, "a text is needed")
    if _HALVES.search(value or ""):
        raise InvalidOutcome(path, "it holds half of a character, which UTF-8 does not have")
    return typable(value or "")


def named(one: object, *names: str) -> dict[str, Any]:
    """Return attributes under their names, times as texts."""
    values = {name: getattr(one, name) for name in names}
    return {name: stamp(value) if isinstance(value, datetime) else value for name, value in values.items()}


def is_number(value: object) -> TypeGuard[int]:
    """Whether a value is a whole number."""
    return isinstance(value, int) and not isinstance(value, bool)


def _fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for name, value in pairs:
        if name in fields:
            raise InvalidOutcome("", f"an object has the field “{one_line(name, 40)}” twice")
        fields[name] = value
    return fields

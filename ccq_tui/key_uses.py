"""The keys of one place, written once: dispatch asks what a key does there, F1 what it is good for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KeyUse:
    """What some keys do in one place.

    Attributes:
        keys: Names of the keys, as Textual spells them.
        action: What the place calls it.
        does: What it does, for a person.
    """

    keys: tuple[str, ...]
    action: str
    does: str


def by_key(uses: Iterable[KeyUse]) -> dict[str, str]:
    """Return the action of each key."""
    return {key: use.action for use in uses for key in use.keys}

"""Tables of the keys in one place, shared by key dispatch and the F1 help."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KeyUse:
    """An action in one place, with its keys.

    Attributes:
        keys: Names of the keys, as Textual spells them.
        action: Name of the action in its place.
        does: Description for people.
    """

    keys: tuple[str, ...]
    action: str
    does: str


def by_key(uses: Iterable[KeyUse]) -> dict[str, str]:
    """Return the action of each key."""
    return {key: use.action for use in uses for key in use.keys}

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


class Does(str):
    """What a key does, in words that a line of keys can shorten: the verb always stays.

    Attributes:
        verb: The first words.
        about: The object of the verb, cut where there is no room for it.
        link: Words behind it, left out where there is no room for them.
        second: What these are about.
    """

    __slots__ = ("about", "link", "second", "verb")
    verb: str
    about: str
    link: str
    second: str

    def __new__(cls, verb: str, about: str = "", link: str = "", second: str = "") -> Does:
        """Join the parts."""
        does = super().__new__(cls, f"{verb} {about}".rstrip() + link + second)
        does.verb, does.about, does.link, does.second = verb, about, link, second
        return does

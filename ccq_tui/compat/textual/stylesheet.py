"""The style sheet of the program, read once for each theme."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from textual.cache import LRUCache
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet

from ccq_tui.compat.private import require

require(Stylesheet, "_parse_cache", "_variables", "set_variables", "reparse")

THEMES = 16
"""Themes whose rules are kept: a person who chooses one goes through all of them, to and fro."""
SOURCES = 256
"""Style sheets kept for each theme, one for each class of widgets; of the 64 of Textual all would go out."""

Rules = LRUCache[tuple[Any, ...], list[RuleSet]]


class KeptStylesheet(Stylesheet):
    """Reads of its sources only those that are new, as long as no variable of the theme changes.

    Textual reads all of them anew with each session that is opened, and once more when the first widget of
    a kind comes: that was half of the time in which the first panel kept the program from taking keys.
    """

    def __init__(self, *, variables: dict[str, str]) -> None:
        super().__init__(variables=variables)
        self._parse_cache = _rules_of(tuple(sorted(variables.items())))

    def set_variables(self, variables: dict[str, str]) -> None:
        """Take the variables of another theme, by name; nothing happens where they are the same."""
        if variables != self._variables:
            self._parse_cache = LRUCache(1)  # which is emptied now; what is kept stays as it is
            super().set_variables(variables)
            self._parse_cache = _rules_of(tuple(sorted(variables.items())))

    def reparse(self) -> None:
        """Take in other variables; see `Stylesheet.reparse` for what is raised."""
        self.parse()


@lru_cache(maxsize=THEMES)
def _rules_of(_variables: tuple[tuple[str, str], ...]) -> Rules:
    return LRUCache(SOURCES)

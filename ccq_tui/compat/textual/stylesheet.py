"""The style sheet of the program, read once for each theme."""

from functools import lru_cache
from typing import Any

from textual.cache import LRUCache
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet

from ccq_tui.compat.private import require

require(Stylesheet, "_parse_cache", "_variables", "set_variables", "reparse")

SOURCES = 256
"""Style sheets kept for each theme, one for each class of widgets; Textual's 64 would drop all of them."""

Rules = LRUCache[tuple[Any, ...], list[RuleSet]]


class KeptStylesheet(Stylesheet):
    """A style sheet that reads only new sources, as long as no variable of the theme changes.

    Textual reads all of them again with each session that is opened, and once more when the first widget of
    a kind comes: that was half of the time in which the first panel kept the program from taking keys.
    """

    def __init__(self, *, variables: dict[str, str]) -> None:
        super().__init__(variables=variables)
        self._parse_cache = _rules_of(tuple(sorted(variables.items())))

    def set_variables(self, variables: dict[str, str]) -> None:
        """Take the variables of another theme, by name; do nothing if they are the same."""
        if variables != self._variables:
            self._parse_cache = LRUCache(1)  # the next call empties this one, not the kept rules
            super().set_variables(variables)
            self._parse_cache = _rules_of(tuple(sorted(variables.items())))

    def reparse(self) -> None:
        """Parse with other variables; raises as `Stylesheet.reparse` does."""
        self.parse()


# Number of themes whose rules are kept: a person who chooses one goes through them back and forth.
@lru_cache(maxsize=16)
def _rules_of(_variables: tuple[tuple[str, str], ...]) -> Rules:
    return LRUCache(SOURCES)

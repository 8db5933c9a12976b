"""The interface between a panel and one kind of request: its reaction to events and its picture."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from textual.geometry import Region

from ccq_tui.input.gate import Stroke
from ccq_tui.input.keynames import shown_key


def name_of(key: Stroke) -> str:
    """Return the name of a key or of a click, at the beginning of a sentence."""
    return "Click" if key.name == "click" else shown_key(key.name)


class Effect(Enum):
    """Effect of a key that is a command."""

    STEP = "step"
    """The machine takes it."""
    EDIT = "edit"
    """The machine takes it, and the text goes to an editor."""
    DONE = "done"
    """It is done already: something scrolled."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """What a form needs of its panel.

    Attributes:
        height: Lines of the panel.
        field: Place of the open text within the panel: the row that it is typed in; or None without one.
        one_line: Whether the text is limited to one line.
        secret: Whether it is drawn as dots.
    """

    height: int
    field: Region | None = None
    one_line: bool = False
    secret: bool = False

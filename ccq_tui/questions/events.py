"""The events of an open question set: one small frozen class for each key, click and moment.

Times are seconds of a monotonic clock; the machine itself never looks at a clock.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto


@dataclass(frozen=True, slots=True)
class Shown:
    """The panel came to the front; if no person asked for it, a grace begins in which no key decides.

    Attributes:
        at: The time.
        typed_at: The time when something printable was last typed elsewhere, or None.
        asked_for: Whether a person opened it: then no key can have been meant for something else.
        again: Whether it was there before, and only covered.
        pressed_at: The time of the last key if a person may still hold it down, and it could decide; or None.
    """

    at: float
    typed_at: float | None = None
    asked_for: bool = False
    again: bool = False
    pressed_at: float | None = None


@dataclass(frozen=True, slots=True)
class TerminalFocused:
    """The terminal window got the focus; the click that gave it selects nothing."""

    at: float


@dataclass(frozen=True, slots=True)
class Pressed:
    """A key was pressed.

    Attributes:
        key: The key's name, as Textual spells it ("up", "ctrl+d", "slash", "a").
        character: The text that the key types, or "".
        at: The time.
        drafting: Whether the prompt holds text.
        given: The text that the key types if a person gave it another meaning, or "".
        ahead: Whether it was pressed before the panel was drawn: then it decides nothing.
        apart: Seconds since the same key came, if no other one did in between; else infinity.
    """

    key: str
    character: str = ""
    at: float = float("inf")
    drafting: bool = False
    given: str = ""
    ahead: bool = False
    apart: float = float("inf")

    @property
    def types(self) -> str:
        """The text that the key would type, or ""."""
        return self.given or self.character or (self.key if len(self.key) == 1 else "")


class PastedText(str):
    """The text of a paste, distinct from a key even if it is one character."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Pasted:
    """Text was pasted, whole."""

    text: str
    at: float = float("inf")
    drafting: bool = False

    @property
    def types(self) -> PastedText:
        """The text."""
        return PastedText(self.text)


@dataclass(frozen=True, slots=True)
class Clicked:
    """A row of the list or of the review was clicked."""

    row: int
    at: float = float("inf")


@dataclass(frozen=True, slots=True)
class Seen:
    """The part of the panel on the screen; a surface that can scroll reports it before each key.

    Attributes:
        rows: The rows that a key can take and whose first line is on the screen.
        unseen: Number of lines to decide on that were never on the screen.
        at_least: Whether there are more of those than were counted.
    """

    rows: frozenset[int]
    unseen: int = 0
    at_least: bool = False


@dataclass(frozen=True, slots=True)
class Paused:
    """No key followed the one pressed at a time: it began no word."""

    at: float


@dataclass(frozen=True, slots=True)
class TabClicked:
    """The tab of a question, or of the review, was clicked."""

    tab: int
    at: float = float("inf")


@dataclass(frozen=True, slots=True)
class TextChanged:
    """The open text field now holds ``text``."""

    text: str


class PanelCommand(Enum):
    """An action that needs nothing beside its name."""

    MARK = auto()
    """Select the row under the cursor and stay (toggle it in a multi-select)."""
    GO_ON = auto()
    """Take the current answer and continue: Enter, whatever has the focus."""
    MARK_ALL = auto()
    """Select all options that are shown, or none if all are selected."""
    NOTE = auto()
    """Go to the note."""
    TAKE_OVER = auto()
    """Take the earlier answer to a question that reads the same as a draft; confirms nothing."""
    FILTER = auto()
    """Go to the filter of a long list."""
    DISCUSS = auto()
    """Go to the prose that answers the whole set."""
    ENLARGE = auto()
    """Show the preview larger, or back."""
    BACK = auto()
    """One step back: leave the text, leave the filter, hide the panel. Discards nothing."""
    HIDE = auto()
    """Hide the panel, or show it again."""
    DECLINE = auto()
    """Decline the set; the first time only asks."""
    DISMISS = auto()
    """Dismiss a form, neither answered nor declined, when it was asked whether to decline it."""
    EDITOR = auto()
    """Edit the open text in the person's own editor; if none is open, open Other, or the field, for it.

    The editor itself is an effect of the surface.
    """


@dataclass(frozen=True, slots=True)
class Move:
    """Move the cursor by ``by`` rows, wrapping."""

    by: int


@dataclass(frozen=True, slots=True)
class MoveToEdge:
    """Move the cursor to the first or the last row."""

    last: bool


@dataclass(frozen=True, slots=True)
class Pick:
    """Move to a row and select it (toggle it in a multi-select)."""

    row: int


@dataclass(frozen=True, slots=True)
class TurnPage:
    """Turn to the next or previous question, or the review."""

    by: int


@dataclass(frozen=True, slots=True)
class OpenOther:
    """Go to the custom text, or to the field of a text or number question, with ``seed`` typed into it."""

    seed: str = ""


@dataclass(frozen=True, slots=True)
class ScrollPreview:
    """Scroll the preview by ``by`` lines, or pages: an effect of the surface, no change of state."""

    by: int
    pages: bool = False


Action = PanelCommand | Move | MoveToEdge | Pick | TurnPage | OpenOther | ScrollPreview
"""The meanings that a key can have."""

Event = (
    Action | Shown | TerminalFocused | Pressed | Pasted | Paused | Clicked | TabClicked | Seen | TextChanged
)

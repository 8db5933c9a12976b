"""The interface between a panel and one kind of request: its reaction to events and its picture."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Protocol, TypeVar

from textual import events
from textual.geometry import Region
from textual.widget import Widget

from ccq_tui.inbox.draft import Draft
from ccq_tui.questions.events import Clicked, Event, Pasted, Pressed, Seen, TabClicked
from ccq_tui.questions.input_guard import Meaning
from ccq_tui.widgets.hints import HintBar
from ccq_tui.widgets.panel.measures import PanelLook

State = TypeVar("State", bound=Draft)


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
    """

    height: int
    field: Region | None = None
    one_line: bool = False


class PanelForm(Protocol[State]):
    """One kind of request: its machine and its picture."""

    @property
    def nothing(self) -> State:
        """The state of a panel that asks nothing."""

    def compose(self) -> Iterable[Widget]:
        """Return the widgets above the keys."""

    def forget(self) -> None:
        """Forget everything made for a request."""

    def step(self, state: State, event: Event) -> State:
        """Return the state after an event."""

    def meaning(self, state: State, event: Pressed | Pasted) -> Meaning:
        """Return the meaning of typed input to the machine."""

    def effect(self, state: State, event: Pressed) -> Effect | None:
        """Return the effect of a key, or None when it means nothing here."""

    def text_to_edit(self, state: State) -> str | None:
        """Return the text for an editor, or None."""

    def hint(self, state: State) -> str:
        """Return the purpose of the open field, on one line and harmless to draw."""

    def proposed(self, state: State) -> bool:
        """Return whether the open text is only a proposal, which typing replaces."""

    def under(self, event: events.MouseEvent) -> tuple[type[Clicked | TabClicked], int] | None:
        """Return the event that a click here would be, with its row or tab, or None."""

    def sight(self, state: State) -> Seen:
        """Return what is on the screen."""

    def seek(self) -> None:
        """Bring the row under the cursor back into sight."""

    def draw(self, state: State, look: PanelLook, hints: HintBar) -> Drawn:
        """Draw everything but the text in the field; return the panel's height and the field's place."""

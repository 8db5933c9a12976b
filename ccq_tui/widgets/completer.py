"""Completes the text of a field at the caret: the list that comes up while a person types, and its keys."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message

from ccq_tui.prompts.completion_context import CompletionKind, WantedCompletion, completed, wanted_at
from ccq_tui.prompts.completion_list import MOST_ROWS, SEEN_AFTER, Completion, CompletionList
from ccq_tui.widgets.choices import ChoiceList
from ccq_tui.widgets.keys import keys_meant

if TYPE_CHECKING:
    from ccq_tui.widgets.panel.field import AnswerField

STEPS = {"up": -1, "ctrl+p": -1, "down": 1, "ctrl+n": 1}
CHOSEN_STEPS = {"shift+up": -1, "shift+down": 1}
CHOSEN_ENDS = {"home": 0, "end": MOST_ROWS}
"""Actions of lists that only keys chosen for them perform here: these keys themselves edit the text."""

FILES = frozenset({CompletionKind.FILES})
"""Kinds of completions of an answer: a command is for the prompt alone."""


class Completer:
    """Completes the text of a field.

    Attributes:
        view: The list on the screen.
        changed: Called when the list appears, disappears or changes.
        chosen: Called with the value of a row before it is put into the text.
        refused: Called when Esc closes the list.
    """

    def __init__(
        self, field: AnswerField, clock: Callable[[], float], post: Callable[[Message], object]
    ) -> None:
        self.view = ChoiceList(self.click)
        self.changed: Callable[[], object] = lambda: None
        self.chosen: Callable[[str], object] = lambda _: None
        self.refused: Callable[[], object] = lambda: None
        self._field, self._clock, self._post = field, clock, post
        self._list: CompletionList | None = None
        self._refused: tuple[CompletionKind, int] | None = None

    @dataclass
    class Wanted(Message, namespace="completer"):
        """The typed text can be completed; `offer` takes the rows."""

        wanted: WantedCompletion
        offer: Callable[..., object]

    @property
    def shown(self) -> CompletionList | None:
        """The list on the screen, or None."""
        return self._list if self._list is not None and (self._list.rows or self._searches) else None

    @property
    def _searches(self) -> bool:
        return self._list is not None and self._list.wanted.kind is CompletionKind.HISTORY

    def complete(self, kinds: frozenset[CompletionKind], *, opens: bool) -> None:
        """Update the list to the piece at the caret, if it is one of some kinds."""
        wanted = wanted_at(self._field.text, self._field.caret)
        self.look(wanted if wanted is not None and wanted.kind in kinds else None, opens=opens)

    def look(self, wanted: WantedCompletion | None, *, opens: bool) -> None:
        """Update the list to the piece that can be completed; open it only where a person types."""
        if wanted is None:
            self._refused = None
            self.close()
        elif self._list is not None:
            if wanted != self._list.wanted:
                self.want(wanted)
        elif opens and self._refused != (wanted.kind, wanted.start):
            self.want(wanted)

    def want(self, wanted: WantedCompletion) -> None:
        """Ask for the completions of a piece."""
        now = self._list
        if now is None or now.wanted.kind is not wanted.kind:
            now = CompletionList(wanted, since=self._clock())
        self._show(now.typed(wanted))
        self._post(self.Wanted(wanted, self.offer))

    def offer(
        self, wanted: WantedCompletion, rows: tuple[Completion, ...], note: str = "", more: int = 0
    ) -> None:
        """Show the completions of a piece of the text, if still wanted; ``more`` counts those left out."""
        if self._list is None or self._list.wanted != wanted:
            return
        self._show(found := self._list.found(rows, note, self._clock(), more))
        if found.awaited:
            self.take()

    def press(self, key: str) -> bool:
        """Handle a key in the list on the screen; return whether it means nothing more elsewhere."""
        if (shown := self.shown) is None:
            return False
        moved = [self._move(key, meant) for meant in keys_meant(key)]
        if any(moved):
            return True
        match key:
            case "escape":
                self._refused = (shown.wanted.kind, shown.wanted.start)
                self.refused()
                self.close()
            case "enter" if self._searches or shown.enter_takes(self._clock()):
                self.take()
                return not shown.runs
            case "tab":
                self.take()
            case _:
                return False
        return True

    def _move(self, key: str, meant: str) -> bool:
        """Move the cursor by the meaning of a key in a list; return whether it means a move."""
        if self._list is None:
            return False
        if meant in STEPS:
            self.by(STEPS[meant])
        elif meant in CHOSEN_STEPS and meant != key:
            self._show(self._list.to(self._list.cursor + CHOSEN_STEPS[meant]))
        elif meant in CHOSEN_ENDS and meant != key:
            self._show(self._list.to(CHOSEN_ENDS[meant]))
        else:
            return False
        return True

    def by(self, steps: int) -> None:
        """Move the cursor."""
        if self._list is not None:
            self._show(self._list.by(steps))

    def click(self, row: int) -> None:
        """Put the cursor on a clicked row; take a row that already has it."""
        if self._list is None or row >= len(self._list.rows):
            return
        if row == self._list.cursor and self._clock() - self._list.since >= SEEN_AFTER:
            self.take()
        else:
            self._show(self._list.pointed(row, self.view.most))

    def take(self) -> None:
        """Put the chosen row into the text, or the likeliest one once the rows are found."""
        now = self._list
        if early := now and now.entered_early():
            self._show(early)
        if early or now is None or now.chosen is None:
            return
        value = now.chosen.value
        self.chosen(value)
        text, caret = completed(self._field.text, now.wanted, value)
        self.close()
        self._field.show(text, caret)

    def close(self) -> None:
        """Close the list."""
        if self._list is not None:
            self._show(None)

    def _show(self, now: CompletionList | None) -> None:
        self._list = now
        self.view.show(now)
        self.changed()

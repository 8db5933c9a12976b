"""Guards every panel that asks a person against keys and clicks that were meant for something else.

Times are seconds of a monotonic clock, given by the surface that saw the key or the click.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from math import isfinite
from typing import Any

from ccq_tui.questions.events import Pasted, Pressed, Shown

GRACE = 0.4
"""Seconds without a key until a fresh panel takes keys that decide something."""
WORD_SECONDS = 0.3
"""Seconds in which a second printable key shows that the first one was no command, but began a word."""
REPEAT_DELAY = 0.8
"""Seconds in which the same key may be the first repeat of one that is held down: no second press."""
TYPING_SECONDS = 1.5
"""Seconds after a typed character in which somebody still writes: a letter alone decides nothing."""
GUARDED_KEYS = frozenset({"enter", "space", "escape"})
"""Keys besides the printable ones that a fresh panel passes over."""
DECLINING_KEYS = frozenset({"ctrl+d", "y", "x"})
"""Keys that decline; the question whether to passes over them at first: holding Ctrl+D is no answer."""
MOST_KEYS = 32
"""Most keys that are remembered before the last one."""


class Meaning(StrEnum):
    """The meaning of a key or a paste to a panel."""

    COMMAND = "command"
    """The panel's own: a command, or text in its open field."""
    PASSED_OVER = "passed over"
    """Too early to be meant for the panel."""
    TYPING = "typing"
    """Part of a text that somebody writes in the prompt."""
    WORD = "word"
    """Part of a word that somebody writes over the panel's commands."""


@dataclass(frozen=True, slots=True)
class Word:
    """The printable keys that were just taken as commands; a word, if another one follows at once.

    Attributes:
        before: The panel's state before the first of them.
        typed: What they type, key by key.
        at: The time of the last one.
        walks: Whether all of them move or toggle, so that more such keys make no word.
        outcome: What the key decides unless another one follows, or None.
    """

    before: Any
    typed: tuple[str, ...]
    at: float
    walks: bool
    outcome: Any = None


@dataclass(frozen=True, slots=True)
class InputGuard:
    """A panel's memory of earlier keys, to tell which ones are meant for it.

    Attributes:
        shown_at: The time when the panel appeared by itself, or of the last key in its grace; or None.
        asked_at: The time when the panel asked whether to decline, or None.
        typed_at: The time when something printable was last typed, wherever that was; or None.
        text_known: Whether the open text was open before the grace began, so that it takes the typed text.
        passed_over: The one printable key that the grace passed over so far, or "".
        returned: The typed text that goes back to the prompt, key by key; the panel takes nothing more.
        used: Whether a person opened the panel, or has pressed a key in it that begins no word.
        word: The keys that may be the beginning of a word, or None.
    """

    shown_at: float | None = None
    asked_at: float | None = None
    typed_at: float | None = None
    text_known: bool = False
    passed_over: str = ""
    returned: tuple[str, ...] = ()
    used: bool = True
    word: Word | None = None

    @property
    def quiet_since(self) -> float | None:
        """The start of the pause that the panel, or its question whether to decline, waits for; or None."""
        return max((at for at in (self.shown_at, self.asked_at) if at is not None), default=None)

    def shown(self, event: Shown, *, in_text: bool) -> InputGuard:
        """Return the guard of a panel that has just come to the front."""
        known = event.typed_at if event.typed_at is not None else self.typed_at
        held = event.pressed_at + REPEAT_DELAY - GRACE if event.pressed_at is not None else event.at
        return InputGuard(
            shown_at=None if event.asked_for else max(event.at, held),
            typed_at=known,
            text_known=event.again and in_text,
            used=event.asked_for or (event.again and self.used),
        )

    def opened(self) -> InputGuard:
        """Return the guard of a panel that a person hides or shows: no grace."""
        return InputGuard(typed_at=self.typed_at)

    def judged(
        self, event: Pressed | Pasted, *, in_text: bool, declining: bool = False, walks: bool = False
    ) -> tuple[Meaning, InputGuard]:
        """Return the meaning of a key or a paste, and the guard after it.

        ``in_text``: an open text takes it. ``declining``: the panel has asked whether to decline. ``walks``:
        as a command it moves or toggles.
        """
        typed, at = event.types, event.at
        if declining and isinstance(event, Pressed) and event.key in DECLINING_KEYS:
            return self._judged_decline(event)
        noted = replace(self, typed_at=at) if typed and isfinite(at) else self
        if not is_fresh(self.shown_at, at):
            return noted._judged_late(event, walks=walks)
        # A key that is held down or hammered must find no gap: the grace ends with a moment of quiet.
        noted = replace(noted, shown_at=at)
        if not typed:
            guarded = isinstance(event, Pressed) and event.key in GUARDED_KEYS
            return Meaning.PASSED_OVER if guarded else Meaning.COMMAND, noted
        if in_text and (self.text_known or not event.drafting):
            return Meaning.COMMAND, noted
        return noted._judged_word(event)

    def _judged_decline(self, event: Pressed) -> tuple[Meaning, InputGuard]:
        """Judge a key that declines, while the panel asks whether to."""
        at = event.at
        began = (self.typed_at or 0.0) >= (self.asked_at or 0.0)
        in_word = event.key != "ctrl+d" and self.writing(at) and began
        if not (in_word or is_fresh(self.quiet_since, at, event.apart)):
            return Meaning.COMMAND, self
        # `typed_at` stays: the same y once more is no word.
        again = replace(self, asked_at=at)
        if not is_fresh(self.shown_at, at):
            return Meaning.PASSED_OVER, again
        again = replace(again, shown_at=at)
        # If a cover of the question has just gone, its y may begin a word as any letter may.
        return again._judged_word(event) if event.types else (Meaning.PASSED_OVER, again)

    def _judged_word(self, event: Pressed | Pasted) -> tuple[Meaning, InputGuard]:
        """Judge something typed that came too early for any command: alone it is passed over, else a word."""
        if event.drafting or self.passed_over or isinstance(event, Pasted):
            before = (self.passed_over,) if self.passed_over else ()
            return Meaning.TYPING, replace(self, passed_over="", returned=(*before, event.types))
        # A blank begins no word.
        return Meaning.PASSED_OVER, replace(self, passed_over=event.types.strip())

    def _judged_late(self, event: Pressed | Pasted, *, walks: bool) -> tuple[Meaning, InputGuard]:
        """Judge input after the grace: a command, unless it shows that those before it were none."""
        word = self._word_at(event.at)
        if word is None or isinstance(event, Pasted) or not event.types or (walks and word.walks):
            return Meaning.COMMAND, self
        typed = (*word.typed, event.types)
        if word.before.guard.used:
            return Meaning.WORD, replace(self, word=replace(word, typed=typed))
        return Meaning.TYPING, replace(self, returned=typed)

    def _word_at(self, at: float) -> Word | None:
        return self.word if self.word is not None and at - self.word.at < WORD_SECONDS else None

    def walking(self, at: float) -> bool:
        """Return whether the last key, a moment ago, moved or toggled: the next one does so on any row."""
        return (word := self._word_at(at)) is not None and word.walks

    def waiting(self, outcome: Any) -> InputGuard:
        """Return the guard that keeps what the last key decides alone."""
        return replace(self, word=replace(self.word, outcome=outcome) if self.word is not None else None)

    def decided(self, at: float) -> Any:
        """Return what the key that was pressed at a time decides alone, or None."""
        return self.word.outcome if self.word is not None and self.word.at == at else None

    def acted(self, event: Pressed, before: Any, *, walks: bool, uses: bool) -> InputGuard:
        """Return the guard after a command; ``before`` is the panel's state before it.

        ``uses``: it did something, so that somebody is at the panel, unless it begins a word.
        """
        word, passed = self._word_at(event.at), self.passed_over
        # A blank begins no word.
        if not (event.types and isfinite(event.at)) or (word is None and event.types == " "):
            return replace(self, passed_over="", word=None, used=self.used or uses)
        if word is None:
            # The letter that the grace passed over may have begun this word.
            recent = passed and self.shown_at is not None and event.at - self.shown_at < TYPING_SECONDS
            word = Word(before, (passed,) if recent else (), event.at, walks)
        word = Word(word.before, (*word.typed, event.types), event.at, walks and word.walks)
        return replace(self, passed_over="", word=word, used=self.used or event.types == " ")

    def writing(self, at: float) -> bool:
        """Return whether somebody typed so recently that a letter may be part of a word."""
        return self.typed_at is not None and at - self.typed_at < TYPING_SECONDS

    def is_stray_click(self, at: float, *, hidden: bool) -> bool:
        """Return whether a click was not for the panel: it is not seen, or fresh."""
        return hidden or is_fresh(self.quiet_since, at)


def is_fresh(since: float | None, at: float, apart: float = float("inf")) -> bool:
    """Return whether something appeared so recently by itself that an input was meant for something else.

    ``apart``: seconds since the same key came before; it may be held down.
    """
    return since is not None and at - since < (GRACE if apart >= REPEAT_DELAY else REPEAT_DELAY)


@dataclass(frozen=True, slots=True)
class Presses:
    """The last keys, wherever they went.

    Attributes:
        keys: The keys with their times, the newest last.
        typed_at: The time when something printable was last typed or pasted, or None.
    """

    keys: tuple[tuple[str, float], ...] = ()
    typed_at: float | None = None

    def pressed(self, key: str, at: float) -> Presses:
        """Return the presses after another one."""
        return replace(self, keys=(*self.keys[-MOST_KEYS:], (key, at)))

    @property
    def key(self) -> str:
        """The last key, or ""."""
        return self.keys[-1][0] if self.keys else ""

    @property
    def at(self) -> float | None:
        """Its time, or None."""
        return self.keys[-1][1] if self.keys else None

    @property
    def apart(self) -> float:
        """Seconds from the press before to the last one, if both are of one key; else infinity."""
        return Presses(self.keys[-2:]).apart_of(self.key)

    def of(self, *names: str) -> tuple[tuple[str, float], ...]:
        """Return the presses of some keys, or of any."""
        return tuple(one for one in self.keys if not names or one[0] in names)

    def apart_of(self, *names: str) -> float:
        """Return the seconds between the last two of some keys, whatever came between, or infinity."""
        times = [at for _, at in self.of(*names)]
        return times[-1] - times[-2] if len(times) > 1 else float("inf")

"""Typing of an answer at a prompt as a person would, with a check of the effect of each key."""

from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum
from typing import Protocol

from ccq_tui.bridges.terminal.detect import FoundPrompt
from ccq_tui.bridges.terminal.rules import Shape
from ccq_tui.bridges.terminal.screen import ScreenPicture, width
from ccq_tui.questions import Answer
from ccq_tui.text import one_line

ENTER, SPACE, BACKSPACE = "\r", " ", "\x7f"


class StoppedError(Exception):
    """An unexpected event at the prompt; the message names the event.

    Attributes:
        typed: The text that stands in the prompt's field now.
    """

    def __init__(self, event: str, typed: str = "") -> None:
        super().__init__(event)
        self.typed = typed


class KeysTaken(StrEnum):
    """The result of pressed keys."""

    LINE = "line"
    """They are in a line, which the program gets with Enter."""
    MORE = "more"
    """The program has taken them and waits for more."""
    BUSY = "busy"
    """The program has taken them, or does not read at all."""


class Hands(Protocol):
    """The interface for typing at a prompt, and for looking at the screen.

    Attributes:
        prompt: The prompt on the screen.
        picture: The screen.
        over: Whether the program has ended.
    """

    prompt: FoundPrompt | None
    picture: ScreenPicture
    over: bool

    async def see(self) -> None:
        """Update the screen to all of the program's output; raises `StoppedError` if it cannot be seen."""

    async def taken(self) -> KeysTaken:
        """Wait until the program has taken the keys that its terminal shows, and update the screen.

        Raises `StoppedError` if the screen cannot be seen.
        """

    async def press(self, keys: str, until: Callable[[], bool]) -> bool:
        """Type, wait for a state of the screen, and return whether it came.

        Raises `StoppedError` if typing is no longer possible, or the person types.
        """


class Typist:
    """The typist of the answer to one prompt, which is given as it was asked."""

    def __init__(self, hands: Hands, prompt: FoundPrompt) -> None:
        self._hands, self._prompt = hands, prompt
        self._entered: int | None = None

    async def type_answer(self, wanted: Answer) -> None:
        """Type an answer to its end; raises `StoppedError` at an unexpected event, and types no more."""
        await self._hands.see()
        if self._hands.over or not stands(self._prompt, self._hands.prompt, self._hands.picture):
            raise StoppedError("another screen came")
        match self._prompt.rule.shape:
            case Shape.LIST:
                await self._mark(wanted.selected[0] if wanted.selected else wanted.other)
                await self._enter()
            case Shape.CHECKS:
                await self._check(wanted)
            case _:
                await self._line(wanted.other)

    # -- lines ----------------------------------------------------------------------------------------------

    async def _line(self, text: str) -> None:
        if typed := self._prompt.typed:
            empty = self._rest().removesuffix(typed).strip()
            states = (empty, f"{empty} {self._prompt.default}")
            if not await self._hands.press(BACKSPACE * len(typed), lambda: self._rest() in states):
                raise StoppedError("what stood in its field already did not go away")
        # A text that pushes the prompt off the screen could not be checked there.
        picture = self._hands.picture
        cells = sum(max(width(letter), 0) for letter in picture.typed + text)
        if cells > picture.columns * (len(picture.lines) - 1):
            raise StoppedError("its terminal is too small to show the whole text")
        before = self._rest()
        if await self._typed(before, text):
            await self._enter(lambda: text if self._shows(before, text) else "")

    async def _typed(self, before: str, text: str) -> bool:
        """Type a text; return whether Enter must end it, or False if the prompt took it already."""
        typed = ""
        # First only the first letter of a word: if that is enough, the next screen would get the others.
        for keys in (text[:1], text[1:]) if self._prompt.words else (text,):
            if not keys:
                continue
            typed += keys
            await self._hands.press(keys, lambda typed=typed: self._left() or self._shows(before, typed))  # type: ignore[misc]
            taken = await self._hands.taken()
            if self._left() and (taken is KeysTaken.LINE or len(typed) > 1):
                raise StoppedError("another screen came before Enter")
            if self._left():
                return False
            if not self._shows(before, typed):
                raise StoppedError("it did not show what was typed")
            if taken is KeysTaken.BUSY:
                return False
        return True

    def _rest(self) -> str:
        """Return the text between the question and the cursor."""
        return self._hands.picture.typed.removeprefix(self._prompt.lead).strip()

    def _shows(self, before: str, text: str) -> bool:
        """Whether the field has exactly a text, apart from its own proposal."""
        rest = self._rest()
        plain = rest.lstrip(" :?›>").strip()
        return not self._left() and text.strip() in (plain, rest.removeprefix(before).strip())

    def _left(self) -> bool:
        """Whether the prompt is gone; a prompt drawn again elsewhere is another one only after Enter."""
        hands, prompt = self._hands, self._prompt
        if prompt.rule.shape.is_list:
            return hands.over or not stands(prompt, hands.prompt, hands.picture)
        if self._entered is None:
            return hands.over or not hands.picture.typed.startswith(prompt.lead)
        return hands.over or not stands(replace(prompt, at=self._entered), None, hands.picture)

    async def _enter(self, typed: Callable[[], str] = str) -> None:
        before = self._hands.picture
        self._entered = line_of(before)
        if not await self._hands.press(ENTER, self._left):
            after = self._hands.picture
            new = [line for line in after.lines if line not in before.lines]
            below = new if self._prompt.rule.shape.is_list else after.lines[after.cursor[1] + 1 :]
            message = one_line(" ".join(below), 200)
            raise StoppedError(
                f"the program says “{message}”" if message else "Enter did not end it", typed()
            )

    # -- lists ----------------------------------------------------------------------------------------------

    async def _check(self, wanted: Answer) -> None:
        for row in self._prompt.choices:
            label, on = row.label, row.label in wanted.selected
            if self._box(label) is on:
                continue
            await self._mark(label)
            if not await self._hands.press(SPACE, lambda label=label, on=on: self._box(label) is on):  # type: ignore[misc]
                raise StoppedError(f"the box of “{one_line(label, 60)}” did not change")
        if any(self._box(row.label) is not (row.label in wanted.selected) for row in self._prompt.choices):
            raise StoppedError("other boxes are checked than wanted")
        await self._enter()

    def _now(self) -> FoundPrompt:
        now = self._hands.prompt
        if now is None or now.rule.name != self._prompt.rule.name or now.question != self._prompt.question:
            raise StoppedError("another screen came")
        return now

    def _box(self, label: str) -> bool | None:
        row = next((row for row in self._now().rows if row.label == label), None)
        if row is None:
            raise StoppedError(f"“{one_line(label, 60)}” is no longer in sight")
        return row.checked

    def _marked(self) -> str:
        now = self._hands.prompt
        return now.rows[now.marked].label if now is not None and now.marked >= 0 else ""

    async def _mark(self, label: str) -> None:
        """Move the mark to a row."""
        passed: set[str] = set()
        for _ in range(300):
            now = self._now()
            row = now.rows[now.marked]
            if row.label == label:
                return
            place = next((index for index, one in enumerate(now.rows) if one.label == label), None)
            if place is None and row.label in passed:
                break  # once around
            passed.add(row.label)
            up = place is not None and place < now.marked
            number = now.rows[place].number if place is not None and now.rule.by_number else ""
            if not await self._hands.press(
                number or f"\x1b{'O' if self._hands.picture.application_keys else '['}{'A' if up else 'B'}",
                lambda row=row: self._marked() not in ("", row.label),  # type: ignore[misc]
            ):
                raise StoppedError("the mark did not move")
        raise StoppedError(f"there is no row “{one_line(label, 60)}”")


def stands(prompt: FoundPrompt, found: FoundPrompt | None, picture: ScreenPicture) -> bool:
    """Whether a prompt is still on the screen, where ``found`` is, whatever text or mark it has."""
    before = prompt.at - picture.scrolled
    line = picture.lines[before] if 0 <= before < len(picture.lines) else ""
    if prompt.rule.shape.is_list:
        if found is None or (found.rule.name, found.question) != (prompt.rule.name, prompt.question):
            return False
        # A prompt below the answered one is another; a full-screen program may draw the same one anywhere.
        # 30 characters of a question identify its line.
        return found.at == prompt.at or picture.alternate or prompt.question[:30] not in line
    if not picture.typed.startswith(prompt.lead):
        return False
    return line_of(picture) == prompt.at or not line.startswith(prompt.lead.rstrip())


def line_of(picture: ScreenPicture) -> int:
    """Return the cursor's line, counted from the first that the terminal ever had."""
    return picture.scrolled + picture.begin_of(picture.cursor[1])

"""The form for another session: its directory, its worktree, its first prompt."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Input, Static

from ccq_tui.input.gate import NEVER, Face, Hand, KeyKind, Sign, judge
from ccq_tui.input.keys import KeyPlace, key_line
from ccq_tui.runtime.launches import PlaceError, SessionSpec, place, proposed_name, wanted
from ccq_tui.screens.overlay import Overlay
from ccq_tui.text import safe
from ccq_tui.widgets.hints import HintBar
from ccq_tui.widgets.keys import LineField, copy_of, keyboard_of
from ccq_tui.widgets.lifetime import start_work
from ccq_tui.widgets.palette import palette_of
from ccq_tui.worktrees.model import WorktreeError

LONGEST = 600
"""Most characters of a problem."""


class NewSessionBody(Vertical):
    """The part of the screen above the notices and the keys."""


class DirectoryField(LineField):
    """The field for the directory; keys after Enter, even in one burst with it, belong to the next field."""

    def __init__(self, value: str, then: Input) -> None:
        super().__init__(value, id="new-place", compact=True)
        self._then = then

    async def on_key(self, event: events.Key) -> None:
        """Give the next field the focus with Enter, and the keys that come after it."""
        if event.key == "enter":
            event.stop()
            event.prevent_default()
            self.screen.set_focus(self._then)
            await self.action_submit()
        elif self.screen.focused is self._then:
            event.stop()
            event.prevent_default()
            self._then.post_message(copy_of(event))


AGAIN_OPENS = "The letter before these words opened this · Enter again opens a session with them"


class NewSessionScreen(Overlay[SessionSpec]):
    """Form whose result is the wanted session, or None if it was left.

    Attributes:
        left: The first prompt as typed when the form was left.
    """

    DEFAULT_CSS = """
    NewSessionScreen {
        align: center bottom;
        & > NewSessionBody {
            background: $surface;
            height: auto;
            & > Static { height: auto; margin: 0 1; }
            & > Static.-label { color: $ccq-muted; margin: 0 1 0 3; }
            & > HintBar { margin: 0; }
            & > Input { height: 1; border: none; padding: 0; margin: 0 1 0 3; background: $panel; }
            & > Input:focus { border: none; }
        }
    }
    """

    help_place = KeyPlace.NEW

    def __init__(self, here: Path) -> None:
        super().__init__()
        self._here = here
        self.left = ""
        self._doubtful = False
        """Whether the letter that opened this may have begun a word, so that Enter asks once."""

    def compose(self) -> ComposeResult:
        prompt = LineField("", id="new-prompt", compact=True, select_on_focus=False)
        with NewSessionBody():
            yield Static("", id="new-title", markup=False)
            yield Static("Directory", classes="-label", markup=False)
            yield DirectoryField(str(self._here), prompt)
            yield Static("First prompt, optional", classes="-label", markup=False)
            yield prompt
            yield Static("Name of a git worktree, optional", classes="-label", markup=False)
            yield LineField("", id="new-worktree", compact=True, select_on_focus=False)
            yield Static("", id="new-problem", markup=False)
            yield HintBar()

    def on_mount(self) -> None:
        opened = keyboard_of(self).key
        self._opened_at = opened.at if opened.text else NEVER
        palette = palette_of(self.query_one(NewSessionBody))
        self.query_one("#new-title", Static).update(
            Text.assemble(("◆ ", palette.accent), (KeyPlace.NEW.value, palette.strong))
        )
        for field in self.query(Input):
            field.cursor_blink = field.cursor_blink and self.app.animation_level != "none"
        self.set_focus(self._field("#new-prompt"))

    @on(Input.Changed)
    def _hush(self) -> None:
        self.query_one("#new-problem", Static).update("")

    @on(Input.Changed, "#new-prompt")
    def _doubt(self) -> None:
        """Ask the gate whether these words began with the letter that opened this."""
        hand, self._opened_at = Hand(opened_at=self._opened_at), NEVER
        verdict, _ = judge(keyboard_of(self).key, Face(KeyKind.TEXT, prompts=False), hand)
        self._doubtful |= verdict.sign is Sign.DOUBT

    @on(Input.Submitted, "#new-place")
    def _place_given(self, event: Input.Submitted) -> None:
        self._look("directory", partial(self._check, event.value))

    @on(Input.Submitted, "#new-prompt")
    @on(Input.Submitted, "#new-worktree")
    def _open_wanted(self) -> None:
        if self._doubtful:
            self._doubtful = False
            self.query_one("#new-problem", Static).update(AGAIN_OPENS)
        else:
            self._look("open", self._open)

    def _look(self, name: str, work: Callable[[], Awaitable[None]]) -> None:
        """Look something up beside the keys: Esc works even if a directory does not answer."""
        start_work(self, work, name=name, group="look", exclusive=True)

    async def _check(self, directory: str) -> None:
        try:
            await asyncio.to_thread(place, directory, self._here)
        except (PlaceError, OSError) as error:
            self._refuse("#new-place", error, stay=self._goes_on())

    def _goes_on(self) -> bool:
        """Whether the person has gone on to a field after the directory."""
        prompt, worktree = self._field("#new-prompt"), self._field("#new-worktree")
        return bool(prompt.value or worktree.value) or worktree.has_focus

    async def _open(self) -> None:
        directory, prompt = self._field("#new-place").value, self._field("#new-prompt").value
        worktree = self._field("#new-worktree").value
        try:
            self.dismiss(await asyncio.to_thread(wanted, directory, prompt, worktree, self._here))
        except (PlaceError, OSError) as error:
            self._refuse("#new-place", error)
        except WorktreeError as error:
            self._refuse("#new-worktree", error)

    def _refuse(self, name: str, error: Exception, *, stay: bool = False) -> None:
        """Show what is wrong with a field, and focus it unless ``stay`` is set."""
        style = palette_of(self.query_one(NewSessionBody)).warning
        self.query_one("#new-problem", Static).update(Text(safe(str(error), limit=LONGEST), style))
        if not stay:
            self._field(name).select_on_focus = False  # to be mended, not to be typed again
            self._field(name).focus()

    def _field(self, name: str) -> Input:
        return self.query_one(name, Input)

    @on(events.DescendantFocus)
    def _show_keys(self) -> None:
        words = frozenset(("worktree",) if self._field("#new-worktree").has_focus else ())
        enter = "to the prompt" if self._field("#new-place").has_focus else "open"
        self.query_one(HintBar).show(key_line(KeyPlace.NEW, words, enter=enter, leave="stay here"))

    @on(Input.Changed, "#new-worktree")
    def _name_asked_for(self, event: Input.Changed) -> None:
        if event.value.isspace():
            self._look("name", partial(self._propose, event.input))

    async def _propose(self, field: Input) -> None:
        """Make up a name where a space asks for one; no name has a space."""
        name = await asyncio.to_thread(proposed_name, self._field("#new-place").value, self._here)
        if field.value.isspace():  # else a name was typed meanwhile
            field.value = name
            field.action_end()

    def on_key(self, event: events.Key) -> None:
        """Leave on Esc, with the prompt kept in `left`."""
        if event.key == "escape":
            event.stop()
            self.left = self._field("#new-prompt").value
            self.dismiss(None)

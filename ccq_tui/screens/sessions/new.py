"""Asks where another session works, and what it begins with."""

from __future__ import annotations

import asyncio
from pathlib import Path

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Input, Static

from ccq_tui.screens.overlay import Overlay
from ccq_tui.screens.sessions.starting import PlaceError, Wanted, place, proposed_name, wanted
from ccq_tui.text import safe
from ccq_tui.widgets.hints import HintBar
from ccq_tui.widgets.palette import palette_of
from ccq_tui.worktrees.model import WorktreeError

HINTS = (("Enter", "next, then open"), ("Tab", "other field"), ("Esc", "stay here"))
LONGEST = 600
"""Characters of what is wrong."""
WORKTREE_HINTS = (
    ("Enter", "open"),
    ("Space", "make up a name"),
    ("Tab", "other field"),
    ("Esc", "stay here"),
)


class NewSessionBody(Vertical):
    """The part of the screen above what is said and the keys."""


class NewSessionScreen(Overlay[Wanted]):
    """Ends with the session that is wanted; with None when it was left.

    Args:
        here: The directory of the session that it is opened from.
    """

    DEFAULT_CSS = """
    NewSessionScreen {
        align: center bottom;
        & > NewSessionBody {
            background: $surface;
            height: auto;
            padding: 0 1;
            & > Static { height: auto; }
            & > Input { height: 1; border: none; padding: 0; background: $panel; }
            & > Input:focus { border: none; }
        }
    }
    """

    def __init__(self, here: Path) -> None:
        super().__init__()
        self._here = here

    def compose(self) -> ComposeResult:
        """Build the fields and the line that says what is wrong."""
        with NewSessionBody():
            yield Static("", id="new-title", markup=False)
            yield Static("Directory", markup=False)
            yield Input(str(self._here), id="new-place", compact=True)
            yield Static("First prompt (may be empty)", markup=False)
            yield Input("", id="new-prompt", compact=True, select_on_focus=False)
            yield Static("Git worktree of its own (a name, or empty for none)", markup=False)
            yield Input("", id="new-worktree", compact=True, select_on_focus=False)
            yield Static("", id="new-problem", markup=False)
            yield HintBar()

    def on_mount(self) -> None:
        """Say what this is."""
        palette = palette_of(self.query_one(NewSessionBody))
        self.query_one("#new-title", Static).update(Text("Another session", palette.accent))
        hints = self.query_one(HintBar)
        hints.show(HINTS)
        for field in self.query(Input):
            field.cursor_blink = field.cursor_blink and self.app.animation_level != "none"
        self.query_one("#new-place", Input).focus()

    @on(Input.Changed)
    def _hush(self) -> None:
        self.query_one("#new-problem", Static).update("")

    @on(Input.Submitted, "#new-place")
    async def _place_given(self) -> None:
        if await self._checked() is not None:
            self.query_one("#new-prompt", Input).focus()

    @on(Input.Submitted, "#new-prompt")
    @on(Input.Submitted, "#new-worktree")
    async def _open(self) -> None:
        directory, prompt = self._field("#new-place").value, self._field("#new-prompt").value
        worktree = self._field("#new-worktree").value
        try:
            self.dismiss(await asyncio.to_thread(wanted, directory, prompt, worktree, self._here))
        except (PlaceError, OSError) as error:
            self._refuse("#new-place", error)
        except WorktreeError as error:
            self._refuse("#new-worktree", error)

    async def _checked(self) -> Path | None:
        """Return the directory that was typed, or say what is wrong with it."""
        try:
            return await asyncio.to_thread(place, self._field("#new-place").value, self._here)
        except (PlaceError, OSError) as error:
            self._refuse("#new-place", error)
            return None

    def _refuse(self, name: str, error: Exception) -> None:
        """Say what is wrong with a field, and go there."""
        style = palette_of(self.query_one(NewSessionBody)).warning
        self.query_one("#new-problem", Static).update(Text(safe(str(error), limit=LONGEST), style))
        self._field(name).focus()

    def _field(self, name: str) -> Input:
        return self.query_one(name, Input)

    @on(events.DescendantFocus)
    def _show_keys(self) -> None:
        self.query_one(HintBar).show(WORKTREE_HINTS if self._field("#new-worktree").has_focus else HINTS)

    @on(Input.Changed, "#new-worktree")
    async def _propose(self, event: Input.Changed) -> None:
        """Make up a name where a space asks for one; no name has any."""
        if event.value.isspace():
            name = await asyncio.to_thread(proposed_name, self._field("#new-place").value, self._here)
            event.input.value = name
            event.input.action_end()

    def on_key(self, event: events.Key) -> None:
        """Open nothing after Esc."""
        if event.key == "escape":
            event.stop()
            self.dismiss(None)

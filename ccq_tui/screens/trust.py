"""Asked before the first session in a directory: whether to trust what it carries."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.screen import Screen
from textual.widgets import Static

from ccq_tui.config.trust import Carried, CarriedFile
from ccq_tui.questions.manners import GRACE, is_fresh
from ccq_tui.text import one_line
from ccq_tui.widgets.hints import HintBar
from ccq_tui.widgets.palette import Palette, palette_of

LINE = 400
ANSWERS = {"y": "trust", "d": "without", "n": "quit"}
"""What each key answers."""
SCROLLS = {
    "up": "scroll_up",
    "down": "scroll_down",
    "pageup": "scroll_page_up",
    "pagedown": "scroll_page_down",
    "home": "scroll_home",
    "end": "scroll_end",
}


class TrustBody(Vertical):
    """The part of the screen above what is said and the keys."""


class TrustScreen(Screen[str]):
    """Shows what a directory's files would do; ends with "trust", "without" or "quit".

    Args:
        carried: What the directory carries.
        leave: What "n" does, for the line of keys.
        clock: Returns seconds of a monotonic clock.
    """

    DEFAULT_CSS = """
    TrustScreen {
        & > TrustBody {
            background: $surface;
            & > #trust-title { height: auto; padding: 1 1 0 1; }
            & > VerticalScroll { height: 1fr; padding: 1 1; scrollbar-size-vertical: 1; }
            & > VerticalScroll > Static { height: auto; }
        }
    }
    """

    def __init__(
        self, carried: Carried, *, leave: str = "quit", clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__()
        self._leave = leave
        self._carried = carried
        self._clock = clock
        self._shown_at = clock()

    def compose(self) -> ComposeResult:
        """Build title, files and keys."""
        with TrustBody():
            yield Static("", id="trust-title", markup=False)
            with VerticalScroll(can_focus=False):
                yield Static("", id="trust-files", markup=False)
            yield HintBar(asleep=True)

    def on_mount(self) -> None:
        """Draw, and let the keys wait a moment: what is typed now was meant for the shell."""
        palette = palette_of(self.query_one(TrustBody))
        self.query_one("#trust-title", Static).update(title(self._carried, palette))
        self.query_one("#trust-files", Static).update(listing(self._carried, palette))
        self._wait()

    def _wait(self) -> None:
        self._shown_at = self._clock()
        hints = self.query_one(HintBar)
        keys = (
            ("y", "trust, and remember it"),
            ("d", "start without these files"),
            ("n", self._leave),
            ("↑ ↓ PgUp PgDn", "scroll"),
        )
        hints.show(keys, most_lines=2)
        hints.sleep(GRACE)

    def on_key(self, event: events.Key) -> None:
        """Answer or scroll; every other key does nothing."""
        if event.key in SCROLLS:
            event.stop()
            getattr(self.query_one(VerticalScroll), SCROLLS[event.key])(animate=False)
        elif event.key in ANSWERS:
            event.stop()
            if is_fresh(self._shown_at, self._clock()):
                self._wait()
            elif self.is_active:  # two keys in one burst are one answer
                self.dismiss(ANSWERS[event.key])


def title(carried: Carried, palette: Palette) -> Text:
    """Return the question."""
    asks = "Files that you trusted here have changed." if carried.before else "Do you trust this directory?"
    return Text.assemble(
        ("◆ ", palette.accent),
        (asks, palette.strong),
        "\n  ",
        (one_line(str(carried.directory), LINE), palette.note),
        "\n\nA session here obeys its files. They can run programs and allow tools, as soon as it starts:",
    )


def listing(carried: Carried, palette: Palette) -> Text:
    """Return the files with what each of them would do."""
    text = Text()
    for index, file in enumerate(carried.files):
        text.append("\n\n" if index else "")
        text.append(one_line(_named(file, carried.directory), LINE), palette.strong)
        if file.change:
            text.append(f"  {file.change}", palette.warning)
        for effect in file.effects:
            text.append("\n  · ", palette.muted)
            text.append(one_line(effect, LINE), palette.plain)
    return text


def _named(file: CarriedFile, directory: Path) -> str:
    return str(file.path.relative_to(directory) if file.path.is_relative_to(directory) else file.path)

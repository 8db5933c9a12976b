"""Asked before the first session in a directory: whether to trust what it carries."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.screen import Screen
from textual.widgets import Static

from ccq_tui.config.trust import Carried, CarriedFile
from ccq_tui.config.trust_question import PAUSE, ROWS, Row, TrustQuestion, pressed, text_came
from ccq_tui.questions.state import typable
from ccq_tui.text import one_line
from ccq_tui.widgets.hints import HintBar
from ccq_tui.widgets.keys import text_of
from ccq_tui.widgets.palette import Palette, palette_of

LINE = 400
QUIET = 0.25
"""Seconds without a key after which somebody has stopped typing."""
QUIET_LIMIT = 2.0
"""How long the end waits for that."""
SCROLLS = {
    "pageup": "scroll_page_up",
    "pagedown": "scroll_page_down",
    "home": "scroll_home",
    "end": "scroll_end",
}


class TrustBody(Vertical):
    """The part of the screen above what is said and the keys."""


class TrustScreen(Screen[None]):
    """Shows what a directory's files would do, and asks whether to trust them.

    It stays after the answer, and takes what is typed, until what was answered is done.

    Args:
        carried: What the directory carries.
        leave: What the row that starts nothing is called.
        draft: What was typed for the prompt before.
        clock: Returns seconds of a monotonic clock.
    """

    DEFAULT_CSS = """
    TrustScreen {
        & > TrustBody {
            background: $surface;
            & > VerticalScroll { height: 1fr; padding: 1 1; scrollbar-size-vertical: 1; }
            & > VerticalScroll > Static { height: auto; }
            & > #trust-rows { height: auto; padding: 0 1; }
        }
    }
    """

    def __init__(
        self,
        carried: Carried,
        *,
        leave: str = "quit",
        draft: str = "",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__()
        self._labels = {
            Row.LEAVE: f"Do not trust it: {leave}",
            Row.WITHOUT: "Start without these files, this time",
            Row.TRUST: "Trust it, and remember that",
        }
        self._carried = carried
        self._clock = clock
        self._question = TrustQuestion(clock(), typed=draft, typing=bool(draft))
        self._answered = asyncio.Event()

    @property
    def typed(self) -> str:
        """What was typed for the prompt, before and since."""
        return self._question.prompt

    async def answer(self) -> Row:
        """Wait for the answer."""
        await self._answered.wait()
        return self._question.answer or Row.LEAVE

    async def quiet(self) -> None:
        """Wait until nobody types any more, for a moment at most: what is typed must not reach a shell."""
        for _ in range(round(QUIET_LIMIT / QUIET)):
            before = self._question.since
            await asyncio.sleep(QUIET)
            if self._question.since == before:
                return

    def compose(self) -> ComposeResult:
        """Build title, files, rows and keys."""
        with TrustBody():
            with VerticalScroll(can_focus=False):
                yield Static("", id="trust-files", markup=False)
            yield Static("", id="trust-rows", markup=False)
            yield HintBar(asleep=True)

    def on_mount(self) -> None:
        """Draw, and let the keys wait a moment: what is typed now was meant for something else."""
        palette = palette_of(self.query_one(TrustBody))
        said = Text.assemble(title(self._carried, palette), "\n\n", listing(self._carried, palette))
        self.query_one("#trust-files", Static).update(said)
        hints = self.query_one(HintBar)
        hints.show((("↑ ↓", "choose"), ("Enter", "answer"), ("PgUp PgDn", "scroll")), most_lines=2)
        hints.sleep(PAUSE)
        self._draw()

    def on_key(self, event: events.Key) -> None:
        """Scroll, or let the question take the key."""
        if event.key in SCROLLS:
            event.stop()
            getattr(self.query_one(VerticalScroll), SCROLLS[event.key])(animate=False)
            return
        self._take(pressed(self._question, event.key, text_of(event), self._clock()))

    def on_paste(self, event: events.Paste) -> None:
        """Keep a paste for the prompt."""
        event.stop()
        self._take(text_came(self._question, typable(event.text), self._clock()))

    def _take(self, question: TrustQuestion) -> None:
        before, self._question = self._question, question
        if question.answer is not None:
            self._answered.set()
        if question.since != before.since:
            self.query_one(HintBar).sleep(PAUSE)
        self._draw()

    def _draw(self) -> None:
        palette = palette_of(self.query_one(TrustBody))
        self.query_one("#trust-rows", Static).update(rows(self._question, self._labels, palette))


def rows(question: TrustQuestion, labels: Mapping[Row, str], palette: Palette) -> Text:
    """Return the answers, and what was typed for the prompt."""
    text = Text(no_wrap=True, overflow="ellipsis")
    for row in ROWS:
        here = row is question.row
        text.append("❯ " if here else "  ", palette.accent)
        text.append(labels[row], palette.strong if here else palette.plain)
        text.append("\n" if row is not ROWS[-1] else "")
    if question.prompt:
        text.append("\nfor the prompt: ", palette.muted)
        text.append(one_line(question.prompt[-LINE:], LINE), palette.note)
    return text


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

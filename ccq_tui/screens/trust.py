"""The question before the first session in a directory: whether to trust its files."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.screen import Screen

from ccq_tui import signs
from ccq_tui.config.trust import ROWS, Carried, TrustAnswer, TrustKeys, answer_labels, pressed
from ccq_tui.input.gate import QUIET, Sign, Stroke
from ccq_tui.input.keys import Hints, KeyPlace, actions_at, key_line
from ccq_tui.questions.state import typable
from ccq_tui.text import one_line
from ccq_tui.widgets.hints import HintBar
from ccq_tui.widgets.keys import Waiting, keyboard_of, read_at, text_of
from ccq_tui.widgets.lifetime import after, after_refresh, is_live, soon
from ccq_tui.widgets.lines import DrawnLine, Flow, LineView, TextLines, indented, wrapped
from ccq_tui.widgets.palette import Palette, palette_of
from ccq_tui.widgets.panel.measures import is_low
from ccq_tui.widgets.pointer import Clickable
from ccq_tui.widgets.sight import SightView, more_line

TRUST_QUESTION = "Do you trust this directory?"
SETTINGS_QUESTION = "You trust this directory, but not yet this .ccq-tui.toml. Trust it?"
LINE = 400
LONGEST_PATH = 4_096
TOLD = "A session here obeys its files. They can run programs and allow tools as soon as it starts:"
SIGNS: Mapping[Sign | None, Hints] = {
    Sign.AGAIN: (("Enter", "again answers"), ("↑ ↓", "choose")),
    Sign.NOT_SENT: (("Enter", "end a line for the prompt"), ("↓", "to the answers")),
}
"""What the line of keys says where Enter came too early, or belongs to what was typed for the prompt."""
QUIT = "quit"
"""Label for not trusting if that ends the program; Esc does not do that."""
QUIET_LIMIT = 2.0
"""Most seconds that the end waits for that."""
FRAME = 3
"""Cells beside the content: the scrollbar, and one on each side."""
MOST_TITLE = 3
"""Most lines of the question."""


class TrustBody(Vertical):
    """The part of the screen above the notices and the keys."""


class TrustScreen(Screen[None], Clickable[TrustAnswer]):
    """Shows what a directory's files would do, and asks whether to trust them.

    The question, its rows and the keys are always in view; what the files would do scrolls between them.
    It stays after the answer, and takes what is typed, until what was answered is done.
    """

    DEFAULT_CSS = """
    TrustScreen {
        overflow: hidden;
        & > TrustBody {
            background: $surface;
            padding: 1 0 0 0;
            overflow: hidden;
            & > * { margin: 0 1; }
            & > TextLines { height: auto; }
            & > #trust-files { height: 1fr; min-height: 1; }
            & > #trust-rows { height: 3; margin: 1 1 1 1; }
            & > HintBar { margin: 0; }
            & > .-off { display: none; }
            &.-low { padding: 0; }
            &.-low > #trust-rows { margin: 0 1; }
        }
    }
    """

    help_place = KeyPlace.TRUST

    def __init__(
        self,
        carried: Carried,
        *,
        leave: str = QUIT,
        draft: str = "",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__()
        self._labels = answer_labels(leave)
        self._carried = carried
        self._clock = clock
        self._question = TrustKeys(typed=draft, escapes=leave != QUIT)
        self._hints = key_line(KeyPlace.TRUST, enter="answer", leave="stay here" if leave != QUIT else "")
        self._waiting = Waiting()
        self._answered = asyncio.Event()
        self._flow_for: object = None
        self._flow = Flow(iter(()))

    @property
    def typed(self) -> str:
        """Text typed for the prompt, before and since the answer."""
        return self._question.prompt

    async def answer(self) -> TrustAnswer:
        await self._answered.wait()
        return self._question.answer or TrustAnswer.LEAVE

    def take_no_answer(self) -> None:
        """Accept no answer any more: the program is ending, and typed text is only kept."""
        if self._question.answer is None:
            self._question = replace(self._question, answer=TrustAnswer.LEAVE)

    async def quiet(self) -> None:
        """Wait until nobody types, for `QUIET_LIMIT` seconds at most: typed text must not reach a shell."""
        for _ in range(round(QUIET_LIMIT / QUIET)):
            before = self._question.hand.at
            await asyncio.sleep(QUIET)
            if self._question.hand.at == before:
                return

    def compose(self) -> ComposeResult:
        with TrustBody():
            yield TextLines(id="trust-title")
            yield SightView(id="trust-files")
            yield TextLines(id="trust-more", classes="-off")
            yield LineView(id="trust-rows")
            yield HintBar()

    def on_mount(self) -> None:
        """Draw; what is typed now was meant for something else."""
        self._take(replace(self._question, hand=keyboard_of(self).hand))

    def on_screen_resume(self) -> None:
        """Begin anew: keys under way were meant for what covered the question, such as help."""
        if self._question.answer is None and is_live(self):
            # What was typed for the prompt goes on behind what covered it: its Enter answers nothing.
            hand = replace(keyboard_of(self).hand, to=self._question.hand.to)
            self._take(replace(self._question, hand=hand, shown_at=None, row_at=None))

    def on_resize(self) -> None:
        self._draw()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        if is_live(self):
            soon(self, self._draw)

    def on_key(self, event: events.Key) -> None:
        """Scroll, or let the question take the key."""
        if (action := actions_at(KeyPlace.TRUST).get(event.key, "")).startswith("scroll"):
            event.stop()
            getattr(self.query_one(SightView), action)(animate=False, force=True)
            return
        self._press(Stroke(event.key, text_of(event), read_at(self, event, self._clock)))

    def on_paste(self, event: events.Paste) -> None:
        """Keep a paste for the prompt."""
        event.stop()
        self._press(Stroke("paste", typable(event.text), read_at(self, event, self._clock)))

    def clicked(self, row: TrustAnswer, event: events.Click) -> None:
        """Let the question take a click on a row."""
        self._press(Stroke("click", at=read_at(self, event, self._clock)), row)

    def _press(self, key: Stroke, row: TrustAnswer | None = None) -> None:
        self._waiting.followed(key)
        self._take(pressed(self._question, key, row))
        if due := self._question.due:
            self._waiting.wait(key, due, self._confirm, partial(after, self))

    def _confirm(self) -> None:
        self._take(self._question.confirmed())

    def under(self, event: events.MouseEvent) -> TrustAnswer | None:
        row = self.query_one("#trust-rows", LineView).row_on_screen(event.screen_offset)
        return None if row is None else ROWS[row]

    def _take(self, question: TrustKeys) -> None:
        self._question = question
        if question.answer is not None:
            self._answered.set()
        self._draw()
        if None in (question.shown_at, question.row_at):
            after_refresh(self, partial(self._drawn, question))

    def _drawn(self, question: TrustKeys) -> None:
        """Note that the question is on the terminal, if it is still as it was drawn."""
        if question == self._question and self.is_current:
            self._question = question.drawn(self._clock())

    @on(SightView.Looked)
    def _say_more(self) -> None:
        """Say under the files how much more of them there is."""
        view, more = self.query_one(SightView), self.query_one("#trust-more", TextLines)
        scrolls = view.above or view.below or view.goes_on
        more.set_class(not scrolls, "-off")
        if scrolls:
            width = self.app.size.width - FRAME
            more.show([more_line(view, width, palette_of(view), down="PgDn", up="PgUp")])

    def _draw(self) -> None:
        body = self.query_one_optional(TrustBody)
        if body is None:
            return
        palette, width, low = palette_of(body), self.app.size.width - FRAME, is_low(self.app.size.height)
        body.set_class(low, "-low")
        words = SETTINGS_QUESTION if self._carried.before else TRUST_QUESTION
        asked = wrapped(Text.assemble((f"{signs.WAITS} ", palette.warning), (words, palette.strong)), width)
        self.query_one("#trust-title", TextLines).show(asked[:MOST_TITLE])
        wanted = (self._carried, width, palette, low)
        if wanted != self._flow_for:
            self._flow_for, self._flow = wanted, Flow(listing(self._carried, width, palette, short=low))
        self.query_one(SightView).show_flow(self._flow)
        lines = rows(self._question, self._labels, width, palette)
        answers = self.query_one("#trust-rows", LineView)
        answers.styles.height = len(lines)
        answers.show(lines, ROWS.index(self._question.row), palette.cursor)
        sign = Sign.NOT_SENT if self._question.enter_is_prompts else self._question.sign
        self.query_one(HintBar).show(SIGNS.get(sign, self._hints))
        # The rest is known only after the layout.
        after_refresh(self, self._say_more)


def rows(
    question: TrustKeys, labels: Mapping[TrustAnswer, str], width: int, palette: Palette
) -> list[DrawnLine]:
    """Return the answers, and what was typed for the prompt."""
    lines: list[DrawnLine] = []
    for at, row in enumerate(ROWS):
        there = Text.assemble(("❯ ", palette.accent), (labels[row], palette.strong))
        lines.append(DrawnLine(Text.assemble("  ", (labels[row], palette.plain)), at, there))
    if question.prompt:
        text = Text("for the prompt: ", palette.muted)
        text.append(one_line(question.prompt[-LINE:], LINE), palette.note)
        text.truncate(max(1, width), overflow="ellipsis")
        lines.append(DrawnLine(text))
    return lines


def listing(carried: Carried, width: int, palette: Palette, *, short: bool) -> Iterator[Text]:
    """Yield the directory, and its files with what each of them would do, as lines."""
    directory = carried.directory
    for line in wrapped(Text(one_line(str(directory), LONGEST_PATH), palette.note), width - 2):
        yield Text.assemble("  ", line)
    if carried.root != directory:
        covers = f"Trust covers all of {one_line(str(carried.root), LONGEST_PATH)}"
        yield from wrapped(Text(covers, palette.plain), width)
    if not short:
        yield Text()
    told = "A session here obeys:" if short else TOLD
    yield from wrapped(Text(told, palette.plain), width)
    for file in carried.files:
        if not short:
            yield Text()
        named = file.path.relative_to(directory) if file.path.is_relative_to(directory) else file.path
        yield from wrapped(Text(one_line(str(named), LONGEST_PATH), palette.strong), width)
        for effect in file.effects:
            told_lines = wrapped(Text(one_line(effect, LINE), palette.plain), width - 4)
            yield from indented(told_lines, Text("  · ", palette.muted), 4)

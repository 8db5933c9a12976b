"""Frames of cells that differ: whatever follows whatever, an emulated terminal shows the last one."""

import asyncio
import io
import re
from types import SimpleNamespace
from typing import Any

import pyte
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual.app import App
from textual.geometry import Size
from textual.strip import Strip
from textual.widgets import Static

from ccq_tui.compat.textual import frames
from ccq_tui.compat.textual.behind import written_at
from ccq_tui.compat.textual.decoder import ASK
from ccq_tui.compat.textual.frames import PATIENCE, Frames
from ccq_tui.compat.textual.pictures import draw_frugally

WIDTH, HEIGHT = 12, 6
CONSOLE = Console(file=io.StringIO(), color_system="truecolor", force_terminal=True)
STYLES = (
    None,
    Style(bold=True),
    Style(dim=True, reverse=True),
    Style(bold=True, italic=True, underline=True),
    Style(strike=True, overline=True),
    Style(color="#ff0000", bgcolor="#000010"),
    Style(bgcolor="#000010"),
    Style(link="https://a.org"),
)
texts = st.text("ab        é│漢", min_size=1, max_size=WIDTH)


def no_timer(_seconds: float, _call: Any) -> None:
    """Let no time pass."""


@st.composite
def strips(draw: st.DrawFn) -> Strip:
    parts = [Segment(draw(texts), draw(st.sampled_from(STYLES))) for _ in range(draw(st.integers(1, 3)))]
    return Strip(parts).adjust_cell_length(WIDTH)


@st.composite
def plays(draw: st.DrawFn) -> list[list[Strip]]:
    """Several screens of a few lines; some are the one before with its lines moved, and one that goes on."""
    lines = st.sampled_from(draw(st.lists(strips(), min_size=3, max_size=9)))
    screens = st.lists(lines, min_size=HEIGHT, max_size=HEIGHT)
    shown = [draw(screens)]
    for _ in range(draw(st.integers(1, 4))):
        up, fresh = draw(st.integers(-3, 3)), draw(screens)
        last = shown[-1]
        moved = last[up:] + fresh[:up] if up >= 0 else fresh[:-up] + last[:up]
        longer = [*moved[:-1], Strip.join([moved[-1].crop(0, 5), fresh[0].crop(5)])]
        shown.append(draw(st.sampled_from((fresh, moved, longer))))
    return shown


class Erasing(pyte.Screen):
    """A screen whose lines come in the colour that is set, as those of terminals do."""

    def delete_lines(self, count: int | None = None) -> None:
        super().delete_lines(count)
        bottom = self.margins.bottom if self.margins else self.lines - 1
        self.fill(range(bottom + 1 - (count or 1), bottom + 1))

    def insert_lines(self, count: int | None = None) -> None:
        super().insert_lines(count)
        self.fill(range(self.cursor.y, self.cursor.y + (count or 1)))

    def fill(self, lines: range) -> None:
        for y in lines:
            self.buffer[y].update(dict.fromkeys(range(self.columns), self.cursor.attrs))


def cells(screen: pyte.Screen) -> list[pyte.screens.Char]:
    """Return the cells of a screen; what cannot be seen on a blank does not matter."""
    shown = [screen.buffer[y][x] for y in range(HEIGHT) for x in range(WIDTH)]
    return [
        cell._replace(fg="default", bold=False, italics=False)
        if cell.data == " " and not (cell.reverse or cell.underscore or cell.strikethrough)
        else cell
        for cell in shown
    ]


def rendered(strip: Strip) -> str:
    return "".join(
        strip.render_style(style or Style(), text, CONSOLE._color_system)  # type: ignore[arg-type]
        for text, style, _ in strip
    )


@pytest.mark.parametrize("able", [True, False])
@given(shown=plays(), cut=st.integers(1, WIDTH - 1))
def test_the_terminal_shows_each_frame(able: bool, shown: list[list[Strip]], cut: int) -> None:
    sent, screen, plain = Frames(lambda: None, no_timer), Erasing(WIDTH, HEIGHT), pyte.Screen(WIDTH, HEIGHT)
    pyte.Stream(screen).feed("\x1b[?7l")  # as the program has it
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(frames, "ABLE", able)
        for frame in shown:
            parts = [{0: strip.crop(0, cut), cut: strip.crop(cut)} for strip in frame]
            written = sent.of(parts, Size(WIDTH, HEIGHT)).render_segments(CONSOLE)
            pyte.Stream(screen).feed(written)
            assert able or not re.search(r"\x1b\[\d+[LM]", written), "no line is moved"
            for y, x, strip in ((y, *part) for y, line in enumerate(parts) for part in line.items()):
                pyte.Stream(plain).feed(f"\x1b[{y + 1};{x + 1}H{rendered(strip)}")
            assert screen.display == plain.display
            assert cells(screen) == cells(plain)
            again = sent.of(parts, Size(WIDTH, HEIGHT)).render_segments(CONSOLE)
            assert not again, "it is there"


def send(frames: Frames, text: str) -> str:
    """Send a frame that fills the screen."""
    return frames.of([{0: Strip([Segment(text * 40)])}] * 3, Size(40, 3)).render_segments(CONSOLE)


def test_a_frame_that_shows_nothing_new_is_none() -> None:
    frames = Frames(lambda: None, no_timer)
    assert send(frames, "a").endswith(ASK)
    assert not send(frames, "a")
    frames.size = None
    assert send(frames, "a"), "something else drew meanwhile"


def test_no_frame_is_sent_to_a_terminal_that_answers_while_two_are_on_their_way() -> None:
    free: list[bool] = []
    frames = Frames(lambda: free.append(True), no_timer)
    for text in "abc":
        assert not frames.must_wait(), "it may never answer"
        send(frames, text)
    frames.arrived()
    send(frames, "d")
    assert frames.must_wait()
    assert not free
    frames.arrived()
    assert free == [True]
    assert not frames.must_wait()


def test_a_frame_that_did_not_wait_is_not_called_for() -> None:
    frames = Frames(lambda: pytest.fail("nothing waits"), no_timer)
    for text in "abc":
        send(frames, text)
        frames.arrived()


def test_a_lost_answer_is_waited_for_two_seconds_and_noticed_once(caplog: pytest.LogCaptureFixture) -> None:
    free, due = [], []
    frames = Frames(lambda: free.append(True), lambda seconds, call: due.append((seconds, call)))
    for _ in range(2):
        frames.arrived()
        for text in "abc":
            send(frames, text)
        assert [frames.must_wait(), frames.must_wait()] == [True, True]
        ((seconds, give_up),) = due
        assert seconds == PATIENCE == 2.0
        assert not free
        give_up()
        assert free.pop(), "what waits is drawn"
        assert not frames.must_wait(), "frames go on"
        due.clear()
    assert len(caplog.messages) == 1


def test_what_was_drawn_counts_from_its_frame_not_from_when_a_busy_program_notes_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    frames = Frames(lambda: None, no_timer)
    screen: Any = SimpleNamespace(app=SimpleNamespace(_driver=SimpleNamespace(frames=frames)))
    monkeypatch.setattr("time.monotonic", lambda: 5.0)
    send(frames, "a")
    assert [written_at(screen, since, 5.4) for since in (4.9, 5.1)] == [5.0, 5.1]


async def test_a_change_is_drawn_without_waiting_for_a_tick_of_the_clock(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    draw_frugally()
    monkeypatch.setattr("textual.screen.UPDATE_PERIOD", 3_600.0)
    app: App[None] = App()
    drawn = asyncio.Event()
    async with app.run_test() as pilot:
        driver: Any = app._driver
        driver.lent, driver.frames = False, Frames(lambda: None, no_timer)
        monkeypatch.setattr(driver.frames, "of", lambda *_: drawn.set())
        await app.mount(label := Static("before"))
        await pilot.pause()
        drawn.clear()
        label.refresh()
        await asyncio.wait_for(drawn.wait(), 10.0)

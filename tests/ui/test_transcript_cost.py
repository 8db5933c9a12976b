"""What a stream costs on the screen, counted: frames, lines styled, slices of work."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any

import pytest
from textual.app import App, ComposeResult
from textual.geometry import Region
from textual.widgets import Static

from ccq_tui.agent import events as ev
from ccq_tui.testing.scenarios.long import long_markdown
from ccq_tui.widgets.transcript import Transcript, code, pace
from tests.ui.running import running
from tests.ui.session import until

KEY = ev.BlockKey("m", 0)


class Host(App[None]):
    """A transcript over a line that somebody types in."""

    def __init__(self) -> None:
        super().__init__()
        self.transcript = Transcript()
        self.below = Static("typed")

    def compose(self) -> ComposeResult:
        yield self.transcript
        yield self.below


def grew(text: str) -> ev.BlockGrew:
    return ev.BlockGrew(KEY, ev.BlockKind.TEXT, text)


def last_line(app: Host) -> str:
    return app.transcript.render_line(app.transcript.size.height - 1).text.strip()


def counted(patch: pytest.MonkeyPatch, owner: type, name: str) -> list[str]:
    """Return a list that gets the name of a method for each of its calls."""
    calls: list[str] = []
    method = getattr(owner, name)

    def noted(*arguments: Any) -> Any:
        calls.append(name)
        return method(*arguments)

    patch.setattr(owner, name, noted)
    return calls


async def test_only_new_lines_are_styled(monkeypatch: pytest.MonkeyPatch) -> None:
    app = Host()
    looks = counted(monkeypatch, Transcript, "render_line")
    async with app.run_test(size=(60, 30)) as pilot:
        lines = "\n\n".join(f"line {n}" for n in range(2_000))
        app.transcript.apply(ev.BlockFinished(KEY, ev.BlockKind.TEXT, lines))
        await until(pilot, lambda: last_line(app) == "line 1999")
        await pilot.pause()
        counters = app.transcript.counters
        styled, drawn = counters.styled, counters.drawn
        for number in range(10):
            before = app.transcript.frames
            app.transcript.apply(ev.NoticeGiven("info", f"notice {number}"))
            await until(pilot, lambda: app.transcript.frames > before)  # noqa: B023
            await pilot.pause()
        assert last_line(app).endswith("notice 9")
        assert counters.drawn - drawn <= 20
        assert counters.styled - styled <= 40, "of the 290 lines that moved"
        # What is typed elsewhere does not look at the transcript's lines.
        looks.clear()
        styled = counters.styled
        app.below.update("typed more")
        await pilot.pause()
        assert (looks, counters.styled) == ([], styled)


async def test_a_burst_is_drawn_a_few_times_and_its_end_soon() -> None:
    async with running(Host()) as (app, pilot):
        await pilot.pause()
        text = long_markdown(60_000) + "\n\nThe end."
        before, began = app.transcript.frames, time.monotonic()
        for start in range(0, len(text), 200):
            app.transcript.apply(grew(text[start : start + 200]))
            await asyncio.sleep(0.002)
        app.transcript.apply(ev.BlockFinished(KEY, ev.BlockKind.TEXT, text))
        await until(pilot, lambda: last_line(app) == "The end.")
        took = time.monotonic() - began
        assert app.transcript.frames - before <= 4 + took / pace.CATCHING_UP + 4


async def test_code_is_plain_until_its_highlighter_is_loaded_and_drawn_once_more_then(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loaded: dict[str, Any] = {}
    monkeypatch.setattr(code, "_loaded", loaded)
    may_load = threading.Event()
    load = code.load

    def held(language: str, code: str) -> Any:
        assert may_load.wait(20)
        return load(language, code)

    monkeypatch.setattr(code, "load", held)
    app = Host()

    def colours(y: int) -> set[object]:
        return {segment.style.color for segment in app.transcript.render_line(y) if segment.style}

    def where(text: str) -> int:
        rows = range(app.transcript.size.height)
        return next((y for y in rows if text in app.transcript.render_line(y).text), -1)

    async with app.run_test(size=(60, 20)) as pilot:
        text = "Before.\n\n```python\ndef one(): return 1\n```\n\nAfter.\n"
        app.transcript.apply(ev.BlockFinished(KEY, ev.BlockKind.TEXT, text))
        await until(pilot, lambda: where("def one") >= 0 and where("After.") >= 0)
        plain, drawn = colours(where("def one")), app.transcript.counters.drawn
        may_load.set()
        await until(pilot, lambda: len(colours(where("def one"))) > len(plain))
        await pilot.pause()
        assert app.transcript.counters.drawn == drawn + 3, "the parts in view"
        assert list(loaded) == ["python"]


async def test_lines_asked_for_before_their_frame_are_not_taken_for_others_later() -> None:
    """What is put above moves lines; a part of the view may be painted before the frame that shows it."""
    async with running(Host(), size=(60, 12)) as (app, pilot):
        app.transcript.apply(ev.BlockFinished(KEY, ev.BlockKind.TEXT, "\n\n".join("abc")))
        await until(pilot, lambda: last_line(app) == "" and app.transcript.frames > 0)
        await until(pilot, lambda: app.transcript._pace._timer is None)
        pane, width = app.transcript, app.transcript.outer_size.width
        pane._kept_lines.forget()
        pane.render_lines(Region(0, 0, width, 12))
        pane._follow(pane.model.apply(ev.NoticeGiven("info", "noticed")))
        part = pane.render_lines(Region(0, 5, width, 4))
        assert [line.text.strip() for line in part] == [pane.render_line(y).text.strip() for y in range(5, 9)]
        assert "noticed" in "".join(line.text for line in part)
        pane.refresh()
        whole = pane.render_lines(Region(0, 0, width, 12))
        assert "noticed" in "".join(line.text for line in whole)

"""The transcript on a screen: events in, lines out, at what cost; keys and the wheel move it."""

import asyncio
import re
import threading
import time
from typing import Any, ClassVar

import pytest
from textual.binding import Binding, BindingType
from textual.events import MouseScrollUp
from textual.geometry import Region
from textual.widgets import Static

from ccq_tui.agent import events as ev
from ccq_tui.inbox.requests import PlanRequest
from ccq_tui.screens.session.screen import ACTIONS
from ccq_tui.widgets.transcript import Transcript, code, pace, widget
from ccq_tui.widgets.transcript.painter import Painter
from tests.long_markdown import long_markdown
from tests.ui.host import Host, counted
from tests.ui.session import running, until

FORBIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
KEY = ev.BlockKey("m", 0)


class Reading(Host):
    """Holds a transcript."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(key, f"read('{how}')")
        for key, how in {
            "up": "line_up",
            "down": "line_down",
            "pageup": "page_up",
            "pagedown": "page_down",
            "home": "top",
            "end": "bottom",
        }.items()
    ]

    def __init__(self, *below: Static) -> None:
        self.transcript = Transcript(welcome="Hello\nAsk anything.")
        super().__init__(self.transcript, *below)

    def action_read(self, how: str) -> None:
        ACTIONS[how](self)


def lines(app: Reading) -> list[str]:
    return [app.transcript.render_line(y).text.rstrip() for y in range(app.transcript.size.height)]


def grew(text: str, index: int = 0) -> ev.BlockGrew:
    return ev.BlockGrew(ev.BlockKey("m", index), ev.BlockKind.TEXT, text)


async def test_an_empty_transcript_welcomes() -> None:
    async with running(Reading(), size=(40, 12)) as (app, pilot):
        await pilot.pause()
        assert "Ask anything." in "\n".join(lines(app))
        app.transcript.welcome = "Other\x1b[2J \x9b31m \u202e \ud800"
        assert "Other" in "\n".join(lines(app))
        assert not any(FORBIDDEN.search(line) for line in lines(app))
        app.transcript.add_prompt("first")
        await until(pilot, lambda: lines(app)[0] == "❯ first")
        assert len(app.transcript.model.blocks) == 1


async def test_streamed_text_appears_and_is_coalesced(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running(Reading(), size=(60, 20)) as (app, pilot):
        await pilot.pause()
        frames = counted(monkeypatch, app.transcript._pace, "_update")
        followed = counted(monkeypatch, Transcript, "_follow")
        for number in range(1000):
            app.transcript.apply(grew(f"word{number} "))
        await until(pilot, lambda: any("word999" in line for line in lines(app)))
        assert len(frames) < 5
        assert len(followed) == 1, "it costs what its frames do"
        assert "word0 word1" in app.transcript.text()


async def test_what_was_there_before_mounting_is_shown() -> None:
    app = Reading()
    app.transcript.apply(grew("early"))
    app.transcript.add_notice("and this", "warning")
    async with app.run_test(size=(60, 20)) as pilot:
        await until(pilot, lambda: "● early" in lines(app))
        await until(pilot, lambda: "⚠ and this" in lines(app))


async def test_the_head_of_a_plan_that_comes_after_its_panel_is_brought_into_view() -> None:
    async with running(Reading(), size=(40, 12)) as (app, pilot):
        app.transcript.plan.show("p@p")
        assert app.transcript.plan.unseen, "nothing is approved before it came"
        steps = "\n".join(f"{number}. Step" for number in range(40))
        app.transcript.apply(ev.RequestAsked(PlanRequest("p", "p", f"The head\n\n{steps}")))
        await until(pilot, lambda: any("The head" in line for line in lines(app)))
        assert 1 < app.transcript.plan.unseen < 40


async def test_ten_thousand_blocks_are_no_widgets_and_little_is_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with running(Reading()) as (app, pilot):
        mounted, drawn = len(app.query("*")), counted(monkeypatch, Painter, "draw")
        # As long as they were not split, they were looked for anew with every frame.
        for start in range(9_500, -500, -500):
            past = tuple(finished(number) for number in range(start, start + 500))
            app.transcript.apply(ev.HistoryLoaded(past, older=start < 9_500))
            if start == 9_500:
                await until(pilot, lambda: lines(app)[-1] == "● Block 9999")
                app.action_read("page_up")
                above = lines(app)[:-1]
        # The past is put above part by part; whatever is painted in between is the same.
        async with asyncio.timeout(20):
            while len(app.transcript.model.blocks) < 10_000:
                assert lines(app)[:-1] == above, "what comes above moves nothing"
                await asyncio.sleep(0.001)
        assert lines(app)[:-1] == above
        app.transcript.action_home()
        assert lines(app)[0] == "● Block 0"
        await pilot.resize_terminal(60, 20)
        await until(pilot, lambda: len(lines(app)) == 20)
        assert lines(app)[0] == "● Block 0"
        app.transcript.action_end()
        await until(pilot, lambda: lines(app)[-1] == "● Block 9999")
        assert len(app.query("*")) == mounted
        assert len(drawn) < 500


def finished(number: int) -> ev.BlockFinished:
    return ev.BlockFinished(ev.BlockKey("m", number), ev.BlockKind.TEXT, f"Block {number}")


async def test_keys_scroll_and_end_follows_again() -> None:
    async with running(Reading(), size=(40, 10)) as (app, pilot):
        app.transcript.apply(grew("\n\n".join(f"line {n}" for n in range(100))))
        await until(pilot, lambda: lines(app)[-1] == "  line 99")
        assert app.transcript.viewport.following
        await pilot.press("up")
        assert lines(app)[-2] == "  line 98"
        assert not app.transcript.viewport.following
        await pilot.press("pageup")
        assert lines(app)[-3] == "  line 93"
        await pilot.press("pagedown", "down")
        assert lines(app)[-1] == "  line 99"
        assert app.transcript.viewport.following
        await pilot.press("home")
        assert lines(app)[0] == "● line 0"
        assert not app.transcript.viewport.following
        await pilot.press("down")
        assert lines(app)[1] == "  line 1"
        await pilot.press("end")
        assert lines(app)[-1] == "  line 99"
        assert app.transcript.viewport.following


async def test_new_lines_below_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running(Reading(), size=(40, 10)) as (app, pilot):
        app.transcript.apply(grew("\n\n".join(f"line {n}" for n in range(100))))
        await until(pilot, lambda: lines(app)[-1] == "  line 99")
        await pilot.press("pageup", "pageup")
        before = lines(app)
        drawn = counted(monkeypatch, Painter, "draw")
        app.transcript.apply(grew("more\n\nand more", 1))
        await until(pilot, lambda: "new lines below · Ctrl+End" in lines(app)[-1])
        assert lines(app)[:-1] == before[:-1]
        assert drawn == []
        assert app.transcript.viewport.unseen >= 2
        app.transcript.add_prompt("a prompt goes to the end")
        await until(pilot, lambda: lines(app)[-1] == "❯ a prompt goes to the end")


async def test_the_wheel_scrolls() -> None:
    async with running(Reading(), size=(40, 10)) as (app, pilot):
        app.transcript.apply(grew("\n\n".join(f"line {n}" for n in range(100))))
        await until(pilot, lambda: lines(app)[-1] == "  line 99")
        await pilot._post_mouse_events([MouseScrollUp], Transcript, offset=(5, 5), button=0)
        await until(pilot, lambda: "  line 99" not in lines(app))
        assert not app.transcript.viewport.following
        await until(pilot, lambda: app.transcript.scroll_y == app.transcript.vertical_scrollbar.position)


async def test_another_theme_draws_anew() -> None:
    async with running(Reading(), size=(60, 12)) as (app, pilot):
        app.transcript.apply(grew("text *code*"))
        await until(pilot, lambda: "● text code" in lines(app))
        dark = list(app.transcript.render_line(0))
        app.theme = "textual-light"
        await until(pilot, lambda: list(app.transcript.render_line(0)) != dark)
        colours = [segment.style for segment in app.transcript.render_line(0)]
        assert all(style and style.bgcolor == app.transcript.rich_style.bgcolor for style in colours)


async def test_a_running_tool_counts_seconds_and_an_idle_one_does_not() -> None:
    async with running(Reading(), size=(60, 12)) as (app, pilot):
        await pilot.pause()
        app.transcript.apply(ev.ToolStarted("t", "Bash", {"command": "sleep 9"}))
        await until(pilot, lambda: lines(app)[0].startswith("✻ Bash sleep 9"))
        await until(pilot, lambda: re.match(r"✻ Bash sleep 9 · \d", lines(app)[0]) is not None)
        app.transcript.apply(ev.ToolFinished("t", "Bash", "done"))
        await until(pilot, lambda: lines(app)[0].startswith("✔ Bash sleep 9 · done · "))


async def test_text_that_comes_while_the_view_grows_does_not_leave_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app = TypedUnder("\n" * 5)
    transcript = app.transcript
    async with app.run_test(size=(60, 18)) as pilot:
        transcript.apply(grew("word\n\n" * 40))
        await until(pilot, lambda: transcript.scroll_y > 20)
        before = transcript.size.height
        with monkeypatch.context() as patch:  # the new height comes before the next frame
            patch.setattr(transcript._pace, "schedule", lambda **_: None)
            for _ in range(4):
                transcript.add_notice("more")
            app.below.display = False
            await until(pilot, lambda: transcript.size.height > before)
            await pilot.pause()
        transcript.apply(grew("last\n\n"))
        await until(pilot, lambda: "last" in "".join(lines(app)))
        assert transcript.viewport.following


class TypedUnder(Reading):
    """A transcript over a line that somebody types in."""

    def __init__(self, below: str = "typed") -> None:
        self.below = Static(below)
        super().__init__(self.below)


def last_line(app: TypedUnder) -> str:
    return app.transcript.render_line(app.transcript.size.height - 1).text.strip()


async def test_only_new_lines_are_styled(monkeypatch: pytest.MonkeyPatch) -> None:
    looks, styled = counted(monkeypatch, Transcript, "render_lines"), counted(monkeypatch, widget, "unmarked")
    frames, drawn = counted(monkeypatch, Transcript, "update"), counted(monkeypatch, Painter, "draw")
    app = TypedUnder()
    async with app.run_test(size=(60, 30)) as pilot:
        text = "\n\n".join(f"line {n}" for n in range(2_000))
        app.transcript.apply(ev.BlockFinished(KEY, ev.BlockKind.TEXT, text))
        await until(pilot, lambda: last_line(app) == "line 1999")
        await pilot.pause()
        drawn.clear()
        styled.clear()
        for number in range(10):
            frames.clear()
            app.transcript.apply(ev.NoticeGiven("info", f"notice {number}"))
            await until(pilot, lambda: frames)
            await pilot.pause()
        assert last_line(app).endswith("notice 9")
        assert len(drawn) <= 20
        assert len(styled) <= 40, "of the 290 lines that moved"
        # What is typed elsewhere does not look at the transcript's lines.
        looks.clear()
        styled.clear()
        app.below.update("typed more")
        await pilot.pause()
        assert (looks, styled) == ([], [])


async def test_a_burst_is_drawn_a_few_times_and_its_end_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running(TypedUnder()) as (app, pilot):
        await pilot.pause()
        text = long_markdown(60_000) + "\n\nThe end."
        frames, began = counted(monkeypatch, app.transcript._pace, "_update"), time.perf_counter()
        for start in range(0, len(text), 200):
            app.transcript.apply(grew(text[start : start + 200]))
            await asyncio.sleep(0.002)
        app.transcript.apply(ev.BlockFinished(KEY, ev.BlockKind.TEXT, text))
        await until(pilot, lambda: last_line(app) == "The end.")
        took = time.perf_counter() - began
        assert len(frames) <= 4 + took / pace.CATCHING_UP + 4


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
    app = TypedUnder()

    def colours(y: int) -> set[object]:
        return {segment.style.color for segment in app.transcript.render_line(y) if segment.style}

    def where(text: str) -> int:
        rows = range(app.transcript.size.height)
        return next((y for y in rows if text in app.transcript.render_line(y).text), -1)

    async with app.run_test(size=(60, 20)) as pilot:
        text = "Before.\n\n```python\ndef one(): return 1\n```\n\nAfter.\n"
        app.transcript.apply(ev.BlockFinished(KEY, ev.BlockKind.TEXT, text))
        await until(pilot, lambda: where("def one") >= 0 and where("After.") >= 0)
        plain, drawn = colours(where("def one")), counted(monkeypatch, Painter, "draw")
        may_load.set()
        await until(pilot, lambda: len(colours(where("def one"))) > len(plain))
        await pilot.pause()
        assert len(drawn) == 3, "the parts in view"
        assert list(loaded) == ["python"]


async def test_lines_asked_for_before_their_frame_are_not_taken_for_others_later() -> None:
    """What is put above moves lines; a part of the view may be painted before the frame that shows it."""
    async with running(TypedUnder(), size=(60, 12)) as (app, pilot):
        app.transcript.apply(ev.BlockFinished(KEY, ev.BlockKind.TEXT, "\n\n".join("abc")))
        await until(pilot, lambda: last_line(app) == "" and app.transcript.virtual_size.height >= 5)
        await until(pilot, lambda: app.transcript._pace._timer is None)
        pane, width = app.transcript, app.transcript.outer_size.width
        pane.render_lines(Region(0, 0, width, 12))
        pane._follow(pane.model.apply(ev.NoticeGiven("info", "noticed")))
        part = pane.render_lines(Region(0, 5, width, 4))
        assert [line.text.strip() for line in part] == [pane.render_line(y).text.strip() for y in range(5, 9)]
        assert "noticed" in "".join(line.text for line in part)
        pane.refresh()
        whole = pane.render_lines(Region(0, 0, width, 12))
        assert "noticed" in "".join(line.text for line in whole)

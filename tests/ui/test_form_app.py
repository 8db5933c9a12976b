"""The app of one form: pictures of its states, its keys, and its end."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from textual import events
from textual.pilot import Pilot
from textual.widgets import Static

from ccq_tui.bridges.terminal.screen import Screen
from ccq_tui.cli.ask import first_frame
from ccq_tui.config.settings import Settings
from ccq_tui.forms.filling import Filling, request_of
from ccq_tui.inbox.requests import FormRequest
from ccq_tui.questions import Answer, Answered, Declined
from ccq_tui.screens.form import DRAFT, FormApp
from tests.actors import PHONE
from tests.memory_inbox import MemoryInbox
from tests.ten import FORM
from tests.ui.drawn import screen_text
from tests.ui.host import Clock
from tests.ui.pictures import Pictures

CONTEXT = {"commit": "1a2b3c", "message": "Answer a form in [b]three[/b] ways\x1b[31m\nand say so"}
FILLED = [key for answer in "2a171s" for key in (answer, "enter")] + ["enter"] * 2
"""The keys up to the last question, of which two are skipped."""


@asynccontextmanager
async def filling(
    size: tuple[int, int] = (80, 24), seconds: float = 1800.0, drafted: tuple[int, ...] = (), more: str = ""
) -> AsyncIterator[Pilot[None]]:
    request = request_of(FORM, CONTEXT | {"more": more} if more else CONTEXT, "", Path("/"), "ccq-tui ask")
    async with MemoryInbox().asking(request) as opened:
        await opened.added()
        if drafted:
            opened.type(opened.shown.with_draft(selected=drafted), PHONE)  # type: ignore[union-attr]
        app = FormApp(Filling(opened, seconds, clock=(clock := Clock())), Settings(), clock=clock)
        async with app.run_test(size=size) as pilot:
            clock.skip_grace()
            yield pilot


def app_of(pilot: Pilot[None]) -> FormApp:
    assert isinstance(pilot.app, FormApp)
    return pilot.app


def clock_of(pilot: Pilot[None]) -> Clock:
    clock = app_of(pilot).clock
    assert isinstance(clock, Clock)
    return clock


async def keep(pictures: Pictures, size: tuple[int, int]) -> None:
    async with filling(size) as pilot:
        early = Screen(*size)
        request = app_of(pilot)._filling.opened.request
        assert isinstance(request, FormRequest)
        early.take(first_frame(request.questions, request.context, *size).encode())
        for first, shown in zip(early.display, screen_text(pilot.app).splitlines(), strict=False):
            assert first[:1] == "─" or shown[3:].startswith(first[3:].rstrip()), "the first frame jumps"
        clock_of(pilot).skip(1779.0)
        app_of(pilot)._update_countdown()
        await pictures.keep(pilot, "first")
        await pilot.press("escape")
        app_of(pilot)._update_countdown()
        await pictures.keep(pilot, "leave")
        await pilot.press("n", *FILLED)
        await pictures.keep(pilot, "last")
        await pilot.press("1", "enter")
        await pictures.keep(pilot, "review")


async def test_at_80x24(pictures: Pictures) -> None:
    await keep(pictures, (80, 24))


async def test_at_40x12(pictures: Pictures) -> None:
    await keep(pictures, (40, 12))


async def test_esc_goes_back_question_by_question_and_leaves_what_is_open_first() -> None:
    async with filling() as pilot:
        panel = app_of(pilot).panel
        await pilot.press("2", "enter", "a", "enter", "1")
        assert panel.state.tab == 3
        await pilot.press("ctrl+d", "escape")
        assert panel.state.tab == 3, "Esc answered whether to decline"
        await pilot.press("escape")
        assert (panel.state.tab, panel.state.text) == (1, "a"), "what is not asked is passed over"
        await pilot.press("escape")
        assert panel.state.tab == 0
        await pilot.press("escape")
        assert "Leave? The draft" in screen_text(pilot.app)
        await pilot.press("down")
        assert "Leave?" not in screen_text(pilot.app)
        await pilot.press("f2")
        assert not panel.state.hidden, "there is nothing else to see"
        await pilot.press("ctrl+c")
        clock_of(pilot).skip(1.0)
        await pilot.press("ctrl+c")
    assert app_of(pilot)._filling.opened.is_pending, "who leaves decides nothing"


async def test_an_enter_before_the_question_is_drawn_decides_nothing_and_a_digit_counts() -> None:
    async with filling() as pilot:
        panel = app_of(pilot).panel
        panel.rest()
        panel.begin(app_of(pilot)._filling.opened, asked_for=True)
        for key in ("2", "enter"):
            panel.post_message(events.Key(key, key if key == "2" else "\r"))
        await pilot.pause()
        assert (panel.state.tab, panel.state.page.draft.selected) == (0, (1,))
        assert "Enter again " in panel.state.aside
        await pilot.press("enter")
        assert panel.state.tab == 1


async def test_an_answer_given_elsewhere_closes_the_app() -> None:
    async with filling() as pilot:
        await app_of(pilot)._filling.opened.settle(Declined(), PHONE)
        await pilot.pause()
        assert not pilot.app.is_running or pilot.app._exit


async def test_answers_that_are_refused_stay_and_a_draft_of_another_surface_is_shown() -> None:
    async with filling() as pilot:
        app = app_of(pilot)
        opened = app._filling.opened
        await pilot.press("2")
        app.host.settle(opened, Answered((Answer(),) * 10))
        await pilot.pause()
        assert "Not answered" in screen_text(pilot.app)
        assert opened.is_pending
        assert app.panel.state.page.draft.selected == (1,)
        await pilot.press("1")
        assert "Not answered" not in screen_text(pilot.app)


async def test_a_draft_is_named_and_keys_and_help_work_over_the_context() -> None:
    async with filling((60, 16), drafted=(1,), more="word " * 500) as pilot:
        assert DRAFT in screen_text(pilot.app)
        await pilot.press("f1")
        assert "Question" in screen_text(pilot.app)
        await pilot.press("escape", "pagedown")
        app_of(pilot)._about.scroll_end(animate=False, immediate=True)
        await pilot.pause()
        assert "… 500 more characters" in screen_text(pilot.app)
        assert str(app_of(pilot)._about.query_one(Static).render()).count("\x1b") == 0


async def test_the_last_minute_is_counted_down_and_any_key_stops_it() -> None:
    async with filling(seconds=100.0) as pilot:
        app = app_of(pilot)
        clock_of(pilot).skip(69.0)
        app._update_countdown()
        await pilot.pause()
        assert "closes in 30 s" in screen_text(app)
        await pilot.press("down")
        app._update_countdown()
        await pilot.pause()
        assert "closes in 30 s" not in screen_text(app)
        assert "2 min" in app._filling.countdown

"""Grace, clicks, review and hiding: what keeps an answer what a person confirmed."""

from __future__ import annotations

from textual import events

from ccq_tui.questions import Answer, Answered
from ccq_tui.questions.machine import CLICK_GRACE
from ccq_tui.questions.state import Focus
from ccq_tui.widgets.question import QuestionPanel
from tests.ui.asked import MULTI, RECOMMENDED, SINGLE
from tests.ui.host import PanelHost, type_text


async def click_on(app: PanelHost, pilot: object, text: str) -> None:
    """Click on the first place of the screen that shows a text."""
    y, line = next((y, line) for y, line in enumerate(app.screen_lines) if text in line)
    await pilot.click(offset=(line.index(text) + 1, y))


async def test_clicks_on_rows_tabs_and_review() -> None:
    async with PanelHost(SINGLE, MULTI).shown() as (app, pilot):
        await click_on(app, pilot, "DuckDB")
        assert " ❯ ● 3  DuckDB" in app.panel_text
        assert app.state.tab == 0, "a click selects and stays"
        await click_on(app, pilot, "Features")
        assert app.state.tab == 1
        await click_on(app, pilot, "Speed up")
        await click_on(app, pilot, "Trace each")
        await click_on(app, pilot, "Speed up")
        assert app.state.page.draft.selected == (2,)
        await click_on(app, pilot, "Other…")
        assert app.state.focus is Focus.OTHER
        await pilot.press("x")
        await click_on(app, pilot, "Review")
        assert "→ Logs, “x”" in app.panel_text
        await click_on(app, pilot, SINGLE.text)
        assert app.state.tab == 0, "a row of the review leads to its question"
        await click_on(app, pilot, "Review")
        assert not app.outcomes
        await click_on(app, pilot, "✔    Submit")
        assert app.outcomes == [Answered((Answer(("DuckDB",)), Answer(("Logs",), other="x")))]


async def test_clicks_beside_rows_mean_nothing() -> None:
    async with PanelHost(SINGLE, MULTI).shown() as (app, pilot):
        before = app.state
        for text in (SINGLE.text, "Claude asks", "api-ref", " · ", "I looked"):
            await click_on(app, pilot, text)
        assert app.state == before
        assert app.focused is app.panel


async def test_the_click_that_gave_the_terminal_the_focus_selects_nothing() -> None:
    async with PanelHost(SINGLE, MULTI).shown() as (app, pilot):
        app.post_message(events.AppBlur())
        await pilot.pause()
        app.post_message(events.AppFocus())
        await pilot.pause()
        await click_on(app, pilot, "DuckDB")
        await click_on(app, pilot, "Features")
        assert (app.state.page.draft.selected, app.state.tab) == ((), 0)
        app.clock.now += CLICK_GRACE + 0.01
        await click_on(app, pilot, "DuckDB")
        assert app.state.page.draft.selected == (2,)
        assert app.focused is app.panel


async def test_the_focus_of_the_terminal_changes_nothing_else() -> None:
    async with PanelHost(SINGLE).shown() as (app, pilot):
        await pilot.press("2", "o", "x")
        before = app.state.pages
        app.post_message(events.AppBlur())
        await pilot.pause()
        app.post_message(events.AppFocus())
        await pilot.pause()
        await pilot.press("y")
        assert app.state.text == "xy"
        assert before[0].draft.selected == app.state.page.draft.selected == (1,)


async def test_review_shows_everything_and_starts_on_the_first_gap() -> None:
    async with PanelHost(SINGLE, RECOMMENDED, MULTI).shown() as (app, pilot):
        await pilot.press("1", "n", "w", "h", "y", "enter", "tab", "tab", "2", "tab")
        assert RECOMMENDED.text in app.cursor_line
        text = app.panel_text
        assert text.index("→ PostgreSQL") < text.index("✎ why") < text.index("→ no answer")
        assert "→ Cache" in text
        assert "1 with “no answer”" in text
        assert "Enter change" in text
        await pilot.press("enter")
        assert app.state.tab == 1
        await pilot.press("3", "enter")
        assert "✔    Submit" in app.cursor_line, "nothing is missing: the cursor is on it"
        assert "with “no answer”" not in app.panel_text
        assert "Enter submit" in app.panel_text
        await pilot.press("enter")
        assert [answer.selected for answer in app.outcomes[0].answers] == [
            ("PostgreSQL",),
            ("Memcached",),
            ("Cache",),
        ]


async def test_gaps_may_be_submitted_and_are_counted() -> None:
    async with PanelHost(SINGLE, RECOMMENDED, MULTI).shown() as (app, pilot):
        await pilot.press("shift+tab")
        assert "3 with “no answer”" in app.panel_text
        await pilot.press("shift+tab")
        assert "Enter none of these · Space select · a all" in app.panel_text
        await pilot.press("enter")
        assert "→ none of these" in app.panel_text
        assert "2 with “no answer” · 1 with “none of these”" in app.panel_text
        await pilot.press("end", "enter")
        assert [answer.given for answer in app.outcomes[0].answers] == [False, False, True]


async def test_two_waiting_sets_are_counted() -> None:
    async with PanelHost(SINGLE, place=(1, 2)).shown() as (app, pilot):
        assert app.panel_lines[0].endswith("─ 1 of 2 ─")
        app.panel.place = (2, 2)
        await pilot.pause()
        assert app.panel_lines[0].endswith("─ 2 of 2 ─")


async def test_the_keys_of_the_page_above_are_left_to_it() -> None:
    heard: list[str] = []

    class Host(PanelHost):
        def on_key(self, event: events.Key) -> None:
            heard.append(event.key)

    async with Host(SINGLE).shown() as (app, pilot):
        keys = ["pageup", "pagedown", "ctrl+up", "ctrl+down"]
        await pilot.press(*keys, "o", *keys)
        await type_text(pilot, "ab")
        assert heard == keys * 2
        assert app.state.text == "ab"


async def test_a_panel_built_from_a_draft_draws_it() -> None:
    async with PanelHost(SINGLE).shown() as (app, pilot):
        await pilot.press("2", "o", "d", "r", "a", "f", "t")
        draft = app.state
    again = PanelHost(SINGLE)
    again.panel = QuestionPanel(draft, clock=again.clock)
    async with again.run_test() as pilot:
        assert "draft" in again.panel_text
        again.clock.skip_grace()
        await pilot.press("!", "enter")
        assert again.state.page.answer() == Answer(other="draft!")

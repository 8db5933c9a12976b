"""The decision panel has the manners of the question panel: grace, clicks, focus, height, hostile text."""

from __future__ import annotations

import pytest

from ccq_tui.inbox.requests import Allowed, Denied, PermissionRequest, PlanRequest
from ccq_tui.widgets.hints import HintBar
from ccq_tui.widgets.panel.field import AnswerField
from tests.ui.host import DecisionHost, QuickPilot, press_later
from tests.ui.session import permission
from tests.ui.test_question_panel_hostile import assert_clean
from tests.ui.test_question_panel_manners import click_on

LONG = PermissionRequest("t", "s", "Bash", {"command": "\n".join(f"step {n}" for n in range(80))})
PLAN = PlanRequest("p", "s", "# Plan")
SIZES = [(80, 24), (60, 20), (40, 12), (20, 8), (160, 50)]


async def test_a_click_moves_and_a_click_on_the_cursor_takes() -> None:
    async with DecisionHost(permission()).shown() as (app, pilot):
        await click_on(app, pilot, "Deny")
        assert (app.panel.state.cursor, app.outcomes) == (1, [])
        assert app.cursor_line.startswith(" ❯ n  Deny")
        await click_on(app, pilot, "make all")
        assert app.outcomes == [], "what is decided on is no choice"
        await click_on(app, pilot, "Deny")
        assert app.outcomes == [Denied()]


async def test_a_panel_that_was_asked_for_has_no_grace_and_the_focus_stays_inside() -> None:
    async with DecisionHost(permission(), asked_for=True).shown() as (app, pilot):
        app.clock.now = 1000.0
        assert app.panel.state.guard.shown_at is None
        assert not app.panel.query_one(HintBar)._asleep
        await pilot.press("y")
        assert app.outcomes == [Allowed()]
        await pilot.put(permission())
        for keys in (("tab",), ("shift+tab",), ("e", "tab"), ("shift+tab", "tab")):
            await pilot.press(*keys)
            assert app.focused is app.panel, keys


async def test_a_burst_through_choices_and_text_stays_in_order() -> None:
    async with DecisionHost(permission()).shown() as (app, pilot):
        app.burst("e", "a", "b", "left", "X", "escape", "up", "down", "enter", "y", "n", "enter")
        await pilot.pause()
        assert app.outcomes == [Denied("aXynb")], "the caret is where it was left"


async def test_what_is_hidden_in_a_text_is_drawn_as_a_sign_and_sent_as_it_was_pasted() -> None:
    trick, family = (
        "safe\u202egnp.exe\u200b",
        "\U0001f468\u200d\U0001f469 \u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    )
    async with DecisionHost(permission()).shown() as (app, pilot):
        app.paste(f"{trick} {family}")
        await pilot.pause()
        assert "safe\ufffdgnp.exe\ufffd" in app.panel_text
        assert "\U0001f468\u200d\U0001f469" in app.panel_text, "what people write with is drawn as it is"
        assert "\u202e" not in app.panel_text
        await pilot.press("enter")
        await press_later(pilot, "enter")
        assert app.outcomes == [Denied(f"{trick} {family}")]


@pytest.mark.parametrize("size", SIZES)
async def test_the_height_and_the_keys(size: tuple[int, int]) -> None:
    async with DecisionHost(PLAN).shown(size=size) as (app, pilot):
        for asked in (permission(), LONG, PLAN):
            await pilot.put(asked)
            await the_height_and_the_keys(app, pilot, asked)


async def the_height_and_the_keys(
    app: DecisionHost, pilot: QuickPilot, asked: PermissionRequest | PlanRequest
) -> None:
    bottom = app.size.height
    most = -(-bottom * 8 // 10)
    for keys in ((), ("e",), ("enter",), ("x", "ctrl+j") * 8, (*"word" * 12, "z")):
        await pilot.press(*keys)
        assert app.panel.region.height <= most, asked
        assert "Enter" in app.panel_text, f"the keys of {asked} are in sight after {keys}"
        assert app.panel.query_one(HintBar).region.bottom == bottom, asked
        if "e" in keys:
            assert app.panel.state.typing
    field = app.panel.query_one(AnswerField)
    assert "z" in app.panel_text, f"the caret is in sight: {asked}"
    assert field.region.bottom <= app.panel.query_one(HintBar).region.y, asked
    await pilot.press("escape")
    assert "❯" in app.panel_text, f"the choice under the cursor is in sight: {asked}"


async def test_the_session_is_drawn_as_data_and_stays_at_the_edge() -> None:
    app = DecisionHost(permission())
    app.panel.session = "会議\x1b[2J\u202e"
    async with app.run_test():
        assert app.panel_lines[0].endswith("─ 会議␛[2J‹U+202E› ─")
        assert_clean(app)

"""A plan is decided on with its head in view; Shift+Tab in the prompt changes the permission mode."""

from __future__ import annotations

from textual.pilot import Pilot

from ccq_tui.agent import events as ev
from ccq_tui.inbox.requests import Allowed, Denied, PlanRequest
from ccq_tui.questions.input_guard import TYPING_SECONDS
from ccq_tui.screens.session.requests import IN_PROMPT
from ccq_tui.widgets.decision import DecisionPanel
from ccq_tui.widgets.status_line import StatusLine
from tests.actors import PANEL
from tests.ui.drawn import screen_text
from tests.ui.host import press_later
from tests.ui.session import Driven, asked, keys_work, permission, until


def modes(run: Driven) -> list[object]:
    return [value for name, value in run.told.set if name == "mode"]


async def test_the_key_goes_round_and_the_status_follows(run: Driven, pilot: Pilot[int]) -> None:
    await until(pilot, lambda: run.screen.view.mode == "default")
    await pilot.press("h", "shift+tab")
    assert "edits files unasked" in run.screen.dock.notices.text
    await pilot.press("shift+tab")
    assert modes(run) == ["acceptEdits", "plan"], "the CLI's yes is not waited for"
    run.told.tell(ev.ModeChanged("acceptEdits"))
    run.told.tell(ev.ModeChanged("plan"))
    await until(pilot, lambda: "plan mode" in str(run.screen.query_one(StatusLine).render()))
    await pilot.press("shift+tab", "i")
    assert modes(run)[2:] == ["default"]
    assert run.screen.dock.prompt.text == "hi"


async def test_in_a_panel_the_key_is_the_panels(run: Driven, pilot: Pilot[int]) -> None:
    run.told.tell(asked())
    await until(pilot, lambda: run.screen.dock.panel and run.screen.dock.panel.has_focus)
    await pilot.press("shift+tab")
    assert modes(run) == []
    await pilot.press("f2", "shift+tab")
    assert modes(run) == ["acceptEdits"]


def plan_of(name: str, steps: int) -> ev.PlanProposed:
    listed = "\n".join(f"{n}. {name} step {n}" for n in range(1, steps + 1))
    return ev.PlanProposed(PlanRequest(name, "id-1", f"# Plan {name}\n\n{listed}\n"))


async def test_a_second_plan_opens_with_its_own_head_in_view_and_the_end_is_followed_afterwards(
    run: Driven, pilot: Pilot[int]
) -> None:
    run.told.tell(plan_of("first", 60))
    await keys_work(run, pilot)
    await until(pilot, lambda: "Plan first" in screen_text(run.app))
    await pilot.press("n")
    await until(pilot, lambda: run.told.answers)
    run.told.tell(ev.RequestSettled("first", Denied(), PANEL))
    await until(pilot, lambda: run.screen.dock.panel is None and run.screen.transcript.following)
    run.screen.transcript.show(0)
    await until(pilot, lambda: "Plan first" in screen_text(run.app))
    run.told.tell(plan_of("second", 60))
    await keys_work(run, pilot)
    await until(pilot, lambda: "Plan second" in screen_text(run.app))
    assert "Plan first" not in screen_text(run.app)


async def test_a_plan_that_was_never_on_the_screen_is_approved_by_a_second_press(
    run: Driven, pilot: Pilot[int]
) -> None:
    run.told.tell(plan_of("long", 60))
    await keys_work(run, pilot)
    await until(pilot, lambda: "Plan long" in screen_text(run.app))
    panel = run.screen.dock.panel
    assert isinstance(panel, DecisionPanel)
    await pilot.press("y")
    await until(pilot, lambda: "PgDn shows them · y again approves" in panel.state.notice)
    assert run.told.answers == []
    transcript = run.screen.transcript

    async def read_on() -> bool:
        top = transcript.scroll_y
        await pilot.press("pagedown")
        await pilot.pause()
        return transcript.scroll_y != top

    while await read_on():
        pass
    await until(pilot, lambda: not panel.state.notice)
    await press_later(pilot, "y", seconds=TYPING_SECONDS)
    await until(pilot, lambda: run.told.answers == [("long", Allowed(mode="default"), PANEL)])


async def test_a_plan_that_fits_is_approved_at_once_and_the_end_stays_followed(
    run: Driven, pilot: Pilot[int]
) -> None:
    run.told.tell(plan_of("short", 3))
    await keys_work(run, pilot)
    await until(pilot, lambda: "Plan short" in screen_text(run.app))
    assert run.screen.transcript.following
    await pilot.press("y")
    await until(pilot, lambda: run.told.answers == [("short", Allowed(mode="default"), PANEL)])


async def test_words_that_a_decision_was_made_without_are_in_the_prompt_and_that_is_said(
    run: Driven, pilot: Pilot[int]
) -> None:
    run.told.tell(ev.PermissionAsked(permission("p")))
    await keys_work(run, pilot)
    await pilot.press("e", *"later", "escape", "home", "enter")
    await until(pilot, lambda: run.screen.dock.prompt.text == "later")
    assert run.told.answers[0][1] == Allowed()
    assert run.screen.dock.notices.text == IN_PROMPT

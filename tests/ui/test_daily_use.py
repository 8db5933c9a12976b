"""What a day of work by keys alone brought up, on one screen."""

from __future__ import annotations

from textual.pilot import Pilot

from ccq_tui.agent.events import PromptAccepted, SessionState, StateChanged
from ccq_tui.questions import Option, Question
from ccq_tui.widgets.hints import HintBar
from ccq_tui.widgets.prompt import Prompt
from tests.ui.asked import SINGLE
from tests.ui.host import Clock, PanelHost
from tests.ui.running import running
from tests.ui.session import Driven, until


async def test_a_backslash_and_enter_begin_a_new_line(run: Driven, pilot: Pilot[int]) -> None:
    await until(pilot, lambda: run.session and run.screen.dock.prompt.field.has_focus)
    prompt: Prompt = run.screen.dock.prompt
    await pilot.press("a", "backslash", "enter", "b")
    assert prompt.text == "a\nb"
    await pilot.press("up", "backslash", "backslash", "left", "left", "enter", "enter")
    assert run.told.sent == ["a\\\\\nb"]  # only right before the caret


async def test_the_keys_under_the_prompt_are_those_that_hold() -> None:
    async with running(Driven(clock=Clock())) as (run, pilot):
        await until(pilot, lambda: run.session and run.screen.dock.prompt.field.has_focus)
        bar = run.screen.dock.query_one(HintBar)

        def keys() -> str:
            return bar.render().plain

        run.told.tell(StateChanged(SessionState.WORKING))
        run.told.tell(PromptAccepted("later", queued=True, prompt_id="p1"))
        await until(pilot, lambda: "↑ withdraw" in keys())
        await pilot.press("ctrl+f")
        await until(pilot, lambda: "Esc close the search" in keys())
        assert "interrupt" not in keys()
        await pilot.press("escape")
        await until(pilot, lambda: "Esc interrupt" in keys())
        assert run.told.interrupts == 0


async def test_the_question_stays_in_sight_while_one_answers_in_own_words_beside_previews() -> None:
    code = Question(
        "How should amounts be rounded?",
        "Rounding",
        tuple(Option(name, "a way", f"def {name}(x):\n    return x\n") for name in ("up", "even", "never")),
    )
    async with PanelHost(code, SINGLE).shown() as (app, pilot):
        height = app.panel.region.height
        await pilot.press("o", "x")
        shown = "\n".join(app.screen_lines)
        assert "How should amounts be rounded?" in shown
        assert app.panel.region.height == height
        await pilot.press("escape", "up")
        assert "def never" in "\n".join(app.screen_lines)

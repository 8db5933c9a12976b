"""What a question leaves behind, counted in objects: its answer in the transcript, nothing of its panel."""

from __future__ import annotations

import gc

from rich.text import Text
from textual.pilot import Pilot

from ccq_tui.agent.events import RequestSettled, SessionState, StateChanged
from ccq_tui.questions import Option, Question
from ccq_tui.questions.state import PanelState
from tests.ui.session import Driven, asked, keys_work, until

ROUNDS = 8


def count(kind: type) -> int:
    gc.collect()
    return sum(type(one) is kind for one in gc.get_objects())


def question(number: int) -> Question:
    options = (Option(f"First {number}", f"a {number}"), Option(f"Second {number}", f"b {number}"))
    return Question(f"Which one of {number}?", "Which", options)


async def test_nothing_of_a_panel_stays_when_its_question_is_answered(run: Driven, pilot: Pilot[int]) -> None:
    await until(pilot, lambda: run.session is not None)
    run.told.tell(StateChanged(SessionState.WORKING))
    states, texts = 0, 0
    for number in range(2 * ROUNDS):
        if number == ROUNDS:
            states, texts = count(PanelState), count(Text)
        run.told.tell(asked(f"q{number}", question(number)))
        await until(pilot, lambda: run.screen.dock.panel is not None)
        await keys_work(run, pilot)
        await pilot.press("1", "enter")
        await until(pilot, lambda: run.told.answers)
        run.told.tell(RequestSettled(*run.told.answers.pop(0)))
        await until(pilot, lambda: run.screen.dock.prompt.display)
    assert count(PanelState) - states < ROUNDS / 2
    assert count(Text) - texts < ROUNDS, "the lines of a panel are several texts for each question"

"""At any speed of the fingers, the exact text, and the option that was pressed, are sent or asked back."""

from __future__ import annotations

import time
from itertools import product

import pytest

from ccq_tui.input.gate import SEEN
from ccq_tui.questions import Option, Question
from ccq_tui.testing import Scenario
from tests.e2e import terminal as driver
from tests.e2e.conftest import Running, Start
from tests.results import answered, replied
from tests.steps import step

WHICH = Question("Which one?", "Which", (Option("First", "a"), Option("Second", "b"), Option("Third", "c")))
TEXT = "ot sure, 2"
"""With each of the letters it could be a word; a digit, a blank and a comma are in it."""
LETTERS = {
    "o": replied(f'"Which one?"="{TEXT}"'),
    "n": replied(f'"Which one?"="{{}}" notes: {TEXT}'),
    "c": f"The user responded: {TEXT}",
}
SPEEDS = (0.02, 0.06, 0.12, 0.2, 0.29)
"""Seconds from key to key; behind them: all in one read, and after another key."""
DELAYS = tuple(hundredths / 100 for hundredths in range(0, 55, 5))
"""Seconds from the frame of a panel to the digit."""
PAUSES = (0.2, 0.35, 0.6, 1.0, 1.5, 2.0)
"""Seconds from the digit to Enter."""


def asks(run: int) -> Scenario:
    scenario = Scenario("e2e")
    for number in range(1, run + 1):
        scenario = scenario.says(f"Set {number}.").asks(WHICH)
    return scenario.says("Done.")


def sleep_until(at: float) -> None:
    time.sleep(max(0.0, at - time.monotonic()))


def type_at(run: Running, text: str, speed: float) -> None:
    """Type characters at an even pace, whatever comes of them; all in one read with none."""
    since = time.monotonic()
    for number, part in enumerate(text if speed else [text]):
        sleep_until(since + number * speed)
        run.terminal.type(part)


def sent(run: Running, number: int) -> str:
    """Return what reached the model after an Enter, and after another one where it was asked for."""
    run.terminal.wait(lambda now: len(run.model.tool_results()) == number or "Enter again" in now.panel)
    if len(run.model.tool_results()) < number:
        run.terminal.press("enter")
    return run.result(f"toolu_e2e_{number}")


@pytest.mark.timeout(300)
def test_a_letter_opens_its_text_and_what_follows_is_that_text_at_any_speed(start: Start) -> None:
    cases = [*product("o", (*SPEEDS, 0.0, -0.06)), *product("nc", (0.02, 0.2, 0.0))]
    run = start(asks(len(cases)))
    for number, (letter, speed) in enumerate(cases, 1):
        with step(f"{letter} and a text, {speed} s a key"):
            run.terminal.wait_panel("Which one?", f"Set {number}.", SEEN + 0.5)
            if speed < 0:
                run.terminal.press("down")
            type_at(run, letter + TEXT, abs(speed))
            run.terminal.wait_in_panel(TEXT)
            run.terminal.press("enter enter" if letter == "n" else "enter")
            assert sent(run, number) == LETTERS[letter].format("Second" if speed < 0 else "First")


@pytest.mark.timeout(300)
def test_a_digit_and_enter_send_its_option_or_ask_once(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "FRAME_GAP", 0.005)
    run = start(asks(len(DELAYS)))
    for number, delay in enumerate(DELAYS, 1):
        digit, pause = 2 + number % 2, PAUSES[number % len(PAUSES)]
        with step(f"{digit} after {delay} s, Enter after {pause} s"):
            run.terminal.wait(lambda now, n=number: f"Set {n}." in now.text and "3  Third" in now.panel)  # type: ignore[misc]
            drawn = time.monotonic()
            sleep_until(drawn + delay)
            run.terminal.type(str(digit))
            sleep_until(drawn + delay + pause)
            run.terminal.type("\r")
            assert sent(run, number) == answered(f'"Which one?"="{WHICH.options[digit - 1].label}"')

"""The screen for a screen reader: nothing on it is drawn, moves, or counts."""

from __future__ import annotations

import time

import pytest

from ccq_tui.testing import Scenario
from tests.e2e.conftest import Start
from tests.e2e.test_plain_session import PARTS, WHICH


@pytest.mark.timeout(120)
def test_the_screen_has_words_alone(start: Start) -> None:
    scenario = Scenario("e2e").says("| a | b |\n|---|---|\n| 1 | 2 |\n").asks(WHICH, PARTS).says("Done.")
    run = start(scenario, variables={"CCQ_SCREEN_READER": "1"})
    run.terminal.wait("Enter take First")
    run.rest(1.0)  # its keys wake up
    assert "Claude asks" in run.terminal.text
    assert "1  First" in run.terminal.text
    before = len(run.terminal.raw)
    since = time.monotonic()
    run.terminal.wait(lambda _: time.monotonic() - since > 2.5)
    assert len(run.terminal.raw) == before, "what waits for a person writes nothing"
    run.terminal.press("1")
    run.terminal.wait("● 1  First")
    assert not [one for one in run.terminal.text if "\u2500" <= one < "\u25a0"]

"""Two programs killed at random moments; ``python -m tests.agent.killed.rivals`` does it more often."""

from pathlib import Path

import pytest

from tests.agent.killed.rivals.play import Rivals
from tests.agent.killed.rivals.script import PARTS

KILLS = 3


@pytest.mark.timeout(480)
def test_two_killed_programs_with_a_fork_deliver_each_answer_once(tmp_path: Path) -> None:
    seen = Rivals(2, KILLS, tmp_path).play()
    assert seen.problems == []
    assert seen.counts["kills"] == KILLS
    assert seen.counts["started fork"]
    assert seen.counts["permissions"]
    assert seen.counts["rewinds"] == 1
    assert seen.counts["answers, each news once"] >= PARTS
    print(seen)  # noqa: T201 - what was seen is part of the result

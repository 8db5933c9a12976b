"""The program is killed with what was typed; ``python -m tests.e2e.killed`` does so at many points."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.agent.killed.points import VICTIMS
from tests.e2e.killed.life import Life
from tests.e2e.killed.points import PHASES, Point, sessions


@pytest.mark.timeout(240)
def test_a_killed_program_shows_the_question_with_what_was_typed_for_it(tmp_path: Path) -> None:
    counts = Life((Point("drafting", "both"),), tmp_path, questions=1, patient=True).play()
    assert counts.problems == []
    assert (counts.kills.total(), counts.drafts, counts.answers) == (1, 1, 1)
    assert counts.ways == {"message": 1}


def test_every_phase_is_met_with_every_victim() -> None:
    points = [point for session in sessions() for point in session]
    assert {(one.phase, one.victim) for one in points} == {(p, v) for p in PHASES for v in VICTIMS}

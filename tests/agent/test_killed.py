"""A session that is killed at points of every phase; ``python -m tests.agent.killed`` has all of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.agent.killed.points import VICTIMS, Point, all_points
from tests.agent.killed.rivals.play import Rivals
from tests.agent.killed.rivals.script import PARTS
from tests.agent.killed.run import play
from tests.agent.killed.script import QUESTIONS

FEW = (
    # After a parked question the CLI's own note of where the session ended leads it astray.
    Point("resuming", "Connected", "program", parks=True),
    Point("drafting", "draft", "both", 0.5),
    Point("confirming", "answer", "program", 0.01),
    Point("delivering", "ToolFinished", "cli"),
)


@pytest.mark.timeout(240)
def test_a_killed_session_loses_no_draft_and_delivers_each_answer_once(tmp_path: Path) -> None:
    seen = play(FEW, tmp_path / "few")
    assert seen.problems == []
    assert seen.counts["kills"] == len(FEW)
    assert seen.counts["answers, each once"] >= QUESTIONS
    assert seen.counts["drafts kept"]
    print(seen)  # noqa: T201 - what was seen is part of the result


@pytest.mark.timeout(240)
def test_two_killed_programs_with_a_fork_deliver_each_answer_once(tmp_path: Path) -> None:
    seen = Rivals(2, 2, tmp_path).play()
    assert seen.problems == []
    assert seen.counts["kills"] == 2
    assert seen.counts["started fork"]
    assert seen.counts["permissions"]
    assert seen.counts["rewinds"] == 1
    assert seen.counts["answers, each news once"] >= PARTS
    print(seen)  # noqa: T201 - what was seen is part of the result


def test_there_are_more_than_a_hundred_points_in_every_phase_with_every_victim() -> None:
    points = all_points()
    assert len(set(points)) == len(points) > 100
    phases = {"arriving", "drafting", "confirming", "delivering", "parking", "resuming"}
    assert {(one.phase, one.victim) for one in points} == {(p, v) for p in phases for v in VICTIMS}

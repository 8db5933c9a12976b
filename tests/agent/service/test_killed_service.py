"""A killed service loses and doubles nothing; ``python -m tests.agent.service.killed`` has all points."""

from pathlib import Path

import pytest

from tests.agent.killed.counts import Seen
from tests.agent.service.killed import House
from tests.agent.service.postgres import MISSING, postgres, programs

STEPS = [
    "Segments.take.after#1",
    "Segment.converse.before#1",
    "Segment.conclude.after#1",
    "RunStore.move.before#2",
    "Segment.converse.after#1",
    "LinearAdapter.ended.after#1",
]
CUTS = [
    "Service.incoming.before#1",
    "Segments.take.after#1",
    "heard BlockFinished.before#1",
    "LinearAdapter.asked.after#1",
    "Segment.conclude.after#1",
    "RunStore.assign.before#1",
    "RunStore.move.before#3",
    "Segment.converse.after#2",
    "LinearAdapter.ended.before#1",
]


def well(seen: Seen) -> None:
    assert seen.problems == []
    assert seen.counts["runs"] == 1
    assert seen.counts["answers, each once"] >= 2
    print(seen.counts)  # noqa: T201 - what was seen is part of the result


@pytest.mark.timeout(600)
def test_a_killed_service_ends_its_run_and_tells_each_thing_once(tmp_path: Path) -> None:
    points = list(STEPS)
    seen = House(tmp_path).play(points)
    well(seen)
    assert seen.counts["kills"] >= 3


@pytest.mark.timeout(600)
@pytest.mark.skipif(programs() is None, reason=MISSING)
def test_two_machines_on_one_postgres_are_killed_in_turn(tmp_path: Path) -> None:
    with postgres(tmp_path) as url:
        seen = House(tmp_path, url, ("one", "two")).play(list(STEPS))
    well(seen)
    assert seen.counts["kills"] >= 2


@pytest.mark.timeout(600)
@pytest.mark.skipif(programs() is None, reason=MISSING)
def test_two_machines_are_cut_off_from_their_postgres(tmp_path: Path) -> None:
    with postgres(tmp_path) as url:
        points = [*CUTS]
        seen = House(tmp_path, url, ("one", "two"), cut=1.0).play(points)
    well(seen)
    # An answer that comes before a busy machine has parked the session needs no second segment.
    assert points in ([], ["RunStore.move.before#3", "Segment.converse.after#2"])

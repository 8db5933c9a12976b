"""The bench's own sums: a wrong one would be believed."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.bench.figures import percentile
from tests.bench.measures import Effort, Family, Figures, Measure
from tests.bench.processes import processor_seconds, running_seconds, tree
from tests.bench.programs import NATIVE, OURS, SDK, Program
from tests.bench.queries import answers
from tests.bench.running import Results, measure
from tests.bench.table import as_json, markdown, plain

QUICK = Measure("quick", "how quick", "ms", aim=1.0)
LATER = Measure("later", "how quick later", "ms", aim=1.2, limit=20, against=OURS, base="quick")


def play(program: Program, _effort: Effort) -> Figures:
    yield QUICK, 0.010 if program.name == OURS else 0.020
    if program.name == NATIVE:
        raise AssertionError("the screen went away")
    yield LATER, 0.030


@pytest.fixture
def results() -> Results:
    said: list[str] = []
    family = Family("made", (OURS, NATIVE), (QUICK, LATER), play)
    return measure([family], 2, Effort(), [OURS, NATIVE], said.append)


def test_percentiles_lie_between_figures() -> None:
    assert [percentile([4, 1, 3, 2], percent) for percent in (0, 50, 100)] == [1, 2.5, 4]
    assert percentile([7], 95) == 7


def test_ratios_are_to_the_reference_of_each_measure(results: Results) -> None:
    assert results.ratio(QUICK, OURS) == pytest.approx(0.5)
    assert results.ratio(LATER, OURS) == pytest.approx(3.0)


def test_what_a_play_gave_before_it_failed_is_kept_and_told(results: Results) -> None:
    assert len(results.failures) == 2
    native = results.of("quick", NATIVE)
    assert native is not None
    assert native.count == 2
    assert "FAILED: made, native: the screen went away" in plain(results, {})


def test_floors_and_some_families_play_fewer_times_and_the_table_says_so() -> None:
    said: list[str] = []
    families = [
        Family("whole", (OURS, SDK), (QUICK, LATER), play),
        Family("rare", (OURS,), (QUICK, LATER), play, most_runs=1),
    ]
    results = measure(families, 4, Effort(), [OURS, SDK], said.append)
    plays = [line.partition(":")[0] for line in said]
    assert plays.count("whole 3/4  bare SDK") == 0
    assert [sum(name in line for line in plays) for name in ("bare SDK", "whole", "rare")] == [2, 6, 1]
    assert "of 4 runs (rare 1, floors 2), in" in plain(results, {})


def test_what_was_measured_before_ctrl_c_is_kept() -> None:
    def stopped(_program: Program, _effort: Effort) -> Figures:
        yield QUICK, 0.010
        raise KeyboardInterrupt

    results = measure([Family("made", (OURS,), (QUICK,), stopped)], 5, Effort(), [OURS], lambda _: None)
    assert (results.figures, results.failures) == ({("quick", OURS): [10.0]}, ["ended by Ctrl+C"])


def test_the_table_says_which_aims_are_met(results: Results) -> None:
    rows = [line for line in markdown(results, {"date": "today"}).splitlines() if line.startswith("| how")]
    assert rows[0].startswith("| how quick | ≤ 1 | yes | 0.50 | 10.0 (10.0 to 10.0) ms | 20.0 (")
    assert rows[1].startswith("| how quick later | ≤ 1.2, ≤ 20 ms | NO | 3.00 | 30.0 (")
    written = json.loads(as_json(results, {"date": "today"}))
    assert written["measures"][0]["figures"] == {OURS: [10.0, 10.0], NATIVE: [20.0, 20.0]}


def test_a_terminal_answers_in_the_order_of_the_questions() -> None:
    assert answers(b"text\x1b[?u\x1b[c\x1b[1m") == b"\x1b[?0u\x1b[?62;22c"
    assert answers(b"\x1b[?25l") == b""


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the bench needs /proc")
def test_a_process_knows_what_it_used() -> None:
    before = running_seconds(os.getpid())

    def has_used_more() -> bool:
        sum(range(1_000_000))
        return running_seconds(os.getpid()) > before

    assert tree(os.getpid())[0] == os.getpid()
    # A thread of an earlier test that ends meanwhile takes its time along.
    assert any(has_used_more() for _ in range(200))
    assert processor_seconds(os.getpid()) > 0

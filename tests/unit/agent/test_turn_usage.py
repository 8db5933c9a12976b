"""A turn's own tokens and cost."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.agent.controls import COST_SO_FAR
from ccq_tui.agent.translate import TurnUsage


def usage(new: int, cached: int = 0, written: int = 0) -> dict[str, int]:
    return {"input_tokens": new, "cache_read_input_tokens": cached, "output_tokens": written}


def test_what_each_request_repeats_counts_once() -> None:
    turn = TurnUsage(0.0)
    for _ in range(3):  # the stream's start, then a message for each block
        turn.requested("m1", usage(1_000))
    turn.answered(usage(0, written=50))
    turn.requested("m2", usage(10, 1_050))
    turn.answered(usage(0, written=5))
    assert turn.end_turn(0.25, usage(1_010, 1_050)) == (1_010, 0.25)
    turn.requested("m3", usage(7, 1_065))
    assert turn.end_turn(0.75, usage(7, 1_065)) == (7, 0.5)


def test_a_compaction_a_clear_and_a_remark_of_the_cli() -> None:
    turn = TurnUsage(0.0)
    turn.requested("m1", usage(100_000))
    turn.requested("m2", usage(3_000))  # compacted: nothing new
    turn.requested("remark", usage(0))
    turn.requested("m3", usage(3_400))
    assert turn.end_turn(1.0, {}) == (100_400, 1.0)
    assert turn.end_turn(0.0, usage(0)) == (0, 0.0)  # cleared
    turn.cleared()
    turn.requested("m4", usage(2_000))
    assert turn.end_turn(0.5, {}) == (2_000, 0.5)


def test_nothing_is_made_up_where_the_cli_says_nothing() -> None:
    turn = TurnUsage()  # resumed, and what it cost so far is not known
    assert turn.end_turn(2.0, usage(40, 60)) == (100, None)
    assert turn.end_turn(2.5, {}) == (0, 0.5)
    assert turn.end_turn(None, {"input_tokens": "many"}) == (0, None)


@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 10**5)), min_size=1, max_size=20))
def test_the_turns_read_no_more_than_the_largest_context(grown: list[tuple[int, int]]) -> None:
    turn, context, read = TurnUsage(0.0), 0, 0
    for number, (new, written) in enumerate(grown):
        turn.requested(str(number), usage(new, context))
        turn.answered(usage(0, written=written))
        context += new + written
        read += turn.end_turn(0.0, {})[0]
    assert read <= context


def test_the_cost_so_far_is_read_from_the_words_of_the_cli() -> None:
    read = COST_SO_FAR.read
    assert read({"text": "Estimated cost:        $1,234.0040\nTotal duration (API):  0s"}) == 1234.004
    assert read({"text": "no price list here"}) is None
    assert read({}) is None

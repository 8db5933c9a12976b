"""Which permission mode the key goes to."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.commands.models import CYCLE, MEANINGS, next_mode, offered_modes, said
from ccq_tui.runtime.view import BYPASS


def around(start: str, offered: tuple[str, ...], times: int) -> list[str]:
    seen = [start]
    for _ in range(times):
        seen.append(next_mode(seen[-1], offered))
    return seen[1:]


def test_only_what_is_offered_is_gone_through() -> None:
    assert around("default", offered_modes(auto=False, bypass=False), 3) == ["acceptEdits", "plan", "default"]
    everything = offered_modes(auto=True, bypass=True)
    assert around("plan", everything, 3) == ["auto", BYPASS, "default"]
    assert offered_modes(auto=True, bypass=True, refused={"auto", "default"}) == (
        "default",
        "acceptEdits",
        "plan",
        BYPASS,
    )


def test_a_mode_outside_is_left_for_the_first() -> None:
    assert next_mode("dontAsk", offered_modes(auto=True, bypass=False)) == "default"
    assert next_mode("", offered_modes(auto=False, bypass=False)) == "default"


@given(st.booleans(), st.sets(st.sampled_from(CYCLE)))
def test_without_having_started_so_nothing_is_bypassed(auto: bool, refused: set[str]) -> None:
    offered = offered_modes(auto=auto, bypass=False, refused=refused)
    assert BYPASS not in around("default", offered, 10)
    assert set(around("default", offered, len(offered))) == set(offered)
    assert all(MEANINGS[mode] in said(mode) for mode in offered)

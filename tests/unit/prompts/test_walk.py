"""Walking through earlier prompts loses nothing."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.prompts.walk import Walk


def test_up_and_down_with_the_draft_as_the_newest() -> None:
    walk = Walk(["second", "first"])
    assert walk.step(1, "draft") == "second"
    assert walk.draft == "draft"
    assert walk.step(1, "second") == "first"
    assert walk.step(1, "first") is None
    assert walk.step(-1, "first") == "second"
    assert walk.step(-1, "second") == "draft"
    assert walk.step(-1, "draft") is None


def test_what_was_changed_on_the_way_stays_until_a_prompt_is_sent() -> None:
    walk = Walk(["second", "first"])
    walk.step(1, "")
    walk.step(1, "second, changed")
    assert walk.step(-1, "first") == "second, changed"
    walk.add("second, changed")
    assert walk.step(1, "") == "second, changed"
    assert walk.step(1, "second, changed") == "second"


def test_a_prompt_sent_again_is_the_newest_and_stands_once() -> None:
    walk = Walk(["b", "a"])
    walk.add("a")
    assert walk.step(1, "") == "a"
    assert walk.step(1, "a") == "b"
    assert walk.step(1, "b") is None


def test_changes_stay_at_their_prompts_when_a_search_adds_one() -> None:
    walk = Walk(["second", "first"])
    assert walk.step(1, "draft") == "second"
    assert walk.step(1, "second, changed") == "first"
    walk.jump("first, changed", "found")
    assert walk.draft == "draft"
    assert walk.step(1, "found") == "second, changed"
    assert walk.step(1, "second, changed") == "first, changed"
    assert walk.step(1, "first, changed") is None
    assert walk.step(-1, "first, changed") == "second, changed"
    assert walk.step(-1, "second, changed") == "found"
    assert walk.step(-1, "found") == "draft"


def test_a_search_before_the_walk_keeps_the_draft() -> None:
    walk = Walk(["first"])
    walk.jump("draft", "found")
    assert walk.step(1, "found, changed") == "first"
    assert walk.step(-1, "first") == "found, changed"
    assert walk.step(-1, "found, changed") == "draft"


@given(st.lists(st.text("ab", min_size=1), unique=True), st.lists(st.sampled_from([1, -1])), st.text("xy"))
def test_the_way_back_ends_at_the_draft(earlier: list[str], steps: list[int], draft: str) -> None:
    walk = Walk(earlier)
    text = draft
    for step in [*steps, *[-1] * len(steps)]:
        text = new if (new := walk.step(step, text)) is not None else text
    assert text == draft


def test_older_prompts_that_come_on_the_way_are_taken_and_others_are_not() -> None:
    walk = Walk(["second"])
    assert walk.step(1, "") == "second"
    walk.remember(["second", "first"])
    assert walk.step(1, "second") == "first"
    walk.remember(["another", "second", "first"])
    assert walk.step(-1, "first") == "second", "not another line under the caret"

"""Deciding on permissions and plans: what each key does, and that nothing else decides."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.inbox.decision import (
    CHOOSE,
    ENTER_TAKES,
    NO_ROW,
    DecisionState,
    decide,
    decision_hints,
    means_something,
)
from ccq_tui.inbox.draft import first_draft
from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.requests import Allowed, Denied, PermissionRequest, PlanRequest
from ccq_tui.inbox.suggestions import Rule, Suggestion
from ccq_tui.questions import events as ev

ALWAYS = Suggestion("addRules", "localSettings", (Rule("Bash", "make *"),), "allow")
ACCEPT = Suggestion("setMode", mode="acceptEdits")
PERMISSION = PermissionRequest("toolu_1", "s", "Bash", {"command": "make"}, suggestions=(ALWAYS, ACCEPT))
RULES = tuple(replace(ALWAYS, rules=(Rule("Bash", f"make {n} *"),)) for n in range(11))
PLAN = PlanRequest("toolu_2", "s", "# Plan")


def keys(state: DecisionState, pressed: str) -> DecisionState:
    for key in pressed.split():
        state = decide(state, ev.Pressed(key, key if len(key) == 1 else ""))
    return state


@pytest.mark.parametrize(
    ("request_", "pressed", "outcome"),
    [
        (PERMISSION, "y", Allowed()),
        (PERMISSION, "enter", Allowed()),
        (PERMISSION, "n", Denied()),
        (PERMISSION, "1 enter", Allowed(suggestion=ALWAYS)),
        (PERMISSION, "2 enter", Allowed(suggestion=ACCEPT)),
        (PERMISSION, "down down enter", Allowed(suggestion=ALWAYS)),
        (PERMISSION, "down enter", Denied()),
        (PLAN, "y", Allowed(mode="default")),
        (PLAN, "enter", Allowed(mode="default")),
        (PLAN, "1 enter", Allowed(mode="acceptEdits")),
        (replace(PLAN, auto=True), "2 enter", Allowed(mode="auto")),
        (PLAN, "n", Denied()),
        (PLAN, "down enter", Denied()),
    ],
)
def test_keys_and_enter_decide(request_: PermissionRequest, pressed: str, outcome: object) -> None:
    assert keys(first_draft(request_), pressed).outcome == outcome


def test_nothing_is_offered_for_longer_that_was_not_suggested() -> None:
    bare = first_draft(replace(PERMISSION, suggestions=()))
    assert [choice.key for choice in bare.acts] == ["y", "n", "a", "e"]
    assert keys(bare, "1") == bare, "a digit without a choice decides and types nothing"
    many = first_draft(replace(PERMISSION, suggestions=RULES))
    assert [choice.key for choice in many.acts] == ["y", "n", *map(str, range(1, 12)), "a", "e"]


def test_allowing_with_text() -> None:
    state = decide(keys(first_draft(PERMISSION), "a"), ev.TextChanged("but quietly"))
    assert keys(state, "enter").outcome == Allowed("but quietly")
    back = keys(state, "escape")
    assert keys(back, "y").outcome == Allowed(), "y carries no text"
    assert keys(back, "e enter").outcome == Denied("but quietly")
    assert (back.text_row, keys(back, "e").text_row) == (4, 5)
    assert keys(back, "x").text_row == 4, "on a choice with text another key goes on with it"


def test_a_plan_is_approved_with_words_as_it_was_edited() -> None:
    state = decide(keys(first_draft(PLAN), "a"), ev.TextChanged("tests first"))
    assert keys(state, "enter").outcome == Allowed("tests first", mode="default")
    edited = decide(first_draft(PLAN), ev.TextChanged("# Mine"))
    said = decide(keys(edited, "down down down enter"), ev.TextChanged("tests first"))
    assert keys(said, "enter").outcome == Allowed("tests first", mode="default", plan="# Mine")
    assert keys(decide(first_draft(PLAN), ev.Words("no")), "enter enter").outcome == Denied("no"), (
        "never approved unasked, and read before it is sent"
    )


def test_a_plan_is_edited_and_that_plan_is_approved() -> None:
    state = decide(first_draft(PLAN), ev.TextChanged("# Mine\x07"))
    assert (state.plan, state.current_plan, state.has_draft) == ("# Mine", "# Mine", True)
    assert keys(state, "1 enter").outcome == Allowed(mode="acceptEdits", plan="# Mine")
    assert keys(state, "n").outcome == Denied()
    same = decide(state, ev.TextChanged("# Plan\n"))
    assert (same.plan, same.current_plan) == ("", "# Plan")
    empty = decide(state, ev.TextChanged(" \n"))
    assert (empty.plan, bool(empty.notice)) == ("", True)
    assert decide(first_draft(PERMISSION), ev.TextChanged("x")) == first_draft(PERMISSION)


@pytest.mark.parametrize("pressed", ["3", "down", "k", "space", "ctrl+d", "escape", "f2", "home", "x"])
def test_other_keys_decide_nothing(pressed: str) -> None:
    assert keys(first_draft(PERMISSION), pressed).outcome is None


@pytest.mark.parametrize("opened_by", ["e", "end enter", "up enter"])
def test_denying_with_text(opened_by: str) -> None:
    state = keys(first_draft(PERMISSION), opened_by)
    assert state.typing
    assert decision_hints(state)[0] == ("Enter", "back")
    assert (keys(state, "enter").typing, keys(state, "enter").outcome) == (False, None)
    state = decide(state, ev.TextChanged("use make test"))
    assert keys(state, "enter").outcome == Denied("use make test")
    left = keys(state, "escape")
    assert (left.typing, left.text, left.outcome) == (False, "use make test", None)


@pytest.mark.parametrize(
    ("pressed", "cursor", "outcome"),
    [
        *(("enter", NO_ROW, None), ("p enter", NO_ROW, None), ("x", 5, None)),
        *(("y", 0, Allowed()), ("n", 1, Denied()), ("down enter", 0, Allowed())),
        ("up up up enter", 3, Allowed(suggestion=ACCEPT)),
    ],
)
def test_a_dangerous_call_has_no_row_under_the_cursor_until_it_was_moved(
    pressed: str, cursor: int, outcome: object
) -> None:
    first = first_draft(replace(PERMISSION, danger="deletes whole directories"))
    assert decision_hints(first)[:3] == (("↑↓", "choose"), ("y", "allow"), ("n", "deny"))
    after = keys(first, pressed)
    assert (after.cursor, after.outcome) == (cursor, outcome)
    assert after.notice == (CHOOSE if cursor == NO_ROW else ""), "Enter says so"


def test_a_letter_that_means_nothing_and_a_paste_become_text() -> None:
    assert keys(first_draft(PERMISSION), "x").text == "x"
    assert decide(first_draft(PERMISSION), ev.Words("two\nlines")).text == "two\nlines"


@pytest.mark.parametrize("request_", [PERMISSION, PLAN])
@pytest.mark.parametrize("key", ["y", "n", "1"])
def test_a_letter_that_does_not_decide_goes_to_its_row_as_a_digit_does(
    request_: PermissionRequest | PlanRequest, key: str
) -> None:
    moves = ev.Pressed(key, key, decides=False)
    after = decide(first_draft(request_), moves)
    there = after.acts[after.cursor]
    assert (after.outcome, there.key, after.notice) == (None, key, ENTER_TAKES)
    asked = kind_of(request_).asked(request_)
    assert decide(after, ev.Pressed("enter")).outcome == asked.values[after.cursor]
    unseen = decide(decide(first_draft(request_), ev.Seen(EVERY_ROW, 3)), moves)
    assert bool(unseen.notice) == (not there.allows), "Enter asks before it allows what was not seen"


def test_a_click_moves_and_on_the_choice_under_the_cursor_takes_it() -> None:
    state = decide(first_draft(PERMISSION), ev.Clicked(2))
    assert (state.cursor, state.outcome) == (2, None)
    assert decide(state, ev.Clicked(2)).outcome == Allowed(suggestion=ALWAYS)
    assert decide(first_draft(PERMISSION), ev.Clicked(0)).outcome == Allowed()
    text = decide(decide(state, ev.Clicked(4)), ev.Clicked(4))
    assert (text.typing, text.outcome) == (True, None)
    assert decide(text, ev.Clicked(4)) == text, "the text that is open stays open"


def test_a_click_on_a_hidden_panel_does_nothing() -> None:
    hidden = keys(first_draft(PERMISSION), "escape")
    assert decide(hidden, ev.Clicked(0)) == hidden


def test_text_has_no_control_characters() -> None:
    assert decide(first_draft(PLAN), ev.Words("\x1b[31mred\r\nline\x07")).text == "[31mred\nline"
    assert decide(first_draft(PLAN), ev.Words("\x1b\x07")) == first_draft(PLAN), "nothing is left of it"
    assert decide(keys(first_draft(PLAN), "e"), ev.TextChanged("a\x9b\tb")).text == "a\tb"


def test_escape_hides_and_f2_shows_with_the_text_kept() -> None:
    state = keys(decide(keys(first_draft(PLAN), "e"), ev.TextChanged("smaller")), "escape escape")
    assert state.hidden
    assert keys(state, "y enter").outcome is None
    shown = keys(state, "f2")
    assert (shown.hidden, shown.text) == (False, "smaller")


@given(
    st.sampled_from([PERMISSION, PLAN]),
    st.lists(
        st.one_of(
            st.sampled_from(["up", "down", "j", "enter", "escape", "f2", "e", "1", "9", "tab", "ctrl+d"]).map(
                lambda key: ev.Pressed(key, key if len(key) == 1 else "")
            ),
            st.characters().map(lambda c: ev.Pressed(c, c)),
            st.text(max_size=4).map(ev.TextChanged),
            st.text(max_size=4).map(ev.Words),
            st.integers(-1, 7).map(ev.Clicked),
        ),
        max_size=40,
    ),
)
def test_random_events(request_: PermissionRequest, happened: list[ev.Event]) -> None:
    state = first_draft(request_)
    for event in happened:
        after = decide(state, event)
        decision_hints(after)
        if after.outcome and not state.outcome:
            pressed = isinstance(event, ev.Pressed) and event.key in ("enter", "y", "n")
            assert pressed or event == ev.Clicked(state.cursor)
        if not isinstance(event, ev.TextChanged):
            assert after.text.startswith(state.text), "text is only added to"
        if isinstance(event, ev.Pressed) and not means_something(state, event.key, event.character):
            assert after == state
        state = after


EVERY_ROW = frozenset(range(10))


def test_a_choice_out_of_sight_is_brought_back_and_not_taken() -> None:
    state = decide(first_draft(PERMISSION), ev.Seen(frozenset({0, 1})))
    after = keys(state, "2")
    assert (after.outcome, after.cursor) == (None, 3)
    assert after.notice
    assert not keys(after, "escape").notice, "hidden, it is no longer the next key"
    assert keys(decide(after, ev.Seen(frozenset({3}))), "enter").outcome is not None
    assert keys(state, "n").outcome == Denied(), "what its letter denies grants nothing"
    assert keys(state, "y").outcome == Allowed()
    away = decide(keys(state, "down down"), ev.Seen(frozenset({0})))
    assert keys(away, "enter").outcome is None
    assert keys(state, "e").typing, "to open a text decides nothing"


def test_what_was_never_on_the_screen_is_allowed_by_a_second_press_alone() -> None:
    state = decide(first_draft(PERMISSION), ev.Seen(EVERY_ROW, 41))
    asked = decide(state, ev.Pressed("enter"))
    assert asked.outcome is None
    words = "41 lines were never on the screen · Space shows them · Enter again allows"
    assert asked.notice == words
    assert decide(asked, ev.Pressed("enter")).outcome == Allowed()
    assert keys(asked, "y").outcome == Allowed(), "the same choice by its letter"
    assert decide(asked, ev.Pressed("1", "1")).outcome is None, "another choice asks anew"
    assert keys(decide(asked, ev.Pressed("down")), "up enter").outcome is None
    assert keys(asked, "n").outcome == Denied(), "denying asks nothing"
    less = decide(asked, ev.Seen(EVERY_ROW, 1))
    assert less.notice.startswith("1 line was never on the screen · Space shows it · ")
    seen = decide(less, ev.Seen(EVERY_ROW))
    assert (seen.notice, seen.warned) == ("", None)
    assert keys(seen, "y").outcome == Allowed()


def test_clicks_texts_and_plans_ask_too() -> None:
    state = decide(first_draft(PERMISSION), ev.Seen(EVERY_ROW, 120, at_least=True))
    clicked = decide(state, ev.Clicked(0))
    assert clicked.notice.startswith("over 120 lines were never")
    assert clicked.notice.endswith("a click again allows")
    assert decide(clicked, ev.Clicked(0)).outcome == Allowed()
    typed = decide(keys(state, "a"), ev.TextChanged("x"))
    asked = decide(typed, ev.Pressed("enter"))
    assert (asked.outcome, asked.text) == (None, "x")
    assert decide(asked, ev.TextChanged("xy")).warned is None, "what is typed on is no second press"
    assert decide(asked, ev.Pressed("enter")).outcome == Allowed("x")
    plan = keys(decide(first_draft(PLAN), ev.Seen(EVERY_ROW, 3)), "y")
    assert plan.notice == "3 lines were never on the screen · PgDn shows them · y again approves"

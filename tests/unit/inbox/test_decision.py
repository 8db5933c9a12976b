"""Deciding on permissions and plans: what each key does, and that nothing else decides."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.inbox.draft import first_draft
from ccq_tui.inbox.kinds import kind_of, outcome_of
from ccq_tui.inbox.requests import Allowed, Denied, PermissionRequest, PlanRequest, RequestOutcome
from ccq_tui.inbox.suggestions import Rule, Suggestion
from ccq_tui.questions import events as ev
from ccq_tui.questions.acts import CHOOSE, ENTER_TAKES, NO_ROW, hints
from ccq_tui.questions.keys import action_for
from ccq_tui.questions.machine import step
from ccq_tui.questions.state import PanelState
from ccq_tui.widgets.decision.panel import unseen_words

ALWAYS = Suggestion("addRules", "localSettings", (Rule("Bash", "make *"),), "allow")
ACCEPT = Suggestion("setMode", mode="acceptEdits")
PERMISSION = PermissionRequest("toolu_1", "s", "Bash", {"command": "make"}, suggestions=(ALWAYS, ACCEPT))
RULES = tuple(replace(ALWAYS, rules=(Rule("Bash", f"make {n} *"),)) for n in range(11))
PLAN = PlanRequest("toolu_2", "s", "# Plan")


def keys(state: PanelState, pressed: str) -> PanelState:
    for key in pressed.split():
        state = step(state, ev.Pressed(key, key if len(key) == 1 else ""))
    return state


def came(state: PanelState) -> RequestOutcome | None:
    """Return what a decision came to."""
    request = replace(PLAN, auto=True) if state.questions.editable else PERMISSION
    return None if state.outcome is None else outcome_of(request, state.outcome, state.edited)


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
def test_keys_and_enter_step(request_: PermissionRequest, pressed: str, outcome: object) -> None:
    assert came(keys(first_draft(request_), pressed)) == outcome


def test_nothing_is_offered_for_longer_that_was_not_suggested() -> None:
    bare = first_draft(replace(PERMISSION, suggestions=()))
    assert [choice.key for choice in bare.page.question.acts] == ["y", "n", "a", "e"]
    assert keys(bare, "1") == bare, "a digit without a choice decides and types nothing"
    many = first_draft(replace(PERMISSION, suggestions=RULES))
    assert [choice.key for choice in many.page.question.acts] == ["y", "n", *map(str, range(1, 12)), "a", "e"]


def test_allowing_with_text() -> None:
    state = step(keys(first_draft(PERMISSION), "a"), ev.TextChanged("but quietly"))
    assert came(keys(state, "enter")) == Allowed("but quietly")
    back = keys(state, "escape")
    assert came(keys(back, "y")) == Allowed(), "y carries no text"
    assert came(keys(back, "e enter")) == Denied("but quietly")
    assert (back.page.draft.text_row, keys(back, "e").page.draft.text_row) == (4, 5)
    assert keys(back, "x").page.draft.text_row == 4, "on a choice with text another key goes on with it"


def test_a_plan_is_approved_with_words_as_it_was_edited() -> None:
    state = step(keys(first_draft(PLAN), "a"), ev.TextChanged("tests first"))
    assert came(keys(state, "enter")) == Allowed("tests first", mode="default")
    edited = step(first_draft(PLAN), ev.TextChanged("# Mine"))
    said = step(keys(edited, "down down down enter"), ev.TextChanged("tests first"))
    assert came(keys(said, "enter")) == Allowed("tests first", mode="default", plan="# Mine")
    assert came(keys(step(first_draft(PLAN), ev.Words("no")), "enter enter")) == Denied("no"), (
        "never approved unasked, and read before it is sent"
    )


def test_a_plan_is_edited_and_that_plan_is_approved() -> None:
    state = step(first_draft(PLAN), ev.TextChanged("# Mine\x07"))
    assert (state.edited, state.has_draft) == ("# Mine", True)
    assert came(keys(state, "1 enter")) == Allowed(mode="acceptEdits", plan="# Mine")
    assert came(keys(state, "n")) == Denied()
    same = step(state, ev.TextChanged("# Plan\n"))
    assert same.edited == ""
    empty = step(state, ev.TextChanged(" \n"))
    assert (empty.edited, bool(empty.aside)) == ("", True)
    assert step(first_draft(PERMISSION), ev.TextChanged("x")) == first_draft(PERMISSION)


@pytest.mark.parametrize("pressed", ["3", "down", "k", "space", "ctrl+d", "escape", "f2", "home", "x"])
def test_other_keys_decide_nothing(pressed: str) -> None:
    assert came(keys(first_draft(PERMISSION), pressed)) is None


@pytest.mark.parametrize("opened_by", ["e", "end enter", "up enter"])
def test_denying_with_text(opened_by: str) -> None:
    state = keys(first_draft(PERMISSION), opened_by)
    assert state.typing
    assert hints(state)[0] == ("Enter", "back")
    assert (keys(state, "enter").typing, came(keys(state, "enter"))) == (False, None)
    state = step(state, ev.TextChanged("use make test"))
    assert came(keys(state, "enter")) == Denied("use make test")
    left = keys(state, "escape")
    assert (left.typing, left.page.draft.other, came(left)) == (False, "use make test", None)


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
    assert hints(first)[:3] == (("↑↓", "choose"), ("y", "allow"), ("n", "deny"))
    after = keys(first, pressed)
    assert (after.page.cursor, came(after)) == (cursor, outcome)
    assert after.aside == (CHOOSE if cursor == NO_ROW else ""), "Enter says so"


def test_a_letter_that_means_nothing_and_a_paste_become_text() -> None:
    assert keys(first_draft(PERMISSION), "x").text == "x"
    assert step(first_draft(PERMISSION), ev.Words("two\nlines")).text == "two\nlines"


@pytest.mark.parametrize("request_", [PERMISSION, PLAN])
@pytest.mark.parametrize("key", ["y", "n", "1"])
def test_a_letter_that_does_not_decide_goes_to_its_row_as_a_digit_does(
    request_: PermissionRequest | PlanRequest, key: str
) -> None:
    moves = ev.Pressed(key, key, decides=False)
    after = step(first_draft(request_), moves)
    there = after.page.question.acts[after.page.cursor]
    assert (came(after), there.key, after.aside) == (None, key, ENTER_TAKES)
    asked = kind_of(request_).asked(request_)
    assert came(step(after, ev.Pressed("enter"))) == asked.values[after.page.cursor]
    unseen = step(step(first_draft(request_), ev.Seen(EVERY_ROW, 3)), moves)
    assert bool(unseen.aside) == (not there.allows), "Enter asks before it allows what was not seen"


def test_a_click_moves_and_on_the_choice_under_the_cursor_takes_it() -> None:
    state = step(first_draft(PERMISSION), ev.Clicked(2))
    assert (state.page.cursor, came(state)) == (2, None)
    assert came(step(state, ev.Clicked(2))) == Allowed(suggestion=ALWAYS)
    assert came(step(first_draft(PERMISSION), ev.Clicked(0))) == Allowed()
    text = step(step(state, ev.Clicked(4)), ev.Clicked(4))
    assert (text.typing, came(text)) == (True, None)
    assert step(text, ev.Clicked(4)) == text, "the text that is open stays open"


def test_a_click_on_a_hidden_panel_does_nothing() -> None:
    hidden = keys(first_draft(PERMISSION), "escape")
    assert step(hidden, ev.Clicked(0)) == hidden


def test_text_has_no_control_characters() -> None:
    assert step(first_draft(PLAN), ev.Words("\x1b[31mred\r\nline\x07")).text == "[31mred\nline"
    assert step(first_draft(PLAN), ev.Words("\x1b\x07")) == first_draft(PLAN), "nothing is left of it"
    assert step(keys(first_draft(PLAN), "e"), ev.TextChanged("a\x9b\tb")).text == "a\tb"


def test_escape_hides_and_f2_shows_with_the_text_kept() -> None:
    state = keys(step(keys(first_draft(PLAN), "e"), ev.TextChanged("smaller")), "escape escape")
    assert state.hidden
    assert came(keys(state, "y enter")) is None
    shown = keys(state, "f2")
    assert (shown.hidden, shown.page.draft.other) == (False, "smaller")


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
        after = step(state, event)
        hints(after)
        if came(after) and not came(state):
            pressed = isinstance(event, ev.Pressed) and event.key in ("enter", "y", "n")
            assert pressed or event == ev.Clicked(state.page.cursor)
        if not isinstance(event, ev.TextChanged):
            assert after.page.draft.other.startswith(state.page.draft.other), "text is only added to"
        if isinstance(event, ev.Pressed) and action_for(state, event.key, event.character) is None:
            assert after == replace(state, aside="", warned=None)
        state = after


EVERY_ROW = frozenset(range(10))


def test_a_choice_out_of_sight_is_brought_back_and_not_taken() -> None:
    state = step(first_draft(PERMISSION), ev.Seen(frozenset({0, 1})))
    after = keys(state, "2")
    assert (came(after), after.page.cursor) == (None, 3)
    assert after.aside
    assert not keys(after, "escape").aside, "hidden, it is no longer the next key"
    assert came(keys(step(after, ev.Seen(frozenset({3}))), "enter")) is not None
    assert came(keys(state, "n")) == Denied(), "what its letter denies grants nothing"
    assert came(keys(state, "y")) == Allowed()
    away = step(keys(state, "down down"), ev.Seen(frozenset({0})))
    assert came(keys(away, "enter")) is None
    assert keys(state, "e").typing, "to open a text decides nothing"


def test_what_was_never_on_the_screen_is_allowed_by_a_second_press_alone() -> None:
    state = step(first_draft(PERMISSION), ev.Seen(EVERY_ROW, 41))
    asked = step(state, ev.Pressed("enter"))
    assert came(asked) is None
    words = "41 lines were never on the screen · Space shows them · Enter again allows"
    assert unseen_words(asked) == words
    assert came(step(asked, ev.Pressed("enter"))) == Allowed()
    assert came(keys(asked, "y")) == Allowed(), "the same choice by its letter"
    assert came(step(asked, ev.Pressed("1", "1"))) is None, "another choice asks anew"
    assert came(keys(step(asked, ev.Pressed("down")), "up enter")) is None
    assert came(keys(asked, "n")) == Denied(), "denying asks nothing"
    less = step(asked, ev.Seen(EVERY_ROW, 1))
    assert unseen_words(less).startswith("1 line was never on the screen · Space shows it · ")
    seen = step(less, ev.Seen(EVERY_ROW))
    assert seen.warned is None
    assert came(keys(seen, "y")) == Allowed()


def test_clicks_texts_and_plans_ask_too() -> None:
    state = step(first_draft(PERMISSION), ev.Seen(EVERY_ROW, 120, at_least=True))
    clicked = step(state, ev.Clicked(0))
    assert unseen_words(clicked).startswith("over 120 lines were never")
    assert unseen_words(clicked).endswith("a click again allows")
    assert came(step(clicked, ev.Clicked(0))) == Allowed()
    typed = step(keys(state, "a"), ev.TextChanged("x"))
    asked = step(typed, ev.Pressed("enter"))
    assert (came(asked), asked.text) == (None, "x")
    assert step(asked, ev.TextChanged("xy")).warned is None, "what is typed on is no second press"
    assert came(step(asked, ev.Pressed("enter"))) == Allowed("x")
    plan = keys(step(first_draft(PLAN), ev.Seen(EVERY_ROW, 3)), "y")
    assert unseen_words(plan) == "3 lines were never on the screen · PgDn shows them · y again approves"

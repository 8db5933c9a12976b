"""The guard of both machines: what comes too soon decides nothing, and nothing typed is lost."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ccq_tui.inbox import decision as decisions
from ccq_tui.inbox.draft import first_draft
from ccq_tui.inbox.requests import Denied, PermissionRequest, PlanRequest
from ccq_tui.inbox.suggestions import Rule, Suggestion
from ccq_tui.questions import Declined, Kind, Option, Question, QuestionSet, machine
from ccq_tui.questions.events import Pasted, Pressed, Shown, TextChanged
from ccq_tui.questions.input_guard import GRACE, WORD_SECONDS, InputGuard, Meaning, Presses
from ccq_tui.questions.moves import NOT_DRAWN, OUT_OF_SIGHT
from ccq_tui.questions.state import Focus, PanelState, opened

PRINTED = {**{key: key for key in "abchjklnopyx19é"}, "space": " ", "slash": "/"}
"""What keys type, by their names."""
LISTED = Question("Which?", "Which", (Option("First"), Option("Second"), Option("Third")), multi_select=True)
NUMBER = Question("Port?", "Port", kind=Kind.NUMBER)
ALWAYS = Suggestion("addRules", "localSettings", (Rule("Bash", "make *"),), "allow")
STATES: tuple[Any, ...] = (
    opened(QuestionSet("one", (replace(LISTED, multi_select=False),))),
    opened(QuestionSet("many", (LISTED, NUMBER))),
    opened(QuestionSet("number", (NUMBER,))),
    first_draft(PermissionRequest("p", "s", "Bash", {"command": "make"}, suggestions=(ALWAYS,))),
    first_draft(PlanRequest("plan", "s", "# Plan")),
)


@dataclass
class Driven:
    """A machine as a panel drives it: what its open text takes is typed into it."""

    state: Any
    drafting: bool
    now: float = 100.0

    def __post_init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        self.state = self.step(Shown(self.now))

    def step(self, event: Any) -> Any:
        questions = isinstance(self.state, PanelState)
        return machine.step(self.state, event) if questions else decisions.decide(self.state, event)

    @property
    def in_text(self) -> bool:
        return bool(self.state.typing)

    @property
    def text(self) -> str:
        return str(self.state.text)

    def press(self, key: str, after: float, *, ahead: bool = False) -> Meaning:
        self.now += after
        character = PRINTED.get(key, key if len(key) == 1 else "")
        event = Pressed(key, character, self.now, self.drafting, ahead=ahead)
        questions = isinstance(self.state, PanelState)
        meant = machine.meaning(self.state, event) if questions else decisions.meaning(self.state, event)
        into, before = self.in_text and meant is Meaning.COMMAND and event.character, self.text
        self.state = self.step(event)
        if into:
            self.state = self.step(TextChanged(before + event.character))
        return meant


@pytest.mark.parametrize("words", ["8080", "I am on it at 42 C", " y n "])
@pytest.mark.parametrize("fresh", [True, False])
def test_what_is_typed_into_an_open_text_is_text(words: str, fresh: bool) -> None:
    run = Driven(opened(QuestionSet("t", (Question("Name?", "Name", kind=Kind.TEXT),))), drafting=False)
    if not fresh:
        run.now += 1.0
    for character in words:
        run.press("space" if character == " " else character, 0.05)
    run.press("enter", 0.05)
    if fresh:
        assert (run.text, run.state.outcome) == (words, None)
        run.press("enter", GRACE)
    assert run.state.outcome.answers[0].other == words


@pytest.mark.parametrize("index", range(len(STATES)))
def test_words_begun_in_the_prompt_go_back_there(index: int) -> None:
    run = Driven(STATES[index], drafting=True)
    run.press("c", 0.1)
    assert run.state.guard.returned == ("c",)
    before = run.state
    for key in ("h", "enter", "escape"):
        run.press(key, 0.1)
    assert run.state == before, "all else is for whoever has the prompt"
    run.begin()
    assert run.state.guard.returned == ()


@pytest.mark.parametrize("index", [0, 1, 3, 4])
def test_one_key_is_passed_over_and_two_are_a_word(index: int) -> None:
    run = Driven(STATES[index], drafting=False)
    for key in ("space", "enter", "escape", "space"):
        assert run.press(key, 0.1) is Meaning.PASSED_OVER
    assert run.press("a", 0.2) is Meaning.PASSED_OVER
    assert run.press("space", 0.2) is Meaning.TYPING
    assert run.state.guard.returned == ("a", " ")
    pasted = Driven(STATES[index], drafting=False)
    pasted.state = pasted.step(Pasted("a paste", pasted.now + 0.1))
    assert pasted.state.guard.returned == ("a paste",)


def test_a_text_that_was_open_before_it_was_covered_takes_what_is_typed() -> None:
    run = Driven(STATES[0], drafting=True)
    run.press("o", 1.0)
    run.state = run.step(Shown(run.now, again=True))
    assert run.press("x", 0.1) is Meaning.COMMAND
    assert run.text == "x"
    assert run.press("enter", 0.1) is Meaning.PASSED_OVER


def test_a_key_with_another_meaning_is_guarded_as_what_it_types() -> None:
    run = Driven(STATES[0], drafting=True)
    run.state = run.step(Pressed("down", at=run.now + 0.1, drafting=True, given="s"))
    assert run.state.guard.returned == ("s",)


def test_held_down_ctrl_d_declines_nothing() -> None:
    run = Driven(STATES[0], drafting=False)
    for _ in range(20):
        run.press("ctrl+d", 0.1)
    assert run.state.outcome is None
    assert run.state.focus is Focus.DECLINE
    assert run.press("y", 0.2) is Meaning.PASSED_OVER
    run.press("y", GRACE)
    assert run.state.outcome is not None


def test_a_y_within_a_word_declines_nothing() -> None:
    run = Driven(STATES[0], drafting=False)
    run.press("ctrl+d", 1.0)
    run.press("a", 1.0)
    assert run.press("y", 1.0) is Meaning.PASSED_OVER
    assert run.state.outcome is None
    run.press("y", 1.0)
    assert run.state.outcome is not None


@pytest.mark.parametrize("drafting", [True, False])
def test_a_word_that_begins_with_y_goes_back_from_a_question_to_decline_that_was_covered(
    drafting: bool,
) -> None:
    run = Driven(STATES[0], drafting=drafting)
    run.press("ctrl+d", 1.0)
    assert run.state.focus is Focus.DECLINE
    run.now += 2.0
    run.state = run.step(Shown(run.now, again=True))
    run.press("y", 0.1)
    if not drafting:
        assert (run.state.guard.passed_over, run.state.outcome) == ("y", None)
        again = copy(run)
        assert again.press("y", GRACE) is Meaning.COMMAND
        assert again.state.outcome == Declined()
        run.press("n", 0.1)
    assert run.state.guard.returned == (("y",) if drafting else ("y", "n"))


@pytest.mark.parametrize("index", range(len(STATES)))
@pytest.mark.parametrize(
    "words", ["y", "n", "enter", "1 enter", "c h i enter", "e n o enter", "ctrl+d ctrl+d"]
)
def test_nothing_decides_that_was_typed_before_the_panel_was_drawn(index: int, words: str) -> None:
    run = Driven(STATES[index], drafting=False)
    run.state = run.step(Shown(run.now, asked_for=True))
    for key in words.split():
        run.press(key, 2.0, ahead=True)
        assert run.state.outcome is None


def test_a_key_that_came_too_early_says_so_and_takes_it_the_next_time() -> None:
    for index, wanted in ((0, "h1"), (3, "no")):
        run = Driven(STATES[index], drafting=False)
        run.state = run.step(Shown(run.now, asked_for=True))
        run.press("c" if index == 0 else "e", 0.0, ahead=True)
        run.now += 2 * WORD_SECONDS
        for key in (*wanted, "enter"):
            run.press(key, 0.0, ahead=True)
        assert (run.text, run.state.outcome) == (wanted, None)
        assert NOT_DRAWN in (getattr(run.state, "aside", ""), run.state.notice)
        run.press("enter", 0.0)
        assert run.state.outcome.text == wanted
    letter = Driven(STATES[3], drafting=False)
    letter.state = letter.step(Shown(letter.now, asked_for=True))
    letter.press("n", 0.0, ahead=True)
    assert letter.state.choices[letter.state.cursor].key == "n"
    letter.press("enter", 0.0)
    assert letter.state.outcome == Denied()


def test_what_is_typed_at_the_question_whether_to_decline_renews_the_grace() -> None:
    run = Driven(STATES[0], drafting=False)
    run.press("ctrl+d", 0.0)
    run.press("a", 0.03)
    assert run.press("ctrl+d", 0.39) is Meaning.PASSED_OVER
    assert run.state.outcome is None


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(range(len(STATES))),
    st.booleans(),
    st.lists(
        st.tuples(
            st.sampled_from([*PRINTED, "enter", "escape", "up", "down", "tab", "ctrl+d", "f2"]),
            st.sampled_from([0.0, 0.03, 0.1, 0.39, 0.41, 1.0, 2.0]),
        ),
        max_size=40,
    ),
)
def test_no_outcome_without_a_confirming_key_outside_the_grace_and_nothing_typed_is_lost(
    index: int, drafting: bool, pressed: list[tuple[str, float]]
) -> None:
    run = Driven(STATES[index], drafting=drafting)
    quiet_from = run.now + GRACE
    for key, pause in pressed:
        before, in_text, text = run.state, run.in_text, run.text
        if before.outcome is not None or before.guard.returned:
            break
        at, typed = run.now + pause, PRINTED.get(key, "")
        fresh = at < quiet_from and not before.hidden
        meant = run.press(key, pause)
        after = run.state
        if fresh:
            quiet_from = at + GRACE
            assert after.outcome is None, (key, "decides in the grace")
            if typed and not in_text:
                assert meant is not Meaning.COMMAND, (key, "is a command in the grace")
                assert after.guard.returned == (*filter(None, [before.guard.passed_over]), typed) or (
                    not drafting and after.guard.passed_over == typed.strip()
                )
            if after.hidden is not before.hidden:
                quiet_from = 0.0
        if typed and in_text and meant is Meaning.COMMAND:
            assert run.text == text + typed
        if after.outcome is not None:
            assert key in ("enter", "ctrl+d", "y", "n")


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from([0, 1, 3, 4]),
    st.booleans(),
    st.lists(
        st.tuples(
            st.sampled_from([*PRINTED, "y", "o", "enter", "escape", "up", "down", "tab", "end"]),
            st.sampled_from([0.0, 0.1, 0.29, 0.31, 0.5, 2.0]),
        ),
        max_size=30,
    ),
)
def test_a_word_is_whole_in_one_place_and_no_enter_within_it_decides(
    index: int, asked_for: bool, pressed: list[tuple[str, float]]
) -> None:
    run = Driven(STATES[index], drafting=False)
    run.state = run.step(Shown(run.now, asked_for=asked_for))
    run.now += 1.0
    word = ""
    for key, pause in pressed:
        before, text, in_text = run.state, run.text, run.in_text
        if before.outcome is not None or before.hidden:
            break
        guard, typed = before.guard, PRINTED.get(key, "")
        at = run.now + pause
        if guard.word is not None and guard.word.outcome is not None and at - guard.word.at >= WORD_SECONDS:
            break  # it has decided
        meant = run.press(key, pause)
        begun = guard.word if guard.word is not None and at - guard.word.at < WORD_SECONDS else None
        if meant is Meaning.TYPING:
            assert begun is not None
            assert not begun.before.guard.used
            assert run.state.guard.returned == (*begun.typed, typed)
            assert replace(run.state, guard=begun.before.guard) == replace(
                begun.before, **({"aside": run.state.aside} if isinstance(before, PanelState) else {})
            )
            break
        word = "" if not typed else word
        if meant is Meaning.WORD:
            assert begun is not None
            word = "".join((*begun.typed, typed))
            closed = isinstance(before, PanelState) and not run.in_text
            assert closed or run.text.endswith(word)
            assert before.outcome is run.state.outcome is None
        elif typed and in_text:
            assert run.text == text + typed
        if key == "enter" and in_text and getattr(before, "stray", None) not in (None, False):
            assert run.state.outcome is None, "the Enter that ends a word decides nothing"


def test_a_blank_begins_no_word() -> None:
    run = Driven(STATES[1], drafting=False)
    run.state = run.step(Shown(run.now, asked_for=True))
    assert run.press("space", 1.0) is run.press("n", 0.1) is Meaning.COMMAND
    assert (run.state.focus, run.state.page.draft.selected) == (Focus.NOTE, (0,)), (
        "selected, and its note opened"
    )


def test_the_last_keys_are_known_with_the_times_between_them() -> None:
    presses = Presses().pressed("escape", 10.0)
    assert presses.apart == presses.apart_of("escape") == float("inf")
    for number in range(1, 99):
        presses = presses.pressed("escape", 10.0 + number * 0.06)
        assert presses.apart == presses.apart_of("escape") == pytest.approx(0.06)
    presses = presses.pressed("x", 16.0).pressed("ctrl+x", 16.5)
    assert (presses.key, presses.at, presses.apart) == ("ctrl+x", 16.5, float("inf"))
    assert presses.apart_of("escape", "ctrl+x") == pytest.approx(0.62)
    assert presses.of("x", "ctrl+x") == (("x", 16.0), ("ctrl+x", 16.5))


@pytest.mark.parametrize(
    ("apart", "decides"), [(0.5, False), (0.79, False), (0.8, True), (float("inf"), True)]
)
def test_the_same_key_again_may_be_held_down(apart: float, decides: bool) -> None:
    asked = InputGuard(asked_at=10.0)
    meant, guard = asked.judged(Pressed("ctrl+d", at=10.5, apart=apart), in_text=False, declining=True)
    assert (meant is Meaning.COMMAND) == decides
    assert guard.asked_at == (10.0 if decides else 10.5)


def test_a_row_out_of_sight_is_not_taken_by_a_key_held_down() -> None:
    state = replace(STATES[0], in_sight=frozenset())
    sought = machine.step(state, Pressed("enter", at=10.0))
    assert sought.aside == OUT_OF_SIGHT
    back = replace(sought, in_sight=None)
    assert machine.step(back, Pressed("enter", at=10.5, apart=0.5)) is back
    assert machine.step(back, Pressed("enter", at=11.0, apart=1.0)) != back


@pytest.mark.parametrize("what", ["grown_at", "warned_at"])
@pytest.mark.parametrize(("apart", "confirms"), [(0.5, False), (0.79, False), (0.8, True)])
def test_enter_held_down_does_not_confirm_what_asks_for_it_again(
    what: str, apart: float, confirms: bool
) -> None:
    state = STATES[0]
    if what == "warned_at":
        state = machine.step(machine.step(state, Pressed("x", "x", at=1.0)), TextChanged("mine"))
        state = machine.step(machine.step(state, Pressed("escape", at=2.0)), Pressed("home", at=8.0))
    else:
        state = replace(state, grown_at=9.9)
    asked = machine.step(state, Pressed("enter", at=10.0))
    assert asked.outcome is None
    assert "again" in asked.aside or "Enter" in asked.aside
    again = machine.step(asked, Pressed("enter", at=10.0 + apart, apart=apart))
    assert (again.outcome is not None) == confirms

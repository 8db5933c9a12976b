"""The gate: what keys at their times come to, on every kind of panel."""

from pathlib import Path
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from ccq_tui.input.gate import Stroke
from ccq_tui.questions.state import PanelState
from tests.tables import each_row
from tests.unit.input.hands import FRAME, Person

LINES = Path(__file__).with_name("hands.txt").read_text(encoding="utf-8").splitlines()
ROWS = [line for line in LINES if not line.startswith("#")]
KEYS = ("x", "z", "é", "o", "n", "c", "a", "e", "y", "j", "1", "2", " ")
OTHERS = ("enter", "down", "up", "tab", "escape", "ctrl+d", "f2")


def person(setup: str) -> Person:
    """Return a person at what a row names: a panel, by a key or by itself, over a prompt with a draft."""
    kind, *facts = setup.split()
    draft = next((one[6:].replace("_", " ") for one in facts if one.startswith("draft=")), "")
    made = Person(kind, None if "-" in facts else draft, "F2" in facts)
    if "covered" in facts:
        made.keys.begin(by_itself=True, used=True)
        made.drawn(0.0)
    for one in facts:
        if one.startswith("held="):
            made.hands.note(Stroke(one[5:], "", -0.05))
    return made


@each_row(*ROWS)
def test_keys_come_to_what_the_table_says(row: str) -> None:
    setup, keys, outcome = (one.strip() for one in row.split(" | "))
    assert person(setup).play(keys) == outcome


def test_the_table_is_as_long_as_it_was_promised() -> None:
    assert len(ROWS) >= 120


@st.composite
def pressed(draw: Any) -> list[tuple[str, float]]:
    pauses = st.sampled_from([0.0, 0.02, 0.1, 0.2, 0.35, 0.5, 1.0, 2.5])
    return draw(st.lists(st.tuples(st.sampled_from((*KEYS, *OTHERS)), pauses), min_size=1, max_size=14))  # type: ignore[no-any-return]


@settings(max_examples=400)
@example("P F2", [("n", 0.0), ("enter", 0.0)])
@given(st.sampled_from(["Q", "M", "P", "S", "C", "Q F2", "P F2", "Q draft=fix"]), pressed())
def test_no_letter_is_lost_and_nothing_is_decided_unseen(setup: str, keys: list[tuple[str, float]]) -> None:
    made, at = person(setup), 0.0
    before = str(made.draft).count("x")
    for key, pause in keys:
        at += pause
        made.go(at)
        drawn = made.keys.face.words_at
        text = key if len(key) == 1 else ""
        # A letter that waits for the next key decides before an Enter that follows it at once.
        undecided = made.state.outcome is None and made.keys._due is None
        made.press(Stroke("space" if key == " " else key, text, at))
        if undecided and made.state.outcome is not None and key == "enter":
            assert drawn is not None
            assert drawn <= at, "an answer whose words were not on the screen"
    made.go(at + 5.0)
    for letter in "xzé":
        typed = sum(key == letter for key, _ in keys)
        there = "".join([*made.sent, str(made.draft), *made.late, texts(made.state)])
        assert there.count(letter) - (before if letter == "x" else 0) >= typed, f"{letter} in {there!r}"


def texts(state: Any) -> str:
    """Return all that was written into a panel."""
    if not isinstance(state, PanelState):
        return str(state.text) + str(getattr(state.outcome, "message", ""))
    pages = [one.draft.other + one.draft.note + one.filter for one in state.pages]
    return "".join([*pages, state.discussion])


def test_a_frame_takes_its_time() -> None:
    """The table would say nothing of what is not drawn yet if each frame came at once."""
    made = person("Q")
    made.go(1.0)
    made.press(Stroke("down", "", 1.0))
    assert made.keys.face.words_at is None
    made.go(1.0 + FRAME)
    assert made.keys.face.words_at == 1.0 + FRAME

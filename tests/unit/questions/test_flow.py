"""What each key, click and paste does in each state of a set, by a table."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ccq_tui.questions import Answer, Option, Question
from ccq_tui.questions.keys import hints, recalls
from ccq_tui.questions.machine import step
from ccq_tui.questions.model import Kind, Recalled
from ccq_tui.questions.schema_form import read_form, read_link, unusable
from ccq_tui.questions.state import PanelState, opened
from tests.unit.answering.asking import words
from tests.unit.answering.test_grammar import said
from tests.unit.questions.drive import (
    RELEASE,
    events_of,
    field,
    form,
    number_question,
    panel,
    question,
    text_question,
)

ROWS = Path(__file__).with_name("flow.txt").read_text(encoding="utf-8").splitlines()[1:]
MULTI = question("Which features?", "Auth", "Cache", "Logs", multi=True)
TWO = (question("One?"), question("Two?"))


def recalled(answer: Answer, *questions: Question) -> PanelState:
    return replace(panel(*questions), recalled=(Recalled(answer, "on 3 Nov"),))


def asked(schema: dict[str, object], *required: str) -> PanelState:
    whole = {"properties": {"one": schema}, "required": [*required]}
    return opened(read_form("f", "Deploy asks", "Details?", whole).questions)


STATES = {
    "one": panel(),
    "two": panel(*TWO),
    "three": panel(*TWO, question("Three?")),
    "multi": panel(MULTI),
    "both": panel(question(), question("Which ones?", multi=True)),
    "long": panel(question("Which city?", *(f"City {number}" for number in range(1, 13)))),
    "many": panel(question("Which?", *(f"Row {number}" for number in range(12)), multi=True)),
    "counts": panel(question("How many?", "8", "4", "2 or 3")),
    "default": panel(question(default="SQLite")),
    "recommended": panel(Question("Which?", "W", (Option("A"), Option("B (Recommended)"), Option("C")))),
    "twice": panel(question("Which?", "Same", "Same", multi=True)),
    "text": panel(text_question()),
    "named": panel(question(), text_question()),
    "age": panel(question(), number_question()),
    "count": panel(number_question(), question()),
    "api": panel(text_question(default="api"), question()),
    "closed": asked({"type": "string", "enum": ["a", "b", "c"]}, "one"),
    "cities": asked({"type": "string", "enum": [f"option {number}" for number in range(12)]}, "one"),
    "sure": asked({"type": "boolean"}, "one"),
    "tags": asked({"type": "array", "items": {"enum": ["x"]}}),
    "unusable": opened(unusable("f", "Deploy asks", "Details?", "it contradicts itself").questions),
    "link": opened(read_link("f", "Deploy asks", "Sign in", "https://a.example/x", "a.example").questions),
    "release": form(*RELEASE),
    "skips": form(field("Why", pattern="^[0-9]+$", fewest=9), field("Next")),
    "skips a number": form(field("How many", kind=Kind.NUMBER, fewest=9), field("Next")),
    "mood": form(field("Mood", "good", "bad"), field("Next")),
    "recalled": recalled(Answer(("SQLite",), note="small")),
    "recalled text": recalled(Answer(other="MySQL", note="old")),
    "recalled multi": recalled(Answer(("Auth", "Logs"), other="Mail"), MULTI),
    "recalled gone": recalled(Answer(("MySQL",))),
    "recalled name": recalled(Answer(other="tidy"), text_question()),
    "recalled count": recalled(Answer(other="30"), number_question()),
}


def facts(state: PanelState) -> dict[str, str]:
    """Return what rows say of a state."""
    page, line = state.page, hints(state)
    rows = [*(option.label for option in page.question.options), "own words"]
    reviewed = [*map(str, range(1, len(state.pages) + 1)), "submit"]
    flags = {"hidden": state.hidden, "large": state.large, "recalls": recalls(state)}
    return {
        "ends": words(state.outcome) if state.outcome else "no",
        "on": "review" if state.in_review else str(state.tab + 1),
        "in": state.focus,
        "at": reviewed[state.review_row] if state.in_review else rows[page.cursor],
        "has": said(page.answer()),
        "left": page.unselected,
        "first": said(state.pages[0].answer()),
        "picks": ", ".join(str(row + 1) for row in page.draft.selected),
        "text": state.text,
        "filter": page.filter,
        "rows": ", ".join(rows[row] for row in page.rows),
        "asked": ", ".join(str(tab + 1) for tab in state.asked_tabs),
        "answered": str(state.answered_count),
        "doubt": state.doubt.letter if state.doubt else "",
        "says": state.aside,
        "notes": state.notice,
        "keys": ", ".join(map(" ".join, line)),
        **{name: "yes" if holds else "no" for name, holds in flags.items()},
        **{name: does for name, does in line if name in ("Enter", "Tab")},
    }


@pytest.mark.parametrize("row", ROWS)
def test_events_do_what_the_table_says(row: str) -> None:
    name, script, wanted = row.split("|")
    state = STATES[name.strip()]
    for event in events_of(script):
        state = step(state, event)
    found = facts(state)
    pairs = [one.strip().partition(" ") for one in wanted.split("; ")]
    assert {key: found[key] for key, _, _ in pairs} == {key: value for key, _, value in pairs}

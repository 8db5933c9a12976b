"""One grammar reads lines, values and flags: its table, and what holds of any question."""

import json
from decimal import Decimal
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.answering.grammar import Names, TypedError, button, read_flag, read_line, read_value
from ccq_tui.inbox.kinds.decisions import permission_asked
from ccq_tui.inbox.requests import PermissionRequest
from ccq_tui.inbox.suggestions import Rule, Suggestion
from ccq_tui.questions.marks import marks
from ccq_tui.questions.model import Answer, FieldRules, Kind, Option, Question
from tests.tables import each_row
from tests.unit.inbox.made import questions

RULES = tuple(Suggestion("addRules", "session", (Rule("Bash", f"{one} *"),), "allow") for one in ("a", "b"))
RUNS = PermissionRequest("t", "s", "Bash", {"command": "a"}, suggestions=RULES)
ROWS = Path(__file__).with_name("rows.txt").read_text(encoding="utf-8").splitlines()[1:]


def asked(options: str, what: str) -> tuple[Question, tuple[str, ...]]:
    """Return the question of a row, and the values of its options."""
    if what.startswith("permission"):
        asked = permission_asked(RUNS).offered(lasting="ticket" not in what)
        return asked.question, ()
    named = [one.partition("=") for one in options.split(" · ") if one.strip()]
    words = set(what.split())
    kind = next((one for one in Kind if one in words), Kind.CHOICE)
    rules = FieldRules(
        required="form" in words,
        skippable="optional" in words,
        fewest=2 if "two" in words else None,
        number="number" if kind is Kind.NUMBER else "",
    )
    is_field = bool(words & {"form", "optional", "two"})
    question = Question(
        "Which?",
        options=tuple(Option(label.strip()) for label, _, _ in named),
        multi_select="multi" in words,
        closed="closed" in words,
        kind=kind,
        field=rules if is_field else None,
    )
    return question, tuple(value.strip() or label.strip() for label, _, value in named)


def read(question: Question, values: tuple[str, ...], by: str, given: str) -> Answer:
    """Read what is given on a surface."""
    if by == "L":
        return read_line(question, given, values)
    if by == "G":
        return read_value(question, json.loads(given, parse_float=Decimal), values)
    places = sorted(read_flag(Names(question), given))
    return Answer(tuple(question.options[place].label for place in places))


def row_text(answer: Answer) -> str:
    """Return an answer as rows have it."""
    parts = ["= " + " + ".join(answer.selected)] * bool(answer.selected)
    parts += [f"“{answer.other}”"] * bool(answer.other) + [f"~ {answer.note}"] * bool(answer.note)
    return " ".join(parts) or ("0" if answer.empty else "-")


@each_row(*ROWS)
def test_an_answer_means_what_the_table_says(row: str) -> None:
    options, what, given, wanted = (one.strip() for one in row.split("|"))
    question, values = asked(options, what)
    try:
        came = row_text(read(question, values, given[0], given[2:]))
    except TypedError as error:
        came = f"✗ {error}"
    assert came == wanted or (wanted.startswith("✗") and wanted[2:] in came)


def test_the_preview_of_a_choice_goes_with_it() -> None:
    question = Question("Which?", options=(Option("A", preview="| A |"), Option("B")))
    assert read_line(question, "a") == Answer(("A",), preview="| A |")


@given(questions, st.text(max_size=8))
def test_any_line_is_an_answer_or_refused(question: Question, text: str) -> None:
    try:
        answer = read_line(question, text)
    except TypedError:
        return
    assert set(answer.selected) <= {option.label for option in question.options}
    assert question.multi_select or len(answer.selected) + bool(answer.other) <= 1


LABELS = st.lists(
    st.sampled_from([*"1234", "a", "A", "2. a", "2 b", "a, 1", "a\x1b[1m", "b\nc", "-", "yes"]), min_size=1
)


@given(LABELS, st.booleans())
def test_each_button_mark_and_record_names_one_option(labels: list[str], several: bool) -> None:
    options = tuple(map(Option, labels))
    question = Question("Which?", options=options, multi_select=several, field=FieldRules(skippable=True))
    for place, (label, mark) in enumerate(zip(labels, marks(question), strict=True)):
        assert read_line(question, button(question, place)).selected == (label,)
        assert question.options[Names(question).place(mark) or 0].label == label or mark in labels
        own = {"values": [label], "labels": [label]} if several else {"value": label, "label": label}
        assert read_value(question, own, labels).selected == (label,)

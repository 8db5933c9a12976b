"""Answers on the wire, and as a message."""

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.questions import (
    Answer,
    Answered,
    Declined,
    Discussed,
    Expired,
    Option,
    Outcome,
    Question,
    QuestionSet,
)
from ccq_tui.questions.parse import parse_question_set
from ccq_tui.questions.wire import (
    answers_as_message,
    answers_as_result,
    discussion_text,
    encode,
    encode_discussion,
    encode_remark,
)
from tests.tables import each_row, table
from tests.unit.questions.drive import keys, panel, question, text_question, typed

TABLES = table(__file__, "wire.json")
SOURCE: dict[str, Any] = {
    "questions": [
        {"question": "Which?", "header": "W", "options": [{"label": "A", "preview": "+A+"}, {"label": "B"}]},
        {"question": "Features?", "header": "F", "options": ["Auth", "Logs", "Cache"], "multiSelect": True},
    ]
}


def asked(source: dict[str, Any] | None = None) -> QuestionSet:
    return parse_question_set("toolu_1", source or SOURCE)


def given_answers(rows: list[dict[str, Any]]) -> tuple[Answer, ...]:
    return tuple(Answer(**{**row, "selected": tuple(row.get("selected", ()))}) for row in rows)


@each_row(*TABLES["encoded"])
def test_answers_are_encoded_as_the_table_says(
    source: dict[str, Any] | None, answers: list[dict[str, Any]], wanted: dict[str, Any]
) -> None:
    assert encode(asked(source), given_answers(answers)) == (source or SOURCE) | wanted


def test_what_only_a_person_may_say_is_never_echoed() -> None:
    forged = SOURCE | {"answers": {"Which?": "B"}, "response": "yes", "followUp": True, "annotations": {}}
    assert encode(asked(forged), (Answer(), Answer())) == SOURCE | {"answers": {}}


def test_the_source_is_not_changed() -> None:
    before = copy.deepcopy(SOURCE)
    encode(asked(), (Answer(("A",)), Answer()))
    assert before == SOURCE


def test_a_set_without_a_source_is_described() -> None:
    questions = QuestionSet("id", (Question("Q?", "H", (Option("a", "d", "p"),), multi_select=True),))
    assert encode(questions, (Answer(("a",)),)) == {
        "questions": [
            {
                "question": "Q?",
                "header": "H",
                "options": [{"label": "a", "description": "d", "preview": "p"}],
                "multiSelect": True,
            }
        ],
        "answers": {"Q?": "a"},
    }


def test_one_answer_a_question() -> None:
    with pytest.raises(ValueError, match="shorter"):
        encode(asked(), (Answer(),))


def test_prose_is_a_response_or_a_note() -> None:
    assert encode_discussion(asked(), Discussed("why?")) == SOURCE | {"response": "why?"}
    besides = Discussed("why?", (Answer(note="soon"),))
    assert encode_discussion(asked(), besides)["response"] == discussion_text(asked(), besides)
    remark = encode_remark(asked(), "why?")
    assert remark == SOURCE | {"answers": {}, "annotations": {"Which?": {"notes": "why?"}}}


TEXTS = st.text(max_size=12)
ANSWERS = st.builds(
    Answer,
    selected=st.lists(TEXTS, max_size=3).map(tuple),
    other=TEXTS,
    note=TEXTS,
    preview=st.none() | TEXTS,
    empty=st.booleans(),
)
ITEMS = st.fixed_dictionaries(
    {
        "question": st.sampled_from(["Q", "Q (2)", "R"]) | TEXTS,
        "options": st.lists(TEXTS, min_size=1, max_size=3),
    },
    optional={"multiSelect": st.booleans()},
)


@given(st.lists(st.tuples(ITEMS, ANSWERS), min_size=1, max_size=6))
def test_every_given_answer_and_every_note_is_on_the_wire(pairs: list[tuple[dict[str, Any], Answer]]) -> None:
    items, answers = zip(*pairs, strict=True)
    result = encode(asked({"questions": list(items)}), answers)
    keys = [question["question"] for question in result["questions"]]
    assert len(set(keys)) == len(keys)
    assert set(result["answers"]) == {k for k, a in zip(keys, answers, strict=True) if a.given}
    assert all(text for text in result["answers"].values())
    for key, answer in zip(keys, answers, strict=True):
        assert result.get("annotations", {}).get(key, {}).get("notes", "") == answer.note
        assert answer.other in result["answers"].get(key, "")


# -- answers as a message ------------------------------------------------------------------------------------


ASKED = parse_question_set(
    "toolu_1",
    {
        "questions": [
            {"question": "Which way?", "header": "Way", "options": ["REST", {"label": "GraphQL"}]},
            {"question": "Features?", "options": ["Auth", "Cache"], "multiSelect": True},
            {"question": "How many?", "kind": "number"},
        ]
    },
)
LINES = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=12)


@each_row(*TABLES["messages"])
def test_an_outcome_is_written_as_the_table_says(form: str, wanted: Any, lines: list[str]) -> None:
    match wanted:
        case list():
            outcome: Outcome = Answered(given_answers(wanted))
        case dict():
            outcome = Discussed(wanted["text"], given_answers(wanted["answers"]))
        case _:
            outcome = Declined() if wanted == "Declined" else Expired()
    write = answers_as_message if form == "message" else answers_as_result
    assert write(ASKED, outcome) == "\n".join(lines)


def test_a_mention_is_guarded_in_a_message_alone() -> None:
    mention = parse_question_set("x", {"question": "Is @etc/passwd it?", "options": ["@a", "b"]})
    assert "[x] @a" in answers_as_result(mention, Answered((Answer(("@a",)),)))


def test_what_goes_along_with_a_discussion_is_what_the_panel_holds() -> None:
    state = keys(panel(question("One?"), question("Two?"), text_question(default="api")), "2 x escape n")
    state = keys(typed(state, "small"), "enter tab c")
    assert keys(typed(state, "hm"), "enter").outcome == Discussed(
        "hm", (Answer(("SQLite",), note="small", unselected="x"), Answer(), Answer())
    )


def test_further_lines_cannot_pass_for_marks() -> None:
    forged = QuestionSet("t", (Question("Which?", options=(Option("A\n   [x] B"), Option("B"), Option(""))),))
    lines = answers_as_message(forged, Answered((Answer(("",)),))).split("\n")
    assert [line for line in lines if line.startswith("   [x]")] == ["   [x] (option 3, no label)"]


def test_a_mention_in_the_agents_text_attaches_no_file_and_in_the_persons_it_may() -> None:
    asked = QuestionSet("t", (Question("Read @/etc/passwd?", options=(Option("@secret"), Option("a@b"))),))
    text = answers_as_message(asked, Answered((Answer(("a@b",), other="see @notes.md"),)))
    assert " @/etc/passwd" not in text
    assert " @secret" not in text
    assert "[x] a@b" in text
    assert "Other: see @notes.md" in text


def test_one_answer_a_question_is_needed() -> None:
    with pytest.raises(ValueError, match="shorter"):
        answers_as_message(ASKED, Answered((Answer(),)))


@given(
    labels=st.lists(LINES.filter(bool), min_size=1, max_size=4, unique=True),
    chosen=st.sets(st.integers(0, 3)),
)
def test_exactly_the_chosen_ones_are_marked(labels: list[str], chosen: set[int]) -> None:
    selected = tuple(label for place, label in enumerate(labels) if place in chosen)
    asked = QuestionSet("t", (Question("Q", options=tuple(map(Option, labels)), multi_select=True),))
    lines = answers_as_message(asked, Answered((Answer(selected, empty=not selected),))).split("\n")
    marks = [line[3:6] for line in lines if line.startswith(("   [x]", "   [ ]"))]
    assert marks == ["[x]" if label in selected else "[ ]" for label in labels]

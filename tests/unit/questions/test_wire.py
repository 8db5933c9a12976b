"""Answers on the wire."""

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.questions import Answer, Discussed, Option, Question, QuestionSet
from ccq_tui.questions.message import discussion_text
from ccq_tui.questions.parse import parse_question_set
from ccq_tui.questions.wire import encode, encode_discussion, encode_remark

SOURCE: dict[str, Any] = {
    "questions": [
        {"question": "Which?", "header": "W", "options": [{"label": "A", "preview": "+A+"}, {"label": "B"}]},
        {"question": "Features?", "header": "F", "options": ["Auth", "Logs", "Cache"], "multiSelect": True},
    ]
}


def asked(source: dict[str, Any] | None = None) -> QuestionSet:
    return parse_question_set("toolu_1", source or SOURCE)


def test_labels_are_joined_and_the_input_is_echoed() -> None:
    result = encode(asked(), (Answer(("A",)), Answer(("Auth", "Logs"))))
    assert result == SOURCE | {"answers": {"Which?": "A", "Features?": "Auth, Logs"}}


def test_custom_text_is_quoted_only_in_a_multi_select_and_only_with_a_comma() -> None:
    result = encode(asked(), (Answer(other="mine, own"), Answer(("Auth",), other="other, thing 5")))
    assert result["answers"] == {"Which?": "mine, own", "Features?": 'Auth, "other, thing 5"'}
    result = encode(asked(), (Answer(other="x"), Answer(("Auth",), other="plain")))
    assert result["answers"] == {"Which?": "x", "Features?": "Auth, plain"}


def test_notes_and_previews_are_annotations() -> None:
    result = encode(asked(), (Answer(("A",), note="small", preview="+A+"), Answer(("Auth",), note="later")))
    assert result["annotations"] == {
        "Which?": {"notes": "small", "preview": "+A+"},
        "Features?": {"notes": "later"},
    }


def test_a_question_without_an_answer_is_left_out_but_its_note_kept() -> None:
    result = encode(asked(), (Answer(), Answer(note="only a note", preview="x")))
    assert result["answers"] == {}
    assert result["annotations"] == {"Features?": {"notes": "only a note"}}


def test_nothing_selected_on_purpose_is_said() -> None:
    result = encode(asked(), (Answer(("A",)), Answer(empty=True)))
    assert result["answers"]["Features?"] == "(none of these)"


def test_an_option_without_a_label_is_named_by_its_place() -> None:
    questions = asked({"questions": [{"question": "Q?", "options": [{"label": "a"}, {"label": ""}]}]})
    assert encode(questions, (Answer(("",)),))["answers"] == {"Q?": "(option 2, no label)"}


def test_equal_questions_keep_their_answers() -> None:
    item = {"question": "Why?", "options": ["a", "b"]}
    source = {"questions": [item, item, {"question": "Why? (2)", "options": ["a", "b"]}]}
    result = encode(asked(source), (Answer(("a",)), Answer(("b",)), Answer(other="c")))
    assert [q["question"] for q in result["questions"]] == ["Why?", "Why? (3)", "Why? (2)"]
    assert result["answers"] == {"Why?": "a", "Why? (3)": "b", "Why? (2)": "c"}


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

"""Answers on the wire, and as a message."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.questions import Answer, Answered, Declined, Discussed, Expired, Option, Question, QuestionSet
from ccq_tui.questions.message import answers_as_message, answers_as_result, discussion_text
from ccq_tui.questions.parse import parse_question_set
from ccq_tui.questions.wire import encode, encode_discussion, encode_remark
from tests.unit.questions.drive import keys, panel, question, text_question, typed

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


def test_every_option_is_marked_with_custom_text_and_notes() -> None:
    answers = (
        Answer(("GraphQL",), note="keep it small"),
        Answer(("Auth",), other="rate limits"),
        Answer(other="3"),
    )
    assert answers_as_message(ASKED, Answered(answers)) == (
        "You asked this with AskUserQuestion, but the answer could not be delivered then. It is:\n\n"
        "1. Which way?\n"
        "   [ ] REST\n"
        "   [x] GraphQL\n"
        "   Note: keep it small\n\n"
        "2. Features?\n"
        "   [x] Auth\n"
        "   [ ] Cache\n"
        "   [x] Other: rate limits\n\n"
        "3. How many?\n"
        "   Answer: 3"
    )


def test_nothing_on_purpose_is_told_from_no_answer() -> None:
    text = answers_as_message(ASKED, Answered((Answer(note="later"), Answer(empty=True), Answer())))
    first, second, third = text.split("\n\n")[1:]
    assert first.endswith("   (not answered)\n   Note: later")
    assert second.endswith("   (none of these, on purpose)")
    assert third.endswith("   (not answered)")


def test_a_discussion_comes_before_what_was_asked() -> None:
    text = answers_as_message(ASKED, Discussed("first tell me\nwhy"))
    assert text.index("first tell me\nwhy") < text.index("1. Which way?") < text.index("3. How many?")
    assert "[x]" not in text


BESIDES = (
    Answer(("GraphQL",), note="keep it\nsmall", unselected="SOAP"),
    Answer(("Auth", "Cache"), other="rate limits"),
    Answer(),
)
WITH_BESIDES = (
    "first tell me\n\n"
    "What I had selected, typed and noted until then, not submitted as answers:\n\n"
    "1. Which way?\n"
    "   Selected: GraphQL\n"
    "   Typed, not selected: SOAP\n"
    "   Note: keep it\n"
    "         small\n\n"
    "2. Features?\n"
    "   Selected: Auth\n"
    "   Selected: Cache\n"
    "   Own text: rate limits\n\n"
    "3. How many?\n"
    "   (nothing)"
)


def test_a_discussion_takes_along_what_was_selected_noted_and_typed() -> None:
    discussed = Discussed("first tell me", BESIDES)
    assert discussion_text(ASKED, discussed) == WITH_BESIDES
    lead = "You asked this with AskUserQuestion. Instead of choosing, I reply:\n\n"
    assert answers_as_message(ASKED, discussed) == lead + WITH_BESIDES
    assert discussion_text(ASKED, Discussed("alone")) == "alone"


def test_what_goes_along_with_a_discussion_is_what_the_panel_holds() -> None:
    state = keys(panel(question("One?"), question("Two?"), text_question(default="api")), "2 x escape n")
    state = keys(typed(state, "small"), "enter tab c")
    assert keys(typed(state, "hm"), "enter").outcome == Discussed(
        "hm", (Answer(("SQLite",), note="small", unselected="x"), Answer(), Answer())
    )


@pytest.mark.parametrize(
    ("outcome", "said"), [(Declined(), "I decline to answer; nothing"), (Expired(), "Nobody answered")]
)
def test_where_nobody_chose_it_says_so_and_marks_no_option(outcome: Declined | Expired, said: str) -> None:
    text = answers_as_message(ASKED, outcome)
    assert said in text
    assert "nothing was chosen" in text
    assert "2. Features?" in text
    assert "[x]" not in text


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


def test_a_result_says_of_the_user_what_a_message_says_in_the_persons_name() -> None:
    answers = (Answer(("GraphQL",), note="keep it small"), Answer(empty=True), Answer(other="3"))
    assert answers_as_result(ASKED, Answered(answers)) == (
        "The user answered:\n\n"
        "1. Which way?\n"
        "   [ ] REST\n"
        "   [x] GraphQL\n"
        "   Note: keep it small\n\n"
        "2. Features?\n"
        "   [ ] Auth\n"
        "   [ ] Cache\n"
        "   (none of these, on purpose)\n\n"
        "3. How many?\n"
        "   Answer: 3"
    )
    assert answers_as_result(ASKED, Discussed("first tell me", answers)) == (
        "The user chose nothing and replied in prose:\n\nfirst tell me\n\n"
        "What the user had selected, typed and noted until then, not submitted as answers:\n\n"
        "1. Which way?\n   Selected: GraphQL\n   Note: keep it small\n\n"
        "2. Features?\n   (nothing)\n\n"
        "3. How many?\n   Typed: 3"
    )
    for outcome in (Declined(), Expired()):
        assert "nothing was chosen" in answers_as_result(ASKED, outcome)
    mention = parse_question_set("x", {"question": "Is @etc/passwd it?", "options": ["@a", "b"]})
    assert "[x] @a" in answers_as_result(mention, Answered((Answer(("@a",)),))), (
        "no message: nothing to guard"
    )

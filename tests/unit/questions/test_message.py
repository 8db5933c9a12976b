"""Answers as a message."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.questions import Answer, Answered, Declined, Discussed, Expired, Option, Question, QuestionSet
from ccq_tui.questions.message import answers_as_message, answers_as_result, discussion_text
from ccq_tui.questions.parse import parse_question_set
from tests.unit.questions.drive import keys, panel, question, text_question, typed

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

"""What became of the questions of a session's past."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.agent.events import QuestionAsked, RequestSettled, ToolFinished, ToolStarted
from ccq_tui.agent.history import recalled, replay
from ccq_tui.inbox.agent_texts import DECLINED, EXPIRED, PROCEED, UNREADABLE, rejection
from ccq_tui.inbox.call_results import ROUNDS_USED, UNANSWERED, CallResult
from ccq_tui.inbox.requests import Cancelled, RequestOutcome
from ccq_tui.questions import Answer, Answered, Declined, Discussed, Expired, QuestionSet
from ccq_tui.questions.parse import parse_question_set
from ccq_tui.questions.wire import encode

SOURCE: dict[str, Any] = {
    "questions": [
        {"question": "Which?", "header": "W", "options": [{"label": "One"}, {"label": "Two, or so"}]},
        {
            "question": "What else?",
            "header": "E",
            "multiSelect": True,
            "options": [{"label": "Auth"}, {"label": "Auth, strict"}, {"label": "Logs"}],
        },
        {"question": "How many?", "kind": "number"},
    ]
}
ONE = {"questions": SOURCE["questions"][:1]}
CANNOT = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a "
CANNOT += "file edit, the new_string was NOT written to the file). "
ANSWERS = [
    (Answer(("One",), note="for now"), Answer(("Auth, strict", "Logs"), other="x, y"), Answer(other="5")),
    (Answer(other="mine"), Answer(empty=True), Answer()),
    (Answer(("Two, or so",)), Answer(("Auth",), other="later"), Answer(other="7")),
    (Answer(), Answer(("Auth", "Auth, strict", "Logs")), Answer()),
]


def outcome(result: CallResult | None, source: dict[str, Any] = SOURCE) -> RequestOutcome | None:
    events = list(recalled("t", source, result, "s"))
    if not events:
        return None
    asked, settled = events
    assert isinstance(asked, QuestionAsked)
    assert (asked.request.tool_use_id, asked.request.session_id) == ("t", "s")
    assert isinstance(settled, RequestSettled)
    return settled.outcome


def questions() -> QuestionSet:
    return parse_question_set("t", SOURCE)


RULES: dict[str, Any] = {
    "questions": [
        {
            "question": "Which rules?",
            "multiSelect": True,
            "options": [{"label": "Yes"}, {"label": "always"}, {"label": "Yes, always"}, {"label": "No"}],
        }
    ]
}


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Yes, always", Answer(("Yes, always",))),
        ("Yes, No", Answer(("Yes", "No"))),
        ("No, Yes, maybe", Answer(("No", "Yes"), other="maybe")),
    ],
)
def test_labels_are_found_in_the_text_of_an_answer_the_longest_first(text: str, answer: Answer) -> None:
    result = CallResult("", structured={"answers": {"Which rules?": text}})
    assert outcome(result, RULES) == Answered((answer,))


@pytest.mark.parametrize("answers", ANSWERS)
def test_answers_of_the_structured_result(answers: tuple[Answer, ...]) -> None:
    structured = encode(questions(), answers)
    assert outcome(CallResult("The user answered: ...", structured=structured)) == Answered(answers)


@pytest.mark.parametrize(
    ("output", "answers"),
    [
        (
            'Your questions have been answered: "Which?"="One", "What else?"="Auth, Logs", "How many?"="5". '
            "You can now continue with these answers in mind.",
            (Answer(("One",)), Answer(("Auth", "Logs")), Answer(other="5")),
        ),
        (
            'The user answered: "Which?"="One" selected preview:\n┌─┐ notes: keep "it", small, '
            '"What else?"=(no option selected) notes: none yet, "How many?"="use "5", ok?". '
            "Read the answers carefully — they may request clarification, changes, or that you not proceed",
            (
                Answer(("One",), note='keep "it", small'),
                Answer(note="none yet"),
                Answer(other='use "5", ok?'),
            ),
        ),
        (
            'Your questions have been answered: "How many?"="5". You can now continue with these',
            (Answer(), Answer(), Answer(other="5")),
        ),
    ],
)
def test_answers_of_the_text_alone(output: str, answers: tuple[Answer, ...]) -> None:
    assert outcome(CallResult(output)) == Answered(answers)


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (None, Cancelled(UNANSWERED)),
        (
            CallResult("[Tool call interrupted: the session ended before ...]", failed=True),
            Cancelled(UNANSWERED),
        ),
        (CallResult(CANNOT + "STOP what you are doing and wait", failed=True), Cancelled("interrupted")),
        (CallResult(DECLINED, failed=True), Declined()),
        (CallResult(EXPIRED, failed=True), Expired()),
        (CallResult(rejection("use none"), failed=True), Discussed("use none")),
        (
            CallResult("The user responded: why?", structured={"answers": {}, "response": "why?"}),
            Discussed("why?"),
        ),
        (CallResult("The user responded: why?"), Discussed("why?")),
        (
            CallResult(f"The user responded: {PROCEED}", structured={"response": PROCEED}),
            Cancelled(ROUNDS_USED),
        ),
        (CallResult(UNREADABLE.format(problem="x"), failed=True), None),
        (CallResult("Something a later version says"), None),
        (CallResult("", structured="a text"), None),
    ],
)
def test_other_ends(result: CallResult | None, expected: RequestOutcome | None) -> None:
    assert outcome(result) == expected


@pytest.mark.parametrize(
    ("output", "structured", "expected"),
    [
        ('User has answered your questions: "Which?"="One".', None, Answer(("One",))),
        ('Your questions have been answered: "Which?"="One"', None, Answer(("One",))),
        ("User has answered your questions.", {"answers": {"Which?": ["One"]}}, Answer(("One",))),
        ("User has answered your questions.", {"answers": ["One"]}, Answer(("One",))),
        ("User has answered your questions: neither", None, "neither"),
    ],
)
def test_answers_in_older_words_and_shapes(output: str, structured: Any, expected: Any) -> None:
    found = outcome(CallResult(output, structured=structured), ONE)
    assert found == (Discussed(expected) if isinstance(expected, str) else Answered((expected,)))


@given(
    st.text(), st.none() | st.dictionaries(st.sampled_from(["answers", "annotations"]), st.text() | st.none())
)
def test_whatever_was_stored_is_no_error(text: str, structured: Any) -> None:
    for output in (text, f'The user answered: "Which?"={text}. Read the answers carefully'):
        outcome(CallResult(output, structured=structured))
        outcome(CallResult(output, failed=True))


def message(kind: str, *blocks: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": kind, "message": {"id": "m", "content": list(blocks)}} | more


def test_a_question_stands_where_it_was_asked() -> None:
    stored = [
        message("assistant", {"type": "tool_use", "id": "t", "name": "AskUserQuestion", "input": ONE}),
        message(
            "user",
            {"type": "tool_result", "tool_use_id": "t", "content": "The user answered"},
            tool_use_result={"answers": {"Which?": "One"}},
            timestamp="2026-03-04T05:06:07.890Z",
        ),
        message("assistant", {"type": "tool_use", "id": "u", "name": "AskUserQuestion", "input": ONE}),
    ]
    events = list(replay(stored, "s"))
    assert [type(event) for event in events] == [
        *(ToolStarted, QuestionAsked, RequestSettled, ToolFinished),
        *(ToolStarted, QuestionAsked, RequestSettled),
    ]
    at = datetime(2026, 3, 4, 5, 6, 7, 890_000, tzinfo=UTC)
    assert events[2] == RequestSettled("t@s", Answered((Answer(("One",)),)), at=at)
    assert events[6] == RequestSettled("u@s", Cancelled(UNANSWERED))
    # The CLI asks it again when the session is resumed: it waits, and was not cancelled.
    assert list(replay(stored, "s", {"t", "u"})) == events[:-1]

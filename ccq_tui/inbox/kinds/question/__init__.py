"""Question sets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ccq_tui.answering.document import Passage, set_blocks
from ccq_tui.answering.record import RecordShape, SetFields, set_record
from ccq_tui.inbox.agent_texts import DECLINED, EXPIRED
from ccq_tui.inbox.layout import QUOTED
from ccq_tui.inbox.requests import AnsweredRequest, QuestionRequest, Reply, RequestOutcome
from ccq_tui.inbox.verdicts import InvalidOutcome
from ccq_tui.questions import Answer, Answered, Declined, Discussed, Expired, QuestionSet
from ccq_tui.questions.asked import Asked
from ccq_tui.text import one_line


class QuestionSetFields(SetFields, of=QuestionSet, names="title"):
    """A question set that waits for its answers.

    Attributes:
        takes_prose: Whether it takes notes and --discuss.
    """

    takes_prose: bool | None = None


WORD = "question"
NOUN = "question"
TYPE = QuestionRequest
OUTLIVES = EXPIRES = True
CALLED = "a question set"
RECORD: type[RecordShape] = QuestionSetFields
ENDS: tuple[type[RequestOutcome], ...] = (Answered, Discussed, Declined, Expired)


def same(one: QuestionRequest, other: QuestionRequest) -> bool:
    """Whether two requests ask the same."""
    return one.questions == other.questions


def asked(request: QuestionRequest) -> Asked:
    """Return its question set."""
    return Asked(request.questions)


def check(request: QuestionRequest, outcome: RequestOutcome) -> None:
    """Refuse an outcome that it does not take."""
    match outcome:
        case Answered(answers):
            check_answers(request.questions, answers)
        case Discussed() if not request.questions.takes_prose:
            asker = one_line(request.origin.called, QUOTED)
            raise InvalidOutcome("", f"{asker}'s prompt takes an answer or nothing, no reply in prose")
        case Discussed(text, answers):
            if not text.strip():
                raise InvalidOutcome("text", "an empty reply says nothing")
            if answers:
                _check_count(request.questions, answers)


def _check_count(questions: QuestionSet, answers: tuple[Answer, ...]) -> None:
    if (count := len(questions.questions)) != len(answers):
        raise InvalidOutcome("answers", f"{count} answers are needed, one a question, not {len(answers)}")


def check_answers(questions: QuestionSet, answers: tuple[Answer, ...]) -> None:
    """Refuse answers that a set does not take."""
    from ccq_tui.questions.checking import FieldError, check  # a list checks nothing

    _check_count(questions, answers)
    try:
        check(questions, answers)
    except FieldError as error:
        asked = one_line(questions.questions[error.number].text, 40)
        field = f"answers[{error.number}]" + (f".{error.part}" if error.part else "")
        reason = one_line(str(error), 200)
        raise InvalidOutcome(field, f"{asked}: {reason}" if questions.is_form else reason) from error


def deliver(request: QuestionRequest, outcome: RequestOutcome, source: Mapping[str, Any]) -> Reply:  # noqa: ARG001
    """Return the reply for an outcome; the prose of a discussion has its own form of input."""
    from ccq_tui.questions.message import discussion_text  # a list delivers nothing
    from ccq_tui.questions.wire import encode, encode_discussion

    match outcome:
        case Answered(answers):
            return Reply(allow=True, input=encode(request.questions, answers))
        case Discussed():
            prose = discussion_text(request.questions, outcome)
            return Reply(input=encode_discussion(request.questions, outcome), text=prose)
    return Reply(allow=False, text=EXPIRED if isinstance(outcome, Expired) else DECLINED)


def title(request: QuestionRequest) -> str:
    """Name the kind for a list."""
    count = len(request.questions.questions)
    return f"{count} questions" if count > 1 else WORD


def summary(request: QuestionRequest) -> str:
    """Summarize the request in one line."""
    return request.questions.title or request.questions.questions[0].text


def news(request: QuestionRequest) -> str:
    """Announce the request in a sentence."""
    asker = one_line(request.origin.called, QUOTED)
    return f"{asker} asks: {one_line(request.questions.questions[0].text, QUOTED)}"


def topics(request: QuestionRequest) -> tuple[str, ...]:
    """Name the questions by their short titles."""
    return tuple(one_line(one.header or one.text, QUOTED) for one in request.questions.questions)


def document(request: AnsweredRequest, outcome: RequestOutcome | None) -> Iterator[Passage]:
    """Return the whole request, with its answers."""
    answers = outcome.answers if isinstance(outcome, Answered | Discussed) else ()
    return set_blocks(request.questions.questions, answers)


def record(request: QuestionRequest) -> dict[str, Any]:
    """Return its own fields in JSON."""
    return set_record(QuestionSetFields, request.questions)

"""The outcome of a question set, read from the result of its call in a transcript.

A transcript keeps an answer as the wire's string. This module parses it for display and history alone:
nothing read here is ever sent.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ccq_tui.claude_lines import Line, fields, output_text, text, time_of
from ccq_tui.inbox import agent_texts as texts
from ccq_tui.inbox.requests import Cancelled, RequestOutcome
from ccq_tui.questions import Answer, Answered, Declined, Discussed, Expired, Kind, Question, QuestionSet
from ccq_tui.questions.wire import NONE_OF_THESE, wire_keys

UNANSWERED = "the session ended before it was answered"
ROUNDS_USED = "the question rounds of this session are used up"
"""The reason that nobody was asked."""
_RESPONDED = "The user responded: "
_ANSWERED = re.compile(
    r"(?:Your questions have been answered|The user answered|User has answered your questions?): "
    r"(.*?)(?:\. (?:You can now continue|Read the answers carefully).*|\.?\s*)\Z",
    re.DOTALL,
)
"""The text of a result without its structured answers, as other programs record it."""


@dataclass(frozen=True, slots=True)
class CallResult:
    """The result of a stored tool call.

    Attributes:
        output: The text that the model read.
        failed: Whether it was an error.
        structured: The tool's own structured result, or None.
        at: The time at which it came, or None if unknown.
    """

    output: str
    failed: bool = False
    structured: Any = None
    at: datetime | None = None


def result_of(block: Line, line: Line) -> CallResult:
    """Return the result in a block of a message of a session's record."""
    record = line.get("tool_use_result", line.get("toolUseResult"))
    return CallResult(output_text(block.get("content")), block.get("is_error") is True, record, time_of(line))


def outcome_of(questions: QuestionSet, result: CallResult) -> RequestOutcome | None:
    """Return the outcome of questions from their call's result, or None if the result does not show it."""
    if texts.PROCEED in result.output:
        return Cancelled(ROUNDS_USED)  # more than the person wanted: nobody was asked
    if result.output.startswith(texts.NO_RESPONSE):
        return Expired()
    if result.failed:
        return _refusal(result.output)
    if isinstance(record := result.structured, Mapping):
        if (response := text(record, "response")).strip():
            return Discussed(response)
        if isinstance(answers := record.get("answers"), Mapping | list):
            remarks = fields(record, "annotations")
            return _answered(
                questions, answers, {key: text(fields(remarks, key), "notes") for key in remarks}
            )
    if result.output.startswith(_RESPONDED):
        return Discussed(result.output.removeprefix(_RESPONDED))
    if found := _ANSWERED.match(result.output):
        return Discussed(found[1].strip()) if found[1].strip() else None
    return None


def _refusal(output: str) -> RequestOutcome | None:
    if output == texts.DECLINED:
        return Declined()
    if output == texts.EXPIRED:
        return Expired()
    if output.startswith(texts.INTERRUPTED):
        return Cancelled("interrupted")
    if output.startswith((texts.ABANDONED, texts.LOST, texts.MISSING, texts.UNASKED)):
        return Cancelled(UNANSWERED)
    return Discussed(words) if (words := texts.rejection_text(output)).strip() else None


def _answered(
    questions: QuestionSet, answers: Mapping[str, Any] | list[Any], notes: Mapping[str, str]
) -> Answered:
    keys = wire_keys(questions)
    given = dict(zip(keys, answers, strict=False)) if isinstance(answers, list) else answers
    each = zip(keys, questions.questions, strict=True)
    return Answered(tuple(_answer(asked, given.get(key), notes.get(key, "")) for key, asked in each))


def _answer(question: Question, given: Any, note: str) -> Answer:
    names = [one for one in (given if isinstance(given, list) else [given]) if isinstance(one, str)]
    text = ", ".join(names)
    if question.kind is not Kind.CHOICE or not text:
        return Answer(other=text, note=note)
    if question.multi_select and text == NONE_OF_THESE:
        return Answer(note=note, empty=True)
    labels = sorted({option.label for option in question.options if option.label}, key=len, reverse=True)
    if not question.multi_select:
        return Answer((text,), note=note) if text in labels else Answer(other=text, note=note)
    if isinstance(given, list):
        other = ", ".join(name for name in names if name not in labels)
        return Answer(tuple(name for name in names if name in labels), other=other, note=note)
    selected: list[str] = []
    rest = text
    while label := next((label for label in labels if f"{rest}, ".startswith(f"{label}, ")), ""):
        selected.append(label)
        rest = rest[len(label) + 2 :]
    if len(rest) > 1 and "," in rest and rest[0] == rest[-1] == '"':
        rest = rest[1:-1]  # the quotes are the wire's
    return Answer(tuple(selected), other=rest, note=note)

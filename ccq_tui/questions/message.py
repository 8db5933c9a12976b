"""Answers as prose, for a question that no tool call waits for any more, and for agents other than Claude.

A person's answer normally goes back as the result of the call that asked. When the session was killed, or
comes from a recording, there is no such call, and the agent gets the answer as prose: questions and options
as it wrote them, each option marked, so that the agent need not guess from labels alone. The same prose is
the result of a tool of ours, which has no form of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ccq_tui.questions.model import Answer, Kind, Question, QuestionSet
from ccq_tui.questions.outcome import Answered, Declined, Discussed, Expired, Outcome

CHOSEN = "[x]"
NOT_CHOSEN = "[ ]"

_ANSWERED = "You asked this with AskUserQuestion, but the answer could not be delivered then. It is:"
_DISCUSSED = "You asked this with AskUserQuestion. Instead of choosing, I reply:"
_BESIDES = "What I had selected, typed and noted until then, not submitted as answers:"
_DECLINED = (
    "You asked this with AskUserQuestion. I decline to answer; nothing was chosen. "
    "Do not take any option as my choice."
)
_EXPIRED = (
    "You asked this with AskUserQuestion. Nobody answered in the time that I allow for it; nothing was "
    "chosen. Do not take any option as my choice: go on without the answers where that is possible, "
    "and say what you assumed."
)
_RESULT_ANSWERED = "The user answered:"
_RESULT_DISCUSSED = "The user chose nothing and replied in prose:"
_RESULT_BESIDES = "What the user had selected, typed and noted until then, not submitted as answers:"
_RESULT_DECLINED = (
    "The user declined to answer; nothing was chosen. Do not take any option as the user's choice, and do "
    "not ask the same again."
)
_RESULT_EXPIRED = (
    "Nobody answered in the time allowed; nothing was chosen. Do not take any option as the user's choice: "
    "go on without the answers where that is possible, and say what you assumed."
)
_MENTION = re.compile(r"(?<!\S)@")
_WORD_JOINER = "\u2060"


def answers_as_message(questions: QuestionSet, outcome: Outcome) -> str:
    """Write the outcome of a question set as a message to the agent.

    Each option of an answered question is marked chosen or not, with custom text and note; a discussion
    begins with the prose; a declined or expired set says that nothing was chosen. Raises ValueError
    unless there is one answer per question.
    """
    match outcome:
        case Answered(answers):
            if len(answers) != len(questions.questions):
                raise ValueError(f"{len(questions.questions)} questions, but {len(answers)} answers")
            asked = [
                "\n".join([_headed(number, question), *_body(question, answer, _quoted)])
                for number, (question, answer) in enumerate(zip(questions.questions, answers, strict=True), 1)
            ]
            return "\n\n".join([_ANSWERED, *asked])
        case Discussed(_, answers):
            said = discussion_text(questions, outcome, _quoted)
            asked = [] if answers else ["What was asked:", _asked(questions)]
            return "\n\n".join([_DISCUSSED, said, *asked])
        case Declined():
            return f"{_DECLINED}\n\n{_asked(questions)}"
        case Expired():
            return f"{_EXPIRED}\n\n{_asked(questions)}"


def answers_as_result(questions: QuestionSet, outcome: Outcome) -> str:
    """Write an outcome as the result of the call that asked: about the person, not in the person's name."""
    match outcome:
        case Answered(answers):
            asked = [
                "\n".join([_item(f"{number}. ", question.text), *_body(question, answer, str)])
                for number, (question, answer) in enumerate(zip(questions.questions, answers, strict=True), 1)
            ]
            return "\n\n".join([_RESULT_ANSWERED, *asked])
        case Discussed():
            return f"{_RESULT_DISCUSSED}\n\n{discussion_text(questions, outcome, besides=_RESULT_BESIDES)}"
        case Declined():
            return _RESULT_DECLINED
        case Expired():
            return _RESULT_EXPIRED


def discussion_text(
    questions: QuestionSet, discussed: Discussed, quoted: Callable[[str], str] = str, besides: str = _BESIDES
) -> str:
    """Write a discussion as the agent reads it: the prose, then the selections, notes and texts.

    ``quoted`` makes the agent's own text harmless; ``besides`` introduces the part after the prose.
    """
    if not discussed.answers:
        return discussed.text
    parts = [
        "\n".join([_item(f"{number}. ", quoted(question.text)), *_besides(question, answer, quoted)])
        for number, (question, answer) in enumerate(
            zip(questions.questions, discussed.answers, strict=False), 1
        )
    ]
    return "\n\n".join([discussed.text, besides, *parts])


def _besides(question: Question, answer: Answer, quoted: Callable[[str], str]) -> list[str]:
    labels = [quoted(label) or "(an option without a label)" for label in answer.selected]
    own = "Own text" if question.kind is Kind.CHOICE else "Typed"
    texts = [(own, answer.other), ("Typed, not selected", answer.unselected), ("Note", answer.note)]
    lines = [_item("   Selected: ", label) for label in labels]
    lines += [_item(f"   {name}: ", text) for name, text in texts if text]
    return lines or ["   (nothing)"]


def _asked(questions: QuestionSet) -> str:
    return "\n".join(_headed(number, question) for number, question in enumerate(questions.questions, 1))


def _headed(number: int, question: Question) -> str:
    return _item(f"{number}. ", _quoted(question.text))


def _body(question: Question, answer: Answer, quoted: Callable[[str], str]) -> list[str]:
    """Write an answer, a line for each option and each other part."""
    lines = []
    for number, option in enumerate(question.options, 1):
        label = quoted(option.label) or f"(option {number}, no label)"
        lines.append(_item(f"   {CHOSEN if option.label in answer.selected else NOT_CHOSEN} ", label))
    labels = {option.label for option in question.options}
    lines.extend(_item(f"   {CHOSEN} ", quoted(label)) for label in answer.selected if label not in labels)
    if answer.other:
        name = f"{CHOSEN} Other: " if question.kind is Kind.CHOICE else "Answer: "
        lines.append(_item(f"   {name}", answer.other))
    if answer.empty:
        lines.append("   (none of these, on purpose)")
    elif not answer.given:
        lines.append("   (not answered)")
    if answer.note:
        lines.append(_item("   Note: ", answer.note))
    return lines


def _item(lead: str, text: str) -> str:
    """Put a text after its mark; further lines are indented under the first, and cannot pass for marks."""
    return lead + text.replace("\r\n", "\n").replace("\r", "\n").replace("\n", "\n" + " " * len(lead))


def _quoted(text: str) -> str:
    """Return the agent's text, with no "@path" that could attach a file to the message."""
    # Claude Code takes "@" for a mention only after a space; a person's own text keeps that power.
    return _MENTION.sub(f"{_WORD_JOINER}@", text)

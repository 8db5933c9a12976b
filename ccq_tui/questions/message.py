"""Answers as prose, for a question that no tool call waits for any more, and for agents other than Claude.

A person's answer normally goes back as the result of the call that asked. When the session was killed, or
comes from a recording, there is no such call, and the agent gets the answer as prose: questions and options
as it wrote them, each option marked, so that the agent need not guess from labels alone. The same prose is
the result of a tool of ours, which has no form of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from ccq_tui.questions.model import Answer, Kind, Question, QuestionSet
from ccq_tui.questions.outcome import Answered, Declined, Discussed, Outcome

MESSAGE = "You asked this with AskUserQuestion"
"""How each outcome that goes as a message begins."""
CHOSEN = "[x]"
NOT_CHOSEN = "[ ]"


@dataclass(frozen=True, slots=True)
class _Form:
    """The words around an outcome, and whether the agent needs to be told what it asked."""

    answered: str
    discussed: str
    besides: str
    declined: str
    expired: str
    repeats: bool


_MESSAGE = _Form(
    answered=f"{MESSAGE}, but the answer could not be delivered then. It is:",
    discussed=f"{MESSAGE}. Instead of choosing, I reply:",
    besides="What I had selected, typed and noted until then, not submitted as answers:",
    declined=f"{MESSAGE}. I decline to answer; nothing was chosen. Do not take any option as my choice.",
    expired=f"{MESSAGE}. Nobody answered in the time that I allow for it; nothing "
    "was chosen. Do not take any option as my choice: go on without the answers where that is possible, "
    "and say what you assumed.",
    repeats=True,
)
_RESULT = _Form(
    answered="The user answered:",
    discussed="The user chose nothing and replied in prose:",
    besides="What the user had selected, typed and noted until then, not submitted as answers:",
    declined="The user declined to answer; nothing was chosen. Do not take any option as the user's choice, "
    "and do not ask the same again.",
    expired="Nobody answered in the time allowed; nothing was chosen. Do not take any option as the user's "
    "choice: go on without the answers where that is possible, and say what you assumed.",
    repeats=False,
)
_WORD_JOINER = "\u2060"


def answers_as_message(questions: QuestionSet, outcome: Outcome) -> str:
    """Write the outcome of a question set as a message to the agent.

    Each option of an answered question is marked chosen or not, with custom text and note; a discussion
    begins with the prose; a declined or expired set says that nothing was chosen. Raises ValueError
    unless there is one answer per question.
    """
    return _written(_MESSAGE, questions, outcome, _quoted)


def answers_as_result(questions: QuestionSet, outcome: Outcome) -> str:
    """Write an outcome as the result of the call that asked: about the person, not in the person's name."""
    return _written(_RESULT, questions, outcome, str)


def _written(form: _Form, questions: QuestionSet, outcome: Outcome, quoted: Callable[[str], str]) -> str:
    heads = _heads(questions, quoted)
    match outcome:
        case Answered(answers):
            each = zip(heads, questions.questions, answers, strict=True)
            parts = ["\n".join([head, *_body(question, answer, quoted)]) for head, question, answer in each]
            return "\n\n".join([form.answered, *parts])
        case Discussed(_, answers):
            prose = discussion_text(questions, outcome, quoted, form)
            asked = ["What was asked:", "\n".join(heads)] if form.repeats and not answers else []
            return "\n\n".join([form.discussed, prose, *asked])
    asked = ["\n".join(heads)] if form.repeats else []
    return "\n\n".join([form.declined if isinstance(outcome, Declined) else form.expired, *asked])


def discussion_text(
    questions: QuestionSet, discussed: Discussed, quoted: Callable[[str], str] = str, form: _Form = _MESSAGE
) -> str:
    """Write a discussion as the agent reads it: the prose, then the selections, notes and texts.

    ``quoted`` makes the agent's own text harmless; ``form`` has the words around it.
    """
    if not discussed.answers:
        return discussed.text
    each = zip(_heads(questions, quoted), questions.questions, discussed.answers, strict=False)
    parts = ["\n".join([head, *_besides(question, answer, quoted)]) for head, question, answer in each]
    return "\n\n".join([discussed.text, form.besides, *parts])


def _heads(questions: QuestionSet, quoted: Callable[[str], str]) -> list[str]:
    return [_item(f"{number}. ", quoted(one.text)) for number, one in enumerate(questions.questions, 1)]


def _besides(question: Question, answer: Answer, quoted: Callable[[str], str]) -> list[str]:
    labels = [quoted(label) or "(an option without a label)" for label in answer.selected]
    own = "Own text" if question.kind is Kind.CHOICE else "Typed"
    texts = [(own, answer.other), ("Typed, not selected", answer.unselected), ("Note", answer.note)]
    lines = [_item("   Selected: ", label) for label in labels]
    lines += [_item(f"   {name}: ", text) for name, text in texts if text]
    return lines or ["   (nothing)"]


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
    return re.sub(r"(?<!\S)@", f"{_WORD_JOINER}@", text)

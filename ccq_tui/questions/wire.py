"""Encodes a person's answers for the agent: as the input of its ``AskUserQuestion`` call, or as prose.

A person's answer normally goes back as the result of the call that asked. When the session was killed, or
comes from a recording, there is no such call, and the agent gets the answer as prose: questions and options
as it wrote them, each option marked, so that the agent need not guess from labels alone. The same prose is
the result of a tool of ours, which has no form of its own.

Answers are structured everywhere in the program; the joined strings exist only here, on the way out, and
are never parsed back, except to draw the past of a resumed session. What the tool accepts and the model then
reads was measured with Claude Code 2.1.330.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ccq_tui.questions.model import Answer, Kind, Question, QuestionSet
from ccq_tui.questions.outcome import Answered, Declined, Discussed, Outcome
from ccq_tui.questions.parse import QuestionFormatError, raw_questions

MESSAGE = "You asked this with AskUserQuestion"
"""How each outcome that goes as a message begins."""
CHOSEN = "[x]"
NOT_CHOSEN = "[ ]"


@dataclass(frozen=True, slots=True)
class _Form:
    """The words around an outcome, and whether it repeats what the agent asked."""

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
    return re.sub(r"(?<!\S)@", "\u2060@", text)  # a word joiner


NONE_OF_THESE = "(none of these)"
"""The text that the agent reads if a multi-select was confirmed with nothing selected."""

_OUTCOME_FIELDS = frozenset({"answers", "annotations", "response", "followUp", "afkTimeoutMs"})


def encode(questions: QuestionSet, answers: tuple[Answer, ...]) -> dict[str, Any]:
    """Put confirmed answers on the wire: the input with ``answers`` and, where needed, ``annotations``.

    Raises ValueError unless there is one answer per question.
    """
    keys = wire_keys(questions)
    texts: dict[str, str] = {}
    annotations: dict[str, dict[str, str]] = {}
    for key, question, answer in zip(keys, questions.questions, answers, strict=True):
        if answer.given:
            texts[key] = answer_text(question, answer)
        remarks = {"notes": answer.note, "preview": (answer.preview if answer.given else "") or ""}
        if any(remarks.values()):
            annotations[key] = {name: text for name, text in remarks.items() if text}
    result = _echo(questions, keys) | {"answers": texts}
    return result | {"annotations": annotations} if annotations else result


def encode_discussion(questions: QuestionSet, discussed: Discussed) -> dict[str, Any]:
    """Put prose that answers the whole set on the wire, as the tool's ``response``.

    Only ``can_use_tool`` may return it: a hook's is ignored, and so is blank prose.
    """
    return _echo(questions, wire_keys(questions)) | {"response": discussion_text(questions, discussed)}


def encode_remark(questions: QuestionSet, text: str) -> dict[str, Any]:
    """Put prose on the wire where ``response`` is not read: as a note to the first question.

    To the model it is "(no option selected) notes: ...".
    """
    keys = wire_keys(questions)
    return _echo(questions, keys) | {"answers": {}, "annotations": {keys[0]: {"notes": text}}}


def answer_text(question: Question, answer: Answer) -> str:
    """Return the one string that stands for an answer: labels joined by ``", "``, then the custom text.

    The CLI recognizes labels by that separator. Custom text is as typed, but in double quotes if it has
    a comma and could be read as several labels.
    """
    if not (answer.selected or answer.other):
        return NONE_OF_THESE
    # The CLI takes an empty answer for none at all, but lets options without a label pass.
    empty = next((number for number, option in enumerate(question.options, 1) if not option.label), "?")
    parts = [label or f"(option {empty}, no label)" for label in answer.selected]
    if answer.other:
        quoted = question.multi_select and "," in answer.other
        parts.append(f'"{answer.other}"' if quoted else answer.other)
    return ", ".join(parts)


def wire_keys(questions: QuestionSet) -> list[str]:
    """Return the text that names each question on the wire, numbered if a text comes twice.

    Answers are keyed by the question's text there, so of two equal ones an answer would be lost.
    """
    texts = {question.text for question in questions.questions}
    keys: list[str] = []
    used: set[str] = set()
    for question in questions.questions:
        key, number = question.text, 1
        while key in used or (number > 1 and key in texts):
            number += 1
            key = f"{question.text} ({number})"
        used.add(key)
        keys.append(key)
    return keys


def _echo(questions: QuestionSet, keys: list[str]) -> dict[str, Any]:
    """Return the input without the fields of a person's outcome, its questions named by ``keys``."""
    kept = {name: value for name, value in questions.source.items() if name not in _OUTCOME_FIELDS}
    try:
        raw = raw_questions(questions.source)
    except QuestionFormatError:
        raw = []  # a set that did not come from a tool call has no input to echo
    if len(raw) != len(keys) or not all(isinstance(item, Mapping) for item in raw):
        raw = [described(question) for question in questions.questions]
    kept["questions"] = [{**item, "question": key} for item, key in zip(raw, keys, strict=True)]
    return kept


def described(question: Question) -> dict[str, Any]:
    """Write a question as the tool's schema has it, without the texts and limits of the extended one."""
    head: dict[str, Any] = {"question": question.text, "header": question.header}
    if question.kind is not Kind.CHOICE:
        return head | {"kind": str(question.kind)}
    options = [
        # The schema demands a description, if an empty one.
        {"label": o.label, "description": o.description} | ({"preview": o.preview} if o.preview else {})
        for o in question.options
    ]
    return head | {"options": options, "multiSelect": question.multi_select}

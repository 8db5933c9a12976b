"""The tools that a client is offered, and the errors for their wrong arguments."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from difflib import get_close_matches
from hashlib import sha256
from typing import Any

from mcp import types

from ccq_tui.questions import Kind, QuestionSet
from ccq_tui.questions.parse import QuestionFormatError, parse_question_set
from ccq_tui.text import one_line

ASK, NOTIFY, LIST = "ask_user", "notify_user", "list_requests"
START_FORM, ANSWER_FORM, COMPLETE_FORM, CANCEL_FORM = (
    "start_form",
    "answer_form",
    "complete_form",
    "cancel_form",
)
MOST_QUESTIONS = 20
MOST_OPTIONS = 100
MOST_CHARACTERS = 200_000
"""Most characters of all arguments of a call; longer material belongs in a file that a question names."""
MOST_MESSAGE = 2_000
MOST_QUOTED = 80

_TEXT = {"type": "string"}
_OPTION = {
    "type": "object",
    "properties": {
        "label": {"type": "string", "description": "What the user chooses; it comes back exactly as it is."},
        "description": {"type": "string", "description": "What choosing it means."},
        "preview": {
            "type": "string",
            "description": "A snippet, mock-up or diagram to look at before choosing; shown as plain text.",
        },
    },
    "required": ["label"],
}
_QUESTION = {
    "type": "object",
    "properties": {
        "question": {"type": "string", "description": "The whole question."},
        "header": {"type": "string", "description": "One or two words for its tab, for example: Database"},
        "kind": {
            "enum": [str(kind) for kind in Kind],
            "description": "choice: one of the options, or the user's own words. text: a text. number: a "
            "number. Without it: choice where there are options, else text.",
        },
        "options": {
            "type": "array",
            "items": _OPTION,
            "maxItems": MOST_OPTIONS,
            "description": 'For a choice, the best first. Put "(Recommended)" at the end of the label that '
            "you recommend. Add no option for other answers: the user can always write one.",
        },
        "multiSelect": {"type": "boolean", "description": "Whether any number of options may be chosen."},
        "description": {"type": "string", "description": "What the user should know to answer."},
        "placeholder": {"type": "string", "description": "A hint in the empty field of a text or number."},
        "min": {"type": "number", "description": "The smallest number allowed."},
        "max": {"type": "number", "description": "The largest number allowed."},
        "step": {"type": "number", "description": "The distance between allowed numbers, above 0."},
        "defaultValue": {"type": ["string", "number"], "description": "What stands in the field at first."},
        "unit": {"type": "string", "description": "The unit of a number, for example: seconds"},
    },
    "required": ["question"],
}
_ANSWER = {
    "type": "object",
    "properties": {
        "question": _TEXT,
        "selected": {"type": "array", "items": _TEXT, "description": "The labels of the chosen options."},
        "other": {"type": "string", "description": 'The user\'s own words, text or number; "" for none.'},
        "number": {"type": "number", "description": "The answer to a number question."},
        "note": {"type": "string", "description": 'A remark beside the answer; "" for none.'},
    },
    "required": ["question", "selected", "other", "note"],
}
_RESULT = {
    "type": "object",
    "properties": {
        "outcome": {
            "enum": ["answered", "discussed", "declined", "expired", "withdrawn"],
            "description": "discussed: the user chose nothing and replied in prose, which is in text.",
        },
        "request": {"type": "string", "description": "The id of the request in ccq-tui."},
        "answers": {"type": "array", "items": _ANSWER, "description": "One a question, in their order."},
        "text": {"type": "string", "description": "The prose of a discussion, or why it was withdrawn."},
        "answered_at": {"type": "string", "description": "When the user decided, in UTC."},
        "record": {"type": "object", "description": "The record of a form, in place of answers."},
    },
    "required": ["outcome", "request"],
}
_WAITING = {
    "type": "object",
    "properties": {
        "request": _TEXT,
        "asked_at": _TEXT,
        "title": _TEXT,
        "questions": {"type": "array", "items": _TEXT},
    },
    "required": ["request", "asked_at", "title", "questions"],
}
_FORM = {
    "type": ["string", "object"],
    "description": "The name of a form, the path of a form file, or a form itself: an object as in its file "
    "(id, title, questions), or a flat JSON Schema of an object.",
}
_CONTEXT = {
    "type": "object",
    "additionalProperties": {"type": "string"},
    "description": 'What the form is about, for example {"commit": "3f2a9c1"}; it is recorded too.',
}
_FORM_ID = {"type": "string", "description": "The form_id that start_form returned."}
_NEXT_QUESTION = {
    "type": "object",
    "properties": {
        "form_id": _TEXT,
        "total": {
            "type": "integer",
            "description": "How many questions are asked, given the answers so far.",
        },
        "title": {"type": "string", "description": "What the form is about; with the first question."},
        "description": _TEXT,
        "question": {"type": "object", "description": "The next one; none if every question is answered."},
        "error": {"type": "string", "description": "Why the answer was not taken."},
    },
    "required": ["form_id", "total"],
}
_READS = types.ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=False, open_world_hint=False
)
_WRITES = _READS.model_copy(update={"read_only_hint": False})
TOOLS = [
    types.Tool(
        name=ASK,
        title="Ask the user",
        description="Ask the user one or more questions and wait for the answers. It is normal that this "
        "takes minutes or hours. Ask what belongs together in one call. Declining and replying in prose are "
        "answers too. If the call is cut off, call it again with exactly the same arguments: the answer "
        "given meanwhile is returned at once.",
        input_schema={
            "type": "object",
            "properties": {
                "questions": {"type": "array", "items": _QUESTION, "minItems": 1, "maxItems": MOST_QUESTIONS},
                "form": {**_FORM, "description": f"In place of questions. {_FORM['description']}"},
                "context": _CONTEXT,
                "title": {
                    "type": "string",
                    "description": "What all the questions are about, in a few words.",
                },
            },
        },
        output_schema=_RESULT,
        annotations=_READS.model_copy(update={"idempotent_hint": True}),
    ),
    types.Tool(
        name=NOTIFY,
        title="Tell the user",
        description="Tell the user something in one line, for example that long work is done. Does not wait "
        "and brings nothing back: to get an answer, use ask_user.",
        input_schema={
            "type": "object",
            "properties": {
                "message": {"type": "string", "maxLength": MOST_MESSAGE, "description": "One short sentence."}
            },
            "required": ["message"],
        },
        annotations=_READS,
    ),
    types.Tool(
        name=LIST,
        title="List open questions",
        description="List what you asked with ask_user in this directory and have no answer to: what waits "
        "for the user, and what was answered while no call of yours was waiting. These answers count as "
        "given to you once they are listed.",
        input_schema={"type": "object", "properties": {}},
        output_schema={
            "type": "object",
            "properties": {
                "waiting": {"type": "array", "items": _WAITING},
                "answered": {"type": "array", "items": _RESULT},
            },
            "required": ["waiting", "answered"],
        },
        annotations=_READS,
    ),
    types.Tool(
        name=START_FORM,
        title="Start a form",
        description="Start a form that you fill in with the user in your own conversation, question by "
        "question; returns the first one. To have the user fill it in alone, in ccq-tui, call ask_user with "
        "it. It ends after 30 minutes without a call.",
        input_schema={
            "type": "object",
            "properties": {
                "form": _FORM,
                "context": _CONTEXT,
                "output": {
                    "type": "string",
                    "description": "The file that complete_form writes the record to: one that ends in "
                    ".jsonl collects records, any other must be new. Without it, nothing is written.",
                },
            },
            "required": ["form"],
        },
        output_schema=_NEXT_QUESTION,
        annotations=_WRITES,
    ),
    types.Tool(
        name=ANSWER_FORM,
        title="Answer a question of a form",
        description="Answer the question that was returned last, with what the user said; returns the next "
        "one, or the same with an error that says what is allowed.",
        input_schema={
            "type": "object",
            "properties": {
                "form_id": _FORM_ID,
                "answer": {
                    "type": ["string", "number", "boolean", "array", "null"],
                    "items": _TEXT,
                    "description": "A label or the number of an option, a list of them, a text or a number; "
                    "null skips an optional question.",
                },
                "question": {
                    "type": "string",
                    "description": "The id of an earlier question, to answer that one again.",
                },
            },
            "required": ["form_id", "answer"],
        },
        output_schema=_NEXT_QUESTION,
        annotations=_WRITES,
    ),
    types.Tool(
        name=COMPLETE_FORM,
        title="Complete a form",
        description="Write the record of a form whose questions are all answered, and return it. Show "
        "the user the answers first. Calling it again writes nothing twice.",
        input_schema={"type": "object", "properties": {"form_id": _FORM_ID}, "required": ["form_id"]},
        output_schema={
            "type": "object",
            "properties": {"record": {"type": "object"}},
            "required": ["record"],
        },
        annotations=_WRITES.model_copy(update={"idempotent_hint": True}),
    ),
    types.Tool(
        name=CANCEL_FORM,
        title="Cancel a form",
        description="Forget a form that was started; nothing is written.",
        input_schema={"type": "object", "properties": {"form_id": _FORM_ID}, "required": ["form_id"]},
        annotations=_WRITES,
    ),
]


class ArgumentsError(ValueError):
    """Wrong arguments of a call; the message is for the model, and names the field and the right content."""


def read_questions(arguments: Mapping[str, Any]) -> QuestionSet:
    """Read the arguments of `ask_user` as a question set; raises `ArgumentsError`.

    Its id is the same for the same questions, whatever other fields came along.
    """
    check_arguments(ASK, arguments)
    try:
        read = parse_question_set("", arguments)
    except QuestionFormatError as error:
        raise ArgumentsError(one_line(str(error), 500)) from error
    _check_counts(read)
    questions = replace(read, source={})
    equal_in = {"title": questions.title, "questions": [asdict(one) for one in questions.questions]}
    said = json.dumps(equal_in, sort_keys=True)
    return replace(questions, id=f"ask_{sha256(said.encode()).hexdigest()[:16]}")


def check_arguments(tool: str, arguments: Mapping[str, Any]) -> None:
    """Refuse arguments that are too long, or have a name that is nearly one of the tool's."""
    characters = len(json.dumps(arguments, ensure_ascii=False))
    if characters > MOST_CHARACTERS:
        raise ArgumentsError(
            f"the arguments have {characters:,} characters; at most {MOST_CHARACTERS:,} are taken: put long "
            "material into a file and name the file in the question"
        )
    _check_names(arguments, next(one.input_schema for one in TOOLS if one.name == tool), "")


def read_message(arguments: Mapping[str, Any]) -> str:
    """Read the arguments of `notify_user`; raises `ArgumentsError`."""
    message = arguments.get("message")
    if not isinstance(message, str) or not message.strip():
        raise ArgumentsError("message: expected a sentence for the user, as a string that is not empty")
    if len(message) > MOST_MESSAGE:
        raise ArgumentsError(f"message: {len(message):,} characters; at most {MOST_MESSAGE:,} are taken")
    return message


def _check_names(value: Any, schema: Mapping[str, Any], path: str) -> None:
    """Name a field that is nearly one of the schema's: the parser ignores fields that it does not know."""
    known = schema.get("properties", {})
    if isinstance(value, list) and "items" in schema:
        for number, item in enumerate(value):
            _check_names(item, schema["items"], f"{path}[{number}]")
    for name in value if isinstance(value, Mapping) and known else ():
        place = f"{path}.{name}".lstrip(".")
        if name in known:
            _check_names(value[name], known[name], place)
        elif name != "multi_select":  # which the parser knows
            for close in get_close_matches(name, [one for one in known if one not in value], 1, 0.75):
                words = f"{place}: there is no such field; did you mean {close}?"
                raise ArgumentsError(one_line(words, 500))


def _check_counts(read: QuestionSet) -> None:
    count = len(read.questions)
    if count > MOST_QUESTIONS:
        raise ArgumentsError(f"questions: {count} questions; at most {MOST_QUESTIONS} are taken in one call")
    for number, question in enumerate(read.questions):
        path, options = f"questions[{number}]", len(question.options)
        if not question.text.strip():
            raise ArgumentsError(f"{path}.question: expected the question, got an empty string")
        if options > MOST_OPTIONS:
            raise ArgumentsError(f"{path}.options: {options} options; at most {MOST_OPTIONS} are taken")
        labels = [option.label for option in question.options]
        for place, label in enumerate(labels):
            where = f"{path}.options[{place}].label"
            if not label.strip():
                raise ArgumentsError(f"{where}: expected a text to choose, got an empty string")
            if label in labels[:place]:
                shown = one_line(label, MOST_QUOTED)
                raise ArgumentsError(f"{where}: “{shown}” comes twice; give each option a label of its own")

"""The tools that a client is offered, the errors for their wrong arguments, and their results."""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from difflib import get_close_matches
from hashlib import sha256
from pathlib import Path
from typing import Any

from mcp import types

from ccq_tui.forms.commits import REFLECTION, commit_context, records_of
from ccq_tui.forms.output import OutputError, check_output
from ccq_tui.forms.reading import FormFileError, find_form, form_of
from ccq_tui.forms.record import record_for
from ccq_tui.forms.reflections import of_commit
from ccq_tui.inbox.requests import Cancelled, FormRequest, QuestionRequest
from ccq_tui.inbox.store.encoding import outcome_word
from ccq_tui.inbox.store.rows import StoredRequest, stamp
from ccq_tui.questions import Answer, Answered, Discussed, Kind, Outcome, Question, QuestionSet
from ccq_tui.questions.limits import answer_problem, exact_number
from ccq_tui.questions.model import Asked
from ccq_tui.questions.parse import QuestionFormatError, parse_question_set
from ccq_tui.questions.wire import answers_as_result
from ccq_tui.text import one_line
from ccq_tui.worktrees.git import GitError

ASK, NOTIFY, LIST = "ask_user", "notify_user", "list_requests"
MOST_QUESTIONS = 20
MOST_OPTIONS = 100
MOST_CHARACTERS = 200_000
"""Most characters of all arguments of a call; longer material belongs in a file that a question names."""
MOST_MESSAGE = 2_000
MOST_QUOTED = 80


def _tools() -> list[types.Tool]:
    """Read the tools, as a client is offered them; many clients do not follow a schema's references."""
    read = json.loads(Path(__file__).with_name("tools.json").read_text(encoding="utf-8"))

    def filled(value: Any) -> Any:
        if isinstance(value, list):
            return [filled(one) for one in value]
        if not isinstance(value, dict):
            return value
        value = read["parts"].get(value.get("$ref"), {}) | value
        return {name: filled(one) for name, one in value.items() if name != "$ref"}

    return [types.Tool.model_validate(filled(tool)) for tool in read["tools"]]


TOOLS = _tools()
SCHEMAS = {tool.name: tool.input_schema for tool in TOOLS}
"""The arguments that each tool takes."""


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
    _check_fields(read, arguments["questions"])
    questions = replace(read, source={})
    asked = [asdict(one, dict_factory=_compared) for one in questions.questions]
    identity = json.dumps({"title": questions.title, "questions": asked}, sort_keys=True)
    return replace(questions, id=f"ask_{sha256(identity.encode()).hexdigest()[:16]}")


def _compared(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the fields of a question that make it another one: a client that asks again gets its answer."""
    return {name: value for name, value in fields if name != "act"}


def check_arguments(tool: str, arguments: Mapping[str, Any]) -> None:
    """Refuse arguments that are too long, or have a name that is nearly one of the tool's."""
    characters = len(json.dumps(arguments, ensure_ascii=False))
    if characters > MOST_CHARACTERS:
        raise ArgumentsError(
            f"the arguments have {characters:,} characters; at most {MOST_CHARACTERS:,} are taken: put long "
            "material into a file and name the file in the question"
        )
    _check_names(arguments, SCHEMAS[tool], "")


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


def _check_fields(read: QuestionSet, given: Any) -> None:
    """Refuse options that would be left out, and a default that is no answer."""
    for number, question in enumerate(read.questions):
        path, item = f"questions[{number}]", given[number] if isinstance(given, list) else None
        if question.kind is not Kind.CHOICE and isinstance(item, Mapping) and item.get("options"):
            raise ArgumentsError(f"{path}.options: only a choice has options; leave out {path}.kind")
        if question.default and (problem := answer_problem(question, question.default)):
            raise ArgumentsError(f"{path}.defaultValue: {problem.replace(' · ', ': ')}")


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


# -- a form ---------------------------------------------------------------------------------------------


def read_form_arguments(arguments: Mapping[str, Any], directory: str) -> tuple[Asked, dict[str, str]]:
    """Read the form, by its name or itself, and its context; raises `ArgumentsError`.

    A path is taken from the client's directory; so is the commit of a reflection.
    """
    given, context = arguments.get("form"), arguments.get("context") or {}
    if not isinstance(context, Mapping) or not all(isinstance(value, str) for value in context.values()):
        raise ArgumentsError('context: expected an object of texts, for example {"commit": "3f2a9c1"}')
    try:
        if isinstance(given, Mapping):
            form = form_of(given)
        elif not isinstance(given, str) or not given or given == "-":
            raise ArgumentsError("form: expected the name of a form, the path of a file, or a form itself")
        else:
            is_path = "/" in given or given.endswith((".toml", ".json"))
            form = find_form(str(Path(directory or "/", given)) if is_path else given)
    except FormFileError as error:
        raise ArgumentsError("; ".join(one_line(problem, 300) for problem in error.problems)) from error
    if form.questions.secret:
        raise ArgumentsError("form: asks for a secret, which only `ccq-tui ask` at a terminal does")
    if form.questions.id == REFLECTION:
        named = context.get("commit", context.get("hash", "HEAD"))
        try:
            context = {**context, **commit_context(Path(directory or "/"), named)}
        except GitError as error:
            if "commit" in context:  # else the client is in no repository
                raise ArgumentsError(f"context: {one_line(str(error), 300)}") from error
    return form, dict(context)


def form_request(arguments: Mapping[str, Any], directory: str) -> FormRequest:
    """Read the arguments of `ask_user` with a form as the request without its asker.

    Its call is the same for the same form and context. Raises `ArgumentsError`.
    """
    check_arguments(ASK, arguments)
    if "questions" in arguments:
        raise ArgumentsError("form: give either questions or a form")
    form, context = read_form_arguments(arguments, directory)
    identity = json.dumps([form.document, context], sort_keys=True)
    call = f"form_{sha256(identity.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"
    try:
        file = _file_of(form, context, directory)
    except OutputError as error:
        raise ArgumentsError(one_line(str(error), 500)) from error
    return FormRequest(call, "", replace(form.questions, id=call), form.document, context, file)


def _file_of(form: Asked, context: Mapping[str, str], directory: str) -> str:
    """Return the file that gets the record: for a commit that of its repository, or "".

    Raises `ArgumentsError` for a commit that has a reflection there, and `OutputError`.
    """
    if form.questions.id != REFLECTION or "hash" not in context:
        return ""
    file = ""
    with suppress(GitError):
        file = str(records_of(Path(directory or "/")))
    check_output(file)
    if earlier := of_commit(file, context):
        raise ArgumentsError(f"context: {earlier[-1].notice}; name another commit")
    return file


# -- results --------------------------------------------------------------------------------------------


LONG_AGO = timedelta(minutes=1)
"""An older answer was given before the call, and its result names the time."""


def text_result(text: str, *, is_error: bool = False) -> types.CallToolResult:
    """Return a result that is text alone."""
    return types.CallToolResult(content=[types.TextContent(text=text)], is_error=is_error)


def wrong_arguments(tool: str, problem: str) -> types.CallToolResult:
    """Return the result of a call with wrong arguments."""
    end = "" if problem.endswith("?") else "."
    return text_result(f"{tool}: {problem}{end} Nothing was done.", is_error=True)


def outcome_result(decided: StoredRequest, asked_at: datetime) -> types.CallToolResult:
    """Return the result for a decided request; ``asked_at`` is the begin of the call."""
    text, at = _outcome_text(decided), decided.settled_at
    if at is not None and asked_at - at > LONG_AGO and not isinstance(decided.outcome, Cancelled):
        text = f"{text}\n\n(This was decided at {at.astimezone(UTC):%Y-%m-%d %H:%M} UTC, before this call.)"
    return both(text, outcome_record(decided))


def list_result(waiting: Sequence[StoredRequest], answered: Sequence[StoredRequest]) -> types.CallToolResult:
    """Return the result for a list of a client's requests."""
    open_ones = [_waiting_record(one) for one in waiting]
    parts = [f"{len(open_ones)} waiting for the user."]
    parts += [f"- {'; '.join(one['questions'])}" for one in open_ones]
    for one in answered:
        asked = "; ".join(question.text for question in _questions(one).questions)
        parts.append(f"\nAnswered meanwhile: {asked}\n{_outcome_text(one)}")
    records = [outcome_record(one) for one in answered]
    return both("\n".join(parts), {"waiting": open_ones, "answered": records})


def outcome_record(decided: StoredRequest) -> dict[str, Any]:
    """Return the outcome of a question set in the tool's schema."""
    outcome = decided.outcome
    word = outcome_word(outcome) if isinstance(outcome, Outcome) else "withdrawn"
    record: dict[str, Any] = {"outcome": word, "request": decided.request.id}
    if isinstance(outcome, Discussed | Cancelled):
        record["text"] = outcome.text if isinstance(outcome, Discussed) else outcome.reason
    if isinstance(outcome, Answered) and isinstance(decided.request, FormRequest):
        record["record"] = record_for(decided)
    elif isinstance(outcome, Answered | Discussed):
        pairs = zip(_questions(decided).questions, outcome.answers, strict=False)
        record["answers"] = [_answer(*pair) for pair in pairs]
    return record | ({"answered_at": stamp(decided.settled_at)} if decided.settled_at is not None else {})


def _questions(stored: StoredRequest) -> QuestionSet:
    asked = stored.request
    return asked.questions if isinstance(asked, QuestionRequest | FormRequest) else QuestionSet("", ())


def _outcome_text(decided: StoredRequest) -> str:
    outcome = decided.outcome
    if isinstance(outcome, Outcome):
        return answers_as_result(_questions(decided), outcome)
    reason = outcome.reason if isinstance(outcome, Cancelled) else "it was decided in another way"
    return f"Nobody answered: {reason}. Nothing was chosen."


def _answer(question: Question, answer: Answer) -> dict[str, Any]:
    record: dict[str, Any] = {
        "question": question.text,
        "selected": list(answer.selected),
        "other": answer.other,
        "note": answer.note,
    }
    if question.kind is Kind.NUMBER and (number := exact_number(answer.other)) is not None:
        record["number"] = number
    return record


def _waiting_record(stored: StoredRequest) -> dict[str, Any]:
    questions = _questions(stored)
    return {
        "request": stored.request.id,
        "asked_at": stamp(stored.asked_at),
        "title": questions.title,
        "questions": [one.text for one in questions.questions],
    }


def both(text: str, record: dict[str, Any]) -> types.CallToolResult:
    """Return text and structured content; a client of an old protocol gets the text alone."""
    return types.CallToolResult(content=[types.TextContent(text=text)], structured_content=record)

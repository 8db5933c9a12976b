"""Tools for forms: started, answered question by question, completed; and their arguments read."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from shutil import rmtree
from typing import Any
from uuid import uuid4

from mcp import types

from ccq_tui.answering.document import question_blocks
from ccq_tui.answering.grammar import TypedError
from ccq_tui.answering.record import question_record
from ccq_tui.bridges.mcp.calls import Client
from ccq_tui.bridges.mcp.tools import (
    ANSWER_FORM,
    ASK,
    CANCEL_FORM,
    COMPLETE_FORM,
    SCHEMAS,
    START_FORM,
    ArgumentsError,
    both,
    check_arguments,
    text_result,
)
from ccq_tui.config.paths import state_dir
from ccq_tui.forms import interviews
from ccq_tui.forms.commits import REFLECTION, commit_context, records_of
from ccq_tui.forms.interviews import ClientForm, InterviewError
from ccq_tui.forms.output import OutputError, check_output, write_record
from ccq_tui.forms.reading import FormFileError, find_form, form_of
from ccq_tui.forms.reflections import earlier
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.document import lines
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.requests import Asker, FormRequest, Origin
from ccq_tui.processes import this_process
from ccq_tui.questions.asked import Asked
from ccq_tui.text import one_line
from ccq_tui.worktrees.git import GitError

FORM_TOOLS = (START_FORM, ANSWER_FORM, COMPLETE_FORM, CANCEL_FORM)


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
    said = json.dumps([form.document, context], sort_keys=True)
    call = f"form_{sha256(said.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"
    try:
        file = _file_of(form, context, directory)
    except OutputError as error:
        raise ArgumentsError(one_line(str(error), 500)) from error
    return FormRequest(call, "", replace(form.questions, id=call), form.document, context, file)


def _file_of(form: Asked, context: Mapping[str, str], directory: str, output: str = "") -> str:
    """Return the file that gets the record: the one given, else for a commit that of its repository, or "".

    Raises `ArgumentsError` for a commit that has a reflection there, and `OutputError`.
    """
    here = Path(directory or "/")
    file = str(here / output) if output else ""
    if form.questions.id == REFLECTION and "hash" in context and not file:
        with suppress(GitError):
            file = str(records_of(here))
    check_output(file)
    if form.questions.id == REFLECTION and (said := earlier(file, context)):
        raise ArgumentsError(f"context: {said}; name another commit")
    return file


class FormTools:
    """The tools by which a client fills in forms itself."""

    def __init__(self, inbox: Inbox) -> None:
        self._inbox = inbox

    async def call(self, tool: str, arguments: Mapping[str, Any], client: Client) -> types.CallToolResult:
        """Serve a call; raises `ArgumentsError` and `InboxError`."""
        check_arguments(tool, arguments)
        needed = SCHEMAS[tool]["required"]
        if missing := [one for one in needed if one not in arguments]:
            raise ArgumentsError(f"{missing[0]}: is missing; {tool} takes {', '.join(needed)}")
        form_id, actor = _text(arguments, "form_id"), Actor(Surface.ASKER, client.name, this_process())
        run = self._inbox.run
        try:
            if tool == START_FORM:
                request = await asyncio.to_thread(_started, arguments, client)
                return _next(await run(partial(interviews.begin, request=request)), begins=True)
            if tool == COMPLETE_FORM:
                file, record = await run(partial(interviews.complete, form_id=form_id, actor=actor))
                await asyncio.to_thread(write_record, file, record)
                return both(json.dumps(record, ensure_ascii=False, indent=2), {"record": record})
            if tool == CANCEL_FORM:
                await run(partial(interviews.cancel, form_id=form_id))
                return text_result("The form is cancelled; nothing was written.")
            question, value = _text(arguments, "question"), arguments.get("answer")
            try:
                answered = partial(interviews.answer, question=question, value=value)
                return _next(await run(partial(answered, form_id=form_id, actor=actor)))
            except TypedError as error:
                problem = str(error).replace(" · ", ": ")
                one = await run(partial(interviews.read, form_id=form_id))
                return _next(one, problem, one.form.names.index(question))
        except (InterviewError, OutputError) as error:
            raise ArgumentsError(one_line(str(error), 500)) from error


def _started(arguments: Mapping[str, Any], client: Client) -> FormRequest:
    """Read the arguments of `start_form`; raises `ArgumentsError` and `OutputError`."""
    form, context = read_form_arguments(arguments, client.directory)
    file = _file_of(form, context, client.directory, _text(arguments, "output"))
    rmtree(state_dir() / "forms", ignore_errors=True)  # where an older version kept what was answered
    form_id, origin = str(uuid4()), Origin(Asker.MCP, client.name, client.directory, this_process())
    return FormRequest(form_id, form_id, form.questions, form.document, context, file, origin=origin)


def _text(arguments: Mapping[str, Any], name: str) -> str:
    value = arguments.get(name) or ""
    if not isinstance(value, str):
        raise ArgumentsError(f"{name}: expected a string")
    return value


def _next(
    one: ClientForm, problem: str = "", place: int = -1, *, begins: bool = False
) -> types.CallToolResult:
    """Return the next question, or that the form can be completed; after a ``problem`` that at ``place``."""
    request, count = one.request, one.interview.count
    state: dict[str, Any] = {"form_id": request.tool_use_id, "total": count}
    if problem:
        state["error"] = problem
    said = [f"Nothing was recorded: {problem}."] if problem else []
    if begins:
        title, intro = request.questions.title, request.questions.intro
        state |= {"title": title, "description": intro, "context": {**request.context}}
        said += [text for text in (title, intro) if text]
        said += [f"{name}: {value}" for name, value in request.context.items()]
    if not (problem or one.interview.state.gaps):
        return both("\n".join([*said, f"Every question is answered. Call {COMPLETE_FORM}."]), state)
    asked = one.interview.at(place := place if problem else one.interview.state.gaps[0])
    question, number = request.questions.questions[place], asked.number
    proposed = {"proposed": list(question.field.preset)} if question.field and question.field.preset else {}
    name = one.form.names[place]
    state["question"] = {**question_record(number, question), "id": name, **proposed}
    said += [f"Question {number} of {count} of the form {request.tool_use_id}, with the id {name}:"]
    said += lines(question_blocks(question, str(number)))
    return both("\n".join(said), state, is_error=bool(problem))

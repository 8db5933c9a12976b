"""A form that a client has a person fill in: the arguments of its call."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from ccq_tui.bridges.mcp.tools import ASK, ArgumentsError, check_arguments
from ccq_tui.forms.commits import REFLECTION, commit_context, records_of
from ccq_tui.forms.output import OutputError, check_output
from ccq_tui.forms.reading import FormFileError, find_form, form_of
from ccq_tui.forms.reflections import of_commit
from ccq_tui.inbox.requests import FormRequest
from ccq_tui.questions.asked import Asked
from ccq_tui.text import one_line
from ccq_tui.worktrees.git import GitError


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

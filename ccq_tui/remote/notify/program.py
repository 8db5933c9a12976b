"""The person's own program that runs for each request."""

import asyncio
import os
from collections.abc import Sequence
from datetime import UTC, datetime

from ccq_tui.child_process import output_of
from ccq_tui.inbox.records import report, whole_record
from ccq_tui.inbox.requests import QuestionRequest
from ccq_tui.inbox.store.rows import RequestState, StoredRequest
from ccq_tui.questions import Option, Question, QuestionSet
from ccq_tui.remote.notify.notification import Receipt
from ccq_tui.text import one_line, reason

PROGRAM_SECONDS = 30.0
"""Most seconds it may take; then it is killed with all that it started."""
_TRIAL = Question("Does this arrive?", "Test", (Option("Yes"), Option("No")))


async def run_program(command: Sequence[str], stored: StoredRequest) -> str:
    """Run a command, without a shell, with a request as JSON on its standard input.

    Returns why it failed, or "".
    """
    content = report("request", whole_record(stored)).encode() + b"\n"
    quiet = asyncio.subprocess.DEVNULL
    try:
        process = await asyncio.create_subprocess_exec(
            *command, stdin=asyncio.subprocess.PIPE, stdout=quiet, stderr=quiet,
            env={**os.environ, "CCQ_REQUEST": stored.request.id}, start_new_session=True,
        )  # fmt: skip
    except (OSError, ValueError) as error:
        return f"it cannot be started: {one_line(reason(error), 200)}"
    try:
        async with asyncio.timeout(PROGRAM_SECONDS):
            _, code = await output_of(process, 1, content)
    except TimeoutError:
        return f"it had not ended after {PROGRAM_SECONDS:.0f} s, and was killed"
    return f"it ended with exit code {code}" if code else ""


async def try_program(command: Sequence[str]) -> Receipt:
    """Run a command for a question that nobody asked."""
    request = QuestionRequest("test", "ccq-tui notify test", QuestionSet("test", (_TRIAL,)))
    stored = StoredRequest(0, request, "", RequestState.PENDING, datetime.now(UTC))
    problem = await run_program(command, stored)
    return Receipt("on_request", problem, sent=0 if problem else 1)

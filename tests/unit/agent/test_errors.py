"""What went wrong, in words for a person."""

from __future__ import annotations

import asyncio

import pytest
from claude_agent_sdk import (
    CLIConnectionError,
    CLIJSONDecodeError,
    CLINotFoundError,
    ProcessError,
    ResultError,
)

from ccq_tui.agent.claude.cli_process import (
    STDERR_LINE_CHARACTERS,
    STDERR_LINES,
    SessionFailure,
    StderrTail,
    explain,
    limited,
)
from ccq_tui.agent.commands import CommandError
from ccq_tui.agent.controls import start_error
from ccq_tui.agent.problems import Problem


@pytest.mark.parametrize(
    ("error", "failure"),
    [
        (CLINotFoundError("Claude Code not found at: /x"), SessionFailure(Problem.CLI_MISSING, "")),
        (
            ProcessError("x", exit_code=3),
            SessionFailure(Problem.CLI_ENDED, "It ended with exit code 3.\nboom", 3),
        ),
        (
            ProcessError("x", exit_code=-9),
            SessionFailure(Problem.CLI_KILLED, "It was ended by signal 9 (SIGKILL).\nboom", -9),
        ),
        (
            ProcessError("x", exit_code=143),
            SessionFailure(Problem.CLI_KILLED, "It was ended by signal 15 (SIGTERM).\nboom", 143),
        ),
        (ProcessError("x"), SessionFailure(Problem.CLI_ENDED, "boom")),
        (
            ResultError("x", {"errors": ["No conversation found with session ID: 1"]}, exit_code=1),
            SessionFailure(Problem.NO_CONVERSATION, "", 1),
        ),
        (
            ResultError("x", {"errors": ["Something else"]}, exit_code=1),
            SessionFailure(Problem.CLI_ENDED, "Something else\nboom", 1),
        ),
        (CLIConnectionError("pipe"), SessionFailure(Problem.CLI_UNUSABLE, "boom")),
        (
            CLIConnectionError("Cannot write to terminated process (exit code: 3)"),
            SessionFailure(Problem.CLI_ENDED, "It ended with exit code 3.\nboom", 3),
        ),
        (
            CLIConnectionError("Working directory does not exist: /x"),
            SessionFailure(Problem.DIRECTORY_GONE, ""),
        ),
        (CLIJSONDecodeError("{", ValueError()), SessionFailure(Problem.CLI_UNREADABLE, "boom")),
        (TimeoutError(), SessionFailure(Problem.CLI_SILENT, "boom")),
        (Exception("odd"), SessionFailure(Problem.LOST, "odd\nboom")),
    ],
)
def test_each_error_is_explained(error: Exception, failure: SessionFailure) -> None:
    words = StderrTail()
    words.add("boom")
    assert explain(error, words) == failure


def test_only_the_last_words_are_kept() -> None:
    words = StderrTail()
    for number in range(100):
        words.add(f"{number}" * 1_000)
    lines = words.after("Ended.").splitlines()
    assert len(lines) == 1 + STDERR_LINES
    assert lines[-1] == ("99" * 1_000)[:STDERR_LINE_CHARACTERS]


async def test_what_takes_too_long_or_fails_is_a_command_error() -> None:
    async def forever() -> None:
        await asyncio.Event().wait()

    async def fails() -> None:
        raise Exception("refused")  # noqa: TRY002 - as the SDK does

    with pytest.raises(CommandError, match="did not answer within 0 seconds"):
        await limited(forever(), 0.01)
    with pytest.raises(CommandError, match="refused"):
        await limited(fails(), 5)


def test_a_server_that_is_not_there_is_named_without_system_calls() -> None:
    assert (
        start_error("ENOENT: no such file or directory, posix_spawn '/opt/docs server'")
        == "/opt/docs server: no such file or directory"
    )
    assert start_error("spawn npx ENOENT") == "npx: no such file or directory"
    assert start_error("Connection closed") == "Connection closed"

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

from ccq_tui.agent.claude.errors import STDERR_LINE_CHARACTERS, STDERR_LINES, Failure, LastWords, explain
from ccq_tui.agent.claude.leaving import limited
from ccq_tui.agent.commands import CommandError


@pytest.mark.parametrize(
    ("error", "failure"),
    [
        (
            CLINotFoundError("Claude Code not found at: /x"),
            Failure(
                "Claude Code was not found. Give its path with --cli-path.\nClaude Code not found at: /x"
            ),
        ),
        (ProcessError("x", exit_code=3), Failure("Claude ended with exit code 3.\nboom", 3)),
        (ProcessError("x", exit_code=-9), Failure("Claude was ended by signal 9.\nboom", -9)),
        (ResultError("No conversation", exit_code=1), Failure("No conversation (exit code: 1)\nboom", 1)),
        (CLIConnectionError("pipe"), Failure("There is no connection to Claude: pipe\nboom")),
        (
            CLIJSONDecodeError("{", ValueError()),
            Failure("Claude sent a message that cannot be read; it may be too large.\nboom"),
        ),
        (TimeoutError(), Failure("Claude did not start in time.\nboom")),
        (Exception("odd"), Failure("Claude failed: odd\nboom")),
    ],
)
def test_each_error_is_explained(error: Exception, failure: Failure) -> None:
    words = LastWords()
    words.add("boom")
    assert explain(error, words) == failure


def test_only_the_last_words_are_kept() -> None:
    words = LastWords()
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

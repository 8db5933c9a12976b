"""What went wrong between the program and the CLI, in words for a person."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from claude_agent_sdk import (
    CLIConnectionError,
    CLIJSONDecodeError,
    CLINotFoundError,
    ProcessError,
    ResultError,
)

STDERR_LINES = 20
STDERR_LINE_CHARACTERS = 500


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no session any more.

    Attributes:
        text: The reason, for a person.
        exit_code: The CLI's exit code, negative for a signal's number, or None.
    """

    text: str
    exit_code: int | None = None


class LastWords:
    """The last lines of the CLI's standard error."""

    def __init__(self) -> None:
        self._lines: deque[str] = deque(maxlen=STDERR_LINES)

    def add(self, line: str) -> None:
        """Keep a line."""
        self._lines.append(line[:STDERR_LINE_CHARACTERS])

    def after(self, text: str) -> str:
        """Give a text with the lines under it, if there are any."""
        return "\n".join([text, *self._lines])


def explain(error: BaseException, words: LastWords) -> Failure:
    """Say what an error of the SDK means.

    Args:
        error: The error.
        words: What the CLI wrote to its standard error.

    Returns:
        The explanation, with the exit code where there is one.
    """
    match error:
        case CLINotFoundError():
            return Failure(f"Claude Code was not found. Give its path with --cli-path.\n{error}")
        case ResultError():
            return Failure(words.after(str(error)), error.exit_code)
        case ProcessError():
            return Failure(words.after(_ended(error.exit_code)), error.exit_code)
        case CLIJSONDecodeError():
            return Failure(words.after("Claude sent a message that cannot be read; it may be too large."))
        case CLIConnectionError():
            return Failure(words.after(f"There is no connection to Claude: {error}"))
        case TimeoutError():
            return Failure(words.after("Claude did not start in time."))
        case _:
            return Failure(words.after(f"Claude failed: {error}"))


def _ended(exit_code: int | None) -> str:
    if exit_code is not None and exit_code < 0:
        return f"Claude was ended by signal {-exit_code}."
    return f"Claude ended with exit code {exit_code}."

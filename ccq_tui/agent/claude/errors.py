"""Failures between the program and the CLI, explained for a person."""

from __future__ import annotations

import re
import signal
from collections import deque
from dataclasses import dataclass

from claude_agent_sdk import (
    CLIConnectionError,
    CLIJSONDecodeError,
    CLINotFoundError,
    ProcessError,
    ResultError,
)

from ccq_tui.agent.claude.classify import is_missing_conversation
from ccq_tui.agent.problems import Problem
from ccq_tui.claude_lines import bounded
from ccq_tui.text import one_line, reason

STDERR_LINES = 20
STDERR_LINE_CHARACTERS = 500
TEXT_CHARACTERS = 2_000
SIGNALS = 65
_AS_ROOT = "--dangerously-skip-permissions cannot be used with root/sudo privileges"
_EXIT_CODE = re.compile(r"exit code: (-?\d+)")


@dataclass(frozen=True, slots=True)
class SessionFailure:
    """The reason why a session ended or could not start.

    Attributes:
        kind: The problem.
        text: Details for a person, or "".
        exit_code: The CLI's exit code, negative for a signal's number, or None.
    """

    kind: Problem
    text: str
    exit_code: int | None = None


class StderrTail:
    """The last lines of the CLI's standard error."""

    def __init__(self) -> None:
        self._lines: deque[str] = deque(maxlen=STDERR_LINES)

    def add(self, line: str) -> None:
        """Keep a line."""
        self._lines.append(line[:STDERR_LINE_CHARACTERS])

    def have(self, text: str) -> bool:
        """Return whether one of the lines contains a text."""
        return any(text in line for line in self._lines)

    def after(self, text: str) -> str:
        """Return a text with the lines under it, if there are any."""
        return "\n".join([*([text] if text else []), *self._lines])


def explain(error: BaseException, words: StderrTail) -> SessionFailure:
    """Explain an error of the SDK, with the exit code where there is one."""
    match error:
        case _ if words.have(_AS_ROOT):
            return SessionFailure(Problem.BYPASS_AS_ROOT, "")
        case CLINotFoundError():
            return SessionFailure(Problem.CLI_MISSING, "")
        case ResultError():
            return _refused(error, words)
        case ProcessError():
            return _ended(error.exit_code, words)
        case CLIJSONDecodeError():
            return SessionFailure(Problem.CLI_UNREADABLE, words.after(""))
        case CLIConnectionError():
            return _unconnected(str(error), words)
        case TimeoutError():
            return SessionFailure(Problem.CLI_SILENT, words.after(""))
        case _:
            return SessionFailure(Problem.LOST, words.after(one_line(reason(error), TEXT_CHARACTERS)))


def _refused(error: ResultError, words: StderrTail) -> SessionFailure:
    said = "\n".join(error.errors) or error.result or ""
    if is_missing_conversation(said):
        # The CLI's own text is about its flags, and it repeats itself.
        return SessionFailure(Problem.NO_CONVERSATION, "", error.exit_code)
    return SessionFailure(Problem.CLI_ENDED, words.after(bounded(said, TEXT_CHARACTERS)), error.exit_code)


def _unconnected(said: str, words: StderrTail) -> SessionFailure:
    if said.startswith("Working directory does not exist"):
        return SessionFailure(Problem.DIRECTORY_GONE, "")
    if found := _EXIT_CODE.search(said):
        return _ended(int(found[1]), words)
    return SessionFailure(Problem.CLI_UNUSABLE, words.after(""))


def _ended(exit_code: int | None, words: StderrTail) -> SessionFailure:
    if exit_code is None:
        return SessionFailure(Problem.CLI_ENDED, words.after(""))
    number = -exit_code if exit_code < 0 else exit_code - 128 if exit_code > 128 else 0
    if 0 < number < SIGNALS:
        return SessionFailure(
            Problem.CLI_KILLED, words.after(f"It was ended by {signal_name(number)}."), exit_code
        )
    return SessionFailure(Problem.CLI_ENDED, words.after(f"It ended with exit code {exit_code}."), exit_code)


def signal_name(number: int) -> str:
    """Name a signal, for a person."""
    try:
        return f"signal {number} ({signal.Signals(number).name})"
    except ValueError:
        return f"signal {number}"

"""The start and the end of the CLI: why it did not start, time limits, and the end of its process."""

import asyncio
import logging
import os
import re
import signal
from collections import deque
from collections.abc import Awaitable
from contextlib import suppress
from dataclasses import replace
from typing import TypeVar

import claude_agent_sdk as sdk

from ccq_tui.agent.claude.classify import NO_CONVERSATION
from ccq_tui.agent.controls import CommandError
from ccq_tui.agent.events import SessionLost
from ccq_tui.agent.problems import Problem
from ccq_tui.claude_lines import bounded
from ccq_tui.config.launch import Launch
from ccq_tui.text import one_line, reason

STDERR_LINES = 20
STDERR_LINE_CHARACTERS = 500
TEXT_CHARACTERS = 2_000


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


def explain(error: BaseException, words: StderrTail) -> SessionLost:
    """Explain an error of the SDK."""
    match error:
        case _ if words.have("--dangerously-skip-permissions cannot be used with root/sudo privileges"):
            return SessionLost("", kind=Problem.BYPASS_AS_ROOT)
        case sdk.CLINotFoundError():
            return SessionLost("", kind=Problem.CLI_MISSING)
        case sdk.ResultError():
            return _refused(error, words)
        case sdk.ProcessError():
            return _ended(error.exit_code, words)
        case sdk.CLIJSONDecodeError():
            return SessionLost(words.after(""), kind=Problem.CLI_UNREADABLE)
        case sdk.CLIConnectionError() if str(error).startswith("Working directory does not exist"):
            return SessionLost("", kind=Problem.DIRECTORY_MISSING)
        case sdk.CLIConnectionError() if found := re.search(r"exit code: (-?\d+)", str(error)):
            return _ended(int(found[1]), words)
        case sdk.CLIConnectionError():
            return SessionLost(words.after(""), kind=Problem.CLI_UNUSABLE)
        case TimeoutError():
            return SessionLost(words.after(""), kind=Problem.CLI_SILENT)
        case _:
            return SessionLost(words.after(one_line(reason(error), TEXT_CHARACTERS)), kind=Problem.LOST)


def _refused(error: sdk.ResultError, words: StderrTail) -> SessionLost:
    message = "\n".join(error.errors) or error.result or ""
    if NO_CONVERSATION.search(message):
        # The CLI's own text is about its flags, and it repeats itself.
        return SessionLost("", kind=Problem.NO_CONVERSATION)
    return SessionLost(words.after(bounded(message, TEXT_CHARACTERS)), kind=Problem.CLI_ENDED)


def _ended(exit_code: int | None, words: StderrTail) -> SessionLost:
    if exit_code is None:
        return SessionLost(words.after(""), kind=Problem.CLI_ENDED)
    number = -exit_code if exit_code < 0 else exit_code - 128 if exit_code > 128 else 0
    if 0 < number < 65:  # signals end at 64
        kind, how = Problem.CLI_KILLED, f"It was ended by {signal_name(number)}."
    else:
        kind, how = Problem.CLI_ENDED, f"It ended with exit code {exit_code}."
    return SessionLost(words.after(how), kind=kind)


def signal_name(number: int) -> str:
    """Name a signal, for a person."""
    try:
        return f"signal {number} ({signal.Signals(number).name})"
    except ValueError:
        return f"signal {number}"


_logger = logging.getLogger(__name__)

# Which of these the SDK reports for a program that ends at once is a matter of chance.
_UNUSABLE = (Problem.CLI_UNUSABLE, Problem.CLI_ENDED, Problem.CLI_KILLED, Problem.CLI_UNREADABLE)

INTERRUPT_SECONDS = 2.0
# The SDK closes the CLI's input, waits 5 s, terminates it, waits 5 s and kills it: about 20 s at worst.
DISCONNECT_SECONDS = 25.0

T = TypeVar("T")


async def limited(operation: Awaitable[T], seconds: float) -> T:
    """Await an operation of the client's within a limit; raises `CommandError` for a failure too."""
    try:
        async with asyncio.timeout(seconds):
            return await operation
    except TimeoutError as error:
        raise CommandError(f"Claude did not answer within {seconds:.0f} seconds.") from error
    except Exception as error:  # the SDK raises bare exceptions if the CLI refuses
        raise CommandError(str(error)) from error


async def leave(client: sdk.ClaudeSDKClient, pid: int | None, *, busy: bool) -> None:
    """End the CLI: ask it to exit, then force it. Cancelling the caller does not stop this."""
    ending = asyncio.create_task(_disconnect(client, busy=busy))
    cancelled = await _outlast(ending, INTERRUPT_SECONDS + DISCONNECT_SECONDS)
    if not ending.done() or ending.cancelled() or ending.exception():
        _logger.error("Claude did not end by itself")
        ending.cancel()
        if pid is not None:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    if cancelled:
        raise asyncio.CancelledError


async def _disconnect(client: sdk.ClaudeSDKClient, *, busy: bool) -> None:
    if busy:
        # In the middle of a turn the CLI does not exit when its input ends: it would be terminated after 5 s.
        try:
            await limited(client.interrupt(), INTERRUPT_SECONDS)
        except CommandError:
            _logger.info("The last turn was not interrupted")
    await client.disconnect()


async def _outlast(task: asyncio.Task[None], seconds: float) -> bool:
    """Wait for a task even while being cancelled; return whether it was cancelled."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + seconds
    cancelled = False
    while not task.done() and loop.time() < deadline:
        try:
            await asyncio.wait({task}, timeout=deadline - loop.time())
        except asyncio.CancelledError:
            cancelled = True
    return cancelled


async def explain_start(error: BaseException, words: StderrTail, launch: Launch) -> SessionLost:
    """Explain why the CLI did not start, and name the program or the directory."""
    failure = explain(error, words)
    program = launch.settings.cli_path
    if not await asyncio.to_thread(launch.settings.directory.is_dir):
        return SessionLost(str(launch.settings.directory), kind=Problem.DIRECTORY_MISSING)
    if failure.kind is Problem.CLI_MISSING:
        return replace(failure, reason=f"{program} does not exist." if program else "")
    if failure.kind is Problem.NO_CONVERSATION:
        return replace(failure, reason=launch.resume)
    if program is None:
        return failure
    kind = Problem.CLI_UNUSABLE if failure.kind in _UNUSABLE else failure.kind
    return replace(failure, reason=f"{program}\n{failure.reason}".rstrip(), kind=kind)

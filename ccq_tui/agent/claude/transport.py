"""The SDK's transport to the CLI, and the guard that ends the CLI if this program is killed."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
import subprocess
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from claude_agent_sdk import ClaudeAgentOptions

from ccq_tui.agent.claude.elicitations import Answer, Elicitations
from ccq_tui.agent.claude.process import CliProcess, opened
from ccq_tui.compat.sdk.process_transport import Opener, ProcessTransport

PAUSE = 0.005
"""Seconds between two reads of deltas, in which a fast model sends a hundred."""
PIECE = 60_000
"""Characters of a read that left some behind: the CLI waits for a reader of a full pipe."""
LIFECYCLE = "command_lifecycle"
"""The CLI's message that a prompt was queued, started, completed or cancelled."""
_DELTA = re.compile(
    r'(\{"type":"stream_event","event":\{"type":"content_block_delta","index":\d+,'
    r'"delta":\{"type":"(?:text|thinking)_delta","(?:text|thinking)":")([^"\\]*(?:\\.[^"\\]*)*)'
    r'("\}\},"session_id":"[^"\\]*","parent_tool_use_id":(?:null|"[^"\\]*"),)"uuid":"[^"\\]*"(.*)'
)
"""A delta of text as the CLI writes it: all before the text, the text, and all after it but the UUID.

A line in another form, from another version of the CLI, is left as it is.
"""

_logger = logging.getLogger(__name__)

_SHELL = "/bin/sh"
_SCRIPT = """
trap '' HUP INT TERM
read -r told && exit 0
kill -TERM "$1" || exit 0
tries=0
while kill -0 "$1" && [ "$tries" -lt 100 ]; do
    sleep 0.1
    tries=$((tries + 1))
done
kill -KILL "$1"
"""
"""Waits for a line, or for the end of its input, which comes when the program is gone.

SIGTERM lets the CLI write its record and end its own processes, which takes it up to four seconds.
"""


class Guard:
    """A shell that waits for the program's end, and then ends a CLI.

    It needs hardly any memory, starts in a millisecond, and has a login session of its own, so that no signal
    of the terminal reaches it.
    """

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    @classmethod
    async def over(cls, pid: int, held: int | None = None) -> Guard | None:
        """Watch over a CLI; return None where there can be no guard.

        ``held`` is a descriptor that writes to the CLI, closed here. The guard keeps a copy open: a
        CLI whose input ended with its program would refuse the open question before it is ended.
        """
        starting = asyncio.create_task(asyncio.to_thread(_started, pid, held))
        try:
            return cls(await asyncio.shield(starting))
        except OSError as error:
            _logger.info("Nothing ends Claude when this program is killed: %s", error)
            return None
        except asyncio.CancelledError:
            with suppress(OSError):
                await cls(await starting).release()
            raise

    async def release(self) -> None:
        """End the guard: the program ends the CLI itself."""
        await asyncio.to_thread(_end, self._process)


def _started(pid: int, held: int | None) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(  # noqa: S603 - ours, and a number
            [_SHELL, "-c", _SCRIPT, "ccq-tui-guard", str(pid)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env={"PATH": os.defpath},
            start_new_session=True,
            pass_fds=() if held is None else (held,),
            bufsize=0,
        )
    finally:
        if held is not None:
            os.close(held)


def _end(process: subprocess.Popen[bytes]) -> None:
    try:
        process.communicate(b"over\n", timeout=2.0)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class CliTransport(ProcessTransport):
    """Starts the CLI, and reads bursts of deltas in few pieces.

    The SDK takes a tenth of a millisecond for each message, and a fast model sends ten thousand in a second.
    """

    def __init__(self, options: ClaudeAgentOptions, opener: Opener = opened) -> None:
        super().__init__(options, opener)
        self._guard: Guard | None = None
        self._elicitations: Elicitations | None = None
        self.trusted: Path | None = None
        """The directory whose trust the first line attests, or None."""
        self.greeted = asyncio.Event()
        """Set once the first line was written, which introduces this program."""

    async def write(self, data: str) -> None:
        """Write a line; the first, which introduces this program, says whether the directory is trusted."""
        trusted, self.trusted = self.trusted, None
        if trusted is not None:
            hello = json.loads(data)
            # Another version may ignore it, and then asks by itself before it obeys the project's rules.
            hello.get("request", {})["workspaceTrust"] = {"accepted": True, "directory": str(trusted)}
            data = json.dumps(hello) + "\n"
        await super().write(data)
        self.greeted.set()

    def elicit_by(self, answer: Answer) -> None:
        """Let a person answer the forms of MCP servers; without this they are cancelled."""
        self._elicitations = Elicitations(answer, self.write)

    async def connect(self) -> None:
        """Start the process, and the guard that ends it if this program is killed."""
        await super().connect()
        if self._guard is None and isinstance(self.process, CliProcess):
            try:
                self._guard = await Guard.over(self.process.pid, os.dup(self.process.stdin.fileno()))
            except asyncio.CancelledError:
                # The SDK ends a process only after this has returned.
                await super().close()
                raise
            self.read_through(joined_deltas)

    async def close(self) -> None:
        """End the process."""
        if self._elicitations is not None:
            await self._elicitations.close()
        await self._release()
        await super().close()

    async def end_input(self) -> None:
        """Close the input of the process."""
        await self._release()
        await super().end_input()

    async def _release(self) -> None:
        """Release the guard: it holds the process's input open, whose end makes the process end."""
        guard, self._guard = self._guard, None
        if guard is not None:
            await guard.release()

    async def read_messages(self) -> AsyncIterator[dict[str, Any]]:
        """Read the CLI's messages; the lifecycle of prompts, which the SDK drops, as system messages."""
        messages = super().read_messages()
        if self._elicitations is not None:
            messages = self._elicitations.without(messages)
        async for message in messages:
            lifecycle = message.get("type") == LIFECYCLE
            yield message | {"type": "system", "subtype": LIFECYCLE} if lifecycle else message


class DeltaBuffer:
    """The CLI's output that is not passed on yet.

    Attributes:
        waits: Whether it is deltas alone, which may wait for more.
    """

    def __init__(self) -> None:
        self.waits = False
        self._lines: list[tuple[str, re.Match[str] | None]] = []
        self._begun = ""

    def take(self, chunk: str) -> None:
        """Take output that ends anywhere."""
        *lines, self._begun = (self._begun + chunk).split("\n")
        self._lines += [(line, _DELTA.fullmatch(line)) for line in lines]
        self.waits = bool(self._lines) and all(match for _, match in self._lines[-len(lines) :])

    def give(self, *, last: bool = False) -> str:
        """Return the complete lines, the deltas of each block as one; also the start of a long line."""
        given = "".join(f"{line}\n" for line in _joined(self._lines))
        self.waits, self._lines = False, []
        if last or len(self._begun) >= PIECE:
            given, self._begun = given + self._begun, ""
        return given


def _joined(lines: Iterable[tuple[str, re.Match[str] | None]]) -> Iterator[str]:
    """Join deltas of one block between which nothing else comes than deltas."""
    blocks: dict[tuple[str, ...], list[re.Match[str]]] = {}
    for line, match in lines:
        if match is not None:
            blocks.setdefault(match.group(1, 3, 4), []).append(match)
            continue
        yield from map(_one, blocks.values())
        blocks.clear()
        yield line
    yield from map(_one, blocks.values())


def _one(deltas: list[re.Match[str]]) -> str:
    # Pieces of a string, each escaped by itself, form one string when joined.
    text, last = "".join(delta[2] for delta in deltas), deltas[-1]
    return f"{last[1]}{text}{last.string[last.end(2) :]}"


async def joined_deltas(chunks: AsyncIterator[str]) -> AsyncIterator[str]:
    """Read the CLI's output with the deltas of a moment joined; all else, and the first one, at once."""
    loop, buffer, due = asyncio.get_running_loop(), DeltaBuffer(), 0.0
    reading: asyncio.Future[str | None] | None = None
    try:
        while True:
            reading = reading or asyncio.ensure_future(anext(chunks, None))
            left = max(0.0, due - loop.time()) if buffer.waits else None
            if (await asyncio.wait((reading,), timeout=left))[0]:
                chunk, reading = reading.result(), None
                if chunk is None:
                    break
                buffer.take(chunk)
                if buffer.waits and len(chunk) < PIECE:
                    await asyncio.sleep(PAUSE)
            if not buffer.waits:
                yield buffer.give()
            elif loop.time() >= due:
                # Seconds for which deltas are joined; the first one after a pause is passed on at once.
                due = loop.time() + 0.05
                yield buffer.give()
        yield buffer.give(last=True)
    finally:
        if reading is not None:
            reading.cancel()

"""The SDK's transport to the CLI, and the guard that ends the CLI if this program is killed."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
import subprocess
from collections.abc import AsyncIterator, Iterable
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from typing import Any

from claude_agent_sdk import ClaudeAgentOptions

from ccq_tui.agent.claude.elicitations import Answer, Elicitations
from ccq_tui.compat.sdk.process_transport import ProcessTransport

PAUSE = 0.005
"""Seconds between two reads of a burst: leaves a hundredth of the deltas, with no visible delay."""
AT_ONCE = 0.002
"""Most seconds that a read of a burst takes: the output was already there, or nearly."""
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
_END_SECONDS = 2.0


class Guard:
    """A shell that waits for the program's end, and then ends a CLI.

    It needs hardly any memory, starts in a millisecond, and has a login session of its own, so that no signal
    of the terminal reaches it. Windows has no such shell: there nothing ends a CLI that was left behind.
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
        if os.name != "posix":
            raise OSError("this system has no shell for it")
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
        process.communicate(b"over\n", timeout=_END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class CliTransport(ProcessTransport):
    """Starts the CLI, and reads bursts of deltas in few pieces.

    The SDK takes a tenth of a millisecond for each message, and a fast model sends ten thousand in a second.
    """

    def __init__(self, options: ClaudeAgentOptions) -> None:
        super().__init__(options)
        self._guard: Guard | None = None
        self._elicitations: Elicitations | None = None
        self._trusted: Path | None = None
        self.greeted = asyncio.Event()
        """Set once the first line was written, which introduces this program."""

    def attest(self, directory: Path) -> None:
        """Have Claude Code record that the person trusts the directory in which it starts."""
        self._trusted = directory

    async def write(self, data: str) -> None:
        """Write a line; the first, which introduces this program, says whether the directory is trusted."""
        trusted, self._trusted = self._trusted, None
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
        if self._guard is None and self.pid is not None:
            try:
                self._guard = await Guard.over(self.pid, self.input_descriptor())
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


async def joined_deltas(chunks: AsyncIterator[str]) -> AsyncIterator[str]:
    """Read the CLI's output with consecutive deltas of one block joined into fewer lines."""
    loop = asyncio.get_running_loop()
    in_line, asked = False, loop.time()
    async for chunk in chunks:
        waited = loop.time() - asked
        *lines, rest = chunk.split("\n")
        # The first line may be the end of one whose beginning was already passed on.
        begun = 1 if in_line and lines else 0
        whole = joined(lines[begun:])
        in_line = bool(rest) or (in_line and not lines)
        yield "\n".join([*lines[:begun], *whole, rest])
        if waited < AT_ONCE and whole and _DELTA.fullmatch(whole[-1]):
            await asyncio.sleep(PAUSE)
        asked = loop.time()


def joined(lines: Iterable[str]) -> list[str]:
    """Join consecutive whole lines of output that are deltas of one block."""
    found: list[str] = []
    for around, group in groupby(((line, _DELTA.fullmatch(line)) for line in lines), _around):
        same = list(group)
        last, match = same[-1]
        if around is None or match is None or len(same) == 1:
            found += [line for line, _ in same]
        else:
            # Pieces of a string, each escaped by itself, form one string when joined.
            text = "".join(match[2] for _, match in same if match)
            found.append(f"{match[1]}{text}{last[match.end(2) :]}")
    return found


def _around(read: tuple[str, re.Match[str] | None]) -> tuple[str, ...] | None:
    """Return the parts that deltas of one block have in common, or None for any other line."""
    _, match = read
    return match.group(1, 3, 4) if match else None

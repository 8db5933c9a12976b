"""The SDK's transport to the CLI."""

import asyncio
import json
import logging
import re
from collections.abc import AsyncIterator, Iterable, Iterator
from pathlib import Path
from typing import Any

from claude_agent_sdk import ClaudeAgentOptions

from ccq_tui.agent.claude.elicitations import Answer, Elicitations
from ccq_tui.agent.claude.process import CliProcess, opened
from ccq_tui.compat.sdk.process_transport import Opener, ProcessTransport

PAUSE = 0.005
"""Seconds between two reads of deltas, in which a fast model sends a hundred."""
JOINED = 0.05
"""Seconds for which deltas are joined; the first one after a pause is passed on at once."""
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


class CliTransport(ProcessTransport):
    """Starts the CLI, and reads bursts of deltas in few pieces.

    The SDK takes a tenth of a millisecond for each message, and a fast model sends ten thousand in a second.
    """

    def __init__(self, options: ClaudeAgentOptions, opener: Opener = opened) -> None:
        super().__init__(options, opener, joined_deltas)
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

    async def close(self) -> None:
        """End the process."""
        if self._elicitations is not None:
            await self._elicitations.close()
        process = self.process
        await super().close()
        if isinstance(process, CliProcess):
            await process.stdout.aclose()  # the SDK leaves it open where nobody read it to the end

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
                due = loop.time() + JOINED
                yield buffer.give()
        yield buffer.give(last=True)
    finally:
        if reading is not None:
            reading.cancel()

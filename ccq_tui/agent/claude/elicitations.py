"""Forms of MCP servers: the CLI sends them as control requests, which the SDK refuses to answer.

The requests are taken out of the CLI's output before the SDK reads it, and answered through the transport's
public methods. With the SDK's own transport (`ccq_tui.compat.sdk.process_transport`), the SDK answers that it
does not know them, and the CLI cancels the server's form.
"""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any

from claude_agent_sdk import ClaudeSDKError

SendReply = Callable[[Mapping[str, Any]], Awaitable[None]]
Answer = Callable[[Mapping[str, Any], SendReply], Awaitable[None]]
"""Takes a request and the function that sends its reply; cancelled once the CLI no longer waits for it."""

_logger = logging.getLogger(__name__)


class Elicitations:
    """The elicitations of one process of the CLI.

    Args:
        answer: Asks a person.
        write: Writes a line to the CLI.
    """

    def __init__(self, answer: Answer, write: Callable[[str], Awaitable[None]]) -> None:
        self._answer = answer
        self._write = write
        self._asked: dict[str, asyncio.Task[None]] = {}

    async def without(self, messages: AsyncIterator[dict[str, Any]]) -> AsyncIterator[dict[str, Any]]:
        """Answer elicitations, and hand on all other messages of the CLI."""
        async for message in messages:
            if not self._takes(message):
                yield message

    async def close(self) -> None:
        """Cancel the elicitations that are still open."""
        tasks = tuple(self._asked.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    def _takes(self, message: Mapping[str, Any]) -> bool:
        """Take a message that begins or withdraws an elicitation; return whether it was one."""
        name, asked = message.get("request_id"), message.get("request")
        match message.get("type"):
            case "control_request" if isinstance(asked, Mapping) and asked.get("subtype") == "elicitation":
                task = asyncio.create_task(self._ask(str(name), asked), name="elicitation")
                self._asked[str(name)] = task
                task.add_done_callback(lambda _: self._asked.pop(str(name), None))
                return True
            case "control_cancel_request" if name in self._asked:
                self._asked[str(name)].cancel()
                return True
            case _:
                return False

    async def _ask(self, name: str, asked: Mapping[str, Any]) -> None:
        async def reply(answer: Mapping[str, Any]) -> None:
            response = {"subtype": "success", "request_id": name, "response": dict(answer)}
            await self._write(json.dumps({"type": "control_response", "response": response}) + "\n")

        try:
            await self._answer(asked, reply)
        except Exception as error:
            # The server must not wait for a person who was never asked.
            _logger.exception("An elicitation could not be asked: %s", type(error).__name__)
            try:
                await reply({"action": "cancel"})
            except ClaudeSDKError as closed:
                _logger.info("The CLI is gone: %s", type(closed).__name__)

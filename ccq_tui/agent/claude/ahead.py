"""A CLI that starts while the screen is still being loaded; its session takes it over."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any
from uuid import uuid4

from claude_agent_sdk import Transport
from claude_agent_sdk._internal.transport.subprocess_cli import SubprocessCLITransport

from ccq_tui.agent.claude.options import sdk_options
from ccq_tui.agent.options import SessionOptions

_logger = logging.getLogger(__name__)


class Ahead:
    """A process of the CLI for a new session.

    Args:
        options: The session's options.
    """

    def __init__(self, options: SessionOptions) -> None:
        self.session_id = str(uuid4())
        """The id of the session that it is for."""
        self._options = options
        self._said: list[str] = []
        self._hear: Callable[[str], None] = self._said.append
        self._taken = False
        chosen = sdk_options(
            options,
            session_id=self.session_id,
            resume=None,
            before_question=_nobody,
            after_tool=_nobody,
            can_use_tool=_nobody,
            stderr=lambda line: self._hear(line),
        )
        # What the SDK sets itself where somebody can be asked.
        self._transport = SubprocessCLITransport(
            _nothing(), replace(chosen, permission_prompt_tool_name="stdio")
        )

    async def start(self) -> None:
        """Start the process.

        Raises:
            ClaudeSDKError: It cannot be started.
        """
        await self._transport.connect()

    def fits(self, options: SessionOptions) -> bool:
        """Say whether the process is free and was started as a session with these options wants it."""
        return not self._taken and options == self._options

    def take(self, hear: Callable[[str], None]) -> Transport:
        """Give the process to its session.

        Args:
            hear: Takes what it writes to its standard error, what it has written so far at once.

        Returns:
            What the client speaks to it through; connecting it starts no other one.
        """
        self._taken, self._hear = True, hear
        for line in self._said:
            hear(line)
        return self._transport

    async def close(self) -> None:
        """End the process, unless a session has it."""
        if not self._taken:
            self._taken = True
            await self._transport.close()


async def _nothing() -> AsyncIterator[dict[str, Any]]:
    return
    yield {}


async def _nobody(*_arguments: Any) -> Any:
    raise RuntimeError("nobody listens to a process that no session has")

"""The prompts that the CLI has and no turn has read: one is taken back, or all before the session ends."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from ccq_tui.agent.claude.record import taken
from ccq_tui.agent.claude.translate import Translator
from ccq_tui.agent.commands import CommandError
from ccq_tui.agent.controls import Control, withdraw_prompt
from ccq_tui.agent.events import AgentEvent, PromptDelivered, PromptReturned
from ccq_tui.agent.options import SessionOptions

_logger = logging.getLogger(__name__)

RECLAIM_SECONDS = 3.0


class PromptQueue:
    """The CLI's queue, as far as its prompts were sent by this session.

    Args:
        options: The session's options.
        translator: Knows what was sent and not read.
        ask: Asks the CLI.
        emit: Takes events.
    """

    def __init__(
        self,
        options: SessionOptions,
        translator: Translator,
        ask: Callable[[Control[bool]], Awaitable[bool]],
        emit: Callable[[AgentEvent], None],
    ) -> None:
        self._options = options
        self._translator = translator
        self._ask = ask
        self._emit = emit

    async def withdraw(self, prompt_id: str) -> None:
        """Take back a prompt that waits for the running turn.

        Args:
            prompt_id: The id under which it was sent.

        Raises:
            CommandError: The CLI has given it to the agent, or did not answer.
        """
        if not await self._ask(withdraw_prompt(prompt_id)):
            raise CommandError("Claude has read it already.")
        text = self._translator.sent.pop(prompt_id, "")
        self._emit(PromptReturned(text, "you took it back", prompt_id, wanted=True))

    async def reclaim(self, reason: str) -> None:
        """Take back every prompt that waits: the end of a turn would start them.

        What the CLI has read already, or does not answer for, stays with it until `settle`.

        Args:
            reason: Why, for a person.
        """
        returned: dict[str, str] = {}
        try:
            async with asyncio.timeout(RECLAIM_SECONDS):
                # From the last on: of what a turn reads meanwhile nothing is missing in the middle.
                for prompt_id, text in reversed(list(self._translator.sent.items())):
                    if await self._ask(withdraw_prompt(prompt_id)):
                        self._translator.sent.pop(prompt_id, None)
                        returned[prompt_id] = text
        except (CommandError, TimeoutError):
            _logger.warning("Claude did not say which prompts it has read")
        for prompt_id, text in reversed(returned.items()):
            self._emit(PromptReturned(text, reason, prompt_id))

    async def settle(self, reason: str) -> None:
        """Give back what no turn has read, as the session's record says; the CLI is gone.

        Args:
            reason: Why, for a person.
        """
        sent, self._translator.sent = self._translator.sent, {}
        if not sent:
            return
        sessions = dict.fromkeys(sent, self._translator.session_id)
        read = await asyncio.to_thread(taken, self._options, sessions)
        for prompt_id, text in sent.items():
            done = prompt_id in read
            self._emit(PromptDelivered(prompt_id) if done else PromptReturned(text, reason, prompt_id))

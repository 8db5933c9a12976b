"""Prompts that the CLI has read and not yet recorded."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from ccq_tui.agent.events import AgentEvent, PromptAccepted, PromptDelivered, PromptRecorded, PromptReturned

RECORDED_SECONDS = 2.0
"""Seconds that Claude Code may take to write into the session's record what it has reported.

Up to a quarter of a second was seen. If it is killed before, it loses its latest prompts.
"""


class UnrecordedPrompts:
    """Reports when each prompt is safe from a kill of the CLI."""

    def __init__(
        self,
        emit: Callable[[AgentEvent], None],
        taken: Callable[[Mapping[str, str]], Awaitable[frozenset[str]]],
    ) -> None:
        self._emit = emit
        self._taken = taken
        self._texts: dict[str, str] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}

    def note(self, event: AgentEvent) -> None:
        """Follow prompts by an event; the caller leaves out answers that go as messages."""
        match event:
            case PromptAccepted(text=text, prompt_id=name) if name:
                self._texts[name] = text
            case PromptDelivered(prompt_id=name) if name in self._texts:
                loop = asyncio.get_running_loop()
                self._timers[name] = loop.call_later(RECORDED_SECONDS, self._recorded, name)
            case PromptReturned(prompt_id=name):
                self._texts.pop(name, None)
                if timer := self._timers.pop(name, None):
                    timer.cancel()

    def _recorded(self, name: str) -> None:
        self._timers.pop(name).cancel()
        self._texts.pop(name, None)
        self._emit(PromptRecorded(name))

    async def settle(self, session_id: str, reason: str, *, in_order: bool) -> None:
        """Report the newest prompts as recorded or returned, once the CLI is gone.

        ``in_order``: the CLI had the time to record them. ``reason`` says why the others come back.
        """
        left = dict.fromkeys(self._timers, session_id)
        for timer in self._timers.values():
            timer.cancel()
        read = frozenset(left) if in_order or not left else await self._taken(left)
        for name in left:
            if name in read:
                self._recorded(name)
            else:
                self._timers.pop(name)
                self._emit(PromptReturned(self._texts.pop(name), reason, name))

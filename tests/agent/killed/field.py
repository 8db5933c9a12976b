"""The prompt of a session in a program without a screen, kept by the program's own queue."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from ccq_tui.agent.controls import Images, Kept
from ccq_tui.agent.events import AgentEvent, PromptReturned
from ccq_tui.agent.session import AgentSession
from ccq_tui.config.launch import Launch
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.plain.session import PlainPrompt
from ccq_tui.runtime.prompt_queue import PromptQueue


class PromptField(PlainPrompt):
    """A field, its session and its surface in one.

    Args:
        inbox: Keeps the prompts.
        agent: The session to which the prompts are sent.
        launch: What it is started with.
        begin: Runs work beside the session.
        kept: Is told each prompt that was sent, once it is on disk, with its id.
        changed: Is told what stands in the field, whenever something comes back to it.
    """

    def __init__(
        self,
        inbox: Inbox,
        agent: AgentSession,
        launch: Launch,
        begin: Callable[[Coroutine[Any, Any, None]], None],
        kept: Callable[[str, str], None],
        changed: Callable[[str], None],
    ) -> None:
        super().__init__(self)
        self.agent, self.launch, self.live = agent, launch, True
        self.session = self.prompt = self
        self._begin, self._kept, self._changed = begin, kept, changed
        self.queue = PromptQueue(self, inbox)
        self.queue.begin()

    @property
    def record_id(self) -> str:
        return self.agent.record_id

    def send(self, text: str, kept: Kept, images: Images) -> str:
        return self.agent.send(text, kept, images)

    async def give(self, text: str) -> None:
        """Send a prompt; it is on disk before it leaves the program."""
        name, kept = self.queue.send(text)
        await kept
        self._kept(text, name)

    def note_event(self, event: AgentEvent) -> None:
        """Learn what became of the prompts that were given; others have no field to go back to."""
        if not isinstance(event, PromptReturned) or event.prompt_id in self.queue.sent:
            self.queue.take(event)

    def note(self, _text: str, _level: str = "") -> None:
        self._changed(self.draft.text)

    def start(self, work: Callable[[], Coroutine[Any, Any, None]], _name: str) -> None:
        self._begin(work())

    def after(self, seconds: float, call: Callable[[], object]) -> asyncio.TimerHandle:
        return asyncio.get_running_loop().call_later(seconds, call)

    def close(self) -> None:
        """Leave the prompts to the next process."""
        self.live = False
        self.queue.close()

"""The prompt of a session in a program without a screen: kept on disk as the screen keeps it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from uuid import uuid4

from ccq_tui.agent.events import AgentEvent, PromptRecorded, PromptReturned
from ccq_tui.agent.session import AgentSession
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.prompts.unread import PromptDraft, Sent


class PromptField:
    """What stands in the field, and what was sent from it and Claude has not read.

    A prompt is in one of the two at every moment, and goes from one to the other in one write.

    Args:
        inbox: Keeps the prompts.
        session: The session to which the prompts are sent.
        kept: Is told each prompt that was sent, once it is on disk, with its id.
        changed: Is told what stands in the field, whenever something comes back to it.
    """

    def __init__(
        self,
        inbox: Inbox,
        session: AgentSession,
        kept: Callable[[str, str], None],
        changed: Callable[[str], None],
    ) -> None:
        self._inbox = inbox
        self._name = str(uuid4())
        self._session = session
        self._kept = kept
        self._changed = changed
        self._key = ""
        self._text = ""
        self._sent: dict[str, Sent] = {}
        self._begun = asyncio.Event()
        self._released = False

    async def begin(self, key: str) -> None:
        """Bring back what an earlier process left for a session, but for what a turn has read.

        Args:
            key: The session's id; once is enough.
        """
        if self._key:
            return
        self._key = key
        draft = await self._inbox.run(lambda store: store.prompts.take(self._name, key)) or PromptDraft()
        left = [one for one in draft.sent if one.id not in self._sent]
        self._sent = {one.id: one for one in left} | self._sent
        self._put_back(draft.text)
        await self._write()
        self._begun.set()
        if left:
            sessions = {one.id: one.session or self._session.record_id for one in left}
            read = await self._session.taken(sessions)
            if self._released:
                return  # all of it is still on disk
            for one in left:
                self._sent.pop(one.id, None)
                self._put_back("" if one.id in read else one.text)
            await self._write()
        self._changed(self._text)

    async def send(self, text: str) -> None:
        """Send a prompt; it is on disk before it leaves the program."""
        on_disk: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        name = self._session.send(text, on_disk)
        self._sent[name] = Sent(name, text, self._session.record_id)
        await self._begun.wait()
        await self._write()
        on_disk.set_result(None)
        self._kept(text, name)

    async def send_all(self) -> None:
        """Send what stands in the field, as one prompt."""
        text, self._text = self._text, ""
        if text:
            await self.send(text)

    async def note(self, event: AgentEvent) -> None:
        """Learn what became of a prompt."""
        if not isinstance(event, PromptRecorded | PromptReturned) or event.prompt_id not in self._sent:
            return
        del self._sent[event.prompt_id]
        if isinstance(event, PromptReturned):
            self._put_back(event.text)
            self._changed(self._text)
        await self._begun.wait()
        await self._write()

    async def release(self) -> None:
        """Release the prompts for the next process."""
        self._released = True
        await self._inbox.run(lambda store: store.prompts.release(self._name))

    def _put_back(self, text: str) -> None:
        self._text = "\n".join(filter(None, (self._text, text)))

    async def _write(self) -> None:
        draft = PromptDraft(self._text, sent=tuple(self._sent.values()))
        await self._inbox.run(lambda store: store.prompts.save(self._name, self._key, draft))

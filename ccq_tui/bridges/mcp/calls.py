"""MCP clients, and their calls that wait for a person: asked, withdrawn, or left to be asked again."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from hashlib import sha256

from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.requests import Asker, Cancelled, FormRequest, Origin, QuestionRequest, asker_name
from ccq_tui.inbox.store.rows import StoredRequest
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.verdicts import InboxError
from ccq_tui.processes import alive, this_process
from ccq_tui.text import one_line

MOST_AT_ONCE = 50
"""Most requests of one process that wait at once; more are a loop of a model."""
PROGRESS_SECONDS = 5.0
"""Seconds between two reports to a client that a call still waits."""
MOST_NAME = 40
MOST_DIRECTORY = 1000
_NAMES = {
    "claude-code": "Claude Code",
    "claude-ai": "Claude",
    "codex-mcp-client": "Codex",
    "gemini-cli-mcp-client": "Gemini CLI",
    "cursor-vscode": "Cursor",
}
"""The better known names of clients, by the beginning of their own."""


@dataclass(frozen=True, slots=True)
class Client:
    """A client, as far as its questions belong together.

    Attributes:
        name: Its name for people, harmless and in one line.
        directory: Its working directory, or "" if unknown.
        connection: A key that distinguishes it from clients of its name if its directory is unknown, or "".
    """

    name: str
    directory: str = ""
    connection: str = ""

    @property
    def asker_id(self) -> str:
        """Its key among clients: the same for the same client in the same directory."""
        key = "\0".join((self.name, self.directory, self.connection))
        return sha256(key.encode("utf-8", "replace")).hexdigest()[:16]

    @property
    def session_id(self) -> str:
        """The client among the sessions."""
        return asker_name(Asker.MCP, self.asker_id)


def shown_name(name: str, title: str = "") -> str:
    """Return a client's name for people, from its title or its own name.

    A client such as Gemini CLI appends its name for the server to its own name.
    """
    known = next((shown for begin, shown in _NAMES.items() if name.startswith(begin)), "")
    return one_line(title or known or name, MOST_NAME) or "MCP client"


class TooManyError(Exception):
    """A client asks more than a person can look at."""


@dataclass(slots=True, eq=False)
class McpCall:
    """A call that waits for a person.

    Attributes:
        client: Who calls.
        request_id: The request that it made, or "" before it is written; set in the store's thread.
        is_withdrawn: Whether the client no longer wants the answer.
    """

    client: Client
    request_id: str = ""
    is_withdrawn: bool = False


class WaitingCalls:
    """The calls of one process.

    A call that ends before it has an outcome leaves its request in the inbox: its client may have lost its
    connection, and asks again. Only a client that cancels the call withdraws it.

    Attributes:
        inbox: The inbox of this process.
    """

    def __init__(self, inbox: Inbox) -> None:
        self.inbox = inbox
        self._waiting: list[McpCall] = []

    async def ask_person(
        self,
        call: McpCall,
        asked: QuestionRequest | FormRequest,
        waits: Callable[[], Awaitable[None]],
        disconnected: asyncio.Event,
    ) -> StoredRequest | None:
        """Ask, and wait without limit.

        Args:
            call: The call.
            asked: The request, without its asker.
            waits: Called once the request is pending, and then every `PROGRESS_SECONDS`.
            disconnected: Set when nobody is left to take an outcome.

        Returns:
            The request with its outcome, or None if nobody is left to take it.

        Raises:
            InboxError: The inbox cannot be written; nothing was asked.
            TooManyError: Too many requests wait already.
        """
        if len(self._waiting) >= MOST_AT_ONCE:
            raise TooManyError(f"{MOST_AT_ONCE} requests wait for the user already")
        origin = Origin(Asker.MCP, call.client.name, call.client.directory, this_process())
        request = replace(asked, asker_id=call.client.asker_id, origin=origin)
        if call.is_withdrawn:
            return None

        def claim(store: Store) -> StoredRequest:
            claimed = store.requests.claim(request, [one.request_id for one in tuple(self._waiting)])
            call.request_id = claimed.request.id
            return claimed

        self._waiting.append(call)
        leaving = asyncio.ensure_future(disconnected.wait())
        try:
            # On disk first: if the inbox refuses it, nobody is asked.
            claimed = await self.inbox.run(claim)
            if call.is_withdrawn:  # meanwhile: asked now, it would be pending again
                return None
            async with self.inbox.asking(claimed.request) as opened:
                opened.leave()
                answered = asyncio.ensure_future(opened.outcome())
                try:
                    while not answered.done() and not leaving.done():
                        await waits()
                        await asyncio.wait(
                            {answered, leaving}, timeout=PROGRESS_SECONDS, return_when=asyncio.FIRST_COMPLETED
                        )
                finally:
                    answered.cancel()
            return opened.stored if opened.stored.outcome is not None else None
        finally:
            self._waiting.remove(call)
            leaving.cancel()

    def withdraw(self, call: McpCall) -> None:
        """Withdraw the request of a call, without waiting; a decision that was made stays."""
        call.is_withdrawn = True
        actor = Actor(Surface.ASKER, call.client.name, this_process())
        outcome = Cancelled(f"withdrawn by {call.client.name}")

        def withdraw(store: Store) -> None:  # which comes after the call was written
            if call.request_id:
                store.requests.settle(call.request_id, outcome, actor)

        self.inbox.write_soon(withdraw)

    def delivered(self, request_id: str, way: str = "result") -> None:
        """Record that a client was sent the outcome of a request."""
        self.inbox.sessions.delivered(request_id, way)

    async def listed(self, client: Client) -> tuple[list[StoredRequest], list[StoredRequest]]:
        """Return a client's pending requests, and its decided ones that no other call is there to take.

        Raises `InboxError`.
        """
        here = this_process()

        def read(store: Store) -> tuple[list[StoredRequest], list[StoredRequest]]:
            waiting = store.requests.waiting(client.session_id, limit=MOST_AT_ONCE)
            return waiting, store.requests.undelivered(client.session_id)[-MOST_AT_ONCE:]

        waiting, decided = await self.inbox.run(read)
        taken = {call.request_id for call in self._waiting}
        left = [one for one in decided if one.request.id not in taken]
        owners = ((one, one.request.origin.process) for one in left)
        return waiting, [one for one, owner in owners if owner == here or not alive(owner)]

    async def is_watched(self) -> bool:
        """Whether a ccq-tui that shows requests is open; True if the inbox cannot be read."""
        try:
            return await self.inbox.run(lambda store: store.listeners.any())
        except InboxError:
            return True

    async def notify(self, client: Client, message: str) -> None:
        """Show the person a message; raises `InboxError`."""
        actor = Actor(Surface.ASKER, client.name, this_process())
        await self.inbox.run(lambda store: store.history.notify(client.session_id, actor, message))

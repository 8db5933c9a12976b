"""The MCP server: its tools, for calls over any transport."""

import asyncio
import logging
import os
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any
from urllib.parse import unquote, urlsplit

from mcp import MCPError, types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server

import ccq_tui
from ccq_tui.bridges.mcp import tools
from ccq_tui.bridges.mcp.calls import MOST_DIRECTORY, Client, McpCall, TooManyError, shown_name
from ccq_tui.forms.filling import finished_record
from ccq_tui.forms.output import OutputError, write_record
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.requests import Asker, Cancelled, FormRequest, Origin, QuestionRequest
from ccq_tui.inbox.store.rows import LISTED, StoredRequest
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.verdicts import InboxError
from ccq_tui.processes import alive, this_process
from ccq_tui.questions import Answered
from ccq_tui.text import one_line

_logger = logging.getLogger(__name__)
Context = ServerRequestContext[Any, Any]

NAME = "ccq-tui"
INSTRUCTIONS = (
    "ask_user puts questions to the user, in ccq-tui, and waits for the answers, which may take minutes or "
    "hours. Use it whenever a decision is the user's to make. If a call ends before it is answered, ask "
    "exactly the same again: an answer given meanwhile is returned at once. notify_user tells the user "
    "something without waiting. list_requests lists what you asked and have no answer to."
)
MOST_AT_ONCE = 50
"""Most requests of one process that wait at once; more are a loop of a model."""
PROGRESS_SECONDS = 5.0
"""Seconds between two reports to a client that a call still waits."""
MOST_NOTIFICATIONS, NOTIFICATION_SECONDS = 20, 60.0
"""Most notifications of one connection, and the seconds in which they count."""
WAITS = "Waiting for the user to answer in ccq-tui ({} s)"
UNWATCHED = "No ccq-tui is open: the question waits in its inbox until the user opens one ({} s)"


@dataclass(frozen=True, slots=True)
class CallPlace:
    """The place of a call, as its transport knows it.

    Attributes:
        connection: A key that distinguishes its connection from others of this process.
        directory: The client's working directory if it does not name one itself, or "".
        disconnected: Set when nobody is left to take its result.
        answered: Called with the id of a request whose outcome is about to be sent.
    """

    connection: str
    directory: str
    disconnected: asyncio.Event
    answered: Callable[[str], None]


@dataclass(slots=True)
class ConnectedClient:
    """A connection's client.

    Attributes:
        directory: The client's working directory, or None before it was asked.
        notified: The times of its last notifications.
    """

    directory: str | None = None
    notified: deque[float] = field(default_factory=deque)


class AskingServer:
    """The server of the tools.

    A call that ends before it has an outcome leaves its request in the inbox: its client may have lost its
    connection, and asks again. Only a client that cancels the call withdraws it.

    Args:
        inbox: The inbox of this process.
        place_of: Returns the place of a call.

    Attributes:
        mcp: The package's server, which a transport drives.
    """

    def __init__(self, inbox: Inbox, place_of: Callable[[Context], CallPlace]) -> None:
        self._inbox, self._place_of = inbox, place_of
        self._connected = lru_cache(100)(lambda _connection: ConnectedClient())
        self._open: dict[tuple[str, str], McpCall] = {}
        self._waiting: list[McpCall] = []
        self.mcp: Server[Any] = Server(
            NAME,
            version=ccq_tui.__version__,
            instructions=INSTRUCTIONS,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
        )
        self.mcp.add_notification_handler(
            "notifications/cancelled", types.CancelledNotificationParams, self._cancelled
        )

    async def _list_tools(self, *_: object) -> types.ListToolsResult:
        return types.ListToolsResult(tools=tools.TOOLS)

    async def _call_tool(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        arguments = params.arguments or {}
        try:
            match params.name:
                case "ask_user":
                    return await self._ask(context, arguments)
                case "notify_user":
                    return await self._notify(context, arguments)
                case "list_requests":
                    return await self._list(context)
            there = ", ".join(tool.name for tool in tools.TOOLS)
            raise MCPError(code=types.INVALID_PARAMS, message=f"Unknown tool: there are {there}")
        except tools.ArgumentsError as error:
            return tools.wrong_arguments(params.name, str(error))
        except TooManyError as error:
            problem = f"{error}. Nothing was asked; wait for these."
        except InboxError as error:
            _logger.warning("A call of %s was refused: %s", params.name, error)
            problem = f"the inbox of ccq-tui cannot be used: {error}. Nothing was done; try again."
        return tools.text_result(f"{params.name}: {problem}", is_error=True)

    async def _ask(self, context: Context, arguments: Mapping[str, Any]) -> types.CallToolResult:
        place = self._place_of(context)
        name = (place.connection, str(context.request_id))
        call = self._open[name] = McpCall(Client(""))
        try:
            return await self._asked(context, place, call, arguments)
        finally:
            # The package ends a call first, and reports the client's cancellation after that.
            asyncio.get_running_loop().call_later(5.0, self._forget, name, call)

    async def _asked(
        self, context: Context, place: CallPlace, call: McpCall, arguments: Mapping[str, Any]
    ) -> types.CallToolResult:
        asked: QuestionRequest | FormRequest
        if "form" not in arguments:
            questions = tools.read_questions(arguments)
            asked = QuestionRequest(questions.id, "", questions)
        call.client = await self._client(context, place)
        if "form" in arguments:
            asked = await asyncio.to_thread(tools.form_request, arguments, call.client.directory)
        began, asked_at = time.monotonic(), datetime.now(UTC)

        async def waits() -> None:
            words = WAITS if await self._is_watched() else UNWATCHED
            seconds = time.monotonic() - began
            await context.session.report_progress(seconds, message=words.format(int(seconds)))

        decided = await self.ask_person(call, asked, waits, place.disconnected)
        if decided is None:
            raise MCPError(code=types.CONNECTION_CLOSED, message="The client is gone; the question waits on")
        if isinstance(decided.request, FormRequest) and isinstance(decided.outcome, Answered):
            record = await asyncio.to_thread(finished_record, decided)
            try:
                await asyncio.to_thread(write_record, decided.request.output, record)
            except OutputError as error:
                problem = f"ask_user: {error}. The answers are kept: ask the same again."
                return tools.text_result(one_line(problem, 500), is_error=True)
        place.answered(decided.request.id)
        return tools.outcome_result(decided, asked_at)

    def _forget(self, name: tuple[str, str], call: McpCall) -> None:
        if self._open.get(name) is call:
            del self._open[name]

    async def _cancelled(self, context: Context, params: types.CancelledNotificationParams) -> None:
        """Withdraw the request of a cancelled call; the package has ended the call itself."""
        name = (self._place_of(context).connection, str(params.request_id))
        if (call := self._open.pop(name, None)) is not None:
            self.withdraw(call)

    async def _notify(self, context: Context, arguments: Mapping[str, Any]) -> types.CallToolResult:
        message, place = tools.read_message(arguments), self._place_of(context)
        client = await self._client(context, place)
        notified, now = self._connected(place.connection).notified, time.monotonic()
        while notified and now - notified[0] > NOTIFICATION_SECONDS:
            notified.popleft()
        if len(notified) >= MOST_NOTIFICATIONS:
            wait = int(NOTIFICATION_SECONDS - (now - notified[0])) + 1
            problem = f"more than {MOST_NOTIFICATIONS} notifications in a minute; wait {wait} s"
            raise tools.ArgumentsError(problem)
        notified.append(now)
        actor = Actor(Surface.ASKER, client.name, this_process())
        await self._inbox.run(lambda store: store.history.notify(client.session_id, actor, message))
        if await self._is_watched():
            return tools.text_result("The user was told.")
        return tools.text_result("No ccq-tui is open: it is kept in its history.")

    async def _list(self, context: Context) -> types.CallToolResult:
        place = self._place_of(context)
        waiting, decided = await self.listed(await self._client(context, place))
        for stored in decided:
            self._inbox.sessions.delivered(stored.request.id, LISTED)
        return tools.list_result(waiting, decided)

    # -- whom they wait for --------------------------------------------------------------------------------

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
            claimed = await self._inbox.run(claim)
            if call.is_withdrawn:  # meanwhile: asked now, it would be pending again
                return None
            async with self._inbox.asking(claimed.request) as opened:
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

        self._inbox.write_soon(withdraw)

    async def listed(self, client: Client) -> tuple[list[StoredRequest], list[StoredRequest]]:
        """Return a client's pending requests, and its decided ones that no other call is there to take.

        Raises `InboxError`.
        """
        here = this_process()

        def read(store: Store) -> tuple[list[StoredRequest], list[StoredRequest]]:
            waiting = store.requests.waiting(client.session_id, limit=MOST_AT_ONCE)
            return waiting, store.requests.undelivered(client.session_id)[-MOST_AT_ONCE:]

        waiting, decided = await self._inbox.run(read)
        taken = {call.request_id for call in self._waiting}
        left = [one for one in decided if one.request.id not in taken]
        owners = ((one, one.request.origin.process) for one in left)
        return waiting, [one for one, owner in owners if owner == here or not alive(owner)]

    async def _is_watched(self) -> bool:
        """Whether a ccq-tui that shows requests is open; True if the inbox cannot be read."""
        try:
            return await self._inbox.run(lambda store: store.listeners.any())
        except InboxError:
            return True

    # -- who calls ------------------------------------------------------------------------------------------

    async def _client(self, context: Context, place: CallPlace) -> Client:
        params = context.session.client_params
        name = shown_name(params.client_info.name, params.client_info.title or "") if params else "MCP client"
        connection = self._connected(place.connection)
        if connection.directory is None:
            connection.directory = await _first_root(context) or place.directory
        directory = connection.directory
        # Two projects must not share an answer because neither names its directory.
        return Client(name, directory, "" if directory else place.connection)


async def _first_root(context: Context) -> str:
    """Return the first directory that a client names as its own, or ""."""
    capabilities = context.session.client_capabilities
    if capabilities is None or capabilities.roots is None or not context.session.can_send_request:
        return ""
    try:
        async with asyncio.timeout(3.0):  # in which a client must name its working directory
            result = await context.session.send_request(types.ListRootsRequest(), types.ListRootsResult)
    except (TimeoutError, MCPError, ValueError) as error:
        _logger.info("A client did not say where it works: %s", type(error).__name__)
        return ""
    return next((path for root in result.roots if (path := file_path(str(root.uri)))), "")


def file_path(uri: str) -> str:
    """Return the directory that a URI names, or "" if it names none of this machine."""
    parts = urlsplit(uri)
    path = unquote(parts.path)
    if parts.scheme != "file" or parts.netloc not in ("", "localhost") or not path.startswith("/"):
        return ""
    return directory_of(path)


def directory_of(path: str) -> str:
    """Return a directory in a form to compare, or "" if it is relative or too long to be one."""
    if not os.path.isabs(path) or len(path) > MOST_DIRECTORY or "\0" in path:  # noqa: PTH117 - text alone
        return ""
    return os.path.normpath(path)

"""One client of the SDK, from connect to disconnect."""

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

import claude_agent_sdk as sdk

from ccq_tui.agent import events as ev
from ccq_tui.agent.claude.cli_process import StderrTail, explain, explain_start, leave, limited
from ccq_tui.agent.claude.conversation import Conversation, line_of
from ccq_tui.agent.claude.gate import Gate
from ccq_tui.agent.claude.options import sdk_options
from ccq_tui.agent.claude.partial_sets import PartialSets
from ccq_tui.agent.claude.prompts import as_stream, image_blocks, prompt_message
from ccq_tui.agent.claude_settings import first_mode
from ccq_tui.agent.controls import (
    APPLIED_EFFORT,
    COST_SO_FAR,
    SERVERS,
    CommandError,
    Control,
    Option,
    Send,
    default_model,
    models,
    set_effort,
    slash_commands,
    withdraw_prompt,
)
from ccq_tui.agent.problems import Problem
from ccq_tui.compat.private import load
from ccq_tui.compat.sdk.control import sender
from ccq_tui.config.launch import Launch
from ccq_tui.config.trust import has_answer
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.port import Claim
from ccq_tui.timeouts import set_within

if TYPE_CHECKING:
    from ccq_tui.agent.claude.prestart import Prestarted

T = TypeVar("T")

_logger = logging.getLogger(__name__)

CONNECT_SECONDS = 60.0
SEND_SECONDS = 30.0
CONTROL_SECONDS = 15.0


class Connection:
    """A client of the SDK, its reader, and the requests that wait for a person."""

    def __init__(self, launch: Launch, inbox: Inbox, emit: Callable[[ev.AgentEvent], None]) -> None:
        self._launch = launch
        self._out = emit
        self._state = ev.SessionState.STARTING
        self._since = time.monotonic()
        self._waited = 0.0  # seconds of this turn
        self._first_state = ""
        self._words = StderrTail()
        self._client: sdk.ClaudeSDKClient | None = None
        self._pid: int | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._turn_over = asyncio.Event()
        self.translator = Conversation(session_id="", model="", mode="")
        translator = self.translator
        self.gate = Gate(inbox, launch, lambda: translator.session_id, self._emit, lambda: translator.mode)
        self._arrivals = PartialSets(inbox, lambda: translator.session_id, self.gate.will_ask)

    async def begin(self, session_id: str, ahead: "Prestarted | None" = None) -> ev.SessionLost | None:
        """Start the CLI for a new session; returns why it failed (no process is left then), or None."""
        self.translator.usage.cost = 0.0
        if ahead is None:
            return await self._open(session_id, self._start(session_id, None))
        if ahead.prompt:
            # The CLI already has the prompt; nothing here can unsend it.
            self.translator.sent[ahead.prompt_id] = ahead.prompt
            self._emit(ev.PromptAccepted(ahead.prompt, queued=False, prompt_id=ahead.prompt_id))
        return await self._open(session_id, ahead.take(self.gate, self._words.add))

    async def resume(self, claim: Claim) -> ev.SessionLost | None:
        """Start the CLI for a session that nothing else runs; as `begin`."""
        return await self._open(claim.session_id, self._start(None, claim.session_id))

    async def fork(self, original: str, session_id: str) -> ev.SessionLost | None:
        """Start the CLI for a copy of a session, under another id; as `begin`."""
        return await self._open(session_id, self._start(session_id, original))

    async def _open(
        self, session_id: str, starting: Coroutine[Any, Any, sdk.ClaudeSDKClient]
    ) -> ev.SessionLost | None:
        # Requests that come right after the start belong to this session, too.
        self.translator.session_id = session_id
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                client = await starting
        except Exception as error:  # noqa: BLE001 - the SDK raises bare ones for a handshake that failed
            _logger.info("The connection failed: %s", type(error).__name__)
            return await explain_start(error, self._words, self._launch)
        self._client = client
        info = await client.get_server_info() or {}
        self._pid = info.get("pid")
        given = self._launch.settings
        self.translator.mode = str(info.get("current_permission_mode") or given.permission_mode or "")
        self.translator.model = given.model or default_model(info)
        self._emit(
            ev.Connected(
                session_id=self.translator.session_id,
                model=self.translator.model,
                mode=self.translator.mode,
                cwd=str(self._launch.settings.directory),
                cli_version=str(info.get("claude_code_version") or ""),
                output_style=str(info.get("output_style") or ""),
            )
        )
        self._emit(ev.CommandsListed(slash_commands(info)))
        self._emit(ev.ModelsListed(found := models(info)))
        self.gate.auto_mode = any(model.auto_mode for model in found)
        self._first_state = str(info.get("session_state") or "idle")
        if self.translator.usage.cost is None:
            self._beside(self._learn_cost())
        self._beside(self._watch_servers())
        return None

    async def _start(self, session_id: str | None, resume: str | None) -> sdk.ClaudeSDKClient:
        mode = await asyncio.to_thread(first_mode, self._launch)
        options = sdk_options(
            self._launch, self.gate, self._words.add, session_id=session_id, resume=resume, mode=mode
        )
        made = load("ccq_tui.agent.claude.transport", "CliTransport")
        transport = made and made(options)
        if transport is not None:
            transport.elicit_by(self.gate.elicit)
            directory = self._launch.settings.directory
            if self._launch.trusted.project_settings and await asyncio.to_thread(has_answer, directory):
                transport.trusted = directory
        client = sdk.ClaudeSDKClient(options, transport=transport)
        await client.connect()
        return client

    async def read(self) -> ev.SessionLost:
        """Read messages until the stream ends, never stopping for anything; returns why it ended.

        The session is starting until then: what was left in it is known before it counts as ready.
        """
        self.translator.cli_state = self._first_state
        self._refresh()
        while True:
            try:
                async for message in self._connected.receive_messages():
                    self._take(message)
            except sdk.ClaudeSDKError as error:
                if isinstance(error, (sdk.CLIConnectionError, sdk.CLIJSONDecodeError, sdk.ProcessError)):
                    return explain(error, self._words)
                # The SDK could not read one message; those after it are still there.
                _logger.warning("A message could not be read: %s", type(error).__name__)
                continue
            except Exception as error:  # the SDK hands on a reader's failure as it was
                _logger.exception("The reader failed")
                return explain(error, self._words)
            return ev.SessionLost(self._words.after(""), kind=Problem.CLI_ENDED)

    async def send(self, command: Send) -> None:
        """Write a prompt to the CLI; raises `CommandError` if it was not written."""
        images: list[dict[str, Any]] = []
        if command.images:
            # Seconds to read the images of a prompt.
            images = await limited(asyncio.to_thread(image_blocks, command.images), 10.0)
        # An earlier prompt that is still on its way will have begun a turn by then.
        queued = self._state is not ev.SessionState.IDLE or bool(self.translator.sent)
        self.translator.sent[command.prompt_id] = command.text
        try:
            message = prompt_message(command.text, command.prompt_id, images, answer=command.answer)
            await limited(self._connected.query(as_stream(message)), SEND_SECONDS)
        except CommandError:
            self.translator.sent.pop(command.prompt_id, None)
            raise
        self._emit(ev.PromptAccepted(command.text, queued, command.prompt_id))

    async def interrupt(self) -> None:
        """End the running turn; raises `CommandError` if the CLI does not confirm it."""
        await limited(self._connected.interrupt(), CONTROL_SECONDS)

    async def change(self, what: Option, value: str) -> None:
        """Change the mode, the model or the effort; raises as `interrupt` does."""
        match what:
            case "mode":
                mode = cast("sdk.PermissionMode", value)
                await limited(self._connected.set_permission_mode(mode), CONTROL_SECONDS)
                changed: Iterable[ev.AgentEvent] = self.translator.set_mode(value)
            case "model":
                await limited(self._connected.set_model(value or None), CONTROL_SECONDS)
                changed = self.translator.set_model(value)
            case "effort":
                await self.send_control(set_effort(value))
                # The CLI also confirms a level that does not exist, and keeps the old one.
                applied = await self.send_control(APPLIED_EFFORT)
                if applied and applied != value:
                    raise CommandError(f"it stays {applied}")
                changed = (ev.EffortChanged(value),)
        for event in changed:
            self._emit(event)

    async def send_control(self, control: Control[T]) -> T:
        """Ask the CLI something beside the conversation; raises `CommandError` for a refusal or silence."""
        # Uses the SDK's own sender: the public methods drop the answers of several of these, or do not exist.
        send = sender(self._connected)
        if send is None:
            raise CommandError("This version of claude-agent-sdk cannot request it.")
        answer = await limited(send({"subtype": control.subtype, **control.fields}), control.seconds)
        return control.read(answer if isinstance(answer, dict) else {})

    async def withdraw(self, prompt_id: str) -> None:
        """Take back a prompt that waits for the running turn; raises `CommandError` for one already read."""
        if not await self.send_control(withdraw_prompt(prompt_id)):
            raise CommandError("Claude has read it already.")
        text = self.translator.sent.pop(prompt_id, "")
        self._emit(ev.PromptReturned(text, "you withdrew it", prompt_id, wanted=True))

    async def reclaim(self, reason: str) -> None:
        """Take back every prompt that waits: the end of a turn would start them.

        Prompts that the CLI has read, or does not answer for, stay in `Conversation.sent`.
        """
        returned: dict[str, str] = {}
        try:
            async with asyncio.timeout(3.0):
                # Newest first: the prompts that a turn reads meanwhile then have no gap in the middle.
                for prompt_id, text in reversed(list(self.translator.sent.items())):
                    if await self.send_control(withdraw_prompt(prompt_id)):
                        self.translator.sent.pop(prompt_id, None)
                        returned[prompt_id] = text
        except (CommandError, TimeoutError):
            _logger.warning("Claude did not say which prompts it has read")
        for prompt_id, text in reversed(returned.items()):
            self._emit(ev.PromptReturned(text, reason, prompt_id))

    async def park(self) -> bool:
        """Put off the waiting questions, and let the turn end; return whether any question waited."""
        self._turn_over.clear()
        ends = await self.gate.waits.park()
        if not ends:
            return ends is not None
        if not await set_within(self._turn_over, 3.0):
            _logger.warning("The turn did not end for a parked question")
        return True

    def abandon(self, reason: str) -> None:
        """Settle every request that waits for a person; ``reason`` is shown to that person."""
        self.translator.cli_state = ""  # the last one no longer holds
        self._arrivals.give_up(reason)
        self.gate.give_up(reason)

    async def close(self) -> None:
        """End the CLI: ask it to exit, then force it. Cancelling the caller does not stop this."""
        for task in self._tasks:
            task.cancel()
        client, self._client = self._client, None
        if client is not None:
            busy = (
                self._state in (ev.SessionState.WORKING, ev.SessionState.AWAITING)
                or self.translator.turn_over
            )
            await leave(client, self._pid, busy=busy)

    @property
    def _connected(self) -> sdk.ClaudeSDKClient:
        if self._client is None:
            raise CommandError("Claude is still starting.")
        return self._client

    def _emit(self, event: ev.AgentEvent) -> None:
        self.gate.waits.note(event)
        self._arrivals.note(event)
        self._out(event)
        self._refresh()

    def _refresh(self) -> None:
        """Report the state if it changed: the CLI's own, unless a request waits for a person here.

        The CLI reports nothing while a hook waits, and "requires_action" even if no person is asked, as after
        a declined question: only pending requests count as waiting.
        """
        if not self.translator.cli_state:
            return
        if self.gate.waits.pending:
            state = ev.SessionState.AWAITING
        elif self.translator.cli_state == "idle" or self.translator.turn_over:
            state = ev.SessionState.IDLE
        else:
            state = ev.SessionState.WORKING
        if state is not self._state:
            self._waited = 0.0 if self._state is ev.SessionState.IDLE else self._take_waited()
            self._since, self._state = time.monotonic(), state
            self._out(ev.StateChanged(state))

    def _take_waited(self) -> float:
        """Return the seconds that the turn has waited for a person so far, and reset the count."""
        now = time.monotonic()
        waited = self._waited + (now - self._since if self._state is ev.SessionState.AWAITING else 0.0)
        self._since, self._waited = now, 0.0
        return waited

    def _take(self, message: sdk.Message) -> None:
        if isinstance(message, sdk.TaskStartedMessage):
            self.gate.named(message.task_id, message.description)
        try:
            if isinstance(message, sdk.StreamEvent):
                if not message.parent_tool_use_id:
                    self.gate.waits.calls.stream(message.event)
                self._arrivals.stream(message.event, message.parent_tool_use_id or "")
            for event in self.translator.feed(line_of(message)):
                if isinstance(event, ev.TurnEnded):
                    event = replace(event, waited=min(event.duration, self._take_waited()))
                self._emit(event)
                self._note(event)
        except (LookupError, TypeError, ValueError, AttributeError):
            # Another version of the CLI may shape a message differently: drop it, keep the session.
            _logger.exception("A message of type %s could not be used", type(message).__name__)
        self._refresh()

    def _note(self, event: ev.AgentEvent) -> None:
        if isinstance(event, ev.ToolFinished):
            self.gate.finished(event.tool_use_id)
        elif isinstance(event, ev.TurnEnded):
            self._turn_over.set()
            self._beside(self._report_usage())

    def _beside(self, work: Coroutine[Any, Any, None]) -> None:
        """Run work beside the reader, until the connection is closed."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _learn_cost(self) -> None:
        """Ask what a resumed session cost before its first turn here."""
        usage = self.translator.usage
        try:
            cost = await self.send_control(COST_SO_FAR)
        except CommandError as error:
            _logger.info("The cost so far is not known: %s", error)
            return
        if usage.cost is None:  # else a turn has ended meanwhile
            usage.cost = cost

    async def _watch_servers(self) -> None:
        """Report the MCP servers that do not start; the CLI lists them only with the first prompt."""
        # The CLI gives a server up after 30 s, or MCP_TIMEOUT.
        for seconds in (0.0, 1.0, 2.0, 4.0, 8.0, 16.0, 16.0, 30.0, 60.0, 60.0):
            await asyncio.sleep(seconds)
            try:
                found = await self.send_control(SERVERS)
            except CommandError as error:
                _logger.info("The MCP servers are not known: %s", error)
                return
            for event in self.translator.servers(found):
                self._emit(event)
            if all(one.status != "pending" for one in found):
                return

    async def _report_usage(self) -> None:
        try:
            usage = await limited(self._connected.get_context_usage(), 15.0)
        except CommandError as error:
            self._emit(ev.NoticeGiven("warning", f"The use of the context is not known: {error}"))
            return
        tokens, limit = int(usage.get("totalTokens") or 0), int(usage.get("maxTokens") or 0)
        self._emit(ev.ContextUsage(float(usage.get("percentage") or 0), tokens, limit))

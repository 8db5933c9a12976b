"""Delivers a person's decisions to the agent exactly once: as the call's result, or as a message.

What the agent has counts as delivered once the session's record has it, and so do prompts.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import NAMESPACE_OID, uuid5

from ccq_tui.agent import events as ev
from ccq_tui.agent.controls import Send
from ccq_tui.agent.history import SessionPast
from ccq_tui.agent.problems import Problem
from ccq_tui.claude_lines import QUESTION_TOOL
from ccq_tui.inbox.agent_texts import ABANDONED, INTERRUPTED, LOST, MISSING, POSTPONED, UNASKED
from ccq_tui.inbox.call_results import UNANSWERED
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.kinds import named
from ccq_tui.inbox.open_request import OpenRequest
from ccq_tui.inbox.port import Added, InboxChange, Settled
from ccq_tui.inbox.requests import (
    Allowed,
    Cancelled,
    PermissionRequest,
    QuestionRequest,
    Request,
    RequestOutcome,
)
from ccq_tui.inbox.store.requests import PROCESS_ENDED
from ccq_tui.inbox.store.rows import RequestState
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.verdicts import InboxError
from ccq_tui.questions import Outcome
from ccq_tui.questions.wire import answers_as_message
from ccq_tui.words import listed

RECORDED_SECONDS = 2.0
"""Seconds that Claude Code may take to write into the session's record what it has reported.

Up to a quarter of a second was seen. If it is killed before, it loses its latest prompts.
"""


class UnrecordedPrompts:
    """Reports when each prompt is safe from a kill of the CLI."""

    def __init__(
        self,
        emit: Callable[[ev.AgentEvent], None],
        taken: Callable[[Mapping[str, str]], Awaitable[frozenset[str]]],
    ) -> None:
        self._emit = emit
        self._taken = taken
        self._texts: dict[str, str] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}

    def note(self, event: ev.AgentEvent) -> None:
        """Follow prompts by an event; the caller leaves out answers that go as messages."""
        match event:
            case ev.PromptAccepted(text=text, prompt_id=name) if name:
                self._texts[name] = text
            case ev.PromptDelivered(prompt_id=name) if name in self._texts:
                loop = asyncio.get_running_loop()
                self._timers[name] = loop.call_later(RECORDED_SECONDS, self._recorded, name)
            case ev.PromptReturned(prompt_id=name):
                self._texts.pop(name, None)
                if timer := self._timers.pop(name, None):
                    timer.cancel()

    def _recorded(self, name: str) -> None:
        self._timers.pop(name).cancel()
        self._texts.pop(name, None)
        self._emit(ev.PromptRecorded(name))

    def rewound(self, prompt_id: str) -> None:
        """Report a prompt that a rewind gives back, and those after it: no kill is to return them again."""
        names = [*self._timers]
        for name in names[names.index(prompt_id) :] if prompt_id in names else ():
            self._recorded(name)

    async def report(
        self, session_id: str, reason: str, unread: Mapping[str, str], *, in_order: bool
    ) -> None:
        """Report the newest prompts as recorded or returned, by the session's record, once the CLI is gone.

        ``in_order``: the CLI had the time to record what it has read. ``unread`` are the texts of prompts
        that it has not reported as read, by their ids. ``reason`` says why prompts come back.
        """
        for timer in self._timers.values():
            timer.cancel()
        unknown = dict.fromkeys((*unread, *(() if in_order else self._timers)), session_id)
        read = await self._taken(unknown) if unknown else frozenset()
        for name, text in unread.items():
            self._emit(ev.PromptDelivered(name) if name in read else ev.PromptReturned(text, reason, name))
        for name in tuple(self._timers):
            if in_order or name in read:
                self._recorded(name)
            else:
                self._timers.pop(name)
                self._emit(ev.PromptReturned(self._texts.pop(name), reason, name))


UNTAKEN_RESULTS = (ABANDONED, LOST, MISSING, POSTPONED, UNASKED)
"""Beginnings of the results of calls that no decision reached."""
NEVER_RAN = "Never ran, permission withdrawn as the process ended"
WITHDRAWN = "Withdrawn as the process ended"
NO_RESULT = "No result, as the process ended"
UNTAKEN = "the process that asked ended before the call had a result"
"""The reason by which a decision is given up that may have reached the agent."""
MOST_NAMED = 3
"""Most names with the same words."""


def cut_off(past: Sequence[ev.AgentEvent], left: Iterable[OpenRequest]) -> str:
    """Say what is known of calls without a result; "" if there are none.

    Args:
        past: The past of the session. Questions in it have lives of their own.
        left: What an earlier process asked.
    """
    results: dict[str, str] = {}
    calls: dict[str, tuple[str, str]] = {}
    for event in past:
        if isinstance(event, ev.ToolFinished):
            results[event.tool_use_id] = event.output
            calls.pop(event.tool_use_id, None)
        elif isinstance(event, ev.ToolStarted) and event.tool != QUESTION_TOOL:
            asked = PermissionRequest(event.tool_use_id, "", event.tool, event.input)
            calls[event.tool_use_id] = named(asked), NO_RESULT
    for one in left:
        request, call = one.request, one.request.tool_use_id
        delivered = one.stored.state is RequestState.DELIVERED
        if isinstance(request, QuestionRequest) or request.origin.is_foreign or delivered:
            continue
        result = results.get(call)
        if result is not None and not result.startswith(UNTAKEN_RESULTS):
            continue
        outcome = one.stored.outcome
        may_run = (result is None and isinstance(outcome, Allowed)) or outcome == Cancelled(UNTAKEN)
        words = NEVER_RAN if isinstance(request, PermissionRequest) else WITHDRAWN
        calls[call] = named(request), NO_RESULT if may_run else words
    names: dict[str, list[str]] = {}
    for name, words in calls.values():
        names.setdefault(words, []).append(name)
    return " · ".join(f"{words}: {listed(some, MOST_NAMED)}" for words, some in names.items())


_logger = logging.getLogger(__name__)

ENDED = "the session ended before it was decided"
CLOSED = "the session was closed"
CLEARED = "the conversation was cleared; the question waits in the inbox"
REWOUND = "rewound: the conversation was taken back to before it"
RESULT, MESSAGE = "result", "message"
_NO_ANSWERS = (*UNTAKEN_RESULTS, INTERRUPTED)
"""Beginnings of results that no answer reached; what was allowed may be interrupted later."""


@dataclass(slots=True)
class PendingAnswer:
    """A question of an earlier process, whose answer this one delivers.

    Attributes:
        earlier: Number of earlier calls in the session with the id of its call.
        prompts_before: The prompts before it: a rewind to one of them undoes the question.
    """

    opened: OpenRequest
    request: QuestionRequest
    earlier: int
    prompts_before: frozenset[str]

    @property
    def waits(self) -> bool:
        """Whether it waits for an answer that goes as a message."""
        return self.opened.by_message and self.opened.is_pending


class Delivery:
    """The outcomes of a session that must still reach the agent, and the way of each."""

    def __init__(
        self, inbox: Inbox, emit: Callable[[ev.AgentEvent], None], send: Callable[[Send], None]
    ) -> None:
        self._inbox = inbox
        self._emit = emit
        self._send = send
        self._asked: dict[str, Request | None] = {}
        """The requests that wait for the result of their call, by the call; None once it is there."""
        self._pending: dict[str, PendingAnswer] = {}
        """The questions of earlier processes that have no call in this one yet, by their ids."""
        self._sent: dict[str, PendingAnswer] = {}
        """The questions answered by a message that has not arrived, by the message's id."""
        self._seen: dict[str, tuple[str, asyncio.TimerHandle]] = {}
        self._unsubscribe = inbox.subscribe(self._inbox_changed)

    def close(self, *, in_order: bool) -> None:
        """Stop listening to the inbox.

        If the CLI had no time to end in order, its last outcomes are looked up in the record on resume.
        """
        self._unsubscribe()
        for name, (_, timer) in list(self._seen.items()):
            timer.cancel()
            if in_order:
                self._recorded(name)

    def note(self, event: ev.AgentEvent) -> None:
        """Note the outcomes that an event shows to have arrived."""
        match event:
            case ev.RequestAsked(request, by_message=False):
                self._asked[request.tool_use_id] = request
                self._pending.pop(request.id, None)
            case ev.ToolFinished(tool_use_id=call, output=output) if waited := self._asked.get(call):
                self._asked[call] = None
                lost = _NO_ANSWERS if isinstance(waited, QuestionRequest) else UNTAKEN_RESULTS
                if not output.startswith(lost):
                    self._arrived(waited.id, RESULT)
            case ev.PromptDelivered(prompt_id=name) if name in self._sent:
                self._arrived(self._sent.pop(name).request.id, MESSAGE)
            case ev.TurnEnded():
                # If it was interrupted before the CLI had made its deferred call again, the CLI has given the
                # call a result of its own, and never makes it again: it continues by message.
                for pending in tuple(self._pending.values()):
                    if not pending.opened.by_message:
                        self._go_on_by_message(pending)
            case ev.ConversationReset():
                self._leave_conversation()

    def _leave_conversation(self) -> None:
        """Leave the waiting questions to their conversation; the one that begins knows nothing of them."""
        left, self._pending = self._pending, {}
        for name, pending in left.items():
            if pending.waits:
                self._emit(ev.RequestSettled(name, Cancelled(CLEARED)))

    def has(self, prompt_id: str) -> bool:
        """Return whether a prompt is an answer that goes as a message, and has not arrived."""
        return prompt_id in self._sent

    def came_back(self, prompt_id: str) -> bool:
        """Note that a message came back unread; returns whether it is an answer, for the next process."""
        return self._sent.pop(prompt_id, None) is not None

    def _arrived(self, name: str, way: str) -> None:
        """Count a request as delivered as soon as the session's record has it for sure."""
        if name in self._seen:
            return  # a model may use an id twice
        timer = asyncio.get_running_loop().call_later(RECORDED_SECONDS, self._recorded, name)
        self._seen[name] = (way, timer)

    def _recorded(self, name: str) -> None:
        way, _ = self._seen.pop(name)
        self._inbox.sessions.delivered(name, way)

    async def catch_up(self, session_id: str, history: SessionPast) -> None:
        """Take over the requests that earlier processes left in a resumed session."""
        try:
            left = await self._left(session_id, history.unanswered)
        except InboxError as error:
            _logger.warning("What waits in the session is not known: %s", error)
            return
        for opened, earlier in left:
            if isinstance(opened.stored.outcome, Cancelled):
                if opened.stored.outcome.reason in (ENDED, CLOSED, PROCESS_ENDED):
                    self._offer_draft(opened, history)
            elif opened.stored.outcome is not None and opened.stored.state is RequestState.DELIVERED:
                self._emit(ev.RequestSettled(opened.request.id, opened.stored.outcome))
            elif isinstance(opened.request, QuestionRequest):
                self._go_on(opened, opened.request, earlier, history)
            else:
                self._close_decision(opened, history)
        if words := cut_off(history.events, [opened for opened, _ in left]):
            self._emit(ev.ErrorReported(Problem.CUT_OFF, words))

    async def _left(
        self, session_id: str, unanswered: Sequence[QuestionRequest]
    ) -> list[tuple[OpenRequest, int]]:
        def take_up(store: Store) -> None:
            # Asked by a program without this inbox, such as “claude -p”, before it died.
            for request in unanswered:
                if store.requests.get(request.id) is None:
                    store.requests.add(request)

        await self._inbox.run(take_up)
        left = await self._inbox.sessions.left(session_id)
        known = {opened.request.id for opened, _ in left}
        for request in unanswered:
            if request.id not in known:
                self._emit(ev.RequestSettled(request.id, Cancelled(UNANSWERED)))
        return left

    def rewound(self, prompt_id: str) -> None:
        """Withdraw the questions that wait for an answer by message and that Claude no longer knows."""
        for pending in self._pending.values():
            if pending.waits and prompt_id in pending.prompts_before:
                pending.opened.withdraw(REWOUND)

    def _go_on(
        self, opened: OpenRequest, request: QuestionRequest, earlier: int, history: SessionPast
    ) -> None:
        outcome, call = opened.stored.outcome, request.tool_use_id
        if outcome is not None and (way := way_in(history, call, earlier)):
            self._emit(ev.RequestSettled(request.id, outcome))  # the record shows only that it came
            self._inbox.sessions.delivered(request.id, way)
            return
        pending = PendingAnswer(opened, request, earlier, prompts_before(history, call))
        if call not in history.deferred:
            self._pending[request.id] = pending
            self._go_on_by_message(pending)
        elif call not in self._asked:
            self._pending[request.id] = pending  # the same call asks again, and has its outcome then

    def _go_on_by_message(self, pending: PendingAnswer) -> None:
        pending.opened.by_message = True
        if (outcome := pending.opened.stored.outcome) is not None:
            self._emit(ev.RequestSettled(pending.request.id, outcome))
            self._send_answer(pending, outcome)
        else:
            self._inbox.report(Added(pending.request, again=True), pending.opened)
            self._emit(ev.RequestAsked(pending.request, by_message=True))

    def _close_decision(self, opened: OpenRequest, history: SessionPast) -> None:
        """Close a permission or a plan of an earlier process, which alone could have taken a decision."""
        request = opened.request
        if opened.is_pending:
            opened.withdraw(ENDED)
            self._offer_draft(opened, history)
        elif way := way_in(history, request.tool_use_id, untaken=UNTAKEN_RESULTS):
            self._inbox.sessions.delivered(request.id, way)
        else:
            self._inbox.sessions.give_up(request.id, UNTAKEN)

    def _offer_draft(self, opened: OpenRequest, history: SessionPast) -> None:
        """Report a request that ended with an earlier process, for words typed for it and no prompt since."""
        prompts = {one.prompt_id for one in history.events if isinstance(one, ev.PromptAccepted)} - {""}
        if opened.draft is not None and prompts <= prompts_before(history, opened.request.tool_use_id):
            self._emit(ev.RequestSettled(opened.request.id, Cancelled(ENDED)))
            self._emit(ev.DraftLeft(opened.draft))

    def _inbox_changed(self, change: InboxChange) -> None:
        """Send the decision on a question that no call waits for any more, wherever it was made."""
        if not isinstance(change, Settled) or (pending := self._pending.get(change.request.id)) is None:
            return
        if pending.opened.by_message:
            self._emit(ev.RequestSettled(pending.request.id, change.outcome, change.actor))
            self._send_answer(pending, change.outcome)

    def _send_answer(self, pending: PendingAnswer, outcome: RequestOutcome) -> None:
        if isinstance(outcome, Outcome):  # else it was withdrawn
            prompt_id = prompt_id_of(pending.request.tool_use_id, pending.earlier)
            self._sent[prompt_id] = pending
            self._send(Send(answers_as_message(pending.request.questions, outcome), prompt_id))


def prompts_before(history: SessionPast, tool_use_id: str) -> frozenset[str]:
    """Return the prompts that came before a call; of several with its id, before the last one.

    A killed CLI may not have recorded its last call: that one came after all of the record.
    """
    found: frozenset[str] | None = None
    prompts: list[str] = []
    for event in history.events:
        if isinstance(event, ev.PromptAccepted) and event.prompt_id:
            prompts.append(event.prompt_id)
        elif isinstance(event, ev.ToolStarted) and event.tool_use_id == tool_use_id:
            found = frozenset(prompts)
    return found if found is not None else frozenset(prompts)


def prompt_id_of(tool_use_id: str, earlier: int = 0) -> str:
    """Return the id of the message that answers a call: the same one in each process.

    By it the session's own record shows whether the message has arrived. A process of the CLI drops a message
    with an id that it had before, even one that was taken back, and reports it as read.
    """
    another = f" after {earlier} others" if earlier else ""
    return str(uuid5(NAMESPACE_OID, f"ccq-tui answer to {tool_use_id}{another}"))


def way_in(
    history: SessionPast, tool_use_id: str, earlier: int = 0, untaken: tuple[str, ...] = _NO_ANSWERS
) -> str:
    """Return the way by which the decision on a call's request reached the session's record, or "".

    Before it there may be ``earlier`` calls of the same id, whose results are not its own. Results that begin
    with ``untaken`` show that none did.
    """
    if prompt_id_of(tool_use_id, earlier) in history.uuids:
        return MESSAGE
    found = False
    for event in history.events:
        match event:
            case ev.ToolStarted(tool_use_id=call) if call == tool_use_id:
                found = False
            case ev.ToolFinished(tool_use_id=call, output=output) if call == tool_use_id:
                found = found or not output.startswith(untaken)
    return RESULT if found else ""

"""A hook that asks: it puts Claude Code's request into the inbox, and waits for the first answer.

Claude Code shows its own dialog beside the hook. The first answer in either place counts, and the other place
closes. A hook without a decision ends without output, and the dialog stays.
"""

import asyncio
import json
import logging
import os
import signal
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

from ccq_tui.bounded import UnfitFileError
from ccq_tui.bridges.claude_code.hook_input import ELICITATION, PERMISSION, HookInput
from ccq_tui.bridges.claude_code.live_sessions import CLAUDE_CODE, live_file, read_live
from ccq_tui.bridges.claude_code.transcript import CallEnd, RecordedCall, TranscriptFile
from ccq_tui.claude_lines import PLAN_TOOL, QUESTION_TOOL, text
from ccq_tui.inbox.actors import WITHDRAWN, Actor, Surface
from ccq_tui.inbox.agent_texts import INTERRUPTED, rejection, rejection_text
from ccq_tui.inbox.call_results import outcome_of
from ccq_tui.inbox.dangers import placed
from ccq_tui.inbox.elicitations import read_elicitation
from ccq_tui.inbox.file_changes import change_of
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.kinds import reply_to
from ccq_tui.inbox.kinds.sets import as_result
from ccq_tui.inbox.requests import (
    Allowed,
    Cancelled,
    Denied,
    ElicitationRequest,
    Origin,
    PermissionRequest,
    PlanRequest,
    QuestionRequest,
    Request,
    RequestOutcome,
)
from ccq_tui.inbox.store.database import PATIENT_SECONDS
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.suggestions import read_suggestions, written
from ccq_tui.inbox.verdicts import AlreadySettled, InboxBusy, InboxError, InvalidOutcome
from ccq_tui.processes import alive, started_at, this_process
from ccq_tui.questions import QuestionSet
from ccq_tui.questions.parse import readable_set

DECIDED_THERE = Cancelled("decided in Claude Code")


def request_of(hook: HookInput, call_id: str) -> Request | None:
    """Return the request of a hook, or None if it cannot be shown; ``call_id`` may be a stand-in."""
    if hook.event == ELICITATION:
        return read_elicitation(hook.document, call_id, hook.session_id, hook.origin())
    request = call_request(hook.tool, hook.input, call_id, hook.session_id, hook.origin())
    if not isinstance(request, PermissionRequest):
        return request
    request = replace(
        request,
        agent_id=hook.agent_id,
        agent=hook.agent,
        suggestions=tuple(one for one, _ in read_suggestions(hook.suggestions)),
        change=change_of(hook.tool, hook.input, hook.directory),
    )
    return placed(request, hook.directory)


def call_request(
    tool: str, source: Mapping[str, Any], call_id: str, session_id: str, origin: Origin
) -> Request | None:
    """Return the request of a call of a tool, or None if it cannot be read.

    Args:
        tool: The tool.
        source: Its input.
        call_id: The ``tool_use_id``.
        session_id: The session of Claude Code.
        origin: Who asks.
    """
    if tool == QUESTION_TOOL:
        questions = readable_set(call_id, source)
        return None if questions is None else QuestionRequest(call_id, session_id, questions, origin=origin)
    if tool == PLAN_TOOL:
        return PlanRequest(call_id, session_id, text(source, "plan"), origin=origin)
    words = text(source, "description")
    return PermissionRequest(call_id, session_id, tool, source, description=words, origin=origin)


def decision_of(hook: HookInput, request: Request, outcome: RequestOutcome) -> dict[str, Any] | None:
    """Return the hook's output for an outcome, or None to end without output."""
    reply = reply_to(request, outcome, hook.document if hook.event == ELICITATION else hook.input)
    if reply.interrupt:
        return None
    if hook.event == ELICITATION:
        return {"hookSpecificOutput": {"hookEventName": ELICITATION, **as_result(reply)}}
    decision: dict[str, Any]
    if reply.allow:
        decision = {"behavior": "allow", "updatedInput": reply.input}
        if reply.grants:
            # Suggested ones as they came: a rule made up here might match less or more.
            suggested = dict(read_suggestions(hook.suggestions))
            decision["updatedPermissions"] = [suggested.get(one) or written(one) for one in reply.grants]
    else:
        # Claude Code takes no prose for answers from a hook: send it the way its own "Chat about this" does.
        message = rejection(reply.text) if reply.allow is None else reply.text
        decision = {"behavior": "deny", "message": message}
    return {"hookSpecificOutput": {"hookEventName": PERMISSION, "decision": decision}}


def outcome_there(request: Request, end: CallEnd) -> RequestOutcome:
    """Return the outcome from Claude Code's own dialog, as far as the end of the call shows it."""
    result = end.result
    if isinstance(request, ElicitationRequest):
        return DECIDED_THERE  # nothing on disk says how the form ended
    if isinstance(request, QuestionRequest):
        outcome = outcome_of(request.questions, result)
        interrupted = isinstance(outcome, Cancelled) and result.output.startswith(INTERRUPTED)
        return Cancelled("interrupted in Claude Code") if interrupted else outcome or DECIDED_THERE
    if end.decision == "reject" or end.denial or result.output.startswith(INTERRUPTED):
        return Denied(rejection_text(result.output))
    if not (end.decision == "accept" or not result.failed):
        return DECIDED_THERE
    record = result.structured if isinstance(result.structured, dict) else {}
    return Allowed(plan=text(record, "plan") if record.get("planWasEdited") is True else "")


SESSION_ENDED = Cancelled("its Claude Code session has ended")


class Dialog:
    """The dialog of the call that a hook was run for.

    The hook's input lacks the call's id, so the call is found by its tool and its input. A call that ended
    before the hook was started is an earlier one.
    """

    def __init__(self, hook: HookInput) -> None:
        self._hook = hook
        self._transcript = TranscriptFile(hook.transcript)
        self._since = datetime.fromtimestamp(started_at(this_process()), UTC)
        self._questions = _questions(hook.tool, hook.input)
        self._begun = time.monotonic()
        self._equal: dict[str, RecordedCall] = {}
        self._alike: dict[str, RecordedCall] = {}
        """Open calls of the tool with another input, which a hook before the call may have changed."""
        # The live file does not distinguish a subagent's dialog from the main agent's; a form has none yet.
        program = None if hook.agent_id or not hook.tool or hook.program is None else hook.program.pid
        self._live = live_file(hook.config, program) if program else None
        self._live_seen = 0
        self._waited = False
        self._closed_at: float | None = None

    @property
    def call(self) -> RecordedCall | None:
        """The call, once it is in the transcript and no other one of its message is equal to it."""
        return calls[0] if len(calls := self._calls()) == 1 else None

    def _calls(self) -> list[RecordedCall]:
        """Return the calls of one message that may be the hook's.

        An agent may ask the same again, but only after the calls of its earlier message have ended.
        """
        messages: dict[str, list[RecordedCall]] = {}
        for call in (self._equal or self._alike).values():
            messages.setdefault(call.message, []).append(call)
        ended = (calls for calls in messages.values() if None not in self._ends(calls))
        return next(ended, next(reversed(messages.values()), []))

    def _ends(self, calls: Iterable[RecordedCall]) -> list[CallEnd | None]:
        return [self._transcript.end_of(call.id) for call in calls]

    def context(self) -> str:
        """Return the agent's text before it asked, or ""."""
        call = next(iter(self._calls()), None)
        return self._transcript.before(call) if call is not None else ""

    def poll(self) -> CallEnd | Cancelled | None:
        """Look once; return the end of the dialog, or None while it is open.

        Where the call still runs, or several calls are equal and nothing shows which of them this hook was
        run for, it is known only that the call was decided.

        Raises `OSError` if the transcript cannot be read, `UnfitFileError` if it is no file.
        """
        exited = self._hook.program is not None and not alive(self._hook.program)
        self._find(self._transcript.read())
        ends = self._ends(self._calls())
        if ends and None not in ends:
            return ends[0] if len(ends) == 1 else DECIDED_THERE
        if exited:
            return SESSION_ENDED
        return DECIDED_THERE if self._is_over() else None

    def _find(self, new: Iterable[RecordedCall]) -> None:
        tool = self._hook.tool
        for call in new:
            if call.tool != tool:
                continue
            equal = call.input == self._hook.input or (
                self._questions is not None and _questions(call.tool, call.input) == self._questions
            )
            if equal and self._is_new(call):
                self._equal[call.id] = call
        if not self._equal and time.monotonic() - self._begun > 1.0:  # it is in the transcript by then
            self._alike |= {call.id: call for call in self._transcript.unanswered() if call.tool == tool}

    def _is_new(self, call: RecordedCall) -> bool:
        end = self._transcript.end_of(call.id)
        return end is None or (end.result.at is not None and end.result.at >= self._since)

    def _is_over(self) -> bool:
        """Whether Claude Code no longer waits for the person, and a refusal would be in the transcript."""
        if self._live is None or self._questions is not None:
            return False  # the result of questions is there at once
        try:
            changed = self._live.stat().st_mtime_ns
        except OSError:
            return False
        if changed != self._live_seen:
            live = read_live(self._live)
            if live is None:
                return False  # it is being written
            self._live_seen = changed
            self._waited |= live.waits
            self._closed_at = None if live.waits or not self._waited else time.monotonic()
        # The result of a refused call is in the transcript half a second later.
        return self._closed_at is not None and time.monotonic() - self._closed_at > 0.5


def _questions(tool: str, source: Mapping[str, Any]) -> QuestionSet | None:
    """Parse the questions for a comparison: Claude Code fills in what a model left out."""
    return readable_set("", source) if tool == QUESTION_TOOL else None


_logger = logging.getLogger(__name__)

POLL_SECONDS = 0.1
"""Seconds between two looks whether the dialog was answered."""
CALL_SECONDS = 0.4
"""Seconds to wait for the call in the transcript before the request goes without its id."""
LISTEN_SECONDS = 1.0
"""Seconds between two looks of a hook that holds the dialog whether a ccq-tui is still open."""
UNWATCHED_SECONDS = 5.0
"""Seconds in which none may be open: one that is started again needs a moment."""
CLOSE_SECONDS = 10.0
"""Seconds in which the inbox must close a request."""
STOPPED = "Claude Code no longer waits for it"
FAILED = "its hook has failed"
TOO_LATE = "it was answered in Claude Code first"
WAITED = "nobody answered in the time that its hook waits"
UNWATCHED = "every ccq-tui was closed, and Claude Code asks in its own screen"


def ask_person(hook: HookInput, inbox: Path, say: Callable[[str], None], wait: float) -> None:
    """Put the request into the inbox, wait, and print the decision that was made here, if any.

    Args:
        hook: The hook's input.
        inbox: The inbox's database.
        say: Prints its decision.
        wait: Most seconds to wait.

    Raises:
        InboxError: The inbox cannot be used.
        OSError: The transcript cannot be read.
    """
    if hook.event not in (PERMISSION, ELICITATION):
        return
    dialog = Dialog(hook)
    if hook.tool:
        ends = time.monotonic() + CALL_SECONDS
        while dialog.poll() is None and dialog.call is None and time.monotonic() < ends:
            time.sleep(POLL_SECONDS / 4)
    request = request_of(hook, dialog.call.id if dialog.call else f"hook_{uuid4().hex}")
    if request is None:
        return
    decision = asyncio.run(_decision(hook, request, dialog, inbox, wait))
    if decision is None:
        return
    try:
        say(json.dumps(decision))
    except OSError:
        _note(request, inbox, SESSION_ENDED.reason)
        raise
    _see_it_taken(request, dialog, inbox)


async def _decision(
    hook: HookInput, request: Request, dialog: Dialog, path: Path, wait: float
) -> Mapping[str, Any] | None:
    """Ask, wait, and return the hook's output for a person's decision here, or None for none."""
    stopped = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    inbox = Inbox.begin(path)  # a lock or a full disk delays the question, and does not end it
    asking = asyncio.ensure_future(inbox.ask(request, dialog.context()))
    # For a subagent in the background, too, Claude Code shows nothing while the hook waits.
    held = hook.event == ELICITATION or bool(hook.agent_id)
    unwatched = asyncio.ensure_future(_until_unwatched(inbox)) if held else None
    try:
        await asyncio.sleep(0)  # asked before anything withdraws it
        ended = await _waited(asking, dialog, stopped, unwatched, wait)
        outcome = asking.result() if ended is None else await _closed(inbox, request, ended)
        if isinstance(outcome, Cancelled):
            return None
        if (end := dialog.poll()) is not None:
            # It was answered in both places at once, and Claude Code takes its own dialog's answer.
            inbox.sessions.give_up(request.id, SESSION_ENDED.reason if end == SESSION_ENDED else TOO_LATE)
            return None
        return decision_of(hook, request, outcome)
    finally:
        if unwatched is not None:
            unwatched.cancel()
        asking.cancel(FAILED)  # changes nothing if it is settled
        await asyncio.wait((asking,))
        await inbox.close()


async def _waited(
    asking: asyncio.Future[RequestOutcome],
    dialog: Dialog,
    stopped: asyncio.Event,
    unwatched: asyncio.Future[None] | None,
    wait: float,
) -> CallEnd | Cancelled | None:
    """Wait until a person answers here or the wait ends; return its end, or None for an answer."""
    ends, reason = time.monotonic() + wait, WAITED
    while not asking.done():
        if (end := dialog.poll()) is not None:
            return end
        if stopped.is_set() and reason is WAITED:
            # Claude Code stops hooks at an interrupt first, and records the interrupt a moment later.
            ends, reason = min(ends, time.monotonic() + 1.0), STOPPED
        if unwatched is not None and unwatched.done():
            return Cancelled(UNWATCHED)
        if time.monotonic() >= ends:
            return Cancelled(reason)
        await asyncio.wait((asking,), timeout=POLL_SECONDS)
    return None


async def _until_unwatched(inbox: Inbox) -> None:
    """Wait until, for `UNWATCHED_SECONDS`, no ccq-tui showed requests or the inbox was unreadable."""
    watched_at = time.monotonic()
    while time.monotonic() - watched_at < UNWATCHED_SECONDS:
        try:
            if await inbox.run(lambda store: store.listeners.any()):
                watched_at = time.monotonic()
        except InboxBusy:
            watched_at = time.monotonic()
        except InboxError as error:
            _logger.debug("It is not known whether a ccq-tui is open: %s", type(error).__name__)
        await asyncio.sleep(LISTEN_SECONDS)


async def _closed(inbox: Inbox, request: Request, ended: CallEnd | Cancelled) -> RequestOutcome:
    """Close a request that ended in Claude Code, or whose wait ended.

    Returns an answer from here that came at that very moment, or the reason why there is none.
    """
    dialog = Actor.here(Surface.ASKER, CLAUDE_CODE)
    if isinstance(ended, CallEnd):
        outcome = outcome_there(request, ended)
        actor = Actor.here(Surface.HOOK) if ended.source == "hook" else dialog
    else:
        outcome, actor = ended, dialog if ended == DECIDED_THERE else WITHDRAWN
    try:
        verdict = await inbox.settle(request.id, outcome, actor)
    except InvalidOutcome as error:
        _logger.info("What was answered in Claude Code is not kept: %s", error.field)
        verdict = await inbox.settle(request.id, DECIDED_THERE, actor)
    if not isinstance(verdict, AlreadySettled):
        inbox.sessions.delivered(request.id, "result")
    elif isinstance(ended, CallEnd):
        inbox.sessions.give_up(request.id, TOO_LATE)
    else:
        return verdict.outcome
    return DECIDED_THERE


def _see_it_taken(request: Request, dialog: Dialog, path: Path) -> None:
    """Record whether Claude Code took a decision, which it does only after this process has ended."""
    if os.fork():
        return
    os.setsid()
    quiet = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(quiet, number)  # Claude Code waits until no process has its pipes any more
    _note(request, path, _why_not(dialog))


def _why_not(dialog: Dialog) -> str:
    """Say why Claude Code did not take a decision, or ""."""
    ends, end = time.monotonic() + 3.0, None  # to look whether Claude Code took the decision
    with suppress(OSError, UnfitFileError):
        while (end := dialog.poll()) is None and time.monotonic() < ends:
            time.sleep(POLL_SECONDS)
    if end == SESSION_ENDED:
        return SESSION_ENDED.reason
    return TOO_LATE if isinstance(end, CallEnd) and end.source not in ("", "hook") else ""


def _note(request: Request, path: Path, why_not: str) -> None:
    # Claude Code has the decision: nobody waits.
    with suppress(InboxError), closing(Store(path, PATIENT_SECONDS)) as store:
        if why_not:
            store.requests.give_up(request.id, why_not)
        else:
            store.requests.mark_delivered(request.id, "result")

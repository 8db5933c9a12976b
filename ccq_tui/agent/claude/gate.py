"""The CLI's requests to a person: sends questions, permissions, plans and forms to the inbox.

Questions arrive in a PreToolUse hook, which the CLI calls in every permission mode. The hook can only answer
them; prose and a refusal are left to ``can_use_tool``, which the CLI calls at once after a hook that decided
nothing, with the same ``tool_use_id``. In dontAsk mode the CLI does not call it: then prose goes as a note.
"""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any
from uuid import uuid4

import claude_agent_sdk as sdk
from claude_agent_sdk.types import HookContext, HookInput, HookJSONOutput

from ccq_tui.agent.claude.elicitations import SendReply
from ccq_tui.agent.claude.waits import WaitOutcome, Waits
from ccq_tui.agent.claude_settings import allows_auto_mode
from ccq_tui.agent.events import AgentEvent, PromptReturned
from ccq_tui.claude_lines import PLAN_TOOL, QUESTION_TOOL
from ccq_tui.config.launch import Launch
from ccq_tui.inbox.agent_texts import POSTPONED, PROCEED, REMARKED, UNREADABLE
from ccq_tui.inbox.dangers import placed
from ccq_tui.inbox.elicitations import read_elicitation
from ccq_tui.inbox.file_changes import EDITING, UPDATE, change_of
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.kinds import reply_to
from ccq_tui.inbox.kinds.sets import as_result
from ccq_tui.inbox.port import Parked
from ccq_tui.inbox.requests import PermissionRequest, PlanRequest, QuestionRequest, Reply, Request
from ccq_tui.inbox.suggestions import AUTO, read_suggestions, written
from ccq_tui.questions import Discussed, QuestionSet
from ccq_tui.questions.parse import QuestionFormatError, parse_question_set
from ccq_tui.questions.wire import encode_remark

_logger = logging.getLogger(__name__)

AUTO_FROM = {PLAN_TOOL: ("plan",), "Bash": ("default", "acceptEdits")}
"""Calls with which a session may go to auto mode, and the modes from which."""
FILE_SECONDS = 5.0
"""Seconds in which the file of an edit must be read and compared."""
UNTAKEN = "the process that asked ended before it got the answer"


PermissionResult = sdk.PermissionResultAllow | sdk.PermissionResultDeny


def _suggestions(updates: Iterable[sdk.PermissionUpdate]) -> Iterator[Any]:
    """Yield the CLI's suggestions as it wrote them, without those that cannot be sent back."""
    for one in updates:
        try:
            # If one cannot be sent, the SDK sends none, and the choice shown would be false.
            yield one.to_dict()
        except (ValueError, TypeError):
            _logger.warning("A suggestion of kind %s cannot be sent back", one.type)


class Gate:
    """Asks a person on the CLI's behalf.

    Attributes:
        waits: The requests that wait for a person.
        auto_mode: Whether a classifier can decide for this account.
        asked: The calls of the question sets that were put to a person, by the session.
    """

    def __init__(
        self,
        inbox: Inbox,
        launch: Launch,
        session_id: Callable[[], str],
        emit: Callable[[AgentEvent], None],
        mode: Callable[[], str] = str,
    ) -> None:
        self.waits = Waits(inbox, emit)
        self._inbox = inbox
        self._launch = launch
        self._session_id = session_id
        self._emit = emit
        self._mode = mode
        self.auto_mode = False
        self.asked: defaultdict[str, set[str]] = defaultdict(set)
        self._replies: dict[str, Reply] = {}
        self._remarks: dict[str, str] = {}
        self._agents: dict[str, str] = {}

    def will_ask(self, ahead: int) -> bool:
        """Return whether a person would be asked another question set after ``ahead`` arriving ones."""
        match self._launch.settings.questions:
            case "assume":
                return False
            case "adaptive":
                rounds = len(self.asked[self._session_id()])
                return rounds + ahead < self._launch.settings.max_question_rounds
            case _:
                return True

    def finished(self, tool_use_id: str) -> None:
        """Forget a tool call that has its result; background calls may outlast the turn."""
        self._replies.pop(tool_use_id, None)
        self._return_remark(tool_use_id, "the allowed call ended before delivering it")

    def named(self, agent_id: str, name: str) -> None:
        """Store the name of a subagent, for its requests."""
        self._agents[agent_id] = name

    def give_up(self, reason: str) -> None:
        """End all waits, and give back the remarks on permissions: the CLI is gone."""
        self.waits.give_up(reason)
        for tool_use_id in list(self._remarks):
            self._return_remark(tool_use_id, reason)

    async def before_question(
        self, data: HookInput, tool_use_id: str | None, _context: HookContext
    ) -> HookJSONOutput:
        """Answer a question set: the PreToolUse hook. No decision leaves it to `can_use_tool`."""
        source: Mapping[str, Any] = data.get("tool_input", {})  # type: ignore[assignment]
        name = tool_use_id or str(data.get("tool_use_id") or uuid4())
        try:
            questions = parse_question_set(name, source)
        except QuestionFormatError:
            return {}  # can_use_tool reports it in words that reach the model unchanged
        reply = await self._question_reply(questions, parkable=True)
        if reply is None:
            return {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "defer"}}
        if reply.allow:
            return _allow(reply.input or {})
        if data.get("permission_mode") == "dontAsk" and not reply.interrupt:
            return _allow(encode_remark(questions, reply.text))
        self._replies[name] = reply
        return {}

    async def after_tool(
        self, data: HookInput, tool_use_id: str | None, _context: HookContext
    ) -> HookJSONOutput:
        """Pass a person's remark on an allowed call to the agent, in the hook after every call.

        The permission itself carries no text, and a prompt would go to the main agent, whichever
        agent asked.
        """
        text = self._remarks.pop(tool_use_id or "", "")
        if not text:
            return {}
        output = {"hookEventName": data["hook_event_name"], "additionalContext": REMARKED.format(text=text)}
        return {"hookSpecificOutput": output}  # type: ignore[typeddict-item]  # the event is one of two

    async def can_use_tool(
        self, tool: str, source: dict[str, Any], context: sdk.ToolPermissionContext
    ) -> PermissionResult:
        """Decide about a tool call that needs a person."""
        name = context.tool_use_id or str(uuid4())
        if tool == QUESTION_TOOL:
            return await self._decide_question(name, source)
        # A call may be allowed together with auto mode, as in Claude Code's own screen.
        auto = self.auto_mode and self._mode() in AUTO_FROM.get(tool, ())
        auto = auto and await asyncio.to_thread(allows_auto_mode, self._launch)
        if tool == PLAN_TOOL:
            plan = PlanRequest(name, await self._session_of(name), str(source.get("plan") or ""), auto)
            return self._result(name, _reply(plan, await self.waits.wait_for_person(plan), source))
        suggested = tuple(one for one, _ in read_suggestions(_suggestions(context.suggestions)))
        request = PermissionRequest(
            tool_use_id=name,
            asker_id=await self._session_of(name),  # by then a subagent's name is known, too
            tool=tool,
            input=source,
            description=context.description or "",
            reason=context.decision_reason or "",
            blocked_path=context.blocked_path or "",
            agent_id=context.agent_id or "",
            agent=self._agents.get(context.agent_id or "", ""),
            suggestions=(*suggested, AUTO) if auto and AUTO not in suggested else suggested,
            change=await self._change(tool, source),
        )
        request = placed(request, str(self._launch.settings.directory))
        return self._result(name, _reply(request, await self.waits.wait_for_person(request), source))

    async def elicit(self, asked: Mapping[str, Any], send: SendReply) -> None:
        """Ask a person to fill in an MCP server's form; ``send`` takes the reply to the CLI."""
        request = read_elicitation(asked, f"form_{uuid4().hex[:16]}", self._session_id())
        # Reading a schema may load the pattern checker: a third of a second, once.
        await asyncio.to_thread(getattr, request, "form")
        outcome = await self.waits.wait_for_person(request)
        if isinstance(outcome, Parked):
            raise TypeError("a form cannot be parked")
        try:
            await send(as_result(reply_to(request, outcome, asked)))
        except sdk.ClaudeSDKError:
            self._inbox.sessions.give_up(request.id, UNTAKEN)
            raise
        self._inbox.sessions.delivered(request.id, "result")

    def _result(self, tool_use_id: str, reply: Reply) -> PermissionResult:
        if reply.allow is False:
            return sdk.PermissionResultDeny(message=reply.text, interrupt=reply.interrupt)
        if reply.allow and reply.text.strip():
            self._remarks[tool_use_id] = reply.text
        return sdk.PermissionResultAllow(
            updated_input=reply.input,
            updated_permissions=[sdk.PermissionUpdate.from_dict(written(one)) for one in reply.grants]
            or None,
        )

    async def _change(self, tool: str, source: dict[str, Any]) -> dict[str, Any]:
        """Return what a call would do to its file, read beside the session's messages."""
        if tool not in EDITING:
            return {}
        try:
            async with asyncio.timeout(FILE_SECONDS):
                return await asyncio.to_thread(change_of, tool, source, str(self._launch.settings.directory))
        except TimeoutError:
            return {"type": UPDATE, "trouble": f"cannot be read within {FILE_SECONDS:.0f} s"}

    async def _session_of(self, tool_use_id: str) -> str:
        """Return the id of the session in which a call was made.

        A cleared conversation has another id. The message stream reports it, in order with the calls;
        requests come on another channel, which may be faster.
        """
        await self.waits.calls.shown(tool_use_id)
        return self._session_id()

    def _return_remark(self, tool_use_id: str, reason: str) -> None:
        """Give back a remark on a permission that did not reach the agent."""
        text = self._remarks.pop(tool_use_id, "")
        if text:
            self._emit(PromptReturned(text, reason))

    async def _decide_question(self, name: str, source: dict[str, Any]) -> PermissionResult:
        reply = self._replies.pop(name, None)
        try:
            questions = parse_question_set(name, source)
        except QuestionFormatError as error:
            return sdk.PermissionResultDeny(message=UNREADABLE.format(problem=error))
        return self._result(name, reply or await self._question_reply(questions) or _POSTPONED)

    async def _question_reply(self, questions: QuestionSet, *, parkable: bool = False) -> Reply | None:
        """Ask the questions; return None if the call is deferred."""
        request = QuestionRequest(questions.id, await self._session_of(questions.id), questions)
        # A parked set that is asked again is no further round.
        if questions.id not in self.asked[request.session_id]:
            if not self.will_ask(0):
                return reply_to(request, Discussed(PROCEED), {})
            self.asked[request.session_id].add(questions.id)
        outcome = await self.waits.wait_for_person(request, parkable=parkable)
        deferred = isinstance(outcome, Parked) and outcome.deferred
        return None if deferred else _reply(request, outcome, questions.source)


_POSTPONED = Reply(allow=False, text=POSTPONED)


def _reply(request: Request, outcome: WaitOutcome, source: Mapping[str, Any]) -> Reply:
    return _POSTPONED if isinstance(outcome, Parked) else reply_to(request, outcome, source)


def _allow(updated_input: dict[str, Any]) -> HookJSONOutput:
    return {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "allow",
            "updatedInput": updated_input,
        }
    }

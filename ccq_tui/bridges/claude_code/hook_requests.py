"""What a hook asks, to the inbox and back: questions, permissions and plans, forms and links of MCP servers.

The replies that Claude Code takes, and the text that the model then reads, are measured: docs/measured.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ccq_tui.bridges.claude_code.hook_input import ELICITATION, PERMISSION, HookInput
from ccq_tui.bridges.claude_code.transcript import CallEnd
from ccq_tui.claude_lines import PLAN_TOOL, QUESTION_TOOL, text
from ccq_tui.inbox.agent_texts import INTERRUPTED, rejection, said_by_user
from ccq_tui.inbox.call_results import outcome_of
from ccq_tui.inbox.dangers import placed
from ccq_tui.inbox.elicitations import read_elicitation
from ccq_tui.inbox.file_changes import change_of
from ccq_tui.inbox.kinds import reply_to
from ccq_tui.inbox.kinds.elicitation import as_result
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
from ccq_tui.inbox.suggestions import read_suggestions, written
from ccq_tui.questions.parse import readable_set

DECIDED_THERE = Cancelled("decided in Claude Code")


def request_of(hook: HookInput, call_id: str) -> Request | None:
    """Return the request of a hook, or None if it cannot be shown; ``call_id`` may be a stand-in."""
    if hook.event == ELICITATION:
        return read_elicitation(hook.said, call_id, hook.session_id, hook.origin())
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
    reply = reply_to(request, outcome, hook.said if hook.event == ELICITATION else hook.input)
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
    refused = end.decision == "reject" or end.denial or result.output.startswith(INTERRUPTED)
    if refused:
        return Denied(said_by_user(result.output))
    if not (end.decision == "accept" or not result.failed):
        return DECIDED_THERE
    record = result.structured if isinstance(result.structured, dict) else {}
    return Allowed(plan=text(record, "plan") if record.get("planWasEdited") is True else "")

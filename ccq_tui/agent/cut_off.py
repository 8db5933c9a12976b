"""The calls that the process of a session left without a result."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ccq_tui.agent.events import AgentEvent, ToolFinished, ToolStarted
from ccq_tui.claude_lines import QUESTION_TOOL
from ccq_tui.inbox.agent_texts import ABANDONED, LOST, MISSING, POSTPONED, UNASKED
from ccq_tui.inbox.kinds import named
from ccq_tui.inbox.open_request import OpenRequest
from ccq_tui.inbox.requests import Allowed, Cancelled, PermissionRequest, QuestionRequest
from ccq_tui.inbox.store.rows import RequestState
from ccq_tui.words import listed

UNTAKEN_RESULTS = (ABANDONED, LOST, MISSING, POSTPONED, UNASKED)
"""Beginnings of the results of calls that no decision reached."""
NEVER_RAN = "Never ran, permission withdrawn as the process ended"
WITHDRAWN = "Withdrawn as the process ended"
NO_RESULT = "No result, as the process ended"
UNTAKEN = "the process that asked ended before the call had a result"
"""The reason by which a decision is given up that may have reached the agent."""
MOST_NAMED = 3
"""Most names with the same words."""


def cut_off(past: Sequence[AgentEvent], left: Iterable[OpenRequest]) -> str:
    """Say what is known of calls without a result; "" if there are none.

    Args:
        past: The past of the session. Questions in it have lives of their own.
        left: What an earlier process asked.
    """
    results: dict[str, str] = {}
    calls: dict[str, tuple[str, str]] = {}
    for event in past:
        if isinstance(event, ToolFinished):
            results[event.tool_use_id] = event.output
            calls.pop(event.tool_use_id, None)
        elif isinstance(event, ToolStarted) and event.tool != QUESTION_TOOL:
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

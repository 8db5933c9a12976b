"""The event Elicitation: forms and links of MCP servers, to the inbox and back.

Claude Code runs the hook before it shows the form, and waits for it: nobody can answer in the terminal
meanwhile. A hook that prints nothing leaves the form to the terminal (docs/measured.md).
"""

from __future__ import annotations

from typing import Any

from ccq_tui.bridges.claude_code.hook_input import HookInput
from ccq_tui.bridges.claude_code.permission_requests import CLAUDE_CODE, DECIDED_THERE
from ccq_tui.bridges.claude_code.transcript import CallEnd
from ccq_tui.inbox.elicitations import read_elicitation, reply
from ccq_tui.inbox.requests import (
    Asker,
    Cancelled,
    ElicitationRequest,
    Origin,
    Request,
    RequestOutcome,
    foreign_session,
)
from ccq_tui.processes import this_process

EVENT = "Elicitation"
HOLDS_DIALOG = True


def request_of(hook: HookInput, call_id: str) -> Request:
    """Return what a person is asked.

    Args:
        hook: What the hook was told.
        call_id: What stands for the ``tool_use_id``, which the hook is not told.
    """
    origin = Origin(Asker.HOOK, CLAUDE_CODE, hook.directory, this_process())
    return read_elicitation(hook.said, call_id, foreign_session(Asker.HOOK, hook.session_id), origin)


def decision_of(hook: HookInput, request: Request, outcome: RequestOutcome) -> dict[str, Any] | None:  # noqa: ARG001
    """Return what the hook prints for an outcome, or None for nothing, which has the terminal ask."""
    if isinstance(outcome, Cancelled) or not isinstance(request, ElicitationRequest):
        return None
    return {"hookSpecificOutput": {"hookEventName": EVENT, **reply(request, outcome)}}


def outcome_there(request: Request, end: CallEnd) -> RequestOutcome:  # noqa: ARG001 - no dialog is beside the hook
    """Return that the form ended in Claude Code; how, nothing on disk says."""
    return Cancelled(DECIDED_THERE)

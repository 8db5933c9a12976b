"""The event Elicitation: forms and links of MCP servers, to the inbox and back.

Claude Code runs the hook before it shows the form, and waits for it: nobody can answer in the terminal
meanwhile. A hook that prints nothing leaves the form to the terminal (docs/measured.md).
"""

from __future__ import annotations

from typing import Any

from ccq_tui.bridges.claude_code.hook_input import HookInput
from ccq_tui.bridges.claude_code.permission_requests import DECIDED_THERE
from ccq_tui.bridges.claude_code.transcript import CallEnd
from ccq_tui.inbox.elicitations import read_elicitation
from ccq_tui.inbox.kinds import reply_to
from ccq_tui.inbox.kinds.elicitation import as_result
from ccq_tui.inbox.requests import Cancelled, Request, RequestOutcome

EVENT = "Elicitation"
HOLDS_DIALOG = True


def request_of(hook: HookInput, call_id: str) -> Request:
    """Return the request of a hook; ``call_id`` stands in for the ``tool_use_id``, which its input lacks."""
    return read_elicitation(hook.said, call_id, hook.session_id, hook.origin())


def decision_of(hook: HookInput, request: Request, outcome: RequestOutcome) -> dict[str, Any] | None:
    """Return the hook's output for an outcome, or None to let the terminal ask."""
    reply = reply_to(request, outcome, hook.said)
    return None if reply.interrupt else {"hookSpecificOutput": {"hookEventName": EVENT, **as_result(reply)}}


def outcome_there(request: Request, end: CallEnd) -> RequestOutcome:  # noqa: ARG001 - no dialog is beside the hook
    """Return a cancellation: the form ended in Claude Code, and nothing on disk says how."""
    return Cancelled(DECIDED_THERE)

"""Requests of the control protocol that the SDK has no method for, or whose answers it drops."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from claude_agent_sdk import ClaudeSDKClient

from ccq_tui.agent.claude.shutdown import limited
from ccq_tui.agent.commands import CommandError
from ccq_tui.compat.sdk.control import sender


async def ask(client: ClaudeSDKClient, subtype: str, fields: Mapping[str, Any], seconds: float) -> Any:
    """Ask the CLI something.

    The public methods for rewinding files and for several others return nothing of the answer, and renaming,
    rewinding the conversation and the effort have none; all go through the SDK's own sender.

    Args:
        client: The connected client.
        subtype: The request's name.
        fields: What goes with it.
        seconds: How long the answer may take.

    Returns:
        The answer; a mapping unless the CLI's protocol changed.

    Raises:
        CommandError: The CLI refused, does not know the request, or did not answer in time.
    """
    send = sender(client)
    if send is None:
        raise CommandError("This version of claude-agent-sdk cannot ask it.")
    return await limited(send({"subtype": subtype, **fields}), seconds)

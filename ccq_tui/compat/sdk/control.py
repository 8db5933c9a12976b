"""Requests of the control protocol.

The SDK's public methods for some of them drop the CLI's answer, and others have none.
"""

from collections.abc import Awaitable, Callable
from typing import Any

from claude_agent_sdk import ClaudeSDKClient


def sender(client: ClaudeSDKClient) -> Callable[[dict[str, Any]], Awaitable[Any]] | None:
    """Return the function that sends a request and waits for its answer, or None if this SDK has none."""
    send: Callable[[dict[str, Any]], Awaitable[Any]] | None = getattr(
        getattr(client, "_query", None), "_send_control_request", None
    )
    return send

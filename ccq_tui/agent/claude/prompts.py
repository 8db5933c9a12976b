"""A prompt as the CLI reads it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any


def prompt_message(text: str, prompt_id: str) -> dict[str, Any]:
    """Make the message that gives the CLI a prompt.

    Args:
        text: The prompt.
        prompt_id: A UUID; the CLI echoes the prompt with it when it reaches the agent.

    Returns:
        The message, which the SDK writes as it is.
    """
    return {
        "type": "user",
        "message": {"role": "user", "content": text},
        "parent_tool_use_id": None,
        "session_id": "default",
        "uuid": prompt_id,
    }


async def as_stream(text: str, prompt_id: str) -> AsyncIterator[dict[str, Any]]:
    """Give the message of a prompt, as the SDK wants it.

    Yields:
        The one message.
    """
    yield prompt_message(text, prompt_id)

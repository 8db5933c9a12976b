"""A prompt as the CLI reads it."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator, Sequence
from typing import Any

from ccq_tui.agent.commands import CommandError, ImageFile
from ccq_tui.bounded import UnfitFileError, read_bytes
from ccq_tui.prompts.images import MOST_BYTES


def image_blocks(images: Sequence[ImageFile]) -> list[dict[str, Any]]:
    """Read images as the API wants them. For a thread.

    Args:
        images: The images.

    Raises:
        CommandError: One of them cannot be read; the message says which.
    """
    return [_block(image) for image in images]


def _block(image: ImageFile) -> dict[str, Any]:
    try:
        data = read_bytes(image.path, MOST_BYTES)
    except (OSError, UnfitFileError) as error:
        raise CommandError(f"{image.name} is no longer kept; take it out, or attach it again") from error
    encoded = base64.b64encode(data).decode()
    return {"type": "image", "source": {"type": "base64", "media_type": image.media_type, "data": encoded}}


def prompt_message(
    text: str, prompt_id: str, images: Sequence[dict[str, Any]] = (), *, answer: bool = True
) -> dict[str, Any]:
    """Make the message that gives the CLI a prompt.

    Args:
        text: The prompt.
        prompt_id: A UUID; the CLI echoes the prompt with it when it reaches the agent.
        images: Blocks of images, which go after the text, as those of Claude Code's own screen do.
        answer: Whether the agent answers it; else the CLI puts it before the next prompt that it does.

    Returns:
        The message, which the SDK writes as it is.
    """
    content = [{"type": "text", "text": text}, *images] if images else text
    message = {
        "type": "user",
        "message": {"role": "user", "content": content},
        "parent_tool_use_id": None,
        "session_id": "default",
        "uuid": prompt_id,
    }
    return message if answer else message | {"shouldQuery": False}


async def as_stream(
    text: str, prompt_id: str, images: Sequence[dict[str, Any]] = (), *, answer: bool = True
) -> AsyncIterator[dict[str, Any]]:
    """Give the message of a prompt, as the SDK wants it.

    Yields:
        The one message.
    """
    yield prompt_message(text, prompt_id, images, answer=answer)

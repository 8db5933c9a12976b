"""A prompt as the CLI reads it."""

import base64
from collections.abc import AsyncIterator, Sequence
from typing import Any

from ccq_tui.agent.controls import CommandError, ImageFile
from ccq_tui.bounded import UnfitFileError, read_bytes
from ccq_tui.prompts.images import MOST_BYTES


def image_blocks(images: Sequence[ImageFile]) -> list[dict[str, Any]]:
    """Read images as the API wants them; raises `CommandError`, which names the image. For a thread."""
    blocks: list[dict[str, Any]] = []
    for image in images:
        try:
            data = base64.b64encode(read_bytes(image.path, MOST_BYTES)).decode()
        except (OSError, UnfitFileError) as error:
            raise CommandError(f"{image.name} is no longer kept; take it out, or attach it again") from error
        source = {"type": "base64", "media_type": image.media_type, "data": data}
        blocks.append({"type": "image", "source": source})
    return blocks


def prompt_message(
    text: str, prompt_id: str, images: Sequence[dict[str, Any]] = (), *, answer: bool = True
) -> dict[str, Any]:
    """Return the message that gives the CLI a prompt; the CLI echoes it with ``prompt_id``, a UUID.

    Images go after the text, as in Claude Code's own screen. A prompt that wants no answer is put before
    the next one that does.
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


async def as_stream(message: dict[str, Any]) -> AsyncIterator[dict[str, Any]]:
    """Yield the one message of a prompt, as the SDK wants it."""
    yield message

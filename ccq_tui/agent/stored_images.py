"""Images in stored prompts: named in the prompt's text, of which they are a part."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ccq_tui.agent.output_text import output_text
from ccq_tui.prompts.images import HEADER_BYTES, header, names_in, size_words


def with_images_named(blocks: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Put the names of images into the text before them.

    A text that has the names already, as ccq-tui sends it, stays as it is.

    Args:
        blocks: The blocks of one stored prompt.

    Yields:
        The blocks without the images whose text names them.
    """
    given = list(blocks)
    images = [block for block in given if block.get("type") in ("image", "document")]
    texts = [block for block in given if block.get("type") == "text"]
    if not images or not texts or any(block.get("type") == "tool_result" for block in given):
        yield from given
        return
    said = sum(len(names_in(str(block.get("text", "")))) for block in texts)
    for block in given:
        if block in images:
            continue
        if block is texts[-1] and said < len(images):
            names = (_name(number, image) for number, image in enumerate(images, start=1) if number > said)
            yield {**block, "text": "\n".join([str(block.get("text", "")), *names])}
        else:
            yield block


def _name(number: int, block: Mapping[str, Any]) -> str:
    source = block.get("source")
    data = source.get("data") if isinstance(source, Mapping) else None
    if block.get("type") == "image" and isinstance(data, str):
        try:
            found = header(base64.b64decode(data[: HEADER_BYTES * 4 // 3 // 4 * 4]))
        except (binascii.Error, ValueError):
            found = None
        if found is not None:
            size = size_words(len(data) * 3 // 4 - data[-2:].count("="))
            return f"[image {number}: {found[1]}×{found[2]}, {size}]"
    return output_text([dict(block)])

"""A message on the wire: server-sent events, or one JSON body."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ccq_tui.testing.play import Part, Turn
from ccq_tui.testing.scenario import Cut, Silence, error_body

_DELTA_TYPES = {"text": "text_delta", "thinking": "thinking_delta", "partial_json": "input_json_delta"}


@dataclass(frozen=True, slots=True)
class Chunk:
    """Bytes to send, and the number of characters of content in them (what the speed counts)."""

    data: bytes
    characters: int = 0


def stream(turn: Turn, model: str, delta_size: int) -> Iterator[Chunk | Silence | Cut]:
    """Turn a message into a stream.

    Args:
        turn: The message.
        model: The model's name, as the request had it.
        delta_size: Characters per delta.

    Yields:
        Chunks to send, silences to keep, and at most one cut, which is the last.
    """
    parts = list(turn.parts)
    # A silence before the first content is one before the first byte.
    while parts and isinstance(parts[0], Silence):
        yield parts.pop(0)  # type: ignore[misc]
    yield _event("message_start", message=_envelope(turn, model))
    left = turn.cut.after if turn.cut is not None else None
    index = 0
    for part in parts:
        if isinstance(part, Silence):
            yield part
            continue
        yield _event("content_block_start", index=index, content_block=dict(part.start))
        for begin in range(0, len(part.content), delta_size):
            piece = part.content[begin : begin + delta_size]
            if left is not None and len(piece) > left:
                yield _delta(index, part, piece[:left])
                yield from _breaking(turn.cut)
                return
            left = None if left is None else left - len(piece)
            yield _delta(index, part, piece)
        if part.delta == "thinking":
            yield _event(
                "content_block_delta", index=index, delta={"type": "signature_delta", "signature": "c2lnbmVk"}
            )
        yield _event("content_block_stop", index=index)
        index += 1
    if turn.cut is not None:
        yield from _breaking(turn.cut)
        return
    yield _event(
        "message_delta",
        delta={"stop_reason": turn.stop_reason, "stop_sequence": None},
        usage={"output_tokens": turn.usage.get("output_tokens", 1)},
    )
    yield _event("message_stop")


def whole(turn: Turn, model: str) -> Iterator[Chunk | Silence | Cut]:
    """Turn a message into one JSON body, for a request without ``stream``; otherwise like ``stream``."""
    yield from (part for part in turn.parts if isinstance(part, Silence))
    if turn.cut is not None:
        yield turn.cut
        return
    content = [_block(part) for part in turn.parts if isinstance(part, Part)]
    usage = {**_no_cache(), **turn.usage}
    made = {**_envelope(turn, model), "content": content, "stop_reason": turn.stop_reason, "usage": usage}
    yield Chunk(json.dumps(made).encode())


def _block(part: Part) -> dict[str, Any]:
    if part.delta == "partial_json":
        return {**part.start, "input": json.loads(part.content)}
    return {**part.start, part.delta: part.content}


def _envelope(turn: Turn, model: str) -> dict[str, Any]:
    return {
        "id": turn.id,
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {**_no_cache(), **turn.usage, "output_tokens": 1},
    }


def _no_cache() -> Mapping[str, int]:
    return {"cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}


def _delta(index: int, part: Part, piece: str) -> Chunk:
    delta = {"type": _DELTA_TYPES[part.delta], part.delta: piece}
    return Chunk(_event("content_block_delta", index=index, delta=delta).data, len(piece))


def _breaking(cut: Cut | None) -> Iterator[Chunk | Cut]:
    if cut is None:
        return
    if cut.error:
        body = error_body(cut.error, "scripted failure in the stream")
        yield Chunk(f"event: error\ndata: {json.dumps(body)}\n\n".encode())
    yield cut


def _event(kind: str, **fields: Any) -> Chunk:
    return Chunk(f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n".encode())

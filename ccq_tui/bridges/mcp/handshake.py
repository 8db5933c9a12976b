"""The answer to ``initialize``, given before the `mcp` package is loaded.

Loading takes about a second, and some clients show a slower server as failed. The package gets the same
message once it is loaded, and its answer is dropped. Nothing here may import it.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import ccq_tui

NAME = "ccq-tui"
INSTRUCTIONS = (
    "ask_user puts questions to the user, in ccq-tui, and waits for the answers, which may take minutes or "
    "hours. Use it whenever a decision is the user's to make. If a call ends before it is answered, ask "
    "exactly the same again: an answer given meanwhile is returned at once. notify_user tells the user "
    "something without waiting. list_requests lists what you asked and have no answer to."
)
VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""Versions of the protocol that begin with ``initialize``, as the package has them."""
CAPABILITIES = {"tools": {"listChanged": False}}


class Handshake(NamedTuple):
    """An answer to ``initialize``.

    Attributes:
        id: The id of the message that it answers.
        line: The answer.
    """

    id: str | int
    line: bytes


def early_answer(line: bytes) -> Handshake | None:
    """Return the package's answer to a first message; None unless it is a plain ``initialize``."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return None
    match message:
        case {
            "jsonrpc": "2.0",
            "id": str() | int() as id_,
            "method": "initialize",
            "params": {
                "protocolVersion": str() as version,
                "capabilities": dict(),
                "clientInfo": {"name": str(), "version": str()},
            },
        } if version in VERSIONS and not isinstance(id_, bool):
            answer = {"jsonrpc": "2.0", "id": id_, "result": initialize_result(version)}
            return Handshake(id_, json.dumps(answer, separators=(",", ":")).encode() + b"\n")
    return None


def initialize_result(version: str) -> dict[str, Any]:
    """Return the result of ``initialize`` for a version of the protocol."""
    return {
        "protocolVersion": version,
        "capabilities": CAPABILITIES,
        "serverInfo": {"name": NAME, "version": ccq_tui.__version__},
        "instructions": INSTRUCTIONS,
    }

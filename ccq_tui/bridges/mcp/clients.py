"""MCP clients: their names for people, and the stand-ins for their sessions."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256

from ccq_tui.inbox.requests import Asker, RequestKey
from ccq_tui.text import one_line

MOST_NAME = 40
MOST_DIRECTORY = 1000
_NAMES = {
    "claude-code": "Claude Code",
    "claude-ai": "Claude",
    "codex-mcp-client": "Codex",
    "gemini-cli-mcp-client": "Gemini CLI",
    "cursor-vscode": "Cursor",
}
"""The better known names of clients, by the beginning of their own."""


@dataclass(frozen=True, slots=True)
class Client:
    """A client, as far as its questions belong together.

    Attributes:
        name: Its name for people, harmless and in one line.
        directory: Its working directory, or "" if unknown.
        connection: A key that distinguishes it from clients of its name if its directory is unknown, or "".
    """

    name: str
    directory: str = ""
    connection: str = ""

    @property
    def asker_id(self) -> str:
        """Its key among clients: the same for the same client in the same directory."""
        told = "\0".join((self.name, self.directory, self.connection))
        return sha256(told.encode("utf-8", "replace")).hexdigest()[:16]

    @property
    def session_id(self) -> str:
        """The client among the sessions."""
        return RequestKey(Asker.MCP, self.asker_id, "").session_id


def shown_name(name: str, title: str = "") -> str:
    """Return a client's name for people, from its title or its own name.

    A client such as Gemini CLI appends its name for the server to its own name.
    """
    known = next((shown for begin, shown in _NAMES.items() if name.startswith(begin)), "")
    return one_line(title or known or name, MOST_NAME) or "MCP client"

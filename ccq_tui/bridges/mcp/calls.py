"""MCP clients, and their calls that wait for a person."""

from dataclasses import dataclass
from hashlib import sha256

from ccq_tui.inbox.requests import Asker, asker_name
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
        key = "\0".join((self.name, self.directory, self.connection))
        return sha256(key.encode("utf-8", "replace")).hexdigest()[:16]

    @property
    def session_id(self) -> str:
        """The client among the sessions."""
        return asker_name(Asker.MCP, self.asker_id)


def shown_name(name: str, title: str = "") -> str:
    """Return a client's name for people, from its title or its own name.

    A client such as Gemini CLI appends its name for the server to its own name.
    """
    known = next((shown for begin, shown in _NAMES.items() if name.startswith(begin)), "")
    return one_line(title or known or name, MOST_NAME) or "MCP client"


class TooManyError(Exception):
    """A client asks more than a person can look at."""


@dataclass(slots=True, eq=False)
class McpCall:
    """A call that waits for a person.

    Attributes:
        client: Who calls.
        request_id: The request that it made, or "" before it is written; set in the store's thread.
        is_withdrawn: Whether the client no longer wants the answer.
    """

    client: Client
    request_id: str = ""
    is_withdrawn: bool = False

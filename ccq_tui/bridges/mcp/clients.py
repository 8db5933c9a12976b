"""MCP clients: their names for people, and the entry of this server in their configuration."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from ccq_tui.inbox.requests import Asker, foreign_session
from ccq_tui.text import one_line

SERVER = "ccq"
"""The server's name in a client's configuration; in Claude Code a tool is ``mcp__ccq__ask_user``."""
MOST_NAME = 40
MOST_DIRECTORY = 1000
DAY_SECONDS = 86_400
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
    def session_id(self) -> str:
        """The stand-in for its session: the same for the same client in the same directory."""
        told = "\0".join((self.name, self.directory, self.connection))
        return foreign_session(Asker.MCP, sha256(told.encode("utf-8", "replace")).hexdigest()[:16])


def shown_name(name: str, title: str = "") -> str:
    """Return a client's name for people, from its title or its own name.

    A client such as Gemini CLI appends its name for the server to its own name.
    """
    known = next((shown for begin, shown in _NAMES.items() if name.startswith(begin)), "")
    return one_line(title or known or name, MOST_NAME) or "MCP client"


def own_command() -> list[str]:
    """Return the words that start this program from any directory."""
    started = Path(sys.argv[0])
    found = shutil.which(sys.argv[0]) if os.sep not in sys.argv[0] else str(started)
    if found and started.name != "__main__.py" and os.access(found, os.X_OK):
        return [os.path.abspath(found)]  # noqa: PTH100 - a link of a tool installer is to stay one
    return [sys.executable, "-m", "ccq_tui"]


@dataclass(frozen=True, slots=True)
class Setup:
    """The entry of a server in the configuration of a client.

    Attributes:
        file: The client's own configuration, below the home directory.
        hint: The place of the lines, for a person.
        more: Fields of the entry besides the command, such as the timeout of a call.
        key: The key above the entry.
        url: The name of the field for the URL of a server over HTTP.
    """

    file: str
    hint: str
    more: Mapping[str, Any]
    key: str = "mcpServers"
    url: str = "url"

    @property
    def is_toml(self) -> bool:
        """Whether the configuration is TOML; it is JSON otherwise."""
        return self.file.endswith(".toml")


SETUPS = {
    "claude": Setup(
        ".claude.json",
        "Add to ~/.claude.json (all projects) or .mcp.json (one project), or run: claude mcp add-json",
        {},
    ),
    "codex": Setup(
        ".codex/config.toml", "Add to ~/.codex/config.toml", {"tool_timeout_sec": DAY_SECONDS}, "mcp_servers"
    ),
    "gemini": Setup(
        ".gemini/settings.json",
        "Add to ~/.gemini/settings.json (all projects) or .gemini/settings.json (one project)",
        {"timeout": DAY_SECONDS * 1000},
        url="httpUrl",
    ),
    "cursor": Setup(
        ".cursor/mcp.json", "Add to ~/.cursor/mcp.json (all projects) or .cursor/mcp.json (one project)", {}
    ),
}
TYPED = ("claude",)
"""Clients whose entries name the transport."""


def stdio_entry(client: str, command: list[str]) -> dict[str, Any]:
    """Return the entry of this server in the configuration of a client of `SETUPS` that starts it itself."""
    kind = {"type": "stdio"} if client in TYPED else {}
    return {**kind, "command": command[0], "args": [*command[1:], "mcp"], **SETUPS[client].more}


def http_entry(client: str, url: str, token: str) -> dict[str, Any]:
    """Return the entry of a running server in the configuration of a client of `SETUPS`."""
    setup = SETUPS[client]
    kind = {"type": "http"} if client in TYPED else {}
    headers = "http_headers" if setup.is_toml else "headers"
    return {**kind, setup.url: url, headers: {"Authorization": f"Bearer {token}"}, **setup.more}


def lines_of(client: str, entry: Mapping[str, Any]) -> str:
    """Write an entry in the format of a client's configuration."""
    setup = SETUPS[client]
    if not setup.is_toml:
        return json.dumps({setup.key: {SERVER: entry}}, indent=2, ensure_ascii=False)
    rows = [f"{name} = {_toml(value)}" for name, value in entry.items()]
    return "\n".join([f"[{setup.key}.{SERVER}]", *rows])


def _toml(value: Any) -> str:
    """Write a value on one line; strings and lists of them look the same as in JSON."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(name)} = {_toml(one)}" for name, one in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False)

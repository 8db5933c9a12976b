"""The entry of this server in the configuration of an MCP client: written, found, added and removed."""

import json
import os
import re
import sys
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ccq_tui.bounded import JSON_BYTES, parse_toml
from ccq_tui.edited_file import Edit, EditedFile, SettingsFileError, read_object, rewritten

SERVER = "ccq"
"""The server's name in a client's configuration; in Claude Code a tool is ``mcp__ccq__ask_user``."""
DAY_SECONDS = 86_400
_TOML_ENTRY = re.compile(
    r"(?:\r?\n){0,2}^\[mcp_servers\.ccq[.\]].*?"
    r"(?=\r?\n(?:[ \t]*(?:#[^\n]*)?\r?\n)*[ \t]*(?:\[|\Z|#[^\n]*\Z)|\Z)",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Setup:
    """The place and form of the entry of a server in the configuration of a client.

    Attributes:
        file: The client's own configuration, below the home directory.
        project: The file of one project, or "".
        more: Fields of the entry besides the command, such as the timeout of a call.
        key: The key above the entry.
        url: The name of the field for the URL of a server over HTTP.
        kinds: The values of the field ``type`` for a program and for HTTP, if the client has that field.
        one_list: Whether the program and its arguments are one list.
    """

    file: str
    project: str = ""
    more: Mapping[str, Any] = field(default_factory=dict)
    key: str = "mcpServers"
    url: str = "url"
    kinds: tuple[str, str] | None = None
    one_list: bool = False

    @property
    def is_toml(self) -> bool:
        """Whether the configuration is TOML; it is JSON otherwise."""
        return self.file.endswith(".toml")


SETUPS = {
    "claude": Setup(".claude.json", ".mcp.json", kinds=("stdio", "http")),
    "codex": Setup(".codex/config.toml", more={"tool_timeout_sec": DAY_SECONDS}, key="mcp_servers"),
    "gemini": Setup(
        ".gemini/settings.json", ".gemini/settings.json", {"timeout": DAY_SECONDS * 1000}, url="httpUrl"
    ),
    "cursor": Setup(".cursor/mcp.json", ".cursor/mcp.json"),
    "opencode": Setup(
        ".config/opencode/opencode.json",
        "opencode.json",
        {"enabled": True, "timeout": DAY_SECONDS * 1000},
        "mcp",
        kinds=("local", "remote"),
        one_list=True,
    ),
    "vscode": Setup(".config/Code/User/mcp.json", ".vscode/mcp.json", key="servers", kinds=("stdio", "http")),
    "zed": Setup(".config/zed/settings.json", ".zed/settings.json", key="context_servers"),
}


def stdio_entry(client: str, command: list[str]) -> dict[str, Any]:
    """Return the entry of this server in the configuration of a client of `SETUPS` that starts it itself."""
    setup, words = SETUPS[client], [*command, "mcp"]
    kind = {"type": setup.kinds[0]} if setup.kinds else {}
    run = {"command": words} if setup.one_list else {"command": words[0], "args": words[1:]}
    return {**kind, **run, **setup.more}


def http_entry(client: str, url: str, token: str) -> dict[str, Any]:
    """Return the entry of a running server in the configuration of a client of `SETUPS`."""
    setup = SETUPS[client]
    kind = {"type": setup.kinds[1]} if setup.kinds else {}
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


def file_of(client: str) -> EditedFile:
    """Return a client's own configuration."""
    name, home = SETUPS[client].file, Path.home()
    if client == "claude":
        base = Path(os.environ.get("CLAUDE_CONFIG_DIR") or home)
        return EditedFile(base / name, base, most=20 * JSON_BYTES)  # it holds much beside the servers
    below = name.removeprefix(".config/")
    if below != name and sys.platform == "darwin" and client == "vscode":
        return EditedFile(home / "Library" / "Application Support" / below, home)
    if below != name and (config := os.environ.get("XDG_CONFIG_HOME")):
        return EditedFile(Path(config) / below, Path(config))
    return EditedFile(home / name, home)


def servers_in(client: str, text: str) -> dict[str, Any]:
    """Return the servers in the text of a client's configuration; raises `SettingsFileError`."""
    servers = _content(client, text).get(SETUPS[client].key, {})
    if not isinstance(servers, dict):
        raise SettingsFileError(f"its “{SETUPS[client].key}” is no table of servers")
    return servers


def _content(client: str, text: str) -> dict[str, Any]:
    if not SETUPS[client].is_toml:
        return read_object(text)
    try:
        return parse_toml(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsFileError(f"it cannot be read: {error}") from error


def with_entry(client: str, text: str, entry: Mapping[str, Any] | None) -> str:
    """Return the text of a client's configuration with this entry of ours, or without any.

    Raises `SettingsFileError` if it cannot be read, or has ours in a form that is not safely changed.
    """
    servers, key = servers_in(client, text), SETUPS[client].key
    if servers.get(SERVER) == entry:
        return text
    wanted = _content(client, text)
    wanted[key] = {name: server for name, server in servers.items() if name != SERVER}
    wanted[key] |= {SERVER: entry} if entry is not None else {}
    if not wanted[key]:
        del wanted[key]
    changed = _toml_with(client, text, entry) if SETUPS[client].is_toml else rewritten(text, wanted)
    with suppress(SettingsFileError):  # the text after the change may be one that cannot be read
        if {key: {}, **_content(client, changed)} == {key: {}, **wanted}:
            return changed
    raise SettingsFileError(f"its entry “{SERVER}” cannot be changed safely: change it yourself")


def entry_edit(client: str, entry: Mapping[str, Any] | None) -> Edit:
    """Return the change of a client's configuration that leaves this entry of ours, or none."""
    texts = (lambda text, one=one: with_entry(client, text, one) for one in (entry, None))
    return Edit(file_of(client), *texts)


def _toml_with(client: str, text: str, entry: Mapping[str, Any] | None) -> str:
    text = _TOML_ENTRY.sub("", text)
    if entry is None or not text.strip():
        return f"{lines_of(client, entry)}\n" if entry else text.strip() and text
    eol, head = "\r\n" if "\r\n" in text else "\n", text.rstrip("\r\n")
    # The ends of lines at the end of the file stay there, so that taking the entry out restores each byte.
    return head + f"\n\n{lines_of(client, entry)}".replace("\n", eol) + text[len(head) :]

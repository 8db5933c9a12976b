"""Checks of ``ccq-tui mcp`` in the configurations of MCP clients."""

from __future__ import annotations

import os
import shutil
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ccq_tui.bounded import JSON_BYTES, UnfitFileError, parse_json, parse_toml, read_text
from ccq_tui.bridges.mcp.clients import SETUPS, Setup
from ccq_tui.doctor.check import Check, Level
from ccq_tui.text import one_line

AREA = "MCP"
MOST_BYTES = 20 * JSON_BYTES
"""Largest file that is read: Claude Code's file holds much beside its servers."""


def examine_mcp() -> list[Check]:
    """Check each client whose configuration names this server; return nothing where none does."""
    return [check for client, setup in SETUPS.items() for check in _checks(client, setup)]


def _checks(client: str, setup: Setup) -> Iterator[Check]:
    for entry in _entries(setup):
        command, args = entry.get("command"), entry.get("args")
        if not (isinstance(command, str) and isinstance(args, list)):
            continue
        words = [command, *args]
        if not all(isinstance(word, str) for word in words):
            continue
        if words[-1] != "mcp" or not (Path(command).name == "ccq-tui" or "ccq_tui" in words):
            continue
        shown = one_line(" ".join(words), 200)
        if shutil.which(command):
            yield Check(AREA, client, shown)
        else:
            advice = f'Replace the entry by what "ccq-tui mcp config {client}" prints.'
            yield Check(AREA, client, f"{shown}: there is no such program", Level.WARNING, advice)


def _entries(setup: Setup) -> list[Mapping[str, Any]]:
    """Return the servers of a client; none where its file is missing or malformed."""
    try:
        text = read_text(_file(setup), MOST_BYTES)
        content = parse_toml(text) if setup.is_toml else parse_json(text)
    except (UnfitFileError, tomllib.TOMLDecodeError, ValueError):
        return []  # the client itself reports what is wrong with it
    servers = content.get(setup.key) if isinstance(content, Mapping) else None
    found = servers.values() if isinstance(servers, Mapping) else ()
    return [entry for entry in found if isinstance(entry, Mapping)]


def _file(setup: Setup) -> Path:
    own = os.environ.get("CLAUDE_CONFIG_DIR") if setup is SETUPS["claude"] else None
    return Path(own or Path.home()) / setup.file

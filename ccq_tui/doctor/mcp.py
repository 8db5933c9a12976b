"""Checks of ``ccq-tui mcp`` in the configurations of MCP clients."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from ccq_tui.bridges.edited_file import SettingsFileError
from ccq_tui.bridges.mcp.entries import SETUPS, file_of, servers_in
from ccq_tui.doctor.check import Check, Level
from ccq_tui.text import one_line

AREA = "MCP"


def examine_mcp() -> list[Check]:
    """Check each client whose configuration names this server; return nothing where none does."""
    return [check for client in SETUPS for check in _checks(client)]


def _checks(client: str) -> Iterator[Check]:
    try:
        servers = servers_in(client, file_of(client).read())
    except SettingsFileError:
        return  # the client itself reports what is wrong with it
    for entry in servers.values():
        words = _words(entry) if isinstance(entry, dict) else []
        if words[-1:] != ["mcp"] or not (Path(words[0]).name == "ccq-tui" or "ccq_tui" in words):
            continue
        shown = one_line(" ".join(words), 200)
        if shutil.which(words[0]):
            yield Check(AREA, client, shown)
        else:
            advice = f'Run "ccq-tui mcp install {client}".'
            yield Check(AREA, client, f"{shown}: there is no such program", Level.WARNING, advice)


def _words(entry: dict[str, object]) -> list[str]:
    """Return the program that an entry starts with its arguments; nothing if it is malformed."""
    command, args = entry.get("command"), entry.get("args", [])
    words = [
        *(command if isinstance(command, list) else [command]),
        *(args if isinstance(args, list) else [0]),
    ]
    texts = [word for word in words if isinstance(word, str)]
    return texts if len(texts) == len(words) else []

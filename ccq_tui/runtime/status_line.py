"""Finds and runs the ``statusLine`` command of Claude Code's settings, within bounds."""

import asyncio
import json
import re
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Mapping
from typing import Any

from ccq_tui.agent.claude_settings import chosen_settings, managed_settings
from ccq_tui.child_process import end, output_of
from ccq_tui.claude_files import record_files
from ccq_tui.claude_lines import fields, text
from ccq_tui.config.launch import Launch
from ccq_tui.runtime.facts import SessionFacts
from ccq_tui.text import one_line

SECONDS = 5.0
"""Seconds that the command may take."""
MOST_BYTES = 10_000
"""Most bytes read of its output."""
MOST_LINES = 3
LONGEST = 500
"""Most characters of a line."""
_STYLING = re.compile(r"\x1b\[[0-9;:]*m|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
"""Colours and links, which are removed."""


class StatusLineError(Exception):
    """The command gave nothing to show; the message is for the log."""


def status_command(launch: Launch) -> str:
    """Return the command that the settings name, or ""; reads files: for a thread.

    The settings of an untrusted directory do not apply.
    """
    flags = launch.settings
    if flags.bare or flags.safe_mode:
        return ""
    managed = managed_settings()
    if any(one.get("allowManagedHooksOnly") is True for one in managed):
        layers = managed
    else:
        layers = [*managed, *chosen_settings(launch)]
    if any(one.get("disableAllHooks") is True for one in layers):
        return ""
    line = next((fields(one, "statusLine") for one in layers if "statusLine" in one), {})
    return text(line, "command") if line.get("type") == "command" else ""


def status_data(launch: Launch, facts: SessionFacts, seconds: float) -> dict[str, Any]:
    """Return the command's JSON input, as Claude Code documents it; looks for a file: for a thread."""
    place = str(launch.settings.directory)
    records = record_files(facts.session_id, launch.environ())
    tokens, limit = facts.filled
    used = None if facts.context is None else round(facts.context)
    data: dict[str, Any] = {
        "hook_event_name": "Status",
        "session_id": facts.session_id,
        "transcript_path": str(records[0]) if records else "",
        "cwd": place,
        "permission_mode": facts.mode,
        "model": {"id": facts.model, "display_name": facts.model},
        "workspace": {
            "current_dir": place,
            "project_dir": place,
            "added_dirs": [str(path) for path in launch.settings.add_dirs],
        },
        "version": facts.cli_version,
        "output_style": {"name": facts.style or "default"},
        "cost": {
            "total_cost_usd": facts.cost or 0.0,
            "total_duration_ms": round(seconds * 1000),
            "total_api_duration_ms": round(facts.worked * 1000),
        },
        "context_window": {
            "total_input_tokens": tokens,
            "context_window_size": limit,
            "current_usage": None,
            "used_percentage": used,
            "remaining_percentage": None if used is None else 100 - used,
        },
        "exceeds_200k_tokens": tokens > 200_000,
    }
    optional = {
        "session_name": facts.title,
        "effort": {"level": facts.effort} if facts.effort else "",
        "agent": {"name": launch.settings.agent} if launch.settings.agent else "",
    }
    return data | {name: value for name, value in optional.items() if value}


async def run_status_command(command: str, data: Mapping[str, Any], launch: Launch) -> str:
    """Run the command in the session's directory; returns `MOST_LINES` harmless lines at most.

    Raises `StatusLineError`.
    """
    try:
        process = await asyncio.create_subprocess_shell(
            command,
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            cwd=launch.settings.directory,
            env=launch.environ(),
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        raise StatusLineError(f"it cannot be run: {type(error).__name__}") from error
    try:
        async with asyncio.timeout(SECONDS):
            output, code = await output_of(process, MOST_BYTES, json.dumps(data).encode() + b"\n")
    except TimeoutError as error:
        raise StatusLineError(f"it took longer than {SECONDS:g} s") from error
    finally:
        await end(process)  # with what it has left running
    if code:
        raise StatusLineError(f"it ended with exit code {code}")
    return harmless(output.decode("utf-8", "replace"))


def harmless(text: str) -> str:
    """Return lines of a command's output without colours, links and control characters."""
    lines = (one_line(line, LONGEST).rstrip() for line in _STYLING.sub("", text).splitlines())
    return "\n".join([line for line in lines if line][:MOST_LINES])

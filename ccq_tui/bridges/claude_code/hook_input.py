"""The input that Claude Code gives a hook on its standard input, checked."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from ccq_tui.bounded import parse_json
from ccq_tui.bridges.claude_code.live_sessions import is_id, live_file, native_origin, read_live
from ccq_tui.inbox.requests import Origin
from ccq_tui.processes import Owner, owner_of, this_process

PERMISSION, ELICITATION = "PermissionRequest", "Elicitation"
"""The events that become requests. Claude Code shows a form only once its hook has ended."""
MOST_BYTES = 16_000_000
"""The input includes the whole text of a file to write."""


class HookInputError(ValueError):
    """The input is not a hook's; the message says what is wrong, without quoting it."""


@dataclass(frozen=True, slots=True)
class HookInput:
    """The input of a hook.

    Attributes:
        event: The hook's event, such as "PermissionRequest".
        session_id: The session that asks.
        transcript: Its transcript, or that of the subagent that asks.
        config: The configuration directory of Claude Code that has the transcript.
        directory: The session's working directory, or "".
        agent_id: The subagent that asks, or "".
        agent: The kind of that agent, or "".
        tool: The tool, or "".
        input: The tool's input.
        suggestions: The suggested lasting permissions, as they came.
        program: The process of Claude Code, or None if unknown.
        document: The whole input, for fields that only one event has.
    """

    event: str
    session_id: str
    transcript: Path
    config: Path
    directory: str = ""
    agent_id: str = ""
    agent: str = ""
    tool: str = ""
    input: Mapping[str, Any] = field(default_factory=dict)
    suggestions: tuple[Any, ...] = ()
    program: Owner | None = None
    document: Mapping[str, Any] = field(default_factory=dict)

    def origin(self) -> Origin:
        """Return who asks; reads the file in which Claude Code names its session while it runs."""
        live = read_live(live_file(self.config, self.program.pid)) if self.program else None
        name = live.name if live is not None and live.session_id == self.session_id else ""
        return native_origin(name, self.directory, this_process())


def read_hook_input(stream: BinaryIO) -> HookInput:
    """Read a hook's standard input.

    Raises:
        HookInputError: It is no JSON, too much, or not a hook's.
        OSError: It cannot be read.
    """
    data = stream.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise HookInputError(f"it has more than {MOST_BYTES:,} bytes")
    try:
        document = parse_json(data)
    except ValueError as error:
        raise HookInputError(f"it is no JSON: {type(error).__name__}") from error
    if not isinstance(document, dict):
        raise HookInputError("it is no JSON object")
    return _checked(document)


def _checked(document: Mapping[str, Any]) -> HookInput:
    session, agent_id = _text(document, "session_id", needed=True), _text(document, "agent_id")
    for name, value in (("session_id", session), ("agent_id", agent_id or "-")):
        if not is_id(value):
            raise HookInputError(f"{name} is no id")
    transcript = Path(_text(document, "transcript_path", needed=True))
    if not transcript.is_absolute() or transcript.suffix != ".jsonl":
        raise HookInputError("transcript_path is not the file of a session")
    beside = transcript.with_suffix("") / "subagents"
    source, suggestions = document.get("tool_input", {}), document.get("permission_suggestions") or []
    if not isinstance(source, dict):
        raise HookInputError("tool_input is no object")
    return HookInput(
        event=_text(document, "hook_event_name", needed=True),
        session_id=session,
        transcript=beside / f"agent-{agent_id}.jsonl" if agent_id else transcript,
        config=transcript.parents[2] if len(transcript.parents) > 2 else transcript.parent,
        directory=_text(document, "cwd"),
        agent_id=agent_id,
        agent=_text(document, "agent_type"),
        tool=_text(document, "tool_name"),
        input=source,
        suggestions=tuple(suggestions) if isinstance(suggestions, list) else (),
        program=_program(),
        document=document,
    )


def _program() -> Owner | None:
    """Return the process that runs this hook, which Claude Code names: a shell is between the two."""
    named = os.environ.get("CLAUDE_PID", "")
    return owner_of(int(named)) if named.isascii() and named.isdigit() else None


def _text(document: Mapping[str, Any], name: str, *, needed: bool = False) -> str:
    value = document.get(name)
    if value is None and not needed:
        return ""
    if not isinstance(value, str) or (needed and not value) or "\0" in value:
        raise HookInputError(f"{name} is no text")
    return value

"""The options of a session, as a test gives them."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

from ccq_tui.agent.options import SessionOptions
from ccq_tui.config.claude_flags import ClaudeFlags
from ccq_tui.config.settings import Settings

OWN = {field.name for field in fields(SessionOptions)} - {"settings"}


def options_of(cwd: Path, *, claude: ClaudeFlags | None = None, **given: Any) -> SessionOptions:
    """Return options with settings that are taken as they are."""
    own = {name: given.pop(name) for name in OWN & given.keys()}
    flags = dict(claude) if claude else {}
    return SessionOptions(settings=Settings.model_construct(cwd=cwd, **flags, **given), **own)

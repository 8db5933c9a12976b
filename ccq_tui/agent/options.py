"""The options of a session."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from ccq_tui.config.claude_flags import ClaudeFlags

if TYPE_CHECKING:
    from ccq_tui.config.launch import Launch
    from ccq_tui.config.settings import Settings

_logger = logging.getLogger(__name__)

ASKING = frozenset({"questions", "max_question_rounds"})
"""The settings that limit how often the agent asks; they hold for a session."""
LASTING = ASKING | {"permission_mode"}
GIVEN_AGAIN = "bypassPermissions"
"""The permission mode that a session does not keep: who resumes it has to give it again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionOptions:
    """The options to start a session with.

    Attributes:
        settings: The settings in force, many of which are flags of Claude Code.
        project_settings: Whether the settings, hooks and MCP servers of ``cwd`` apply, or only the person's.
        name: The name of a new session, or "" to name it by its first prompt.
        resume: The id of the session to resume.
        session_id: The id of a new session or a fork, or None to generate one.
        continue_conversation: Continue the last session of ``cwd``.
        fork: Continue it under a new id, and leave the old one as it is.
        environment: Variables for the CLI, over those of this process; they cannot be unset, only emptied.
    """

    settings: Settings
    project_settings: bool = True
    name: str = ""
    resume: str | None = None
    session_id: str | None = None
    continue_conversation: bool = False
    fork: bool = False
    environment: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def cwd(self) -> Path:
        """The directory the agent works in."""
        return self.settings.directory

    def as_before(self, launch: Mapping[str, Any]) -> SessionOptions:
        """Return these options, with the flags of an earlier start where none are set now."""
        kept = launch.get("claude")
        if not isinstance(kept, Mapping):
            return self
        wanted = self.settings.claude.model_dump(exclude_defaults=True)
        try:
            flags = ClaudeFlags(**{**kept, **wanted})
        except ValidationError:
            _logger.warning("What a session was started with before cannot be used any more")
            return self
        lasting = ASKING if launch.get("permission_mode") in (None, "", GIVEN_AGAIN) else LASTING
        before = {name: launch[name] for name in launch.keys() & lasting - self.settings.model_fields_set}
        return replace(self, settings=self.settings.model_copy(update=dict(flags) | before))

    def environ(self) -> dict[str, str]:
        """Return this process's environment with the session's variables over it."""
        return {**os.environ, **self.environment}

    def cli_environment(self) -> dict[str, str]:
        """Return the CLI's variables over those of this process; ``environment`` has the last word."""
        previews = "" if self.settings.question_previews == "off" else "markdown"
        ours = {
            # Without it the CLI does not report when a turn runs, waits and ends.
            "CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS": "1",
            "CLAUDE_CODE_QUESTION_PREVIEW_FORMAT": previews,
            "CLAUDE_CODE_QUESTION_EXTENDED": "1" if self.settings.extended_questions else "",
        }
        return ours | dict(self.environment)


def session_options(launch: Launch) -> SessionOptions:
    """Return the options of the session that a launch asks for."""
    return SessionOptions(
        settings=launch.settings,
        project_settings=launch.trusted.project_settings,
        name=launch.name,
        resume=launch.resume or None,
        session_id=launch.chosen_id or None,
        continue_conversation=launch.continue_last,
        fork=launch.fork,
        environment=launch.program.environment,
    )

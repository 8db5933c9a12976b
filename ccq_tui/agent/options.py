"""The options of a session."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from pydantic import ValidationError

from ccq_tui.config.claude_flags import ClaudeFlags

if TYPE_CHECKING:
    from ccq_tui.config.launch import Launch

_logger = logging.getLogger(__name__)


class QuestionPolicy(StrEnum):
    """The policy for the agent's questions."""

    ASK = "ask"
    """The agent asks as it likes."""
    ASSUME = "assume"
    """The agent never asks: it makes reasonable assumptions and lists them."""
    ADAPTIVE = "adaptive"
    """The agent asks whenever a choice is the user's to make, a limited number of times after each prompt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionOptions:
    """The options to start a session with; names and meanings are Claude Code's own where it has them.

    Attributes:
        cwd: The directory the agent works in.
        model: The model, or None for the CLI's default.
        permission_mode: default, acceptEdits, plan, dontAsk, bypassPermissions, auto; None is the CLI's own.
        effort: How hard the model thinks: low, medium, high, xhigh or max; None for the CLI's own.
        add_dirs: More directories the agent may work in.
        allowed_tools: Tools that need no permission, as the CLI's rules.
        disallowed_tools: Tools the agent does not have.
        mcp_config: A file or a JSON string with MCP servers.
        settings: A file or a JSON string with more settings.
        append_system_prompt: Text after Claude Code's own system prompt.
        max_turns: Turns of the model after which the agent stops; None for no limit.
        max_budget_usd: US dollars after which the agent stops; None for no limit.
        questions: The policy for the agent's questions.
        max_question_rounds: Most question sets that the adaptive policy lets through after each prompt.
        project_settings: Whether the settings, hooks and MCP servers of ``cwd`` apply, or only the person's.
        claude: Flags that reach the CLI unchanged.
        name: The name of a new session, or "" to name it by its first prompt.
        cli_path: The CLI to run; None for the one bundled with the SDK.
        resume: The id of the session to resume.
        session_id: The id of a new session or a fork, or None to generate one.
        continue_conversation: Continue the last session of ``cwd``.
        fork: Continue it under a new id, and leave the old one as it is.
        environment: Variables for the CLI, over those of this process; they cannot be unset, only emptied.
        question_previews: Whether the agent is told that options can have previews, and in which format.
        extended_questions: Whether the agent may ask for texts and numbers and give a set a title.
        repair_records: Whether a line is added to a session's record if the CLI needs it for a resume.
    """

    cwd: Path
    model: str | None = None
    permission_mode: str | None = None
    effort: str | None = None
    add_dirs: tuple[Path, ...] = ()
    allowed_tools: tuple[str, ...] = ()
    disallowed_tools: tuple[str, ...] = ()
    mcp_config: str | None = None
    settings: str | None = None
    append_system_prompt: str = ""
    max_turns: int | None = None
    max_budget_usd: float | None = None
    questions: QuestionPolicy = QuestionPolicy.ASK
    max_question_rounds: int = 5
    project_settings: bool = True
    claude: ClaudeFlags = field(default_factory=ClaudeFlags)
    name: str = ""
    cli_path: Path | None = None
    resume: str | None = None
    session_id: str | None = None
    continue_conversation: bool = False
    fork: bool = False
    environment: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    question_previews: Literal["markdown", "off"] = "markdown"
    extended_questions: bool = True
    repair_records: bool = True

    def as_before(self, launch: Mapping[str, Any]) -> SessionOptions:
        """Return these options, with the flags of an earlier start where none are set now."""
        kept = launch.get("claude")
        if not isinstance(kept, Mapping):
            return self
        wanted = self.claude.model_dump(exclude_defaults=True)
        try:
            return replace(self, claude=ClaudeFlags(**{**kept, **wanted}))
        except ValidationError:
            _logger.warning("What a session was started with before cannot be used any more")
            return self

    def environ(self) -> dict[str, str]:
        """Return this process's environment with the session's variables over it."""
        return {**os.environ, **self.environment}

    def cli_environment(self) -> dict[str, str]:
        """Return the CLI's variables over those of this process; ``environment`` has the last word."""
        ours = {
            # Without it the CLI does not report when a turn runs, waits and ends.
            "CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS": "1",
            "CLAUDE_CODE_QUESTION_PREVIEW_FORMAT": "" if self.question_previews == "off" else "markdown",
            "CLAUDE_CODE_QUESTION_EXTENDED": "1" if self.extended_questions else "",
        }
        return ours | dict(self.environment)


def session_options(launch: Launch) -> SessionOptions:
    """Return the options of the session that a launch asks for."""
    settings = launch.settings
    return SessionOptions(
        cwd=settings.directory,
        model=settings.model,
        permission_mode=settings.permission_mode,
        effort=settings.effort,
        add_dirs=settings.add_dirs,
        allowed_tools=settings.allowed_tools,
        disallowed_tools=settings.disallowed_tools,
        mcp_config=settings.mcp_argument,
        settings=settings.settings,
        append_system_prompt=settings.append_system_prompt or "",
        max_turns=settings.max_turns,
        max_budget_usd=settings.max_budget_usd,
        questions=QuestionPolicy(settings.questions),
        max_question_rounds=settings.max_question_rounds,
        claude=settings.claude,
        name=launch.name,
        cli_path=settings.cli_path,
        project_settings=launch.trusted.project_settings,
        resume=launch.resume or None,
        session_id=launch.session_id or launch.chosen_id or None,
        continue_conversation=launch.continue_last,
        fork=launch.fork,
        environment=launch.program.environment,
        question_previews=settings.question_previews,
        extended_questions=settings.extended_questions,
        repair_records=settings.repair_records,
    )

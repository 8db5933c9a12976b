"""What one run of the program is started with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ccq_tui.config.settings import Settings
from ccq_tui.config.trust import Carried
from ccq_tui.worktrees.model import Worktree


@dataclass(frozen=True, slots=True)
class Launch:
    """Everything the screen needs to start.

    Attributes:
        settings: The settings in force.
        prompt: A prompt to send at once, or "".
        draft: A prompt to put into the prompt field without sending it, or "".
        continue_last: Whether to continue the newest conversation of the directory.
        choose: Whether the conversation to resume is chosen from a list first.
        resume: The Claude session id to resume, or "".
        fork: Whether the resumed or continued conversation goes on under a new session id.
        inbox: Whether what waits in all sessions is shown first, and no session is started for that.
        environment: Environment variables for the CLI, over those of this process.
        notices: Things to tell the person once the screen is there, such as a theme that cannot be read.
        flags: The settings of the command line, for other directories too; None where no files count.
        state: Where history and drafts are kept, or None for the usual place.
        carried: What the directory carries that is to be trusted first, or None.
        own_settings: The settings without the project's file, where that is one of what is carried.
        project_settings: Whether Claude Code's settings of the project hold.
        worktree: The git worktree that was made for this session, or None.
    """

    settings: Settings = field(default_factory=Settings)
    prompt: str = ""
    draft: str = ""
    continue_last: bool = False
    choose: bool = False
    resume: str = ""
    fork: bool = False
    inbox: bool = False
    environment: Mapping[str, str] = field(default_factory=dict)
    notices: tuple[str, ...] = ()
    carried: Carried | None = None
    own_settings: Settings | None = None
    project_settings: bool = True
    flags: Mapping[str, Any] | None = None
    state: Path | None = None
    worktree: Worktree | None = None

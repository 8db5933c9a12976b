"""The launch: the settings and the first session of one run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ccq_tui.config.load import Loaded, load_settings
from ccq_tui.config.settings import Settings
from ccq_tui.config.trust import Carried, remember, untrusted
from ccq_tui.worktrees.creation import Plan
from ccq_tui.worktrees.model import Worktree


@dataclass(frozen=True, slots=True)
class Launch:
    """Everything the screen needs to start.

    Attributes:
        settings: The settings in force; without the project's file while that is not trusted.
        prompt: A prompt to send at once, or "".
        draft: A prompt to put into the prompt field without sending it, or "".
        continue_last: Whether to continue the newest conversation of the directory.
        choose: Whether the conversation to resume is chosen from a list first.
        resume: The Claude session id to resume, or "".
        session_id: The Claude session id for a new session or a fork, or "" for a generated one.
        chosen_id: The Claude session id that the command line gives to a new session or a fork, or "".
        name: Name that the person gave the first session, or "".
        title: Title of a session that an earlier run opened and that has not begun, or "".
        home: The directory in which the program was started, or None where that is not known.
        fork: Whether the resumed or continued conversation gets a new session id.
        inbox: Whether the inbox opens first, without starting a session.
        environment: Environment variables for the CLI, over those of this process.
        notices: Messages to show once the screen is up, such as a theme that cannot be read.
        flags: The settings of the command line, for other directories too; None if settings files do not
            count.
        state: Directory of history and drafts, or None for the usual one.
        carried: Files of the directory that must be trusted first, or None.
        project_settings: Whether the project's Claude Code settings apply.
        plan: The git worktree to create for this session once its repository is trusted, or None.
        worktree: The git worktree created for this session, or None.
    """

    settings: Settings = field(default_factory=Settings)
    prompt: str = ""
    draft: str = ""
    continue_last: bool = False
    choose: bool = False
    resume: str = ""
    session_id: str = ""
    chosen_id: str = ""
    name: str = ""
    title: str = ""
    home: Path | None = None
    fork: bool = False
    inbox: bool = False
    environment: Mapping[str, str] = field(default_factory=dict)
    notices: tuple[str, ...] = ()
    carried: Carried | None = None
    project_settings: bool = True
    flags: Mapping[str, Any] | None = None
    state: Path | None = None
    plan: Plan | None = None
    worktree: Worktree | None = None


def load_trusted(flags: Mapping[str, Any]) -> Loaded:
    """Load the settings without asking; an untrusted project file does not count."""
    loaded = load_settings(flags)
    return loaded if untrusted(loaded) is None else load_settings(flags, project=False)


def launch_with(flags: Mapping[str, Any], **rest: Any) -> Launch:
    """Return the launch for some flags, with the files to trust first; reads files.

    Raises `SettingsError` for a wrong file, trusted or not.
    """
    loaded = load_settings(flags)
    carried = untrusted(loaded)
    if carried is None:
        return Launch(settings=loaded.settings, flags=flags, notices=loaded.warnings, **rest)
    own = load_settings(flags, project=False).settings
    return Launch(settings=own, carried=carried, flags=flags, **rest)


def trusting(launch: Launch) -> Launch:
    """Return the launch after a person trusts what it carries; writes files."""
    carried = launch.carried
    if carried is None:
        return launch
    notices = (*launch.notices, *carried.loaded.warnings)
    try:
        remember(carried)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        notices += (f"Your trust in this directory could not be saved: {reason}",)
    return replace(launch, settings=carried.loaded.settings, carried=None, notices=notices)

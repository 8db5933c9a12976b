"""What the program was started with, what a session is started with, and what of its directory may act."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ccq_tui.config.load import Loaded, load_settings
from ccq_tui.config.settings import Settings
from ccq_tui.config.trust import Carried, remember, untrusted
from ccq_tui.text import reason
from ccq_tui.worktrees.creation import Plan
from ccq_tui.worktrees.model import Worktree


@dataclass(frozen=True, slots=True)
class ProgramArguments:
    """What the program was started with; all its sessions share it.

    Attributes:
        choose: Whether the conversation to resume is chosen from a list first.
        inbox: Whether the inbox opens first, without starting a session.
        flags: The settings of the command line, for other directories too; None if settings files do not
            count.
        state: Directory of history and drafts, or None for the usual one.
        environment: Environment variables for the CLI, over those of this process.
    """

    choose: bool = False
    inbox: bool = False
    flags: Mapping[str, Any] | None = None
    state: Path | None = None
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Trusted:
    """What of a session's directory may act.

    Attributes:
        carried: Files that must be trusted before the session is started, or None.
        project_settings: Whether the project's Claude Code settings apply.
    """

    carried: Carried | None = None
    project_settings: bool = True


@dataclass(frozen=True, slots=True)
class Launch:
    """What a session is started with.

    Attributes:
        settings: The settings in force; without the project's file while that is not trusted.
        prompt: A prompt to send at once, or "".
        draft: A prompt to put into the prompt field without sending it, or "".
        continue_last: Whether to continue the newest conversation of the directory.
        resume: The Claude session id to resume, or "".
        fork: Whether the resumed or continued conversation gets a new session id.
        chosen_id: The Claude session id that a new session or a fork is given, or "" for a generated one.
        name: Name that the person gave the first session, or "".
        labels: Labels to give the session, by key.
        notices: Messages to show once the screen is up, such as a theme that cannot be read.
        plan: The git worktree to create for this session once its repository is trusted, or None.
        worktree: The git worktree created for this session, or None.
        trusted: What of its directory may act.
        program: What the program was started with.
    """

    settings: Settings = field(default_factory=Settings)
    prompt: str = ""
    draft: str = ""
    continue_last: bool = False
    resume: str = ""
    fork: bool = False
    chosen_id: str = ""
    name: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    notices: tuple[str, ...] = ()
    plan: Plan | None = None
    worktree: Worktree | None = None
    trusted: Trusted = Trusted()
    program: ProgramArguments = field(default_factory=ProgramArguments)

    def environ(self) -> dict[str, str]:
        """Return this process's environment with the variables for the CLI over it."""
        return {**os.environ, **self.program.environment}


def load_trusted(flags: Mapping[str, Any]) -> tuple[Loaded, Carried | None]:
    """Load the settings, of which an untrusted project file is none; return also what awaits trust.

    Reads files. Raises `SettingsError` for a wrong file, trusted or not.
    """
    loaded = load_settings(flags)
    carried = untrusted(loaded)
    return (loaded if carried is None else load_settings(flags, project=False)), carried


def launch_with(
    flags: Mapping[str, Any], *, choose: bool = False, inbox: bool = False, **rest: Any
) -> Launch:
    """Return the launch for some flags, with the files to trust first; reads files.

    Raises `SettingsError` for a wrong file, trusted or not.
    """
    program = ProgramArguments(choose, inbox, flags=flags)
    loaded, carried = load_trusted(flags)
    trusted = Trusted(carried)
    return Launch(settings=loaded.settings, notices=loaded.warnings, trusted=trusted, program=program, **rest)


def trusting(launch: Launch) -> Launch:
    """Return the launch after a person trusts what it carries; writes files."""
    carried = launch.trusted.carried
    if carried is None:
        return launch
    notices = (*launch.notices, *carried.loaded.warnings)
    try:
        remember(carried)
    except (OSError, ValueError) as error:
        notices += (f"Your trust in this directory could not be saved: {reason(error)}",)
    return replace(launch, settings=carried.loaded.settings, trusted=Trusted(), notices=notices)

"""What another session in this terminal is started with."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from ccq_tui.config import Launch, SettingsError, load_settings
from ccq_tui.config.paths import expanded
from ccq_tui.config.trust import untrusted
from ccq_tui.worktrees.ending import discard
from ccq_tui.worktrees.making import Plan, make, planned
from ccq_tui.worktrees.model import WorktreeError
from ccq_tui.worktrees.names import made_up


class PlaceError(Exception):
    """There can be no session in a directory; the message is for a person."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Another session as a person wants it.

    Attributes:
        directory: Where it works, or the directory that its worktree is made from.
        prompt: A prompt to send at once, or "".
        plan: The worktree to make for it, or None.
    """

    directory: Path
    prompt: str = ""
    plan: Plan | None = None


def wanted(text: str, prompt: str, worktree: str, here: Path) -> Wanted:
    """Read what a person wrote; looks at files and runs git: call it in a thread.

    Args:
        text: The directory, as `place` takes it.
        prompt: The first prompt.
        worktree: What to call the worktree; "" for none, a space for a name that is made up.
        here: The directory of the session that it is opened from.

    Raises:
        PlaceError: There is no such directory.
        WorktreeError: There can be no such worktree.
    """
    directory = place(text, here)
    return Wanted(directory, prompt.strip(), planned(directory, worktree.strip()) if worktree else None)


def proposed_name(text: str, here: Path) -> str:
    """Make up the name of a worktree, one that is free where there is a repository. For a thread, too."""
    try:
        return planned(place(text, here)).worktree.name
    except (PlaceError, WorktreeError):
        return made_up(lambda _name: False)


def launch_of(new: Wanted, launch: Launch) -> Launch:
    """Make what a new session needs, and say what it is started with; call it in a thread.

    Args:
        new: The session.
        launch: What the program was started with.

    Raises:
        WorktreeError: Its worktree cannot be made.
        SettingsError: The directory's own settings cannot be used.
    """
    if new.plan is None:
        return launch_in(new.directory, new.prompt, launch)
    worktree = make(new.plan)
    try:
        return replace(launch_in(worktree.path, new.prompt, launch), worktree=worktree)
    except SettingsError:
        discard(worktree)
        raise


def place(text: str, here: Path) -> Path:
    """Read the directory for a session as a person writes it.

    Args:
        text: A path, absolute or from ``here``, ``~`` for the home directory; "" is ``here``.
        here: The directory of the session that it is opened from.

    Returns:
        The directory.

    Raises:
        PlaceError: It is none.
    """
    directory = here / expanded(text.strip()) if text.strip() else here
    if not directory.exists():
        raise PlaceError(f"There is no directory {directory}")
    if not directory.is_dir():
        raise PlaceError(f"{directory} is not a directory")
    return directory.resolve()


def launch_in(directory: Path, prompt: str, launch: Launch, *, asked: bool = True) -> Launch:
    """Say what a new session is started with; reads files: call it in a thread.

    Args:
        directory: Where it works.
        prompt: A prompt to send at once, or "".
        launch: What the program was started with; its flags hold, but for the conversation they named.
        asked: Whether it was asked already if the launch's own directory is trusted.

    Returns:
        The launch, with what the directory carries that is not trusted yet.

    Raises:
        SettingsError: The directory's own settings cannot be used.
    """
    fresh = replace(
        launch,
        prompt=prompt,
        draft="",
        continue_last=False,
        choose=False,
        resume="",
        fork=False,
        inbox=False,
        notices=(),
        carried=None,
        worktree=None,
    )
    if asked and directory == launch.settings.directory.resolve():
        return fresh
    if launch.flags is None:  # a scripted one, whose settings are not the directory's
        return replace(fresh, settings=launch.settings.model_copy(update={"cwd": directory}))
    flags = {**launch.flags, "cwd": directory}
    carried = untrusted(directory)
    return replace(
        fresh,
        settings=load_settings(flags).settings,
        project_settings=True,
        carried=carried,
        own_settings=load_settings(flags, project=False).settings if carried else None,
    )

"""The launches of this process's sessions: the first, another new one, a resumed one."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from ccq_tui.config.errors import SettingsError
from ccq_tui.config.launch import Launch, Trusted, launch_with
from ccq_tui.config.load import load_settings
from ccq_tui.config.paths import expanded
from ccq_tui.config.trust import trusts
from ccq_tui.text import one_line
from ccq_tui.worktrees.creation import Plan, back_in, make, planned
from ccq_tui.worktrees.model import WorktreeError, made_up
from ccq_tui.worktrees.removal import discard

LEFT_OUT = "Settings, hooks and MCP servers of this project are left out, as you chose."
LONGEST_PATH = 300
"""Most characters of a path."""


class PlaceError(Exception):
    """There can be no session in a directory; the message is for a person."""


@dataclass(frozen=True, slots=True)
class SessionSpec:
    """A new session, as it is asked for.

    Attributes:
        directory: Its working directory, or the one that its worktree is made from.
        prompt: A prompt to send at once, or "".
        plan: The worktree to make for it, or None.
        name: Its name, or "" to name it by its prompts.
        labels: Its labels.
    """

    directory: Path
    prompt: str = ""
    plan: Plan | None = None
    name: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)


def wanted(text: str, prompt: str, worktree: str, here: Path) -> SessionSpec:
    """Read a person's request for a session; looks at files and runs git: call it in a thread.

    Args:
        text: The directory, as `place` takes it.
        prompt: The first prompt.
        worktree: The name of the worktree; "" for none, a space to generate a name.
        here: The directory of the session that it is opened from.

    Raises:
        PlaceError: There is no such directory.
        WorktreeError: There can be no such worktree.
    """
    directory = place(text, here)
    return SessionSpec(directory, prompt.strip(), planned(directory, worktree.strip()) if worktree else None)


def proposed_name(text: str, here: Path) -> str:
    """Generate the name of a worktree, a free one if there is a repository. Call it in a thread, too."""
    try:
        return planned(place(text, here)).worktree.name
    except (PlaceError, WorktreeError):
        return made_up(lambda _name: False)


def launch_of(new: SessionSpec, launch: Launch, *, asked: bool = True) -> Launch:
    """Make the worktree of a new session, and return its launch; call it in a thread.

    Args:
        new: The session.
        launch: As with `launch_in`.
        asked: As with `launch_in`.

    Raises:
        WorktreeError: Its worktree cannot be made.
        SettingsError: The directory's own settings cannot be used.
    """
    there = launch_in(new.directory, new.prompt, launch, asked=asked)
    return made(replace(there, plan=new.plan, name=new.name, labels=new.labels))


def made(launch: Launch) -> Launch:
    """Make the worktree that a launch waits for, unless its repository is still to be trusted.

    Runs git, and the hooks of a repository whose settings apply: call it in a thread.

    Raises:
        WorktreeError: It cannot be made.
        SettingsError: The settings in it cannot be used; it is removed again.
    """
    if launch.plan is None or launch.trusted.carried is not None:
        return launch
    worktree = make(launch.plan, inert=not launch.trusted.project_settings)
    try:
        if not launch.trusted.project_settings:
            # The repository's own settings were left out; so are those of the same files here.
            flags = {**(launch.program.flags or {}), "cwd": worktree.path}
            settings = load_settings(flags, project=False).settings
            return replace(launch, settings=settings, worktree=worktree, plan=None)
        there = launch_in(worktree.path, launch.prompt, launch)
    except SettingsError:
        discard(worktree)
        raise
    return replace(
        there,
        draft=launch.draft,
        notices=launch.notices,
        name=launch.name,
        labels=launch.labels,
        worktree=worktree,
    )


def without_files(launch: Launch) -> Launch:
    """Return a launch that obeys no file of its project, and make its worktree; raises as `made`."""
    return made(with_notices(replace(launch, trusted=Trusted(project_settings=False)), LEFT_OUT))


def place(text: str, here: Path) -> Path:
    """Return the directory for a session, as a person writes it.

    Args:
        text: A path, absolute or from ``here``, ``~`` for the home directory; "" is ``here``.
        here: The directory of the session that it is opened from.

    Returns:
        The directory.

    Raises:
        PlaceError: There is no such directory.
    """
    directory = here / expanded(text.strip()) if text.strip() else here
    if not directory.exists():
        raise PlaceError(f"{directory} does not exist")
    if not directory.is_dir():
        raise PlaceError(f"{directory} is not a directory")
    return directory.resolve()


def launch_in(directory: Path, prompt: str, launch: Launch, *, asked: bool = True) -> Launch:
    """Return the launch of a new session; reads files: call it in a thread.

    Args:
        directory: Its working directory.
        prompt: A prompt to send at once, or "".
        launch: The launch of the program; its flags apply, except for the conversation they named.
        asked: Whether a person was already asked to trust the launch's own directory.

    Returns:
        The launch, with what the directory carries that is not trusted yet.

    Raises:
        SettingsError: The directory's own settings cannot be used.
    """
    program = launch.program
    same = asked and directory == launch.settings.directory.resolve()
    if program.flags is not None and not same:
        return replace(launch_with({**program.flags, "cwd": directory}, prompt=prompt), program=program)
    # Scripted settings are not those of a directory.
    settings = launch.settings if same else launch.settings.model_copy(update={"cwd": directory})
    trusted = Trusted(project_settings=launch.trusted.project_settings)
    return Launch(settings=settings, prompt=prompt, trusted=trusted, program=program)


def with_notices(launch: Launch, *notices: str) -> Launch:
    """Return a launch with more notices to show once the screen is there."""
    return replace(launch, notices=(*launch.notices, *notices))


def launch_to_resume(session_id: str, where: str, launch: Launch, *, fork: bool = False) -> Launch:
    """Return the launch that resumes an earlier session; reads files: call it in a thread.

    Args:
        session_id: The session.
        where: Its directory, or "" if it is not known.
        launch: The launch of the program, or of the session that it replaces.
        fork: Whether to resume it under a new id, and leave the old session as it is.

    Returns:
        The launch, for the session's own directory if that exists; a missing worktree is made again.

    Raises:
        SettingsError: The directory's own settings cannot be used.
    """
    directory = Path(where) if where else None
    notices: tuple[str, ...] = ()
    try:
        if directory is not None and not directory.is_dir():
            back_in(directory, trusts=trusts)
    except WorktreeError as error:
        notices = (str(error),)
    if directory is None or not directory.is_dir():
        here = one_line(str(launch.settings.directory), LONGEST_PATH)
        missing = f"Its directory {one_line(str(directory), LONGEST_PATH)} is gone: it is resumed in {here}."
        there = replace(launch, notices=(*notices, missing) if directory is not None else (), worktree=None)
    elif directory.resolve() == launch.settings.directory.resolve():
        there = replace(launch, notices=())
    else:
        there = launch_in(directory.resolve(), "", launch)
    new = Launch(resume=session_id, fork=fork, settings=there.settings, notices=there.notices)
    return replace(new, worktree=there.worktree, trusted=there.trusted, program=there.program)

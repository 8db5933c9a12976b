"""What a session that is gone on with is started with."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ccq_tui.config import Launch
from ccq_tui.config.trust import trusts
from ccq_tui.screens.pickers import WayOn
from ccq_tui.screens.sessions.starting import launch_in
from ccq_tui.text import one_line
from ccq_tui.worktrees.making import back_in
from ccq_tui.worktrees.model import WorktreeError

LONGEST = 300
"""Characters of a path."""


def launch_for(way: WayOn, launch: Launch) -> Launch:
    """Say what to start with to go on with a session; reads files: call it in a thread.

    Args:
        way: Which session, and how.
        launch: What the program, or the session it takes the place of, was started with.

    Returns:
        The launch, for the session's own directory where that is there; a worktree is made anew.

    Raises:
        SettingsError: The directory's own settings cannot be used.
    """
    directory = Path(way.session.directory) if way.session.directory else None
    notices: tuple[str, ...] = ()
    try:
        if directory is not None and not directory.is_dir():
            back_in(directory, trusts=trusts)
    except WorktreeError as error:
        notices = (str(error),)
    if directory is None or not directory.is_dir():
        here = one_line(str(launch.settings.directory), LONGEST)
        gone = f"Its directory {one_line(str(directory), LONGEST)} is gone: it goes on in {here}."
        notices = (*notices, gone) if directory is not None else ()
        there = replace(launch, prompt="", draft="", continue_last=False, notices=notices, worktree=None)
    elif directory.resolve() == launch.settings.directory.resolve():
        there = replace(launch, prompt="", draft="", continue_last=False, notices=())
    else:
        there = launch_in(directory.resolve(), "", launch)
    return replace(there, choose=False, resume=way.session.session_id, session_id="", title="", fork=way.fork)

"""Worktrees of sessions that the command line starts or resumes."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ccq_tui.cli.exits import Refused, refusing
from ccq_tui.inbox.store.rows import StoredSession
from ccq_tui.text import one_line
from ccq_tui.worktrees.creation import back_in, planned
from ccq_tui.worktrees.model import WorktreeError, worktree_at

if TYPE_CHECKING:
    from ccq_tui.config.launch import Launch

LONGEST = 1_000


def in_worktree(launch: "Launch", name: str) -> "Launch":
    """Return the launch in a worktree, created now or once its repository is trusted; raises `Refused`.

    If ``name`` is "", a name is generated. A worktree that cannot be created leaves nothing behind.
    """
    from ccq_tui.runtime.launches import made

    try:
        waiting = replace(launch, plan=planned(launch.settings.directory, name))
        return made(waiting) if launch.trusted.carried is None else waiting
    except WorktreeError as error:
        hint = '; to start with a prompt: --worktree -- "PROMPT"' if " " in name else ""
        raise Refused(f"--worktree: {one_line(str(error), LONGEST)}{hint}") from error


def place_of(known: StoredSession) -> dict[str, Path]:
    """Return the worktree in which a session worked, as ``cwd``; create it again if it was removed.

    Empty for a session outside a worktree. Raises `Refused`.
    """
    directory = Path(known.directory)
    return {"cwd": directory} if worktree_at(directory) is not None and there_again(directory) else {}


def there_again(directory: Path) -> bool:
    """Whether a session's directory exists; creates its removed worktree again. Raises `Refused`."""
    from ccq_tui.config.trust import trusts

    with refusing(WorktreeError):
        return back_in(directory, trusts=trusts) is not None or directory.is_dir()

"""The user of the sessions: another one than the service's, where the configuration says how to become it."""

import getpass
import os
import shlex
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ccq_tui import DOCS
from ccq_tui.claude_files import find_cli
from ccq_tui.config.errors import SettingProblem, SettingsError
from ccq_tui.service.policy import SessionsTable
from ccq_tui.stored import write_whole
from ccq_tui.text import one_line
from ccq_tui.worktrees import git

SHARED = (
    "Sessions run as {0}, the service's own user: what an agent may run can read its secrets and allow "
    f"itself more. To separate them: {DOCS}/security.md"
)
APART = "Sessions run as {0}, apart from the service."


@dataclass(frozen=True, slots=True)
class Isolation:
    """What the sessions run as.

    Attributes:
        words: Whom they run as, for the operator.
        apart: Whether that is another user than the service's.
        program: What starts Claude Code as that user, or None for Claude Code itself.
        environment: The variables by which its files are found.
    """

    words: str
    apart: bool = False
    program: Path | None = None
    environment: Mapping[str, str] = field(default_factory=dict)


def isolation(table: SessionsTable, state: Path, hidden: Collection[str] = ()) -> Isolation:
    """Return what the sessions run as; from then on, this process runs git as that user, too.

    A repository that an agent may write can name programs, which git runs.

    Args:
        table: The configuration.
        state: A directory that only the service may write.
        hidden: The variables that git does not get: that user can read them there, and programs of git do.

    Raises:
        SettingsError: The command does not work.
    """
    git.BY[:] = table.command
    git.HIDDEN = {*hidden}
    if not table.command:
        return Isolation(SHARED.format(getpass.getuser()))
    import pwd  # there is none on Windows

    try:
        user = int(git.by_user("id", "-u", seconds=10.0))
    except (git.GitError, ValueError) as error:
        problem = f"does not work: {one_line(str(error), 300)}"
        raise SettingsError([SettingProblem("service.toml", problem, "sessions.command")]) from error
    try:
        name, place = pwd.getpwuid(user).pw_name, pwd.getpwuid(user).pw_dir
    except KeyError:
        name, place = f"user {user}", "/"
    home = table.home or Path(place)
    environment = {"HOME": str(home), "CLAUDE_CONFIG_DIR": str(home / ".claude")}
    git.BY += ["env", *(f"{name}={value}" for name, value in environment.items())]
    program = state / "claude-as-user"
    words = shlex.join([*git.BY, str(find_cli()[0])])
    write_whole(program, f'#!/bin/sh\nexec {words} "$@"\n', 0o700)
    apart = user != os.getuid()
    return Isolation((APART if apart else SHARED).format(name), apart, program, environment)

"""Runs git: never through a shell, never asking anybody, never without a time limit. For threads."""

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from ccq_tui.text import one_line

SECONDS = 10.0
"""Seconds that git may take to look something up."""
CHECKOUT_SECONDS = 180.0
"""Seconds that git may take to write the files of a repository, or to remove them."""
BY: list[str] = []
"""The words before git and `by_user` in this process: a service runs them as the user of its sessions."""
HIDDEN: set[str] = set()
"""The variables of this process that they do not get: who is that user, or writes a hook, could read them."""
LONGEST = 300
# Set by git for its hooks: they would lead it to another repository than the directory's.
_ELSEWHERE = frozenset(
    {
        *("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_PREFIX", "GIT_NAMESPACE"),
        *("GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_SHALLOW_FILE"),
    }
)


class GitError(Exception):
    """A failure of git; the message is git's own, in one line."""


class GitMissingError(GitError):
    """Git, or another program, is not installed."""


def git(directory: Path, *words: str, seconds: float = SECONDS, inert: bool = False) -> str:
    """Run git.

    Args:
        directory: The working directory.
        words: The command and its arguments.
        seconds: Seconds that it may take.
        inert: Whether to run nothing that the repository itself names: no hook, filter, watcher or transport.

    Returns:
        The output.

    Raises:
        GitError: Git failed, took too long, or is not there.
    """
    environment = {"GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0"}
    silencing: list[str] = []
    if inert:
        # Objects that a partial clone lacks would be fetched, by a command of its configuration.
        environment |= {"GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1"}
        settings = (f"core.hooksPath={os.devnull}", "core.fsmonitor=false", *_filters(directory, words))
        silencing = [word for setting in settings for word in ("-c", setting)]
    return _run(["git", *silencing, *words], f"git {words[0]}", directory, seconds, environment)


def _run(
    words: Sequence[str], called: str, directory: Path, seconds: float, variables: Mapping[str, str]
) -> str:
    kept = {name: value for name, value in os.environ.items() if name not in _ELSEWHERE | HIDDEN}
    command = [*BY, *words]
    try:
        process = subprocess.Popen(  # noqa: S603 - words are ours, or names and paths that were checked
            command,
            cwd=directory,
            env={**kept, "LC_ALL": "C", **variables},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except FileNotFoundError as error:
        if not directory.is_dir():
            raise GitError(f"{directory} does not exist") from error
        raise GitMissingError(f"{command[0]} is not installed, or not on PATH") from error
    except OSError as error:
        raise GitError(f"{command[0]} cannot be started: {error.strerror or error}") from error
    try:
        out, problem = process.communicate(timeout=seconds)
    except BaseException as error:
        _end(process)
        if isinstance(error, subprocess.TimeoutExpired):
            raise GitError(f"{called} took longer than {seconds:.0f} s") from error
        raise
    if process.returncode:
        raise GitError(_problem_line(problem) or f"{called} ended with {process.returncode}")
    return os.fsdecode(out)


def asked(directory: Path, *words: str) -> str | None:
    """Return the one line that git prints; None if it ends with an error, which means no."""
    try:
        return git(directory, *words, inert=True).strip()
    except GitMissingError:
        raise
    except GitError:
        return None


def by_user(*words: str, seconds: float = SECONDS) -> str:
    """Run a program as git is run, and return its output; raises `GitError`."""
    return _run(words, words[0], Path("/"), seconds, {})


def write_by_user(file: Path, text: str) -> None:
    """Write a file, and make its directory, as git would; raises `GitError` and `OSError`."""
    if BY:
        by_user("sh", "-c", 'mkdir -p "${1%/*}" && printf %s "$2" > "$1"', "sh", str(file), text)
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def _filters(directory: Path, words: tuple[str, ...]) -> list[str]:
    """Return the settings that switch off the filters of the repository; those of the person stay."""
    if words[0] != "worktree":  # no other command writes files of the repository, through its filters
        return []
    try:
        asked_for = ("config", "--show-scope", "--name-only", "-z", "--get-regexp", r"^filter\.")
        fields = git(directory, *asked_for).split("\0")
    except GitError:
        return []  # there is none
    own = [
        name for scope, name in zip(fields[::2], fields[1::2], strict=False) if scope in ("local", "worktree")
    ]
    return [f"{name}={'false' if name.endswith('.required') else ''}" for name in own]


def _end(process: subprocess.Popen[bytes]) -> None:
    """End git and its child processes, such as hooks: they could hold its output open."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    with suppress(subprocess.TimeoutExpired):
        process.communicate(timeout=2.0)


def _problem_line(problem: bytes) -> str:
    """Return the line that names git's problem."""
    lines = [line.strip() for line in os.fsdecode(problem).splitlines() if line.strip()]
    named = next(
        (line for line in lines if line.startswith(("fatal: ", "error: "))), lines[-1] if lines else ""
    )
    return one_line(named.removeprefix("fatal: ").removeprefix("error: "), LONGEST)

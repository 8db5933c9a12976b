"""The commits that people reflect on, as git knows them. Runs git: for threads."""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ccq_tui.text import safe
from ccq_tui.words import plural
from ccq_tui.worktrees.git import GitError, git

REFLECTION = "commit-reflection"
"""The form that asks about a commit."""
RECORDS = ".commit-reflections.jsonl"
MOST_FILES = 20
_SHOW = (
    *("show", "-z", "--numstat", "--format=%H%x00%an <%ae>%x00%B", "--encoding=UTF-8", "-m"),
    *("--first-parent", "-M", "--no-show-signature", "--no-color", "--no-ext-diff", "--no-textconv"),
)


def repo_git(directory: Path, *words: str, inert: bool = False) -> str:
    """Run git in the repository of a directory, or of the hook that runs this; arguments as of `git`."""
    hook = {"--git-dir": os.environ.get("GIT_DIR"), "--work-tree": os.environ.get("GIT_WORK_TREE")}
    given = [f"{flag}={os.path.abspath(path)}" for flag, path in hook.items() if path]  # noqa: PTH100
    return git(directory, *given, *words, inert=inert)


def top_of(directory: Path) -> Path:
    """Return the top of a directory's working tree; raises `GitError`."""
    return Path(repo_git(directory, "rev-parse", "--show-toplevel").rstrip("\n"))


def records_of(directory: Path) -> Path:
    """Return the file of a repository's reflections, at a place that no removed worktree takes with it.

    It is in the main checkout; a bare repository has it itself. Raises `GitError`.
    """
    top = top_of(directory)
    own, common = repo_git(top, "rev-parse", "--git-dir", "--git-common-dir").splitlines()
    if own == common:
        return top / RECORDS
    shared = (top / common).resolve()
    return (shared.parent if shared.name == ".git" else shared) / RECORDS


def replacement(directory: Path, context: Mapping[str, str]) -> Mapping[str, str]:
    """Return what a reflection keeps of its commit, or of the one that has replaced it by now as the newest.

    Args:
        directory: A directory of the repository.
        context: The commit, from `commit_context`; it is returned where nothing is known of another one.
    """
    try:
        old, new = context["hash"], commit_context(directory, "HEAD")
        parents = [repo_git(directory, "rev-parse", f"{one}^@") for one in (old, new["hash"])]
        is_replaced = parents[0] == parents[1] and not _branch(directory, old, is_head=False)
    except GitError:
        return context
    return {**context, **new} if is_replaced else context


def commit_context(directory: Path, revision: str) -> dict[str, str]:
    """Return what a reflection keeps of a commit.

    Args:
        directory: A directory of the repository.
        revision: The commit, in any of git's notations.

    Returns:
        Its ``hash``, ``message``, ``author`` and ``branch`` (left out if none has it), how much it
        ``changed``, and its ``files`` with the lines added and removed, one a line.

    Raises:
        GitError: The revision is no commit of a repository here; the message says which of it.
    """
    head = _commit(directory, "HEAD")
    found = head if revision == "HEAD" else _commit(directory, revision)
    if not found:
        problem = f"“{revision}” is no commit" if head else "this repository has no commits yet"
        raise GitError(f"{problem}: name one, such as HEAD~1 or a hash" if head else problem)
    hash_, author, message, *changes = _utf8(repo_git(directory, *_SHOW, found, inert=True)).split("\0")
    context = {
        "message": message.strip()[:10_000],
        **_changed(list(_changes(changes))),
        "hash": hash_,
        "author": author,
        "branch": _utf8(_branch(directory, found, is_head=found == head)),
    }
    return {name: text for name, text in context.items() if text}


def _commit(directory: Path, revision: str) -> str:
    if revision.startswith(("-", "^")):
        return ""  # git would take it for a flag, or for what to leave out
    top_of(directory)
    try:
        return repo_git(directory, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}").strip()
    except GitError:
        return ""


def _branch(directory: Path, commit: str, *, is_head: bool) -> str:
    if is_head and (current := repo_git(directory, "branch", "--show-current").strip()):
        return current
    having = ("for-each-ref", "--contains", commit, "--format=%(HEAD)%(refname:short)", "refs/heads")
    return next(iter(sorted(repo_git(directory, *having).splitlines(), reverse=True)), "")[1:]


def _changes(fields: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Read git's counts: lines added, lines removed, the file's name; a renamed file's is the new one."""
    rest = iter(fields)
    for field in rest:
        if field.strip():
            added, removed, name = field.lstrip("\n").split("\t", 2)
            yield added, removed, name or [next(rest), next(rest)][1]


def _changed(changes: Sequence[tuple[str, str, str]]) -> dict[str, str]:
    added, removed = (
        sum(int(change[place]) for change in changes if change[place].isdigit()) for place in (0, 1)
    )
    lines = [
        f"{'binary' if more == '-' else f'+{more} -{less}'} {safe(name, keep_newlines=False)}"
        for more, less, name in changes[:MOST_FILES]
    ]
    if len(changes) > MOST_FILES:
        lines.append(f"and {len(changes) - MOST_FILES:,} more")
    return {"changed": f"{plural(len(changes), 'file')}, +{added} -{removed}", "files": "\n".join(lines)}


def _utf8(text: str) -> str:
    """Make bytes that are no UTF-8, as in old names and messages, readable."""
    return os.fsencode(text).decode("utf-8", "backslashreplace")

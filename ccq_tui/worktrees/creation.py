"""Makes worktrees, and makes a session's removed one again. Runs git: not for the event loop."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from ccq_tui.bounded import json_object
from ccq_tui.claude_files import claude_directory
from ccq_tui.text import reason
from ccq_tui.worktrees import model as wt
from ccq_tui.worktrees.git import CHECKOUT_SECONDS, GitError, asked, git, write_by_user

IGNORE = ".gitignore"
_REMOTE = "refs/remotes/origin/HEAD"
_SETTINGS = ("settings.json", "settings.local.json")


@dataclass(frozen=True, slots=True)
class Plan:
    """A worktree that can be made; nothing was changed yet.

    Attributes:
        worktree: The worktree.
        commit: The commit that its branch begins from.
    """

    worktree: wt.Worktree
    commit: str


def planned(directory: Path, name: str = "", start: str = "") -> Plan:
    """Plan a worktree, "" for a made-up name, from ``start`` or the usual base, without changing anything.

    Raises `WorktreeError`, whose message says why there can be none, and what to do.
    """
    problem = wt.problem_of(name) if name else ""
    if problem:
        raise wt.WorktreeError(f"no worktree can be called {name!r}: {problem}")
    try:
        root = root_of(directory)
        _refuse_links(root)
        commit, base = (_commit(directory, start), start) if start else _base_for(directory, root)
        if not commit:
            raise wt.WorktreeError(f"{root} has no branch or commit {start}")

        def in_use(folder: str) -> bool:
            return wt.Worktree(root, folder).path.exists() or has_branch(root, wt.branch_of(folder))

        worktree = wt.Worktree(root, wt.folder_of(name) or wt.made_up(in_use), base)
        if name and in_use(worktree.name):
            raise wt.WorktreeError(_taken(worktree))
    except GitError as error:
        raise wt.WorktreeError(str(error)) from error
    return Plan(worktree, commit)


def make(plan: Plan, *, inert: bool = False) -> wt.Worktree:
    """Make a worktree and its branch; raises `WorktreeError`, and then leaves nothing of it.

    ``inert``: run nothing that the repository names, such as its hooks: it is not trusted.
    """
    worktree = plan.worktree
    undo = partial(tidy, worktree.root)
    try:
        _make_place(worktree.root)
        # The branch first: of several that want the same name, git gives it to one.
        git(worktree.root, "branch", "--no-track", worktree.branch, plan.commit, inert=inert)
        undo = partial(_undo, worktree, inert=inert)
        _check_out(worktree, inert=inert)
    except BaseException as error:
        undo()
        if isinstance(error, (GitError, OSError)):
            problem = f"the worktree {worktree.name} cannot be created: {reason(error)}"
            raise wt.WorktreeError(problem) from error
        raise
    return replace(worktree, submodules=(worktree.path / ".gitmodules").is_file())


def back_in(directory: Path, *, trusts: Callable[[Path], bool]) -> wt.Worktree | None:
    """Return the worktree that a session worked in, made again if it was removed meanwhile.

    None if the directory is no worktree, or one that another program made. Raises `WorktreeError`.
    """
    worktree = wt.worktree_at(directory)
    if worktree is None or directory.is_dir():
        return worktree if worktree is not None and wt.is_ours(worktree) else None
    if not (worktree.root / ".git").exists():
        return None
    inert = not trusts(worktree.root)
    try:
        _refuse_links(worktree.root)
        if not has_branch(worktree.root, worktree.branch):
            commit, base = _base_for(worktree.root, worktree.root)
            return make(Plan(replace(worktree, base=base), commit), inert=inert)
        _make_place(worktree.root)
        # Git still lists a worktree that was deleted by hand, and makes it again only with --force.
        known = f"worktree {worktree.path}\n" in git(worktree.root, "worktree", "list", "--porcelain")
        _check_out(worktree, *(("--force",) if known else ()), inert=inert)
    except (GitError, OSError) as error:
        tidy(worktree.root)
        problem = f"its worktree {directory} cannot be created again: {reason(error)}"
        raise wt.WorktreeError(problem) from error
    return worktree


def tidy(root: Path) -> None:
    """Remove the directory of all worktrees if none is left."""
    place = root.joinpath(*wt.INSIDE)
    # A directory that is not empty stays; so does one that cannot be removed: it is in nobody's way.
    with suppress(OSError):
        if [path.name for path in place.iterdir()] == [IGNORE]:
            (place / IGNORE).unlink()
        place.rmdir()
        place.parent.rmdir()


def root_of(directory: Path) -> Path:
    """Return the main checkout of a directory's repository, which its linked worktrees belong to.

    Raises `WorktreeError` if it is in none, and `GitError`.
    """
    try:
        lines = git(
            directory, "rev-parse", "--is-bare-repository", "--is-inside-work-tree", "--git-common-dir"
        ).splitlines()
    except GitError as error:
        if "not a git repository" not in str(error):
            raise
        raise wt.WorktreeError(
            f"{directory} is not in a git repository, and a worktree is made from one; "
            "go to a repository, make one of it with git init, or leave out the worktree"
        ) from error
    bare, inside, common = (*lines, "", "", "")[:3]
    if bare == "true" or inside != "true":
        raise wt.WorktreeError(
            f"{directory} is {'a bare repository' if bare == 'true' else 'inside the directory of git'}, "
            "without files to work on; go to a checkout of it"
        )
    shared = (directory / common).resolve()
    if shared.name == ".git":
        return shared.parent
    # A submodule, or a repository that has its directory elsewhere.
    return Path(git(directory, "rev-parse", "--show-toplevel").rstrip("\n")).resolve()


def _base_for(directory: Path, root: Path) -> tuple[str, str]:
    """Return the commit that Claude Code would choose, and its name for a person.

    This is origin's default branch as fetched, else the commit checked out. Claude Code's setting
    ``worktree.baseRef`` can say "head", which is always the one checked out.
    """
    if not _from_head(root) and (commit := _commit(directory, _REMOTE)):
        return commit, asked(directory, "symbolic-ref", "--quiet", "--short", _REMOTE) or "origin"
    commit = _commit(directory, "HEAD")
    if not commit:
        raise wt.WorktreeError(
            f"{root} has no commit yet, so a worktree has nothing to start from; "
            "commit something first, for example git commit --allow-empty -m Begin"
        )
    return commit, asked(directory, "symbolic-ref", "--quiet", "--short", "HEAD") or f"commit {commit[:8]}"


def _commit(directory: Path, name: str) -> str:
    return asked(directory, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}") or ""


def _from_head(root: Path) -> bool:
    """Return whether Claude Code's setting says "head"; the last file that has it counts."""
    base = ""
    for path in (claude_directory() / _SETTINGS[0], *(root / ".claude" / name for name in _SETTINGS)):
        worktree = json_object(path).get("worktree")
        base = str(worktree.get("baseRef", base)) if isinstance(worktree, dict) else base
    return base == "head"


def _refuse_links(root: Path) -> None:
    """Refuse a path to the worktrees that a link in the repository leads elsewhere."""
    place = root
    for part in wt.INSIDE:
        place /= part
        if place.is_symlink() or (place.exists() and not place.is_dir()):
            raise wt.WorktreeError(f"{place} is not a directory of the repository's own; move it away first")


def _taken(worktree: wt.Worktree) -> str:
    if worktree.path.exists():
        return (
            f"the worktree {worktree.name} exists already; choose another name, "
            f"or go there with --cwd {worktree.path}"
        )
    return (
        f"the branch {worktree.branch} exists already; choose another name, "
        f"or delete the branch if it is no longer needed: git branch -d {worktree.branch}"
    )


def has_branch(root: Path, branch: str) -> bool:
    """Return whether a repository has a branch of its own by a name; raises `GitMissingError`."""
    return asked(root, "rev-parse", "--verify", "--quiet", f"refs/heads/{branch}") is not None


def _make_place(root: Path) -> None:
    """Make the directory of all worktrees, which the repository itself ignores."""
    place = root.joinpath(*wt.INSIDE)
    if not (place / IGNORE).exists():
        write_by_user(place / IGNORE, "*\n")


def _check_out(worktree: wt.Worktree, *more: str, inert: bool) -> None:
    words = ("worktree", "add", "--quiet", *more, "--", str(worktree.path), worktree.branch)
    git(worktree.root, *words, seconds=CHECKOUT_SECONDS, inert=inert)
    own = wt.git_directory(worktree.path)
    if own is not None:
        write_by_user(own / wt.MARK, "ccq-tui made this worktree.\n")


def _undo(worktree: wt.Worktree, *, inert: bool) -> None:
    """Remove the parts of a worktree; this process made the branch, so it made all of them."""
    for words in (
        ("worktree", "remove", "--force", "--force", "--", str(worktree.path)),
        ("branch", "--quiet", "-D", "--", worktree.branch),
    ):
        # A part that is not there need not be removed.
        with suppress(GitError):
            git(worktree.root, *words, seconds=CHECKOUT_SECONDS, inert=inert)
    tidy(worktree.root)

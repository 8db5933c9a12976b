"""The commits that a reflection is about, and the hook that asks, in real repositories."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from ccq_tui.bridges.mcp.tools import ArgumentsError, form_request
from ccq_tui.edited_file import SettingsFileError
from ccq_tui.forms.commits import MOST_FILES, RECORDS, commit_context, records_of, replacement
from ccq_tui.forms.post_commit import (
    BEGIN,
    END,
    HookChange,
    HookError,
    installing,
    status,
    uninstalling,
    without,
)
from ccq_tui.worktrees.git import GitError
from tests.tables import each_row
from tests.unit.worktrees.repositories import commit, run

SH_HOOKS = {
    "exec": "#!/usr/bin/env bash\necho \"$0\" > ran\nexec sh -c 'exit 3'\n",
    "exit": "#!/bin/sh -e\n\necho > ran\nexit 3\n",
    "bare": "echo > ran\nexit 3\n",
    "strict": "#!/bin/bash\nset -euo pipefail\necho > ran\nfalse\n",
}
"""Hooks that nothing at their end would run in, and that fail."""


def hook_of(repo: Path, text: str, name: str = ".git/hooks/post-commit") -> Path:
    """Write a hook."""
    file = repo / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    file.chmod(0o755)
    return file


def made(change: HookChange) -> str:
    """Make a change, as the command does once a person has agreed; return where the hook is."""
    for edit in change.edits:
        before = edit.file.read()
        after, first = edit.file.left(edit.change(before)), edit.undo(before) == before
        edit.file.write(before, after, first=first)
    change.finish()
    return change.where


def install(directory: Path) -> str:
    return made(installing(directory))


def uninstall(directory: Path) -> None:
    made(uninstalling(directory))


def files_of(repo: Path) -> dict[str, bytes | str]:
    """Every file that hooks and their rules are in."""
    places = (repo / ".git/hooks", repo / ".husky", repo / ".git/info")
    files = [file for place in places for file in place.rglob("*") if not file.is_dir()]
    return {str(file): str(file.readlink()) if file.is_symlink() else file.read_bytes() for file in files}


def ended(repo: Path, *command: str) -> int:
    """Have git run the hook without a terminal, or run a command so; return its exit status."""
    command = command or ("git", "hook", "run", "post-commit")
    return subprocess.run(command, cwd=repo, stdin=subprocess.DEVNULL, timeout=60, check=False).returncode


def test_a_new_hook_comes_and_goes_without_a_trace(repo: Path) -> None:
    before, inner = files_of(repo), repo / "inner"
    inner.mkdir()
    assert status(repo) == ([], "")
    hook = repo / ".git/hooks/post-commit"
    for _ in range(2):
        assert install(inner) == str(hook)
        assert hook.read_text(encoding="utf-8").count(BEGIN) == 1
    assert status(repo) == ([str(hook)], "")
    assert ended(repo) == 0
    uninstall(repo)
    uninstall(repo)
    assert (files_of(repo), status(repo)) == (before, ([], ""))
    assert run(repo, "config", "--local", "--list").count("ccq") == 0


@pytest.mark.parametrize("text", SH_HOOKS.values(), ids=SH_HOOKS)
def test_a_shell_hook_keeps_its_lines_and_its_status(repo: Path, text: str) -> None:
    hook = hook_of(repo, text)
    before, status_before = files_of(repo), ended(repo)
    (repo / "ran").unlink()
    install(repo)
    assert hook.read_text(encoding="utf-8").endswith(text.partition("\n")[2] if text[0] == "#" else text)
    assert ended(repo) == status_before != 0
    assert (repo / "ran").exists()
    assert os.access(hook, os.X_OK)
    uninstall(repo)
    assert files_of(repo) == before


@pytest.mark.parametrize("kind", ["python", "link", "disabled", "broken", "windows"])
def test_any_other_hook_is_left_to_the_person(repo: Path, kind: str) -> None:
    text = "#!/usr/bin/env python3\nopen('ran', 'w')\nraise SystemExit(3)\n"
    hook = hook_of(repo, SH_HOOKS["exit"] if kind == "disabled" else text)
    if kind == "link":
        hook_of(repo, SH_HOOKS["exit"], "scripts/hook")
        hook.unlink()
        hook.symlink_to("../../scripts/hook")
    elif kind == "disabled":
        hook.chmod(0o644)
    elif kind == "broken":
        hook.write_bytes(b"#!/bin/sh\n\xff\nexit 3\n")
    elif kind == "windows":
        hook.write_bytes(b"#!/bin/sh\r\nexit 3\r\n")
    before = files_of(repo)
    why = (
        "Windows, with which no shell runs it: convert"
        if kind == "windows"
        else "is no shell script that git"
    )
    with pytest.raises(HookError, match=why):
        install(repo)
    assert (files_of(repo), status(repo)) == (before, ([], ""))


def husky(repo: Path) -> Path:
    """Lay out what husky 9 does; return the directory of a project's own hooks."""
    run(repo, "config", "core.hooksPath", ".husky/_")
    hook_of(repo, '#!/usr/bin/env sh\n. "$(dirname "$0")/h"', ".husky/_/post-commit")
    own = 's=$(dirname "$(dirname "$0")")/$(basename "$0")\n[ -f "$s" ] || exit 0\nsh -e "$s" "$@"\nexit $?\n'
    hook_of(repo, own, ".husky/_/h")
    hook_of(repo, "*", ".husky/_/.gitignore")
    return repo / ".husky"


def test_with_husky_the_hook_is_a_file_that_git_does_not_see(repo: Path) -> None:
    own = husky(repo)
    (repo / ".git/info/exclude").write_bytes(b"# \xff\n*.tmp\n")
    before = files_of(repo)
    assert install(repo) == str(own / "post-commit")
    assert run(repo, "status", "--short") == ""
    husky(repo)
    assert status(repo) == ([str(own / "post-commit")], ""), "another installation of husky leaves it"
    assert ended(repo) == 0
    uninstall(repo)
    assert files_of(repo) == before


def test_where_husky_runs_nothing_the_hook_is_one_that_git_runs(repo: Path, tmp_path: Path) -> None:
    own, tree = husky(repo), tmp_path / "tree"
    run(repo, "worktree", "add", "--quiet", str(tree))
    assert install(repo) == str(own / "post-commit")
    assert (without(repo), status(tree)) == ([str(tree)], ([], "git runs no hook here that asks"))
    assert install(tree) == str(tree / ".husky/_/post-commit"), "husky is not installed there"
    assert (without(repo), without(tree)) == ([], [])
    shutil.rmtree(own / "_")
    assert status(repo) == ([], "git runs no hook here that asks")
    uninstall(tree)
    assert (list(own.iterdir()), list((tree / ".husky/_").iterdir())) == ([], [])


@pytest.mark.parametrize("settings", [["core.hooksPath", "hooks"], ["--worktree", "core.hooksPath", "/h"]])
def test_other_worktrees_with_hooks_of_their_own_are_named(
    repo: Path, tmp_path: Path, settings: list[str]
) -> None:
    tree = tmp_path / "tree"
    run(repo, "worktree", "add", "--quiet", str(tree))
    run(repo, "config", "extensions.worktreeConfig", "true")
    run(repo, "config", *[one.replace("/h", f"{tmp_path}/h") for one in settings])
    install(repo)
    assert status(repo)[1] == ""
    assert (without(repo), without(tree)) == ([str(tree)], [])


def test_a_tracked_hook_is_left_to_those_who_share_it(repo: Path) -> None:
    own = husky(repo)
    tracked = own / "post-commit"
    tracked.write_text("echo > ran\nexit 3\n", encoding="utf-8")
    run(repo, "add", "-A")
    run(repo, "commit", "--quiet", "-m", "Add hooks")
    (repo / "ran").unlink()
    assert install(repo) == str(own / "_/post-commit")
    assert run(repo, "status", "--short") == ""
    assert ended(repo) == 3
    assert (repo / "ran").exists()
    husky(repo)
    assert status(repo) == ([], "git runs no hook here that asks")
    run(repo, "config", "core.hooksPath", "hooks")
    hook = hook_of(repo, SH_HOOKS["exit"] + BEGIN + END, "hooks/post-commit")
    run(repo, "add", "-A")
    assert install(repo) == str(hook), "it is there: it need only be turned on"
    uninstall(repo)
    assert status(repo) == ([str(hook)], "it is turned off here")
    hook_of(repo, SH_HOOKS["exit"], "hooks/post-commit")
    with pytest.raises(HookError, match=r"git tracks .*/hooks/post-commit, which others share: add"):
        install(repo)


def test_hooks_of_all_repositories_ask_in_this_one_alone(repo: Path, tmp_path: Path) -> None:
    shared = hook_of(tmp_path, SH_HOOKS["exit"], "shared/post-commit")
    other = shutil.copytree(repo, tmp_path / "other")
    for one in (repo, other):
        run(one, "config", "core.hooksPath", str(shared.parent))
    assert install(repo) == str(shared)
    assert status(repo) == ([str(shared)], "")
    assert status(other) == ([str(shared)], "it is turned off here")


def test_a_worktree_shares_the_hook_and_moved_hooks_are_missed(repo: Path, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    run(repo, "worktree", "add", "--quiet", str(tree))
    hook = repo / ".git/hooks/post-commit"
    assert install(tree) == str(hook)
    assert status(repo) == status(tree) == ([str(hook)], "")
    husky(repo)
    assert status(repo) == ([], "git runs no hook here that asks")
    assert install(repo) == str(repo / ".husky/post-commit")
    assert not hook.exists()


def test_a_hook_that_pre_commit_replaced_or_moved_is_found(repo: Path) -> None:
    install(repo)
    hook = repo / ".git/hooks/post-commit"
    theirs = "#!/usr/bin/env bash\nexec true\n"
    moved = hook.rename(hook.with_name("post-commit.legacy"))
    hook_of(repo, theirs)
    assert status(repo) == ([str(moved)], "")
    install(repo)
    assert not moved.exists()
    assert BEGIN in hook.read_text(encoding="utf-8"), "once, not twice"
    hook_of(repo, theirs)
    assert status(repo) == ([], "git runs no hook here that asks")
    assert install(repo) == str(hook)


def test_a_hook_that_cannot_be_written_says_why(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hooks = repo / ".git/hooks"
    shutil.rmtree(hooks)
    hooks.touch()
    with pytest.raises(SettingsFileError, match="it cannot be written: "):
        install(repo)
    assert status(repo) == ([], "")


def test_a_commit_is_kept_with_its_files_and_their_counts(repo: Path) -> None:
    (repo / "a.txt").write_text("text\nmore\n", encoding="utf-8")
    (repo / "picture.png").write_bytes(b"\0\1\2")
    run(repo, "mv", ".gitignore", "ignored")
    run(repo, "add", "-A")
    run(repo, "commit", "--quiet", "-m", "Change much\n\nFor a reason.\n")
    inner = repo / "inner"
    inner.mkdir()
    assert commit_context(inner, "HEAD") == {
        "hash": run(repo, "rev-parse", "HEAD"),
        "message": "Change much\n\nFor a reason.",
        "author": "A <a@example.org>",
        "branch": "main",
        "changed": "3 files, +1 -0",
        "files": "+1 -0 a.txt\n+0 -0 ignored\nbinary picture.png",
    }


def test_names_and_messages_that_are_no_text_are_kept_readable(repo: Path) -> None:
    name = b"new\nline\t\x1b[31m\xff.txt"
    Path(os.fsdecode(bytes(repo) + b"/" + name)).write_text("x\n", encoding="utf-8")
    run(repo, "add", "-A")
    (repo / "message").write_bytes(b"Caf\xe9 \x1b[31mred")
    run(repo, "commit", "--quiet", "-F", "message")
    found = commit_context(repo, "HEAD")
    assert found["files"] == "+1 -0 new line    ␛[31m\\xff.txt"
    assert found["message"].startswith("Caf")
    assert all(value.encode() for value in found.values())


def test_a_merge_is_kept_with_what_it_brought_and_a_large_commit_with_its_first_files(repo: Path) -> None:
    run(repo, "checkout", "--quiet", "-b", "side")
    commit(repo, "side.txt")
    run(repo, "checkout", "--quiet", "main")
    commit(repo, "main.txt")
    run(repo, "merge", "--quiet", "--no-ff", "-m", "Merge it", "side")
    assert commit_context(repo, "HEAD")["files"] == "+1 -0 side.txt"
    for number in range(MOST_FILES + 2):
        (repo / f"{number:03}").touch()
    run(repo, "add", "-A")
    run(repo, "commit", "--quiet", "-m", "Many")
    found = commit_context(repo, "HEAD")
    assert found["changed"] == f"{MOST_FILES + 2} files, +0 -0"
    assert found["files"].splitlines()[-1] == "and 2 more"


def test_the_branch_is_one_that_has_the_commit(repo: Path) -> None:
    side = run(repo, "commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "Elsewhere")
    assert "branch" not in commit_context(repo, side)
    run(repo, "branch", "side", side)
    assert commit_context(repo, side)["branch"] == "side"
    assert commit_context(repo, "HEAD")["branch"] == "main"
    run(repo, "checkout", "--quiet", "--detach")
    assert commit_context(repo, "HEAD")["branch"] == "side"


@each_row("nothing", "--all", "^HEAD", "HEAD~100", "HEAD:a.txt", "")
def test_what_is_no_commit_is_refused(revision: str, *, repo: Path) -> None:
    text = f"“{revision}” is no commit: name one, such as HEAD~1 or a hash"
    with pytest.raises(GitError, match=re.escape(text)):
        commit_context(repo, revision)


def test_without_commits_or_a_repository_it_says_so(repo: Path, tmp_path: Path) -> None:
    run(tmp_path, "init", "--quiet", "new")
    with pytest.raises(GitError, match="this repository has no commits yet"):
        commit_context(tmp_path / "new", "HEAD")
    with pytest.raises(GitError, match="not a git repository"):
        commit_context(tmp_path, "HEAD")


def test_reflections_of_a_worktree_are_kept_in_the_main_checkout(repo: Path, tmp_path: Path) -> None:
    run(repo, "worktree", "add", "--quiet", str(tmp_path / "tree"))
    assert records_of(tmp_path / "tree") == records_of(repo) == repo / RECORDS
    bare = tmp_path / "bare.git"
    run(tmp_path, "clone", "--quiet", "--bare", str(repo), str(bare))
    run(bare, "worktree", "add", "--quiet", str(tmp_path / "other"))
    assert records_of(tmp_path / "other") == bare / RECORDS


def test_the_newest_commit_that_was_amended_is_kept_as_it_is_now(repo: Path) -> None:
    commit(repo, "new.txt")
    first, about = run(repo, "rev-parse", "HEAD"), {"ticket": "1"}
    known = {**commit_context(repo, "HEAD"), **about}
    run(repo, "commit", "--quiet", "--amend", "-m", "Amended")
    assert replacement(repo, known) == {**commit_context(repo, "HEAD"), **about}
    run(repo, "branch", "kept", first)
    assert replacement(repo, known) == known
    run(repo, "branch", "-D", "kept")
    commit(repo, "more.txt")
    assert replacement(repo, known) == known


def test_in_a_hook_the_repository_is_that_of_the_commit(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repo / ".git").rename(tmp_path / "dotfiles")
    monkeypatch.chdir(repo)
    monkeypatch.setenv("GIT_DIR", "../dotfiles")
    monkeypatch.setenv("GIT_WORK_TREE", ".")
    assert commit_context(repo, "HEAD")["message"] == "Add a.txt"
    assert records_of(repo) == repo / RECORDS


def test_a_client_that_asks_for_a_reflection_gets_the_commit_recorded_where_it_is_read(repo: Path) -> None:
    asked = form_request({"form": "commit-reflection"}, str(repo))
    assert asked.context == commit_context(repo, "HEAD")
    assert asked.output == str(records_of(repo))
    again = {"id": "1", "finished": "2026-11-02T10:05:00Z", "context": {**asked.context}, "answers": {}}
    records_of(repo).write_text(json.dumps(again), encoding="utf-8")
    for context in {}, {"hash": asked.context["hash"][:7], "message": "Another"}:
        with pytest.raises(ArgumentsError, match=r"has a reflection of 2026-11-02 .*; name another commit"):
            form_request({"form": "commit-reflection", "context": context}, str(repo))
    wrong = {"form": "commit-reflection", "context": {"commit": "nope"}}
    with pytest.raises(ArgumentsError, match="“nope” is no commit"):
        form_request(wrong, str(repo))


@each_row(
    ({"form": "none"}, "none: no form has this name; there are commit-reflection"),
    ({"form": {"id": "f", "questions": [{"id": "a"}]}}, "form: question 1, text: is missing; form: "),
    ({"form": "-"}, "form: expected the name of a form"),
    ({"form": "commit-reflection", "context": {"a": 1}}, "context: expected an object of texts"),
)
def test_wrong_arguments_of_a_form_are_named(
    arguments: dict[str, object], text: str, *, tmp_path: Path
) -> None:
    with pytest.raises(ArgumentsError, match=text):
        form_request(arguments, str(tmp_path))

"""What a reflection keeps of a commit, from real repositories."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from ccq_tui.bridges.mcp.calls import Client
from ccq_tui.bridges.mcp.forms import FormTools
from ccq_tui.bridges.mcp.tools import ArgumentsError
from ccq_tui.forms.commits import MOST_FILES, RECORDS, commit_context, records_of
from ccq_tui.forms.interviews import read
from ccq_tui.worktrees.git import GitError
from tests.memory_inbox import MemoryInbox
from tests.unit.worktrees.repositories import commit, run


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


@pytest.mark.parametrize("revision", ["nothing", "--all", "^HEAD", "HEAD~100", "HEAD:a.txt", ""])
def test_what_is_no_commit_is_refused(repo: Path, revision: str) -> None:
    said = f"“{revision}” is no commit: name one, such as HEAD~1 or a hash"
    with pytest.raises(GitError, match=re.escape(said)):
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


def test_in_a_hook_the_repository_is_that_of_the_commit(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repo / ".git").rename(tmp_path / "dotfiles")
    monkeypatch.chdir(repo)
    monkeypatch.setenv("GIT_DIR", "../dotfiles")
    monkeypatch.setenv("GIT_WORK_TREE", ".")
    assert commit_context(repo, "HEAD")["message"] == "Add a.txt"
    assert records_of(repo) == repo / RECORDS


async def test_a_client_that_fills_in_a_reflection_records_the_commit_where_it_is_read(repo: Path) -> None:
    tools, client = FormTools(inbox := MemoryInbox()), Client("Codex", str(repo))
    started = await tools.call("start_form", {"form": "commit-reflection"}, client)
    form_id = (started.structured_content or {})["form_id"]
    request = (await inbox.run(lambda store: read(store, form_id))).request
    assert request.context == commit_context(repo, "HEAD")
    assert request.output == str(records_of(repo))
    again = {"id": "1", "finished": "2026-11-02T10:05:00Z", "context": {**request.context}, "answers": {}}
    records_of(repo).write_text(json.dumps(again), encoding="utf-8")
    for context in {}, {"hash": request.context["hash"][:7], "message": "Another"}:
        with pytest.raises(ArgumentsError, match=r"has a reflection of 2026-11-02 .*; name another commit"):
            await tools.call("start_form", {"form": "commit-reflection", "context": context}, client)
    wrong = {"form": "commit-reflection", "context": {"commit": "nope"}}
    with pytest.raises(ArgumentsError, match="“nope” is no commit"):
        await tools.call("start_form", wrong, client)
    with pytest.raises(ArgumentsError, match="question: is missing; answer_form takes form_id, question, "):
        await tools.call("answer_form", {"form_id": form_id}, client)

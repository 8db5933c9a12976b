"""Where a session goes on whose directory is gone."""

from __future__ import annotations

from pathlib import Path

from ccq_tui.agent.reader import EarlierSession
from ccq_tui.config.launch import Launch, ProgramArguments
from ccq_tui.config.settings import Settings
from ccq_tui.runtime.launches import WayOn, launch_to_resume
from ccq_tui.worktrees.creation import make, planned
from ccq_tui.worktrees.model import Worktree
from tests.unit.worktrees.repositories import run


def test_it_goes_on_in_its_worktree_made_anew_and_else_here_which_is_said(repo: Path) -> None:
    made = make(planned(repo, "x"))
    run(repo, "worktree", "remove", str(made.path))
    here = Launch(
        settings=Settings(cwd=repo), program=ProgramArguments(flags={}), worktree=Worktree(repo, "mine")
    )

    def launched(directory: Path) -> Launch:
        return launch_to_resume(WayOn(EarlierSession("id", "Title", 0.0, "", str(directory))), here)

    again = launched(made.path)
    assert (again.settings.directory, again.resume, again.notices) == (made.path, "id", ())
    assert (made.path / "a.txt").is_file()
    elsewhere = launched(repo / "gone")
    assert (elsewhere.settings.directory, elsewhere.resume, elsewhere.worktree) == (repo, "id", None)
    assert elsewhere.notices == (f"Its directory {repo}/gone is gone: it is resumed in {repo}.",)
    made.path.parent.joinpath(".gitignore").unlink()
    run(repo, "worktree", "remove", str(made.path))
    (repo / ".claude/worktrees").rmdir()
    (repo / ".claude/worktrees").write_text("in the way")
    first, _second = launched(made.path).notices
    assert "is not a directory of the repository's own" in first

"""The files that the prompt offers."""

import subprocess
from pathlib import Path

import pytest

from ccq_tui.prompts import files as module
from ccq_tui.prompts.files import list_files


def make(directory: Path, *names: str) -> None:
    for name in names:
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    make(tmp_path, "a.py", "src/deep/b.py", "src/my file.txt", "out/c.o", "new\nline", 'both " signs', "é.md")
    (tmp_path / ".gitignore").write_text("out/\n")
    subprocess.run(["git", "-C", tmp_path, "add", "a.py"], check=True)
    return tmp_path


def test_tracked_and_new_files_with_their_directories_but_not_ignored_ones(repository: Path) -> None:
    assert sorted(list_files(repository)) == sorted(
        [".gitignore", "a.py", "src/", "src/deep/", "src/deep/b.py", "src/my file.txt", "é.md"]
    )


def test_a_directory_within_a_repository_lists_its_own_files(repository: Path) -> None:
    assert sorted(list_files(repository / "src")) == ["deep/", "deep/b.py", "my file.txt"]


def test_listing_runs_no_program_that_the_repository_names(repository: Path) -> None:
    spy = repository / "spy.sh"
    spy.write_text(f"#!/bin/sh\ntouch {repository}/ran\n")
    spy.chmod(0o700)
    subprocess.run(["git", "-C", repository, "config", "core.fsmonitor", str(spy)], check=True)
    list_files(repository)
    assert not (repository / "ran").exists()


def test_without_git_the_usual_directories_are_left_out(tmp_path: Path) -> None:
    make(tmp_path, "a.py", "src/b.py", "node_modules/x/y.js", "src/__pycache__/b.pyc")
    assert sorted(list_files(tmp_path)) == ["a.py", "src/", "src/b.py"]


def test_too_many_files_are_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_FILES", 3)
    make(tmp_path, *(f"{number}.py" for number in range(9)))
    assert len(list_files(tmp_path)) == 3


def test_a_directory_that_is_not_there_has_no_files(tmp_path: Path) -> None:
    assert list_files(tmp_path / "gone") == ()

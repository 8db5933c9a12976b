"""Real repositories for tests, without anything of the person's own configuration."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

IDENTITY = {
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@example.org",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
}


def run(place: Path, *words: str) -> str:
    """Run git in a directory."""
    done = subprocess.run(["git", *words], cwd=place, capture_output=True, text=True, check=True, timeout=60)
    return done.stdout.strip()


def commit(place: Path, name: str, text: str = "text\n") -> str:
    """Commit a file, and return the commit."""
    (place / name).write_text(text, encoding="utf-8")
    run(place, "add", "--", name)
    run(place, "commit", "--quiet", "-m", f"Add {name}")
    return run(place, "rev-parse", "HEAD")


def repository(place: Path) -> Path:
    """Make a repository with one commit."""
    place.mkdir()
    run(place, "init", "--quiet", "--initial-branch", "main")
    (place / ".gitignore").write_text("*.log\n__pycache__/\n", encoding="utf-8")
    run(place, "add", "-A")
    commit(place, "a.txt")
    return place


@pytest.fixture(name="first_repo", scope="session")
def _first_repo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in IDENTITY.items():
            patch.setenv(name, value)
        return repository(tmp_path_factory.mktemp("first") / "repo")


@pytest.fixture(name="repo")
def _repo(first_repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in IDENTITY.items():
        monkeypatch.setenv(name, value)
    return shutil.copytree(first_repo, tmp_path / "repo")

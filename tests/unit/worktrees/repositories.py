"""Real repositories for tests, without anything of the person's own configuration."""

import subprocess
from pathlib import Path


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

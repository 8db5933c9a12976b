from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ccq_tui.testing import clean_environment


def test_nothing_of_the_caller_reaches_the_cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "mine")
    monkeypatch.setenv("CLAUDE_CODE_OAUTH_TOKEN", "mine")
    monkeypatch.setenv("CLAUDECODE", "1")
    monkeypatch.setenv("HTTPS_PROXY", "http://mine")
    monkeypatch.setenv("KEPT", "yes")
    made = clean_environment("http://127.0.0.1:1", root=tmp_path, extra={"MORE": "1"})
    assert "mine" not in "".join(made.env.values())
    assert "CLAUDECODE" not in made.env
    assert (made.env["KEPT"], made.env["MORE"]) == ("yes", "1")
    assert made.env["ANTHROPIC_BASE_URL"] == "http://127.0.0.1:1"
    merged = {**os.environ, **made.overrides()}
    assert merged["ANTHROPIC_AUTH_TOKEN"] == merged["CLAUDE_CODE_OAUTH_TOKEN"] == merged["CLAUDECODE"] == ""


def test_everything_is_below_the_root(tmp_path: Path, home: Path) -> None:
    made = clean_environment("http://127.0.0.1:1", root=tmp_path)
    for name in ("HOME", "CLAUDE_CONFIG_DIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        assert Path(made.env[name]).is_relative_to(tmp_path)
    answered = json.loads((made.config / ".claude.json").read_text(encoding="utf-8"))
    assert answered["hasCompletedOnboarding"] is True
    assert not list(home.iterdir())


def test_a_temporary_home_is_removed() -> None:
    with clean_environment("http://127.0.0.1:1") as made:
        assert made.project.is_dir()
    assert not made.root.exists()


@pytest.mark.parametrize(
    "module", ["ccq_tui.testing", "ccq_tui.testing.pytest_plugin", "ccq_tui.testing.scenarios"]
)
def test_importing_loads_nothing_heavy(module: str) -> None:
    heavy = ("uvicorn", "starlette", "hypothesis", "textual", "claude_agent_sdk")
    code = f"import sys, {module}; print([name for name in {heavy!r} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == "[]"

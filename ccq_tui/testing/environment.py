"""The environment of a real CLI that talks to the scripted model from a home of its own."""

import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

# Variables that could lead a CLI to the person's own account or settings, or to another endpoint.
_FOREIGN_PREFIXES = ("ANTHROPIC_", "CLAUDE_", "CLAUDECODE", "AWS_BEDROCK", "VERTEX_", "CLOUD_ML_")
_PROXIES = ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
_DUMMY_KEY = "sk-ant-scripted-model"
_QUIET = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_BUG_COMMAND": "1",
    "DISABLE_FEEDBACK_COMMAND": "1",
    "CLAUDE_CODE_CERT_STORE": "bundled",  # the model is on loopback: the system's certificates are not read
    "NO_PROXY": "127.0.0.1,localhost",
    "no_proxy": "127.0.0.1,localhost",
}


@dataclass(frozen=True)
class CleanHome:
    """A temporary home with a configuration directory and an empty project.

    Attributes:
        root: The temporary directory that holds everything.
        home: The home directory.
        config: The CLI's configuration directory.
        project: An empty directory to work in.
        env: The whole environment for a subprocess; nothing of the caller's own home or account is in it.
    """

    root: Path
    home: Path
    config: Path
    project: Path
    env: dict[str, str]

    def remove(self) -> None:
        """Delete the temporary directory."""
        shutil.rmtree(self.root, ignore_errors=True)

    def overrides(self) -> dict[str, str]:
        """Return variables for a caller that merges them over this process's environment, as the SDK does.

        Returns:
            ``env``, and "" for each variable of this process that must not reach the CLI.
        """
        return {name: "" for name in os.environ if name not in self.env} | self.env

    def for_claude(self) -> dict[str, str]:
        """Return those of `overrides` that lead Claude Code to the model alone, wherever its home is."""
        kept = {"HOME", "TMPDIR", *(name for name in self.env if name.startswith("XDG_"))}
        changed = {name: value for name, value in self.overrides().items() if value != os.environ.get(name)}
        return {name: value for name, value in changed.items() if name not in kept}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.remove()


def clean_environment(
    base_url: str, *, root: Path | None = None, extra: Mapping[str, str] | None = None
) -> CleanHome:
    """Make a clean home and the environment for a real CLI in it.

    Args:
        base_url: Address of the Messages API, ``ScriptedModel.url``.
        root: An existing directory to make everything in; None makes a temporary one.
        extra: Variables to add, for instance ``CLAUDE_CODE_MAX_RETRIES``.

    Returns:
        The home, to be removed by ``remove`` or as a context manager.
    """
    root = Path(tempfile.mkdtemp(prefix="ccq-")) if root is None else root
    home, project = root / "home", root / "project"
    config = home / ".claude"
    temporary = root / "tmp"
    usual = (home / ".config", home / ".local" / "share", home / ".cache")
    for directory in (temporary, config, project, *usual):
        directory.mkdir(parents=True, exist_ok=True)
    # The answers to the questions of a first start: theme, key and trust.
    answered = {
        "hasCompletedOnboarding": True,
        "theme": "dark",
        "customApiKeyResponses": {"approved": [_DUMMY_KEY[-20:]], "rejected": []},
        "projects": {str(project): {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}},
    }
    (config / ".claude.json").write_text(json.dumps(answered, indent=2), encoding="utf-8")
    env = {
        name: value
        for name, value in os.environ.items()
        if not (name.startswith((*_FOREIGN_PREFIXES, "XDG_")) or name in _PROXIES)
    }
    env |= _QUIET | {
        "HOME": str(home),
        "TMPDIR": str(temporary),  # where the CLI keeps outputs of its tools
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_DATA_HOME": str(home / ".local" / "share"),
        "XDG_STATE_HOME": str(home / ".local" / "state"),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "CLAUDE_CONFIG_DIR": str(config),
        "ANTHROPIC_BASE_URL": base_url,
        "ANTHROPIC_API_KEY": _DUMMY_KEY,
    }
    return CleanHome(root, home, config, project, env | dict(extra or {}))

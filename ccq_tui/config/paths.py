"""Where configuration, state and logs are on this system."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

APP = "ccq-tui"
PROJECT_FILE = ".ccq-tui.toml"


def expanded(path: str | Path) -> Path:
    """Put the home directory for ``~``; unlike pathlib's own, "~nobody" is left as it is instead of raising.

    Args:
        path: A path as a person writes it.

    Returns:
        The path as the system knows it.
    """
    return Path(os.path.expanduser(path))  # noqa: PTH111


def config_dir() -> Path:
    """Say where a person's own configuration and themes are.

    Returns:
        A directory, which may not exist.
    """
    return platformdirs.user_config_path(APP, appauthor=False)


def state_dir() -> Path:
    """Say where what must survive the program is kept.

    Returns:
        A directory, which may not exist.
    """
    return platformdirs.user_state_path(APP, appauthor=False)


def inbox_path() -> Path:
    """Say where the inbox of all sessions is.

    Returns:
        A file, which may not exist.
    """
    return state_dir() / "inbox.db"


def log_dir() -> Path:
    """Say where logs are.

    Returns:
        A directory, which may not exist.
    """
    return platformdirs.user_log_path(APP, appauthor=False)


def user_config() -> Path:
    """Say which file holds a person's own settings.

    Returns:
        A path, which may not exist.
    """
    return config_dir() / "config.toml"


def project_config(start: Path) -> Path | None:
    """Find the settings file of the project that a directory belongs to.

    The search goes up to the root of the git repository. Outside a repository it looks in ``start`` alone:
    a file further up, in /tmp for example, may be anybody's.

    Args:
        start: The directory to work in.

    Returns:
        The nearest file, or None.
    """
    here = start.absolute()
    upwards = [here, *here.parents]
    root = next((number for number, directory in enumerate(upwards) if (directory / ".git").exists()), 0)
    for directory in upwards[: root + 1]:
        candidate = directory / PROJECT_FILE
        if candidate.is_file():
            return candidate
    return None

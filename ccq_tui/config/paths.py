"""Places of configuration, state and logs on this system."""

import os
from pathlib import Path

import platformdirs

from ccq_tui.config.errors import SettingProblem, SettingsError

APP = "ccq-tui"
PROJECT_FILE = ".ccq-tui.toml"


def expanded(path: str | Path) -> Path:
    """Expand ``~`` to the home directory; unlike pathlib, leave "~nobody" as it is."""
    return Path(os.path.expanduser(path))  # noqa: PTH111


def config_dir() -> Path:
    """Return the directory of a person's own configuration and themes."""
    return platformdirs.user_config_path(APP, appauthor=False)


def state_dir() -> Path:
    """Return the directory of data that must outlive the program."""
    return platformdirs.user_state_path(APP, appauthor=False)


def inbox_path() -> Path:
    """Return the file of the inbox of all sessions."""
    return state_dir() / "inbox.db"


def log_dir() -> Path:
    """Return the directory of logs."""
    return platformdirs.user_log_path(APP, appauthor=False)


def user_config() -> Path:
    """Return the file of a person's own settings."""
    return config_dir() / "config.toml"


def project_config(start: Path) -> Path | None:
    """Find the settings file of the project that a directory belongs to.

    The search goes up to the root of the git repository. Outside a repository it looks in ``start``
    alone: a file further up, in /tmp for example, may be anybody's. Raises `SettingsError` in a directory
    that cannot be entered.
    """
    try:
        files = (directory / PROJECT_FILE for directory in project_directories(start.absolute()))
        return next((file for file in files if file.is_file()), None)
    except PermissionError as error:
        message = "cannot be entered: permission denied"
        raise SettingsError([SettingProblem(str(start.absolute()), message)]) from error


def project_directories(directory: Path) -> list[Path]:
    """Return a directory and those above it up to the root of its git repository, or it alone."""
    upwards = [directory, *directory.parents]
    root = next((number for number, place in enumerate(upwards) if (place / ".git").exists()), 0)
    return upwards[: root + 1]

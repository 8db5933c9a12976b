"""Settings: what they are, where they come from, and what one run of the program is started with."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ccq_tui.config.paths import config_dir, inbox_path, log_dir, project_config, state_dir, user_config

if TYPE_CHECKING:
    from ccq_tui.config.errors import Problem, SettingsError
    from ccq_tui.config.launch import Launch
    from ccq_tui.config.load import Loaded, load_settings
    from ccq_tui.config.settings import Settings

__all__ = [
    "Launch",
    "Loaded",
    "Problem",
    "Settings",
    "SettingsError",
    "config_dir",
    "inbox_path",
    "load_settings",
    "log_dir",
    "project_config",
    "state_dir",
    "user_config",
]

_LATER = {
    "Launch": "launch",
    "Loaded": "load",
    "Problem": "errors",
    "Settings": "settings",
    "SettingsError": "errors",
    "load_settings": "load",
}


def __getattr__(name: str) -> Any:
    """Load settings when they are first used: commands that only need a path are to be quick."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
    globals()[name] = value
    return value

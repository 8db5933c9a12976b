"""Settings, their sources, and the launch of one run."""

from typing import TYPE_CHECKING

from ccq_tui.config.paths import config_dir, inbox_path, log_dir, project_config, state_dir, user_config
from ccq_tui.lazy import loaded_later

if TYPE_CHECKING:
    from ccq_tui.config.errors import SettingProblem, SettingsError
    from ccq_tui.config.launch import Launch
    from ccq_tui.config.load import Loaded, load_settings
    from ccq_tui.config.settings import Settings

__all__ = [
    "Launch",
    "Loaded",
    "SettingProblem",
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

# Commands that only need a path must start fast.
__getattr__ = loaded_later(__name__, "errors", "settings", "load", "launch")

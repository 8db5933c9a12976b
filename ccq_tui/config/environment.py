"""Settings from environment variables."""

from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING, Any

from ccq_tui.config.settings import ENV_PREFIX, Settings

if TYPE_CHECKING:
    from pydantic_settings import BaseSettings


def environment_settings() -> dict[str, Any]:
    """Read the settings that the environment has, by field, as texts; an empty variable counts as not set."""
    if not any(name.upper().startswith(ENV_PREFIX) for name in os.environ):
        return {}
    # Loaded where there is something to read: it takes a quarter of the time before Claude's process starts.
    from pydantic_settings import EnvSettingsSource

    return EnvSettingsSource(_model())()


@cache
def _model() -> type[BaseSettings]:
    """Return the settings as a model that reads the environment; to build it takes longer than to read."""
    from pydantic_settings import BaseSettings, SettingsConfigDict

    class FromEnvironment(BaseSettings, Settings):
        model_config = SettingsConfigDict(env_prefix=ENV_PREFIX, env_ignore_empty=True, enable_decoding=False)

    return FromEnvironment

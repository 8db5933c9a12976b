"""The settings files of Claude Code, as far as the program itself follows them."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from ccq_tui.bounded import json_object
from ccq_tui.claude_files import claude_directory
from ccq_tui.claude_lines import fields
from ccq_tui.config.launch import Launch
from ccq_tui.config.values import read_json

_MANAGED = (
    Path("/etc/claude-code/managed-settings.json"),
    Path("/Library/Application Support/ClaudeCode/managed-settings.json"),
)


def managed_settings() -> list[Mapping[str, Any]]:
    """Return the settings of the machine's administrator. Reads files: for a thread."""
    return [found for path in _MANAGED if (found := json_object(path))]


def chosen_settings(launch: Launch) -> Iterator[Mapping[str, Any]]:
    """Yield the settings of a person that apply, the strongest first. For a thread.

    The settings of an untrusted directory do not apply.
    """
    if launch.settings.settings is not None:
        with suppress(ValueError):
            yield read_json(launch.settings.settings)
    if launch.settings.restricted:
        return
    sources = launch.settings.setting_sources
    project = launch.settings.directory / ".claude"
    files = {
        "local": project / "settings.local.json",
        "project": project / "settings.json",
        "user": claude_directory(launch.environ()) / "settings.json",
    }
    for source, path in files.items():
        counts = sources is None or source in sources
        if counts and (launch.trusted.project_settings or source == "user"):
            yield json_object(path)


def first_mode(launch: Launch) -> str | None:
    """Return the permission mode to start in, or None for the CLI to choose. Reads files: for a thread.

    Where nothing else is set, Claude Code's own screen starts in auto mode, but a CLI without a screen does
    not. The CLI itself leaves auto mode where it is disabled.
    """
    if launch.settings.permission_mode is not None:
        return launch.settings.permission_mode
    for layer in (*managed_settings(), *chosen_settings(launch)):
        mode = fields(layer, "permissions").get("defaultMode")
        if mode is not None:
            return "auto" if mode == "auto" else None
    return "auto"


def allows_auto_mode(launch: Launch) -> bool:
    """Return whether no settings disable auto mode, for the CLI does not check. Reads files: for a thread."""
    layers = (*managed_settings(), *chosen_settings(launch))
    places = (place for layer in layers for place in (layer, fields(layer, "permissions")))
    return all(place.get("disableAutoMode") != "disable" for place in places)

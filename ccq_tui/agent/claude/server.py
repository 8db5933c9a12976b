"""What the CLI tells about itself when it is connected to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ccq_tui.agent.events import ModelChoice, SlashCommand


def slash_commands(info: Mapping[str, Any]) -> tuple[SlashCommand, ...]:
    """Read the commands that the CLI knows, without removed and internal ones.

    Args:
        info: The CLI's answer to the SDK's initialisation, of any shape.
    """
    listed = info.get("commands")
    return tuple(
        SlashCommand(
            str(entry["name"]).removeprefix("/"),
            str(entry.get("description") or ""),
            str(entry.get("argumentHint") or ""),
            tuple(str(alias) for alias in entry.get("aliases") or ()),
        )
        for entry in (listed if isinstance(listed, list) else ())
        if isinstance(entry, Mapping) and entry.get("name") and not _is_internal(entry)
    )


def _is_internal(entry: Mapping[str, Any]) -> bool:
    about = str(entry.get("description") or "")
    return (
        str(entry["name"]).startswith("_")
        or about.startswith("(removed)")
        or about.rstrip(".").endswith("sessions only)")
    )


def models(info: Mapping[str, Any]) -> tuple[ModelChoice, ...]:
    """Read the models that the CLI offers.

    Args:
        info: The CLI's answer to the SDK's initialisation, of any shape.
    """
    listed = info.get("models")
    return tuple(
        ModelChoice(
            str(entry["value"]),
            str(entry.get("displayName") or entry["value"]),
            str(entry.get("description") or ""),
            str(entry.get("resolvedModel") or ""),
            tuple(str(level) for level in entry.get("supportedEffortLevels") or ()),
            entry.get("supportsAutoMode") is True,
        )
        for entry in (listed if isinstance(listed, list) else ())
        if isinstance(entry, Mapping) and entry.get("value")
    )


def default_model(info: Mapping[str, Any]) -> str:
    """Return the model behind "default"."""
    for model in info.get("models") or []:
        if model.get("value") == "default":
            return str(model.get("resolvedModel") or "default")
    return "default"

"""The launch of a session, as a test gives it."""

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from ccq_tui.config.launch import Launch, ProgramArguments, Trusted
from ccq_tui.config.settings import Settings

OWN = {field.name for field in fields(Launch)} - {"settings"}


def launch_of(
    cwd: Path, *, environment: Mapping[str, str] | None = None, project_settings: bool = True, **given: Any
) -> Launch:
    """Return a launch with settings that are taken as they are; ``claude`` has flags of Claude Code's."""
    own = {name: given.pop(name) for name in OWN & given.keys()}
    given |= given.pop("claude", {})
    assert given.keys() <= Settings.model_fields.keys()
    settings = Settings.model_construct(cwd=cwd, **given)
    own["trusted"] = Trusted(project_settings=project_settings)
    return Launch(settings=settings, program=ProgramArguments(environment=environment or {}), **own)

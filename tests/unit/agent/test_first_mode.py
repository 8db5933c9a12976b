"""The permission mode that a session starts in, as Claude Code's own screen chooses it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ccq_tui.agent.claude_settings import first_mode
from ccq_tui.agent.options import SessionOptions
from ccq_tui.config.claude_flags import ClaudeFlags


def mode(name: str) -> dict[str, object]:
    return {"permissions": {"defaultMode": name}}


@pytest.mark.parametrize(
    ("files", "options", "found"),
    [
        ({}, {}, "auto"),
        ({}, {"permission_mode": "default"}, "default"),
        ({"user": mode("plan")}, {}, None),
        ({"user": mode("default")}, {}, None),
        ({"user": mode("auto")}, {}, "auto"),
        ({"user": mode("plan"), "project": mode("auto")}, {}, "auto"),
        ({"project": mode("acceptEdits")}, {}, None),
        ({"project": mode("acceptEdits")}, {"project_settings": False}, "auto"),
        ({"project": mode("plan")}, {"claude": ClaudeFlags(setting_sources=("user",))}, "auto"),
        ({"local": mode("plan")}, {}, None),
        ({"user": {"permissions": ["defaultMode"]}}, {}, "auto"),
        ({}, {"settings": json.dumps(mode("plan"))}, None),
    ],
)
def test_it_is_auto_unless_a_mode_was_chosen(
    files: dict[str, object], options: dict[str, object], found: str | None, tmp_path: Path
) -> None:
    names = {"user": "config/settings.json", "project": ".claude/settings.json"}
    for source, data in files.items():
        path = tmp_path / names.get(source, ".claude/settings.local.json")
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(data))
    environment = {"CLAUDE_CONFIG_DIR": str(tmp_path / "config")}
    given = SessionOptions(cwd=tmp_path, environment=environment, **options)  # type: ignore[arg-type]
    assert first_mode(given) == found

"""Checks everything the program needs, in the order in which it needs it."""

from __future__ import annotations

import difflib
import os
import platform
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ccq_tui import loop_monitor
from ccq_tui.bridges.terminal import WRAPPED
from ccq_tui.bridges.terminal.rules import load_rules
from ccq_tui.config.errors import SettingsError
from ccq_tui.config.load import load_settings
from ccq_tui.config.paths import prompt_rules
from ccq_tui.config.settings import ENV_PREFIX, Settings
from ccq_tui.doctor.check import Check, Level
from ccq_tui.doctor.claude import examine_cli, examine_hooks, examine_sign_in
from ccq_tui.doctor.mcp import examine_mcp
from ccq_tui.doctor.phone import examine_channels, examine_pairings
from ccq_tui.doctor.system import examine_directories, examine_terminal
from ccq_tui.plain.mode import VARIABLES
from ccq_tui.theming import load_themes

AREA = "Program"


def examine(flags: Mapping[str, Any] | None = None) -> list[Check]:
    """Run all checks, grouped by area; change nothing and read no secret."""
    try:
        loaded = load_settings(flags)
        settings: Settings | None = loaded.settings
        advice = "Remove it, or update ccq-tui."
        wrong = [Check(AREA, "Settings", text, Level.WARNING, advice) for text in loaded.warnings]
        found = ", ".join(map(str, loaded.files)) or "no files, defaults"
        checks = [Check(AREA, "Settings", found), *wrong]
    except SettingsError as error:
        settings = None
        checks = [
            Check(AREA, "Settings", str(problem), Level.FAILURE, "Correct it.") for problem in error.problems
        ]
    return [
        # An older one is refused before anything else is imported.
        Check(AREA, "Python", f"{platform.python_version()} ({sys.executable})"),
        *checks,
        *_misspelt_variables(),
        *_themes(settings.theme if settings else ""),
        *_prompt_rules(prompt_rules()),
        *examine_terminal(),
        *examine_cli(settings.cli_path if settings else None),
        examine_sign_in(),
        *examine_hooks(),
        *examine_directories(),
        *examine_mcp(),
        *examine_pairings(),
        *examine_channels(settings.notify_urls if settings else ()),
    ]


def _misspelt_variables() -> list[Check]:
    """Warn of variables with our prefix that nothing reads."""
    known = {f"{ENV_PREFIX}{name.upper()}" for name in Settings.model_fields}
    known |= {loop_monitor.VARIABLE, WRAPPED, *VARIABLES}
    checks = []
    for name in sorted(os.environ):
        if name.startswith(ENV_PREFIX) and name not in known:
            close = difflib.get_close_matches(name, known, n=1)
            advice = (
                f"Did you mean {close[0]}?"
                if close
                else 'See "ccq-tui config show" for the settings there are.'
            )
            checks.append(Check(AREA, "Environment", f"{name} is not a setting", Level.WARNING, advice))
    return checks


def _themes(wanted: str) -> list[Check]:
    found = load_themes(wanted)
    return _files("Themes", found.problems, ", ".join(sorted({theme.name for theme in found.themes})))


def _prompt_rules(directory: Path) -> list[Check]:
    """Check the user's own prompt rules, if there are any."""
    if not os.path.isdir(directory):  # noqa: PTH112 - as in a directory that cannot be entered
        return []
    rules, problems = load_rules(directory)
    names = [rule.name for rule in rules if rule.file.startswith(str(directory))]
    return _files("Prompt rules", problems, ", ".join(names) or f"none in {directory}")


def _files(name: str, problems: Sequence[str], found: str) -> list[Check]:
    if not problems:
        return [Check(AREA, name, found)]
    advice = "Correct the file or remove it."
    return [Check(AREA, name, problem, Level.WARNING, advice) for problem in problems]

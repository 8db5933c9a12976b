"""Checks everything the program needs, in the order in which it needs it."""

from __future__ import annotations

import difflib
import os
import platform
import sys
from collections.abc import Mapping
from typing import Any

from ccq_tui import loop_monitor
from ccq_tui.bridges.terminal import WRAPPED
from ccq_tui.config.errors import SettingsError
from ccq_tui.config.load import load_settings
from ccq_tui.config.settings import ENV_PREFIX, Settings
from ccq_tui.doctor.check import Check, Level
from ccq_tui.doctor.claude import examine_cli, examine_hooks, examine_sign_in
from ccq_tui.doctor.mcp import examine_mcp
from ccq_tui.doctor.phone import examine_pairings
from ccq_tui.doctor.system import examine_directories, examine_terminal
from ccq_tui.plain.mode import VARIABLES

AREA = "Program"


def examine(flags: Mapping[str, Any] | None = None) -> list[Check]:
    """Run all checks, grouped by area; change nothing and read no secret."""
    cli_path = None
    try:
        loaded = load_settings(flags)
        cli_path, advice = loaded.settings.cli_path, "Remove it, or update ccq-tui."
        wrong = [Check(AREA, "Settings", text, Level.WARNING, advice) for text in loaded.warnings]
        found = ", ".join(map(str, loaded.files)) or "no files, defaults"
        checks = [Check(AREA, "Settings", found), *wrong]
    except SettingsError as error:
        problems = map(str, error.problems)
        checks = [Check(AREA, "Settings", one, Level.FAILURE, "Correct it.") for one in problems]
    return [
        # An older one is refused before anything else is imported.
        Check(AREA, "Python", f"{platform.python_version()} ({sys.executable})"),
        *checks,
        *_misspelt_variables(),
        *examine_terminal(),
        *examine_cli(cli_path),
        examine_sign_in(),
        *examine_hooks(),
        *examine_directories(),
        *examine_mcp(),
        *examine_pairings(),
    ]


def _misspelt_variables() -> list[Check]:
    """Warn of variables with our prefix that nothing reads."""
    known = {f"{ENV_PREFIX}{name.upper()}" for name in Settings.model_fields}
    known |= {loop_monitor.VARIABLE, WRAPPED, *VARIABLES}
    checks = []
    for name in sorted(os.environ):
        if name.startswith(ENV_PREFIX) and name not in known:
            close = difflib.get_close_matches(name, known, n=1)
            others = 'See "ccq-tui config show" for the settings there are.'
            advice = f"Did you mean {close[0]}?" if close else others
            checks.append(Check(AREA, "Environment", f"{name} is not a setting", Level.WARNING, advice))
    return checks

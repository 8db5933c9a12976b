"""On what and with what was measured."""

import datetime
import os
import platform
import subprocess
from collections.abc import Mapping
from importlib.metadata import version

from bench.programs import NATIVE, PROGRAMS


def header() -> Mapping[str, str]:
    """Describe the machine, the versions and how busy it is before the bench begins."""
    packages = ("ccq-tui", "textual", "claude-agent-sdk")
    return {
        "date": datetime.datetime.now(tz=datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "machine": f"{os.cpu_count()} cores, {platform.machine()}, {platform.system()} {platform.release()}",
        "load before": "{:.2f} {:.2f} {:.2f}".format(*os.getloadavg()),
        "versions": ", ".join(
            [
                f"Python {platform.python_version()}",
                *(f"{name} {version(name)}" for name in packages),
                _claude(),
            ]
        ),
    }


def _claude() -> str:
    command = [PROGRAMS[NATIVE].command[0], "--version"]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout.strip()

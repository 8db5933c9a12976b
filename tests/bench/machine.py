"""On what and with what was measured."""

from __future__ import annotations

import datetime
import os
import platform
import subprocess
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

from tests.bench.programs import NATIVE, PROGRAMS


def header() -> Mapping[str, str]:
    """Describe the machine, the versions and how busy it is before the bench begins."""
    packages = ("ccq-tui", "textual", "claude-agent-sdk")
    return {
        "date": datetime.datetime.now(tz=datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "machine": f"{os.cpu_count()} cores, {_processor()}, {_memory()}, {_system()}",
        "load before": "{:.2f} {:.2f} {:.2f}".format(*os.getloadavg()),
        "versions": ", ".join(
            [
                f"Python {platform.python_version()}",
                *(f"{name} {version(name)}" for name in packages),
                _claude(),
            ]
        ),
    }


def _system() -> str:
    return f"{platform.system()} {platform.release()}"


def _processor() -> str:
    return _field(Path("/proc/cpuinfo"), "model name") or platform.machine()


def _memory() -> str:
    kilobytes = _field(Path("/proc/meminfo"), "MemTotal").split()
    return f"{int(kilobytes[0]) / 2**20:.0f} GB" if kilobytes else "memory unknown"


def _field(path: Path, name: str) -> str:
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return next((line.partition(":")[2].strip() for line in lines if line.startswith(name)), "")


def _claude() -> str:
    command = [PROGRAMS[NATIVE].command[0], "--version"]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout.strip()

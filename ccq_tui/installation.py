"""How this ccq-tui is installed, and the commands that add an extra to it or remove it."""

import importlib.util
import json
import shlex
import sys
from importlib import metadata
from pathlib import Path
from urllib.parse import unquote, urlsplit

NAME = "ccq-tui"
EXTRAS = {
    "notify": ("apprise",),
    "push": ("py_vapid",),
    "redis": ("redis",),
    "service": ("sqlalchemy", "psycopg", "standardwebhooks", "prometheus_client", "opentelemetry"),
    "wrap": ("pyte", "wcwidth"),
}
"""The modules that each extra brings."""


def is_installed(extra: str) -> bool:
    """Whether all modules of an extra can be imported."""
    return all(importlib.util.find_spec(name) for name in EXTRAS[extra])


def missing(extra: str) -> str:
    """Return a message that an extra is missing, with the command that installs it here."""
    return f"the extra “{extra}” is not installed; to add it: {add_command(extra)}"


def add_command(extra: str) -> str:
    """Return the command that adds an extra to this installation; it keeps the others."""
    extras = ",".join(name for name in EXTRAS if name == extra or is_installed(name))
    (command, _), (editable, source) = _commands(), _source(extras)
    lock = Path(source.partition("[")[0], "requirements.lock")
    if lock.is_absolute() and lock.exists():
        command += [f"--pip-args=-c {lock}"] if command[0] == "pipx" else ["-c", str(lock)]
    return shlex.join([*command, *editable, source])


def remove_command() -> str:
    """Return the command that removes this installation."""
    return shlex.join([*_commands()[1], NAME])


def _commands() -> tuple[list[str], list[str]]:
    """Return what installs and what uninstalls, by the tool that made this environment."""
    there = Path(sys.prefix)
    if (there / "uv-receipt.toml").exists():
        return ["uv", "tool", "install", "--force"], ["uv", "tool", "uninstall"]
    if (there / "pipx_metadata.json").exists():
        return ["pipx", "install", "--force"], ["pipx", "uninstall"]
    if importlib.util.find_spec("pip"):
        return [sys.executable, "-m", "pip", "install"], [sys.executable, "-m", "pip", "uninstall"]
    here = ["--python", sys.executable]
    return ["uv", "pip", "install", *here], ["uv", "pip", "uninstall", *here]


def _source(extras: str) -> tuple[list[str], str]:
    """Return what is installed, with extras: the index's, or the place from which this one came."""
    try:
        text = metadata.distribution(NAME).read_text("direct_url.json")
    except metadata.PackageNotFoundError:
        text = None
    origin = json.loads(text or "{}")
    url = origin.get("url", "")
    if url.startswith("file:"):
        editable = origin.get("dir_info", {}).get("editable", False)
        return ["--editable"] * editable, f"{unquote(urlsplit(url).path)}[{extras}]"
    if "vcs_info" in origin:
        url = f"{origin['vcs_info']['vcs']}+{url}"
    return [], f"{NAME}[{extras}]{f' @ {url}' * bool(url)}"

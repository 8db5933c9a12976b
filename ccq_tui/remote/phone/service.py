"""The service that keeps ``ccq-tui phone`` running, as systemd and launchd read it."""

import os
import plistlib
from collections.abc import Mapping, Sequence
from pathlib import Path

KEPT = ("PATH", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "CLAUDE_CONFIG_DIR")
"""Variables that sessions need, which a service does not have by itself; no secret is among them."""
SYSTEMS = {"linux": "systemd", "darwin": "launchd"}


def service_text(system: str, command: Sequence[str], environment: Mapping[str, str]) -> str:
    """Return the user unit, or the property list of an agent, that runs a command.

    Args:
        system: One of the values of `SYSTEMS`.
        command: The program and its arguments.
        environment: Variables, of which those in `KEPT` are kept.
    """
    kept = {name: environment[name] for name in KEPT if environment.get(name)}
    if system == "systemd":
        words = " ".join(_quoted(word).replace("$", "$$") for word in command)
        lines = "\n".join(f"Environment={_quoted(f'{name}={value}')}" for name, value in kept.items())
        return _file("systemd.service").format(command=words, environment=lines)
    content = {"Label": "ccq-tui.phone", "ProgramArguments": list(command), "EnvironmentVariables": kept}
    always = {"RunAtLoad": True, "KeepAlive": True, "ThrottleInterval": 10}
    return plistlib.dumps(content | always, sort_keys=False).decode().rstrip("\n")


def service_steps(system: str, command: str) -> str:
    """Return how a person installs what a command prints, and uninstalls it."""
    return _file(f"{system}.txt").format(command=command)


def installed_service(platform: str) -> tuple[Path, list[str]] | None:
    """Return the file in which a person installed the service, and the command that stops it, or None."""
    if platform == "darwin":
        file = Path.home() / "Library/LaunchAgents/ccq-tui.phone.plist"
        stop = ["launchctl", "bootout", f"gui/{os.getuid()}/ccq-tui.phone"]
    else:
        config = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
        file = config / "systemd/user/ccq-tui-phone.service"
        stop = ["systemctl", "--user", "disable", "--now", "ccq-tui-phone"]
    return (file, stop) if file.exists() else None


def _file(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8").rstrip("\n")


def _quoted(word: str) -> str:
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped}"'

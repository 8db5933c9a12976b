"""The clipboard: the terminal's, and the system's where a program for it exists."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

from textual.app import App

SECONDS = 2.0
"""How long the system's clipboard may take."""


def clipboard_command(environment: Mapping[str, str], platform: str = sys.platform) -> list[str] | None:
    """Return the program that puts its input on the system's clipboard, or None where there is none.

    Args:
        environment: The environment's variables.
        platform: As `sys.platform`.
    """
    wanted: list[list[str]] = []
    if platform == "darwin":
        wanted = [["pbcopy"]]
    elif platform == "win32" or "WSL_DISTRO_NAME" in environment:
        wanted = [["clip.exe"]]
    if environment.get("WAYLAND_DISPLAY"):
        wanted.append(["wl-copy"])
    if environment.get("DISPLAY"):
        wanted += [["xclip", "-selection", "clipboard"], ["xsel", "--clipboard", "--input"]]
    path = environment.get("PATH")
    return next((command for command in wanted if shutil.which(command[0], path=path)), None)


async def copy(app: App[Any], text: str) -> None:
    """Put a text on the terminal's clipboard (OSC 52) and, in a thread, on the system's.

    Args:
        app: Whose terminal it is.
        text: The text.
    """
    app.copy_to_clipboard(text)
    if not app.is_headless:
        await asyncio.to_thread(copy_to_system, text)


def copy_to_system(text: str) -> bool:
    """Put a text on the system's clipboard.

    Returns:
        Whether a program took it; the terminal's own clipboard has it in any case.
    """
    command = clipboard_command(os.environ)
    if command is None:
        return False
    # clip.exe reads the console's own encoding unless told otherwise by a byte order mark.
    data = text.encode("utf-16") if command[0] == "clip.exe" else text.encode(errors="replace")
    try:
        # A selection's owner lives on: it must not hold our pipes open.
        done = subprocess.run(  # noqa: S603 - one of the names above
            command,
            input=data,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0

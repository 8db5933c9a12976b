"""Opens links and files that a person chose: links in a browser, files in the person's editor."""

import asyncio
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from textual.app import App

from ccq_tui.compat.textual.driver import is_lent
from ccq_tui.screens.editor import edit_file
from ccq_tui.text import one_line

SECONDS = 5.0
"""Seconds to wait for a browser to report that it failed."""


@dataclass(frozen=True, slots=True)
class Target:
    """Something that can be opened.

    Attributes:
        text: Its name in the transcript.
        url: A link of http or https, or "".
        path: A file that exists, or None.
        line: The line in it, or 0.
    """

    text: str
    url: str = ""
    path: Path | None = None
    line: int = 0


def resolved(candidates: list[str], directory: Path) -> list[Target]:
    """Return the candidates that can be opened: links, and paths that exist. Reads the disk."""
    found: dict[object, Target] = {}
    for text in candidates:
        target = _target(text, directory)
        if target is not None:
            found.setdefault(target.url or (target.path, target.line), target)
    return list(found.values())


def _target(text: str, directory: Path) -> Target | None:
    scheme = text.partition("://")[0].lower()
    if scheme in {"http", "https"}:
        return Target(text, url=text)
    name = unquote(urlsplit(text).path) if scheme == "file" else text
    numbered = re.fullmatch(r"(.+):(\d{1,7})", name)
    for path, line in ((name, 0), *([(numbered[1], int(numbered[2]))] if numbered else [])):
        try:
            whole = directory / Path(path).expanduser()
            if whole.is_file():
                return Target(path, path=whole, line=line)
        except (OSError, ValueError, RuntimeError):
            return None  # no name that a file could have
    return None


async def open_target(app: App[Any], target: Target) -> str:
    """Open what a person chose; return what to say about it."""
    if target.path is not None:
        if is_lent(app):
            return "Another editor was open · press the key again"
        return await edit_file(app, target.path, target.line) or f"Opened {one_line(target.text, 200)}"
    command = browser_command(os.environ)
    if command is not None and await asyncio.to_thread(_start, [*command, target.url]):
        return f"Opened {one_line(target.url, 200)}"
    app.copy_to_clipboard(target.url)
    return f"No browser can be started here; copied {one_line(target.url, 200)}"


async def open_url(app: App[Any], url: str, say: Callable[[str], object]) -> None:
    """Open a link that a person agreed to, and say so."""
    say(await open_target(app, Target(url, url=url)))


def browser_command(environment: Mapping[str, str], platform: str = sys.platform) -> list[str] | None:
    """Return the program that opens a link beside the terminal, or None.

    Never one that draws in the terminal itself, as Python's own choice may be.
    """
    names = ["open"] if platform == "darwin" else []
    if not names and "WSL_DISTRO_NAME" in environment:
        names = ["wslview", "explorer.exe"]
    elif not names and (environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY")):
        names = ["xdg-open"]
    return next(([name] for name in names if shutil.which(name, path=environment.get("PATH"))), None)


def _start(command: list[str]) -> bool:
    """Start a program and leave it running; return whether it seems to have worked."""
    try:
        process = subprocess.Popen(  # noqa: S603 - a name above and a link that was checked
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        return False
    try:
        # Explorer exits with 1 when all is well.
        return process.wait(SECONDS) == 0 or command[0] == "explorer.exe"
    except subprocess.TimeoutExpired:
        return True  # a browser that keeps running

"""The clipboard: the terminal's, and the system's through the programs that the system has for it.

Maintained libraries handle text alone, or bring an imaging library along; each system has a program for it,
or a small package with one.
"""

import asyncio
import base64
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from textual.app import App

from ccq_tui.child_process import output_of
from ccq_tui.prompts.images import MEDIA_TYPES, MOST_BYTES
from ccq_tui.widgets.lifetime import start_work

OUT_OF_REACH = "The clipboard cannot be read here · drop the image file, or name it with @"

NO_XCLIP = "The clipboard cannot be read · install xclip"

NO_WL_PASTE = "The clipboard cannot be read · install wl-clipboard"


def clipboard_commands(environment: Mapping[str, str], platform: str = sys.platform) -> list[list[str]]:
    """Return the programs that put their input on a clipboard: on that of tmux, and on the system's."""
    x11, path = environment.get("DISPLAY"), environment.get("PATH")
    system = (
        (platform == "darwin", ["pbcopy"]),
        ("WSL_DISTRO_NAME" in environment, ["clip.exe"]),
        (environment.get("WAYLAND_DISPLAY"), ["wl-copy"]),
        (x11, ["xclip", "-selection", "clipboard"]),
        (x11, ["xsel", "--clipboard", "--input"]),
    )
    # By default tmux ignores the sequence of a program in it (OSC 52), but passes on what it copies itself.
    in_tmux = environment.get("TMUX") and shutil.which("tmux", path=path)
    found = [command for use, command in system if use and shutil.which(command[0], path=path)]
    return [*([["tmux", "load-buffer", "-w", "-"]] if in_tmux else []), *found[:1]]


def copy_beside(app: App[Any], text: str) -> None:
    """Put a text that the terminal was sent on the clipboards of tmux and of the system, too, in a thread."""
    if not app.is_headless:
        start_work(app, partial(asyncio.to_thread, copy_to_programs, text), name="copy", group="copy")


def copy_to_programs(text: str) -> None:
    """Put a text on the clipboards that have a program here."""
    for command in clipboard_commands(os.environ):
        # clip.exe reads the console's own encoding unless a byte order mark says otherwise.
        data = text.encode("utf-16") if command[0] == "clip.exe" else text.encode(errors="replace")
        with suppress(OSError, subprocess.TimeoutExpired):
            # A selection's owner lives on: it must not hold our pipes open.
            subprocess.run(  # noqa: S603 - one of the names above
                command,
                input=data,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=2.0,
                check=False,
            )


READ_SECONDS = 5.0
"""Seconds that all programs together may take: the one of Windows needs a second to start."""
MOST_OUTPUT = 4 * MOST_BYTES
"""Most bytes read of a program's output: more than any image that may be sent, in hexadecimal too."""
# What these print is only what this very program asked for.
_OSASCRIPT = ("osascript", "-e", "get the clipboard as «class PNGf»")
_POWERSHELL = (
    "Add-Type -AssemblyName System.Windows.Forms,System.Drawing;"
    "$i=[Windows.Forms.Clipboard]::GetImage();"
    "if($i){$m=New-Object IO.MemoryStream;$i.Save($m,[Drawing.Imaging.ImageFormat]::Png);"
    "[Convert]::ToBase64String($m.ToArray())}"
)
_POWERSHELL_TEXT = "[Console]::OutputEncoding=[Text.Encoding]::UTF8;Get-Clipboard -Raw"


@dataclass(frozen=True, slots=True)
class ClipboardReader:
    """The programs that read a system's clipboard.

    Attributes:
        image: Programs that print an image, tried in order.
        text: The program that prints a text.
        types: Program that lists the types of the content, or (); its output selects one of `image`.
        decode: Makes an image of what the first of `image` prints.
    """

    image: Sequence[tuple[str, ...]]
    text: tuple[str, ...]
    types: tuple[str, ...] = ()
    decode: Callable[[bytes], bytes] = bytes


class NoReaderError(Exception):
    """No program reads the clipboard here; the message says what to do."""


def reader(environment: Mapping[str, str], platform: str = sys.platform) -> ClipboardReader:
    """Return the programs that read the clipboard here; raises `NoReaderError` if there are none."""

    def has(program: str) -> bool:
        return shutil.which(program, path=environment.get("PATH")) is not None

    mac, wayland, x11 = platform == "darwin", environment.get("WAYLAND_DISPLAY"), environment.get("DISPLAY")
    windows = "WSL_DISTRO_NAME" in environment
    shell = ("powershell.exe", "-NoProfile", "-NonInteractive", "-STA", "-Command")
    paste, begin = ("wl-paste", "--no-newline"), ("xclip", "-selection", "clipboard", "-o")
    known = (
        (mac and has("pngpaste"), ClipboardReader([("pngpaste", "-")], ("pbpaste",))),
        (mac, ClipboardReader([_OSASCRIPT], ("pbpaste",), decode=_from_osascript)),
        (
            windows and has(shell[0]),
            ClipboardReader([(*shell, _POWERSHELL)], (*shell, _POWERSHELL_TEXT), decode=base64.b64decode),
        ),
        (
            wayland and has(paste[0]),
            ClipboardReader(
                [(*paste, "--type", kind) for kind in MEDIA_TYPES], paste, (paste[0], "--list-types")
            ),
        ),
        (
            x11 and has(begin[0]),
            ClipboardReader([(*begin, "-t", kind) for kind in MEDIA_TYPES], begin, (*begin, "-t", "TARGETS")),
        ),
    )
    for use, how in known:
        if use:
            return how
    raise NoReaderError(NO_WL_PASTE if wayland else NO_XCLIP if x11 else OUT_OF_REACH)


async def read_clipboard(how: ClipboardReader) -> bytes | str:
    """Return the bytes of an image, else a text, else "".

    Ends a program that takes too long, and raises `TimeoutError`.
    """
    async with asyncio.timeout(READ_SECONDS):
        asked = how.image
        if how.types:
            listed = (await _output(how.types)).decode(errors="replace").split()
            asked = [command for command in how.image if command[-1] in listed][:1]
        for command in asked:
            with suppress(ValueError):  # what it prints is no image
                if found := how.decode(await _output(command)):
                    return found
        text = (await _output(how.text)).decode(errors="replace")
        return text.removeprefix("\ufeff").replace("\r\n", "\n")


async def _output(command: Sequence[str]) -> bytes:
    """Return what a program prints; nothing where it fails."""
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
    except OSError:
        return b""
    printed, code = await output_of(process, MOST_OUTPUT)
    return b"" if code else printed


def _from_osascript(printed: bytes) -> bytes:
    found = re.search(rb"PNGf([0-9A-Fa-f]+)", printed)
    return bytes.fromhex(found[1].decode()) if found else b""

"""How the clipboard is read on each system, and by which program."""

from __future__ import annotations

import asyncio
import base64
import stat
import time
from pathlib import Path

import pytest

from ccq_tui.screens import clipboard
from ccq_tui.screens.clipboard import NoReaderError, read_clipboard, reader
from tests.unit.prompts.pictures import png


def program(directory: Path, name: str, script: str = "exit 1") -> None:
    (directory / name).write_text(f"#!/bin/sh\n{script}\n")
    (directory / name).chmod(stat.S_IRWXU)


def running(pid: Path) -> bool:
    return Path("/proc", pid.read_text().strip()).exists()


@pytest.mark.parametrize(
    ("there", "environment", "platform", "first"),
    [
        (["wl-paste", "xclip"], {"WAYLAND_DISPLAY": "w", "DISPLAY": ":0"}, "linux", "wl-paste"),
        (["xclip"], {"WAYLAND_DISPLAY": "w", "DISPLAY": ":0"}, "linux", "xclip"),
        (["xclip"], {"DISPLAY": ":0"}, "linux", "xclip"),
        (["pngpaste"], {}, "darwin", "pngpaste"),
        ([], {}, "darwin", "osascript"),
        (["powershell.exe"], {}, "win32", "powershell.exe"),
        (["powershell.exe", "xclip"], {"WSL_DISTRO_NAME": "U", "DISPLAY": ":0"}, "linux", "powershell.exe"),
        (["xclip"], {"WSL_DISTRO_NAME": "U", "DISPLAY": ":0"}, "linux", "xclip"),
    ],
)
def test_the_program_is_the_systems(
    tmp_path: Path, there: list[str], environment: dict[str, str], platform: str, first: str
) -> None:
    for name in there:
        program(tmp_path, name)
    found = reader({"PATH": str(tmp_path), **environment}, platform)
    assert found.image[0][0] == first


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({"WAYLAND_DISPLAY": "w"}, clipboard.NO_WL_PASTE),
        ({"DISPLAY": ":0"}, clipboard.NO_XCLIP),
        ({}, clipboard.OUT_OF_REACH),
    ],
)
def test_where_nothing_reads_it_the_way_is_told(
    tmp_path: Path, environment: dict[str, str], words: str
) -> None:
    with pytest.raises(NoReaderError) as refused:
        reader({"PATH": str(tmp_path), **environment}, "linux")
    assert str(refused.value) == words


class TestReading:
    @pytest.fixture(autouse=True)
    def on_path(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PATH", str(tmp_path), prepend=":")

    async def test_the_first_kind_of_image_that_is_there(self, tmp_path: Path) -> None:
        program(
            tmp_path,
            "wl-paste",
            'case "$*" in *-types) echo text/plain image/webp image/jpeg;; *image/jpeg) echo J;; esac',
        )
        how = reader({"PATH": str(tmp_path), "WAYLAND_DISPLAY": "w"}, "linux")
        assert await read_clipboard(how) == b"J\n"

    async def test_a_text_where_no_image_is(self, tmp_path: Path) -> None:
        program(
            tmp_path, "wl-paste", 'case "$*" in *list-types) echo text/plain;; *) printf "a\\r\\nb";; esac'
        )
        how = reader({"PATH": str(tmp_path), "WAYLAND_DISPLAY": "w"}, "linux")
        assert await read_clipboard(how) == "a\nb"

    async def test_a_program_that_fails_has_nothing(self, tmp_path: Path) -> None:
        program(tmp_path, "xclip", "echo Error: target STRING not available; exit 1")
        how = reader({"PATH": str(tmp_path), "DISPLAY": ":0"}, "linux")
        assert await read_clipboard(how) == ""

    async def test_what_macos_prints_is_the_image(self, tmp_path: Path) -> None:
        program(tmp_path, "osascript", f"echo '«data PNGf{png().hex().upper()}»'")
        assert await read_clipboard(reader({"PATH": str(tmp_path)}, "darwin")) == png()

    async def test_what_windows_prints_is_the_image(self, tmp_path: Path) -> None:
        program(tmp_path, "powershell.exe", f"echo {base64.b64encode(png()).decode()}")
        assert await read_clipboard(reader({"PATH": str(tmp_path)}, "win32")) == png()

    async def test_a_program_that_hangs_is_ended(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(clipboard, "READ_SECONDS", 0.3)
        program(tmp_path, "xclip", f"echo $$ > {tmp_path}/pid; exec /bin/sleep 60")
        began = time.monotonic()
        with pytest.raises(TimeoutError):
            await read_clipboard(reader({"PATH": str(tmp_path), "DISPLAY": ":0"}, "linux"))
        assert time.monotonic() - began < 5
        assert not running(tmp_path / "pid")

    async def test_no_more_is_read_than_an_image_may_have(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setattr(clipboard, "MOST_OUTPUT", 1_000)
        program(tmp_path, "pngpaste", "exec /bin/cat /dev/zero")
        found = await asyncio.wait_for(
            read_clipboard(clipboard.ClipboardReader([("pngpaste",)], ("pngpaste",))), 5
        )
        assert isinstance(found, bytes)
        assert 1_000 <= len(found) <= 1_000 + (1 << 20)

"""Files and child processes are read in bounded time and memory, whatever they are."""

import asyncio
import os
import time
import tomllib
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from ccq_tui.bounded import DEEPEST, SETTINGS_BYTES, UnfitFileError, parse_json, parse_toml, read_text
from ccq_tui.child_process import end
from ccq_tui.config.errors import SettingsError
from ccq_tui.config.launch import launch_with
from ccq_tui.config.load import MOST_NAMED, load_settings
from ccq_tui.config.paths import user_config
from ccq_tui.edited_file import SettingsFileError
from ccq_tui.screens.session.status import git_branch
from ccq_tui.theming.load import keep_theme, read_theme

SECONDS = 30.0
"""Each took minutes, all memory, or for ever."""


def pipe(path: Path) -> None:
    os.mkfifo(path)


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 30)


def directory(path: Path) -> None:
    path.mkdir()


def nested(path: Path) -> None:
    path.write_text("theme = " + "[" * 40_000)


def nested_a_little_less(path: Path) -> None:
    path.write_text("theme = " + "[" * 200 + "]" * 200)


def dotted(path: Path) -> None:
    path.write_text("theme" + ".a" * 45_000 + " = 1")


def looks_like_keys(path: Path) -> None:
    path.write_text('append_system_prompt = """\n' + "theme = 1\n" * 9_000 + '"""\ntheme = 1\n')


def many_names(path: Path) -> None:
    path.write_text("".join(f"k{number} = 1\n" for number in range(9_000)))


KINDS = {
    pipe: "is not a file",
    device: "is not a file",
    sparse: f"is larger than {SETTINGS_BYTES:,} bytes",
    directory: "cannot be read: Is a directory",
    nested: f"nested more than {DEEPEST} levels",
    nested_a_little_less: f"nested more than {DEEPEST} levels",
    dotted: f"nested more than {DEEPEST} levels",
}


@pytest.fixture(autouse=True)
def _in_time() -> object:
    began = time.monotonic()
    yield
    assert time.monotonic() - began < SECONDS


@pytest.fixture
def config() -> Path:
    user_config().parent.mkdir(parents=True, exist_ok=True)
    return user_config()


@pytest.mark.parametrize(("make", "text"), KINDS.items())
def test_no_settings_file_holds_up_or_ends_the_program(
    config: Path, make: Callable[[Path], None], text: str
) -> None:
    make(config)
    with pytest.raises(SettingsError, match=text) as caught:
        load_settings()
    assert str(config) in str(caught.value)
    assert len(str(caught.value)) < 5_000
    with pytest.raises(SettingsFileError):
        keep_theme(config, "ccq-light")


@pytest.mark.parametrize(("make", "text"), KINDS.items())
def test_no_theme_file_does(tmp_path: Path, make: Callable[[Path], None], text: str) -> None:
    make(tmp_path / "a.toml")
    with pytest.raises(SettingsError, match=text):
        read_theme(tmp_path / "a.toml")


def test_the_places_of_problems_are_told_in_time(config: Path) -> None:
    looks_like_keys(config)
    with pytest.raises(SettingsError, match="theme: must be a text in quotes"):
        load_settings()
    many_names(config)
    with pytest.raises(SettingsError) as caught:
        load_settings()
    assert len(caught.value.problems) == MOST_NAMED
    assert str(caught.value.problems[3]).startswith(f"{config}:4: k3: is not a setting")


@pytest.mark.parametrize("make", [pipe, device, sparse, directory, nested])
@pytest.mark.parametrize("flag", ["settings", "mcp_config"])
def test_no_json_file_that_a_flag_names_does(tmp_path: Path, make: Callable[[Path], None], flag: str) -> None:
    make(tmp_path / "a.json")
    with pytest.raises(SettingsError, match=r"is not a file|is larger than|must be JSON|cannot read"):
        load_settings({flag: str(tmp_path / "a.json")})


def test_deep_json_is_an_error_and_no_end(tmp_path: Path) -> None:
    for depth in (DEEPEST + 1, 900, 100_000):
        with pytest.raises(ValueError, match="nested"):
            parse_json("[" * depth + "]" * depth)
        with pytest.raises(SettingsError, match="nested"):
            load_settings({"settings": '{"a": ' + "[" * depth + "]" * depth + "}"})
    assert parse_json("[" * DEEPEST + "]" * DEEPEST)
    assert parse_toml(".".join("a" * DEEPEST) + "=1")
    with pytest.raises(tomllib.TOMLDecodeError):
        parse_toml('"a" . ' * DEEPEST + "b = 1")
    (tmp_path / "a").write_bytes(b"\xef\xbb\xbfa")
    assert read_text(tmp_path / "a", 4) == "a"
    with pytest.raises(UnfitFileError):
        read_text(tmp_path / "a", 3)


@pytest.mark.parametrize("make", [pipe, device, sparse, directory, nested, dotted])
@pytest.mark.parametrize("name", [".mcp.json", ".ccq-tui.toml", ".git"])
def test_what_a_directory_carries_is_looked_at_in_time(
    tmp_path: Path, make: Callable[[Path], None], name: str
) -> None:
    make(tmp_path / name)
    with suppress(SettingsError):
        launch_with({"cwd": tmp_path})
    git_branch(tmp_path)


@pytest.mark.parametrize("leads", [True, False])
async def test_a_program_that_writes_without_end_is_read_to_its_end(leads: bool) -> None:
    process = await asyncio.create_subprocess_exec(
        "yes", stdin=DEVNULL, stdout=PIPE, stderr=PIPE, start_new_session=leads
    )
    assert await process.stdout.read(4) == b"y\ny\n"
    await end(process)
    assert process.returncode == -9
    assert process.stdout.at_eof(), "asyncio would hold the pipe open"


async def test_what_a_program_leaves_of_its_group_ends_with_it() -> None:
    process = await asyncio.create_subprocess_exec(
        "/bin/sh", "-c", "sleep 1000 & echo left", stdin=DEVNULL, stdout=PIPE, start_new_session=True
    )
    assert await process.stdout.readline() == b"left\n"
    async with asyncio.timeout(10):
        await end(process)
    assert process.stdout.at_eof(), "the sleep held it open"

"""Programs that are not the CLI, and places where it cannot start: each is named, and nothing hangs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from ccq_tui.agent.claude import cli_process, connection
from ccq_tui.agent.events import Connected, PromptReturned, SessionLost
from ccq_tui.agent.problems import ADVICE, Problem
from ccq_tui.testing.scenario import Scenario
from tests.agent.running import Play, Running

# What it starts itself holds its output open, and must not be waited for.
HANGS = '[ "$1" = --version ] && sleep 60'


async def started(play: Play, **options: Any) -> SessionLost:
    """Start a session that cannot be, and see that the prompt comes back."""
    _, home = play(Scenario("q").says("Hello"))
    async with Running(home, **options) as run:
        run.session.send("Build it")
        lost = await run.ended()
    assert not lost.expected
    assert run.one(PromptReturned).text == "Build it"
    assert not run.all(Connected)
    return lost


def program(directory: Path, *lines: str) -> Path:
    path = directory / "claude"
    path.write_text("\n".join(["#!/bin/sh", *lines]))
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("options", "kind", "reason"),
    [
        ({"cli_path": Path("/nowhere/claude")}, Problem.CLI_MISSING, "/nowhere/claude does not exist."),
        ({"cwd": Path("/nowhere")}, Problem.DIRECTORY_GONE, "/nowhere"),
        (
            {"cli_path": Path("/bin/false")},
            Problem.CLI_UNUSABLE,
            "/bin/false is not Claude Code: it ended with exit code 1",
        ),
        ({"cli_path": Path(__file__)}, Problem.CLI_UNUSABLE, f"{__file__} cannot be run: Permission denied."),
    ],
)
async def test_what_cannot_be_started(
    play: Play, options: dict[str, Any], kind: Problem, reason: str
) -> None:
    lost = await started(play, **options)
    assert lost.kind == kind
    assert lost.reason.startswith(reason)


@pytest.mark.skipif(os.geteuid() != 0, reason="Claude Code refuses it to root alone")
async def test_bypass_as_root_says_what_helps(play: Play) -> None:
    lost = await started(play, permission_mode="bypassPermissions")
    assert lost.kind == Problem.BYPASS_AS_ROOT
    known = ADVICE.get(lost.kind)
    assert known.action is None
    assert "IS_SANDBOX=1" in known.remedy


@pytest.mark.parametrize(
    ("lines", "kind", "words"),
    [
        (
            ("echo something is wrong >&2", "exit 3"),
            Problem.CLI_UNUSABLE,
            "exit code 3 and said “something is",
        ),
        (("echo '{broken'",), Problem.CLI_UNUSABLE, "it ended with exit code 0 and said “{broken”"),
        (("kill -9 $$",), Problem.CLI_UNUSABLE, "ended by signal 9 (SIGKILL) and said nothing"),
        (
            ('[ "$1" = --version ] && echo "1.0.44 (Claude Code)" && exit', "exit 1"),
            Problem.CLI_OLD,
            "is version 1.0.44 (Claude Code).",
        ),
        (
            ('[ "$1" = --version ] && echo "2.1.330" && exit', "echo no disk space >&2", "exit 4"),
            Problem.CLI_ENDED,
            "/claude",
        ),
    ],
)
async def test_a_program_that_ends(
    play: Play, tmp_path: Path, lines: tuple[str, ...], kind: Problem, words: str
) -> None:
    lost = await started(play, cli_path=program(tmp_path, *lines))
    assert lost.kind == kind
    assert words in lost.reason


async def test_a_file_that_is_no_program(play: Play, tmp_path: Path) -> None:
    path = program(tmp_path)
    path.write_text("just text")
    lost = await started(play, cli_path=path)
    assert (lost.kind, lost.reason) == (Problem.CLI_UNUSABLE, f"{path} cannot be run: Exec format error.")


@pytest.mark.parametrize("line", ["exec cat >/dev/null", "while read -r line; do echo rubbish; done"])
async def test_a_program_that_never_answers_is_given_up(
    play: Play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    monkeypatch.setattr(connection, "CONNECT_SECONDS", 0.5)
    monkeypatch.setattr(cli_process, "VERSION_SECONDS", 0.5)
    lost = await started(play, cli_path=program(tmp_path, HANGS, line))
    assert lost.kind == Problem.CLI_SILENT
    assert "does not even report its version." in lost.reason

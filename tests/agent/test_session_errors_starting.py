"""Programs that are not the CLI, and places where it cannot start: each is named, and nothing hangs."""

import os
from pathlib import Path
from typing import Any

import pytest

from ccq_tui.agent.claude import connection
from ccq_tui.agent.events import Connected, PromptReturned, SessionLost
from ccq_tui.agent.problems import ADVICE, Problem
from ccq_tui.testing.scenario import Scenario
from tests.agent.running import Play, Running


async def started(play: Play, **options: Any) -> SessionLost:
    """Start a session that cannot be, and see that the prompt comes back."""
    _, home = play(Scenario("q").says("Hello"))
    async with Running(home, **options) as run:
        lost = await run.send("Build it").ended()
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
        ({"cwd": Path("/nowhere")}, Problem.DIRECTORY_MISSING, "/nowhere"),
        ({"cli_path": Path("/bin/false")}, Problem.CLI_UNUSABLE, "/bin/false"),
        ({"cli_path": Path(__file__)}, Problem.CLI_UNUSABLE, __file__),
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


async def test_a_program_that_ends_is_named_with_its_own_words(play: Play, tmp_path: Path) -> None:
    path = program(tmp_path, "echo something is wrong >&2", "exit 3")
    lost = await started(play, cli_path=path)
    assert lost.kind == Problem.CLI_UNUSABLE
    assert lost.reason.startswith(f"{path}\n")
    assert lost.reason.endswith("something is wrong")


@pytest.mark.parametrize("line", ["exec cat >/dev/null", "while read -r line; do echo rubbish; done"])
async def test_a_program_that_never_answers_is_given_up(
    play: Play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    monkeypatch.setattr(connection, "CONNECT_SECONDS", 0.5)
    path = program(tmp_path, line)
    lost = await started(play, cli_path=path)
    assert (lost.kind, lost.reason) == (Problem.CLI_SILENT, str(path))

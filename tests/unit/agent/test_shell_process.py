"""A command in the shell: what comes of it, and its end."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path

import pytest

from ccq_tui.agent import claude_settings
from ccq_tui.agent.options import SessionOptions
from ccq_tui.agent.shell_process import MOST_BYTES, NOT_RUN, ShellProcess, answers_shell
from ccq_tui.prompts.shell_runs import ShellRun
from tests.agent.running import alive
from tests.steps import until_true

LIMIT = 30.0


@pytest.fixture
def options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SessionOptions:
    monkeypatch.setattr(claude_settings, "_MANAGED", ())
    monkeypatch.setenv("SHELL", "/bin/sh")
    return SessionOptions(
        cwd=tmp_path, environment={"CLAUDE_CONFIG_DIR": str(tmp_path / "config"), "MINE": "1"}
    )


async def ran(command: str, options: SessionOptions) -> ShellRun:
    async with asyncio.timeout(LIMIT):
        return await ShellProcess(command, options, lambda _: None).run()


async def started(process: ShellProcess, tmp_path: Path) -> tuple[asyncio.Task[ShellRun], int]:
    """Run a command that writes its number into a file, and wait until it has."""
    task = asyncio.create_task(process.run())
    place = tmp_path / "pid"
    await until_true(lambda: place.exists() and place.read_text().strip())
    return task, int((tmp_path / "pid").read_text())


async def test_both_streams_and_the_exit_code_are_told(options: SessionOptions, tmp_path: Path) -> None:
    command = 'pwd; echo "$MINE" >&2; cat; exit 3'
    assert await ran(command, options) == ShellRun(command, f"{tmp_path}\n", "1\n", 3)


async def test_what_it_writes_is_told_while_it_runs(options: SessionOptions, tmp_path: Path) -> None:
    grew: asyncio.Queue[str] = asyncio.Queue()
    command = "echo first; while [ ! -e go ]; do sleep 0.01; done; echo last"
    process = ShellProcess(command, options, grew.put_nowait)
    task = asyncio.create_task(process.run())
    async with asyncio.timeout(LIMIT):
        assert await grew.get() == "first\n"
        (tmp_path / "go").touch()
        assert (await task).stdout == "first\nlast\n"


async def test_of_endless_output_the_ends_are_kept(options: SessionOptions) -> None:
    run = await ran("echo begin; yes | head -c 3000000; echo end", options)
    assert run.stdout.startswith("begin\ny\n")
    assert run.stdout.endswith("y\nend\n")
    assert "bytes left out" in run.stdout
    assert len(run.stdout) < MOST_BYTES + 100


async def test_a_command_ends_by_one_stop(options: SessionOptions, tmp_path: Path) -> None:
    command = "trap 'echo bye; exit 5' INT; echo $$ > pid; while :; do sleep 0.01; done"
    process = ShellProcess(command, options, print)
    task, _ = await started(process, tmp_path)
    process.stop()
    async with asyncio.timeout(LIMIT):
        run = await task
    assert (run.stdout, run.code) == ("bye\n", 5)


async def test_one_that_does_not_listen_ends_by_two(options: SessionOptions, tmp_path: Path) -> None:
    process = ShellProcess("trap '' INT TERM; echo $$ > pid; while :; do sleep 0.01; done", options, print)
    task, pid = await started(process, tmp_path)
    process.stop()
    process.stop()
    async with asyncio.timeout(LIMIT):
        assert (await task).code == -9
    assert not alive(pid)


async def test_a_command_ends_with_its_session(options: SessionOptions, tmp_path: Path) -> None:
    process = ShellProcess("sh -c 'echo $$ > pid; exec sleep 1000'", options, print)
    task, pid = await started(process, tmp_path)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await until_true(lambda: not alive(pid))


async def test_what_it_leaves_running_holds_up_nothing(options: SessionOptions, tmp_path: Path) -> None:
    run = await ran("sleep 1000 & echo $! > pid; echo done", options)
    assert (run.stdout, run.code) == ("done\n", 0)
    pid = int((tmp_path / "pid").read_text())
    assert alive(pid)
    os.kill(pid, 9)


async def test_a_command_that_cannot_be_started_says_why(
    options: SessionOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHELL", "/nowhere/sh")
    run = await ran("ls", options)
    assert run == ShellRun("ls", "", "The command was not started: No such file or directory", NOT_RUN)


@pytest.mark.parametrize(("setting", "answers"), [(None, True), (True, True), (False, False), ("no", True)])
def test_whether_claude_answers_is_claude_codes_setting(
    options: SessionOptions, tmp_path: Path, setting: object, answers: bool
) -> None:
    if setting is not None:
        (tmp_path / "config").mkdir()
        settings = json.dumps({"respondToBashCommands": setting})
        (tmp_path / "config" / "settings.json").write_text(settings, encoding="utf-8")
    assert answers_shell(options) is answers

"""A CLI and a command in the shell: what comes of them, and that they end with their program."""

import asyncio
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from uuid import uuid4

import pytest

from ccq_tui.agent import claude_settings
from ccq_tui.agent.claude import orphans, process
from ccq_tui.agent.claude.orphans import end_leftovers
from ccq_tui.agent.claude.process import Guard
from ccq_tui.agent.delivery import way_in
from ccq_tui.agent.events import ToolFinished
from ccq_tui.agent.history import SessionPast
from ccq_tui.agent.shell_process import MOST_BYTES, NOT_RUN, ShellProcess, answers_shell
from ccq_tui.config.launch import Launch
from ccq_tui.inbox.agent_texts import ABANDONED
from ccq_tui.prompts.shell_runs import ShellRun
from tests.agent.running import alive
from tests.options import launch_of
from tests.steps import until_true

LIMIT = 10.0
PROGRAM = """
import os, sys, time
from ccq_tui.agent.claude.process import Guard
guard = Guard(int(sys.argv[1]), os.open(os.devnull, os.O_RDWR))
print("watched", flush=True)
time.sleep(60)
"""


async def test_a_program_that_is_killed_takes_it_along() -> None:
    cli = await asyncio.create_subprocess_exec("sleep", "60")
    pipe = asyncio.subprocess.PIPE
    program = await asyncio.create_subprocess_exec(sys.executable, "-c", PROGRAM, str(cli.pid), stdout=pipe)
    try:
        assert await program.stdout.readline() == b"watched\n"
        assert cli.returncode is None
    finally:
        program.kill()
        await program.communicate()
    async with asyncio.timeout(LIMIT):
        assert await cli.wait() == -signal.SIGTERM


async def test_one_that_is_let_go_ends_nothing_and_is_gone() -> None:
    cli = await asyncio.create_subprocess_exec("sleep", "60")
    watching = Guard(cli.pid, 0)
    shell = watching._process.pid
    # As closing the terminal does: it is in a login session of its own, and hears no such signal.
    assert os.getsid(shell) != os.getsid(0)
    os.kill(shell, signal.SIGHUP)
    await watching.release()
    assert not alive(shell)
    assert cli.returncode is None
    cli.kill()
    await cli.wait()


async def test_it_keeps_the_input_open_until_it_is_let_go() -> None:
    cli = await asyncio.create_subprocess_exec("sleep", "60")
    reading, held = os.pipe()
    watching = Guard(cli.pid, held)
    os.close(held)
    assert select.select([reading], [], [], 0)[0] == []
    await watching.release()
    assert select.select([reading], [], [], 0)[0] == [reading]
    assert os.read(reading, 1) == b""
    os.close(reading)
    cli.kill()
    await cli.wait()


async def test_without_a_shell_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_SHELL", "/nonexistent/sh")
    await Guard(1, 0).release()


SLEEPER = "import sys; sys.stdin.read()"
PARENT = """
import os, subprocess, sys
variables = os.environ | {"CCQ_TUI_PROGRAM": str(os.getpid())}
cli = subprocess.Popen(
    [sys.executable, *sys.argv[1:]], stdin=sys.stdin, env=variables, start_new_session=True
)
print(cli.pid, flush=True)
if "wait" in sys.argv:
    cli.wait()
"""


def start(*words: str) -> tuple[subprocess.Popen[str], int]:
    """Start a program with something that looks like its CLI."""
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, "-c", SLEEPER, "--output-format", "stream-json", *words],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    return parent, int(parent.stdout.readline())


def runs(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
        return stat.rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


@pytest.mark.parametrize("asked", ["/proc", "ps"])
async def test_only_a_cli_of_the_session_without_its_program_is_ended(
    asked: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if asked == "ps":
        if not shutil.which("ps"):
            pytest.skip("this system has no ps")
        monkeypatch.setattr(orphans, "_PROC", tmp_path)
    session = str(uuid4())
    ended, orphan = start(f"--resume={session}")
    forked, fork = start(f"--resume={session}", f"--session-id={uuid4()}")
    alive, cli = start(f"--session-id={session}", "wait")
    ended.wait(10)
    forked.wait(10)
    try:
        assert not await end_leftovers("")
        assert not await end_leftovers(str(uuid4()))
        assert runs(orphan)
        assert await end_leftovers(session)
        assert not runs(orphan)
        assert runs(cli), "its program lives"
        assert runs(fork), "it writes another session"
        assert not await end_leftovers(session)
    finally:
        for process in (ended, forked, alive):
            process.communicate(timeout=10)
    assert not runs(cli)


def test_what_an_abandoned_cli_noted_is_no_sign_that_an_answer_arrived() -> None:
    answered = ToolFinished("a", "AskUserQuestion", 'Your questions have been answered: "Q"="A".', False)
    abandoned = ToolFinished("b", "AskUserQuestion", f"{ABANDONED} and wait for the user to tell you.", True)
    history = SessionPast("s", (answered, abandoned))
    assert way_in(history, "a") == "result"
    assert way_in(history, "b") == ""


async def test_where_nothing_tells_what_runs_nothing_is_ended(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(orphans, "_PROC", tmp_path)
    monkeypatch.setattr(orphans, "_PS", (str(tmp_path / "no-ps"),))
    assert not await end_leftovers(str(uuid4()))


MOST_SECONDS = 30.0


@pytest.fixture
def options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Launch:
    monkeypatch.setattr(claude_settings, "_MANAGED", ())
    monkeypatch.setenv("SHELL", "/bin/sh")
    return launch_of(tmp_path, environment={"CLAUDE_CONFIG_DIR": str(tmp_path / "config"), "MINE": "1"})


async def ran(command: str, options: Launch) -> ShellRun:
    async with asyncio.timeout(MOST_SECONDS):
        return await ShellProcess(command, options, lambda _: None).run()


async def started(process: ShellProcess, tmp_path: Path) -> tuple[asyncio.Task[ShellRun], int]:
    """Run a command that writes its number into a file, and wait until it has."""
    task = asyncio.create_task(process.run())
    place = tmp_path / "pid"
    await until_true(lambda: place.exists() and place.read_text().strip())
    return task, int((tmp_path / "pid").read_text())


async def test_both_streams_and_the_exit_code_are_told(options: Launch, tmp_path: Path) -> None:
    command = 'pwd; echo "$MINE" >&2; cat; exit 3'
    assert await ran(command, options) == ShellRun(command, f"{tmp_path}\n", "1\n", 3)


async def test_what_it_writes_is_told_while_it_runs(options: Launch, tmp_path: Path) -> None:
    grew: asyncio.Queue[str] = asyncio.Queue()
    command = "echo first; while [ ! -e go ]; do sleep 0.01; done; echo last"
    process = ShellProcess(command, options, grew.put_nowait)
    task = asyncio.create_task(process.run())
    async with asyncio.timeout(MOST_SECONDS):
        assert await grew.get() == "first\n"
        (tmp_path / "go").touch()
        assert (await task).stdout == "first\nlast\n"


async def test_of_endless_output_the_ends_are_kept(options: Launch) -> None:
    run = await ran("echo begin; yes | head -c 3000000; echo end", options)
    assert run.stdout.startswith("begin\ny\n")
    assert run.stdout.endswith("y\nend\n")
    assert "bytes left out" in run.stdout
    assert len(run.stdout) < MOST_BYTES + 100


async def test_a_command_ends_by_one_stop(options: Launch, tmp_path: Path) -> None:
    command = "trap 'echo bye; exit 5' INT; echo $$ > pid; while :; do sleep 0.01; done"
    process = ShellProcess(command, options, print)
    task, _ = await started(process, tmp_path)
    process.stop()
    async with asyncio.timeout(MOST_SECONDS):
        run = await task
    assert (run.stdout, run.code) == ("bye\n", 5)


async def test_one_that_does_not_listen_ends_by_two(options: Launch, tmp_path: Path) -> None:
    process = ShellProcess("trap '' INT TERM; echo $$ > pid; while :; do sleep 0.01; done", options, print)
    task, pid = await started(process, tmp_path)
    process.stop()
    process.stop()
    async with asyncio.timeout(MOST_SECONDS):
        assert (await task).code == -9
    assert not alive(pid)


@pytest.mark.parametrize("known", [True, False])
async def test_a_command_ends_with_its_session(options: Launch, tmp_path: Path, known: bool) -> None:
    process = ShellProcess("sh -c 'echo $$ > pid; exec sleep 1000'; true", options, print)
    if known:
        task, pid = await started(process, tmp_path)
    else:
        task, place = asyncio.create_task(process.run()), tmp_path / "pid"
        for _ in range(3):
            await asyncio.sleep(0)
        for _ in range(3000):
            if place.exists() and place.read_text().strip():
                break
            time.sleep(0.01)  # noqa: ASYNC251 - the loop must not learn that the command was started
        pid = int(place.read_text())
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await until_true(lambda: not alive(pid))


async def test_what_it_leaves_running_holds_up_nothing(options: Launch, tmp_path: Path) -> None:
    run = await ran("sleep 1000 & echo $! > pid; echo done", options)
    assert (run.stdout, run.code) == ("done\n", 0)
    pid = int((tmp_path / "pid").read_text())
    assert alive(pid)
    os.kill(pid, 9)


async def test_a_command_that_cannot_be_started_says_why(
    options: Launch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHELL", "/nowhere/sh")
    run = await ran("ls", options)
    assert run == ShellRun("ls", "", "The command was not started: No such file or directory", NOT_RUN)


@pytest.mark.parametrize(("setting", "answers"), [(None, True), (True, True), (False, False), ("no", True)])
def test_whether_claude_answers_is_claude_codes_setting(
    options: Launch, tmp_path: Path, setting: object, answers: bool
) -> None:
    if setting is not None:
        (tmp_path / "config").mkdir()
        settings = json.dumps({"respondToBashCommands": setting})
        (tmp_path / "config" / "settings.json").write_text(settings, encoding="utf-8")
    assert answers_shell(options) is answers

"""A CLI ends with its program, however that ends; one that ended before is left alone."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import sys

import pytest

from ccq_tui.agent.claude import transport
from ccq_tui.agent.claude.transport import Guard
from tests.agent.running import alive

LIMIT = 10.0
PROGRAM = """
import asyncio, sys, time
from ccq_tui.agent.claude.transport import Guard
asyncio.run(Guard.over(int(sys.argv[1])))
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
    watching = await Guard.over(cli.pid)
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
    watching = await Guard.over(cli.pid, held)
    assert select.select([reading], [], [], 0)[0] == []
    await watching.release()
    assert select.select([reading], [], [], 0)[0] == [reading]
    assert os.read(reading, 1) == b""
    os.close(reading)
    cli.kill()
    await cli.wait()


async def test_without_a_shell_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "_SHELL", "/nonexistent/sh")
    assert await Guard.over(1) is None

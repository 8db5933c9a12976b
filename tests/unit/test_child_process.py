"""The end of programs that this one has started."""

from __future__ import annotations

import asyncio
from asyncio.subprocess import DEVNULL, PIPE

import pytest

from ccq_tui.child_process import end


@pytest.mark.parametrize("leads", [True, False])
async def test_a_program_that_writes_without_end_is_read_to_its_end(leads: bool) -> None:
    process = await asyncio.create_subprocess_exec(
        "yes", stdin=DEVNULL, stdout=PIPE, stderr=PIPE, start_new_session=leads
    )
    assert process.stdout is not None
    assert await process.stdout.read(4) == b"y\ny\n"
    await end(process)
    assert process.returncode == -9
    assert process.stdout.at_eof(), "asyncio would hold the pipe open"


async def test_what_a_program_leaves_of_its_group_ends_with_it() -> None:
    process = await asyncio.create_subprocess_exec(
        "/bin/sh", "-c", "sleep 1000 & echo left", stdin=DEVNULL, stdout=PIPE, start_new_session=True
    )
    assert process.stdout is not None
    assert await process.stdout.readline() == b"left\n"
    async with asyncio.timeout(10):
        await end(process)
    assert process.stdout.at_eof(), "the sleep held it open"

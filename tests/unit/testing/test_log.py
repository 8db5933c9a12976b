from __future__ import annotations

import asyncio
import threading

import pytest

from ccq_tui.testing.log import Notice


def test_a_thread_waits_until_it_is_true() -> None:
    notice, seen = Notice(), []

    def later() -> None:
        seen.append(1)
        notice.changed()

    thread = threading.Timer(0.01, later)
    thread.start()
    notice.wait(lambda: bool(seen), 5.0)
    thread.join(5.0)


def test_a_thread_waits_no_longer_than_its_limit() -> None:
    with pytest.raises(TimeoutError, match=r"0\.01 s"):
        Notice().wait(lambda: False, 0.01)


async def test_a_coroutine_waits_for_a_change_in_another_thread() -> None:
    notice, seen = Notice(), []

    def change() -> None:
        seen.append(1)
        notice.changed()

    waiting = asyncio.create_task(notice.wait_async(lambda: bool(seen), 5.0))
    await asyncio.to_thread(change)
    await waiting


async def test_a_coroutine_waits_no_longer_than_its_limit() -> None:
    notice = Notice()
    with pytest.raises(TimeoutError, match=r"0\.01 s"):
        await notice.wait_async(lambda: False, 0.01)
    notice.changed()

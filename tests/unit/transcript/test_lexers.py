"""Highlighters: loaded once, in a thread where the screen waits for nothing, a bounded number of them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from ccq_tui.widgets.transcript import code
from ccq_tui.widgets.transcript.code import Lexers


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[str, bool]]]:
    """Which languages were loaded, and whether in the main thread; none is known at first."""
    found: list[tuple[str, bool]] = []
    load = code.load

    def noted(language: str, code: str) -> Any:
        found.append((language, threading.current_thread() is threading.main_thread()))
        if language == "broken":
            raise RuntimeError("no such plugin")
        return load(language, code)

    monkeypatch.setattr(code, "load", noted)
    monkeypatch.setattr(code, "_loaded", {})
    return found


async def get(language: str) -> Any:
    """Return a highlighter once it is loaded, or None."""
    arrived = asyncio.Event()
    lexers = Lexers(arrived.set)
    lexers.get(language, "x = 1")
    if lexers.loading:
        async with asyncio.timeout(20):
            await arrived.wait()
    assert not lexers.loading
    return lexers.get(language, "x = 1")


async def test_a_language_is_loaded_once_and_kept_for_all(loads: list[tuple[str, bool]]) -> None:
    first = await get("Python")
    assert first is not None
    assert await get("python") is first
    assert Lexers().get("python", "y = 2") is first
    assert await get("nosuchlanguage") is None
    assert await get("nosuchlanguage") is None
    assert await get("") is None
    assert await get("x" * 1_000) is None
    assert Lexers().get("sql", "select 1") is None
    assert loads == [("python", False), ("nosuchlanguage", False)]


async def test_only_so_many_are_kept(loads: list[tuple[str, bool]]) -> None:
    for number in range(code.MOST + 5):
        await get(f"language{number}")
    assert len(code._loaded) == code.MOST
    assert "language0" not in code._loaded
    assert len(loads) == code.MOST + 5


async def test_one_that_cannot_be_loaded_leaves_the_code_plain(loads: list[tuple[str, bool]]) -> None:
    assert await get("broken") is None
    assert await get("broken") is None
    assert loads == [("broken", False)]

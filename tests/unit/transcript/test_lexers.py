"""Highlighters: loaded once, in a thread where the screen waits for nothing, a bounded number of them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from ccq_tui.widgets.transcript import code
from ccq_tui.widgets.transcript.code import LaterLexers, Lexers, NoLexers


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


def test_a_language_is_loaded_once_and_kept_for_all(loads: list[tuple[str, bool]]) -> None:
    first = Lexers().get("Python", "x = 1")
    assert first is not None
    assert Lexers().get("python", "y = 2") is first
    assert Lexers().get("nosuchlanguage", "x") is None
    assert Lexers().get("nosuchlanguage", "x") is None
    assert Lexers().get("", "x") is None
    assert Lexers().get("x" * 1_000, "x") is None
    assert loads == [("python", True), ("nosuchlanguage", True)]
    assert NoLexers().get("sql", "select 1") is None
    assert len(loads) == 2


def test_only_so_many_are_kept(loads: list[tuple[str, bool]]) -> None:
    for number in range(code.MOST + 5):
        Lexers().get(f"language{number}", "x")
    assert len(code._loaded) == code.MOST
    assert "language0" not in code._loaded
    assert len(loads) == code.MOST + 5


async def test_later_ones_come_in_a_thread_and_say_so(loads: list[tuple[str, bool]]) -> None:
    arrived = asyncio.Event()
    later = LaterLexers(arrived.set)
    assert later.get("toml", "x = 1") is None
    assert later.get("toml", "y = 2") is None
    assert (later.missed, later.loading) == (True, {"toml"})
    async with asyncio.timeout(20):
        await arrived.wait()
    later.missed = False
    assert later.get("toml", "x = 1") is not None
    assert (later.missed, later.loading) == (False, set())
    assert loads == [("toml", False)]


async def test_one_that_cannot_be_loaded_leaves_the_code_plain(loads: list[tuple[str, bool]]) -> None:
    arrived = asyncio.Event()
    later = LaterLexers(arrived.set)
    assert later.get("broken", "x") is None
    async with asyncio.timeout(20):
        await arrived.wait()
    later.missed = False
    assert later.get("broken", "x") is None
    assert not later.missed
    assert loads == [("broken", False)]

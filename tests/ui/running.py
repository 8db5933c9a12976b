"""A program while a test looks at it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from textual.app import App
from textual.pilot import Pilot

Program = TypeVar("Program")


@asynccontextmanager
async def running(program: Program, **wanted: Any) -> AsyncIterator[tuple[Program, Pilot[Any]]]:
    """Run an app, or what has one, for as long as a test looks at it, with what ``run_test`` takes."""
    app = program if isinstance(program, App) else program.app  # type: ignore[attr-defined]
    async with app.run_test(**wanted) as pilot:
        yield program, pilot

"""A program while a test looks at it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from textual.app import App
from textual.pilot import Pilot

from tests.ui.session import Driven

Program = TypeVar("Program", bound=Driven | App[Any])


@asynccontextmanager
async def running(program: Program, **wanted: Any) -> AsyncIterator[tuple[Program, Pilot[Any]]]:
    """Run a program for as long as a test looks at it, with what Textual's ``run_test`` takes."""
    app = program.app if isinstance(program, Driven) else program
    async with app.run_test(**wanted) as pilot:
        yield program, pilot

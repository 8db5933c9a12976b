"""A check, and the report of all checks as lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from pathlib import Path

import ccq_tui
from ccq_tui.inbox.layout import wrapped
from ccq_tui.output import Styled
from ccq_tui.text import safe
from ccq_tui.words import plural


class Level(StrEnum):
    """Outcome of a check."""

    OK = "ok"
    WARNING = "warning"
    FAILURE = "failure"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was checked.

    Attributes:
        area: The heading it belongs under.
        name: The thing checked.
        found: The finding.
        level: The outcome.
        advice: The remedy, or "".
    """

    area: str
    name: str
    found: str
    level: Level = Level.OK
    advice: str = ""

    @property
    def failed(self) -> bool:
        """Whether the program cannot work because of this."""
        return self.level is Level.FAILURE


Line = tuple[str | Styled, ...]
"""Pieces that `ccq_tui.output.echo` prints as one line."""

MARKS = {Level.OK: ("ok  ", "green"), Level.WARNING: ("warn", "yellow"), Level.FAILURE: ("FAIL", "red")}
NAME_WIDTH = 15
WIDTH = 96


def report(checks: Sequence[Check]) -> Iterator[Line]:
    """Yield the lines of the report."""
    yield ()
    yield Styled("ccq-tui", bold=True), f" {ccq_tui.__version__}"
    for area, group in groupby(checks, key=lambda check: check.area):
        yield ()
        yield (Styled(area, bold=True),)
        for check in group:
            yield from _lines(check)
    yield ()
    yield (_summary(checks),)


def _lines(check: Check) -> Iterator[Line]:
    word, color = MARKS[check.level]
    mark = Styled(word, color, bold=check.level is not Level.OK)
    home = str(Path.home())
    text = check.found.replace(f"{home}/", "~/") if len(home) > 1 else check.found
    found = safe(text, keep_newlines=False)
    yield "  ", mark, f" {check.name:<{NAME_WIDTH}}{found}"
    advice = safe(check.advice, keep_newlines=False)
    for line in wrapped(advice, " " * (NAME_WIDTH + 7), WIDTH) if advice else ():
        yield (Styled(line, color),)


def _summary(checks: Sequence[Check]) -> Styled:
    failures = sum(check.level is Level.FAILURE for check in checks)
    warnings = sum(check.level is Level.WARNING for check in checks)
    if not failures and not warnings:
        return Styled("Everything is as it should be.", "green")
    counts = ((failures, "failure"), (warnings, "warning"))
    color = "red" if failures else "yellow"
    return Styled(" and ".join(plural(*count) for count in counts if count[0]) + ".", color, bold=True)

"""Writes checks for a person."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

import click

import ccq_tui
from ccq_tui.doctor.check import Check, Level

SIGNS = {
    Level.OK: ("✔", "ok  ", "green"),
    Level.WARNING: ("!", "warn", "yellow"),
    Level.FAILURE: ("✘", "FAIL", "red"),
}
NAME_WIDTH = 15
WIDTH = 96


def report(checks: Sequence[Check]) -> Iterator[str]:
    """Write checks as lines, with colours, for `click.echo`.

    Args:
        checks: What was found, sorted by area.

    Yields:
        The lines.
    """
    yield ""
    yield f"{click.style('ccq-tui', bold=True)} {ccq_tui.__version__}"
    for area, group in groupby(checks, key=lambda check: check.area):
        yield ""
        yield click.style(area, bold=True)
        for check in group:
            yield from _lines(check)
    yield ""
    yield _summary(checks)


def _lines(check: Check) -> Iterator[str]:
    sign, word, colour = SIGNS[check.level]
    mark = click.style(sign if _can_write(sign) else word, fg=colour, bold=check.level is not Level.OK)
    yield f"  {mark} {check.name:<{NAME_WIDTH}}{_home_as_tilde(check.found)}"
    indent = " " * (NAME_WIDTH + 4)
    for line in textwrap.wrap(
        check.advice, WIDTH - len(indent), break_long_words=False, break_on_hyphens=False
    ):
        yield indent + click.style(line, fg=colour)


def _summary(checks: Sequence[Check]) -> str:
    failures = sum(check.level is Level.FAILURE for check in checks)
    warnings = sum(check.level is Level.WARNING for check in checks)
    if not failures and not warnings:
        return click.style("Everything is as it should be.", fg="green")
    counts = [_count(failures, "failure"), _count(warnings, "warning")]
    colour = "red" if failures else "yellow"
    return click.style(" and ".join(count for count in counts if count) + ".", fg=colour, bold=True)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' if number > 1 else ''}" if number else ""


def _home_as_tilde(text: str) -> str:
    home = str(Path.home())
    return text.replace(home + "/", "~/") if len(home) > 1 else text


def _can_write(sign: str) -> bool:
    try:
        sign.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True

"""A recorded day: one session from the first prompt to /clear, each step's screen looked at."""

from __future__ import annotations

import json
import re
import sys

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.conftest import TopLevelText
from tests.e2e.conftest import Running, Start
from tests.e2e.day import DAY, PICTURE, SERVICE, Step, script
from tests.e2e.terminal import Terminal

CHANGING = (
    # A call so short that its time is not worth telling is told without.
    (re.compile(r"^([ │]*[✔✖] .*?) · [\d.]+ s$", re.MULTILINE), r"\1"),
    # So is a wait for the person, who is quick here.
    (re.compile(r" · waited [^·\n]* for you"), ""),
    (re.compile(r"\d[\d,.]* (s|ms|min)\b( \d+ s)?"), "<time>"),
    (re.compile(r"\b\d+s\b"), "<time>"),
    (re.compile(r"[\d,]+ → [\d,]+ tokens · \$[\d.]+"), "<tokens> · <cost>"),
    (re.compile(r"\$[\d.]+"), "<cost>"),
    (re.compile(r"\d{2}:\d{2}"), "<clock>"),
    (re.compile(r"(compacted from).*"), r"\1 <tokens>"),
)
"""What is another each time, and how it is written in the record."""


def live(run: Running, step: Step) -> None:
    """Type one prompt of the day, do what is to be done meanwhile, and see what comes."""
    run.terminal.type(step.prompt)
    run.terminal.wait(f"❯ {step.prompt}")
    run.terminal.press("enter")
    if step.does:
        step.does(run)
    for text in step.sees:
        run.terminal.wait(text)
    run.terminal.wait("ready")
    if step.does:
        run.rest()


def transcript(screen: str) -> str:
    """Return the transcript's lines, without its scrollbar."""
    lines = (line[:-1].rstrip() if len(line) == 120 else line for line in screen.split("\n")[:-4])
    return "\n".join(lines).strip("\n")


def last_line(terminal: Terminal) -> str:
    return transcript(terminal.text).rpartition("\n")[2]


def recorded(run: Running) -> str:
    """Return the screen's transcript without what changes from run to run, once a rule closes it."""
    closed = run.terminal.wait(lambda terminal: last_line(terminal).startswith((" ─ ", " ── ")))
    text = transcript(closed)
    for pattern, put in CHANGING:
        text = pattern.sub(put, text)
    return text + "\n"


@pytest.mark.timeout(500)
def test_a_day(start: Start, snapshot: SnapshotAssertion) -> None:
    depot = {"mcpServers": {"depot": {"command": sys.executable, "args": ["-c", SERVICE]}}}
    options = ("--permission-mode", "acceptEdits", "--mcp-config", json.dumps(depot))
    run = start(script(), *options, prompt="", size=(120, 40))
    (run.home.project / "dot.png").write_bytes(PICTURE)
    run.terminal.wait("ready")
    for step in DAY:
        live(run, step)
        if step.prompt in ("explain it", "still there", "/clear"):
            assert recorded(run) == snapshot(
                name=step.prompt.strip("/").replace(" ", "-"), extension_class=TopLevelText
            )

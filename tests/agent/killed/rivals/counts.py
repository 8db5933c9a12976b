"""What has to be seen in plays."""

from __future__ import annotations

VICTIMS = ("first", "second", "both", "cli", "first and cli")
WANTED = (
    "kills",
    *(f"killed: {victim}" for victim in VICTIMS),
    "answers, each news once",
    "answers that came too late, never told",
    "answered by both at once",
    "answered by the other program",
    "parked, answered elsewhere",
    "two sets in one message",
    "drafts kept",
    "drafts on disk at a kill, and at the end",
    "permissions",
    "rewinds",
    "started fork",
    "started main",
    "started by both at once",
    "prompts queued",
    "prompts sent, each news once",
    "prompts that still wait",
)
"""Of each of these something has to be seen."""

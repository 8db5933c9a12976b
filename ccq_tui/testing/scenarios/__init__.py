"""The ready scenarios: for the demo, for tests, and as examples of how to write one."""

from __future__ import annotations

from collections.abc import Mapping

from ccq_tui.testing.scenarios import shown
from ccq_tui.testing.scenarios.shown import Ready

_ALL = (
    Ready(
        "tour", "a tour of the program: the default", "Design a small bookmark service with me", shown.tour
    ),
    Ready("single", "one question, one answer", "Choose a database for the bookmarks", shown.single),
    Ready("mixed_four", "four questions with previews", "Design the bookmark API", shown.mixed_four),
    Ready(
        "with_permission", "a command and a file that need permission", "Prepare 1.4.0", shown.with_permission
    ),
    Ready("with_plan", "a plan to approve or send back", "Add an import from browsers", shown.with_plan),
)

READY: Mapping[str, Ready] = {ready.name: ready for ready in _ALL}
DEFAULT = "tour"

__all__ = ["DEFAULT", "READY", "Ready"]

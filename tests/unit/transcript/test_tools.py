"""Tool calls in a few words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ccq_tui.transcript.tool_result import outcome
from ccq_tui.transcript.tools import TOOLS, main_argument, tool_title
from ccq_tui.words import duration

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    ("tool", "arguments", "shown"),
    [
        ("Bash", {"command": "ls", "description": "List"}, "ls"),
        ("Read", {"file_path": "/a/b"}, "/a/b"),
        ("Grep", {"pattern": "x", "path": "src"}, "x in src"),
        ("Glob", {"pattern": "*.py"}, "*.py"),
        ("WebFetch", {"url": "https://x.y", "prompt": "p"}, "https://x.y"),
        ("Agent", {"description": "Find", "prompt": "long"}, "Find"),
        ("TodoWrite", {"todos": [{"status": "completed"}, {"status": "pending"}]}, "1 of 2 done"),
        ("mcp__s__t", {"query": "q"}, "q"),
        ("Odd", {"n": 1}, '{"n": 1}'),
        ("Odd", {}, ""),
        ("Bash", {"command": ["a"]}, '["a"]'),
    ],
)
def test_main_argument(tool: str, arguments: dict[str, Any], shown: str) -> None:
    assert main_argument(tool, arguments) == shown


@pytest.mark.parametrize(
    ("tool", "output", "structured", "failed", "shown"),
    [
        ("Bash", "", None, False, "no output"),
        ("Bash", "done\n", None, False, "done"),
        ("Bash", "a\nb\n", None, False, "2 lines"),
        ("Bash", "Exit code 2\nno such file\nmore", None, True, "exit code 2: no such file"),
        ("Read", "<tool_use_error>File is gone</tool_use_error>", None, True, "File is gone"),
        ("Read", "x", {"file": {"numLines": 1200}}, False, "1,200 lines"),
        ("Read", "x", {"file": {"numLines": 9, "content": "a\n" * 8}}, False, "8 lines"),
        ("Glob", "x", {"numFiles": 1}, False, "1 file"),
        ("Grep", "x", {"numMatches": 3}, False, "3 matches"),
        ("Grep", "x", {"mode": "content", "numFiles": 0, "numLines": 5}, False, "5 lines"),
        ("Grep", "x", {"mode": "count", "numFiles": 2, "numMatches": 1}, False, "1 match"),
        ("Bash", "(Bash completed with no output)", {}, False, "no output"),
        ("Bash", " ", None, True, "failed"),
    ],
)
def test_outcome(tool: str, output: str, structured: Any, failed: bool, shown: str) -> None:
    assert outcome(tool, output, structured, failed=failed) == shown


def test_titles_and_durations() -> None:
    assert tool_title("mcp__github__search") == "github: search"
    assert tool_title("Bash") == "Bash"
    assert [duration(s) for s in (0.44, 12.2, 185, 3720)] == ["0.4 s", "12 s", "3 min 5 s", "1 h 2 min"]


def test_the_names_of_tools_with_a_card_stand_in_one_table() -> None:
    """But for what the calls that change the task list do to it."""
    elsewhere = [
        (path.name, name)
        for path in (ROOT / "ccq_tui" / "widgets").rglob("*.py")
        if path.name not in ("tools.py", "checklist.py")
        for name in TOOLS
        if f'"{name}"' in path.read_text(encoding="utf-8")
    ]
    assert elsewhere == []

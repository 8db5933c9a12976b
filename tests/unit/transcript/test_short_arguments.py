"""What a card says of the place a tool looked in."""

from __future__ import annotations

import pytest

from ccq_tui.transcript.tools import short_argument


@pytest.mark.parametrize(
    ("tool", "argument", "shown"),
    [
        ("Read", "/work/api/a.py", "a.py"),
        ("Read", "/work/apix/a.py", "/work/apix/a.py"),
        ("Grep", "total in /work/api", "total"),
        ("Grep", "total in /work/api/", "total"),
        ("Grep", "a in b in /work/api/src", "a in b in src"),
        ("Glob", "*.py in /work/other", "*.py in /work/other"),
        ("Grep", "total", "total"),
        ("Bash", "ls /work/api", "ls /work/api"),
    ],
)
def test_the_directory_of_the_session_goes_without_saying(tool: str, argument: str, shown: str) -> None:
    assert short_argument(tool, argument, "/work/api/") == shown


def test_without_a_known_directory_all_is_said() -> None:
    assert short_argument("Grep", "x in /work", "") == "x in /work"

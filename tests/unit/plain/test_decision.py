"""Permissions and plans, decided line by line."""

from __future__ import annotations

import pytest

from ccq_tui.inbox.requests import PermissionRequest, PlanRequest
from ccq_tui.inbox.suggestions import Rule, Suggestion
from ccq_tui.plain.answering import End
from tests.memory_inbox import MemoryInbox
from tests.unit.plain.talking import talk

RULES = tuple(
    Suggestion("addRules", "session", (Rule("Bash", f"npm {name} *"),), "allow") for name in "abcdefghijk"
)
COMMAND = "npm test\n" + "x" * 30_000 + "END"
RUN = PermissionRequest(
    "t1", "s1", "Bash", {"command": COMMAND, "timeout": 5}, "Run the tests", suggestions=RULES
)
PLAN = PlanRequest("t2", "s1", "# Move\n\n| Step | Days |\n|--|--|\n| Dump | 2 |")
Printed = pytest.CaptureFixture[str]


async def test_all_that_is_allowed_is_printed_before(capsys: Printed) -> None:
    done = await talk(MemoryInbox(), RUN, "?\nb\nno\nb\ny\n", capsys)
    assert done.end is End.LEFT
    assert done.said[:8] == [
        "permission: Claude wants to use Bash",
        "  Run the tests",
        "  command: npm test",
        "      " + "x" * 30_000 + "END",
        "  timeout: 5",
        "y: Allow once",
        "n: Deny",
        "1: For this session: commands that begin with `npm a`",
    ]
    assert done.said[17:20] == [
        "11: For this session: commands that begin with `npm k`",
        "a TEXT: Allow once, and say something…",
        "e TEXT: Deny, and say what to do instead…",
    ]
    assert (
        done.said[20]
        == "y, n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, a TEXT, e TEXT, b decides later, ? for help:"
    )


async def test_a_change_of_a_file_and_a_plan_are_read_out(capsys: Printed) -> None:
    hunk = {"oldStart": 3, "newStart": 3, "lines": [" a", "-b", "+c"]}
    change = {"type": "update", "structuredPatch": [hunk], "added": 1, "removed": 1}
    values = {"file_path": "/x.py", "old_string": "b", "new_string": "c"}
    edit = PermissionRequest("t1", "s1", "Edit", values, change=change, agent="reviewer")
    edited = await talk(MemoryInbox(), edit, "", capsys)
    assert edited.end is End.PARKED
    assert edited.said[-1].endswith("nothing was sent, and it waits only as long as its session runs.")
    assert edited.said[:4] == [
        "permission: reviewer wants to edit /x.py · +1 −1", "    3: a", "  - 4: b", "  + 4: c",
    ]  # fmt: skip
    proposed = await talk(MemoryInbox(), PLAN, "", capsys)
    assert proposed.said[:4] == ["plan: Claude proposes a plan", "  # Move", "", "  Step: Dump. Days: 2."]

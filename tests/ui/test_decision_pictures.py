"""What a decision panel looks like: lasting permissions, a text along with one, a plan that was edited."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from textual.pilot import Pilot

from ccq_tui.inbox import PermissionRequest, PlanRequest
from ccq_tui.inbox.suggestions import Rule, Suggestion
from tests.ui.host import DecisionHost, type_text

Compare = Callable[..., bool]
REQUEST = PermissionRequest(
    "t",
    "s",
    "Bash",
    {"command": "touch ../notes/todo.txt"},
    description="Make a list of what is left",
    blocked_path="/work/notes/todo.txt",
    agent_id="a1",
    agent="Release scout",
    suggestions=(
        Suggestion("addRules", "localSettings", (Rule("Bash", "touch ../notes/todo.txt"),), "allow"),
        Suggestion("addDirectories", directories=("/work/notes",)),
        Suggestion("setMode", mode="acceptEdits"),
    ),
)
PLAN = "# Import bookmarks\n\n1. Parse the export\n2. Accept 5 MB at most\n3. Test with each browser"


def test_lasting_permissions(snap_compare: Compare) -> None:
    assert snap_compare(DecisionHost(REQUEST), terminal_size=(80, 24))


def test_a_text_along_with_a_permission(snap_compare: Compare) -> None:
    async def type_it(pilot: Pilot[Any]) -> None:
        await pilot.press("a")
        await type_text(pilot, "but no tests yet")

    assert snap_compare(DecisionHost(REQUEST), terminal_size=(60, 20), run_before=type_it)


def test_a_plan_that_was_edited(snap_compare: Compare) -> None:
    app = DecisionHost(PlanRequest("p", "s", PLAN))

    async def edit(pilot: Pilot[Any]) -> None:
        app.panel.put_text(PLAN.replace("5 MB", "6 MB"))
        await pilot.pause()

    assert snap_compare(app, terminal_size=(80, 24), run_before=edit)

"""What a decision panel looks like: lasting permissions, a text along with one, a plan that was edited."""

from __future__ import annotations

from collections.abc import Callable

from ccq_tui.inbox.requests import PermissionRequest, PlanRequest
from ccq_tui.inbox.suggestions import Rule, Suggestion
from tests.ui.host import DecisionHost, same_picture, type_text

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


async def test_lasting_permissions(snap_compare: Compare) -> None:
    app = DecisionHost(REQUEST)
    async with app.run_test(size=(80, 24)):
        assert same_picture(snap_compare, app)


async def test_a_text_on_a_low_screen(snap_compare: Compare) -> None:
    command = "make test\n" + "\n".join(f"echo {number}" for number in range(40))
    app = DecisionHost(PermissionRequest("t", "s", "Bash", {"command": command}))
    async with app.run_test(size=(60, 11)) as pilot:
        await pilot.press("e")
        await type_text(pilot, "only the unit tests")
        assert same_picture(snap_compare, app)


async def test_a_plan_that_was_edited(snap_compare: Compare) -> None:
    async with DecisionHost(PlanRequest("p", "s", PLAN)).shown() as (app, pilot):
        app.panel.put_text(PLAN.replace("5 MB", "6 MB"))
        await pilot.pause()
        assert same_picture(snap_compare, app)

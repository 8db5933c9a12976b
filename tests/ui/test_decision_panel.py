"""The decision panel on the screen: what is asked is seen, and each way to decide works by keys."""

from __future__ import annotations

from dataclasses import replace

from textual.pilot import Pilot
from textual.strip import Strip

from ccq_tui.agent.events import AgentEvent, PlanProposed, RequestSettled
from ccq_tui.inbox.requests import Allowed, PermissionRequest, PlanRequest
from ccq_tui.widgets.decision import DecisionPanel
from tests.actors import PANEL
from tests.ui.host import DecisionHost
from tests.ui.session import Driven, keys_work, until

PLAN = PlanRequest("toolu_plan", "id-1", "# The plan\n\n1. Begin\n2. End\n")


async def shown(run: Driven, pilot, event: AgentEvent) -> DecisionPanel:  # type: ignore[no-untyped-def]
    run.told.tell(event)
    await keys_work(run, pilot)
    panel = run.screen.dock.panel
    assert isinstance(panel, DecisionPanel)
    return panel


def on_screen(run: Driven) -> list[Strip]:
    return run.screen._compositor.render_strips()


def drawn(panel: DecisionPanel) -> str:
    return "\n".join(
        line.text.plain for view in ("#details", "#choices") for line in panel.query_one(view).lines
    )  # type: ignore[attr-defined]


async def test_what_is_asked_is_seen_and_hostile_input_is_drawn_as_data() -> None:
    command = "echo \x1b]0;pwned\x07 [@click=app.quit]x[/] \u202e"
    app = DecisionHost(PermissionRequest("t", "s", "Bash", {"command": command}))
    async with app.run_test() as pilot:
        text = drawn(app.panel)
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert "[@click=app.quit]x[/]" in text
        values = {"file_path": "/w/a.py", "content": "x = 1\n"}
        request = PermissionRequest("t", "s", "Write", values, reason="a hook says so", blocked_path="/etc")
        await pilot.put(request)
        for part in ("/w/a.py", "+ x = 1", "a hook says so", "/etc"):
            assert part in drawn(app.panel)


async def test_a_plan_is_approved_as_it_is_or_as_edited_or_not_at_all(run: Driven, pilot: Pilot[int]) -> None:
    panel = await shown(run, pilot, PlanProposed(PLAN))
    panel.put_text("# The plan\n\n1. Begin\n2. Rest\n")
    await until(pilot, lambda: "+ 2. Rest" in drawn(panel))
    assert "- 2. End" in drawn(panel)
    await pilot.press("1", "enter")
    await until(pilot, lambda: run.told.answers)
    plan = "# The plan\n\n1. Begin\n2. Rest"
    assert run.told.answers == [("toolu_plan", Allowed(mode="acceptEdits", plan=plan), PANEL)]
    run.told.tell(RequestSettled("toolu_plan", run.told.answers[0][1], PANEL))
    await until(pilot, lambda: "Rest" in run.screen.transcript.text())
    assert "approved as edited" in run.screen.transcript.text()
    await until(pilot, lambda: any("2. Rest" in line.text for line in on_screen(run)))
    assert not any("2. End" in line.text for line in on_screen(run)), "nothing old stays drawn"

    panel = await shown(
        run, pilot, PlanProposed(replace(PLAN, tool_use_id="toolu_other", plan="# Another one"))
    )
    assert "Another one" in run.screen.transcript.text(), "it stands in the transcript"
    assert any("The plan is above" in line.text for line in on_screen(run))
    await pilot.press("y")
    await until(pilot, lambda: run.told.answers[1:] == [("toolu_other", Allowed(mode="default"), PANEL)])

    panel = await shown(run, pilot, PlanProposed(replace(PLAN, tool_use_id="toolu_third")))
    panel.put_text("# Mine")
    await pilot.press("n")
    await until(pilot, lambda: len(run.told.answers) == 3)
    assert "# Mine" in run.screen.transcript.text()
    await pilot.press("f8")
    await until(pilot, lambda: "Draft copied" in run.screen.dock.notices.text)

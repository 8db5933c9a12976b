"""The decision panel on the screen: what is asked is seen, and each way to decide works by keys."""

from __future__ import annotations

from dataclasses import replace

from textual import events
from textual.pilot import Pilot
from textual.strip import Strip

from ccq_tui.agent.events import AgentEvent, PermissionAsked, PlanProposed, RequestSettled
from ccq_tui.inbox.requests import Allowed, Denied, PermissionRequest, PlanRequest
from ccq_tui.inbox.suggestions import Rule, Suggestion
from ccq_tui.widgets.decision import DecisionPanel
from ccq_tui.widgets.panel.field import AnswerField
from tests.actors import PANEL
from tests.ui.host import Clock, DecisionHost
from tests.ui.running import running
from tests.ui.session import Driven, keys_work, panel_drawn, permission, until

ALWAYS = Suggestion("addRules", "localSettings", (Rule("Bash", "make *"),), "allow")
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


WAYS: dict[str, Allowed | Denied] = {
    "y": Allowed(),
    "enter": Allowed(),
    "n": Denied(),
    "1 enter": Allowed(suggestion=ALWAYS),
    "down down enter": Allowed(suggestion=ALWAYS),
    "down enter": Denied(),
    "end enter h i enter": Denied("hi"),
    "a h i enter": Allowed("hi"),
    "e h i ctrl+j y enter": Denied("hi\ny"),
    "w escape enter i enter": Denied("wi"),
}


async def test_every_way_to_decide(run: Driven, pilot: Pilot[int]) -> None:
    for number, (keys, outcome) in enumerate(WAYS.items()):
        name = f"toolu_{number}"
        run.told.answers.clear()
        await shown(run, pilot, PermissionAsked(replace(permission(name), suggestions=(ALWAYS,))))
        assert waits_first(run) == name, keys
        await pilot.press(*keys.split())
        await until(pilot, lambda: run.told.answers)
        assert run.told.answers == [(name, outcome, PANEL)], keys
        await until(pilot, lambda: run.screen.dock.panel is None)


async def test_a_fresh_panel_decides_nothing_and_texts_are_kept_whole() -> None:
    run = Driven(clock=Clock())  # it stays fresh until the test says so

    async def denied(pilot: Pilot[int], words: str) -> None:
        await until(pilot, lambda: run.told.answers)
        assert run.told.answers.pop()[1] == Denied(words)
        await until(pilot, lambda: run.screen.dock.panel is None)

    async with run.app.run_test() as pilot:
        run.told.tell(PermissionAsked(permission("fresh")))
        await until(pilot, lambda: panel_drawn(run.screen))
        await pilot.press("y", "enter", "escape")
        assert run.told.answers == [], "a fresh panel decides nothing"
        await keys_work(run, pilot)
        for character in "use make":
            run.app.post_message(events.Key(character if character != " " else "space", character))
        await pilot.press("enter")
        assert run.told.answers == [], "words that began on the list are read before they are sent"
        run.clock.skip(1.0)
        await pilot.press("enter")
        await denied(pilot, "use make")

        await shown(run, pilot, PermissionAsked(permission("lines")))
        await pilot.press("e", "a", "backslash", "enter", "b", "enter")
        await denied(pilot, "a\nb")

        panel = await shown(run, pilot, PermissionAsked(permission("pasted")))
        run.app.post_message(events.Paste("two\nlines"))
        await until(pilot, lambda: panel.state.text == "two\nlines")
        assert panel.query_one(AnswerField).text == "two\nlines"
        panel.put_text("edited elsewhere")
        await pilot.press("enter")
        run.clock.skip(1.0)
        await pilot.press("enter")
        await denied(pilot, "edited elsewhere")


ASKED: tuple[tuple[str, dict[str, object], list[str]], ...] = (
    ("Bash", {"command": "make all\nmake test"}, ["$ make all", "make test"]),
    ("Write", {"file_path": "/w/a.py", "content": "x = 1\n"}, ["/w/a.py", "+ x = 1"]),
    ("Edit", {"file_path": "/w/a.py", "old_string": "x = 1", "new_string": "x = 2"}, ["- x = 1", "+ x = 2"]),
    ("WebFetch", {"url": "https://a.example/", "prompt": "read it"}, ["https://a.example/", "read it"]),
    ("mcp__x__y", {"deep": {"er": [1]}}, ["deep: {", '"er"']),
    ("Bash", {"command": 7}, ["command: 7"]),
)


async def test_what_is_asked_is_seen_and_hostile_input_is_drawn_as_data() -> None:
    command = "echo \x1b]0;pwned\x07 [@click=app.quit]x[/] \u202e"
    app = DecisionHost(PermissionRequest("t", "s", "Bash", {"command": command}))
    async with app.run_test() as pilot:
        text = drawn(app.panel)
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert "[@click=app.quit]x[/]" in text
        for tool, values, seen in ASKED:
            request = PermissionRequest("t", "s", tool, values, reason="a hook says so", blocked_path="/etc")
            await pilot.put(request)
            for part in [*seen, "a hook says so", "/etc"]:
                assert part in drawn(app.panel), tool


async def test_what_is_granted_for_longer_is_said_with_its_place_and_a_long_command_scrolls() -> None:
    async with running(Driven()) as (run, pilot):
        request = replace(permission("p"), suggestions=(ALWAYS,), agent_id="a1", agent="Release scout")
        panel = await shown(run, pilot, PermissionAsked(request))
        words = " ".join(drawn(panel).split())
        assert (
            "1 In this project, always: commands that begin with `make` "
            "kept in .claude/settings.local.json" in words
        )
        assert "Subagent “Release scout” wants to run a command" in str(panel.query_one("#head").render())
        await pilot.press("n")
        await until(pilot, lambda: run.screen.dock.panel is None)

        long = PermissionRequest("t", "s", "Bash", {"command": "\n".join(f"step {n}" for n in range(80))})
        panel = await shown(run, pilot, PermissionAsked(long))
        await pilot.press("shift+down", "shift+down")
        await until(pilot, lambda: panel.query_one("#details").scroll_offset.y == 2)
        await pilot.press("y")
        await until(pilot, lambda: "were never on the screen" in panel.state.notice)
        await pilot.press("n", "enter")
        await until(pilot, lambda: run.told.answers[1:] == [("t", Denied(), PANEL)])


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


async def test_several_that_wait_are_counted_and_come_in_turn(run: Driven, pilot: Pilot[int]) -> None:
    for name in ("p1", "p2", "p3"):
        run.told.tell(PermissionAsked(permission(name)))
    await until(pilot, lambda: run.screen.dock.panel and len(run.screen.dock.line.items) == 3)
    for number, name in enumerate(("p1", "p2", "p3"), 1):
        await until(pilot, lambda name=name: waits_first(run) == name)
        await until(pilot, lambda number=number: f"{number} of 3" in head(run))
        await keys_work(run, pilot)
        await pilot.press("n")
        await until(pilot, lambda number=number: len(run.told.answers) == number)
    assert [name for name, _, _ in run.told.answers] == ["p1", "p2", "p3"]


def waits_first(run: Driven) -> str:
    first = run.screen.dock.line.head
    return first.request.tool_use_id if first and run.screen.dock.panel else ""


def head(run: Driven) -> str:
    panel = run.screen.dock.panel
    return str(panel.query_one("#head").render()) if panel and panel.query("#head") else ""

"""Panels within the session's screen: settled at once, kept in focus."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from textual.pilot import Pilot

from ccq_tui.agent.events import PermissionAsked, PlanProposed, RequestSettled, SessionState
from ccq_tui.inbox.draft import first_draft
from ccq_tui.inbox.requests import Allowed, Cancelled, PlanRequest
from ccq_tui.screens import editor
from ccq_tui.screens.editor import KEPT, Edited
from ccq_tui.screens.session.requests import BY_MESSAGE
from ccq_tui.widgets.decision import DecisionPanel
from ccq_tui.widgets.question import QuestionPanel
from tests.ui.session import Driven, asked, keys_work, panel_drawn, permission, until

ASKED = {
    "question": (asked("r1"), asked("r2")),
    "permission": (PermissionAsked(permission("r1")), PermissionAsked(permission("r2"))),
    "plan": (PlanProposed(PlanRequest("r1", "id-1", "# A")), PlanProposed(PlanRequest("r2", "id-1", "# B"))),
}


async def test_a_request_that_is_settled_as_it_is_asked() -> None:
    run = Driven()
    typed = ""
    async with run.app.run_test() as pilot:
        for kind, (first, second) in ASKED.items():
            for outcome in (Cancelled("interrupted"), Allowed()):
                for event in (
                    first,
                    RequestSettled("r1", outcome),
                    first,
                    second,
                    RequestSettled("r1", outcome),
                    RequestSettled("r2", outcome),
                ):
                    run.told.tell(event)
                await pilot.pause()
                assert run.screen.dock.panel is None, (kind, outcome)
                await pilot.press("h", "i")
                typed += "hi"
                assert run.screen.dock.prompt.text == typed, (kind, outcome)
        assert run.told.answers == []


async def test_two_that_wait_are_settled_at_once_and_tab_never_leaves_a_panel() -> None:
    run = Driven()

    async def settled(pilot: Pilot[int], *names: str) -> None:
        for name in names:
            run.told.tell(RequestSettled(name, Cancelled("interrupted")))
        await until(pilot, lambda: run.screen.dock.panel is None and not run.screen.dock.line.items)

    async with run.app.run_test() as pilot:
        for kind, both in ASKED.items():
            for keys in ("tab tab", "shift+tab", "e tab tab", "e shift+tab shift+tab"):
                run.told.tell(both[0])
                await until(pilot, lambda: run.screen.dock.panel and run.screen.dock.panel.has_focus)
                for key in keys.split():
                    await pilot.press(key)
                    assert run.screen.focused is run.screen.dock.panel, (kind, keys, key)
                await settled(pilot, "r1")
            for event in both:
                run.told.tell(event)
            await until(pilot, lambda: panel_drawn(run.screen))
            await settled(pilot, "r1", "r2")
        await pilot.press("x")
        assert run.screen.dock.prompt.text == "x"


@pytest.mark.parametrize("kind", [QuestionPanel, DecisionPanel])
async def test_a_panel_that_is_removed_as_it_is_mounted(kind: Any) -> None:
    run = Driven()
    async with run.app.run_test() as pilot:
        await until(pilot, lambda: run.screen.view.state is SessionState.IDLE)
        request = asked().request if kind is QuestionPanel else permission()
        for turns in range(4):
            panel = kind(first_draft(request))
            run.screen.dock.mount(panel)
            for _ in range(turns):
                await asyncio.sleep(0)
            panel.remove()
            await pilot.pause()
            assert not panel.is_attached, turns
            panel.place = (2, 2)
            panel.put_text("too late")


@pytest.mark.parametrize("searching", [False, True])
@pytest.mark.parametrize("kind", ["question", "permission", "plan"])
async def test_the_editor_has_the_panels_text_and_never_the_hidden_prompt(
    kind: str, searching: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[str] = []

    async def edit_text(_app: object, text: str) -> Edited:
        given.append(text)
        return Edited("from the editor", KEPT)

    monkeypatch.setattr(editor, "edit_text", edit_text)
    run = Driven()
    async with run.app.run_test() as pilot:
        await until(pilot, lambda: run.screen.view.state is SessionState.IDLE)
        run.screen.dock.prompt.put("half a prompt")
        run.told.tell(ASKED[kind][0])
        await keys_work(run, pilot)
        panel = run.screen.dock.panel
        assert panel is not None
        await pilot.press(*(["ctrl+f"] if searching else []), "ctrl+g")
        await until(pilot, lambda: given)
        await until(pilot, lambda: run.screen.dock.notices.text == KEPT)
        assert given == ["# A" if kind == "plan" else ""]
        state = panel.state
        assert (state.plan if isinstance(panel, DecisionPanel) and kind == "plan" else state.text) == (
            "from the editor"
        )
        assert run.screen.dock.prompt.text == "half a prompt"
        assert run.told.answers == []


async def test_a_notice_goes_with_the_request_that_it_is_about() -> None:
    run = Driven()
    async with run.app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: run.screen.view.state is SessionState.IDLE)
        notices = run.screen.dock.notices
        for name in ("one", "two"):
            event = replace(asked(name), by_message=True)
            run.told.tell(event)
            await until(pilot, lambda: run.screen.dock.panel is not None and BY_MESSAGE in notices.text)
            if name == "one":
                run.told.tell(RequestSettled(event.request.id, Cancelled("")))
            else:
                await keys_work(run, pilot)
                await pilot.press("enter")
            await until(pilot, lambda: not run.screen.dock.line.items)
            await until(pilot, lambda: BY_MESSAGE not in notices.text)

"""What is typed while a screen still looks something up belongs to what comes then."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import Input

from ccq_tui.agent.events import SessionState
from ccq_tui.config.launch import Launch
from ccq_tui.config.settings import Settings
from ccq_tui.questions import Answer, Answered
from ccq_tui.screens.sessions import new_session
from ccq_tui.screens.sessions.new_session import NewSessionScreen
from ccq_tui.widgets.keys import copy_of
from tests.ui.session import Driven, until
from tests.ui.test_inbox_screen import one_waits


@asynccontextmanager
async def asked_for_another(where: Path) -> AsyncIterator[tuple[Driven, Pilot[int], Input, Input]]:
    """Show the form for another session; give the fields for its directory and its prompt."""
    run = Driven(Launch(settings=Settings(cwd=where)))
    async with run.app.run_test() as pilot:
        await until(pilot, lambda: run.screen.view.state is SessionState.IDLE)
        await pilot.press("ctrl+n")
        await until(pilot, lambda: isinstance(run.app.screen, NewSessionScreen))
        form = run.app.screen
        assert form.query_one("#new-prompt", Input).has_focus
        await pilot.press("shift+tab")
        yield run, pilot, form.query_one("#new-place", Input), form.query_one("#new-prompt", Input)


async def test_keys_that_follow_the_one_that_opens_a_panel_are_the_panels(tmp_path: Path) -> None:
    async with one_waits(tmp_path) as (run, pilot, request):
        for key in ("right", "o", *"mine", "enter"):
            run.app.post_message(events.Key(key, key if len(key) == 1 else None))
        # What confirms counts only once the row was on the screen.
        await until(pilot, lambda: (panel := run.inbox_screen.panel) and panel.state.text == "mine")
        await until(pilot, lambda: run.inbox_screen.panel and run.inbox_screen.panel.size.height)
        await pilot.press("enter")
        # The answer starts its session, which is not to be met by the end of this test.
        await until(pilot, lambda: "in the background" in run.said())
        assert run.inbox_screen.field.text == ""
        stored = await run.app.runtime.inbox.run(lambda store: store.requests.get(request.id))
        assert stored.outcome == Answered((Answer((), "mine"),))


async def test_a_paste_that_follows_is_the_panels(tmp_path: Path) -> None:
    async with one_waits(tmp_path) as (run, pilot, request):
        for event in (events.Key("right", None), events.Key("o", "o"), events.Paste("mine")):
            run.app.post_message(event)
        await until(pilot, lambda: run.inbox_screen.panel and "mine" in str(run.inbox_screen.panel.state))
        assert run.inbox_screen.field.text == ""
        for key in ("pagedown", "f6"):  # keys that mean nothing in a panel
            run.inbox_screen.panel.post_message(copy_of(events.Key(key, None)))
        await pilot.press("enter")
        # The answer starts its session, which is not to be met by the end of this test.
        await until(pilot, lambda: "in the background" in run.said())
        stored = await run.app.runtime.inbox.run(lambda store: store.requests.get(request.id))
        assert stored.outcome == Answered((Answer((), "mine"),))


async def test_what_comes_in_one_go_with_enter_is_the_prompts(tmp_path: Path) -> None:
    async with asked_for_another(tmp_path) as (run, pilot, place, prompt):
        for key in ("enter", *"hello", "backspace"):
            run.app.post_message(events.Key(key, key if len(key) == 1 else None))
        await until(pilot, lambda: prompt.value == "hell")
        assert place.value == str(tmp_path)


@pytest.mark.parametrize("typed", ["", "go"])
async def test_a_prompt_is_typed_while_its_directory_is_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, typed: str
) -> None:
    found = threading.Event()
    looks_up = new_session.place

    def slow(text: str, here: Path) -> Path:
        found.wait(60)
        return looks_up(text, here)

    monkeypatch.setattr(new_session, "place", slow)
    async with asked_for_another(tmp_path) as (run, pilot, place, prompt):
        await pilot.press("end", "x", "enter")
        await until(pilot, lambda: prompt.has_focus)
        await pilot.press(*typed)
        found.set()
        await until(pilot, lambda: "does not exist" in str(problem(run)))
        assert prompt.value == typed
        if typed:
            assert prompt.has_focus, "who types is not moved away"
            await pilot.press("enter")
        await until(pilot, lambda: place.has_focus)
        await pilot.press("backspace")
        assert place.value == str(tmp_path), "it is mended, not typed anew"


def problem(run: Driven) -> object:
    return run.app.screen.query_one("#new-problem").render()

"""What something else than a session asks and tells: announced, listed, answered under the asker's name."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.requests import Asker, Origin
from ccq_tui.inbox.store.rows import RequestState
from ccq_tui.screens.inbox.inbox_list import SessionPlace
from ccq_tui.screens.inbox.screen import InboxScreen
from ccq_tui.widgets.question import QuestionPanel
from tests.ui.host import Clock, press_later
from tests.ui.inboxed import Many, open_inbox, request_of, state_of
from tests.ui.session import until


async def test_a_question_that_no_session_asked_is_answered_and_not_gone(tmp_path: Path) -> None:
    run, clock = Many(tmp_path), Clock()
    run.app.clock = clock
    async with run.app.run_test(size=(100, 24)) as pilot:
        origin = Origin(Asker.FORM, "release form", "/work/release")
        asked = replace(request_of("release"), asker_id="1", origin=origin)
        assert await run.app.runtime.inbox.run(lambda store: store.listeners.any()), "a person can be asked"
        await run.app.runtime.inbox.run(lambda store: store.requests.add(asked))
        await until(pilot, lambda: run.session_screen.dock.query("NoticeLine"))
        notices = run.session_screen.dock.query_one("NoticeLine")
        await until(pilot, lambda: "release form asks: Which one for release?" in str(notices.render()))
        assert "F4 goes there" in str(notices.render())
        await pilot.press("f4")
        await until(pilot, lambda: isinstance(run.app.screen, InboxScreen) and run.inbox_screen.state.rows)
        (row,) = run.inbox_screen.state.rows
        assert (row.place, row.session) == (SessionPlace.ASKER, "release form")
        assert row.directory == "/work/release"
        await pilot.press("enter")
        assert "It belongs to no session" in run.said()
        await pilot.press("right")
        await until(pilot, lambda: run.inbox_screen.panel)
        assert isinstance(run.inbox_screen.panel, QuestionPanel)
        assert run.inbox_screen.panel.state.asker == "release form"
        await press_later(pilot, "2", "enter")
        await until(pilot, lambda: "release form collects it from the inbox" in run.said())
        assert await state_of(run, asked.id) is RequestState.ANSWERED


async def test_what_something_else_tells_stands_in_the_session_and_in_the_inbox(tmp_path: Path) -> None:
    run = Many(tmp_path)
    actor = Actor(Surface.ASKER, "Codex")

    async def tell(message: str) -> None:
        await run.app.runtime.inbox.run(lambda store: store.history.notify("mcp:1", actor, message))

    async with run.app.run_test(size=(100, 24)) as pilot:
        await tell("the build is \x1b[31mdone\nwith [bold]markup")
        await until(pilot, lambda: run.session_screen.dock.query("NoticeLine"))
        notices = run.session_screen.dock.query_one("NoticeLine")
        told = "Codex: the build is ␛[31mdone with [bold]markup"
        await until(pilot, lambda: told in str(notices.render()))
        await open_inbox(pilot, run, 0)
        await tell("and so are the tests")
        await until(pilot, lambda: "Codex: and so are the tests" in run.said())
        await run.app.runtime.inbox.run(lambda store: store.history.notify("mcp:1", actor, "x" * 5_000))
        await until(pilot, lambda: "Codex: xxx" in run.said())
        assert len(run.said()) < 400

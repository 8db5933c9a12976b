"""Pictures of the inbox screen, of several sessions side by side, and of a limit that is counted down."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ccq_tui.agent.events import PromptAccepted, QuestionAsked, SessionState, StateChanged
from ccq_tui.config.launch import Launch, ProgramArguments
from ccq_tui.config.settings import Settings
from ccq_tui.inbox.requests import PermissionRequest, QuestionRequest, Request
from ccq_tui.inbox.store.rows import RequestState, StoredRequest
from ccq_tui.questions import Option, Question, QuestionSet
from ccq_tui.screens.inbox.inbox_list import InboxList, InboxRow, SessionPlace, row_of
from ccq_tui.screens.inbox.screen import InboxScreen
from ccq_tui.screens.session import status
from ccq_tui.widgets.hints import HintBar
from ccq_tui.widgets.question import QuestionPanel
from tests.ui.drawn import screen_text
from tests.ui.host import Clock, press_later
from tests.ui.pictures import Pictures
from tests.ui.session import Driven, keys_work, until
from tests.ui.test_sessions import Many

CACHE = Question(
    "Which cache should the API use?",
    "Cache",
    (Option("Redis (Recommended)", "Fast, and one more service"), Option("SQLite", "No service")),
)
NAMES = Question("What shall the two tables be called?", "Names", (Option("jobs, runs"), Option("tasks")))
HERE = Path("/usr")


def asked(name: str, session: str, question: Question) -> QuestionRequest:
    return QuestionRequest(name, session, QuestionSet(name, (question,)))


def row(number: int, request: Request, session: str, place: SessionPlace, hours: float) -> InboxRow:
    # Half an hour in, so that a picture that is taken later says the same.
    at = datetime.now(UTC) - timedelta(hours=hours)
    said = "I looked at the three services.\nTwo of them read the same rows again and again."
    stored = StoredRequest(number, request, said, RequestState.PENDING, at)
    return row_of(stored, session, f"/srv/{session}", place)


def waiting() -> tuple[InboxRow, ...]:
    run = PermissionRequest("t2", "s2", "Bash", {"command": "make all"}, description="Build it")
    return (
        row(1, asked("t1", "s1", CACHE), "api", SessionPlace.RESTS, 50.5),
        row(2, run, "web", SessionPlace.HERE, 3.5),
        row(3, asked("t3", "s3", NAMES), "old-import", SessionPlace.GONE, 2.5),
        row(4, asked("t4", "s1", NAMES), "api", SessionPlace.RESTS, 1.5),
        row(5, asked("t5", "s4", CACHE), "a-session-with-a-very-long-name-indeed", SessionPlace.OTHER, 1.5),
    )


async def test_inbox_pictures(pictures: Pictures, tmp_path: Path) -> None:
    run = Driven(Launch(settings=Settings(cwd=HERE), program=ProgramArguments(state=tmp_path)), clock=Clock())
    async with run.app.run_test(size=(90, 24)) as pilot:
        await until(pilot, lambda: run.session_screen.view.session_id)
        await pilot.press("f2")
        await until(pilot, lambda: isinstance(run.app.screen, InboxScreen))
        screen = run.app.screen
        await pictures.keep(pilot, "empty")
        rows = waiting()
        opened = run.app.runtime.inbox._made(rows[0].stored.request, "")
        opened.is_added = True
        screen.show(InboxList(rows))
        await pilot.press("down", "down")
        await pictures.keep(pilot, "list")
        await pilot.press("home", "g")
        await pictures.keep(pilot, "grouped")
        await pilot.press("g", "ctrl+d")
        await pictures.keep(pilot, "declining")
        await pilot.press("escape", "right")
        await until(pilot, lambda: screen.panel)
        await press_later(pilot, "2", seconds=1)
        screen.query_one(QuestionPanel).query_one(HintBar).wake()
        await pictures.keep(pilot, "answering")


async def test_pictures_beside_each_other(
    pictures: Pictures, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(status, "today", lambda: 0)
    limits = Settings(cwd=HERE, question_timeout="2m")
    run = Many(Launch(settings=limits, program=ProgramArguments(state=tmp_path)), clock=Clock())
    async with run.app.run_test(size=(90, 24)) as pilot:
        for name in ("web", "docs"):
            launch = replace(run.app.sessions[0].launch, prompt=f"Work on the {name}")
            await run.app.sessions.add_behind(launch)
        await until(pilot, lambda: len(run.all) == 3)
        await until(pilot, lambda: all(one.view.session_id for one in run.app.sessions))
        run.all[1].tell(PromptAccepted("Work on the web"))
        run.all[1].tell(StateChanged(SessionState.WORKING))
        run.all[2].tell(StateChanged(SessionState.AWAITING))
        run.all[2].tell(QuestionAsked(asked("t9", "id-1", NAMES)))
        front = run.session_screen
        await until(pilot, lambda: "F4 goes there" in front.dock.notices.text)
        front.dock.notices.hush(f"{run.app.sessions.mode_of(run.app.sessions[2])} waits")
        run.clock.skip(75)
        run.app.sessions.list()
        await pictures.keep(pilot, "side bar")
        run.all[0].tell(StateChanged(SessionState.AWAITING))
        request = asked("t8", "id-1", CACHE)
        run.all[0].tell(QuestionAsked(request))
        await keys_work(run, pilot)
        run.clock.skip(100)
        front.changed()
        await until(pilot, lambda: "any key stops it" in screen_text(run.app))
        front.dock.query_one(QuestionPanel).query_one(HintBar).wake()
        await pictures.keep(pilot, "countdown")

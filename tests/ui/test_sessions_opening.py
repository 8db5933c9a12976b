"""Requests in the list of sessions: of any asker, changed by others meanwhile, answered before, refused."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from textual.geometry import Offset

from ccq_tui.agent.events import PromptAccepted, RequestAsked, StateChanged
from ccq_tui.config.launch import Launch, ProgramArguments
from ccq_tui.config.settings import Settings
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.draft import first_draft
from ccq_tui.inbox.open_request import OpenRequest
from ccq_tui.inbox.place import Place
from ccq_tui.inbox.port import Delivered, InboxChange
from ccq_tui.inbox.requests import Asker, Origin, QuestionRequest
from ccq_tui.inbox.store.rows import RequestState, SessionState, StoredDraft
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.verdicts import Accepted, InboxUnavailable
from ccq_tui.processes import Owner, this_process
from ccq_tui.questions import Answer, Answered, Option, Question, QuestionSet
from ccq_tui.questions.state import PanelState
from ccq_tui.screens.session import SessionScreen
from ccq_tui.screens.sessions.model import ListHeading
from ccq_tui.screens.sessions.screen import SessionsScreen
from ccq_tui.widgets.panel import RequestPanel
from tests.actors import COMMAND, PANEL, PHONE
from tests.steps import step
from tests.ui.drawn import screen_text
from tests.ui.host import Clock, press_later
from tests.ui.inboxed import (
    Many,
    keep_record,
    left_behind,
    one_waits,
    open_by_key,
    open_list,
    request_of,
    state_of,
    stored_as,
)
from tests.ui.pictures import Pictures
from tests.ui.session import SESSION_ID, Driven, idle, keys_work, panel_drawn, press, running, until
from tests.ui.test_commands import notices
from tests.ui.test_sessions import Several
from tests.unit.inbox.made import save_draft


@pytest.mark.parametrize("news", ["settled", "changed"])
async def test_what_happens_elsewhere_while_a_panel_opens_is_not_missed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, news: str
) -> None:
    async with one_waits(tmp_path) as (run, pilot, request):
        inbox, screen = run.app.runtime.inbox, run.list
        load, read, shown = inbox.open, asyncio.Event(), asyncio.Event()

        async def open_slowly(request_id: str) -> OpenRequest | None:
            opened = await load(request_id)
            read.set()
            await shown.wait()
            return opened

        monkeypatch.setattr(inbox, "open", open_slowly)
        await pilot.press("right")
        await read.wait()
        if news == "settled":
            await pilot.press(*"typed")
            assert await inbox.settle(request.id, Answered((Answer(("First",)),)), COMMAND) == Accepted()
            await until(pilot, lambda: not run.waiting)
            shown.set()
            with step("no panel opens for it, it is said who answered, and what was typed is there"):
                await until(pilot, lambda: screen.field.text == "typed")
                assert screen.panel is None
                assert "was answered by ccq-tui answer" in run.notice()
        else:
            theirs = first_draft(request)
            assert isinstance(theirs, PanelState)
            (page,) = theirs.pages
            noted = replace(theirs, pages=(replace(page, draft=replace(page.draft, note="mind this")),))
            received: list[InboxChange] = []
            inbox.subscribe(received.append)
            other = Store(tmp_path / "inbox.db")
            save_draft(other, request, noted, PHONE)
            other.close()
            await until(pilot, lambda: any(isinstance(change, StoredDraft) for change in received))
            await until(pilot, lambda: run.waiting[0].draft == "draft 0/1")
            shown.set()
            with step("it opens with the newer draft"):
                await until(pilot, lambda: screen.panel is not None)
                assert isinstance(screen.panel, RequestPanel)
                assert screen.panel.state.pages[0].draft.note == "mind this"


async def test_a_request_is_settled_elsewhere_while_it_is_asked_whether_to_decline_it(tmp_path: Path) -> None:
    async with one_waits(tmp_path) as (run, pilot, request):
        await press(pilot, "ctrl+d", then=lambda: "Decline “Which one for old?”?" in run.notice())
        verdict = await run.app.runtime.inbox.settle(request.id, Answered((Answer(("First",)),)), COMMAND)
        assert verdict == Accepted()
        await until(pilot, lambda: "was answered by ccq-tui answer" in run.notice())
        await pilot.pause()
        assert "Esc back" in run.hints()
        assert "decline" not in run.hints()


async def test_a_click_that_opens_a_request_takes_back_the_question_whether_to_decline_it(
    tmp_path: Path,
) -> None:
    async with one_waits(tmp_path) as (run, pilot, _):
        screen = run.list
        await press(pilot, "ctrl+d", then=lambda: "Decline “" in run.notice())
        where = screen.view.region
        row = next(
            y
            for y in range(where.height)
            if screen.view.row_on_screen(Offset(where.x + 5, where.y + y)) == screen.state.cursor
        )
        await pilot.click(offset=(where.x + 5, where.y + row))
        await until(pilot, lambda: screen.panel is not None)
        await pilot.pause()
        assert "Decline" not in run.notice()
        assert screen.question is None


CACHE = Question(
    "Which cache should the API use?",
    "Cache",
    (Option("Redis (Recommended)", "Fast, and one more service"), Option("SQLite", "No service")),
)
NAMES = Question("What shall the two tables be called?", "Names", (Option("jobs, runs"), Option("tasks")))
HERE = Path("/usr")


def asked(name: str, session: str, question: Question) -> QuestionRequest:
    return QuestionRequest(name, session, QuestionSet(name, (question,)))


async def test_pictures_beside_each_other(pictures: Pictures, tmp_path: Path) -> None:
    limits = Settings(cwd=HERE, question_timeout="2m")
    run = Several(Launch(settings=limits, program=ProgramArguments(state=tmp_path)), clock=Clock())
    async with run.app.run_test(size=(90, 24)) as pilot:
        for name in ("web", "docs"):
            launch = replace(run.app.sessions[0].launch, prompt=f"Work on the {name}")
            await run.app.sessions.add_behind(launch)
        await until(pilot, lambda: len(run.all) == 3)
        await until(pilot, lambda: all(one.view.session_id for one in run.app.sessions))
        run.all[1].tell(PromptAccepted("Work on the web"))
        run.all[1].tell(StateChanged(SessionState.WORKING))
        run.all[2].tell(StateChanged(SessionState.AWAITING))
        run.all[2].tell(RequestAsked(asked("t9", "id-1", NAMES)))
        front = run.session_screen
        await until(pilot, lambda: "· F4" in front.dock.notices.text)
        front.dock.notices.hush(f"{run.app.sessions[2].mode} waits")
        run.clock.skip(75)
        run.app.sessions.list()
        await pictures.keep(pilot, "strip")
        run.all[0].tell(StateChanged(SessionState.AWAITING))
        request = asked("t8", "id-1", CACHE)
        run.all[0].tell(RequestAsked(request))
        await keys_work(run, pilot)
        run.clock.skip(100)
        front.changed()
        await until(pilot, lambda: "any key stops it" in screen_text(run.app))
        await pictures.keep(pilot, "countdown")


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
        assert "· F4" in str(notices.render())
        await press(pilot, "f4", then=lambda: isinstance(run.app.screen, SessionsScreen) and run.waiting)
        row = run.row("release form in /work/release")
        assert (row.place, row.directory) == (Place.FOREIGN, "/work/release")
        await press(pilot, "p", then=lambda: "It belongs to no session" in run.notice())
        await press(pilot, "enter", then=lambda: run.list.panel)
        assert isinstance(run.list.panel, RequestPanel)
        assert run.list.panel.state.asker == "release form"
        await press_later(pilot, "2", "enter")
        changes: list[InboxChange] = []
        run.app.runtime.inbox.subscribe(changes.append)
        await until(pilot, lambda: "release form collects it from the inbox" in run.notice())
        assert await state_of(run, asked.id) is RequestState.ANSWERED
        # It may do so at once: what is said stays.
        await run.app.runtime.inbox.run(lambda store: store.requests.mark_delivered(asked.id, "result"))
        await until(pilot, lambda: changes and isinstance(changes[-1], Delivered))
        await pilot.pause()
        assert "release form collects it from the inbox" in run.notice()


async def test_what_something_else_tells_stands_in_the_session_and_in_the_inbox(tmp_path: Path) -> None:
    run = Many(tmp_path)
    actor = Actor(Surface.ASKER, "Codex")

    async def tell(message: str) -> None:
        await run.app.runtime.inbox.run(lambda store: store.history.notify("mcp:1", actor, message))

    async with run.app.run_test(size=(100, 24)) as pilot:
        await tell("the build is \x1b[31mdone\nwith [bold]markup")
        await until(pilot, lambda: run.session_screen.dock.query("NoticeLine"))
        notices = run.session_screen.dock.query_one("NoticeLine")
        text = "Codex: the build is ␛[31mdone with [bold]markup"
        await until(pilot, lambda: text in str(notices.render()))
        await open_list(pilot, run, 0)
        await tell("and so are the tests")
        await until(pilot, lambda: "Codex: and so are the tests" in run.notice())
        run.list.say("")  # as an answer that was delivered says, if there is nothing to say
        assert "Codex: and so are the tests" in run.notice()
        run.list.say("Answered", 0.1)
        assert "Codex: and so are the tests" not in run.notice()
        await until(pilot, lambda: "Codex: and so are the tests" in run.notice())
        await run.app.runtime.inbox.run(lambda store: store.history.notify("mcp:1", actor, "x" * 5_000))
        await until(pilot, lambda: "Codex: xxx" in run.notice().replace("\n", " "))
        assert len(run.notice()) < 400


FIRST = Answered((Answer(("First",)),))


async def refuses(*_: Any) -> None:
    raise InboxUnavailable("the disk is full")


async def test_the_panel_of_the_session_comes_back() -> None:
    run = Driven()
    request = request_of(SESSION_ID)
    async with idle(run, size=(80, 24)) as (run, pilot):
        session, screen = run.fake, run.session_screen
        session.tell(StateChanged(SessionState.AWAITING))
        session.tell(RequestAsked(request))
        await keys_work(run, pilot)
        await press(pilot, "1", "enter", then=lambda: session.answers and screen.dock.panel is None)
        session.requests.refuse(request.id, InboxUnavailable("the disk is full"))
        await until(pilot, lambda: screen.dock.panel is not None)
        state = screen.dock.panel.state if screen.dock.panel else None
        assert isinstance(state, PanelState)
        assert state.pages[0].draft.selected == (0,)
        assert "The answer was not kept: the disk is full" in screen.transcript.text()
        assert screen.session.waiting
        await keys_work(run, pilot)
        await press(pilot, "enter", then=lambda: len(session.answers) == 2)
        assert session.answers[-1] == (request.tool_use_id, FIRST, PANEL)


@pytest.mark.parametrize("here", [False, True])
async def test_the_panel_of_the_inbox_can_be_opened_and_answered_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, here: bool
) -> None:
    async with idle(Many(tmp_path)) as (run, pilot):
        if here:
            request = request_of("s1")
            await run.app.runtime.inbox.run(lambda store: store.requests.add(request, ""))
            run.all[0].tell(StateChanged(SessionState.AWAITING))
            run.all[0].tell(RequestAsked(request))
            await until(pilot, lambda: panel_drawn(run.session_screen))
            await open_by_key(pilot, run)
        else:
            request = await left_behind(run, tmp_path)
            await open_list(pilot, run, 1)
        with monkeypatch.context() as refused:
            refused.setattr(run.app.runtime.inbox, "settle", refuses)
            await press(pilot, "right", then=lambda: run.list.panel)
            await press(pilot, "1", "enter", then=lambda: "the disk is full" in run.notice())
        await press_later(pilot, "right", seconds=5, then=lambda: run.list.panel)
        panel = run.list.panel
        assert isinstance(panel.state, PanelState)
        assert panel.state.pages[0].draft.selected == (0,)
        await press_later(pilot, "enter", seconds=5, then=lambda: run.list.panel is None)
        await until(pilot, lambda: "continues" in run.notice() or "starts" in run.notice())
        assert (await stored_as(run, request.id)).outcome == FIRST


SECOND = Answered((Answer(("Second",), note="it scales"),))


async def keep_answer(run: Many, where: Path, session: str) -> None:
    """Keep an answer that an earlier session got."""
    request = replace(request_of(session), tool_use_id="toolu_before", asker_id="before")
    request = replace(request, questions=replace(request.questions, id="toolu_before"))

    def keep(store: Store) -> None:
        store.sessions.upsert("before", str(where))
        store.requests.add(request)
        store.requests.settle(request.id, SECOND, PANEL)

    await run.app.runtime.inbox.run(keep)


async def test_the_inbox_says_it_too_and_a_setting_turns_it_off(tmp_path: Path) -> None:
    for recalls in (True, False):
        where = tmp_path / str(recalls)
        where.mkdir()
        run = Many(where, settings=Settings(cwd=where, recall_answers=recalls), clock=Clock())
        async with run.app.run_test(size=(80, 24)) as pilot:
            await keep_answer(run, where, "old")
            await left_behind(run, where)
            await open_list(pilot, run, 1)
            await pilot.press("a")
            await until(pilot, lambda: run.list.panel)  # noqa: B023
            panel = run.list.panel
            assert bool(panel.state.recalled) is recalls
            await press_later(pilot, "r", seconds=2.0)
            await until(pilot, lambda: panel.state.has_draft)  # noqa: B023
            first = panel.state.pages[0].draft
            assert (first.selected, first.other) == (((1,), "") if recalls else ((), "r"))
            await pilot.press("escape", "escape", "escape")
            await until(pilot, lambda: isinstance(run.app.screen, SessionScreen))  # noqa: B023


def answered_and_killed(where: Path, session_id: str, owner: Owner) -> None:
    """Leave an answer whose program was killed before the agent had it."""
    keep_record(session_id)
    store = Store(where / "inbox.db")
    store.sessions.upsert(session_id, str(where), name=f"api {session_id}")
    store.sessions.set_state(session_id, SessionState.AWAITING, "asked")
    store.sessions.claim(session_id, owner)
    request = request_of(session_id)
    store.requests.add(request)
    store.requests.settle(request.id, Answered((Answer(("First",)),)), PANEL)
    store.close()


async def test_it_is_named_at_the_start_and_counted_in_its_row(tmp_path: Path) -> None:
    answered_and_killed(tmp_path, "old", Owner(2**22 + 1))
    answered_and_killed(tmp_path, "runs", this_process())
    async with running(Many(tmp_path), size=(100, 30)) as (run, pilot):
        assert run.app.runtime.inbox.pending == ()  # as the first real session does, this opens it
        await until(pilot, lambda: run.app.sessions and "not reached Claude" in notices(run))
        shown = notices(run)
        assert "1 answer has not reached Claude: api old · it goes there once its session" in shown
        assert "api runs" not in shown, "there it is on its way"

        await open_list(pilot, run, 0)
        await until(pilot, lambda: run.row_of("old").undelivered == 1)
        assert run.row_of("old").heading is ListHeading.PARKED
        assert run.row_of("runs").undelivered == 0


async def test_a_question_of_ones_own_does_not_wait_elsewhere(tmp_path: Path) -> None:
    store = Store(tmp_path / "inbox.db", now=lambda: datetime.now(UTC) - timedelta(days=40))
    for name in ("old", "s1"):  # s1 begins ahead of the screen
        keep_record(name)
        store.requests.add(request_of(name))
    over = request_of("old", "over")
    store.requests.add(over)
    store.requests.settle(over.id, Answered((Answer(("First",)),)), PANEL)
    store.requests.mark_delivered(over.id, "result")
    run = Many(tmp_path, settings=Settings(cwd=tmp_path, prune_after="30d"))  # type: ignore[arg-type]
    async with run.app.run_test(size=(100, 30)) as pilot:
        assert run.app.runtime.inbox.pending == ()
        await until(pilot, lambda: "elsewhere" in run.session_screen.transcript.welcome)
        assert "1 request waits elsewhere" in run.session_screen.transcript.welcome
        assert notices(run) == "", "it is said once"
        with step("what was over before the time of prune_after is deleted, and nothing else"):
            await until(pilot, lambda: store.requests.get(over.id) is None)
            assert len(store.requests.waiting()) == 2
    store.close()


async def test_a_session_that_begins_with_a_prompt_says_in_a_line_what_waits(tmp_path: Path) -> None:
    store = Store(tmp_path / "inbox.db")
    keep_record("old")
    store.requests.add(request_of("old"))
    store.close()
    async with running(Many(tmp_path, prompt="Build it"), size=(100, 30)) as (run, pilot):
        assert run.app.runtime.inbox.pending == ()
        words = "1 request waits elsewhere · F4"
        await until(pilot, lambda: words in notices(run))
        assert run.session_screen.around.waiting_beside == 1, "the status line counts what the key reaches"
        await press(pilot, "f4", then=lambda: isinstance(run.app.screen, SessionsScreen) and run.waiting)
        assert [row.session_id for row in run.waiting] == ["old"]


@pytest.mark.parametrize("fork", [True, False])
async def test_only_a_session_that_is_open_itself_is_not_named_at_the_start(
    tmp_path: Path, *, fork: bool
) -> None:
    answered_and_killed(tmp_path, "old", Owner(2**22 + 1))
    answered_and_killed(tmp_path, "older", Owner(2**22 + 1))
    store = Store(tmp_path / "inbox.db")
    for name in ("old", "older"):
        store.requests.add(request_of(name, f"waits_{name}"))
    store.close()
    async with running(Many(tmp_path, resume="old", fork=fork), size=(100, 30)) as (run, pilot):
        assert run.app.runtime.inbox.pending == ()
        await until(pilot, lambda: run.app.sessions and "not reached Claude" in notices(run))
        shown = notices(run)
        if fork:
            assert "2 requests wait elsewhere · F4" in shown
            assert "2 answers have not reached Claude: api old, api older" in shown
        else:
            assert "1 request waits elsewhere · F4" in shown
            assert "1 answer has not reached Claude: api older" in shown

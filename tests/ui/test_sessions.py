"""Several sessions in one terminal or in two, and what is typed while one takes another's place."""

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from itertools import cycle
from pathlib import Path
from string import ascii_lowercase
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import TextArea

from ccq_tui.agent import events as ev
from ccq_tui.agent.problems import Problem
from ccq_tui.agent.reader import EarlierSession
from ccq_tui.config.launch import Launch, ProgramArguments
from ccq_tui.config.paths import inbox_path
from ccq_tui.config.settings import Settings
from ccq_tui.inbox.requests import QuestionRequest
from ccq_tui.inbox.store.rows import SessionState
from ccq_tui.inbox.store.store import Store
from ccq_tui.processes import Owner
from ccq_tui.prompts.unread import PromptDraft, directory_key
from ccq_tui.questions import Answer, Answered
from ccq_tui.runtime.launches import launch_of
from ccq_tui.screens.list_screen import ListScreen
from ccq_tui.screens.picker import Picker
from ccq_tui.screens.session import SessionScreen
from ccq_tui.screens.sessions import session_manager
from ccq_tui.screens.sessions.model import DIRECTORY
from ccq_tui.screens.sessions.open_sessions import DEMO_LOST, parting_words
from ccq_tui.screens.sessions.screen import SessionsScreen
from ccq_tui.screens.sessions.session_manager import SessionManager
from ccq_tui.widgets.keys import copy_of
from ccq_tui.widgets.lines import LineView
from ccq_tui.widgets.strip import Strip
from tests.actors import PANEL
from tests.ui.drawn import screen_text
from tests.ui.host import Clock, handled
from tests.ui.inboxed import one_waits, stored_as
from tests.ui.session import (
    Driven,
    FakeSession,
    LastingSession,
    asked,
    burst,
    idle,
    kept_while_parked,
    keys_work,
    press,
    prompt_kept,
    running,
    until,
)


class Lasting(LastingSession):
    """A session that runs until it is closed, and says so."""

    async def run(self) -> None:
        await super().run()
        self.tell(ev.StateChanged(ev.SessionState.ENDED))


async def test_the_shell_is_told_how_to_come_back_to_a_conversation() -> None:
    run = Driven(Launch(settings=Settings(cwd=Path("/usr")), name="api"), Lasting)
    async with run.app.run_test() as pilot:
        await until(pilot, lambda: run.session and run.screen.view.session_id)
        assert parting_words(run.app.sessions) == [], "nothing was said: there is nothing to resume"
        await run.tell(pilot, ev.PromptAccepted("Build it"), then=lambda: not run.screen.transcript.greets)
        name = run.screen.view.session_id[:8]
        assert parting_words(run.app.sessions) == [f"“api” · ccq-tui resume {name} opens it again"]
        await run.tell(pilot, asked(), then=lambda: run.screen.dock.line.asked.items)
        assert parting_words(run.app.sessions) == [
            f"1 question waits in “api” · ccq-tui resume {name} opens it again"
        ]
        assert parting_words(run.app.sessions, kept=False) == [DEMO_LOST]


class Several(Driven):
    """The program with all the sessions that it made."""

    def __init__(self, launch: Launch | None = None, clock: Clock | None = None) -> None:
        self.all: list[FakeSession] = []
        super().__init__(launch, Lasting, clock)

    def _make(self, tell: Callable[[ev.AgentEvent], None], launch: Launch) -> FakeSession:
        session = super()._make(tell, launch)
        self.all.append(session)
        session.session_id = f"id-{len(self.all)}"
        return session

    def strip(self) -> str:
        """The line of sessions, or "" while it is hidden."""
        strip = self.session_screen.query_one(Strip)
        return strip.render().plain if strip.display else ""

    def number(self) -> int:
        """Which session is shown, from 1."""
        return 1 + self.app.sessions.index(self.session_screen)


async def open_fields(pilot: Pilot[int], run: Driven) -> SessionsScreen:
    """Open the fields of the row for a new session."""
    await press(pilot, "ctrl+n", then=lambda: isinstance(run.app.screen, SessionsScreen))
    return run.app.screen


async def test_a_session_that_is_being_opened_is_named_until_it_is_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run, read = Several(), threading.Event()

    def slow(*given: Any, **more: Any) -> Launch:
        read.wait(10.0)
        return launch_of(*given, **more)

    monkeypatch.setattr(session_manager, "launch_of", slow)
    async with run.app.run_test() as pilot:
        await until(pilot, lambda: run.session and run.session_screen.view.session_id)
        first = run.session_screen
        await open_fields(pilot, run)
        await press(pilot, "enter", then=lambda: first.dock.notices.text == "Starting a session…")
        read.set()
        await until(pilot, lambda: len(run.all) == 2 and run.number() == 2)
        await until(pilot, lambda: not first.dock.notices.text)


async def another(pilot: Pilot[int], run: Several, where: str = "", prompt: str = "") -> None:
    """Open another session by keys."""
    count = len(run.all)
    await open_fields(pilot, run)
    await pilot.press(*prompt, "tab", *where, "enter")
    await until(pilot, lambda: len(run.all) == count + 1 and isinstance(run.app.screen, SessionScreen))
    await until(pilot, lambda: run.session_screen.view.session_id)


async def test_sessions_are_opened_listed_gone_through_and_closed(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    async with running(Several(Launch(settings=Settings(cwd=tmp_path))), size=(100, 30)) as (run, pilot):
        await pilot.press("f3")
        assert "only session here" in run.session_screen.dock.notices.text
        assert run.strip() == ""
        run.session_screen.dock.prompt.put("half a thought")

        # A wrong directory is said in its field; Esc keeps what was typed in the row.
        shown = await open_fields(pilot, run)
        await pilot.press("tab", *"nowhere", "enter")
        new = run.app.manager.new
        await until(pilot, lambda: "does not exist" in new.faults.get(DIRECTORY, ""))
        await pilot.press("backspace", "shift+tab", *"write", "escape")
        await until(pilot, lambda: "New session  write" in screen_text(run.app))
        await pilot.press("escape")
        await until(pilot, lambda: run.number() == 1 and isinstance(run.app.screen, SessionScreen))
        assert len(run.all) == 1
        shown = await open_fields(pilot, run)
        assert (shown.field.text, new.texts[DIRECTORY]) == ("write", "nowher")
        await pilot.press("tab", "ctrl+u", *"docs", "shift+tab", *" the docs", "enter")
        await until(pilot, lambda: len(run.all) == 2 and isinstance(run.app.screen, SessionScreen))
        await until(pilot, lambda: run.session_screen.view.session_id)
        assert run.launches[1].settings.directory == tmp_path / "docs"
        await until(pilot, lambda: run.all[1].sent == ["write the docs"])
        assert run.session_screen.dock.prompt.text == ""
        run.all[1].tell(ev.PromptAccepted("write the docs"))
        await until(pilot, lambda: "2 ○ write the docs" in run.strip())
        assert "1 ○ " in run.strip()

        await press(pilot, "alt+1", then=lambda: run.number() == 1)
        assert run.session_screen.dock.prompt.text == "half a thought"
        await pilot.press("alt+7")
        assert "No session 7" in run.session_screen.dock.notices.text
        await press(pilot, "ctrl+pageup", then=lambda: run.number() == 2)
        await press(pilot, "ctrl+pagedown", then=lambda: run.number() == 1)
        await press(pilot, "f3", then=lambda: run.strip() == "")
        await press(pilot, "ctrl+pageup", then=lambda: run.number() == 2)
        await until(pilot, lambda: run.strip() == "")
        await press(pilot, "ctrl+pagedown", then=lambda: run.number() == 1)
        await press(pilot, "f3", then=lambda: run.strip())
        await pilot.click(Strip, offset=(run.strip().index("write"), 0))
        await until(pilot, lambda: run.number() == 2)
        await press(pilot, "f5", then=lambda: isinstance(run.app.screen, SessionsScreen))
        await press(pilot, "alt+1", then=lambda: run.number() == 1)
        await press(pilot, "alt+2", then=lambda: run.number() == 2)

        # Closing shows the one before; the other one goes on untouched.
        run.session_screen.dock.prompt.put("/close")
        await press(pilot, "enter", then=lambda: len(run.app.sessions) == 1 and run.number() == 1)
        assert run.all[1].closed
        assert not run.all[0].closed
        assert run.session_screen.dock.prompt.text == "half a thought"
        assert run.strip() == ""


async def test_a_question_of_another_session_is_told_and_takes_no_key(tmp_path: Path) -> None:
    async with running(Several(Launch(settings=Settings(cwd=tmp_path))), size=(100, 30)) as (run, pilot):
        await another(pilot, run)
        await pilot.press(*"abc")
        run.all[0].tell(ev.TitleChanged("Cache of the API"))
        run.all[0].tell(ev.StateChanged(ev.SessionState.AWAITING))
        run.all[0].tell(asked("toolu_1"))
        await until(pilot, lambda: "· F4" in run.session_screen.dock.notices.text)
        # Both are in one directory: its name would tell nothing.
        assert run.session_screen.dock.notices.text.startswith("◆ Cache of the API: ")
        await until(pilot, lambda: "? 1" in run.strip())
        await pilot.press(*"1d", "space")
        assert run.session_screen.dock.prompt.text == "abc1d "
        assert run.session_screen.dock.panel is None
        assert run.all[0].answers == []

        await press(pilot, "f4", then=lambda: run.number() == 1)
        await keys_work(run, pilot)
        panel = run.session_screen.dock.panel
        body = panel.query_one("#list", LineView)
        assert "─ Cache of the API ─" in body.lines[0].text.plain
        run.all[0].tell(ev.TitleChanged("Cache"))
        await until(pilot, lambda: "─ Cache ─" in body.lines[0].text.plain)
        await press(pilot, "2", "enter", then=lambda: run.all[0].answers)
        assert run.all[0].answers == [("toolu_1", Answered((Answer(("Second",)),)), PANEL)]
        assert run.all[1].answers == []
        await press(
            pilot, "f4", then=lambda: "No other session waits" in run.session_screen.dock.notices.text
        )
        await press(pilot, "alt+2", then=lambda: run.number() == 2)
        assert run.session_screen.dock.prompt.text == "abc1d "


@asynccontextmanager
async def one_queued(where: Path, prompt: str = "") -> AsyncIterator[tuple[Several, Pilot[int]]]:
    """The program with one session that runs, and one that waits for its end."""
    run = Several(Launch(settings=Settings(cwd=where, max_live_sessions=1)))
    async with idle(run, size=(100, 30)) as (run, pilot):
        await open_fields(pilot, run)
        await press(pilot, *prompt, "enter", then=lambda: "2 ◌" in run.strip())
        yield run, pilot


async def test_no_more_processes_than_allowed_and_the_next_begins_when_one_ends(tmp_path: Path) -> None:
    async with one_queued(tmp_path) as (run, pilot):
        assert run.session_screen.view.session_id == ""
        run.all[0].close()
        await until(pilot, lambda: run.session_screen.view.session_id)


async def test_a_session_that_waits_for_a_process_is_closed_at_once_and_its_prompt_is_kept(
    tmp_path: Path,
) -> None:
    async with one_queued(tmp_path, "later") as (run, pilot):
        assert "later" in run.strip()
        await press(pilot, *"/close", "enter", then=lambda: len(run.app.sessions) == 1)
        with closing(Store(inbox_path())) as store:
            left = store.prompts.take("next", directory_key(tmp_path)) or PromptDraft()
            assert [one.text for one in left.sent] == ["later"]


async def test_where_there_is_no_room_the_sessions_are_a_list(tmp_path: Path) -> None:
    async with running(Several(Launch(settings=Settings(cwd=tmp_path))), size=(60, 20)) as (run, pilot):
        await another(pilot, run)
        await pilot.resize_terminal(60, 16)
        await until(pilot, lambda: run.strip() == "")
        await press(pilot, "f3", then=lambda: isinstance(run.app.screen, SessionsScreen))
        await press(pilot, "j", "enter", then=lambda: isinstance(run.app.screen, SessionScreen))
        await until(pilot, lambda: isinstance(run.app.screen, SessionScreen) and run.number() == 1)


async def test_a_key_right_behind_the_one_that_leaves_the_list_goes_to_its_session(tmp_path: Path) -> None:
    launch = Launch(settings=Settings(cwd=tmp_path))
    async with running(Several(launch), size=(100, 30)) as (run, pilot):
        await run.app.sessions.add(launch)
        await until(pilot, lambda: len(run.all) == 2 and run.number() == 2)
        await press(pilot, "f5", then=lambda: isinstance(run.app.screen, SessionsScreen))
        for key in ("escape", "alt+1"):
            run.app.post_message(events.Key(key, None))
        await until(pilot, lambda: isinstance(run.app.screen, SessionScreen) and run.number() == 1)
        run.session_screen.dock.prompt.put("half a thought")
        await press(pilot, "f5", then=lambda: isinstance(run.app.screen, SessionsScreen))
        for key in ("escape", "enter"):
            run.app.post_message(events.Key(key, None))
        await until(pilot, lambda: isinstance(run.app.screen, SessionScreen))
        assert (run.all[0].sent, run.session_screen.dock.prompt.text) == ([], "half a thought")


@pytest.mark.parametrize("turns", [0, 1, 2])
async def test_a_command_right_behind_the_key_that_goes_to_a_session_is_done_there(
    tmp_path: Path, turns: int
) -> None:
    launch = Launch(settings=Settings(cwd=tmp_path))
    async with running(Several(launch)) as (run, pilot):
        await run.app.sessions.add(launch)
        first, second = run.app.sessions
        await press(pilot, "f5", then=lambda: isinstance(run.app.screen, SessionsScreen))
        await pilot.press("down")
        run.app.post_message(events.Key("enter", None))
        for _ in range(turns):
            await asyncio.sleep(0)
        burst(run, "/close\r")
        await until(pilot, lambda: list(run.app.sessions) == [second])
        assert not first.prompt.text + second.prompt.text


@pytest.mark.parametrize("behind", [[*"mine", "enter"], [events.Paste("mine")]], ids=["keys", "paste"])
async def test_what_follows_the_key_that_opens_a_panel_is_the_panels(
    tmp_path: Path, behind: list[str | events.Paste]
) -> None:
    async with one_waits(tmp_path) as (run, pilot, request):
        for key in ("right", "o", *behind):
            event = events.Key(key, key if len(key) == 1 else None) if isinstance(key, str) else key
            run.app.post_message(event)
        # What confirms counts only once the row was on the screen.
        await until(pilot, lambda: (panel := run.list.panel) and panel.state.text == "mine")
        await until(pilot, lambda: run.list.panel and run.list.panel.size.height)
        for key in ("pagedown", "f6"):  # keys that mean nothing in a panel
            run.list.panel.post_message(copy_of(events.Key(key, None)))
        await pilot.press("enter")
        # The answer starts its session, which is not to be met by the end of this test.
        await until(pilot, lambda: "in the background" in run.notice())
        assert run.list.field.text == ""
        assert (await stored_as(run, request.id)).outcome == Answered((Answer((), "mine"),))


async def type_during(run: Driven, pilot: Pilot[int], work: Awaitable[object]) -> str:
    """Type a letter at each turn of the event loop until the work is done; return the letters."""
    letters, typed = cycle(ascii_lowercase), ""
    doing = asyncio.ensure_future(work)
    while not doing.done():
        letter = next(letters)
        run.app.post_message(events.Key(letter, letter))
        typed += letter
        await asyncio.sleep(0)
        if len(typed) > 5_000:
            await asyncio.sleep(0.001)
    await doing
    await until(pilot, lambda: not run.app._message_queue.qsize())
    return typed


async def test_no_letter_is_lost_as_another_session_opens(tmp_path: Path) -> None:
    async with idle(Driven(Launch(settings=Settings(cwd=tmp_path)))) as (run, pilot):
        old = run.session_screen
        typed = await type_during(run, pilot, run.app.manager.open(run.screen.launch))
        assert run.session_screen is not old
        # What was typed into the old prompt may come back in front of it: that session had not begun.
        rest = typed.removeprefix(old.dock.prompt.text)
        await until(pilot, lambda: run.session_screen.dock.prompt.text.endswith(rest))
        assert rest


@pytest.mark.parametrize("key", ["ctrl+n", "f1"])
async def test_no_letter_is_lost_as_a_field_of_another_screen_comes(tmp_path: Path, key: str) -> None:
    async with idle(Driven(Launch(settings=Settings(cwd=tmp_path)))) as (run, pilot):
        prompt = run.session_screen.dock.prompt

        async def opened() -> None:
            run.app.post_message(events.Key(key, None))
            for _ in range(10_000):
                if isinstance(run.app.screen, ListScreen) and run.app.screen.focused is not None:
                    return
                await asyncio.sleep(0)

        typed = await type_during(run, pilot, opened())
        field = run.app.screen.focused
        await until(pilot, lambda: prompt.text + text_in(field) == typed)
        assert text_in(field)


def text_in(field: object) -> str:
    assert isinstance(field, TextArea)
    return field.text


OTHER = Owner(os.getppid())


def claimed(where: Path) -> Launch:
    """Note that another process runs the session, and return what goes on with it."""
    store = Store(where / "inbox.db")
    store.sessions.upsert("id-1", str(where), name="api")
    assert store.sessions.claim("id-1", OTHER) is None
    store.close()
    return Launch(settings=Settings(cwd=where), program=ProgramArguments(state=where), resume="id-1")


async def asked_about(pilot: Pilot[int], run: Driven) -> None:
    await until(pilot, lambda: isinstance(run.app.screen, Picker))
    assert run.app.screen.heading == "This session is open in another ccq-tui"
    assert str(OTHER.pid) in str(run.app.screen.about)


async def test_it_is_left_there_and_the_program_ends(tmp_path: Path) -> None:
    async with running(Driven(replace(claimed(tmp_path), prompt="go on"))) as (run, pilot):
        await asked_about(pilot, run)
        await press(pilot, "enter", then=lambda: run.app.return_code == 0)
    assert run.launches == []
    kept = prompt_kept(tmp_path, directory_key(tmp_path))
    assert kept.text == "go on"


async def test_what_was_typed_before_it_was_asked_about_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, typed, asks = Driven(claimed(tmp_path)), asyncio.Event(), SessionManager.alone

    async def asks_late(manager: SessionManager, launch: Launch) -> Launch | None:
        await typed.wait()
        return await asks(manager, launch)

    monkeypatch.setattr(SessionManager, "alone", asks_late)
    async with run.app.run_test(size=(80, 24)) as pilot:
        burst(run, "h")
        run.app.post_message(events.Paste("i"))
        await handled(run.app)
        typed.set()
        await asked_about(pilot, run)
        await press(pilot, "down", "enter", then=lambda: isinstance(run.app.screen, SessionScreen))
        await until(pilot, lambda: run.session_screen.dock.prompt.text == "hi")


async def test_a_copy_goes_on_and_no_key_takes_the_other_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def earlier(*_options: object) -> tuple[EarlierSession, ...]:
        return (EarlierSession("id-1", "api", 0.0, "", str(tmp_path)),)

    monkeypatch.setattr("ccq_tui.runtime.person.earlier_sessions", earlier)
    async with running(Driven(replace(claimed(tmp_path), resume="", continue_last=True))) as (run, pilot):
        await asked_about(pilot, run)
        await press(pilot, "down", "enter", then=lambda: isinstance(run.app.screen, SessionScreen))
        # The very session that was asked about, whichever is the newest by now.
        made = [(one.resume, one.continue_last, one.fork) for one in run.launches]
        assert made == [("id-1", False, True)]

        # From the list the same is asked; Esc stays here.
        screen = run.session_screen
        screen.session.facts = screen.view = replace(screen.view, session_id="")
        await press(pilot, "f5", then=lambda: isinstance(run.app.screen, SessionsScreen))
        shown = run.app.screen
        await until(pilot, lambda: any(row.session == "api" for row in shown.state.sessions))
        await pilot.press("slash", *"api", "enter")
        await asked_about(pilot, run)
        await press(pilot, "escape", then=lambda: run.app.screen is screen)
        assert len(run.launches) == 1
        run.fake.tell(ev.Connected("id-1", "claude-x", "default", "/work"))
        await until(pilot, lambda: screen.view.session_id == "id-1")

        # Parked here and resumed over there meanwhile: the start is lost, and the answer theirs to deliver.
        await run.ask(pilot, ev.HistoryLoaded(()), ev.StateChanged(ev.SessionState.AWAITING), asked())
        run.fake.tell(ev.StateChanged(ev.SessionState.PARKED))
        await until(pilot, lambda: screen.view.state is ev.SessionState.PARKED)
        await pilot.press("1", "enter")
        asking = run.fake
        await kept_while_parked(run, pilot)
        await until(pilot, lambda: run.fake is not asking)
        run.fake.tell(ev.StateChanged(ev.SessionState.PARKED))
        run.fake.tell(ev.SessionLost("process 7 runs it", expected=True, kind=Problem.RUNS_ELSEWHERE))
        await until(pilot, lambda: "has your answer" in screen.dock.notices.text)
        assert screen.view.state is ev.SessionState.PARKED, "it is tried again with the next prompt"

        # The key that helps asks the same, and this time it goes on here once it is parked there.
        await pilot.press("f6")
        await asked_about(pilot, run)
        store = Store(tmp_path / "inbox.db")
        store.requests.add(QuestionRequest("toolu_other", "id-1", asked().request.questions))
        await press(pilot, "down", "down", "enter", then=lambda: bool(store.commands.open()))
        assert store.commands.take(store.commands.open()[0].number, OTHER)
        store.sessions.set_state("id-1", SessionState.PARKED, "test")
        store.sessions.release("id-1", OTHER)
        store.close()
        await until(pilot, lambda: len(run.launches) == 3)
        assert (run.launches[2].resume, run.launches[2].fork) == ("id-1", False)

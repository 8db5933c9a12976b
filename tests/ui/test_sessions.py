"""Several sessions in one terminal: going from one to another, and what waits in those that are not shown."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from textual import events
from textual.pilot import Pilot
from textual.widgets import Input

from ccq_tui.agent.events import AgentEvent, PromptAccepted, SessionState, StateChanged, TitleChanged
from ccq_tui.config.launch import Launch
from ccq_tui.config.paths import inbox_path
from ccq_tui.config.settings import Settings
from ccq_tui.inbox.store.store import Store
from ccq_tui.prompts.unread import PromptDraft
from ccq_tui.questions import Answer, Answered
from ccq_tui.screens.overview.screen import OverviewScreen
from ccq_tui.screens.session import SessionScreen
from ccq_tui.screens.sessions.new_session import NewSessionScreen
from ccq_tui.screens.sessions.open_sessions import DEMO_LOST, parting_words
from ccq_tui.widgets.lines import LineView
from ccq_tui.widgets.side_bar import SideBar
from tests.actors import PANEL
from tests.ui.host import Clock
from tests.ui.running import running
from tests.ui.session import Driven, ToldSession, asked, keys_work, until


class Lasting(ToldSession):
    """A session that runs until it is closed."""

    def __init__(self, tell: Callable[[AgentEvent], None]) -> None:
        super().__init__(tell)
        self._over = asyncio.Event()

    async def run(self) -> None:
        await super().run()
        await self._over.wait()
        self.tell(StateChanged(SessionState.ENDED))

    def close(self, cause: str = "") -> None:
        super().close(cause)
        self._over.set()


async def test_the_shell_is_told_how_to_come_back_to_a_conversation() -> None:
    run = Driven(Launch(settings=Settings(cwd=Path("/usr")), name="api"), Lasting)
    async with run.app.run_test() as pilot:
        await until(pilot, lambda: run.session and run.screen.view.session_id)
        assert parting_words(run.app.sessions) == [], "nothing was said: there is nothing to resume"
        run.told.tell(PromptAccepted("Build it"))
        await until(pilot, lambda: not run.screen.transcript.greets)
        name = run.screen.view.session_id[:8]
        assert parting_words(run.app.sessions) == [f"“api” · ccq-tui resume {name} opens it again"]
        run.told.tell(asked())
        await until(pilot, lambda: run.screen.dock.line.asked.items)
        assert parting_words(run.app.sessions) == [
            f"1 question waits in “api” · ccq-tui resume {name} opens it again"
        ]
        assert parting_words(run.app.sessions, kept=False) == [DEMO_LOST]


class Many(Driven):
    """The program with all the sessions that it made."""

    def __init__(self, launch: Launch | None = None, clock: Clock | None = None) -> None:
        self.all: list[ToldSession] = []
        super().__init__(launch, Lasting, clock)

    def _make(self, tell: Callable[[AgentEvent], None], launch: Launch) -> ToldSession:
        session = super()._make(tell, launch)
        self.all.append(session)
        return session

    def bar(self) -> str:
        """The side bar as text, or "" while it is hidden."""
        bar = self.session_screen.query_one(SideBar)
        return bar.render().plain if bar.display else ""

    def number(self) -> int:
        """Which session is shown, from 1."""
        return 1 + self.app.sessions.index(self.session_screen)


async def another(pilot: Pilot[int], run: Many, where: str = "", prompt: str = "") -> None:
    """Open another session by keys."""
    count = len(run.all)
    await pilot.press("ctrl+n")
    await until(pilot, lambda: isinstance(run.app.screen, NewSessionScreen))
    if where:
        run.app.screen.query_one("#new-place", Input).value = where
    run.app.screen.query_one("#new-prompt", Input).value = prompt
    await pilot.press("enter")
    await until(pilot, lambda: len(run.all) == count + 1 and isinstance(run.app.screen, SessionScreen))
    await until(pilot, lambda: run.session_screen.view.session_id)


async def test_sessions_are_opened_listed_gone_through_and_closed(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    async with running(Many(Launch(settings=Settings(cwd=tmp_path))), size=(100, 30)) as (run, pilot):
        await pilot.press("f3")
        assert "only session here" in run.session_screen.dock.notices.text
        assert run.bar() == ""
        run.session_screen.dock.prompt.put("half a thought")

        # A wrong directory is said and keeps what was typed; Esc opens nothing.
        await pilot.press("ctrl+n")
        await until(pilot, lambda: isinstance(run.app.screen, NewSessionScreen))
        field = run.app.screen.query_one("#new-place", Input)
        await pilot.press("shift+tab")
        field.value = "nowhere"
        await pilot.press("enter")
        problem = run.app.screen.query_one("#new-problem")
        await until(pilot, lambda: "does not exist" in str(problem.render()))
        await until(pilot, lambda: field.has_focus)
        await pilot.press("tab", *"write", "escape")
        await until(pilot, lambda: run.number() == 1 and isinstance(run.app.screen, SessionScreen))
        assert len(run.all) == 1
        await until(pilot, lambda: "F8 copies its prompt" in run.session_screen.dock.notices.text)
        await pilot.press("f8")
        assert run.app.clipboard == "write"

        await another(pilot, run, "docs", "write the docs")
        assert run.launches[1].settings.directory == tmp_path / "docs"
        await until(pilot, lambda: run.all[1].sent == ["write the docs"])
        assert run.session_screen.dock.prompt.text == ""
        run.all[1].tell(PromptAccepted("write the docs"))
        await until(pilot, lambda: "2 ○ write the docs" in run.bar())
        assert "1 ○ " in run.bar()

        await pilot.press("alt+1")
        await until(pilot, lambda: run.number() == 1)
        assert run.session_screen.dock.prompt.text == "half a thought"
        await pilot.press("alt+7")
        assert "No session 7" in run.session_screen.dock.notices.text
        await pilot.press("ctrl+pageup")
        await until(pilot, lambda: run.number() == 2)
        await pilot.press("ctrl+pagedown")
        await until(pilot, lambda: run.number() == 1)
        await pilot.press("f3")
        await until(pilot, lambda: run.bar() == "")
        await pilot.press("ctrl+pageup")
        await until(pilot, lambda: run.number() == 2)
        await until(pilot, lambda: run.bar() == "")
        await pilot.press("ctrl+pagedown")
        await until(pilot, lambda: run.number() == 1)
        await pilot.press("f3")
        await until(pilot, lambda: "Sessions 2" in run.bar())
        await pilot.click(SideBar, offset=(5, 5))
        await until(pilot, lambda: run.number() == 2)

        # Closing shows the one before; the other one goes on untouched.
        run.session_screen.dock.prompt.put("/close")
        await pilot.press("enter")
        await until(pilot, lambda: len(run.app.sessions) == 1 and run.number() == 1)
        assert run.all[1].closed
        assert not run.all[0].closed
        assert run.session_screen.dock.prompt.text == "half a thought"
        assert run.bar() == ""


async def test_a_question_of_another_session_is_told_and_takes_no_key(tmp_path: Path) -> None:
    async with running(Many(Launch(settings=Settings(cwd=tmp_path))), size=(100, 30)) as (run, pilot):
        await another(pilot, run)
        await pilot.press(*"abc")
        run.all[0].tell(TitleChanged("Cache of the API"))
        run.all[0].tell(StateChanged(SessionState.AWAITING))
        run.all[0].tell(asked("toolu_1"))
        await until(pilot, lambda: "F4 goes there" in run.session_screen.dock.notices.text)
        # Both are in one directory: its name would tell nothing.
        assert run.session_screen.dock.notices.text.startswith("◆ Cache of the API: ")
        await until(pilot, lambda: "? 1" in run.bar())
        await pilot.press(*"1d", "space")
        assert run.session_screen.dock.prompt.text == "abc1d "
        assert run.session_screen.dock.panel is None
        assert run.all[0].answers == []

        await pilot.press("f4")
        await until(pilot, lambda: run.number() == 1)
        await keys_work(run, pilot)
        panel = run.session_screen.dock.panel
        body = panel.query_one("#list", LineView)
        assert "─ Cache of the API ─" in body.lines[0].text.plain
        run.all[0].tell(TitleChanged("Cache"))
        await until(pilot, lambda: "─ Cache ─" in body.lines[0].text.plain)
        await pilot.press("2", "enter")
        await until(pilot, lambda: run.all[0].answers)
        assert run.all[0].answers == [("toolu_1", Answered((Answer(("Second",)),)), PANEL)]
        assert run.all[1].answers == []
        await pilot.press("f4")
        await until(pilot, lambda: "No other session waits" in run.session_screen.dock.notices.text)
        await pilot.press("alt+2")
        await until(pilot, lambda: run.number() == 2)
        assert run.session_screen.dock.prompt.text == "abc1d "


async def test_no_more_processes_than_allowed_and_the_next_begins_when_one_ends(tmp_path: Path) -> None:
    run = Many(Launch(settings=Settings(cwd=tmp_path, max_live_sessions=1)))
    async with run.app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: run.session_screen.view.session_id)
        await pilot.press("ctrl+n")
        await until(pilot, lambda: isinstance(run.app.screen, NewSessionScreen))
        await pilot.press("enter")
        await until(pilot, lambda: "queued" in run.bar())
        assert run.session_screen.view.session_id == ""
        run.all[0].close()
        await until(pilot, lambda: run.session_screen.view.session_id)


async def test_a_session_that_waits_for_a_process_is_closed_at_once_and_its_prompt_is_kept(
    tmp_path: Path,
) -> None:
    run = Many(Launch(settings=Settings(cwd=tmp_path, max_live_sessions=1)))
    async with run.app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: run.session_screen.view.session_id)
        await pilot.press("ctrl+n")
        await until(pilot, lambda: isinstance(run.app.screen, NewSessionScreen))
        await pilot.press(*"later", "enter")
        await until(pilot, lambda: "queued" in run.bar())
        assert "later" in run.bar()
        await pilot.press(*"/close", "enter")
        await until(pilot, lambda: len(run.app.sessions) == 1)
        with closing(Store(inbox_path())) as store:
            (left,) = store.prompts.take_unbegun(lambda one: one.directory == str(tmp_path))
            assert left.title == "later"
            assert [one.text for one in (store.prompts.get(left.id) or PromptDraft()).sent] == ["later"]


async def test_where_there_is_no_room_the_sessions_are_a_list(tmp_path: Path) -> None:
    async with running(Many(Launch(settings=Settings(cwd=tmp_path))), size=(60, 20)) as (run, pilot):
        await another(pilot, run)
        assert run.bar() == ""
        await pilot.press("f3")
        await until(pilot, lambda: not isinstance(run.app.screen, SessionScreen))
        await pilot.press("home", "enter")
        await until(pilot, lambda: isinstance(run.app.screen, SessionScreen) and run.number() == 1)


async def test_a_key_right_behind_the_one_that_leaves_the_overview_goes_to_its_session(
    tmp_path: Path,
) -> None:
    launch = Launch(settings=Settings(cwd=tmp_path))
    async with running(Many(launch), size=(100, 30)) as (run, pilot):
        await run.app.sessions.add(launch)
        await until(pilot, lambda: len(run.all) == 2 and run.number() == 2)
        await pilot.press("f5")
        await until(pilot, lambda: isinstance(run.app.screen, OverviewScreen))
        for key in ("escape", "alt+1"):
            run.app.post_message(events.Key(key, None))
        await until(pilot, lambda: isinstance(run.app.screen, SessionScreen) and run.number() == 1)
        run.session_screen.dock.prompt.put("half a thought")
        await pilot.press("f5")
        await until(pilot, lambda: isinstance(run.app.screen, OverviewScreen))
        for key in ("escape", "enter"):
            run.app.post_message(events.Key(key, None))
        await until(pilot, lambda: isinstance(run.app.screen, SessionScreen))
        assert (run.all[0].sent, run.session_screen.dock.prompt.text) == ([], "half a thought")

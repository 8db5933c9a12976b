"""The list of sessions: all of them by what they need, native ones among them, by keyboard alone."""

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from unittest.mock import AsyncMock, patch

import pytest
from textual.pilot import Pilot

from ccq_tui.agent import events as ev
from ccq_tui.config.settings import Settings
from ccq_tui.inbox.place import Place
from ccq_tui.inbox.requests import QuestionRequest
from ccq_tui.inbox.store.rows import RequestState, SessionState
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.verdicts import InboxUnavailable
from ccq_tui.input import gate
from ccq_tui.processes import Owner
from ccq_tui.questions import Option, Question, QuestionSet
from ccq_tui.screens.picker import Picker
from ccq_tui.screens.session import SessionScreen
from ccq_tui.screens.sessions import listing
from ccq_tui.screens.sessions.list_form import AGAIN_OPENS
from ccq_tui.screens.sessions.model import ListHeading, RequestRow
from ccq_tui.screens.sessions.screen import SessionsScreen
from ccq_tui.screens.sessions.session_manager import SessionManager
from tests.actors import PANEL
from tests.steps import step
from tests.ui.drawn import screen_lines
from tests.ui.host import Clock
from tests.ui.inboxed import Many, keep_record, open_list, state_of
from tests.ui.pictures import Pictures
from tests.ui.session import idle, press, running, until
from tests.unit.bridges.native import ASKED, NativeSession, calls, ends, prompt, says

HERE = Path("/usr")


def asked_by(session_id: str, name: str, text: str = "Which one?") -> QuestionRequest:
    asked = Question(text, "Which", (Option("First", "a"), Option("Second", "b")))
    return QuestionRequest(name, session_id, QuestionSet(name, (asked,)))


def ended(cost: float) -> ev.TurnEnded:
    return ev.TurnEnded("success", False, 1.0, cost, 10, 20)


class Listed(Many):
    """The program with all the sessions that it made, in a directory that is always there."""

    def __init__(self, state: Path, clock: Clock | None = None) -> None:
        super().__init__(state, settings=Settings(cwd=HERE), clock=clock)

    def says(self, words: str) -> bool:
        """Whether some words stand above the keys of the list."""
        return words in self.notice()

    def headings(self) -> dict[str, ListHeading]:
        """The heading of each session, by its name."""
        return {row.session: row.heading for row in self.list.state.sessions}

    def under(self) -> str:
        """The name of the session under the cursor."""
        row = self.list.state.session_under
        return row.session if row is not None else ""


@pytest.fixture
def others(tmp_path: Path) -> Iterator[Callable[[float], Store]]:
    """Give the inbox as another process has it, at a time so many seconds ago."""
    opened = []

    def store(ago: float = 0.0) -> Store:
        opened.append(Store(tmp_path / "inbox.db", now=lambda: datetime.now(UTC) - timedelta(seconds=ago)))
        return opened[-1]

    yield store
    for one in opened:
        one.close()


def keep(store: Store, name: str, state: SessionState, line: str = "", **more: float | str) -> None:
    """Store a session as an earlier process left it, and Claude's record of it."""
    keep_record(f"id {name}")
    directory = str(more.get("directory", "/usr"))
    store.sessions.upsert(f"id {name}", directory, name=name, last_line=line, cost=float(more.get("cost", 0)))
    store.sessions.set_state(f"id {name}", state, "test")


async def open_sessions(pilot: Pilot[int], run: Listed, sessions: int) -> None:
    await press(pilot, "f5", then=lambda: isinstance(run.app.screen, SessionsScreen))
    await until(pilot, lambda: run.list.listing.all_read and len(list(run.list.state.sessions)) == sessions)


async def test_sessions_are_shown_found_marked_and_opened_by_keys(
    tmp_path: Path, others: Callable[[float], Store]
) -> None:
    store = others(0.0)
    keep(store, "Old idea", SessionState.ENDED)
    keep(store, "Killed", SessionState.WORKING)
    keep(store, "Gone", SessionState.FAILED, directory=str(tmp_path / "gone"))
    keep(store, "Deleted", SessionState.IDLE)
    keep_record("id Deleted").unlink()
    keep(store, "Parked", SessionState.PARKED)
    store.requests.add(asked_by("id Parked", "toolu_1"))
    keep(store, "Elsewhere", SessionState.WORKING)
    store.sessions.claim("id Elsewhere", Owner(os.getppid()))
    async with idle(Listed(tmp_path)) as (run, pilot):
        run.all[0].tell(ev.PromptAccepted("Here"))
        await open_sessions(pilot, run, 7)
        assert run.under() == "Here", "where the person comes from"
        assert run.headings() == {
            "Elsewhere": ListHeading.WORKING,
            "Parked": ListHeading.PARKED,
            "Here": ListHeading.IDLE,
            "Killed": ListHeading.FAILED,
            "Gone": ListHeading.FAILED,
            "Old idea": ListHeading.EARLIER,
            "Deleted": ListHeading.EARLIER,
        }
        without = run.list.state.with_rows([run.row("Here"), run.row("Parked")])
        assert without.on_earlier().session_under == run.row("Parked"), "of no earlier one, the parked one"
        # What happens here is seen at once, what another process does a moment later.
        run.all[0].tell(ev.StateChanged(ev.SessionState.WORKING))
        run.all[0].tell(
            ev.BlockFinished(ev.BlockKey("m", 0), ev.BlockKind.TEXT, "First.\n\nI read the store.")
        )
        await until(pilot, lambda: run.headings()["Here"] is ListHeading.WORKING)
        assert run.row("Here").last_line == "I read the store."
        store.requests.add(asked_by("id Elsewhere", "toolu_2"))
        await until(pilot, lambda: run.headings()["Elsewhere"] is ListHeading.NEEDS)
        run.all[0].tell(ended(0.25))
        run.all[0].tell(ev.StateChanged(ev.SessionState.IDLE))
        await until(pilot, lambda: run.headings()["Here"] is ListHeading.IDLE)

        # Groups are gone through by Tab, rows up and down, around either end.
        await pilot.press("home")
        assert run.under() == "Elsewhere"
        await pilot.press("k", "ctrl+n")
        assert run.under() == "Elsewhere"
        await pilot.press("tab", "j")
        assert isinstance(run.list.state.under, RequestRow)
        await pilot.press("h")
        assert run.under() == "Parked"
        await pilot.press("tab", "shift+tab", "shift+tab", "shift+tab")
        assert run.under() in ("Old idea", "Deleted"), "the first of the last group"

        # After / each letter finds.
        await pilot.press("slash", *"idl dea")
        assert [row.session for row in run.list.state.shown] == []
        await pilot.press("escape", "slash", *"old dea", "escape")
        await run.go(pilot, "Old idea")
        await press(pilot, "d", then=lambda: run.headings()["Old idea"] is ListHeading.DONE)
        assert run.under() == "Old idea"
        assert store.sessions.page()[0].id != "id Old idea", "marking is no change"
        await press(pilot, "d", then=lambda: run.headings()["Old idea"] is ListHeading.EARLIER)

        # What cannot be is said.
        for name, key, words in (
            ("Here", "x", "the only session here"),
            ("Deleted", "enter", "Ctrl+D removes it"),
            ("Old idea", "x", "It is not open here"),
        ):
            await run.go(pilot, name)
            await press(pilot, key, then=partial(run.says, words))
            assert len(run.all) == 1
        await run.go(pilot, "Killed")
        with patch.object(SessionManager, "let_in", AsyncMock(return_value=None)):
            await press(pilot, "r", then=lambda: run.says("you did not trust its directory"))
        store.sessions.claim("id Killed", Owner(os.getppid()))
        await press(pilot, "r", then=lambda: isinstance(run.app.screen, Picker))
        await press(pilot, "escape", then=lambda: run.says("was not started: it runs in another ccq-tui"))
        store.sessions.release("id Killed", Owner(os.getppid()))

        # What is gone is removed, once that is confirmed.
        await run.go(pilot, "Deleted")
        await press(pilot, "ctrl+d", then=lambda: run.says("Remove “Deleted” from the list?"))
        run.clock.skip(1.0)
        await press(pilot, "y", then=lambda: "Deleted" not in run.headings())
        assert store.sessions.get("id Deleted") is None

        # A failed one goes on behind, and the list stays; Enter shows one that rests.
        await run.go(pilot, "Killed")
        await until(pilot, lambda: run.headings()["Killed"] is ListHeading.FAILED)
        await press(pilot, "r", then=lambda: run.headings().get("usr") is ListHeading.IDLE)
        assert (len(run.all), run.launches[1].resume) == (2, "id Killed")
        assert run.app.sessions.front is run.app.sessions[0]
        await run.go(pilot, "Old idea")
        await press(pilot, "d", then=lambda: run.headings()["Old idea"] is ListHeading.DONE)
        await pilot.press("enter")
        await until(pilot, lambda: len(run.all) == 3 and run.app.sessions.front is run.app.sessions[2])
        await until(pilot, lambda: isinstance(run.app.screen, SessionScreen))
        assert run.launches[2].resume == "id Old idea"
        await until(pilot, lambda: not next(s for s in store.sessions.page() if s.id == "id Old idea").done)

        # Left by its own key; the session that was left has no list over it.
        await open_sessions(pilot, run, 6)
        await press(pilot, "f5", then=lambda: isinstance(run.app.screen, SessionScreen))
        await run.app.sessions.show(run.app.sessions[0])
        assert not next(s for s in store.sessions.page() if s.id == "id Old idea").done


def refuse(*_: object) -> None:
    raise InboxUnavailable("full")


async def test_a_session_of_this_terminal_is_asked_lost_and_left_for_another(tmp_path: Path) -> None:
    async with idle(Listed(tmp_path), size=(160, 50)) as (run, pilot):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(listing, "read_rows", refuse)
            patch.setattr(listing, "listed_ids", refuse)
            await open_sessions(pilot, run, 1)
            await until(pilot, lambda: "The inbox cannot be read: full" in run.notice())
            await press(pilot, "escape", then=lambda: isinstance(run.app.screen, SessionScreen))
        await open_sessions(pilot, run, 1)
        await until(pilot, lambda: "You are in the only session." in "\n".join(screen_lines(run.app)))
        await press(pilot, "n", then=lambda: "Space makes a name" in "\n".join(screen_lines(run.app)))
        await pilot.press("escape")
        await run.app.sessions.add_behind(run.launches[0])
        await until(pilot, lambda: len(list(run.list.state.sessions)) == 2)

        # The cursor stays with its session, wherever that goes.
        await pilot.press("home")  # the newest
        second = run.list.state.under
        run.all[1].tell(ev.StateChanged(ev.SessionState.AWAITING))
        run.all[1].tell(ev.RequestAsked(asked_by("s2", "toolu_1")))
        await until(pilot, lambda: run.waiting)
        under = run.list.state.under
        assert (under.key, under.heading) == (second.key, ListHeading.NEEDS)
        run.all[1].tell(ev.SessionLost("killed", expected=False, kind="killed"))
        await until(pilot, lambda: run.list.state.under.heading is ListHeading.FAILED)
        await press(pilot, "r", then=lambda: len(run.all) == 3)
        await until(pilot, lambda: run.list.state.under.heading is not ListHeading.FAILED)
        assert run.launches[2].settings.directory == HERE

        # Enter shows it, with what it asks.
        await press(pilot, "enter", then=lambda: run.app.sessions.front is run.app.sessions[1])
        await press(pilot, "f5", then=lambda: isinstance(run.app.screen, SessionsScreen))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(gate, "WORD", 60.0)  # "not" may be a word that somebody began to type
            await pilot.press("n", "o", "t")
        await press(pilot, "enter", then=lambda: AGAIN_OPENS in "\n".join(screen_lines(run.app)))
        assert len(run.app.sessions) == 2
        await pilot.press("enter")
        await until(pilot, lambda: len(run.app.sessions) == 3 and isinstance(run.app.screen, SessionScreen))
        await run.app.sessions.show(run.app.sessions[1])


DAY, HOUR = 86_400.0, 3_600.0
LOGIN = "Find out why the login takes so long"
OTHER = "Update the dependencies"
NOTES = "Write the release notes"
EARLIER = (
    (3.5 * DAY, "Move the build to the new runners", "ended", "All jobs are green.", "/usr"),
    (5.5 * HOUR, LOGIN, "parked", "Two ways are open, see above: caching it, or asking less often.", "/usr"),
    (2.5 * HOUR, OTHER, "working", "Now the tests of the client.", "/usr"),
    (9.5 * HOUR, "Rename the settings", "working", "I rename them file by file.", "/usr"),
    (6.5 * DAY, NOTES, "idle", "They are in CHANGELOG.md.", "/usr"),
    (4.5 * DAY, "説明を日本語で書く", "idle", "できました。", "/nowhere"),
)


def fill(others: Callable[[float], Store]) -> None:
    """Store sessions of every group."""
    for number, (ago, name, state, line, directory) in enumerate(EARLIER, 1):
        store = others(ago)
        keep(store, name, SessionState(state), line, directory=directory, cost=0.21 * number)
    for number in range(2):
        store.requests.add(asked_by(f"id {LOGIN}", f"toolu_{number}"))
    store.sessions.claim(f"id {OTHER}", Owner(os.getppid()))
    store.sessions.set_done(f"id {NOTES}", True, PANEL)


async def test_pictures(pictures: Pictures, tmp_path: Path, others: Callable[[float], Store]) -> None:
    clock = Clock()
    fill(others)
    async with idle(Listed(tmp_path, clock), size=(160, 50)) as (run, pilot):
        run.all[0].tell(ev.PromptAccepted("Make the list of bookmarks safe"))
        run.all[0].tell(ev.StateChanged(ev.SessionState.WORKING))
        run.all[0].tell(
            ev.BlockFinished(
                ev.BlockKey("m", 0), ev.BlockKind.TEXT, "I read the store. Two things are wrong."
            )
        )
        for name in ("Fix the flaky test of the queue", "Sort the imports"):
            await run.app.sessions.add_behind(run.launches[0])
            await until(pilot, lambda: run.app.sessions[-1].view.session_id)
            run.all[-1].tell(ev.PromptAccepted(name))
        run.all[1].tell(ev.StateChanged(ev.SessionState.AWAITING))
        run.all[1].tell(ev.RequestAsked(asked_by("s2", "toolu_9")))
        run.all[1].tell(
            ev.BlockFinished(ev.BlockKey("m", 0), ev.BlockKind.TEXT, "It fails when the clock goes back.")
        )
        run.all[1].tell(ended(0.61))
        await until(pilot, lambda: run.app.sessions[1].session.waiting)
        (opened,) = run.app.sessions[1].session.waiting
        opened.stored = replace(opened.stored, asked_at=datetime.now(UTC) - timedelta(seconds=90))
        clock.skip(185)
        await open_sessions(pilot, run, 8)
        await until(pilot, lambda: run.list.listing.all_read)
        await pictures.keep(pilot, "wide")
        await pilot.press("tab")
        await pilot.resize_terminal(80, 24)
        await pictures.keep(pilot, "usual")
        run.app.theme = "ccq-light"
        await pilot.press("slash", *"the")
        await pictures.keep(pilot, "found_in_light")
        await pilot.press("escape", "home")
        await pilot.resize_terminal(40, 12)
        await pictures.keep(pilot, "small")
        await press(pilot, "f4", "enter", then=lambda: run.list.panel)
        for name, size in (("answering", (80, 24)), ("answering_beside", (120, 36))):
            await pilot.resize_terminal(*size)
            await pictures.keep(pilot, name)


async def test_picture_of_a_first_session_without_colour(
    pictures: Pictures, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with idle(Listed(tmp_path, Clock())) as (run, pilot):
        await open_sessions(pilot, run, 1)
        await until(pilot, lambda: run.list.listing.all_read)
        await pictures.keep(pilot, "only_one")


def waiting(home: Path) -> NativeSession:
    """Make a native session that waits at a question, whose record is read here and never written."""
    session = NativeSession(home / ".claude")
    session.write(prompt("go"), says("Let me ask."), calls("toolu_1", "AskUserQuestion", ASKED))
    session.stands("waiting", seconds_ago=60)
    return session


async def test_a_native_session_is_listed_and_says_where_it_is_answered(tmp_path: Path, home: Path) -> None:
    session = waiting(home)
    record = session.path.read_bytes()
    async with running(Many(tmp_path, clock=Clock()), size=(100, 24)) as (run, pilot):
        await open_list(pilot, run, 1)
        (row,) = run.waiting
        place = run.list.state.session_under
        assert (place.place, place.session, place.directory, row.words) == (
            Place.NATIVE, "project · Claude Code in /work/project", "/work/project", "Which database?",
        )  # fmt: skip
        with step("no key answers, declines, parks or goes to it"):
            for key in ("right", "enter", "ctrl+d", "p", "d", "r"):
                await press(pilot, key, then=lambda: "It waits in Claude Code’s own screen" in run.notice())
                await press(pilot, "f1", "escape", then=lambda: isinstance(run.app.screen, SessionsScreen))
            assert run.list.panel is None
            assert run.list.question is None
        with step("it is copied"):
            await press(pilot, "c", then=lambda: "Which database?" in run.app.clipboard)
            assert "Question copied" in run.notice()
        with step("what a hook asks of the same call takes its place, and can be answered"):
            await run.app.runtime.inbox.run(lambda store: store.requests.add(row.stored.request))
            await until(
                pilot,
                lambda: [one.place for one in run.list.state.sessions if not one.ours] == [Place.FOREIGN],
            )
            await press(pilot, "f4", "right", then=lambda: run.list.panel)
            await press(pilot, "escape", then=lambda: run.list.panel is None)
            assert await state_of(run, row.key) is RequestState.PENDING
        with step("once the hook is gone and the question answered there, it is listed no longer"):
            run.app.runtime.inbox.withdraw(row.key, "over")
            session.write(ends("toolu_1", "done"))
            session.stands("busy")
            await until(pilot, lambda: run.waiting == [])
    assert session.path.read_bytes().startswith(record)


async def test_a_setting_leaves_native_sessions_out(tmp_path: Path, home: Path) -> None:
    waiting(home).stands("waiting", seconds_ago=30)
    off = Many(tmp_path, settings=Settings(cwd=tmp_path, native_sessions=False))
    async with off.app.run_test(size=(100, 24)) as pilot:
        await open_list(pilot, off, 0)
        assert [one.place for one in off.list.state.sessions] == [Place.HERE]

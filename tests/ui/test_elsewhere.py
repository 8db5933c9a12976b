"""A session that another ccq-tui runs is not taken away from it."""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from pathlib import Path

import pytest
from textual import events
from textual.pilot import Pilot

from ccq_tui.agent.events import Connected, HistoryLoaded, SessionLost, SessionState, StateChanged
from ccq_tui.agent.problems import Problem
from ccq_tui.agent.reader import EarlierSession
from ccq_tui.config.launch import Launch, ProgramArguments
from ccq_tui.config.settings import Settings
from ccq_tui.inbox.requests import QuestionRequest
from ccq_tui.inbox.store.rows import StoredSessionState
from ccq_tui.inbox.store.store import Store
from ccq_tui.processes import Owner
from ccq_tui.prompts.unread import directory_key
from ccq_tui.screens.pickers import Picker
from ccq_tui.screens.session import SessionScreen
from ccq_tui.screens.session.ui import ProgramAction
from ccq_tui.screens.sessions.trust_gate import TrustGate
from tests.ui.host import handled
from tests.ui.running import running
from tests.ui.session import Driven, asked, burst, kept_while_parked, keys_work, prompt_kept, until

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
    async with running(Driven(claimed(tmp_path))) as (run, pilot):
        await asked_about(pilot, run)
        await pilot.press("enter")
        await until(pilot, lambda: run.app.return_code == 0)
    assert run.launches == []


@pytest.mark.parametrize("forked", [False, True])
async def test_what_was_typed_before_it_was_asked_about_is_kept(
    tmp_path: Path, forked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    launch = replace(claimed(tmp_path), prompt="" if forked else "go on")
    run, typed, asks = Driven(launch), asyncio.Event(), TrustGate.alone

    async def asks_late(prompt: TrustGate, launch: Launch) -> Launch | None:
        await typed.wait()
        return await asks(prompt, launch)

    monkeypatch.setattr(TrustGate, "alone", asks_late)
    async with run.app.run_test(size=(80, 24)) as pilot:
        burst(run, "h")
        run.app.post_message(events.Paste("i"))
        await handled(run.app)
        typed.set()
        await asked_about(pilot, run)
        await pilot.press(*(("down", "enter") if forked else ("escape",)))
        if forked:
            await until(pilot, lambda: isinstance(run.app.screen, SessionScreen))
            await until(pilot, lambda: run.session_screen.dock.prompt.text == "hi")
        else:
            await until(pilot, lambda: run.app.return_code == 0)
            kept = prompt_kept(tmp_path, directory_key(tmp_path))
            assert kept.text == "go on\nhi"


async def test_a_copy_goes_on_and_no_key_takes_the_other_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def earlier(*_options: object) -> tuple[EarlierSession, ...]:
        return (EarlierSession("id-1", "api", 0.0, "", str(tmp_path)),)

    monkeypatch.setattr("ccq_tui.runtime.ownership.earlier_sessions", earlier)
    async with running(Driven(replace(claimed(tmp_path), resume="", continue_last=True))) as (run, pilot):
        await asked_about(pilot, run)
        await pilot.press("down", "enter")
        await until(pilot, lambda: isinstance(run.app.screen, SessionScreen))
        # The very session that was asked about, whichever is the newest by now.
        made = [(one.resume, one.continue_last, one.fork) for one in run.launches]
        assert made == [("id-1", False, True)]

        # From the list in the session the same is asked; Esc stays here.
        screen = run.session_screen
        wanted = replace(run.launches[0], fork=False)
        screen.view = replace(screen.view, session_id="")
        screen.post_message(ProgramAction("replace", screen.session, wanted))
        await asked_about(pilot, run)
        await pilot.press("escape")
        await until(pilot, lambda: run.app.screen is screen)
        assert len(run.launches) == 1
        run.told.tell(Connected("id-1", "claude-x", "default", "/work"))

        # What is open in this terminal is shown, not opened twice.
        await until(pilot, lambda: screen.view.session_id == "id-1")
        screen.post_message(ProgramAction("replace", screen.session, wanted))
        await until(pilot, lambda: "open here already" in screen.dock.notices.text)

        # Parked here and resumed over there meanwhile: the start is lost, and the answer theirs to deliver.
        run.told.tell(HistoryLoaded((), cut=False))
        run.told.tell(StateChanged(SessionState.AWAITING))
        run.told.tell(asked())
        await keys_work(run, pilot)
        run.told.tell(StateChanged(SessionState.PARKED))
        await until(pilot, lambda: screen.view.state is SessionState.PARKED)
        await pilot.press("1", "enter")
        asking = run.told
        await kept_while_parked(run, pilot)
        await until(pilot, lambda: run.told is not asking)
        run.told.tell(StateChanged(SessionState.PARKED))
        run.told.tell(SessionLost("process 7 runs it", expected=True, kind=Problem.RUNS_ELSEWHERE))
        await until(pilot, lambda: "has your answer" in screen.dock.notices.text)
        assert screen.view.state is SessionState.PARKED, "it is tried again with the next prompt"

        # The key that helps asks the same, and this time it goes on here once it is parked there.
        await pilot.press("f6")
        await asked_about(pilot, run)
        store = Store(tmp_path / "inbox.db")
        store.requests.add(QuestionRequest("toolu_other", "id-1", asked().request.questions))
        await pilot.press("down", "down", "enter")
        await until(pilot, lambda: bool(store.commands.open()))
        assert store.commands.take(store.commands.open()[0].number, OTHER)
        store.sessions.set_state("id-1", StoredSessionState.PARKED, "test")
        store.sessions.release("id-1", OTHER)
        store.close()
        await until(pilot, lambda: len(run.launches) == 3)
        assert (run.launches[2].resume, run.launches[2].fork) == ("id-1", False)

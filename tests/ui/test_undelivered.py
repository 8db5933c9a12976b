"""An answer that was confirmed and never reached the agent is not forgotten."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ccq_tui.config.settings import Settings
from ccq_tui.inbox.store.rows import StoredSessionState
from ccq_tui.inbox.store.store import Store
from ccq_tui.processes import Owner, this_process
from ccq_tui.questions import Answer, Answered
from ccq_tui.screens.inbox.screen import InboxScreen
from ccq_tui.screens.overview.screen import OverviewScreen
from tests.actors import PANEL
from tests.steps import step
from tests.ui.inboxed import Many, keep_record, open_inbox, request_of
from tests.ui.running import running
from tests.ui.session import until
from tests.ui.test_commands import notices


def answered_and_killed(where: Path, session_id: str, owner: Owner) -> None:
    """Leave an answer whose program was killed before the agent had it."""
    keep_record(session_id)
    store = Store(where / "inbox.db")
    store.sessions.upsert(session_id, str(where), name=f"api {session_id}")
    store.sessions.set_state(session_id, StoredSessionState.AWAITING, "asked")
    store.sessions.claim(session_id, owner)
    request = request_of(session_id)
    store.requests.add(request)
    store.requests.settle(request.id, Answered((Answer(("First",)),)), PANEL)
    store.close()


async def test_it_is_named_at_the_start_and_counted_in_inbox_and_overview(tmp_path: Path) -> None:
    answered_and_killed(tmp_path, "old", Owner(2**22 + 1))
    answered_and_killed(tmp_path, "runs", this_process())
    async with running(Many(tmp_path), size=(100, 30)) as (run, pilot):
        assert run.app.runtime.inbox.pending == ()  # as the first real session does, this opens it
        await until(pilot, lambda: run.app.sessions and "not reached Claude" in notices(run))
        said = notices(run)
        assert "1 answer has not reached Claude: api old · it goes there once its session" in said
        assert "api runs" not in said, "there it is on its way"

        await open_inbox(pilot, run, 0)
        title = run.inbox_screen.query_one("#inbox-title")
        await until(pilot, lambda: "1 answer not delivered (F5)" in str(title.render()))
        await pilot.press("escape")
        await pilot.press("f5")
        await until(pilot, lambda: isinstance(run.app.screen, OverviewScreen))
        overview = run.app.screen
        await until(pilot, lambda: badges(overview).get("old") == "→ 1")
        assert badges(overview)["runs"] == ""


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
        words = "1 request waits elsewhere · F4 goes there"
        await until(pilot, lambda: words in notices(run))
        assert run.session_screen.around.waiting_beside == 1, "the status line counts what the key reaches"
        await pilot.press("f4")
        await until(pilot, lambda: isinstance(run.app.screen, InboxScreen) and run.inbox_screen.state.rows)
        assert [row.session_id for row in run.inbox_screen.state.rows] == ["old"]


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
        said = notices(run)
        if fork:
            assert "2 requests wait elsewhere · F4 goes there" in said
            assert "2 answers have not reached Claude: api old, api older" in said
        else:
            assert "1 request waits elsewhere · F4 goes there" in said
            assert "1 answer has not reached Claude: api older" in said


def badges(overview: OverviewScreen) -> dict[str, str]:
    return {card.session_id: card.badge for card in overview.state.rows}

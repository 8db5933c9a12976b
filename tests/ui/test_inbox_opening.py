"""What happens in other processes while a request is about to be answered in the inbox screen."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from textual.geometry import Offset

from ccq_tui.inbox.draft import first_draft
from ccq_tui.inbox.open_request import OpenRequest
from ccq_tui.inbox.port import DraftUpdated, InboxChange
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.verdicts import Won
from ccq_tui.questions import Answer, Answered
from ccq_tui.questions.state import PanelState
from ccq_tui.widgets.question import QuestionPanel
from tests.actors import COMMAND, PHONE
from tests.steps import step
from tests.ui.inboxed import one_waits
from tests.ui.session import until
from tests.unit.inbox.made import save_draft


@pytest.mark.parametrize("news", ["settled", "changed"])
async def test_what_happens_elsewhere_while_a_panel_opens_is_not_missed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, news: str
) -> None:
    async with one_waits(tmp_path) as (run, pilot, request):
        inbox, screen = run.app.runtime.inbox, run.inbox_screen
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
            assert await inbox.answer(request.id, Answered((Answer(("First",)),)), COMMAND) == Won()
            await until(pilot, lambda: not screen.state.rows)
            shown.set()
            with step("no panel opens for it, it is said who answered, and what was typed is there"):
                await until(pilot, lambda: screen.field.text == "typed")
                assert screen.panel is None
                assert "Already answered by ccq-tui answer at" in run.said()
        else:
            theirs = first_draft(request)
            assert isinstance(theirs, PanelState)
            (page,) = theirs.pages
            noted = replace(theirs, pages=(replace(page, draft=replace(page.draft, note="mind this")),))
            heard: list[InboxChange] = []
            inbox.subscribe(heard.append)
            other = Store(tmp_path / "inbox.db")
            save_draft(other, request.id, noted, PHONE)
            other.close()
            await until(pilot, lambda: any(isinstance(change, DraftUpdated) for change in heard))
            shown.set()
            with step("it opens with the newer draft"):
                await until(pilot, lambda: screen.panel is not None)
                assert isinstance(screen.panel, QuestionPanel)
                assert screen.panel.state.pages[0].draft.note == "mind this"


async def test_a_request_is_settled_elsewhere_while_it_is_asked_whether_to_decline_it(tmp_path: Path) -> None:
    async with one_waits(tmp_path) as (run, pilot, request):
        await pilot.press("ctrl+d")
        await until(pilot, lambda: "Decline “Which one for old?”?" in run.said())
        verdict = await run.app.runtime.inbox.answer(request.id, Answered((Answer(("First",)),)), COMMAND)
        assert verdict == Won()
        await until(pilot, lambda: "Already answered by ccq-tui answer at" in run.said())
        await pilot.pause()
        assert "Esc back" in run.hints()
        assert "decline" not in run.hints()


async def test_a_click_that_opens_a_request_takes_back_the_question_whether_to_decline_it(
    tmp_path: Path,
) -> None:
    async with one_waits(tmp_path) as (run, pilot, _):
        screen = run.inbox_screen
        await pilot.press("ctrl+d")
        await until(pilot, lambda: "Decline “" in run.said())
        where = screen.body.list_view.region
        row = next(
            y
            for y in range(where.height)
            if screen.body.list_view.row_on_screen(Offset(where.x + 5, where.y + y)) == 0
        )
        await pilot.click(offset=(where.x + 5, where.y + row))
        await until(pilot, lambda: screen.panel is not None)
        await pilot.pause()
        assert "Decline" not in run.said()
        assert screen.declining is None

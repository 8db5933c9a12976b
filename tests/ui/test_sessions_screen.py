"""The list of sessions: what waits in all of them, answered where it is listed."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from textual import events
from textual.pilot import Pilot

from ccq_tui.agent.events import PromptAccepted
from ccq_tui.config.launch import ProgramArguments
from ccq_tui.inbox.draft import first_draft
from ccq_tui.inbox.place import Place
from ccq_tui.inbox.requests import (
    Allowed,
    Denied,
    PermissionRequest,
    PlanRequest,
    QuestionRequest,
    RequestOutcome,
)
from ccq_tui.inbox.store.rows import CommandState, RequestState, StoredDraft, StoredRequest
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.verdicts import Accepted
from ccq_tui.input import gate
from ccq_tui.input.gate import HELD
from ccq_tui.input.keys import KeyPlace, actions_at
from ccq_tui.questions import Answer, Answered, Declined
from ccq_tui.questions.state import Draft
from ccq_tui.runtime.session import NOTHING_WAITS
from ccq_tui.screens.help import HelpScreen
from ccq_tui.screens.session import SessionScreen
from ccq_tui.screens.sessions.model import NEW_ROW, UNSTORED, RequestRow, SessionRow, request_row
from ccq_tui.screens.sessions.screen import SessionsScreen
from ccq_tui.widgets.lines import TextLines
from ccq_tui.widgets.question.parts import unseen_words
from tests.actors import COMMAND, INBOX, PHONE
from tests.steps import step
from tests.ui.host import Clock, press_later
from tests.ui.inboxed import (
    Many,
    keep_record,
    left_behind,
    one_waits,
    open_by_key,
    open_list,
    park_commanded,
    request_of,
    state_of,
    stored_as,
)
from tests.ui.session import idle, panel_drawn, press, running, until
from tests.ui.test_question_layouts import HERE as LAYOUTS
from tests.ui.test_question_layouts import set_of


async def test_six_sessions_that_ask_at_once_are_answered_without_leaving_the_foreground(
    tmp_path: Path,
) -> None:
    async with running(Many(tmp_path), size=(100, 30)) as (run, pilot):
        front = run.session_screen
        for _ in range(6):
            await run.app.sessions.add_behind(run.app.sessions[0].launch)
        await until(pilot, lambda: all(screen.view.session_id for screen in run.app.sessions))
        assert run.app.sessions.front is front
        front.dock.prompt.put("half a thought")
        asking = [asyncio.ensure_future(session.ask_person()) for session in run.all[1:]]
        await until(pilot, lambda: front.around.waiting_beside == 6)
        assert "? 6 elsewhere" in str(front.query_one("StatusLine").render())

        await open_list(pilot, run, 6)
        for number in range(6):
            row = run.list.state.under
            assert isinstance(row, RequestRow)
            await press(pilot, "enter", then=lambda: run.list.panel)
            assert run.list.details.row == row
            assert str(run.list.details.view.lines[0].text) == f"● I looked around in {row.session_id}."
            await pilot.press(str(number % 3 + 1), "enter")
            left = 5 - number
            await until(pilot, lambda left=left: len(run.waiting) == left)
            chosen = ("First", "Second", "Third")[number % 3]
            session = next(one for one in run.all if one.name == row.session_id)
            await until(pilot, lambda session=session: session.outcomes)
            assert session.outcomes == [Answered((Answer((chosen,)),))]
        await asyncio.gather(*asking)
        assert [len(session.outcomes) for session in run.all] == [0, 1, 1, 1, 1, 1, 1]
        await until(pilot, lambda: "continues" in run.notice())

        await press(pilot, "escape", then=lambda: run.app.screen is front)
        assert front.dock.prompt.text == "half a thought"
        assert front.dock.prompt.field.has_focus
        await until(pilot, lambda: front.around.waiting_beside == 0)


async def test_an_answer_for_a_session_without_a_process_starts_it_behind_the_one_shown(
    tmp_path: Path,
) -> None:
    async with one_waits(tmp_path) as (run, pilot, request):
        front = run.session_screen
        await press(pilot, "a", then=lambda: run.list.panel)
        # What is typed and left is there again, on the disk as well.
        await press(pilot, "o", "m", "i", "n", "e", "escape", "escape", then=lambda: run.list.panel is None)
        await press(pilot, "a", then=lambda: run.list.panel)
        assert run.list.panel is not None
        await press(pilot, "enter", then=lambda: len(run.all) == 2)
        assert run.launches[1].resume == "old"
        assert (await stored_as(run, request.id)).outcome == Answered((Answer((), "mine"),))
        await until(pilot, lambda: "in the background" in run.notice())
        assert run.app.sessions.front is front
        await until(pilot, lambda: run.app.sessions[1].view.session_id == "old")


async def test_an_answered_session_keeps_the_cursor_and_is_named_in_short(tmp_path: Path) -> None:
    run = Many(tmp_path)
    async with run.app.run_test(size=(80, 24)) as pilot:
        request = await left_behind(run, tmp_path)
        first = first_draft(request).with_page(cursor=1, draft=Draft((1,), note="as ever"))
        draft = StoredDraft(request, first, COMMAND, -1)

        def keep(store: Store) -> None:
            store.drafts.save_all([draft])
            store.sessions.upsert(
                "old", name="Ask me with your question tool where the data are, then write it"
            )

        await run.app.runtime.inbox.run(keep)
        await open_list(pilot, run, 1)
        details = run.list.details.view
        await until(pilot, lambda: "✎ as ever" in "\n".join(line.text.plain for line in details.lines))
        assert any(line.text.plain.strip().startswith("● 2  Second") for line in details.lines)
        await press(pilot, "enter", then=lambda: run.list.panel)
        await press(pilot, "enter", then=lambda: len(run.all) == 2)
        words = "Answered · “Ask me with your question tool…” starts in the background"
        await until(pilot, lambda: run.notice() == words)
        under = run.list.state.under
        assert isinstance(under, SessionRow)
        assert (under.session_id, under.requests) == ("old", ())
        rule = run.list.details.query(TextLines).first()
        assert " ready " in str(rule.render())
        await run.app.runtime.inbox.run(lambda store: store.requests.mark_delivered(request.id, "sent"))
        await until(pilot, lambda: run.notice() == "")
        await press(pilot, "end", then=lambda: run.list.state.under is NEW_ROW)
        assert str(rule.render()) == ""


async def test_enter_goes_to_the_session_and_resumes_one_that_rests(tmp_path: Path) -> None:
    async with running(Many(tmp_path), size=(80, 24)) as (run, pilot):
        await left_behind(run, tmp_path)
        run.session_screen.dock.prompt.put("half a thought")
        for expected in (2, 2):  # resumed first, then only shown
            await open_list(pilot, run, 1)
            await press(pilot, "left", "enter", then=lambda: isinstance(run.app.screen, SessionScreen))
            await until(pilot, lambda: run.app.sessions.front is run.app.sessions[-1])
            await until(pilot, lambda: run.app.sessions[-1].view.session_id == "old")
            assert len(run.all) == expected
            await run.app.sessions.show(run.app.sessions[0])
            await until(pilot, lambda: run.app.sessions.front is run.app.sessions[0])
        # One in which nothing was sent or typed gives way to it.
        run.session_screen.dock.prompt.put("")
        await left_behind(run, tmp_path, "older")
        await open_list(pilot, run, 2)
        await run.go(pilot, run.row_of("older").session)
        await press(pilot, "enter", then=lambda: len(run.all) == 3 and run.all[0].closed)
        await until(pilot, lambda: len(run.app.sessions) == 2)


async def test_the_details_of_a_session_show_the_end_of_its_conversation(tmp_path: Path) -> None:
    async with idle(Many(tmp_path), size=(80, 24)) as (run, pilot):
        text = "\n".join(f"line {number}" for number in range(40))
        run.all[0].tell(PromptAccepted(text, prompt_id="p"))
        await open_list(pilot, run, 0)
        await until(pilot, lambda: "line 39" in screen_text(run))
        await press(pilot, "ctrl+up", then=lambda: "line 39" not in screen_text(run))
        await until(pilot, lambda: "more line" in screen_text(run))


@pytest.mark.parametrize("size", [(80, 24), (160, 50)])
async def test_a_panel_is_docked_below_its_session_or_beside_the_list(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with running(Many(tmp_path, clock=Clock()), size=size) as (run, pilot):
        await left_behind(run, tmp_path, questions=set_of(3))
        await open_list(pilot, run, 1)
        await press(pilot, "enter", then=lambda: run.list.panel and "Esc back" in screen_text(run))
        shown = [line.rstrip() for line in screen_text(run).splitlines()]
        assert shown[0].startswith("─ Sessions ─ 1 waits ─ 2 sessions ─")
        if size[0] < 120:
            panel = (LAYOUTS / "set3-80x24.txt").read_text(encoding="utf-8")
            expected = panel.replace("Esc hide", "Esc back").splitlines()
            assert shown[1].startswith("   ◇    test_a_panel")
            assert shown[2] == "   ● Before it."
            assert [line.replace("▎", " ").rstrip() for line in shown[-len(expected) :]] == expected
        else:
            assert shown[3].startswith(" ›   ?  Which layout should the bookmarks page have?")
            assert {line[64:65] for line in shown[1:]} == {"│"}
            assert shown[-1][65:].startswith(" Enter send Sidebar · o other · n note · Esc back")


async def test_a_question_whose_session_is_gone_says_so_and_is_copied(tmp_path: Path) -> None:
    async with running(Many(tmp_path), size=(80, 24)) as (run, pilot):
        await left_behind(run, tmp_path / "gone")
        await open_list(pilot, run, 1)
        for key, words in (("right", "Its session is gone"), ("enter", "Its session is gone")):
            await press(pilot, key, then=lambda words=words: words in run.notice())
            assert run.list.panel is None
        await press(pilot, "c", then=lambda: "Which one for old?" in run.app.clipboard)
        assert len(run.all) == 1
        # The same holds for one that was deleted in Claude Code.
        await left_behind(run, tmp_path, "deleted")
        await until(pilot, lambda: len(run.waiting) == 2)
        assert run.row_of("deleted").place is Place.RESTS
        keep_record("deleted").unlink()
        await press(pilot, "escape", then=lambda: run.app.screen is run.session_screen)
        await open_list(pilot, run, 2)
        assert run.row_of("deleted").place is Place.NO_RECORD
        # Declined, nothing waits in it any more; then it is removed.
        await pilot.press("end", "home")
        await run.go(pilot, run.row_of("deleted").session)


async def test_rows_are_found_and_kept_fresh(tmp_path: Path) -> None:
    async with running(Many(tmp_path), size=(80, 24)) as (run, pilot):
        for name in ("red", "blue"):
            (tmp_path / name).mkdir()
            await left_behind(run, tmp_path / name, name)
        await open_list(pilot, run, 2)
        another = request_of("red", "toolu_more")
        await run.app.runtime.inbox.run(lambda store: store.requests.add(another))
        await until(pilot, lambda: len(run.waiting) == 3)
        assert [row.session_id for row in run.waiting] == ["red", "red", "blue"]
        await pilot.press("slash", "b", "l", "u", "e")
        assert [row.session_id for row in run.waiting] == ["blue"]
        await pilot.press("escape")
        assert len(run.waiting) == 3
        await press(pilot, "p", then=lambda: "“blue” is paused already: 1 request waits" in run.notice())
        await press(pilot, "f2", then=lambda: isinstance(run.app.screen, SessionScreen))


async def test_f2_twice_goes_from_a_panel_to_the_inbox(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gate, "AGAIN", 9.0)  # two presses may take long; below it skips more
    async with idle(Many(tmp_path), size=(80, 24)) as (run, pilot):
        assert await park_commanded(run, "s1") == (CommandState.REFUSED, NOTHING_WAITS)
        asked = asyncio.ensure_future(run.all[0].ask_person())
        await until(pilot, lambda: panel_drawn(run.session_screen))
        assert not run.all[0].parked
        assert await park_commanded(run, "s1") == (CommandState.TAKEN, "")
        assert run.all[0].parked
        assert run.all[0].cause == "asked for by script"
        await press(pilot, "f2", "f2", then=lambda: isinstance(run.app.screen, SessionsScreen))
        await until(pilot, lambda: len(run.waiting) == 1)
        await press(pilot, "escape", then=lambda: isinstance(run.app.screen, SessionScreen))
        # Hidden to write something, it is shown by the same key.
        await pilot.press("f2", "f2", "x", "f2")
        panel = run.session_screen.dock.panel
        assert panel is not None
        await until(pilot, lambda: not panel.state.hidden)
        await open_by_key(pilot, run)
        # What is selected here is selected in the session's own panel.
        await press(pilot, "right", then=lambda: run.list.panel)
        await press(pilot, "2", "escape", "escape", then=lambda: isinstance(run.app.screen, SessionScreen))
        dock = run.session_screen.dock
        assert dock.panel.state.has_draft
        # Going there by Enter shows its panel, hidden or not.
        run.clock.skip(10)
        await open_by_key(pilot, run)
        await press(pilot, "left", "enter", then=lambda: dock.panel and not dock.panel.state.hidden)
        asked.cancel()
        await asyncio.gather(asked, return_exceptions=True)


async def test_what_the_disk_refused_is_listed_and_answered_from_memory(tmp_path: Path) -> None:
    (tmp_path / "inbox.db").mkdir()
    async with idle(Many(tmp_path), size=(80, 24)) as (run, pilot):
        await run.app.sessions.add_behind(run.app.sessions[0].launch)
        await until(pilot, lambda: run.app.sessions[1].view.session_id)
        asking = asyncio.ensure_future(run.all[1].ask_person())
        await until(pilot, lambda: run.app.runtime.inbox.of("s2"))
        await press(pilot, "a", "enter", "b", "enter", then=lambda: run.all[0].sent == ["a", "b"])
        transcript = run.session_screen.transcript
        await until(pilot, lambda: transcript.text().count("cannot be saved for the next start") == 1)
        await open_list(pilot, run, 1)
        assert run.row_of("s2").place is Place.HERE
        assert "The inbox cannot be read" in run.notice()
        another = asyncio.ensure_future(run.all[0].ask_person())
        await until(pilot, lambda: len(run.waiting) == 2)
        assert "I looked around in s2." in "".join(line.text.plain for line in run.list.details.view.lines)
        await press(pilot, "a", then=lambda: run.list.panel)
        await press(
            pilot, "2", "enter", then=lambda: run.all[1].outcomes == [Answered((Answer(("Second",)),))]
        )
        await asking
        another.cancel()
        await asyncio.gather(another, return_exceptions=True)


async def test_the_inbox_alone_starts_a_session_for_an_answer_and_none_before(tmp_path: Path) -> None:
    run = Many(tmp_path, program=ProgramArguments(inbox=True, flags={}), notices=("The theme is not there",))
    async with run.app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(run.app.screen, SessionsScreen))
        assert "The theme is not there" in run.notice()
        await left_behind(run, tmp_path)
        (tmp_path / "other").mkdir()
        (tmp_path / "other/.ccq-tui.toml").write_text("theme = 1", encoding="utf-8")
        await left_behind(run, tmp_path / "other", "other")
        await until(pilot, lambda: len(run.waiting) == 2)
        assert "Esc leave" in run.hints()
        # A session that cannot be opened is said, and the list is there again.
        await run.go(pilot, run.row_of("other").session)
        await pilot.press("enter")
        await until(
            pilot, lambda: isinstance(run.app.screen, SessionsScreen) and "not started in" in run.notice()
        )
        assert run.launches == []
        await until(pilot, lambda: run.waiting)
        await press(pilot, "a", then=lambda: run.list.panel)
        await press(pilot, "1", "enter", then=lambda: [launch.resume for launch in run.launches] == ["old"])
        await until(pilot, lambda: "in the background" in run.notice())
        assert "Esc to the session" in run.hints()
        await press(pilot, "q", then=lambda: run.app.sessions.front is run.app.sessions[0])
        assert "Ctrl+Q ends all" in run.session_screen.dock.notices.text


async def test_leaving_the_inbox_alone_ends_the_program_with_the_answer_on_disk(tmp_path: Path) -> None:
    async with running(Many(tmp_path, program=ProgramArguments(inbox=True)), size=(80, 24)) as (run, pilot):
        await until(pilot, lambda: isinstance(run.app.screen, SessionsScreen))
        await left_behind(run, tmp_path)
        await until(pilot, lambda: run.waiting)
        # After "/" every letter is one to find, those that are keys as well.
        await pilot.press("slash", "q", "x")
        assert run.list.state.filter == "qx"
        await press(pilot, "escape", "ctrl+c", then=lambda: run.app.return_code == 0)
    assert run.launches == []


async def test_a_question_is_declined_lost_to_others_and_found_among_a_thousand(tmp_path: Path) -> None:
    clock = Clock()
    async with one_waits(tmp_path, clock) as (run, pilot, request):
        with step("F1 lists the keys, and each of them means something"):
            await each_key_that_f1_lists_means_something(run, pilot)
        with step("declining asks once, and any other key keeps the question"):
            await declining_asks_once(run, pilot, request, clock)
        with step("who is too late is told who answered, and keeps what was typed"):
            await who_is_too_late_is_told(run, pilot, await another(run, pilot, tmp_path, "late"))
        with step("who loses against another process is told so, and copies what was chosen"):
            request = await another(run, pilot, tmp_path, "lost")
            await who_loses_is_told(run, pilot, request, tmp_path / "inbox.db")
        with step("a thousand are gone through and found"):
            await a_thousand_are_gone_through(run, pilot)


async def another(run: Many, pilot: Pilot[int], where: Path, name: str) -> QuestionRequest:
    """Let another question be the only one that is listed."""
    request = await left_behind(run, where, name)
    await until(pilot, lambda: [row.session_id for row in run.waiting] == [name])
    return request


async def each_key_that_f1_lists_means_something(run: Many, pilot: Pilot[int]) -> None:
    screen = run.list
    await press(pilot, "f1", then=lambda: isinstance(run.app.screen, HelpScreen))
    rows = run.app.screen.state.shown
    assert rows[0].group == "Sessions"
    assert "Mark it as done, or as not done" in {row.description for row in rows}
    await press(pilot, "escape", then=lambda: run.app.screen is screen)
    leaves = {"right", "a", "l", "enter", "escape", "q", "f2", "f5", "ctrl+c", "slash", "n"}
    starts = {"r"}  # the session under the cursor, to which the next step would be delivered at once
    for key in sorted(actions_at(KeyPlace.SESSIONS).keys() - leaves - starts - {"letters"}):
        await pilot.press(key)
        assert screen.field.text == "", key
        if screen.question is not None:
            await pilot.press("escape")
    # A letter that is no key finds.
    await pilot.press("z")
    assert screen.state.filter == "z"
    await pilot.press("escape")
    assert screen.state.filter == ""


async def declining_asks_once(run: Many, pilot: Pilot[int], request: QuestionRequest, clock: Clock) -> None:
    await press_later(pilot, "f4", "right")
    # Sooner, the digit begins own words, which Esc leaves first.
    await until(pilot, lambda: run.list.panel and run.list.panel.keys.face.shown_at is not None)
    await press(pilot, "2", "escape", then=lambda: run.list.panel is None)
    await pilot.press("ctrl+d", "ctrl+d")  # before anybody can have read what is asked
    assert "Ctrl+D again declines it" in run.hints()
    assert "Decline “Which one for old?”?" in run.notice()
    assert await state_of(run, request.id) is RequestState.PENDING
    await pilot.press("n")
    assert "Decline" not in run.notice()
    await press_later(pilot, "ctrl+d", "y")
    assert "y again declines it" in run.hints()
    assert "Decline “Which one for old?”?" in run.notice()
    assert await state_of(run, request.id) is RequestState.PENDING
    clock.skip_grace()
    await press(pilot, "f1", then=lambda: isinstance(run.app.screen, HelpScreen))
    clock.skip(5.0)
    for key in ("escape", "y"):  # in one burst: before the list is seen again
        run.app.post_message(events.Key(key, None if key == "escape" else key))
    await until(pilot, lambda: isinstance(run.app.screen, SessionsScreen))
    await pilot.pause()
    assert "Decline “Which one for old?”?" in run.notice()
    assert await state_of(run, request.id) is RequestState.PENDING
    clock.skip_grace()
    await press(pilot, "y", then=lambda: run.waiting == [])
    stored = await stored_as(run, request.id)
    assert (stored.outcome, stored.actor) == (Declined(), INBOX)
    # What it says of that must not come in the middle of the next step.
    await until(pilot, lambda: "in the background" in run.notice())
    await pilot.press("f8")
    assert "Second" in run.app.clipboard


async def who_is_too_late_is_told(run: Many, pilot: Pilot[int], request: QuestionRequest) -> None:
    await press(pilot, "f4", "right", then=lambda: run.list.panel)
    await pilot.press("o", "m", "i", "n", "e")
    await run.app.runtime.inbox.settle(request.id, Declined(), PHONE)
    await until(pilot, lambda: run.list.panel is None)
    assert "“Which one for late?” was answered on phone" in run.notice()
    await pilot.press("f8")
    assert "mine" in run.app.clipboard


async def who_loses_is_told(run: Many, pilot: Pilot[int], request: QuestionRequest, database: Path) -> None:
    started = len(run.all)
    await press(pilot, "f4", "right", then=lambda: run.list.panel)
    await pilot.press("2")
    screen = run.list
    panel = screen.panel
    # Confirmed here and there in the same moment: nobody has told this process yet.
    other = Store(database)
    assert isinstance(other.requests.settle(request.id, Declined(), COMMAND), Accepted)
    other.close()
    assert panel.opened is not None
    panel.host.settle(panel.opened, Answered((Answer(("Second",)),)))
    await until(pilot, lambda: "Already answered by ccq-tui answer at" in run.notice())
    assert run.waiting == []
    assert len(run.all) == started, "no session for an answer that lost"
    await pilot.press("f8")
    assert "Second" in run.app.clipboard
    assert (await stored_as(run, request.id)).outcome == Declined()


async def a_thousand_are_gone_through(run: Many, pilot: Pilot[int]) -> None:
    def row(number: int) -> RequestRow:
        request = request_of(f"s{number % 40}", f"t{number}")
        return request_row(StoredRequest(number, request, "", RequestState.PENDING, datetime.now(UTC)))

    # Given to the screen alone: a disk takes a while to sync a thousand of them.
    requests = [row(number) for number in range(1000)]
    run.list.listing.stored = {
        f"s{at}": replace(
            UNSTORED, key=f"s{at}", session_id=f"s{at}", session=f"s{at}", requests=requests[at::40]
        )
        for at in range(40)
    }
    run.list.put_together()
    await pilot.press("end", "pageup", *"s17")
    assert run.list.state.filter == "s17"
    assert {one.session_id for one in run.waiting} == {"s17"}


PLAN = "\n".join(f"{n}. Do the step number {n}" for n in range(1, 61))


@asynccontextmanager
async def decision_waits(
    where: Path, request: PermissionRequest | PlanRequest, size: tuple[int, int]
) -> AsyncIterator[tuple[Many, Pilot[int], asyncio.Future[RequestOutcome], Clock]]:
    """Show the inbox with a permission or a plan that a running session waits for, and open its panel."""
    async with idle(Many(where, clock=(clock := Clock())), size=size) as (run, pilot):
        outcome = asyncio.ensure_future(run.app.runtime.inbox.ask(request, "Before it.\n" * 30))
        await open_list(pilot, run, 1)
        await press(pilot, "enter", then=lambda: run.list.panel and run.list.panel.has_focus)
        clock.skip(2)
        yield run, pilot, outcome, clock


def unseen(run: Many) -> tuple[int, bool]:
    return run.list.details.view.flow.unseen(), run.list.details.view.flow.goes_on


def screen_text(run: Many) -> str:
    return "\n".join(strip.text for strip in run.app.screen._compositor.render_strips())


@pytest.mark.parametrize("size", [(80, 24), (160, 50)])
@pytest.mark.parametrize("seen", [False, True])
async def test_a_plan_is_read_in_the_inbox_before_it_is_approved_there(
    tmp_path: Path, size: tuple[int, int], seen: bool
) -> None:
    plan = PlanRequest("toolu_plan", "s1", PLAN)
    async with decision_waits(tmp_path, plan, size) as (run, pilot, outcome, clock):
        panel = run.list.panel
        assert panel is not None
        await until(pilot, lambda: "more lines · PgDn" in screen_text(run))
        shown = [n for n in range(1, 61) if f" {n}. Do the step number {n} " in screen_text(run)]
        assert shown == list(range(1, len(shown) + 1)), "its head is in view"
        assert shown
        await until(pilot, lambda: unseen(run) == (60 - len(shown), False))
        if seen:
            while unseen(run)[0]:
                await pilot.press("pagedown")
                await pilot.pause()
            assert "60. Do the step number 60" in screen_text(run)
        await pilot.press("y")
        if not seen:
            await until(pilot, lambda: "y again approves" in unseen_words(panel.state))
            assert f"{unseen(run)[0]} " in unseen_words(panel.state)
            assert not outcome.done()
            clock.skip(1)
            await pilot.press("y")
        async with asyncio.timeout(10):
            decided = await outcome
        assert isinstance(decided, Allowed)
        assert decided.mode == "default"


async def test_a_permission_is_seen_in_the_inbox_before_it_is_allowed_there(tmp_path: Path) -> None:
    command = "make test" + "\nmake" * 60 + "\nrm -rf ~/important"
    request = PermissionRequest("toolu_run", "s1", "Bash", {"command": command})
    async with decision_waits(tmp_path, request, (80, 24)) as (run, pilot, outcome, clock):
        await until(pilot, lambda: "more lines · Space" in screen_text(run))
        await press(pilot, "y", then=lambda: "y again allows" in screen_text(run))
        assert not outcome.done()
        clock.skip(1)
        await pilot.press("y")
        async with asyncio.timeout(10):
            assert await outcome == Allowed()


def in_one_go(run: Many, *keys: str) -> None:
    """Press keys as a terminal sends them that was not read for a moment."""
    for key in keys:
        run.app.post_message(events.Key(key, key if len(key) == 1 else None))


async def test_no_key_decides_in_a_panel_that_was_opened_in_the_same_burst(tmp_path: Path) -> None:
    async with idle(Many(tmp_path, clock=(clock := Clock())), size=(80, 24)) as (run, pilot):
        for keys, outcome in (
            ("n", Denied()),
            ("y", Allowed()),
            ("enter", Allowed()),
            ("e n o enter", Denied("no")),
        ):
            with step(keys):
                request = PermissionRequest(f"toolu {keys}", "s1", "Bash", {"command": "make"})
                asking = asyncio.ensure_future(run.app.runtime.inbox.ask(request, ""))
                await open_list(pilot, run, 1)
                clock.skip(2)
                in_one_go(run, "right", *keys.split())
                await until(pilot, lambda: run.list.panel and run.list.panel.has_focus)
                panel = run.list.panel
                await until(pilot, lambda panel=panel: unseen_words(panel.state) or panel.state.aside)
                assert await state_of(run, request.id) is RequestState.PENDING
                assert panel.state.text == ("no" if len(keys) > 5 else "")
                clock.skip(2)
                await press(pilot, "enter", then=lambda: run.waiting == [] and not run.list.panel)
                assert await asking == outcome


async def test_a_text_that_was_sent_in_the_burst_that_opened_its_panel_waits_to_be_sent(
    tmp_path: Path,
) -> None:
    async with one_waits(tmp_path) as (run, pilot, request):
        screen = run.list
        in_one_go(run, "right", "c", *"why", "enter")
        await until(pilot, lambda: screen.panel and screen.panel.state.text == "why")
        panel = screen.panel
        assert panel is not None
        await until(pilot, lambda: panel.state.aside)
        assert await state_of(run, request.id) is RequestState.PENDING
        await press(pilot, "enter", then=lambda: run.waiting == [])


async def test_a_panel_is_fresh_again_when_the_help_over_it_closes(tmp_path: Path) -> None:
    request = PermissionRequest("toolu_run", "s1", "Bash", {"command": "make"})
    async with decision_waits(tmp_path, request, (80, 24)) as (run, pilot, outcome, clock):
        await press(pilot, "f1", then=lambda: isinstance(run.app.screen, HelpScreen))
        assert run.app.screen.state.shown[0].group == "Permission or plan"
        await press(pilot, "escape", then=lambda: isinstance(run.app.screen, SessionsScreen))
        panel = run.list.panel
        assert panel is not None
        await until(pilot, lambda: panel.keys.face.shown_at == clock.now)  # Esc may be held
        await pilot.press("enter")
        assert await state_of(run, request.id) is RequestState.PENDING
        assert panel.state.outcome is None
        clock.skip(HELD)
        await pilot.press("enter")
        async with asyncio.timeout(10):
            assert await outcome == Allowed()

"""Panels within the session's screen: settled at once, used again, kept in focus, and under time limits."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.css.stylesheet import Stylesheet
from textual.pilot import Pilot

from ccq_tui.agent import events as ev
from ccq_tui.config.launch import Launch
from ccq_tui.config.settings import Settings
from ccq_tui.inbox.draft import first_draft
from ccq_tui.inbox.open_request import OpenRequest
from ccq_tui.inbox.requests import Allowed, Cancelled, PermissionRequest, PlanRequest, Request, RequestOutcome
from ccq_tui.inbox.store.rows import RequestState, StoredRequest
from ccq_tui.inbox.verdicts import Verdict
from ccq_tui.questions import Answered, Expired, Kind, Question
from ccq_tui.screens import editor
from ccq_tui.screens.editor import KEPT, Edited
from ccq_tui.screens.session.dock import BY_MESSAGE
from ccq_tui.transcript.outcomes import NOT_IN_TIME
from ccq_tui.widgets.notice_line import NoticeLine
from ccq_tui.widgets.panel import RequestPanel
from ccq_tui.widgets.transcript.painter import Painter
from tests.actors import LIMIT
from tests.ui.cases import in_one_program
from tests.ui.drawn import screen_text
from tests.ui.host import Clock, counted, press_later
from tests.ui.inboxed import Many, open_by_key, request_of
from tests.ui.pictures import rests
from tests.ui.session import (
    Driven,
    FakeRequests,
    asked,
    idle,
    keys_work,
    panel_drawn,
    permission,
    press,
    running,
    until,
)
from tests.ui.test_commands import choosing

ASKED = {
    "question": (asked("r1"), asked("r2")),
    "permission": (ev.RequestAsked(permission("r1")), ev.RequestAsked(permission("r2"))),
    "plan": (
        ev.RequestAsked(PlanRequest("r1", "id-1", "# A")),
        ev.RequestAsked(PlanRequest("r2", "id-1", "# B")),
    ),
}


async def test_a_request_that_is_settled_as_it_is_asked() -> None:
    run = Driven()
    typed = ""
    async with run.app.run_test() as pilot:
        for kind, (first, second) in ASKED.items():
            for outcome in (Cancelled("interrupted"), Allowed()):
                for event in (
                    first,
                    ev.RequestSettled("r1", outcome),
                    first,
                    second,
                    ev.RequestSettled("r1", outcome),
                    ev.RequestSettled("r2", outcome),
                ):
                    run.fake.tell(event)
                await pilot.pause()
                assert run.dock.panel is None, (kind, outcome)
                await pilot.press("h", "i")
                typed += "hi"
                assert run.prompt.text == typed, (kind, outcome)
        assert run.fake.answers == []


async def test_two_that_wait_are_settled_at_once_with_their_notices_and_tab_never_leaves_a_panel() -> None:
    run = Driven()

    async def settled(pilot: Pilot[int], *names: str) -> None:
        for name in names:
            run.fake.tell(ev.RequestSettled(name, Cancelled("interrupted")))
        await until(pilot, lambda: run.dock.panel is None and not run.dock.line.items)

    async with run.app.run_test() as pilot:
        for kind, both in ASKED.items():
            for keys in ("tab tab", "shift+tab", "e tab tab", "e shift+tab shift+tab"):
                await run.ask(pilot, both[0])
                for key in keys.split():
                    await pilot.press(key)
                    assert run.screen.focused is run.dock.panel, (kind, keys, key)
                await settled(pilot, "r1")
            await run.tell(pilot, *both, then=lambda: panel_drawn(run.screen))
            await settled(pilot, "r1", "r2")
        await pilot.press("x")
        assert run.prompt.text == "x"
        run.prompt.put("")
        notices = run.dock.notices
        for name in ("one", "two"):
            event = replace(asked(name), by_message=True)
            run.fake.tell(event)
            await until(pilot, lambda: run.dock.panel is not None and BY_MESSAGE in notices.text)
            if name == "one":
                run.fake.tell(ev.RequestSettled(event.request.id, Cancelled("")))
            else:
                await keys_work(run, pilot)
                await pilot.press("enter", "enter")  # the "e" of before is back, unselected
            await until(pilot, lambda: not run.dock.line.items)
            await until(pilot, lambda: BY_MESSAGE not in notices.text)


@in_one_program(*product((asked().request, permission()), range(4)))
async def test_a_panel_that_is_removed_as_it_is_mounted(
    request: Request, turns: int, run: Driven, pilot: Pilot[int]
) -> None:
    stored = StoredRequest(1, request, "", RequestState.PENDING, datetime.now(UTC))
    panel = RequestPanel(run.dock.host)
    panel.begin(OpenRequest(run.app.runtime.inbox, stored))
    run.dock.mount(panel)
    for _ in range(turns):
        await asyncio.sleep(0)
    panel.remove()
    await pilot.pause()
    assert not panel.is_attached
    panel.place = (2, 2)
    panel.put_text("too late")


@pytest.mark.parametrize("searching", [False, True])
@pytest.mark.parametrize("kind", ["question", "permission", "plan"])
async def test_the_editor_has_the_panels_text_and_never_the_hidden_prompt(
    kind: str, searching: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[str] = []

    async def edit_text(_app: object, text: str) -> Edited:
        given.append(text)
        return Edited("from the editor", KEPT)

    monkeypatch.setattr(editor, "edit_text", edit_text)
    async with idle(Driven()) as (run, pilot):
        run.prompt.put("half a prompt")
        await run.ask(pilot, ASKED[kind][0])
        panel = run.dock.panel
        assert panel is not None
        await press(pilot, *(["ctrl+f"] if searching else []), "ctrl+g", then=lambda: given)
        await until(pilot, lambda: run.dock.notices.text == KEPT)
        assert given == ["# A" if kind == "plan" else ""]
        state = panel.state
        assert (state.edited if kind == "plan" else state.text) == ("from the editor")
        assert run.prompt.text == "half a prompt"
        assert run.fake.answers == []


WISH = Question("What shall it be called?", "Name", kind=Kind.TEXT)


async def make_ready(run: Driven, pilot: Pilot[int]) -> RequestPanel:
    """Let the agent work, and wait for the panel that is made meanwhile."""
    run.fake.tell(ev.StateChanged(ev.SessionState.WORKING))
    await until(pilot, lambda: any(panel._ready for panel in run.screen.query(RequestPanel)))
    return run.screen.query_one(RequestPanel)


async def settled(run: Driven, pilot: Pilot[int]) -> RequestOutcome:
    """Wait until the first answer has left the screen; tell that it is settled."""
    await until(pilot, lambda: run.fake.answers)
    name, outcome, actor = run.fake.answers.pop(0)
    run.fake.tell(ev.RequestSettled(name, outcome, actor))
    await until(pilot, lambda: run.prompt.display or run.dock.panel)
    return outcome


async def test_requests_find_their_panel_made(monkeypatch: Any) -> None:
    async with running(Driven()) as (run, pilot):
        made = await make_ready(run, pilot)
        assert not made.display
        assert run.dock.panel is None
        looked_up: list[Any] = []
        apply, transcript = Stylesheet.apply, run.screen.transcript

        def noted(sheet: Stylesheet, node: Any, **how: Any) -> None:
            looked_up.append(node)
            apply(sheet, node, **how)

        monkeypatch.setattr(Stylesheet, "apply", noted)
        heights: list[int] = []
        times: list[float | None] = []
        begin = run.dock._open_panel

        def begun(**how: Any) -> None:
            begin(**how)
            if (panel := run.dock.panel) is not None:
                heights.append(panel.region.height)
                times.append(panel.keys.face.shown_at)

        monkeypatch.setattr(run.dock, "_open_panel", begun)
        drawn = counted(monkeypatch, Painter, "draw")
        for number in range(2):
            for event in (asked(f"q{number}"), ev.RequestAsked(permission(f"p{number}"))):
                await until(pilot, lambda: rests(transcript))  # what became of the one before is drawn
                looked_up.clear()
                drawn.clear()
                await run.tell(pilot, event, then=lambda: run.dock.panel is not None)
                assert run.dock.panel is made, (number, event)
                await until(pilot, lambda: run.screen.focused is run.dock.panel)
                assert not [node for node in looked_up if not isinstance(node, NoticeLine)], (number, event)
                # The lines of the transcript are those that were there, and what is told of the request.
                assert len(drawn) <= 3, (number, event)
                assert heights.pop() > 1, "it is drawn as it begins, without a wait for the screen's timer"
                assert times.pop() is not None, "a key of the next moment is for what is on the terminal"
                await keys_work(run, pilot)
                await pilot.press("enter" if isinstance(event.request, PermissionRequest) else "1", "enter")
                await settled(run, pilot)
        assert list(run.screen.query(RequestPanel)) == [made]


async def test_an_answer_goes_before_anything_is_drawn(monkeypatch: Any) -> None:
    drawn: list[str] = []
    when_answered: list[tuple[bool, int]] = []

    class Watched(FakeRequests):
        def settle(self, *answer: Any) -> asyncio.Future[Verdict]:
            panel = run.screen.query_one(RequestPanel)
            when_answered.append((panel.display, len(drawn)))
            return super().settle(*answer)

    async with running(Driven()) as (run, pilot):
        requests, run.fake.requests = run.fake.requests, Watched()
        run.fake.requests.report = requests.report
        await run.ask(pilot, asked("q1"))
        await pilot.press("1")
        await pilot.pause()  # all of it is drawn
        refresh = run.screen._compositor_refresh

        def paint() -> None:
            drawn.append("paint")
            refresh()

        monkeypatch.setattr(run.screen, "_compositor_refresh", paint)
        await press(pilot, "enter", then=lambda: run.prompt.display)
        assert when_answered == [(True, 0)]
        assert not run.screen.query_one(RequestPanel).display
        assert run.fake.answers[0][0] == "q1"
        assert isinstance(run.fake.answers[0][1], Answered)


async def test_a_panel_goes_only_after_its_answer_had_the_time_to_leave() -> None:
    async with running(Driven()) as (run, pilot):
        await run.ask(pilot, asked("q1"))
        await pilot.press("1")
        run.app.post_message(events.Key("enter", "\r"))
        await until(pilot, lambda: run.fake.answers)
        run.fake.requests.end(*run.fake.requests.opened, *run.fake.answers[0][1:])
        for _ in range(100):  # turns of the loop, of which an answer needs a dozen
            await asyncio.sleep(0)
        assert run.screen.query_one(RequestPanel).display
        await until(pilot, lambda: run.prompt.display)


async def test_what_is_typed_right_after_an_answer_stays_in_the_prompt() -> None:
    run = Driven(clock=Clock())  # what is typed is typed without a pause, however long it takes
    async with run.app.run_test() as pilot:
        for name in ("q1", "q2"):
            run.clock.skip(1.0)
            await run.ask(pilot, asked(name))
            await pilot.press("1")
            for event in (
                events.Key("enter", "\r"),
                events.Key("o", "o"),
                events.Paste("k, so"),
                events.Key("enter", "\r"),
            ):
                run.app.post_message(event)
            outcome = await settled(run, pilot)
            assert isinstance(outcome, Answered), name
            assert outcome.answers[0].selected == ("First",), name
            await until(pilot, lambda: run.prompt.text == "ok, so")
            assert run.fake.sent == [], name
            run.prompt.put("")


async def test_nothing_of_a_request_reaches_the_next_one_in_its_panel() -> None:
    async with running(Driven()) as (run, pilot):
        await run.ask(pilot, asked("q1", WISH))
        await pilot.press("s", "e", "c", "r", "e", "t", "backspace", "backspace")
        panel = run.dock.panel
        assert isinstance(panel, RequestPanel)
        assert panel.state.text == "secr"
        # Settled elsewhere in the moment in which it is answered here.
        for key in ("x", "enter"):
            panel.post_message(events.Key(key, "\r" if key == "enter" else key))
        run.dock.withdraw(run.fake.requests.opened["q1@id-1"])
        run.dock.add(run.fake.wait_with(asked("q2", WISH).request))
        await until(pilot, lambda: run.dock.panel is panel)
        assert panel.turn > 1
        assert panel.state.questions.id == "q2"
        assert panel.state.text == ""
        assert panel.state.outcome is None
        assert run.fake.answers == []
        await pilot.press("ctrl+underscore")
        assert panel.state.text == ""
        run.fake.tell(ev.RequestSettled("q2", Cancelled("interrupted")))
        await until(pilot, lambda: run.dock.panel is None)
        assert panel.state.questions.id == ""
        assert panel.touched is None


async def test_another_title_draws_no_whole_screen_and_words_for_a_killed_program_are_offered(
    monkeypatch: Any,
) -> None:
    async with running(Driven()) as (run, pilot):
        await make_ready(run, pilot)
        whole: list[str] = []
        refresh = run.screen.refresh

        def noted(*regions: Any, **how: Any) -> Any:
            if not regions and not how.get("layout"):
                whole.append("whole")
            return refresh(*regions, **how)

        monkeypatch.setattr(run.screen, "refresh", noted)
        title = run.screen.status.title
        await run.ask(pilot, ev.RequestAsked(permission()))
        assert run.screen.status.title != title
        assert run.screen.focused is run.dock.panel
        await pilot.press("enter")
        assert isinstance(await settled(run, pilot), Allowed)
        assert whole == []
        draft = first_draft(permission())
        run.fake.tell(ev.DraftLeft(draft.with_draft(other="not this one")))
        await until(pilot, lambda: len(run.dock.drafts))
        await press(pilot, "f8", then=lambda: run.app.clipboard == "not this one")


def driven(**settings: Any) -> Driven:
    """The program with limits, and a clock that goes only with the test: seconds are counted here."""
    return Driven(Launch(settings=Settings(cwd=Path("/"), **settings)), clock=Clock())


async def ask(run: Driven, pilot: Pilot[int], name: str = "toolu_1") -> None:
    """Let a question wait, with its panel open."""
    await until(pilot, lambda: run.screen.view.session_id)
    await run.ask(pilot, ev.StateChanged(ev.SessionState.AWAITING), asked(name))


async def later(run: Driven, pilot: Pilot[int], seconds: float) -> None:
    """Let time pass, and the screen look at it as it does each second."""
    run.clock.skip(seconds)
    run.screen.changed()
    await pilot.pause()


async def test_a_question_that_nobody_looks_at_is_parked_and_never_under_somebodys_hands() -> None:
    async with running(driven(park_after="10m")) as (run, pilot):
        await ask(run, pilot)
        for key in ("down", "escape", "f2"):
            await later(run, pilot, 590)
            await pilot.press(key)
        await later(run, pilot, 590)
        assert not run.fake.parked
        await later(run, pilot, 11)
        assert run.fake.parked
        assert run.fake.cause == "no answer for 10 min (park_after)"
        run.fake.tell(ev.RequestParked("toolu_1", deferred=True), ev.StateChanged(ev.SessionState.PARKED))
        await until(pilot, lambda: "Paused after 10 min without an answer" in run.screen.transcript.text())
        assert run.fake.answers == []


@pytest.mark.parametrize("what", ["park", "no_answer"])
async def test_the_last_minute_is_counted_down_and_the_question_ends_as_was_wanted(what: str) -> None:
    async with running(driven(question_timeout="5m", on_question_timeout=what)) as (run, pilot):
        await ask(run, pilot)
        await later(run, pilot, 200)
        assert "any key stops it" not in screen_text(run.app)
        await pilot.press("down", "space")
        await later(run, pilot, 255)
        words = "Pauses in" if what == "park" else "Ends as “no answer” in"
        assert words in screen_text(run.app)
        await later(run, pilot, 46)
        if what == "park":
            assert run.fake.parked
            assert run.fake.cause == "no answer for 5 min (question_timeout)"
            assert run.fake.answers == []
            return
        assert run.fake.answers == [("toolu_1", Expired(), LIMIT)]
        await later(run, pilot, 5)
        assert len(run.fake.answers) == 1
        assert not run.fake.parked
        run.fake.tell(ev.RequestSettled("toolu_1", Expired(), LIMIT))
        await until(pilot, lambda: run.dock.panel is None)
        # What had been selected is kept for the person, and is nobody's answer.
        assert "nobody answered in time; nothing was chosen · F8" in run.dock.notices.text
        card = run.screen.transcript.text()
        assert NOT_IN_TIME in card
        assert "●" not in card.partition(NOT_IN_TIME)[2].partition("F8")[0]


async def test_a_session_that_gave_way_says_so_and_goes_on_with_the_next_prompt() -> None:
    async with running(driven()) as (run, pilot):
        await until(pilot, lambda: run.screen.view.session_id and run.screen.session.can_give_way)
        await choosing(pilot, run, "/theme")
        assert not run.session_screen.session.can_give_way, "a list is open"
        await press(pilot, "escape", then=lambda: run.session_screen.session.can_give_way)
        await pilot.press("x")
        assert run.screen.session.last_used >= run.prompt.last_typed
        run.screen.session.give_way()
        assert run.fake.closed
        assert run.fake.cause == "idle, while another session needed a process"
        assert not run.screen.session.can_give_way, "once is enough"
        run.fake.tell(ev.StateChanged(ev.SessionState.ENDED))
        await until(pilot, lambda: "to make room for another session" in run.screen.transcript.text())
        assert run.prompt.text == "x"
        await press(pilot, "enter", then=lambda: len(run.launches) == 2 and run.fake.sent == ["x"])


async def test_no_limit_passes_while_the_question_is_answered_in_the_inbox(tmp_path: Path) -> None:
    limits = Settings(cwd=tmp_path, question_timeout="5m", on_question_timeout="no_answer")
    run = Many(tmp_path, settings=limits)
    request = request_of("s1")
    async with idle(run, size=(80, 24)) as (run, pilot):
        first, session = run.all[0], run.session_screen.session
        first.tell(ev.StateChanged(ev.SessionState.AWAITING))
        first.tell(ev.RequestAsked(request))
        await until(pilot, lambda: panel_drawn(run.session_screen))
        await open_by_key(pilot, run)
        await press(pilot, "right", then=lambda: run.list.panel)
        for key in ("down", "o", "x", "y"):
            await press_later(pilot, key, seconds=200)
            session.check_limits()
        (opened,) = session.waiting
        run.clock.skip(301)
        session.check_limits()
        assert await opened.outcome() == Expired()


async def test_a_notice_above_a_full_panel_leaves_a_low_screen_its_width() -> None:
    async with running(Driven(), size=(40, 12)) as (run, pilot):
        await make_ready(run, pilot)
        await run.ask(pilot, ev.RequestAsked(permission(command="make all\n" * 40)))
        run.screen.say("Not sent: a panel opened")
        await until(pilot, lambda: "Not sent" in screen_text(run.app))
        assert run.dock.region.width == 40

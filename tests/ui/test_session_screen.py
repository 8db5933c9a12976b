"""The screen of a session: prompt, line of requests, notices, status."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual import events
from textual.pilot import Pilot

from ccq_tui.agent.events import (
    AgentEvent,
    ModeChanged,
    PermissionAsked,
    PromptReturned,
    RequestSettled,
    SessionState,
    StateChanged,
)
from ccq_tui.config import Launch, Settings
from ccq_tui.inbox import Allowed, Cancelled
from ccq_tui.inbox.waiting import TYPING_PAUSE
from ccq_tui.questions import Answer, Answered
from tests.ui.host import Clock
from tests.ui.session import Driven, ToldSession, asked, keys_work, permission, until


async def test_enter_sends_the_prompt_and_ctrl_j_breaks_the_line() -> None:
    run = Driven()
    async with run.app.run_test() as pilot:
        await pilot.press(*"hello", "ctrl+j", *"you", "backspace", "enter")
        await until(pilot, lambda: run.told.sent)
        assert run.told.sent == ["hello\nyo"]
        assert run.screen.dock.prompt.text == ""
        assert "hello" in run.screen.transcript.text(), "it is shown before the session took it"


async def test_blanks_alone_are_not_sent() -> None:
    run = Driven()
    async with run.app.run_test() as pilot:
        await pilot.press("space", "enter", "x", "enter")
        await until(pilot, lambda: run.told.sent)
        assert run.told.sent == [" x"]


async def test_what_is_typed_after_enter_belongs_to_the_next_prompt() -> None:
    run = Driven()
    async with run.app.run_test() as pilot:
        for character in "abc\rdef":
            key = "enter" if character == "\r" else character
            run.app.post_message(events.Key(key, character))
        await until(pilot, lambda: run.screen.dock.prompt.text == "def")
        assert run.told.sent == ["abc"]


@pytest.mark.parametrize("keys", [["tab"], ["shift+tab"], ["click"]])
async def test_the_focus_stays_where_keys_go(keys: list[str]) -> None:
    run = Driven()
    async with run.app.run_test() as pilot:
        await leave(run, pilot, keys)
        await pilot.press("x", "enter")
        await until(pilot, lambda: run.told.sent == ["x"])
        for event, moves in ((asked("q"), ["down"]), (PermissionAsked(permission("p")), ["down", "down"])):
            run.told.tell(event)
            await keys_work(run, pilot)
            await leave(run, pilot, keys)
            await pilot.press(*moves, "enter")
            await until(pilot, lambda: run.screen.dock.panel is None)
        assert [name for name, _, _ in run.told.answers] == ["q", "p"]


async def leave(run: Driven, pilot: Pilot[int], keys: list[str]) -> None:
    """Do what takes the focus elsewhere in many programs."""
    if keys == ["click"]:
        await pilot.click(run.screen.transcript, offset=(3, 1))
    else:
        await pilot.press(*keys)


async def test_keys_meant_for_a_panel_that_closed_send_nothing() -> None:
    clock = Clock()
    run = Driven(Launch(settings=Settings(cwd=Path("/")), draft="half a thought"), clock=clock)
    async with run.app.run_test() as pilot:
        run.told.tell(asked())
        await until(pilot, lambda: run.screen.dock.panel and run.screen.dock.panel.is_mounted)
        clock.skip_grace()
        await pilot.press("enter", "enter", "x", "enter")
        await until(pilot, lambda: "Not sent" in run.screen.dock.notices.text)
        assert run.told.sent == []
        assert run.screen.dock.prompt.text == "half a thoughtx"
        clock.now += TYPING_PAUSE + 0.1
        await pilot.press("enter")
        await until(pilot, lambda: run.told.sent == ["half a thoughtx"])


async def test_an_interrupt_settles_all_that_waits_and_keeps_every_draft(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = Driven()
    copied: list[str] = []
    monkeypatch.setattr(run.app, "copy_to_clipboard", copied.append)
    async with run.app.run_test() as pilot:
        run.told.tell(asked("one"))
        run.told.tell(asked("two"))
        run.told.tell(PermissionAsked(permission("three")))
        await keys_work(run, pilot)
        await pilot.press("o", *"precious")
        for name in ("one", "two", "three"):
            run.told.tell(RequestSettled(name, Cancelled("interrupted")))
        await until(pilot, lambda: run.screen.dock.panel is None and not run.screen.dock.line.items)
        await pilot.press("f8")
        await until(pilot, lambda: copied)
        assert "precious" in copied[0]
        assert "F8 copies what you had answered:" in run.screen.transcript.text()
        assert "precious" in run.screen.transcript.text()


async def test_a_reason_that_was_not_sent_goes_to_the_prompt() -> None:
    run = Driven()
    async with run.app.run_test() as pilot:
        run.told.tell(PermissionAsked(permission()))
        await keys_work(run, pilot)
        await pilot.press("e", *"also", "escape", "y")
        await until(pilot, lambda: run.told.answers == [("toolu_p", Allowed(), "panel")])
        await until(pilot, lambda: run.screen.dock.prompt.text == "also")


async def test_answers_that_never_arrived_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Driven()
    copied: list[str] = []
    monkeypatch.setattr(run.app, "copy_to_clipboard", copied.append)
    async with run.app.run_test() as pilot:
        run.told.tell(asked())
        await keys_work(run, pilot)
        await pilot.press("2", "enter")
        await until(pilot, lambda: run.told.answers)
        run.told.tell(RequestSettled("toolu_1", Cancelled("the Claude process ended")))
        await until(pilot, lambda: "process ended" in run.screen.dock.notices.text)
        await pilot.press("f8")
        await until(pilot, lambda: copied)
        assert "Second" in copied[0]


@pytest.mark.parametrize("event", [asked("r"), PermissionAsked(permission("r"))])
async def test_asked_and_settled_in_one_breath(event: AgentEvent) -> None:
    run = Driven()
    async with run.app.run_test() as pilot:
        for _ in range(3):
            run.told.tell(event)
            run.told.tell(RequestSettled("r", Cancelled("interrupted")))
        await until(pilot, lambda: run.screen.dock.notices.text)
        assert run.screen.dock.panel is None
        await pilot.press("x")
        await until(pilot, lambda: run.screen.dock.prompt.text == "x")


async def test_a_failure_inside_the_session_leaves_the_screen() -> None:
    class Failing(ToldSession):
        async def run(self) -> None:
            raise RuntimeError("surprise")

    run = Driven(make=Failing)
    async with run.app.run_test() as pilot:
        await until(pilot, lambda: "Something went wrong" in run.screen.transcript.text())
        await pilot.press("x")
        await until(pilot, lambda: run.screen.dock.prompt.text == "x")


async def test_the_prompt_of_the_command_line_is_sent_and_a_draft_is_not() -> None:
    run = Driven(Launch(settings=Settings(cwd=Path("/")), prompt="do it", draft="later"))
    async with run.app.run_test() as pilot:
        await until(pilot, lambda: run.told.sent == ["do it"])
        assert run.screen.dock.prompt.text == "later"


async def test_a_question_takes_the_place_of_the_prompt_and_gives_it_back() -> None:
    run = Driven(Launch(settings=Settings(cwd=Path("/")), draft="half a thought"))
    async with run.app.run_test() as pilot:
        run.told.tell(asked())
        await until(pilot, lambda: run.screen.dock.panel)
        assert not run.screen.dock.prompt.display
        await keys_work(run, pilot)
        await pilot.press("down", "enter")
        await until(pilot, lambda: run.told.answers)
        assert run.told.answers == [("toolu_1", Answered((Answer(selected=("Second",)),)), "panel")]
        await until(pilot, lambda: run.screen.dock.prompt.display)
        assert run.screen.dock.prompt.text == "half a thought"
        await pilot.pause(TYPING_PAUSE + 0.1)
        await pilot.press("!", "enter")
        await until(pilot, lambda: run.told.sent == ["half a thought!"])


async def test_a_panel_waits_for_a_pause_in_typing_and_says_so() -> None:
    run = Driven()
    async with run.app.run_test() as pilot:
        await pilot.press(*"typ")
        run.told.tell(asked())
        await until(pilot, lambda: "opens when you pause typing" in run.screen.dock.notices.text)
        assert run.screen.dock.panel is None
        await until(pilot, lambda: run.screen.dock.panel)
        assert run.screen.dock.prompt.text == "typ"


async def test_f2_opens_at_once_what_waits_for_a_pause() -> None:
    run = Driven()
    async with run.app.run_test() as pilot:
        await pilot.press(*"typ")
        run.told.tell(asked())
        await until(pilot, lambda: run.screen.dock.line.items)
        await pilot.press("f2")
        await until(pilot, lambda: run.screen.dock.panel)


async def test_requests_queue_each_with_its_own_draft() -> None:
    run = Driven()
    async with run.app.run_test() as pilot:
        run.told.tell(asked("one"))
        run.told.tell(asked("two"))
        run.told.tell(PermissionAsked(permission("three")))
        await until(pilot, lambda: run.screen.dock.panel and run.screen.dock.panel.place == (1, 3))
        await keys_work(run, pilot)
        await pilot.press("2", "enter")
        await until(pilot, lambda: run.screen.dock.panel and run.screen.dock.panel.place == (2, 3))
        await keys_work(run, pilot)
        await pilot.press("1", "enter")
        await until(pilot, lambda: run.screen.dock.panel and run.screen.dock.panel.place == (3, 3))
        await keys_work(run, pilot)
        await pilot.press("y")
        await until(pilot, lambda: len(run.told.answers) == 3)
        assert [(name, type(outcome)) for name, outcome, _ in run.told.answers] == [
            ("one", Answered),
            ("two", Answered),
            ("three", Allowed),
        ]
        await until(pilot, lambda: run.screen.dock.panel is None)


async def test_hidden_it_leaves_one_line_and_the_prompt() -> None:
    run = Driven()
    async with run.app.run_test() as pilot:
        run.told.tell(asked())
        await keys_work(run, pilot)
        await pilot.press("2", "escape")
        await until(pilot, lambda: run.screen.dock.notices.text == "1 question waiting · 1/1 answered · F2")
        await pilot.press(*"hi", "enter")
        await until(pilot, lambda: run.told.sent == ["hi"])
        await pilot.press("f2", "enter")
        await until(pilot, lambda: run.told.answers)


async def test_esc_interrupts_and_asks_first_where_a_hidden_request_would_be_withdrawn() -> None:
    run = Driven()
    async with run.app.run_test() as pilot:
        await until(pilot, lambda: run.screen.view.state is SessionState.IDLE)
        await pilot.press("escape")
        assert run.told.interrupts == 0, "nothing runs"
        run.told.tell(StateChanged(SessionState.WORKING))
        await until(pilot, lambda: run.screen.view.busy)
        await pilot.press("a", "escape")
        await until(pilot, lambda: run.told.interrupts == 1)
        assert run.screen.dock.prompt.text == "a"
        run.told.tell(asked())
        await keys_work(run, pilot)
        await pilot.press("escape", "escape")
        await until(pilot, lambda: "Esc again" in run.screen.dock.notices.text)
        assert run.told.interrupts == 1
        await pilot.press("escape")
        await until(pilot, lambda: run.told.interrupts == 2)


async def test_a_withdrawn_question_says_why_and_keeps_the_draft(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Driven()
    copied: list[str] = []
    monkeypatch.setattr(run.app, "copy_to_clipboard", copied.append)
    async with run.app.run_test() as pilot:
        run.told.tell(asked())
        await keys_work(run, pilot)
        await pilot.press("2", "n", *"note", "enter")
        run.told.tell(RequestSettled("toolu_1", Cancelled("interrupted")))
        await until(pilot, lambda: "interrupted · F8" in run.screen.dock.notices.text)
        assert run.screen.dock.panel is None
        await pilot.press("f8")
        await until(pilot, lambda: copied)
        assert "Second" in copied[0]
        assert "note" in copied[0]


async def test_a_request_answered_elsewhere_closes_the_panel_without_a_second_answer() -> None:
    run = Driven()
    async with run.app.run_test() as pilot:
        run.told.tell(asked())
        await until(pilot, lambda: run.screen.dock.panel)
        run.told.tell(RequestSettled("toolu_1", Answered((Answer(selected=("First",)),)), "phone"))
        await until(pilot, lambda: run.screen.dock.panel is None)
        assert "answered by phone" in run.screen.dock.notices.text
        assert run.told.answers == []

        # Confirmed here a moment too late: the other answer counts, and the person is told.
        run.told.tell(asked("toolu_2"))
        await keys_work(run, pilot)
        await pilot.press("2", "enter")
        await until(pilot, lambda: run.told.answers)
        run.told.tell(RequestSettled("toolu_2", Answered((Answer(selected=("First",)),)), "script"))
        await until(pilot, lambda: "answered by script · F8" in run.screen.dock.notices.text)


@pytest.mark.parametrize(("focused", "bell", "rings"), [(True, True, 0), (False, True, 1), (False, False, 0)])
async def test_the_bell_rings_only_while_the_terminal_is_unfocused(
    monkeypatch: pytest.MonkeyPatch, focused: bool, bell: bool, rings: int
) -> None:
    run = Driven(Launch(settings=Settings(cwd=Path("/"), bell=bell)))
    rung: list[int] = []
    monkeypatch.setattr(run.app, "bell", lambda: rung.append(1))
    async with run.app.run_test() as pilot:
        await pilot.pause()
        run.app.app_focus = focused
        run.told.tell(asked())
        await until(pilot, lambda: run.screen.dock.panel)
        assert len(rung) == rings


async def test_a_prompt_that_came_back_stands_before_what_was_typed_since() -> None:
    run = Driven()
    async with run.app.run_test() as pilot:
        await pilot.press(*"new")
        run.told.tell(PromptReturned("old", "the session ended"))
        await until(pilot, lambda: run.screen.dock.prompt.text == "old\nnew")
        assert "not sent" in run.screen.transcript.text()
        run.told.tell(PromptReturned("older", "the session ended"))
        await until(pilot, lambda: run.screen.dock.prompt.text == "old\nolder\nnew")


async def test_status_and_title() -> None:
    run = Driven()
    async with run.app.run_test(size=(100, 24)) as pilot:
        run.told.tell(ModeChanged("plan"))
        run.told.tell(StateChanged(SessionState.AWAITING))
        run.told.tell(asked())
        await until(pilot, lambda: run.screen.dock.panel)
        words = [piece.text for piece in run.screen.view.pieces(0.0)]
        assert words[0].startswith("◆ waits for you")
        assert "claude-x" in words
        assert "plan mode" in words
        await until(pilot, lambda: "? 1" in (run.screen.title or ""))


async def test_quitting_closes_the_session() -> None:
    run = Driven()
    async with run.app.run_test() as pilot:
        await pilot.press("ctrl+q")
        await until(pilot, lambda: run.told.closed)


async def test_ctrl_c_quits_only_when_pressed_twice() -> None:
    run = Driven()
    async with run.app.run_test() as pilot:
        await pilot.press("ctrl+c")
        assert "again" in run.screen.dock.notices.text
        assert not run.told.closed
        await pilot.press("ctrl+c")
        await until(pilot, lambda: run.told.closed)


async def test_launch_notices_are_shown() -> None:
    run = Driven(Launch(settings=Settings(cwd=Path("/"), theme="nope"), notices=("first",)))
    async with run.app.run_test() as pilot:
        await until(pilot, lambda: "nope" in run.screen.transcript.text())
        assert "first" in run.screen.transcript.text()


@pytest.mark.parametrize("size", [(80, 24), (40, 12), (160, 50), (20, 8)])
async def test_it_fits_every_size(size: tuple[int, int]) -> None:
    run = Driven()
    async with run.app.run_test(size=size) as pilot:
        run.told.tell(asked())
        await until(pilot, lambda: run.screen.dock.panel)
        panel = run.screen.dock.panel
        assert panel is not None
        await pilot.resize_terminal(60, 20)
        await pilot.resize_terminal(*size)
        await pilot.pause()
        assert panel.region.bottom <= size[1]
        assert panel.region.height <= max(6, int(size[1] * 0.6))

"""The screen of a session: prompt, line of requests, notices, status."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from textual import events
from textual.pilot import Pilot

from ccq_tui.agent import events as ev
from ccq_tui.config.keymap import with_keys
from ccq_tui.config.launch import Launch
from ccq_tui.config.settings import Settings
from ccq_tui.inbox.requests import Allowed, Cancelled
from ccq_tui.inbox.waiting_line import THINKING_PAUSE, TYPING_PAUSE
from ccq_tui.questions import Answer, Answered, Declined, Discussed, Option, Question
from ccq_tui.questions.input_guard import GRACE, HELD_SECONDS, REPEAT_DELAY
from ccq_tui.runtime.view import pieces
from ccq_tui.screens.session import base, prompts
from ccq_tui.screens.session.requests import LEFT_OVER
from tests.actors import PANEL, PHONE
from tests.ui.host import Clock, press_later
from tests.ui.running import running
from tests.ui.session import Driven, ToldSession, asked, keys_work, panel_drawn, permission, until

ASKED = Question("Which?", "Which", (Option("First"), Option("Second")))


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a key be pressed again within a time that a busy machine keeps, too."""
    for module in (base, prompts):
        monkeypatch.setattr(module, "AGAIN_SECONDS", 60.0)


async def test_what_is_typed_is_sent_and_ctrl_c_quits_only_when_pressed_twice(
    patient: None, run: Driven, pilot: Pilot[int]
) -> None:
    await pilot.press("space", "enter", "x", "enter")
    await until(pilot, lambda: run.told.sent)
    assert run.told.sent == [" x"], "blanks alone are not sent"
    await pilot.press(*"hello", "ctrl+j", *"you", "backspace", "enter")
    await until(pilot, lambda: len(run.told.sent) == 2)
    assert run.told.sent[1] == "hello\nyo"
    assert run.screen.dock.prompt.text == ""
    assert "hello" in run.screen.transcript.text(), "it is shown before the session took it"
    for character in "abc\rdef":
        run.app.post_message(events.Key("enter" if character == "\r" else character, character))
    await until(pilot, lambda: run.screen.dock.prompt.text == "def")
    assert run.told.sent[2:] == ["abc"], "what is typed after Enter belongs to the next prompt"
    run.told.tell(ev.PromptReturned("old", "the session ended"))
    await until(pilot, lambda: run.screen.dock.prompt.text == "old\ndef")
    assert "not sent" in run.screen.transcript.text()
    run.told.tell(ev.PromptReturned("older", "the session ended"))
    await until(pilot, lambda: run.screen.dock.prompt.text == "old\nolder\ndef")
    await pilot.press("ctrl+c")
    assert "again" in run.screen.dock.notices.text
    assert not run.told.closed
    await press_later(pilot, "ctrl+c", seconds=0.2)
    await until(pilot, lambda: run.told.closed)


async def test_the_focus_stays_where_keys_go(run: Driven, pilot: Pilot[int]) -> None:
    for keys in ("tab", "shift+tab", "click"):
        run.told.sent.clear()
        run.told.answers.clear()
        run.clock.skip(TYPING_PAUSE + 0.1)
        await leave(run, pilot, keys)
        await pilot.press("x", "enter")
        await until(pilot, lambda: run.told.sent == ["x"])
        for event, moves in (
            (asked(f"q {keys}"), ["down"]),
            (ev.PermissionAsked(permission(f"p {keys}")), ["down"]),
        ):
            run.told.tell(event)
            await keys_work(run, pilot)
            await leave(run, pilot, keys)
            await pilot.press(*moves, "enter")
            # A key that still finds the panel that leaves is late: after it the prompt holds Enter back.
            await until(pilot, lambda: run.screen.dock.panel is None and run.screen.dock.prompt.display)
        assert [name for name, _, _ in run.told.answers] == [f"q {keys}", f"p {keys}"]


async def leave(run: Driven, pilot: Pilot[int], keys: str) -> None:
    """Do what takes the focus elsewhere in many programs."""
    if keys == "click":
        await pilot.click(run.screen.transcript, offset=(3, 1))
    else:
        await pilot.press(keys)


async def test_what_was_answered_and_never_sent_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Driven()
    copied: list[str] = []
    monkeypatch.setattr(run.app, "copy_to_clipboard", copied.append)

    async def copies(pilot: Pilot[int], *words: str) -> None:
        await pilot.press("f8")
        await until(pilot, lambda: copied)
        text = copied.pop()
        assert all(word in text for word in words), text

    async with run.app.run_test() as pilot:
        # An interrupt settles all that waits.
        run.told.tell(asked("one"))
        run.told.tell(asked("two"))
        run.told.tell(ev.PermissionAsked(permission("three")))
        await keys_work(run, pilot)
        await pilot.press("o", *"precious")
        for name in ("one", "two", "three"):
            run.told.tell(ev.RequestSettled(name, Cancelled("interrupted")))
        await until(pilot, lambda: run.screen.dock.panel is None and not run.screen.dock.line.items)
        await copies(pilot, "precious")
        assert "F8 copies your draft:" in run.screen.transcript.text()
        assert "precious" in run.screen.transcript.text()
        # One is withdrawn.
        run.screen.dock.notices.hush()
        run.told.tell(asked("withdrawn"))
        await keys_work(run, pilot)
        await pilot.press("home", "2", "n", *"note", "enter")
        run.told.tell(ev.RequestSettled("withdrawn", Cancelled("interrupted")))
        await until(pilot, lambda: "interrupted · F8" in run.screen.dock.notices.text)
        assert run.screen.dock.panel is None
        await copies(pilot, "Second", "note")
        # Own text is left out of what is sent.
        run.screen.dock.notices.hush()
        run.told.tell(asked("left out", replace(ASKED, text="Where?")))
        await keys_work(run, pilot)
        await pilot.press(*"Zebra", "escape", "2", "enter")
        await press_later(pilot, "enter", seconds=REPEAT_DELAY + 0.01)
        await until(pilot, lambda: run.screen.dock.notices.text == with_keys(LEFT_OVER))
        assert run.told.answers.pop()[1] == Answered((Answer(("Second",), unselected="Zebra"),))
        await copies(pilot, "Zebra")
        # All of it is declined.
        run.screen.dock.notices.hush()
        run.told.tell(asked("declined", replace(ASKED, text="When?")))
        await keys_work(run, pilot)
        await pilot.press("2", "n", *"why", "enter", "ctrl+d")
        await press_later(pilot, "y", seconds=GRACE)
        await until(pilot, lambda: run.screen.dock.notices.text == with_keys(LEFT_OVER))
        assert run.told.answers.pop()[1] == Declined()
        await copies(pilot, "Second", "why")
        # It is discussed instead.
        run.screen.dock.notices.hush()
        run.told.tell(asked("discussed", replace(ASKED, text="Which?")))
        await keys_work(run, pilot)
        await pilot.press("2", "n", *"handy", "enter", "c", *"both", "enter")
        await until(pilot, lambda: run.screen.dock.notices.text == with_keys(LEFT_OVER))
        discussed = run.told.answers.pop()[1]
        assert isinstance(discussed, Discussed)
        assert discussed.text == "both"
        await copies(pilot, "Second", "handy")
        # Answers never arrived.
        run.told.tell(asked("lost", replace(ASKED, text="Who?")))
        await keys_work(run, pilot)
        await pilot.press("2", "enter")
        await until(pilot, lambda: run.told.answers)
        run.told.tell(ev.RequestSettled("lost", Cancelled("the Claude process ended")))
        await until(pilot, lambda: "process ended" in run.screen.dock.notices.text)
        await copies(pilot, "Second")
        # A reason was not sent, and goes to the prompt.
        run.told.tell(ev.PermissionAsked(permission()))
        await keys_work(run, pilot)
        await pilot.press("e", *"also", "escape", "y", "enter")
        await until(pilot, lambda: run.told.answers[1:] == [("toolu_p", Allowed(), PANEL)])
        await until(pilot, lambda: run.screen.dock.prompt.text == "also")


async def test_asked_and_settled_in_one_breath(run: Driven, pilot: Pilot[int]) -> None:
    for typed, event in (("x", asked("r")), ("xx", ev.PermissionAsked(permission("r")))):
        for _ in range(3):
            run.told.tell(event)
            run.told.tell(ev.RequestSettled("r", Cancelled("interrupted")))
        await pilot.pause()
        assert run.screen.dock.panel is None, event
        await pilot.press("x")
        await until(pilot, lambda typed=typed: run.screen.dock.prompt.text == typed)


async def test_a_failure_inside_the_session_leaves_the_screen() -> None:
    class Failing(ToldSession):
        async def run(self) -> None:
            raise RuntimeError("surprise")

    async with running(Driven(make=Failing)) as (run, pilot):
        await until(pilot, lambda: "Something went wrong" in run.screen.transcript.text())
        await pilot.press("x")
        await until(pilot, lambda: run.screen.dock.prompt.text == "x")


async def test_what_the_command_line_says_is_done_and_the_status_tells_the_rest() -> None:
    settings = Settings(cwd=Path("/"), theme="nope")
    run = Driven(Launch(settings=settings, prompt="do it", draft="later", notices=("first",)))
    async with run.app.run_test(size=(100, 24)) as pilot:
        await until(pilot, lambda: run.told.sent == ["do it"])
        assert run.screen.dock.prompt.text == "later", "a draft is not sent"
        await until(pilot, lambda: "nope" in run.screen.transcript.text())
        assert "first" in run.screen.transcript.text()
        run.told.tell(ev.ModeChanged("plan"))
        run.told.tell(ev.StateChanged(ev.SessionState.AWAITING))
        run.told.tell(asked())
        await until(pilot, lambda: panel_drawn(run.screen))
        words = [piece.text for piece in pieces(run.screen.view, run.screen.around, 0.0)]
        assert words[0].startswith("◆ waits for you")
        assert "x" in words
        assert "plan mode" in words
        await until(pilot, lambda: "? 1" in (run.screen.status.title))


async def test_a_panel_waits_for_a_pause_in_typing_is_hidden_and_closes_when_answered_elsewhere() -> None:
    async with running(Driven(clock=Clock())) as (run, pilot):
        dock = run.screen.dock
        await pilot.press(*"typ")
        run.told.tell(asked("first"))
        await until(pilot, lambda: "opens when you pause typing" in dock.notices.text)
        assert dock.panel is None
        run.clock.skip(THINKING_PAUSE)
        await until(pilot, lambda: panel_drawn(run.screen))
        assert dock.prompt.text == "typ"

        await keys_work(run, pilot)
        await pilot.press("2", "escape")
        await until(
            pilot,
            lambda: dock.notices.text == "1 question waiting · Which · draft 1/1, nothing sent · F2 opens",
        )
        await pilot.press(*"hi", "enter")
        await until(pilot, lambda: run.told.sent == ["typhi"])
        await pilot.press("f2", "enter")
        await until(pilot, lambda: [name for name, _, _ in run.told.answers] == ["first"])

        await pilot.press(*"typ")
        run.told.tell(asked("second"))
        await until(pilot, lambda: dock.line.items)
        await pilot.press("f2")
        await until(pilot, lambda: panel_drawn(run.screen))
        run.told.tell(ev.RequestSettled("second", Answered((Answer(selected=("First",)),)), PHONE))
        await until(pilot, lambda: dock.panel is None)
        assert "answered on phone" in dock.notices.text
        assert len(run.told.answers) == 1, "it is not answered a second time"


async def test_a_request_waits_for_no_burst_to_be_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "BATCH", 60.0)
    async with running(Driven()) as (run, pilot):
        run.told.tell(ev.StateChanged(ev.SessionState.AWAITING))
        run.told.tell(asked("first"))
        await until(pilot, lambda: panel_drawn(run.screen))
        assert run.screen.view.state is ev.SessionState.AWAITING, "what came before it is handled before it"


async def test_requests_queue_each_with_its_own_draft(run: Driven, pilot: Pilot[int]) -> None:
    run.told.tell(asked("one"))
    run.told.tell(asked("two"))
    run.told.tell(ev.PermissionAsked(permission("three")))
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


async def test_esc_interrupts_asks_first_where_a_hidden_request_would_be_withdrawn_and_ctrl_q_quits(
    patient: None, run: Driven, pilot: Pilot[int]
) -> None:
    await until(pilot, lambda: run.screen.view.state is ev.SessionState.IDLE)
    await pilot.press("escape")
    assert run.told.interrupts == 0, "nothing runs"
    run.told.tell(ev.StateChanged(ev.SessionState.WORKING))
    await until(pilot, lambda: run.screen.view.busy)
    await press_later(pilot, "a", "escape", seconds=HELD_SECONDS)
    await until(pilot, lambda: run.told.interrupts == 1)
    assert run.screen.dock.prompt.text == "a"
    run.told.tell(asked())
    await keys_work(run, pilot)
    await pilot.press("escape")
    await press_later(pilot, "escape", seconds=GRACE + 0.01)
    await until(pilot, lambda: "Esc again" in run.screen.dock.notices.text)
    assert run.told.interrupts == 1
    await press_later(pilot, "b", seconds=GRACE + 0.01)
    await press_later(pilot, "escape", seconds=GRACE + 0.01)
    assert run.told.interrupts == 1, "another key came between"
    await until(pilot, lambda: "Esc again" in run.screen.dock.notices.text)
    await pilot.press("escape", "escape")
    await press_later(pilot, "escape", seconds=GRACE + 0.01)
    await until(pilot, lambda: run.told.interrupts == 2)
    await pilot.press("ctrl+q")
    await until(pilot, lambda: run.told.closed)

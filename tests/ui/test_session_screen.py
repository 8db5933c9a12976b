"""The screen of a session: prompt, line of requests, notices, status, welcome, errors; and pictures of it."""

from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import events
from textual.pilot import Pilot

from ccq_tui import __version__
from ccq_tui.agent import events as ev
from ccq_tui.agent.events import ErrorReported, PromptAccepted
from ccq_tui.agent.problems import Problem
from ccq_tui.config.keymap import with_keys
from ccq_tui.config.launch import Launch
from ccq_tui.config.settings import Settings
from ccq_tui.inbox.port import Grown
from ccq_tui.inbox.requests import Allowed, Cancelled, PermissionRequest, PlanRequest
from ccq_tui.input import gate
from ccq_tui.input.gate import AGAIN, HELD, PAUSE, QUIET, THINKING
from ccq_tui.questions import Answer, Answered, Declined, Discussed, Option, Question
from ccq_tui.questions.state import Arriving
from ccq_tui.runtime.facts import SessionFacts
from ccq_tui.runtime.recovery import Recovery
from ccq_tui.runtime.view import Surroundings, pieces
from ccq_tui.screens.session.dock import LEFT_OVER
from ccq_tui.screens.session.prompts import NO_ERROR
from ccq_tui.screens.session.status import welcome_text
from ccq_tui.widgets.hints import HintBar
from tests.actors import PANEL, PHONE
from tests.ui.host import Clock, press_later
from tests.ui.pictures import Pictures, rests
from tests.ui.session import (
    Driven,
    FakeSession,
    asked,
    idle,
    kept_while_parked,
    keys_work,
    panel_drawn,
    permission,
    press,
    running,
    until,
)

ASKED = Question("Which?", "Which", (Option("First"), Option("Second")))


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a key be pressed again within a time that a busy machine keeps, too."""
    monkeypatch.setattr(gate, "AGAIN", 60.0)


async def test_what_is_typed_is_sent_and_ctrl_c_quits_only_when_pressed_twice(
    patient: None, run: Driven, pilot: Pilot[int]
) -> None:
    await press(pilot, "space", "enter", "x", "enter", then=lambda: run.fake.sent)
    assert run.fake.sent == [" x"], "blanks alone are not sent"
    await press(pilot, *"hello", "ctrl+j", *"you", "backspace", "enter", then=lambda: len(run.fake.sent) == 2)
    assert run.fake.sent[1] == "hello\nyo"
    assert run.screen.dock.prompt.text == ""
    assert "hello" in run.screen.transcript.text(), "it is shown before the session took it"
    for character in "abc\rdef":
        run.app.post_message(events.Key("enter" if character == "\r" else character, character))
    await until(pilot, lambda: run.screen.dock.prompt.text == "def")
    assert run.fake.sent[2:] == ["abc"], "what is typed after Enter belongs to the next prompt"
    run.fake.tell(ev.PromptReturned("old", "the session ended"))
    await until(pilot, lambda: run.screen.dock.prompt.text == "old\ndef")
    assert "not sent" in run.screen.transcript.text()
    run.fake.tell(ev.PromptReturned("older", "the session ended"))
    await until(pilot, lambda: run.screen.dock.prompt.text == "old\nolder\ndef")
    await pilot.press("ctrl+c")
    assert "again" in run.screen.dock.notices.text
    assert not run.fake.closed
    await press_later(pilot, "ctrl+c", seconds=0.2, then=lambda: run.fake.closed)


async def test_the_focus_stays_where_keys_go(run: Driven, pilot: Pilot[int]) -> None:
    for keys in ("tab", "shift+tab", "click"):
        run.fake.sent.clear()
        run.fake.answers.clear()
        run.clock.skip(PAUSE + 0.1)
        await leave(run, pilot, keys)
        await press(pilot, "x", "enter", then=lambda: run.fake.sent == ["x"])
        for event, moves in (
            (asked(f"q {keys}"), ["down"]),
            (ev.RequestAsked(permission(f"p {keys}")), ["down"]),
        ):
            await run.ask(pilot, event)
            await leave(run, pilot, keys)
            await pilot.press(*moves, "enter")
            # A key that still finds the panel that leaves is late: after it the prompt holds Enter back.
            await until(pilot, lambda: run.screen.dock.panel is None and run.screen.dock.prompt.display)
        assert [name for name, _, _ in run.fake.answers] == [f"q {keys}", f"p {keys}"]


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
        await press(pilot, "f8", then=lambda: copied)
        text = copied.pop()
        assert all(word in text for word in words), text

    async with run.app.run_test() as pilot:
        # An interrupt settles all that waits.
        await run.ask(pilot, asked("one"), asked("two"), ev.RequestAsked(permission("three")))
        await pilot.press("o", *"precious")
        for name in ("one", "two", "three"):
            run.fake.tell(ev.RequestSettled(name, Cancelled("interrupted")))
        await until(pilot, lambda: run.screen.dock.panel is None and not run.screen.dock.line.items)
        await copies(pilot, "precious")
        assert "F8 copies your draft:" in run.screen.transcript.text()
        assert "precious" in run.screen.transcript.text()
        # One is withdrawn.
        run.screen.dock.notices.hush()
        await run.ask(pilot, asked("withdrawn"))
        await pilot.press("home", "2", "n", *"note", "enter")
        run.fake.tell(ev.RequestSettled("withdrawn", Cancelled("interrupted")))
        await until(pilot, lambda: "interrupted · F8" in run.screen.dock.notices.text)
        assert run.screen.dock.panel is None
        await copies(pilot, "Second", "note")
        # The same is answered elsewhere, then something else.
        for answer, offered in (("Second", False), ("First", True)):
            run.screen.dock.notices.hush()
            await run.ask(pilot, asked(answer, replace(ASKED, text=f"Not {answer}?")))
            await pilot.press("home", "2")
            run.fake.tell(ev.RequestSettled(answer, Answered((Answer((answer,)),)), PHONE))
            await until(pilot, lambda: "was answered" in run.screen.dock.notices.text)
            assert ("F8" in run.screen.dock.notices.text) is offered
        # Own text is left out of what is sent.
        run.screen.dock.notices.hush()
        await run.ask(pilot, asked("left out", replace(ASKED, text="Where?")))
        await pilot.press(*"Zebra", "escape", "2", "enter")
        await press_later(pilot, "enter", seconds=HELD + 0.01)
        await until(pilot, lambda: run.screen.dock.notices.text == with_keys(LEFT_OVER))
        assert run.fake.answers.pop()[1] == Answered((Answer(("Second",), unselected="Zebra"),))
        await copies(pilot, "Zebra")
        # All of it is declined.
        run.screen.dock.notices.hush()
        await run.ask(pilot, asked("declined", replace(ASKED, text="When?")))
        await pilot.press("2", "n", *"why", "enter", "ctrl+d")
        await press_later(pilot, "y", seconds=QUIET)
        await until(pilot, lambda: run.screen.dock.notices.text == with_keys(LEFT_OVER))
        assert run.fake.answers.pop()[1] == Declined()
        await copies(pilot, "Second", "why")
        # It is discussed instead.
        run.screen.dock.notices.hush()
        await run.ask(pilot, asked("discussed", replace(ASKED, text="Which?")))
        await pilot.press("2", "n", *"handy", "enter", "c", *"both", "enter")
        await until(pilot, lambda: run.screen.dock.notices.text == with_keys(LEFT_OVER))
        discussed = run.fake.answers.pop()[1]
        assert isinstance(discussed, Discussed)
        assert discussed.text == "both"
        await copies(pilot, "Second", "handy")
        # Answers never arrived.
        await run.ask(pilot, asked("lost", replace(ASKED, text="Who?")))
        await press(pilot, "2", "enter", then=lambda: run.fake.answers)
        run.fake.tell(ev.RequestSettled("lost", Cancelled("the Claude process ended")))
        await until(pilot, lambda: "process ended" in run.screen.dock.notices.text)
        await copies(pilot, "Second")
        # A reason was not sent, and goes to the prompt.
        await run.ask(pilot, ev.RequestAsked(permission()))
        await pilot.press("e", *"also", "escape", "y", "enter")
        await until(pilot, lambda: run.fake.answers[1:] == [("toolu_p", Allowed(), PANEL)])
        await until(pilot, lambda: run.screen.dock.prompt.text == "also")


async def test_asked_and_settled_in_one_breath_or_queued(run: Driven, pilot: Pilot[int]) -> None:
    for typed, event in (("x", asked("r")), ("xx", ev.RequestAsked(permission("r")))):
        for _ in range(3):
            run.fake.tell(event, ev.RequestSettled("r", Cancelled("interrupted")))
        await pilot.pause()
        assert run.screen.dock.panel is None, event
        await press(pilot, "x", then=lambda typed=typed: run.screen.dock.prompt.text == typed)
    run.screen.dock.prompt.put("")
    run.clock.skip(PAUSE + 0.1)
    run.fake.tell(asked("one"), asked("two"), ev.RequestAsked(permission("three")))
    await until(pilot, lambda: run.screen.dock.panel and run.screen.dock.panel.place == (1, 3))
    await keys_work(run, pilot)
    await pilot.press("2", "enter")
    await until(pilot, lambda: run.screen.dock.panel and run.screen.dock.panel.place == (2, 3))
    await keys_work(run, pilot)
    await pilot.press("1", "enter")
    await until(pilot, lambda: run.screen.dock.panel and run.screen.dock.panel.place == (3, 3))
    await keys_work(run, pilot)
    await press(pilot, "y", then=lambda: len(run.fake.answers) == 3)
    assert [(name, type(outcome)) for name, outcome, _ in run.fake.answers] == [
        ("one", Answered),
        ("two", Answered),
        ("three", Allowed),
    ]
    await until(pilot, lambda: run.screen.dock.panel is None)


async def test_a_failure_inside_the_session_leaves_the_screen() -> None:
    class Failing(FakeSession):
        async def run(self) -> None:
            raise RuntimeError("surprise")

    async with running(Driven(make=Failing)) as (run, pilot):
        await until(pilot, lambda: "Something went wrong" in run.screen.transcript.text())
        await press(pilot, "x", then=lambda: run.screen.dock.prompt.text == "x")


async def test_what_the_command_line_says_is_done_and_the_status_tells_the_rest() -> None:
    settings = Settings(cwd=Path("/"), theme="nope")
    run = Driven(Launch(settings=settings, prompt="do it", draft="later", notices=("first",)))
    async with run.app.run_test(size=(100, 24)) as pilot:
        await until(pilot, lambda: run.fake.sent == ["do it"])
        assert run.screen.dock.prompt.text == "later", "a draft is not sent"
        await until(pilot, lambda: "nope" in run.screen.transcript.text())
        assert "first" in run.screen.transcript.text()
        run.fake.tell(ev.ModeChanged("plan"), ev.StateChanged(ev.SessionState.AWAITING))
        await run.tell(pilot, asked(), then=lambda: panel_drawn(run.screen))
        words = [piece.text for piece in pieces(run.screen.view, run.screen.around, 0.0)]
        assert words[0].startswith("◆ waits for you")
        assert "x" in words
        assert "plan mode" in words
        await until(pilot, lambda: "? 1" in (run.screen.status.title))


async def test_a_panel_waits_for_a_pause_in_typing_is_hidden_and_closes_when_answered_elsewhere() -> None:
    async with running(Driven(clock=Clock())) as (run, pilot):
        dock = run.screen.dock
        await pilot.press(*"typ")
        await run.tell(pilot, asked("first"), then=lambda: "opens when you pause typing" in dock.notices.text)
        assert dock.panel is None
        run.clock.skip(THINKING)
        await until(pilot, lambda: panel_drawn(run.screen))
        assert dock.prompt.text == "typ"

        await keys_work(run, pilot)
        await pilot.press("2", "escape")
        await until(
            pilot,
            lambda: dock.notices.text == "1 question waiting · Which · draft 1/1, nothing sent · F2 opens",
        )
        await press(pilot, *"hi", "enter", then=lambda: run.fake.sent == ["typhi"])
        await press(pilot, "f2", "enter", then=lambda: [name for name, _, _ in run.fake.answers] == ["first"])

        await pilot.press(*"typ")
        await run.tell(pilot, asked("second"), then=lambda: dock.line.items)
        await press(pilot, "f2", then=lambda: panel_drawn(run.screen))
        run.fake.tell(ev.RequestSettled("second", Answered((Answer(selected=("First",)),)), PHONE))
        await until(pilot, lambda: dock.panel is None)
        assert "answered on phone" in dock.notices.text
        assert len(run.fake.answers) == 1, "it is not answered a second time"


@pytest.mark.parametrize("arrives", [False, True])
async def test_a_request_comes_behind_what_came_before_it(arrives: bool) -> None:
    async with running(Driven()) as (run, pilot):
        run.fake.tell(ev.StateChanged(ev.SessionState.AWAITING))
        event = asked("first")
        run.fake.tell(Grown(event.request, Arriving(1, whole=True)) if arrives else event)
        await until(pilot, lambda: panel_drawn(run.screen))
        assert run.screen.view.state is ev.SessionState.AWAITING, "what came before it is handled before it"


async def test_esc_interrupts_asks_first_where_a_hidden_request_would_be_withdrawn_and_ctrl_q_quits(
    patient: None, run: Driven, pilot: Pilot[int]
) -> None:
    await pilot.press("escape")
    assert run.fake.interrupts == 0, "nothing runs"
    await run.tell(pilot, ev.StateChanged(ev.SessionState.WORKING), then=lambda: run.screen.view.busy)
    await press_later(pilot, "a", "escape", seconds=AGAIN, then=lambda: run.fake.interrupts == 1)
    assert run.screen.dock.prompt.text == "a"
    keys = run.screen.query_one("Dock > HintBar", HintBar)
    assert keys.render().plain.endswith(" Esc interrupt    F1 keys")
    await run.ask(pilot, asked())
    await press(pilot, "escape", then=lambda: "F2 answer · " in keys.render().plain)
    assert " · Esc Esc interrupt " in keys.render().plain
    await press_later(pilot, "escape", seconds=QUIET + 0.01)
    await until(pilot, lambda: "Esc again" in run.screen.dock.notices.text)
    assert run.fake.interrupts == 1
    await press_later(pilot, "b", seconds=QUIET + 0.01)
    await press_later(pilot, "escape", seconds=QUIET + 0.01)
    assert run.fake.interrupts == 1, "another key came between"
    await until(pilot, lambda: "Esc again" in run.screen.dock.notices.text)
    await pilot.press("escape", "escape")
    await press_later(pilot, "escape", seconds=QUIET + 0.01, then=lambda: run.fake.interrupts == 2)
    await press(pilot, "ctrl+q", then=lambda: run.fake.closed)


SAID = (
    ev.PromptAccepted("Prepare the release of 1.4.0"),
    ev.BlockFinished(
        ev.BlockKey("m", 0),
        ev.BlockKind.TEXT,
        "I read the changelog. **Two things** are left:\n\n"
        "1. bump the version in `pyproject.toml`\n2. build the wheel",
    ),
)
EDIT = PermissionRequest(
    "e",
    "id-1",
    "Edit",
    {
        "file_path": "/srv/api/pyproject.toml",
        "old_string": 'name = "api"\nversion = "1.3.9"',
        "new_string": 'name = "api"\nversion = "1.4.0"',
    },
)
PLAN = PlanRequest(
    "p", "id-1", "# Import from browsers\n\n1. Read the export file\n2. Skip what is known\n3. Report"
)
THEMES = ("ccq-dark", "ccq-light")
SIZES = [(40, 12), (80, 24), (160, 50)]
"""From the smallest on: what is out of sight is measured anew for another width only when it is seen."""


class Shown:
    """The program, of which pictures are taken one after the other.

    Args:
        pictures: Where they are compared.
    """

    def __init__(self, pictures: Pictures) -> None:
        self.clock = Clock()
        self.run = Driven(Launch(settings=Settings(cwd=Path("/usr"), theme=THEMES[0])), clock=self.clock)
        self._pictures = pictures

    async def begin(self, pilot: Pilot[int]) -> None:
        """Tell what was said."""
        self.pilot = pilot
        await until(pilot, lambda: self.run.screen.view.state is ev.SessionState.IDLE)
        for event in SAID:
            self.run.fake.tell(event)
        transcript = self.run.screen.transcript
        # Seen before a panel makes less of it fit: what was never seen has a height that is only guessed.
        await until(pilot, lambda: len(transcript.model.blocks) == len(SAID) and rests(transcript))

    async def asks(self, event: ev.RequestAsked) -> None:
        """Let the session ask for something, and wait until its panel takes keys."""
        self.run.fake.tell(event)
        await until(self.pilot, lambda: panel_drawn(self.run.screen))
        self.clock.skip_grace()

    async def keep(self, name: str, *sizes: tuple[int, int]) -> None:
        """Take a picture in each size."""
        for width, height in sizes:
            if self.run.app.size != (width, height):
                await self.pilot.resize_terminal(width, height)
            await self.pilot.pause(0.1)
            await self._pictures.keep(self.pilot, f"{name}-{width}x{height}")


async def test_the_prompt_and_a_permission_in_its_place(pictures: Pictures) -> None:
    shown = Shown(pictures)
    async with running(shown.run, size=SIZES[0]) as (run, pilot):
        await shown.begin(pilot)
        run.screen.dock.prompt.put("Also update the docs")
        for run.app.theme in reversed(THEMES):
            await shown.keep(f"idle-{run.app.theme}", *SIZES[: None if run.app.theme == THEMES[0] else 1])
        run.screen.dock.prompt.put("")
        await shown.asks(ev.RequestAsked(permission()))
        for run.app.theme in THEMES:
            await shown.keep(f"command-{run.app.theme}", *SIZES[: None if run.app.theme == THEMES[0] else 1])
        run.app.theme = THEMES[0]
        await pilot.resize_terminal(80, 24)
        await pilot.press("e")
        await shown.keep("denying", (80, 24))
        await pilot.press(*"use", "ctrl+j", *"make")
        await shown.keep("denying_with_a_text", (80, 24))


async def test_permission_for_an_edit(pictures: Pictures) -> None:
    shown = Shown(pictures)
    async with shown.run.app.run_test(size=(80, 24)) as pilot:
        await shown.begin(pilot)
        await shown.asks(ev.RequestAsked(EDIT))
        await shown.keep(shown.run.app.theme, (80, 24))


async def test_plan(pictures: Pictures) -> None:
    shown = Shown(pictures)
    async with shown.run.app.run_test(size=SIZES[0]) as pilot:
        await shown.begin(pilot)
        await shown.asks(ev.RequestAsked(PLAN))
        for move in (*["page_up"] * 5, "bottom"):  # what was never seen has a height that is only guessed
            shown.run.screen.action_do(move)
        await shown.keep("plan", *SIZES[:2])


async def test_a_hidden_question(pictures: Pictures) -> None:
    shown = Shown(pictures)
    async with shown.run.app.run_test(size=SIZES[0]) as pilot:
        await shown.begin(pilot)
        await shown.asks(asked())
        await pilot.press("2", "escape")
        await shown.keep("hidden", *SIZES[:2])


VIEW = SessionFacts(Path("/srv/api"), model="claude-x", mode="acceptEdits", cli_version="2.1.9")
AROUND = Surroundings("main")


def test_it_says_who_is_there_where_what_waits_and_what_to_press() -> None:
    text = welcome_text(VIEW, AROUND)
    assert text.split("\n")[:3] == [
        f"ccq-tui {__version__} · Claude Code 2.1.9",
        "claude-x · accepts edits",
        "/srv/api · git main",
    ]
    assert text.split("\n")[4:] == ["/        commands", "@        files in the prompt", "F1       all keys"]
    around = Surroundings(waiting_beside=2, earlier="Fix the login")
    waiting = welcome_text(SessionFacts(Path("/srv/api")), around).split("\n")
    assert waiting[1] == "Starting Claude Code…"
    assert waiting[4:] == [
        "F4       2 requests wait elsewhere",
        "/resume  continue “Fix the login”",
        "/        commands",
    ]


@given(st.text(), st.text())
def test_hostile_names_stay_on_their_lines(model: str, version: str) -> None:
    view = SessionFacts(Path("/srv/api"), model=model, cli_version=version)
    assert len(welcome_text(view, AROUND).split("\n")) == 7


@pytest.mark.parametrize("size", [(40, 12), (80, 24)])
async def test_it_is_there_until_something_is_said(size: tuple[int, int]) -> None:
    run = Driven(Launch(settings=Settings(cwd=Path("/usr"))))

    def shown() -> str:
        transcript = run.screen.transcript
        return "\n".join(transcript.render_line(y).text.strip() for y in range(transcript.size.height))

    async with run.app.run_test(size=size) as pilot:
        await until(pilot, lambda: run.session and "claude-x · default mode" in shown())
        assert f"ccq-tui {__version__}" in shown()
        assert "F1       all keys" in shown()
        run.fake.tell(ErrorReported(Problem.MCP_FAILED, "docs: no such file"))
        await until(pilot, lambda: "docs: no such file" in shown())
        assert ("F1       all keys" in shown()) == (size[1] > 12)  # where both fit
        await run.tell(pilot, PromptAccepted("Build it"), then=lambda: "Build it" in shown())
        assert "all keys" not in shown()
        await run.app.run_action("quit")


FAILED_TURN = ev.TurnEnded("api_error", True, 1.0, None, 0, 0)
GOOD_TURN = ev.TurnEnded("completed", False, 1.0, None, 1, 1)


async def tell(driven: Driven, pilot: Pilot[int], *events: ev.AgentEvent) -> None:
    driven.fake.tell(*events)
    # A burst is handled a moment later.
    await until(pilot, lambda: not driven.session_screen._arrived)


async def ready(driven: Driven, pilot: Pilot[int]) -> None:
    await until(pilot, lambda: driven.screen.view.state is ev.SessionState.IDLE)


def prompted(text: str = "Build it", name: str = "1") -> tuple[ev.AgentEvent, ...]:
    return ev.PromptAccepted(text, prompt_id=name), ev.PromptDelivered(name)


async def test_an_error_names_cause_and_remedy_and_the_key_sends_the_prompt_again_or_brings_it_back(
    run: Driven, pilot: Pilot[int]
) -> None:
    overloaded = ev.ErrorReported(Problem.OVERLOADED, "529 Overloaded.")
    await tell(run, pilot, *prompted(), overloaded, FAILED_TURN)
    shown = run.screen.transcript.text()
    assert "The API is overloaded." in run.screen.dock.notices.text
    assert "F6 send it again" in run.screen.dock.notices.text
    assert "529 Overloaded." in shown
    await pilot.press("f6", "f6")
    assert run.fake.sent == ["Build it"]
    await tell(run, pilot, *prompted(), GOOD_TURN)
    assert "F6 send it again" not in run.screen.dock.notices.text
    run.fake.sent.clear()
    refused = ev.ErrorReported(Problem.REQUEST_REFUSED, "400 messages: bad")
    await tell(run, pilot, *prompted("Build it all", "2"), refused, FAILED_TURN)
    assert "F6 change the prompt" in run.screen.dock.notices.text
    run.screen.dock.prompt.put("typed since")
    await pilot.press("f6", "f6")
    assert run.screen.dock.prompt.text == "Build it all\ntyped since"
    assert run.fake.sent == []
    assert "F6" not in run.screen.dock.notices.text.removeprefix(with_keys(NO_ERROR))
    await tell(run, pilot, *prompted("Again", "3"), overloaded, FAILED_TURN)
    with patch.object(Recovery, "seconds_to_wait", return_value=2.4):
        await pilot.press("f6")
    assert "It has just failed · F6 works again in 3 s" in run.screen.dock.notices.text
    assert run.fake.sent == []


@pytest.mark.parametrize("read", [True, False])
async def test_a_lost_session_is_resumed_in_place_with_everything_kept(
    read: bool, run: Driven, pilot: Pilot[int]
) -> None:
    block = ev.BlockFinished(ev.BlockKey("m", 0), ev.BlockKind.TEXT, "Half of it")
    await tell(run, pilot, *prompted(), block, ev.SessionLost("", kind=Problem.CLI_KILLED))
    await pilot.press(*"more")
    before = run.fake
    await pilot.press("f6")
    assert run.fake is not before
    assert run.launches[-1].resume == "id-1"
    await tell(run, pilot, ev.HistoryLoaded((*prompted(), block)))
    await until(pilot, lambda: "F6 continue" in run.screen.dock.notices.text)
    assert run.screen.transcript.text().count("Half of it") == 1
    assert run.screen.dock.prompt.text == "more"
    run.fake.read = frozenset({"1"} if read else ())
    await press(pilot, "f6", then=lambda: run.fake.sent)
    assert run.fake.sent == ["Go on." if read else "Build it"], "what Claude has read is not sent twice"


async def test_what_waits_for_a_person_is_said_before_the_remedy() -> None:
    async with idle(Driven(clock=Clock())) as (driven, pilot):
        await tell(driven, pilot, ev.ErrorReported(Problem.MCP_FAILED, "broken"))
        assert "F6 look at the servers" in driven.screen.dock.notices.text
        await tell(driven, pilot, ev.StateChanged(ev.SessionState.AWAITING), asked())
        await until(pilot, lambda: driven.screen.dock.panel is not None)
        await press_later(pilot, "escape")
        assert "1 question waiting" in driven.screen.dock.notices.text
        assert "F6" not in driven.screen.dock.notices.text


async def test_the_same_error_is_not_repeated_and_after_a_reconnect_a_resumed_session_is_connected(
    run: Driven, pilot: Pilot[int]
) -> None:
    lost = ev.SessionLost("/bin/false is not Claude Code.", kind=Problem.CLI_UNUSABLE)
    await tell(run, pilot, lost, lost)
    assert run.screen.transcript.text().count("/bin/false is not Claude Code.") == 1
    await pilot.press("f6")
    await ready(run, pilot)
    connected = run.screen.transcript.text().count("Connected again.")
    await tell(run, pilot, ev.SessionLost("", kind=Problem.CLI_ENDED))
    assert run.screen.view.state is ev.SessionState.FAILED
    await pilot.press("f6")
    await ready(run, pilot)
    assert run.screen.transcript.text().count("Connected again.") == connected + 1
    await tell(run, pilot, ev.Connected("id-1", "claude-x", "default", "/work"))
    assert run.screen.transcript.text().count("Connected again.") == connected + 1


@pytest.mark.parametrize(
    ("ended", "words"),
    [
        (
            ev.SessionLost("/work/gone", kind=Problem.DIRECTORY_MISSING),
            ("The working directory does not exist.", "--cwd DIR --resume ID"),
        ),
        (ev.SessionLost("id-1", kind=Problem.NO_CONVERSATION), ("This directory has no such conversation.",)),
    ],
)
async def test_an_answer_for_a_session_that_cannot_be_resumed_can_be_copied(
    ended: ev.SessionLost, words: tuple[str, ...], run: Driven, pilot: Pilot[int]
) -> None:
    await tell(run, pilot, asked())
    await keys_work(run, pilot)
    await tell(run, pilot, ev.StateChanged(ev.SessionState.PARKED))
    parked = run.fake
    await pilot.press("2", "enter")
    await kept_while_parked(run, pilot)
    await until(pilot, lambda: run.fake is not parked)
    await tell(run, pilot, ended)
    shown = run.screen.transcript.text()
    assert all(text in shown for text in words)
    assert "Your answer did not reach Claude; F8 copies it" in shown
    await press(pilot, "f8", then=lambda: "Draft copied" in run.screen.dock.notices.text)
    assert "Which one?" in run.app.clipboard
    assert "Second" in run.app.clipboard
    await tell(run, pilot, ended)
    assert run.screen.transcript.text().count("F8 copies it") == 1

"""Words meant for the prompt never answer what comes up meanwhile, nor a set that is still being written."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from itertools import product
from pathlib import Path
from unittest.mock import Mock

import pytest
from textual import events
from textual.pilot import Pilot

from ccq_tui.agent import events as ev
from ccq_tui.inbox import waiting_line
from ccq_tui.inbox.port import Grown
from ccq_tui.inbox.requests import Allowed, Cancelled, Denied, PlanRequest, QuestionRequest
from ccq_tui.input.gate import AGAIN, PAUSE, QUIET, REPEAT, SEEN, THINKING, WRITING
from ccq_tui.questions import Answer, Answered, Declined, Kind, Question
from ccq_tui.questions.merge_partial import BACK_AGAIN, NOT_COMPLETE, grown
from ccq_tui.questions.parse import parse_question_set
from ccq_tui.questions.partial_parse import ArrivingSet
from ccq_tui.questions.state import Arriving, PanelState
from ccq_tui.testing.scenario import question_set_input
from ccq_tui.widgets.panel import RequestPanel
from ccq_tui.widgets.panel.keying import NOT_SENT
from tests.actors import PANEL, PHONE
from tests.ui.asked import MULTI, RECOMMENDED, SINGLE
from tests.ui.cases import in_one_program
from tests.ui.drawn import screen_lines
from tests.ui.host import Clock, PanelHost, press_later
from tests.ui.inboxed import one_waits
from tests.ui.pictures import Pictures
from tests.ui.session import Driven, asked, burst, idle, keys_work, panel_drawn, permission, press, until

ASKED: dict[str, ev.AgentEvent] = {
    "set": asked("set", MULTI),
    "number": asked("number", Question("Which port?", "Port", kind=Kind.NUMBER)),
    "permission": ev.RequestAsked(permission("permission")),
    "plan": ev.RequestAsked(PlanRequest("plan", "s", "# A")),
}
WORDS = "check the backups of 2024"


@pytest.fixture
def run() -> Driven:
    """The program, whose clock moves as the test says."""
    return Driven(clock=Clock())


@pytest.fixture
async def pilot(run: Driven) -> AsyncIterator[Pilot[int]]:
    async with idle(run) as (run, pilot):
        yield pilot


async def opened(run: Driven, pilot: Pilot[int], event: ev.AgentEvent, before: str = "") -> None:
    """Ask, after something was typed; wait for the panel, which is fresh."""
    if before:
        burst(run, before)
        await until(pilot, lambda: run.prompt.text == before)
    await run.tell(pilot, event, then=lambda: run.dock.line.items)
    if before:
        run.clock.skip(THINKING)
    await until(pilot, lambda: panel_drawn(run.screen))


@pytest.mark.words
@in_one_program(*ASKED)
async def test_words_begun_in_the_prompt_stay_there_and_are_sent_from_there(
    name: str, run: Driven, pilot: Pilot[int]
) -> None:
    await opened(run, pilot, ASKED[name], "Before that, ")
    burst(run, WORDS)
    await until(pilot, lambda: run.prompt.text == f"Before that, {WORDS}")
    assert panel_drawn(run.screen)
    assert screen_lines(run.app)[-2].startswith(f" ❯ Before that, {WORDS}▏")
    await press_later(pilot, "enter")
    assert NOT_SENT in "\n".join(screen_lines(run.app)), "words that a panel met are not sent by their Enter"
    assert (run.fake.sent, run.fake.answers) == ([], [])
    await press_later(pilot, "enter", then=lambda: run.fake.sent == [f"Before that, {WORDS}"])
    assert run.fake.answers == []
    assert not run.dock.panel.state.has_draft  # type: ignore[union-attr]


async def test_a_panel_has_the_focus_before_it_is_mounted_so_that_no_key_is_lost(
    run: Driven, pilot: Pilot[int]
) -> None:
    found, show_prompt = [], run.dock.show_prompt

    def noted() -> None:
        panel = run.dock.panel
        found.append(panel and (panel.is_mounted, run.screen.focused is panel))
        show_prompt()

    run.dock.show_prompt = noted  # type: ignore[method-assign]
    await run.tell(pilot, ASKED["permission"], then=lambda: panel_drawn(run.screen))
    assert found[0] == (False, True)


@pytest.mark.words
async def test_what_follows_the_enter_that_sends_the_prompt_in_one_burst_is_the_next_one(
    run: Driven, pilot: Pilot[int]
) -> None:
    await opened(run, pilot, ASKED["permission"], "first")
    run.prompt.came_up()
    await press_later(pilot, "enter")
    run.clock.skip(1.0)
    burst(run, "\rand")
    await until(pilot, lambda: (run.fake.sent, run.prompt.text) == (["first"], "and"))


async def test_the_text_in_the_prompt_becomes_the_answer(run: Driven, pilot: Pilot[int]) -> None:
    await opened(run, pilot, asked("set", SINGLE), "zebra crossing")
    await pilot.press("ctrl+y")
    assert (run.prompt.text, run.dock.panel.state.text) == ("", "zebra crossing")  # type: ignore[union-attr]
    await press_later(pilot, "enter", then=lambda: run.fake.answers)
    assert run.fake.answers[0][1] == Answered((Answer(other="zebra crossing"),))


async def recalled(run: Driven, pilot: Pilot[int]) -> None:
    """Bring an earlier prompt back, and look at it."""
    await pilot.press("up")
    assert run.prompt.text == "an earlier one"


async def put_aside_and_back(run: Driven, pilot: Pilot[int]) -> None:
    """Bring back the prompt that was put aside."""
    burst(run, "half a thought")
    await pilot.press("ctrl+s")
    await press_later(pilot, "ctrl+s", seconds=5.0)
    assert run.prompt.text == "half a thought"


async def gone_through_a_list(run: Driven, pilot: Pilot[int]) -> None:
    """Choose in the list of commands, with pauses in which nothing would open."""
    burst(run, "/mo")
    await until(pilot, lambda: run.prompt.choices)
    await press_later(pilot, "down", seconds=1.4)
    await press_later(pilot, "down", seconds=1.4)
    await press_later(pilot, "up", seconds=1.4)


async def gone_through_the_text(run: Driven, pilot: Pilot[int]) -> None:
    """Move the caret in a text that was typed a while ago."""
    burst(run, "half a thought")
    await until(pilot, lambda: run.prompt.text == "half a thought")
    await press_later(pilot, "left", seconds=1.4)
    await press_later(pilot, "home", seconds=1.4)


async def left_an_editor(run: Driven, pilot: Pilot[int]) -> None:
    """Return from an editor, where the keys went."""
    del pilot
    run.prompt.put_edited("edited")


@in_one_program(recalled, put_aside_and_back, gone_through_a_list, gone_through_the_text, left_an_editor)
async def test_no_panel_opens_right_behind_a_key_that_changes_no_letter(
    keys: Callable[[Driven, Pilot[int]], Awaitable[None]], run: Driven, pilot: Pilot[int]
) -> None:
    burst(run, "an earlier one\r")
    await until(pilot, lambda: run.fake.sent == ["an earlier one"])
    run.clock.skip(5.0)
    await keys(run, pilot)
    run.clock.skip(THINKING - 0.1)
    run.fake.tell(ASKED["permission"])
    await until(pilot, lambda: "opens when you pause typing" in run.dock.notices.text)
    assert run.dock.panel is None
    run.clock.skip(0.2)
    await until(pilot, lambda: panel_drawn(run.screen))


@in_one_program("", "n")
async def test_a_panel_opens_right_behind_the_enter_that_sends_but_not_under_the_next_words(
    more: str, run: Driven, pilot: Pilot[int]
) -> None:
    burst(run, f"go\r{more}")
    await until(pilot, lambda: run.fake.sent == ["go"] and run.prompt.text == more)
    run.fake.tell(ASKED["set"])
    if more:
        await until(pilot, lambda: "opens when you pause typing" in run.dock.notices.text)
        assert run.dock.panel is None
        run.clock.skip(THINKING)
    await until(pilot, lambda: panel_drawn(run.screen))
    await pilot.press("enter")
    assert (run.fake.sent, run.fake.answers) == (["go"], []), "it came by itself, a moment ago"


@pytest.mark.words
@in_one_program(("set", "2 things first"), ("permission", "no"), ("plan", "just wait"))
async def test_words_over_an_unused_panel_go_back_to_the_prompt_and_their_enter_sends_nothing(
    name: str, words: str, run: Driven, pilot: Pilot[int]
) -> None:
    await opened(run, pilot, ASKED[name])
    run.clock.skip(0.5)
    burst(run, f"{words}\r")
    await until(pilot, lambda: run.prompt.text == words)
    await until(pilot, lambda: NOT_SENT in "\n".join(screen_lines(run.app)))
    assert (run.fake.sent, run.fake.answers) == ([], [])
    assert not run.dock.panel.state.has_draft  # type: ignore[union-attr]
    # Nor does the Enter of the next panel, which has said nothing yet.
    run.fake.tell(ev.RequestSettled(name, Cancelled("over"), PHONE))
    await until(pilot, lambda: not run.dock.line.items)
    run.clock.skip(THINKING)
    await opened(run, pilot, ev.RequestAsked(permission("other")))
    await press_later(pilot, "enter", seconds=QUIET)
    await until(pilot, lambda: NOT_SENT in "\n".join(screen_lines(run.app)))
    assert (run.fake.sent, run.fake.answers) == ([], [])


@pytest.mark.words
async def test_words_over_a_panel_in_use_become_the_own_text_that_the_second_enter_sends(
    run: Driven, pilot: Pilot[int]
) -> None:
    await opened(run, pilot, asked("set", SINGLE))
    await press_later(pilot, "down")
    run.clock.skip(1.0)
    burst(run, "so, why\r")
    await until(pilot, lambda: run.dock.panel and run.dock.panel.state.page.draft.other_on)  # type: ignore[union-attr]
    assert (run.prompt.text, run.fake.answers) == ("", [])
    await press_later(pilot, "enter", then=lambda: run.fake.answers)
    assert run.fake.answers[0][1] == Answered((Answer(other="so, why"),))


@pytest.mark.words
async def test_a_letter_that_was_no_command_yet_is_the_prompts_when_its_panel_goes(
    run: Driven, pilot: Pilot[int]
) -> None:
    await opened(run, pilot, ASKED["set"])
    await press_later(pilot, "o")
    await run.tell(pilot, ev.RequestSettled("set", Declined(), PHONE), then=lambda: run.prompt.text == "o")


async def test_typing_goes_to_the_caret_and_a_paste_is_folded(run: Driven, pilot: Pilot[int]) -> None:
    await opened(run, pilot, ASKED["set"], "before after")
    run.prompt.field.move_cursor((0, 7))
    burst(run, "x")
    run.app.post_message(events.Paste("\n".join("line" for _ in range(30))))
    burst(run, "y ")
    await until(pilot, lambda: "y " in run.prompt.text)
    assert run.prompt.field.text == "before x[pasted 30 lines]y after"


@in_one_program(*product(("set", "permission"), ("ctrl+f", "f1")))
async def test_what_covered_a_panel_leaves_it_fresh(
    name: str, cover: str, run: Driven, pilot: Pilot[int]
) -> None:
    await opened(run, pilot, ASKED[name])
    await press_later(pilot, cover, seconds=2.0)
    await press_later(pilot, "escape", seconds=2.0)
    screen = run.session_screen
    await until(pilot, lambda: run.app.screen is screen and screen.focused is screen.dock.panel)
    await pilot.press("enter")
    assert "Enter again " in "\n".join(screen_lines(run.app))
    assert run.fake.answers == []


async def test_a_prompt_begun_after_ones_own_answer_is_sent_at_once(run: Driven, pilot: Pilot[int]) -> None:
    await opened(run, pilot, ASKED["permission"])
    await press_later(pilot, "enter", seconds=2.0, then=lambda: run.prompt.display and run.dock.panel is None)
    burst(run, "next\r")
    await until(pilot, lambda: run.fake.sent == ["next"])
    run.clock.skip(PAUSE + 0.1)
    await opened(run, pilot, ev.RequestAsked(permission("other")))
    run.fake.tell(ev.RequestSettled("other", Cancelled("interrupted")))
    await until(pilot, lambda: run.dock.panel is None)
    burst(run, "y\r")
    await until(pilot, lambda: "Not sent" in run.dock.notices.text)
    assert run.fake.sent == ["next"]


@pytest.mark.words
@pytest.mark.parametrize("away", [("f1", "x", "escape", "escape"), ("f2", "h", "i", "enter", "f2")])
async def test_no_letter_decides_right_behind_one_that_was_typed_elsewhere(
    away: tuple[str, ...], run: Driven, pilot: Pilot[int]
) -> None:
    await opened(run, pilot, ASKED["permission"])
    run.clock.skip(2.0)
    screen = run.session_screen
    for key in away:
        await press_later(pilot, key, seconds=0.1)
    await until(pilot, lambda: run.app.screen is screen and screen.focused is screen.dock.panel)
    await press_later(pilot, "n", seconds=QUIET + 0.2)
    await pilot.pause()
    assert run.fake.answers == []
    await press_later(pilot, "n", seconds=SEEN)
    await until(pilot, lambda: run.fake.answers == [("permission", Denied(), PANEL)])


async def test_no_panel_opens_under_hands_that_type_in_one_settled_elsewhere(
    run: Driven, pilot: Pilot[int]
) -> None:
    await opened(run, pilot, ASKED["set"])
    run.fake.tell(ASKED["permission"])
    await press_later(pilot, "o", seconds=2.0)
    burst(run, "my own")
    await until(pilot, lambda: run.dock.panel and run.dock.panel.state.text == "my own")  # type: ignore[union-attr]
    run.fake.tell(ev.RequestSettled("set", Declined(), PHONE))
    await until(pilot, lambda: "opens when you pause typing" in run.dock.notices.text)
    assert run.dock.panel is None
    run.clock.skip(0.45)
    burst(run, "s\r")
    await until(pilot, lambda: "Not sent" in run.dock.notices.text)
    assert run.prompt.text == "s"
    assert (run.fake.sent, run.fake.answers) == ([], [])
    run.clock.skip(THINKING + 0.1)
    await until(pilot, lambda: panel_drawn(run.screen))
    assert len(run.dock.line.items) == 1


@pytest.mark.words
async def test_a_letter_that_allowed_one_call_does_not_allow_the_next_within_a_word(
    run: Driven, pilot: Pilot[int]
) -> None:
    await opened(run, pilot, ASKED["permission"])
    run.fake.tell(ev.RequestAsked(permission("other")))
    await press_later(pilot, "y", seconds=2.0, then=lambda: len(run.fake.answers) == 1)
    run.fake.tell(ev.RequestSettled("permission", Allowed()))
    await until(pilot, lambda: len(run.dock.line.items) == 1 and panel_drawn(run.screen))
    await press_later(pilot, "y", seconds=QUIET + 0.2)
    await pilot.pause()
    assert len(run.fake.answers) == 1, "1.5 s without a letter have not passed"
    await press_later(pilot, "y", seconds=2.0)
    await until(pilot, lambda: run.fake.answers[1:] == [("other", Allowed(), PANEL)])


@pytest.mark.words
async def test_a_letter_that_another_key_follows_at_once_says_that_it_did_not_decide(
    run: Driven, pilot: Pilot[int]
) -> None:
    await opened(run, pilot, ASKED["permission"])
    run.clock.skip(2.0)
    burst(run, "y")
    run.app.post_message(events.Key("ctrl+t", None))
    await until(pilot, lambda: "y again allows" in "\n".join(screen_lines(run.app)))
    assert run.fake.answers == []
    await press_later(pilot, "y", seconds=WRITING)
    await until(pilot, lambda: run.fake.answers == [("permission", Allowed(), PANEL)])


@in_one_program(("set", 0.0), ("permission", 0.03), ("set", 0.06))
async def test_no_burst_of_esc_and_none_held_down_interrupts(
    name: str, apart: float, run: Driven, pilot: Pilot[int]
) -> None:
    run.fake.tell(ev.StateChanged(ev.SessionState.WORKING))
    await opened(run, pilot, ASKED[name])
    await press_later(pilot, "e" if name == "permission" else "o", "x", seconds=2.0)
    for number in range(20):
        # One that is held down comes again after half a second, then without a pause.
        run.clock.skip(0.5 if number == 1 and apart else apart)
        if apart:
            await pilot.press("escape")
        else:
            run.app.post_message(events.Key("escape", "\x1b"))
    await until(pilot, lambda: run.dock.panel and run.dock.panel.state.hidden)
    await pilot.pause(REPEAT * 2)  # what is put off would be done by now
    assert run.fake.interrupts == 0
    assert len(run.dock.line.items) == 1
    for _ in range(2):
        await press_later(pilot, "escape", seconds=QUIET + 0.01)
    run.clock.skip(REPEAT)
    await until(pilot, lambda: run.fake.interrupts == 1)


@pytest.mark.words
async def test_enter_held_down_allows_no_second_permission(run: Driven, pilot: Pilot[int]) -> None:
    await opened(run, pilot, ASKED["permission"])
    run.fake.tell(ev.RequestAsked(permission("other")))
    await press_later(pilot, "enter", seconds=2.0, then=lambda: len(run.fake.answers) == 1)
    run.clock.skip(0.05)
    run.fake.tell(ev.RequestSettled("permission", Allowed()))
    await until(pilot, lambda: len(run.dock.line.items) == 1 and panel_drawn(run.screen))
    run.clock.skip(0.45)
    for _ in range(20):
        await pilot.press("enter")
        run.clock.skip(0.03)
    assert len(run.fake.answers) == 1
    await press_later(pilot, "enter", seconds=QUIET)
    await until(pilot, lambda: run.fake.answers[1:] == [("other", Allowed(), PANEL)])


@pytest.mark.words
async def test_a_key_held_down_over_a_hidden_panel_or_a_list_does_not_interrupt(
    run: Driven, pilot: Pilot[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    put_off: list[Callable[[], object]] = []

    def wait(_owner: object, _seconds: float, call: Callable[[], object]) -> Mock:
        put_off.append(call)
        return Mock()

    monkeypatch.setattr("ccq_tui.screens.session.dock.after", wait)
    run.fake.tell(ev.StateChanged(ev.SessionState.WORKING))
    for cover in ("f1", "ctrl+f"):
        await press_later(pilot, cover, seconds=AGAIN)
        await press(pilot, "escape", then=lambda: run.app.screen is run.session_screen)
        run.clock.skip(0.5)
        for _ in range(5):
            await pilot.press("escape")
            run.clock.skip(0.03)
        assert put_off
        run.clock.skip(REPEAT)
        while put_off:
            put_off.pop()()
        assert run.fake.interrupts == 0, cover
    await press_later(pilot, "escape", seconds=AGAIN)
    assert run.fake.interrupts == 1


async def test_words_meant_for_a_panel_that_closes_are_no_commands_of_the_list(tmp_path: Path) -> None:
    async with one_waits(tmp_path) as (run, pilot, request):
        clock = run.list.clock = Clock()
        await pilot.press("a", "o", "m", "y")
        await until(pilot, lambda: run.list.panel and run.list.panel.state.text == "my")
        await run.app.runtime.inbox.settle(request.id, Declined(), PHONE)
        await until(pilot, lambda: run.list.panel is None)
        await pilot.press("p", "c", "q", "enter", "escape")
        assert run.list.state.filter == "pcq"
        assert "Pausing" not in run.notice()
        clock.skip(PAUSE + 0.1)
        await pilot.press("escape")
        assert run.list.state.filter == ""


@in_one_program(*product(("set", "permission"), ("f2", "escape")))
async def test_what_is_typed_right_behind_the_key_that_hides_a_panel_is_the_prompts(
    name: str, hides: str, run: Driven, pilot: Pilot[int]
) -> None:
    await opened(run, pilot, ASKED[name])
    run.clock.skip(QUIET + 0.1)
    run.app.post_message(events.Key(hides, None))
    burst(run, "no, wait")
    run.app.post_message(events.Paste(" a bit"))
    await until(pilot, lambda: run.prompt.text == "no, wait a bit")
    assert run.dock.panel.state.hidden
    assert not run.dock.panel.state.has_draft


async def test_a_line_typed_blind_behind_the_key_that_shows_the_panel_is_not_sent(
    run: Driven, pilot: Pilot[int]
) -> None:
    await run.ask(pilot, asked())
    dock = run.session_screen.dock
    await press(pilot, "f2", then=lambda: dock.prompt.display)
    run.clock.skip(5.0)
    run.app.post_message(events.Key("f2", None))
    burst(run, "yes\r")
    await until(pilot, lambda: not dock.prompt.display and dock.prompt.text == "yes")
    await pilot.pause()
    assert (run.fake.sent, run.fake.answers) == ([], [])
    await press(pilot, "f2", then=lambda: dock.prompt.display)
    await press_later(pilot, "enter", seconds=5.0, then=lambda: run.fake.sent == ["yes"])


def growing(name: str, *questions: Question, size: int = 24) -> Iterator[Grown]:
    """What is told of a set, and last that all of it is here."""
    source = question_set_input(questions)
    text, arriving = json.dumps(source), ArrivingSet(name)
    for at in range(0, len(text), size):
        arriving.feed(text[at : at + size])
        if look := arriving.parse():
            yield Grown(QuestionRequest(name, "id-1", look.questions), Arriving(look.complete))
    whole = QuestionRequest(name, "id-1", parse_question_set(name, source))
    yield Grown(whole, Arriving(len(questions), whole=True))


def first_of(run: Driven) -> str:
    """Return the call of the request in the panel."""
    opened = panel_of(run).opened
    return opened.request.tool_use_id if opened is not None else ""


def panel_of(run: Driven) -> RequestPanel:
    panel = run.session_screen.dock.panel
    assert isinstance(panel, RequestPanel)
    return panel


def state_of(run: Driven) -> PanelState:
    return panel_of(run).state


async def test_sets_on_the_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting_line, "HELD_UP_SECONDS", 0.0)
    async with idle(Driven(clock=Clock())) as (run, pilot):
        for part in (
            a_set_is_answered_as_it_comes,
            a_set_comes_to_nothing_and_again,
            a_set_that_is_held_up_makes_way,
            typing_goes_on_while_a_set_comes,
        ):
            await part(run, pilot)
            run.fake.answers.clear()
            run.prompt.put("")
            run.clock.skip(1.0)


async def a_set_is_answered_as_it_comes(run: Driven, pilot: Pilot[int]) -> None:
    events = list(growing("r1", SINGLE, MULTI))
    await run.ask(pilot, events[0])
    assert run.dock.line.summary() == "1 question arriving"
    assert not run.screen.session.waiting
    assert "? 1" not in run.screen.status.title
    await pilot.press("1", "n", "s", "o")
    await run.tell(pilot, *events[1:6], then=lambda: state_of(run).questions == events[5].request.questions)
    await pilot.press("o", "n", "enter", "enter")
    assert state_of(run).aside == NOT_COMPLETE
    assert not run.fake.answers
    await run.tell(pilot, *events[6:], then=lambda: len(state_of(run).pages) == 2)
    await pilot.press("tab", "2", "3", "enter", "enter")
    assert not run.fake.answers
    asked, inbox = events[-1].request, run.app.runtime.inbox
    asking = asyncio.ensure_future(inbox.ask(asked))
    await until(pilot, lambda: inbox.pending)
    await run.tell(pilot, ev.RequestAsked(asked), then=lambda: run.screen.session.waiting)
    assert "? 1" in str(run.screen.status.title)
    opened = inbox.known(asked.id)
    await until(pilot, lambda: isinstance(opened.draft, PanelState))
    assert opened.draft.pages[0].draft.note == "soon", "what was typed as it came is kept once it is asked"
    await press_later(pilot, "enter")
    first, second = Answer(("PostgreSQL",), note="soon"), Answer(("Cache", "Logs"))
    assert await asking == Answered((first, second))
    assert opened.stored.actor == PANEL


async def a_set_comes_to_nothing_and_again(run: Driven, pilot: Pilot[int]) -> None:
    *_, event, _whole = growing("r2", SINGLE)
    await run.ask(pilot, event)
    await pilot.press("2", "n", "h", "i", "enter")
    run.app.runtime.inbox.known("r2@id-1").end_arriving("its stream broke")
    await until(pilot, lambda: run.dock.panel is None)
    assert "service use?” was closed: its stream broke · F8" in run.dock.notices.text
    await pilot.press("x")
    assert run.prompt.text == "x"
    run.clock.skip(2.0)
    run.fake.tell(event)  # it would be another name; what counts is the question
    await keys_work(run, pilot)
    assert not state_of(run).page.draft.selected
    assert run.dock.notices.text == ""
    run.fake.tell(ev.RequestAsked(list(growing("r2", SINGLE))[-1].request))
    await until(pilot, lambda: state_of(run).arriving is None)
    assert state_of(run).aside == BACK_AGAIN
    await press_later(pilot, "down", "up", "enter")  # until then Enter belongs to the "x" in the prompt
    await until(pilot, lambda: run.fake.answers)
    assert run.fake.answers[0][1] == Answered((Answer(("SQLite",), note="hi"),))
    await run.ask(pilot, ev.RequestAsked(list(growing("r3", SINGLE))[-1].request))
    assert not state_of(run).has_draft  # what was answered is no draft any more
    await run.tell(pilot, ev.RequestSettled("r3", Cancelled("over")), then=lambda: run.dock.panel is None)


async def a_set_that_is_held_up_makes_way(run: Driven, pilot: Pilot[int]) -> None:
    *_, event, whole = growing("r4", SINGLE)
    await run.ask(pilot, event)
    await pilot.press("2")
    await run.tell(pilot, ev.RequestAsked(permission("p1")), then=lambda: len(run.dock.line.items) == 2)
    assert first_of(run) == "r4"
    await run.tell(pilot, whole, then=lambda: run.dock.line.held_up)
    await pilot.pause(0.05)  # it would have made way by now
    assert first_of(run) == "r4", "somebody is typing in it"
    run.clock.skip(1.0)
    await until(pilot, lambda: run.dock.panel is not None and first_of(run) == "p1")
    run.fake.tell(ev.RequestSettled("p1", Allowed(), PHONE))
    await until(pilot, lambda: run.dock.panel is not None and first_of(run) == "r4")
    assert state_of(run).page.draft.selected == (1,)
    run.app.runtime.inbox.known("r4@id-1").end_arriving("over")
    await until(pilot, lambda: run.dock.panel is None)


async def typing_goes_on_while_a_set_comes(run: Driven, pilot: Pilot[int]) -> None:
    await pilot.press("h", "e")
    events = list(growing("r5", RECOMMENDED, size=80))
    for event in events:
        run.fake.tell(event)
        await pilot.press("y")
    await until(pilot, lambda: "1 question arriving" in run.dock.notices.text)
    assert run.dock.panel is None
    assert run.prompt.text == "he" + "y" * len(events)
    run.fake.tell(ev.RequestAsked(events[-1].request))
    run.clock.skip(2.0)
    await until(pilot, lambda: panel_drawn(run.screen))
    assert state_of(run).page.cursor == 1  # nobody looked at it before: it opens on the recommendation


def at(share: float, *questions: Question) -> Grown:
    events = list(growing("toolu_1", *questions, size=4))
    return events[int(len(events) * share)]


async def test_pictures(pictures: Pictures) -> None:
    app = PanelHost(SINGLE)

    async def grow(event: Grown) -> None:
        app.panel.change(lambda one: grown(one, event.request.questions, event.arriving, seen=True))
        await pilot.pause()

    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.put(SINGLE)
        await grow(at(0.25, SINGLE, MULTI))
        await pilot.press("2", "enter")
        pictures.compare(app.export_screenshot(simplify=True), "selected")
        await grow(at(0.7, SINGLE, MULTI))
        await pilot.press("tab", "space", "tab", "enter")
        pictures.compare(app.export_screenshot(simplify=True), "review")
        await pilot.resize_terminal(40, 12)
        await pilot.put(SINGLE)
        await grow(at(0.25, SINGLE, MULTI))
        await pilot.press("2", "enter")
        pictures.compare(app.export_screenshot(simplify=True), "low")

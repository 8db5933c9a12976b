"""Notices above the prompt, notifications, and delayed work: each goes with what it belongs to."""

import asyncio
import logging
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.pilot import Pilot
from textual.widgets import Static
from textual.worker import WorkerState

from ccq_tui.agent import events as ev
from ccq_tui.agent.events import RequestAsked, RequestSettled, SessionState, StateChanged, TurnEnded
from ccq_tui.config.launch import Launch
from ccq_tui.config.settings import Settings
from ccq_tui.inbox.requests import Asker, Cancelled, Origin, PlanRequest
from ccq_tui.questions import Answer, Answered
from ccq_tui.screens.session import notifications
from ccq_tui.screens.session.dock import PARKED
from ccq_tui.widgets.lifetime import after, after_refresh, soon, start_work
from ccq_tui.widgets.notice_line import NoticeLine, fitted
from tests.actors import PANEL
from tests.steps import step, until_true
from tests.tables import each_row
from tests.ui.host import Host, press_later
from tests.ui.inboxed import Many, request_of
from tests.ui.session import Driven, asked, idle, panel_drawn, permission, press, running, until
from tests.ui.test_sessions import Several


async def test_a_newer_text_covers_an_older_one_which_comes_back() -> None:
    line = NoticeLine()
    async with Host(line).run_test():
        line.say("it waits", of="a")
        line.say("copied")
        assert line.text == "copied"
        line.hush()
        assert line.text == "it waits"
        line.say("it waits longer", of="a")
        line.say("again quits", key="ctrl+c")
        line.pressed("ctrl+c")
        assert line.text == "again quits"
        line.pressed("x")
        assert line.text == "it waits longer"
        line.say("copied")
        line.say("another", of="b")
        line.hush("b")
        assert line.text == "it waits longer", "what belongs to nothing does not come back"
        line.say("", of="a")
        assert line.text == ""
        assert not line.display


async def test_a_text_that_gets_too_few_lines_is_cut_with_a_sign() -> None:
    line = NoticeLine()
    async with Host(line).run_test(size=(40, 12)) as pilot:
        shown = ["“Which one?” was closed: the Claude", "process ended · F8 copies your answer", "to it"]
        line.say(" ".join(shown))
        cut = [shown[0], "process ended · F8 copies your answer…"]
        for most, lines in ((3, shown), (2, cut), (1, ["“Which one?” was closed: the Claude p…"])):
            line.styles.max_height = most
            await until(pilot, lambda most=most: line.size.height == most)
            assert [line.render_line(y).text.rstrip() for y in range(most)] == lines


async def test_what_belongs_to_a_request_goes_with_it(run: Driven, pilot: Pilot[int]) -> None:
    notices = run.screen.dock.notices
    with step("parked, then something else is said, then a process waits again"):
        await run.ask(pilot, asked())
        await run.tell(pilot, ev.RequestParked("toolu_1", deferred=True), then=lambda: notices.text == PARKED)
        run.screen.say("Copied 12 characters")
        notices.hush()
        assert notices.text == PARKED, "it is still parked"
        await run.tell(pilot, ev.StateChanged(ev.SessionState.STARTING), then=lambda: notices.text == "")
    with step("closed, named, and gone with the next panel"):
        run.fake.tell(ev.RequestSettled("toolu_1", Cancelled("the Claude process ended")))
        await until(pilot, lambda: "“Which one?” was closed: the Claude process ended" in notices.text)
        await run.tell(pilot, asked("toolu_2"), then=lambda: run.screen.dock.panel and notices.text == "")


async def test_a_key_that_quits_when_pressed_again_is_said_until_another_key_comes(
    run: Driven, pilot: Pilot[int]
) -> None:
    notices = run.screen.dock.notices
    await press(pilot, "ctrl+c", then=lambda: "Ctrl+C again quits" in notices.text)
    await pilot.press("a")
    assert notices.text == ""
    await press_later(pilot, "escape")
    assert "Esc again clears the prompt" in notices.text
    await pilot.press("b")
    assert notices.text == ""


async def test_why_a_prompt_was_not_sent_is_said_until_it_is_another_one(
    run: Driven, pilot: Pilot[int]
) -> None:
    await run.tell(pilot, ev.CommandsListed(()), then=lambda: run.screen.completions.listed)
    notices = run.screen.dock.notices
    run.screen.dock.prompt.put("/comapct")
    await press(pilot, "enter", then=lambda: "Unknown command /comapct" in notices.text)
    await press(pilot, "backspace", then=lambda: "Unknown command" not in notices.text)


@each_row(
    (80, "2 questions waiting · Library, Features · draft 1/2, nothing sent · F2 opens"),
    (60, "2 questions waiting · draft 1/2, nothing sent · F2 opens"),
    (38, "2 questions waiting · F2 opens"),
    (10, "2 questions waiting · F2 opens"),
)
def test_a_narrow_line_keeps_what_waits_and_the_key(width: int, line: str) -> None:
    words = "2 questions waiting · Library, Features · draft 1/2, nothing sent · F2 opens"
    assert fitted(words, width) == line


async def test_the_key_goes_to_the_session_of_the_news_on_the_screen(tmp_path: Path) -> None:
    launch = Launch(settings=Settings(cwd=tmp_path))
    async with running(Several(launch), size=(100, 30)) as (run, pilot):
        for count in (2, 3):
            await run.app.sessions.add(replace(launch, prompt=""))
            await until(pilot, lambda count=count: len(run.all) == count and run.number() == count)
        notices = run.session_screen.dock.notices
        for session in run.all[:2]:
            session.tell(ev.TitleChanged(f"Work {run.all.index(session) + 1}"))
            session.tell(asked())
            name = f"◆ Work {run.all.index(session) + 1}: "
            await until(pilot, lambda name=name: notices.text.startswith(name))
        await press(pilot, "f4", then=lambda: run.number() == 2)
        await press(pilot, "f4", then=lambda: run.number() == 1)


async def test_the_news_of_another_session_go_with_what_waits_there(tmp_path: Path) -> None:
    launch = Launch(settings=Settings(cwd=tmp_path))
    async with running(Several(launch), size=(100, 30)) as (run, pilot):
        await run.app.sessions.add(replace(launch, prompt=""))
        await until(pilot, lambda: len(run.all) == 2 and run.number() == 2)
        notices = run.session_screen.dock.notices
        run.all[0].tell(asked())
        await until(pilot, lambda: "· F4" in notices.text)
        answer = ev.RequestSettled("toolu_1", Answered((Answer(("First",)),)), PANEL)
        run.all[0].tell(answer)
        await until(pilot, lambda: "· F4" not in notices.text)
        run.all[0].tell(asked("toolu_2"))
        await until(pilot, lambda: "· F4" in notices.text)
        await press(pilot, "f4", then=lambda: run.number() == 1)
        await press(pilot, "alt+2", then=lambda: run.number() == 2)
        assert "· F4" not in notices.text


async def test_the_news_of_a_request_from_outside_go_with_it(tmp_path: Path) -> None:
    async with running(Many(tmp_path), size=(100, 30)) as (run, pilot):
        notices, inbox = run.session_screen.dock.notices, run.app.runtime.inbox
        ids = []
        for name in ("one", "two"):
            request = replace(request_of("form:x", name), origin=Origin(Asker.FORM, f"Script {name}"))
            await inbox.run(lambda store, request=request: store.requests.add(request, ""))
            ids.append(request.id)
            words = f"Script {name} asks: Which one for form:x? · F4"
            await until(pilot, lambda words=words: notices.text.startswith(words))
        for key, left in zip(reversed(ids), ("Script one asks: Which one for form:x? · F4", ""), strict=True):
            await inbox.run(lambda store, key=key: store.requests.settle(key, Cancelled("stale"), PANEL))
            await until(pilot, lambda left=left: notices.text.split("\n")[0] == left)


ENDINGS = 8


@asynccontextmanager
async def busy(line: NoticeLine) -> AsyncIterator[None]:
    """Keep a widget from taking its messages for as long as this is open."""
    done, begun = asyncio.Event(), asyncio.Event()

    async def work() -> None:
        begun.set()
        await done.wait()

    line.call_next(work)
    async with asyncio.timeout(10):
        await begun.wait()
    try:
        yield
    finally:
        done.set()


async def due(line: NoticeLine, calls: int) -> None:
    """Wait until so many calls wait for a busy widget."""
    await until_true(lambda: len(line._next_callbacks) >= calls, 10)


async def test_the_end_of_a_notice_does_not_end_the_next_one() -> None:
    line = NoticeLine()
    async with running(Host(line)) as (_, pilot):
        async with busy(line):
            line.say("first", seconds=0)
            await due(line, 1)
            line.say("second")
        await pilot.pause()
        assert line.text == "second"


class Leaving(Static):
    """Does something as it is unmounted, and waits until that is due: its owner has no child from then on."""

    def __init__(self, then: Callable[[], object]) -> None:
        super().__init__("leaving")
        self._then = then

    async def on_unmount(self) -> None:
        self._then()
        for _ in range(5):
            await asyncio.sleep(0)


class Owner(Vertical):
    """Touches its child later, in each of the ways there are."""

    def __init__(self) -> None:
        super().__init__()
        self.touched: list[str] = []
        self.go = asyncio.Event()
        self.ending = False

    def compose(self) -> ComposeResult:
        yield Leaving(self._child_ended)

    def touch(self, way: str) -> None:
        self.query_one(Leaving)
        self.touched.append(way)

    async def work(self) -> None:
        await self.go.wait()
        while self.ending and self.children:  # noqa: ASYNC110 (nobody says when they are gone)
            await asyncio.sleep(0)
        self.touch("work")

    def _child_ended(self) -> None:
        after(self, 0, lambda: self.touch("after"))
        soon(self, lambda: self.touch("soon"))
        after_refresh(self, lambda: self.touch("after_refresh"))
        self.ending = True
        self.go.set()


@pytest.mark.parametrize("way", ["remove", "exit"])
async def test_an_owner_that_has_ended_is_not_called_back(way: str, caplog: pytest.LogCaptureFixture) -> None:
    owner = Owner()
    app = Host(owner)
    with caplog.at_level(logging.INFO, logger="ccq_tui"):
        async with app.run_test() as pilot:
            worker = start_work(owner, owner.work, name="touch")
            after_refresh(owner, lambda: owner.touch("after_refresh"))
            await pilot.pause()
            owner.touched.clear()
            if way == "remove":
                await owner.remove()
                await pilot.pause()
            else:
                app.exit()
        assert app._exception is None
    assert owner.touched == []
    assert worker.state in (WorkerState.SUCCESS, WorkerState.CANCELLED)


async def used(run: Many, pilot: Pilot[int]) -> None:
    """Use what delays something: panels that open and close, notices, lists, searches, other screens."""
    session = run.all[0]
    asking = asyncio.ensure_future(session.ask_person())
    try:
        for keys in (
            ("h", "/", "m", "escape"),
            ("ctrl+u", "@", "a", "escape", "ctrl+u"),
            ("f2",),
            ("down", "o", "x", "enter"),
            ("f2", "f2"),
            ("escape",),
            ("f5", "slash", "a", "escape", "escape"),
            ("f1", "a", "escape"),
            ("ctrl+f", "a", "escape"),
        ):
            session.tell(ev.BlockGrew(ev.BlockKey("m1", 0), ev.BlockKind.TEXT, "some words " * 5))
            await pilot.press(*keys)
            run.clock.skip(1.0)
            await asyncio.sleep(0)
        session.tell(ev.RequestAsked(permission()))
        await press_later(pilot, "f2", seconds=2.0)
        session.tell(ev.RequestAsked(PlanRequest("toolu_plan", session.name, "# A plan\n\n1. One\n")))
        session.tell(ev.StateChanged(ev.SessionState.WORKING))
        await pilot.press("ctrl+n", "escape", "pageup")
    finally:
        asking.cancel()


@pytest.mark.parametrize("seed", range(ENDINGS))
async def test_the_program_ends_whole_at_any_moment(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)  # noqa: S311 (it guards nothing)
    run = Many(tmp_path)
    turns = chance.randrange(3000)
    async with run.app.run_test(size=(80, 24)) as pilot:
        using = asyncio.ensure_future(used(run, pilot))
        for _ in range(turns):
            await asyncio.sleep(0)
            if using.done():
                break
        if chance.random() < 0.5:
            run.app.exit()
        else:
            start_work(run.app, run.app.action_quit, name="quit")
        using.cancel()
        await asyncio.gather(using, return_exceptions=True)
        began = tuple(run.app.workers)
    assert run.app._exception is None
    await until_true(lambda: all(worker.is_finished for worker in began), 10)
    assert [worker.name for worker in began if worker.state is WorkerState.ERROR] == []


BELL = "\x07"
LONG = TurnEnded("completed", False, 65.0, None, 1, 1)


class Sent(list[str]):
    """What was sent to the terminal beside the frames."""

    @property
    def notifications(self) -> list[str]:
        return [sequence for sequence in self if sequence.startswith("\x1b]777;")]

    @property
    def bars(self) -> list[str]:
        return [sequence[6:7] for sequence in self if sequence.startswith("\x1b]9;4;")]


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> Sent:
    """Keep what goes to the terminal."""
    kept = Sent()
    monkeypatch.setattr(
        notifications, "write", lambda _app, sequence: kept.append(sequence) if sequence else None
    )
    return kept


def driven(sent: Sent, monkeypatch: pytest.MonkeyPatch, **settings: Any) -> Driven:
    chosen = {"cwd": Path("/"), "notify": "osc777", "progress": "on"} | settings
    run = Driven(Launch(settings=Settings(**chosen)))
    monkeypatch.setattr(run.app, "bell", lambda: sent.append(BELL))
    return run


async def focus(run: Driven, pilot: Pilot[int], *, on: bool) -> None:
    run.app.post_message(events.AppFocus() if on else events.AppBlur())
    await until(pilot, lambda: run.app.app_focus == on)
    await pilot.pause()


async def test_a_person_who_looks_elsewhere_is_called_once_for_a_burst_and_sees_the_state(
    sent: Sent, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with idle(driven(sent, monkeypatch, notify_after=66.0)) as (run, pilot):
        with step("nothing while in focus, nor afterwards of what was there to see"):
            run.fake.tell(StateChanged(SessionState.WORKING), asked(), replace(LONG, duration=70.0))
            await until(pilot, lambda: panel_drawn(run.screen))
            assert sent == []
            run.fake.tell(
                RequestSettled("toolu_1", Cancelled("interrupted")), StateChanged(SessionState.IDLE)
            )
            await until(pilot, lambda: not run.screen.dock.line.items)
            await focus(run, pilot, on=False)
            assert sent == []
        with step("the task bar follows the state"):
            for state, bars in ((SessionState.WORKING, ["3"]), (SessionState.AWAITING, ["3", "4"])):
                await run.tell(pilot, StateChanged(state), then=lambda bars=bars: sent.bars == bars)
            await focus(run, pilot, on=True)
            await until(pilot, lambda: sent.bars == ["3", "4", "0"])
            await focus(run, pilot, on=False)
            await until(pilot, lambda: sent.bars[3:] == ["4"])
            await run.tell(pilot, StateChanged(SessionState.FAILED), then=lambda: sent.bars[4:] == ["2"])
        with step("a request rings, and is told in the words of its question"):
            await run.tell(pilot, asked("one"), then=lambda: sent.notifications)
            assert sent.count(BELL) == 1
            assert sent.notifications == ["\x1b]777;notify;ccq-tui · /;Claude asks: Which one?\x1b\\"]
        with step("a burst is one notification"):
            run.fake.tell(RequestAsked(permission()), asked("two"), asked("three"))
            await until(pilot, lambda: len(sent.notifications) == 2)
            assert sent.notifications[1] == (
                "\x1b]777;notify;ccq-tui · /;Claude asks for permission: Bash · and 2 more\x1b\\"
            )
        with step("a long turn is told, and one that is shorter than the setting is not"):
            await run.tell(
                pilot, LONG, replace(LONG, duration=70.0), then=lambda: len(sent.notifications) == 3
            )
            assert sent.notifications[2].endswith(";Done after 1m 10s\x1b\\")
    assert sent.bars[5:] == ["0"], "the program ended"


async def test_each_can_be_switched_off(sent: Sent, monkeypatch: pytest.MonkeyPatch) -> None:
    async with idle(driven(sent, monkeypatch, bell=False, notify="off", progress="off")) as (run, pilot):
        await focus(run, pilot, on=False)
        run.fake.tell(StateChanged(SessionState.WORKING))
        await run.tell(pilot, asked(), then=lambda: panel_drawn(run.screen))
        assert sent == []

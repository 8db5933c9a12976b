"""What tests of the screen share."""

from collections.abc import AsyncIterator, Iterable, Iterator
from functools import cache
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion
from textual.app import App
from textual.design import ColorSystem
from textual.pilot import Pilot

from ccq_tui.agent.reader import EarlierSession
from ccq_tui.input import gate
from ccq_tui.screens.sessions import listing
from ccq_tui.theming import load, read_theme
from ccq_tui.theming.load import shipped
from tests.ui.drawn import watched
from tests.ui.host import DECIDING, all_wait, drawn, handled, look
from tests.ui.leaps import Leaps
from tests.ui.pictures import Pictures
from tests.ui.session import Driven, idle

_press = App._press_keys
_wait_for_screen = Pilot._wait_for_screen
_pause = Pilot.pause
_pilot_press = Pilot.press
_generate = ColorSystem.generate
_known_colours: dict[object, dict[str, str]] = {}
_shipped = frozenset(shipped())
_theme = cache(read_theme)


async def _press_as_a_person_types(self: App[Any], keys: Iterable[str]) -> None:
    """Press a key as soon as the one before it is handled, and wait for what is drawn after the last one.

    Textual's pilot lets the program rest after each key; half of what a key costs is the frame it then draws.
    """
    *before, last = keys
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("textual.app.wait_for_idle", lambda _least: handled(self))
        for key in before:
            if key in DECIDING:  # behind a frame, as behind a person who has seen what it decides
                await handled(self, drawn)
            await _press(self, [key])
    if last in DECIDING:
        await handled(self, drawn)
    await _press(self, [last])


@pytest.fixture(autouse=True)
def _each_key_stands_alone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let two letters in a row be two commands: a test presses faster than anybody who chooses."""
    if request.node.get_closest_marker("words") is None:
        for name in ("WORD", "REPEAT", "HELD", "WRITING"):
            monkeypatch.setattr(gate, name, 0.0)


async def _wait_for_all(self: Pilot[Any], timeout: float = 30.0) -> bool:  # noqa: ASYNC109 (Textual's)
    """Wait for what comes of the messages that were there, too: one posts another, and that one the next."""
    # Each widget is asked by a message of its own, and handles it: half of what waiting costs.
    done = all_wait(self.app) or await _wait_for_screen(self, timeout)
    await handled(self.app)
    return done


async def _pause_and_wait(self: Pilot[Any], delay: float | None = None) -> None:
    """Pause, and wait for what timers began meanwhile: the machine may have slept all along."""
    await _pause(self, delay)
    await handled(self.app)


async def _press_and_look(self: Pilot[Any], *keys: str) -> None:
    """Press keys, and look whether the cursor was drawn where it is, and nothing else was left as it was."""
    await _pilot_press(self, *keys)
    look(self.app)


def _colours(system: ColorSystem) -> dict[str, str]:
    values = (*system.variables.items(), *(one for one in vars(system).values() if type(one) is not dict))
    if values not in _known_colours:
        _known_colours[values] = _generate(system)
    return dict(_known_colours[values])


@pytest.fixture(autouse=True)
def _quick_and_watched(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Wait for nothing but what is done, and look at what each key drew.

    The pilot waits by the queues: by the processor's time, as Textual does, a busy machine is idle. Themes
    are read and their colours mixed once: it is a tenth of what the start of a program costs.
    """
    leaps = Leaps(monkeypatch)
    monkeypatch.setattr(App, "_press_keys", _press_as_a_person_types)
    monkeypatch.setattr(Pilot, "_wait_for_screen", _wait_for_all)
    monkeypatch.setattr(Pilot, "pause", _pause_and_wait)
    monkeypatch.setattr(Pilot, "press", _press_and_look)
    monkeypatch.setattr(ColorSystem, "generate", _colours)
    monkeypatch.setattr(load, "read_theme", lambda path: (_theme if path in _shipped else read_theme)(path))
    with watched():
        yield
    leaps.end()


@pytest.fixture(autouse=True)
def _no_records(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep no earlier sessions: reading those of Claude Code takes a process of its own."""

    async def nothing(*_: object, **__: object) -> tuple[EarlierSession, ...]:
        return ()

    monkeypatch.setattr(listing, "earlier_sessions", nothing)


@pytest.fixture
def pictures(snapshot: SnapshotAssertion, request: pytest.FixtureRequest) -> Iterator[Pictures]:
    """Keep pictures of one program; the test fails at its end when some differ."""
    kept = Pictures(snapshot, request.node)
    yield kept
    if kept.differ:
        pytest.fail(f"These pictures differ: {', '.join(kept.differ)}", pytrace=False)


@pytest.fixture
def run() -> Driven:
    """The program with a session that tells what a test tells it to tell."""
    return Driven()


@pytest.fixture
async def pilot(run: Driven) -> AsyncIterator[Pilot[int]]:
    """Run the program for as long as the test goes on, with a session that is ready."""
    async with idle(run) as (_, pilot):
        yield pilot

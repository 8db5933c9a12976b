"""A recording played as a session: at once or in time, held and let go."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from ccq_tui.agent.events import AgentEvent, HistoryLoaded, PromptAccepted, SessionState, StateChanged
from ccq_tui.agent.recorded import ReplayedSession
from ccq_tui.agent.recorded import session as session_module
from ccq_tui.agent.recorded.session import LONGEST_GAP, STEADY_SECONDS
from tests.unit.agent.recordings import opened, prompt


class Player:
    """Plays with a clock that goes only where the session sleeps."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, path: Path, *lines: Any, speed: float | None) -> None:
        self.now = 100.0
        self.told: list[tuple[float, AgentEvent]] = []
        self.session = ReplayedSession(opened(path, *lines), self._tell, speed, lambda: self.now)
        monkeypatch.setattr(session_module.asyncio, "sleep", self._sleep)

    def _tell(self, event: AgentEvent) -> None:
        self.told.append((self.now - 100.0, event))

    async def _sleep(self, seconds: float) -> None:
        self.now += seconds

    @property
    def prompts(self) -> list[tuple[float, str]]:
        return [
            (round(at, 3), event.text)
            for at, told in self.told
            if isinstance(told, HistoryLoaded)
            for event in told.events
            if isinstance(event, PromptAccepted)
        ]


def at(seconds: float) -> str:
    return f"2026-01-02T03:{int(seconds) // 60:02}:{seconds % 60:06.3f}+00:00"


async def test_in_time_as_the_timestamps_say_and_no_pause_for_ever(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    lines = [prompt(f"p{when}", timestamp=at(when)) for when in (0, 2, 3, 1_803, 1_802)]
    player = Player(monkeypatch, tmp_path, *lines, speed=2.0)
    await player.session.run()
    long = 1.5 + LONGEST_GAP / 2
    assert player.prompts == [(0.0, "p0"), (1.0, "p2"), (1.5, "p3"), (long, "p1803"), (long, "p1802")]


async def test_in_time_at_a_steady_pace_without_timestamps(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    player = Player(monkeypatch, tmp_path, prompt("a"), {"type": "unknown"}, prompt("b"), speed=1.0)
    await player.session.run()
    assert player.prompts == [(0.0, "a"), (STEADY_SECONDS, "b")]


async def test_at_once_begins_idle_and_ends_ended(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    player = Player(
        monkeypatch, tmp_path, prompt("a", timestamp=at(0)), prompt("b", timestamp=at(50)), speed=None
    )
    await player.session.run()
    assert player.prompts == [(0.0, "a"), (0.0, "b")]
    assert player.told[0][1] == StateChanged(SessionState.IDLE)
    assert player.told[-1][1] == StateChanged(SessionState.ENDED)
    assert player.session.recording.ended


async def test_held_it_tells_nothing_and_closed_it_ends(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    player = Player(monkeypatch, tmp_path, prompt("a"), speed=None)
    player.session.pause()
    running = asyncio.ensure_future(player.session.run())
    done, _ = await asyncio.wait({running}, timeout=0.1)
    assert not done
    assert player.prompts == []
    player.session.close()
    async with asyncio.timeout(5):
        await running
    assert player.told[-1][1] == StateChanged(SessionState.ENDED)

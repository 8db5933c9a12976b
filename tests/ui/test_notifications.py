"""Who looks elsewhere is called, who looks at the screen is not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot

from ccq_tui.agent.events import PermissionAsked, SessionState, StateChanged, TurnEnded
from ccq_tui.config.launch import Launch
from ccq_tui.config.settings import Settings
from ccq_tui.screens.session import notifications
from tests.ui.running import running
from tests.ui.session import Driven, asked, panel_drawn, permission, until

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


async def look_elsewhere(run: Driven, pilot: Pilot[int]) -> None:
    await until(pilot, lambda: run.screen.view.state is SessionState.IDLE)
    run.app.post_message(events.AppBlur())
    await until(pilot, lambda: not run.app.app_focus)


async def test_a_request_rings_and_is_told_in_the_words_of_its_question(
    sent: Sent, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(driven(sent, monkeypatch)) as (run, pilot):
        await look_elsewhere(run, pilot)
        run.told.tell(asked())
        await until(pilot, lambda: sent.notifications)
        assert sent.count(BELL) == 1
        assert sent.notifications == ["\x1b]777;notify;ccq-tui · /;Claude asks: Which one?\x1b\\"]


async def test_a_burst_is_one_notification(sent: Sent, monkeypatch: pytest.MonkeyPatch) -> None:
    async with running(driven(sent, monkeypatch)) as (run, pilot):
        await look_elsewhere(run, pilot)
        for event in (PermissionAsked(permission()), asked(), asked("toolu_2")):
            run.told.tell(event)
        await until(pilot, lambda: sent.notifications)
        assert sent.notifications == [
            "\x1b]777;notify;ccq-tui · /;Claude asks for permission: Bash · and 2 more\x1b\\"
        ]


async def test_nothing_while_in_focus(sent: Sent, monkeypatch: pytest.MonkeyPatch) -> None:
    async with running(driven(sent, monkeypatch)) as (run, pilot):
        await until(pilot, lambda: run.screen.view.state is SessionState.IDLE)
        for event in (StateChanged(SessionState.WORKING), asked(), LONG):
            run.told.tell(event)
        await until(pilot, lambda: panel_drawn(run.screen))
        assert sent == []
        run.app.post_message(events.AppBlur())
        await until(pilot, lambda: not run.app.app_focus)
        await pilot.pause()
        assert BELL not in sent, "what was there to see is no news"
        assert sent.notifications == []


async def test_a_long_turn_is_told_and_a_short_one_is_not(
    sent: Sent, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(driven(sent, monkeypatch, notify_after=66.0)) as (run, pilot):
        await look_elsewhere(run, pilot)
        run.told.tell(LONG)
        await until(pilot, lambda: run.screen.view.tokens == (1, 1))
        assert sent == []
    run = driven(sent, monkeypatch, notify_after=60.0)
    async with run.app.run_test() as pilot:
        await look_elsewhere(run, pilot)
        run.told.tell(LONG)
        await until(pilot, lambda: sent.notifications)
        assert sent.notifications[0].endswith(";Done after 1m 05s\x1b\\")


async def test_the_task_bar_follows_the_state_and_is_cleared(
    sent: Sent, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(driven(sent, monkeypatch)) as (run, pilot):
        await look_elsewhere(run, pilot)
        run.told.tell(StateChanged(SessionState.WORKING))
        await until(pilot, lambda: sent.bars == ["3"])
        run.told.tell(StateChanged(SessionState.AWAITING))
        await until(pilot, lambda: sent.bars == ["3", "4"])
        run.app.post_message(events.AppFocus())
        await until(pilot, lambda: sent.bars == ["3", "4", "0"])
        run.app.post_message(events.AppBlur())
        await until(pilot, lambda: sent.bars[3:] == ["4"])
        run.told.tell(StateChanged(SessionState.FAILED))
        await until(pilot, lambda: sent.bars[4:] == ["2"])
    assert sent.bars[5:] == ["0"], "the program ended"


async def test_each_can_be_switched_off(sent: Sent, monkeypatch: pytest.MonkeyPatch) -> None:
    async with running(driven(sent, monkeypatch, bell=False, notify="off", progress="off")) as (run, pilot):
        await look_elsewhere(run, pilot)
        run.told.tell(StateChanged(SessionState.WORKING))
        run.told.tell(asked())
        await until(pilot, lambda: panel_drawn(run.screen))
        assert sent == []

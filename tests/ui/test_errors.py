"""Errors on the screen: the card, the key that helps, and what it does."""

from __future__ import annotations

import pytest
from textual.pilot import Pilot

from ccq_tui.agent import events as ev
from ccq_tui.agent.problems import Problem
from ccq_tui.config.keymap import with_keys
from ccq_tui.screens.session.prompts import NO_ERROR
from tests.ui.host import Clock, press_later
from tests.ui.running import running
from tests.ui.session import Driven, asked, kept_while_parked, keys_work, until

FAILED_TURN = ev.TurnEnded("api_error", True, 1.0, None, 0, 0)
GOOD_TURN = ev.TurnEnded("completed", False, 1.0, None, 1, 1)


async def tell(driven: Driven, pilot: Pilot[int], *events: ev.AgentEvent) -> None:
    for event in events:
        driven.told.tell(event)
    # A burst is handled a moment later.
    await until(pilot, lambda: not driven.session_screen._arrived)


async def ready(driven: Driven, pilot: Pilot[int]) -> None:
    await until(pilot, lambda: driven.screen.view.state is ev.SessionState.IDLE)


def prompted(text: str = "Build it", name: str = "1") -> tuple[ev.AgentEvent, ...]:
    return ev.PromptAccepted(text, prompt_id=name), ev.PromptDelivered(name)


async def test_a_prompt_that_was_refused_comes_back_into_its_field_to_be_changed(
    run: Driven, pilot: Pilot[int]
) -> None:
    await ready(run, pilot)
    refused = ev.ErrorReported(Problem.REQUEST_REFUSED, "400 messages: bad")
    await tell(run, pilot, *prompted("Build it all"), refused, FAILED_TURN)
    assert "F6 change the prompt" in run.screen.dock.notices.text
    run.screen.dock.prompt.put("typed since")
    await pilot.press("f6", "f6")
    assert run.screen.dock.prompt.text == "Build it all\ntyped since"
    assert run.told.sent == []
    assert "F6" not in run.screen.dock.notices.text.removeprefix(with_keys(NO_ERROR))


async def test_an_error_names_cause_and_remedy_and_the_key_sends_the_prompt_again(
    run: Driven, pilot: Pilot[int]
) -> None:
    await ready(run, pilot)
    overloaded = ev.ErrorReported(Problem.OVERLOADED, "529 Overloaded.")
    await tell(run, pilot, *prompted(), overloaded, FAILED_TURN)
    shown = run.screen.transcript.text()
    assert "The API is overloaded." in run.screen.dock.notices.text
    assert "F6 send it again" in run.screen.dock.notices.text
    assert "529 Overloaded." in shown
    await pilot.press("f6", "f6")
    assert run.told.sent == ["Build it"]
    await tell(run, pilot, *prompted(), GOOD_TURN)
    assert "F6 send it again" not in run.screen.dock.notices.text


@pytest.mark.parametrize("read", [True, False])
async def test_a_lost_session_is_resumed_in_place_with_everything_kept(
    read: bool, run: Driven, pilot: Pilot[int]
) -> None:
    await ready(run, pilot)
    said = ev.BlockFinished(ev.BlockKey("m", 0), ev.BlockKind.TEXT, "Half of it")
    await tell(run, pilot, *prompted(), said, ev.SessionLost("", kind=Problem.CLI_KILLED))
    await pilot.press(*"more")
    before = run.told
    await pilot.press("f6")
    assert run.told is not before
    assert run.launches[-1].resume == "id-1"
    await tell(run, pilot, ev.HistoryLoaded((*prompted(), said)))
    await until(pilot, lambda: "F6 continue" in run.screen.dock.notices.text)
    assert run.screen.transcript.text().count("Half of it") == 1
    assert run.screen.dock.prompt.text == "more"
    run.told.read = frozenset({"1"} if read else ())
    await pilot.press("f6")
    await until(pilot, lambda: run.told.sent)
    assert run.told.sent == ["Go on." if read else "Build it"], "what Claude has read is not sent twice"


async def test_what_waits_for_a_person_is_said_before_the_remedy() -> None:
    async with running(Driven(clock=Clock())) as (driven, pilot):
        await ready(driven, pilot)
        await tell(driven, pilot, ev.ErrorReported(Problem.MCP_FAILED, "broken"))
        assert "F6 look at the servers" in driven.screen.dock.notices.text
        await tell(driven, pilot, ev.StateChanged(ev.SessionState.AWAITING), asked())
        await until(pilot, lambda: driven.screen.dock.panel is not None)
        await press_later(pilot, "escape")
        assert "1 question waiting" in driven.screen.dock.notices.text
        assert "F6" not in driven.screen.dock.notices.text


async def test_the_same_error_again_is_counted_and_not_repeated(run: Driven, pilot: Pilot[int]) -> None:
    await ready(run, pilot)
    lost = ev.SessionLost("/bin/false is not Claude Code.", kind=Problem.CLI_UNUSABLE)
    await tell(run, pilot, lost, lost)
    shown = run.screen.transcript.text()
    assert shown.count("/bin/false is not Claude Code.") == 1


async def test_after_a_reconnect_a_resumed_session_is_connected(run: Driven, pilot: Pilot[int]) -> None:
    await ready(run, pilot)
    await tell(run, pilot, ev.SessionLost("", kind=Problem.CLI_ENDED))
    assert run.screen.view.state is ev.SessionState.FAILED
    await pilot.press("f6")
    await ready(run, pilot)
    assert "Connected again." in run.screen.transcript.text()
    await tell(run, pilot, ev.Connected("id-1", "claude-x", "default", "/work"))
    assert run.screen.transcript.text().count("Connected again.") == 1


@pytest.mark.parametrize(
    ("gone", "words"),
    [
        (
            ev.SessionLost("/work/gone", kind=Problem.DIRECTORY_GONE),
            ("The working directory does not exist.", "--cwd DIR --resume ID"),
        ),
        (ev.SessionLost("id-1", kind=Problem.NO_CONVERSATION), ("This directory has no such conversation.",)),
    ],
)
async def test_an_answer_for_a_session_that_cannot_be_resumed_can_be_copied(
    gone: ev.SessionLost, words: tuple[str, ...], run: Driven, pilot: Pilot[int]
) -> None:
    await ready(run, pilot)
    await tell(run, pilot, asked())
    await keys_work(run, pilot)
    await tell(run, pilot, ev.StateChanged(ev.SessionState.PARKED))
    parked = run.told
    await pilot.press("2", "enter")
    await kept_while_parked(run, pilot)
    await until(pilot, lambda: run.told is not parked)
    await tell(run, pilot, gone)
    shown = run.screen.transcript.text()
    assert all(said in shown for said in words)
    assert "Your answer did not reach Claude; F8 copies it" in shown
    await pilot.press("f8")
    await until(pilot, lambda: "Draft copied" in run.screen.dock.notices.text)
    assert "Which one?" in run.app.clipboard
    assert "Second" in run.app.clipboard
    await tell(run, pilot, gone)
    assert run.screen.transcript.text().count("F8 copies it") == 1

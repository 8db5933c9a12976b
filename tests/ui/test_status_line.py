"""The status line: its widths, a command's output in it, silence, and no work while nobody does anything."""

import gc
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.timer import Timer

from ccq_tui.agent import events as ev
from ccq_tui.agent.events import EffortChanged, SessionState, StateChanged, TaskEnded, TaskStarted, TurnEnded
from ccq_tui.agent.session_name import SessionName
from ccq_tui.config.launch import Launch, ProgramArguments
from ccq_tui.config.settings import Settings
from ccq_tui.runtime.facts import SessionFacts
from ccq_tui.runtime.view import BYPASS, Surroundings, pieces
from ccq_tui.screens.session.status import SILENCE, prompt_hints
from ccq_tui.widgets.status_line import StatusLine
from tests.steps import step
from tests.ui.host import Clock, Host
from tests.ui.session import Driven, press, running, until

Compare = Callable[..., bool]
PLAN = SessionFacts(
    Path("/srv/api"),
    state=SessionState.WORKING,
    since=-185.0,
    model="claude-opus-5-5",
    mode="plan",
    context=41.6,
    cost=0.5,
    called=SessionName("Add a health check"),
    tokens=(1_234_567, 8_100),
)
RETRYING = replace(PLAN, retry="retry 2 of 10", mode="default")
VIEWS = (PLAN, replace(PLAN, mode=BYPASS), RETRYING)


@pytest.mark.parametrize("width", [40, 80, 160])
def test_picture_of_the_status_line(snap_compare: Compare, width: int) -> None:
    lines = [StatusLine() for _ in VIEWS]
    for line, view in zip(lines, VIEWS, strict=True):
        line.styles.margin = (0, 0, 1, 0)
        line.pieces = pieces(view, Surroundings("feature/health"), 0.0)
    assert snap_compare(Host(*lines, theme="ccq-dark"), terminal_size=(width, 6))


TURN = TurnEnded("completed", is_error=False, duration=1.0, cost=0.25, input_tokens=1, output_tokens=1)


@pytest.mark.parametrize("shown", [True, False])
async def test_the_command_runs_when_something_changed(tmp_path: Path, shown: bool) -> None:
    runs = tmp_path / "runs"
    command = f"echo run >>{runs}; tr ',' '\\n' | grep -e total_cost -e '\"level\"' | tr '\\n' ' '"
    settings = {"statusLine": {"type": "command", "command": command}}
    (tmp_path / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    program = ProgramArguments(environment={"CLAUDE_CONFIG_DIR": str(tmp_path)})
    launch = Launch(settings=Settings(cwd=tmp_path, status_line=shown), program=program)
    async with running(Driven(launch), size=(200, 30)) as (run, pilot):
        output = run.session_screen.status_output
        await until(pilot, lambda: run.session_screen.view.session_id)
        if not shown:
            await run.tell(pilot, TURN, then=lambda: run.session_screen.view.cost)
            assert not output._is_busy
            assert not runs.exists()
            return
        with step("it is shown above the status line"):
            await until(pilot, lambda: output.text)
            assert output.display
            assert output.region.bottom == run.session_screen.status_line.region.y
        with step("a change runs it again, and a second without one does not"):
            run.fake.tell(TURN, EffortChanged("high"))
            await until(pilot, lambda: "0.25" in output.text and "high" in output.text)
            await until(pilot, lambda: not output._is_busy)
            before = runs.read_text(encoding="utf-8")
            run.session_screen.changed()
            assert not output._is_busy
            assert runs.read_text(encoding="utf-8") == before
        with step("what runs in the background is counted"):
            for number in (1, 2):
                run.fake.tell(TaskStarted(f"t{number}", "c", "d", background=True))
            run.fake.tell(TaskStarted("t3", "c", "d"))
            drawn = run.session_screen.status_line
            await until(pilot, lambda: "2 commands in the background" in drawn.render().plain)
            run.fake.tell(TaskEnded("t1", "completed"))
            await until(pilot, lambda: "1 command in the background" in drawn.render().plain)
            assert "effort high" in drawn.render().plain


SILENT = "nothing from Claude"


async def test_silence_is_said_where_claude_should_be_heard() -> None:
    async with running(Driven(clock=Clock()), size=(120, 24)) as (run, pilot):
        received: list[ev.AgentEvent] = []

        def line(seconds: float = 0.0) -> str:
            run.clock.skip(seconds)
            run.screen.status.changed()
            return run.screen.status_line.render().plain

        async def tell(event: ev.AgentEvent) -> None:
            await run.tell(pilot, event, then=lambda: event in received)

        await until(pilot, lambda: run.screen.view.state is ev.SessionState.IDLE)
        run.screen.listeners += (received.append,)
        await tell(ev.StateChanged(ev.SessionState.WORKING))
        assert SILENT not in line(SILENCE - 1)
        assert f"{SILENT} for 15s" in line(1)
        await tell(ev.ThinkingCounted(900))
        assert SILENT not in line(5)
        assert f"{SILENT} for 1m 05s" in line(60)
        await tell(ev.ToolStarted("t", "Bash", {"command": "make"}))
        assert SILENT not in line(300), "a command that runs counts its own seconds"
        await tell(ev.ToolFinished("t", "Bash", "done"))
        assert SILENT not in line(SILENCE - 1)
        assert f"{SILENT} for 15s" in line(1)
        await tell(ev.Retrying(1, 10, 30.0, 529, "overloaded"))
        assert SILENT not in line(SILENCE), "a retry has its own words"
        await tell(ev.StateChanged(ev.SessionState.WORKING))
        assert SILENT not in line(10)
        await tell(ev.PromptAccepted("More", queued=True, prompt_id="p"))
        await tell(ev.ModeChanged("plan"))
        assert f"{SILENT} for 15s" in line(5), "what a person does is no sign of Claude"
        await tell(ev.NoticeGiven("info", ev.COMPACTING))
        assert SILENT not in line(60), "a compaction says nothing until it is done"
        await tell(ev.StateChanged(ev.SessionState.AWAITING))
        assert SILENT not in line(300)
        await tell(ev.StateChanged(ev.SessionState.WORKING))
        assert SILENT not in line(1)
        await tell(ev.StateChanged(ev.SessionState.IDLE))
        assert SILENT not in line(300)


def timers(run: Driven) -> list[Timer]:
    """Return the timers that wake the program again and again."""
    pumps = [run.app, *run.app.screen.walk_children(with_self=True)]
    return [timer for pump in pumps for timer in pump._timers if timer._active.is_set()]


async def test_an_idle_session_counts_no_seconds(run: Driven, pilot: Pilot[int]) -> None:
    run.screen.status.tick()
    await until(pilot, lambda: not timers(run))
    run.fake.tell(StateChanged(SessionState.WORKING))
    await until(pilot, lambda: run.screen.view.state is SessionState.WORKING)
    assert timers(run), "how long it has been at work is shown"
    run.screen.status.tick()
    assert timers(run)
    run.fake.tell(StateChanged(SessionState.IDLE))
    await until(pilot, lambda: run.screen.view.state is SessionState.IDLE)
    run.screen.status.tick()
    await until(pilot, lambda: not timers(run))


async def test_a_relay_that_is_down_is_one_quiet_sign(run: Driven, pilot: Pilot[int]) -> None:
    def line() -> str:
        return str(run.session_screen.query_one(StatusLine).render())

    await until(pilot, lambda: run.session_screen.view.state is SessionState.IDLE)
    run.app.sessions.set_trouble("phone: relay unreachable")
    await until(pilot, lambda: "phone: relay unreachable" in line())
    run.app.sessions.set_trouble("")
    await until(pilot, lambda: "phone" not in line())


async def test_the_caret_is_where_the_keys_go(run: Driven, pilot: Pilot[int]) -> None:
    prompt = run.screen.dock.prompt.field

    def drawn() -> list[object]:
        return [segment.style for segment in prompt.render_lines(prompt.size.region)[0]]

    await pilot.press("a", "b")
    with_caret = drawn()
    await press(pilot, "ctrl+f", then=lambda: run.app.focused is not prompt)
    assert drawn() != with_caret
    await press(pilot, "escape", then=lambda: run.app.focused is prompt)
    assert drawn() == with_caret


async def test_garbage_is_not_looked_for_in_what_was_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Driven()
    async with run.app.run_test():
        run.app._begun()
        searched = len(gc.get_objects())
        assert searched > 1_000, "tests come and go: what is loaded for one is not kept out"
        with monkeypatch.context() as patch:
            patch.setattr(type(run.app), "is_headless", property(lambda _: False))
            run.app._begun()
        assert len(gc.get_objects()) < searched // 10


def test_the_line_of_the_prompt_says_what_at_most_six_keys_do_now() -> None:
    def line(state: SessionState, waiting: int = 0) -> str:
        return " · ".join(" ".join(hint) for hint in prompt_hints(state, waiting, queued=bool(waiting)))

    known = "/ commands · @ files · Shift+Tab mode · F5 sessions"
    assert line(SessionState.IDLE) == f"Enter send · {known}"
    assert line(SessionState.WORKING) == f"Enter queue · {known} · Esc interrupt"
    hidden = "Enter queue · F2 answer · ↑ withdraw · / commands · @ files · Esc Esc interrupt"
    assert line(SessionState.AWAITING, 1) == hidden
    assert line(SessionState.FAILED).startswith("Ctrl+Q quit · / commands")

"""What the status line and the title say."""

from __future__ import annotations

from pathlib import Path

import pytest

from ccq_tui.agent.events import (
    Connected,
    ContextUsage,
    ConversationReset,
    ModelChanged,
    Retrying,
    SessionLost,
    SessionState,
    StateChanged,
    TurnEnded,
)
from ccq_tui.screens.session.view import SessionView, duration, noted, short_path

VIEW = SessionView(Path("/work/api"), since=100.0)


def test_the_state_is_timed_from_its_own_beginning() -> None:
    view = noted(VIEW, StateChanged(SessionState.WORKING), 110.0)
    assert view.words(122.5)[0] == "✻ working 12s"
    same = noted(view, StateChanged(SessionState.WORKING), 120.0)
    assert same is view, "the same state again does not restart the time"
    assert noted(view, StateChanged(SessionState.IDLE), 130.0).words(200.0)[0] == "○ ready"


def test_it_says_model_mode_context_and_cost() -> None:
    view = VIEW
    for event in (
        Connected("id", "opus", "default", "/work/api"),
        ModelChanged("sonnet"),
        ContextUsage(41.6, 1, 2),
        TurnEnded("completed", False, 1.0, 0.5, 1, 1),
    ):
        view = noted(view, event, 100.0)
    assert view.words(100.0) == ("◌ starting", "sonnet", "default mode", "context 42%", "/work/api", "$0.50")
    assert noted(view, ConversationReset("new"), 1.0).context is None


def test_a_retry_is_said_until_the_model_answers() -> None:
    view = noted(VIEW, Retrying(2, 10, 1.0, 529, "overloaded"), 1.0)
    assert "retry 2 of 10" in view.words(1.0)
    assert noted(view, ContextUsage(1, 1, 1), 1.0).retry == "retry 2 of 10"
    assert noted(view, TurnEnded("completed", False, 1.0, None, 1, 1), 1.0).retry == ""


def test_a_lost_session_failed_and_a_closed_one_ended() -> None:
    assert noted(VIEW, SessionLost("killed"), 1.0).state is SessionState.FAILED
    assert noted(VIEW, SessionLost("closed", expected=True), 1.0).state is SessionState.ENDED


def test_the_title_names_the_session_and_what_waits() -> None:
    assert VIEW.title(0) == "◌ api · ccq-tui"
    assert VIEW.title(2) == "◌ ? 2 api · ccq-tui"


@pytest.mark.parametrize(("seconds", "words"), [(0, "0s"), (59, "59s"), (185, "3m 05s"), (8040, "2h 14m")])
def test_durations(seconds: int, words: str) -> None:
    assert duration(seconds) == words


def test_paths_under_home_begin_with_a_tilde(home: Path) -> None:
    assert short_path(home / "x" / "y") == "~/x/y"
    assert short_path(home) == "~"
    assert short_path(Path("/else")) == "/else"

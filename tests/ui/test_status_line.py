"""The status line as it is drawn, in terminals of several widths."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from textual.app import App, ComposeResult

from ccq_tui import theming
from ccq_tui.agent.events import SessionState
from ccq_tui.agent.session_name import SessionName
from ccq_tui.runtime.facts import SessionFacts
from ccq_tui.runtime.view import BYPASS, Surroundings, pieces
from ccq_tui.widgets.status_line import StatusLine

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
    rounds=2,
)
VIEWS = (PLAN, replace(PLAN, mode=BYPASS), replace(PLAN, retry="retry 2 of 10", mode="default", rounds=0))


class Lines(App[None]):
    """Several status lines, one under the other."""

    CSS = "StatusLine { margin-bottom: 1; }"

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return theming.variable_defaults()

    def compose(self) -> ComposeResult:
        for _ in VIEWS:
            yield StatusLine()

    def on_mount(self) -> None:
        theming.install(self, "ccq-dark")
        for line, view in zip(self.query(StatusLine), VIEWS, strict=True):
            line.show(pieces(view, Surroundings("feature/health"), 0.0))


@pytest.mark.parametrize("width", [40, 80, 160])
def test_picture_of_the_status_line(snap_compare: Compare, width: int) -> None:
    assert snap_compare(Lines(), terminal_size=(width, 6))

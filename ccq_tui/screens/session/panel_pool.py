"""The panels of a dock, each made once: making one is the slowest step from a request to the screen."""

from __future__ import annotations

from collections.abc import Callable

from textual.widget import Widget

from ccq_tui.inbox.waiting_line import Draft
from ccq_tui.widgets.decision import DecisionPanel
from ccq_tui.widgets.lifetime import after
from ccq_tui.widgets.panel.host import PANELS, Panel

APART_SECONDS = 0.2
"""Seconds between the making of two panels."""


class PanelPool:
    """Keeps a panel of each kind, which rests while nothing is asked in it."""

    def __init__(
        self, dock: Widget, drafting: Callable[[], bool], session: str, clock: Callable[[], float]
    ) -> None:
        self._dock = dock
        self._drafting = drafting
        self._session = session
        self._directory = ""
        self._clock = clock
        self._made: dict[type[Panel], Panel] = {}

    def of(self, draft: Draft) -> Panel:
        """Return the panel in which a draft is drawn."""
        return self._of_kind(PANELS[type(draft)])

    def make_ready(self) -> None:
        """Make the panels before they are needed, one after the other: keys come between."""
        missing = [kind for kind in PANELS.values() if kind not in self._made]
        if missing and self._dock.is_attached:
            self._of_kind(missing[0])
            after(self._dock, APART_SECONDS, self.make_ready)

    def be_called(self, session: str, directory: str) -> None:
        """Take the session's new name and its directory."""
        if (session, directory) != (self._session, self._directory):
            self._session, self._directory = session, directory
            for panel in self._made.values():
                self._name(panel)

    def _name(self, panel: Panel) -> None:
        if isinstance(panel, DecisionPanel):
            panel.form.directory = self._directory
        panel.session = self._session

    def _of_kind(self, kind: type[Panel]) -> Panel:
        panel = self._made.get(kind)
        if panel is None:
            panel = self._made[kind] = kind(None, session=self._session, clock=self._clock)
            panel.drafting = self._drafting
            self._name(panel)
            self._dock.mount(panel)
        return panel

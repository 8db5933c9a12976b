"""The part of the screen that tells how things stand: status line, title, bell."""

from __future__ import annotations

from textual import on

from ccq_tui.agent.events import AgentEvent, PermissionAsked, PlanProposed, QuestionAsked
from ccq_tui.screens.session.base import SessionBase
from ccq_tui.screens.session.dock import Dock
from ccq_tui.screens.terminal import set_title
from ccq_tui.widgets.status_line import StatusLine


class Telling(SessionBase):
    """Keeps status line and title true, and rings when somebody is needed."""

    def on_mount(self) -> None:
        """Count the seconds."""
        self.set_interval(1.0, self.changed)
        self.changed()

    def handle(self, event: AgentEvent) -> None:
        """Ring for what waits for a person."""
        super().handle(event)
        if isinstance(event, QuestionAsked | PermissionAsked | PlanProposed):
            self._ring()

    def changed(self) -> None:
        """Draw status line and title."""
        super().changed()
        if self.is_mounted:
            self.query_one(StatusLine).show(self.view.words(self.clock()))
            title = self.view.title(len(self.dock.line.items))
            if title != self.title:
                self.title = title
                set_title(self.app, title)

    @on(Dock.LineChanged)
    def _line_changed(self) -> None:
        self.changed()

    def _ring(self) -> None:
        if self.launch.settings.bell and not self.app.app_focus:
            self.app.bell()

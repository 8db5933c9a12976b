"""The part of the screen where a plan is brought into view, and where a key changes the permission mode."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType

from ccq_tui.agent.events import ErrorReported, ModeChanged, ModelsListed
from ccq_tui.inbox import PlanRequest
from ccq_tui.screens.session.base import SessionBase
from ccq_tui.screens.session.dock import Dock
from ccq_tui.screens.session.modes import BYPASS, next_mode, offered_modes, said
from ccq_tui.supervisor.events import SessionEvent
from ccq_tui.widgets.decision import DecisionPanel
from ccq_tui.widgets.lifetime import after_refresh, is_live
from ccq_tui.widgets.panel import RequestPanel
from ccq_tui.widgets.transcript import Transcript

MODE_ERROR = "mode"
"""The kind of the error that says that a mode was refused."""


class Deciding(SessionBase):
    """Shows the plan that is decided on from its head; goes from one permission mode to the next."""

    BINDINGS: ClassVar[list[BindingType]] = [
        # Before the field takes it, which would only keep the focus with it.
        Binding("shift+tab", "next_mode", "Next permission mode", priority=True, show=False, id="mode"),
    ]

    _left_end_for = ""
    """The plan whose head was brought into view while the end was followed, or ""."""
    _auto = False
    _wanted = ""
    """The mode on its way: the key may be pressed again before the CLI has said yes."""
    _refused: frozenset[str] = frozenset()

    def handle(self, event: SessionEvent) -> None:
        """Know what is offered, and what became of the mode that was wanted."""
        super().handle(event)
        match event:
            case ModelsListed(models):
                self._auto = any(model.auto_mode for model in models)
            case ModeChanged(mode):
                if mode == self._wanted:
                    self._wanted = ""
            case ErrorReported(kind=kind) if kind == MODE_ERROR and self._wanted:
                self._refused |= {self._wanted}
                self._wanted = ""
            case _:
                pass

    @on(RequestPanel.Opened)
    def _show_plan(self, event: RequestPanel.Opened) -> None:
        panel = event.panel
        if not isinstance(panel, DecisionPanel) or not event.current:
            return
        if isinstance(request := panel.state.request, PlanRequest):
            panel.unseen_above = lambda: (self.transcript.unseen_of_plan(), False)
            # The panel takes lines from the transcript, which are to be gone by then.
            after_refresh(self, partial(self._bring_into_view, request.id))

    def _bring_into_view(self, request_id: str) -> None:
        followed = self.transcript.following
        if self.transcript.show_plan(request_id) and followed:
            self._left_end_for = request_id

    @on(Dock.Answered)
    def _back_to_end(self, event: Dock.Answered) -> None:
        if event.waiting.request.id == self._left_end_for:
            self._left_end_for = ""
            self.transcript.action_end()

    @on(Transcript.Looked)
    def _looked(self) -> None:
        panel = self.dock.panel
        if isinstance(panel, DecisionPanel):
            panel.look()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Take the key in the prompt alone: in a panel it goes to the question before."""
        if action == "next_mode":
            return is_live(self) and self.dock.prompt.has_focus_within
        return super().check_action(action, parameters)

    def action_next_mode(self) -> None:
        """Go to the next permission mode."""
        bypass = self.launch.settings.permission_mode == BYPASS
        offered = offered_modes(auto=self._auto, bypass=bypass, refused=self._refused)
        self._wanted = next_mode(self._wanted or self.view.mode, offered)
        self.session.agent.set_mode(self._wanted)
        self.chose("mode", self._wanted)
        self.dock.notices.say(said(self._wanted))

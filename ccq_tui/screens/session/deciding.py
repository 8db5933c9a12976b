"""The part of the screen where the permission mode is changed by a key."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from ccq_tui.agent.events import AgentEvent, ErrorReported, ModeChanged, ModelsListed
from ccq_tui.screens.session.base import SessionBase
from ccq_tui.screens.session.modes import BYPASS, next_mode, offered_modes, said
from ccq_tui.widgets.lifetime import is_live

MODE_ERROR = "mode"
"""The kind of the error that says that a mode was refused."""


class Deciding(SessionBase):
    """Goes from one permission mode to the next, and says what each means."""

    BINDINGS: ClassVar[list[BindingType]] = [
        # Before the field takes it, which would only keep the focus with it.
        Binding("shift+tab", "next_mode", "Next permission mode", priority=True, show=False, id="mode"),
    ]

    _auto = False
    _wanted = ""
    """The mode on its way: the key may be pressed again before the CLI has said yes."""
    _refused: frozenset[str] = frozenset()

    def handle(self, event: AgentEvent) -> None:
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
        self.session.set_mode(self._wanted)
        self.dock.notices.say(said(self._wanted))

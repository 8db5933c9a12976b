"""Permission modes: their order, their meanings, and the key that goes to the next."""

from __future__ import annotations

from collections.abc import Callable, Collection

from ccq_tui.agent.events import ErrorReported, ModeChanged, ModelsListed
from ccq_tui.screens.session.ui import SessionUi
from ccq_tui.screens.session.view import BYPASS
from ccq_tui.supervisor.events import SessionEvent

CYCLE = ("default", "acceptEdits", "plan", "auto", BYPASS)
"""The modes in the order of the key, which only leaves dontAsk: that refuses what it would ask."""
MEANINGS = {
    "default": "asks before it changes or runs anything",
    "acceptEdits": "edits files unasked, asks before it runs commands",
    "plan": "looks and plans, changes nothing",
    "auto": "lets a classifier decide when to ask",
    "dontAsk": "denies whatever needs permission",
    BYPASS: "does everything unasked, without any check",
}
"""What Claude does in each mode."""
MODE_ERROR = "mode"
"""Kind of the error that reports a refused mode."""
NAMES = {"acceptEdits": "Accept edits", "dontAsk": "Don't ask", BYPASS: "BYPASS PERMISSIONS"}
"""Names shown for modes in place of their own."""


def offered_modes(*, auto: bool, bypass: bool, refused: Collection[str] = ()) -> tuple[str, ...]:
    """Return the modes that the key goes through."""
    left_out = {*refused, *(() if auto else ("auto",)), *(() if bypass else (BYPASS,))}
    return tuple(mode for mode in CYCLE if mode == "default" or mode not in left_out)


def next_mode(mode: str, offered: tuple[str, ...]) -> str:
    """Return the mode after one; the first after the last, and after one that is not offered."""
    return offered[(offered.index(mode) + 1) % len(offered)] if mode in offered else offered[0]


def said(mode: str) -> str:
    """Return the name of a wanted mode and what it means."""
    return f"{NAMES.get(mode, mode.capitalize())} mode · Claude {MEANINGS[mode]}"


class PermissionMode:
    """Goes from one permission mode to the next."""

    def __init__(self, ui: SessionUi, chose: Callable[[str, str | None], object]) -> None:
        self._ui = ui
        self._chose = chose
        self._auto = False
        self._wanted = ""
        """The mode on its way: the key may be pressed again before the CLI has said yes."""
        self._refused: frozenset[str] = frozenset()

    def take(self, event: SessionEvent) -> None:
        """Note which modes are offered, and whether the wanted mode was taken or refused."""
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

    def next(self) -> None:
        """Go to the next permission mode."""
        settings = self._ui.launch.settings
        bypass = settings.permission_mode == BYPASS or settings.allow_dangerously_skip_permissions
        offered = offered_modes(auto=self._auto, bypass=bypass, refused=self._refused)
        self._wanted = next_mode(self._wanted or self._ui.view.mode, offered)
        self._ui.session.agent.set_mode(self._wanted)
        self._chose("mode", self._wanted)
        self._ui.say(said(self._wanted))

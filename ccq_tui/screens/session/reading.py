"""The part of the screen where the transcript is read: scrolling, folding, copying."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from ccq_tui.screens.session.base import AGAIN_SECONDS, SessionBase


class Reading(SessionBase):
    """Moves through the transcript, whatever has the focus."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("pageup", "scroll_transcript('page_up')", priority=True, show=False),
        Binding("pagedown", "scroll_transcript('page_down')", priority=True, show=False),
        Binding("ctrl+up", "scroll_transcript('line_up')", priority=True, show=False),
        Binding("ctrl+down", "scroll_transcript('line_down')", priority=True, show=False),
        Binding("ctrl+home", "scroll_transcript('home')", priority=True, show=False),
        Binding("ctrl+end", "scroll_transcript('end')", priority=True, show=False),
        Binding("ctrl+o", "toggle_folds", priority=True, show=False),
        Binding("ctrl+c", "copy_or_quit", priority=True, show=False),
    ]

    def action_scroll_transcript(self, how: str) -> None:
        """Scroll the transcript, whatever has the focus."""
        getattr(self.transcript, f"action_{how}")()

    def action_toggle_folds(self) -> None:
        """Unfold thinking and long outputs, or fold them."""
        self.transcript.toggle_folds()

    def action_copy_or_quit(self) -> None:
        """Copy what is selected; with nothing selected, quit when pressed twice."""
        selected = self.get_selected_text() or getattr(self.focused, "selected_text", "")
        if selected:
            self.app.copy_to_clipboard(selected)
            self.dock.notices.say("Copied")
        elif self.pressed_again("ctrl+c"):
            self.app.run_worker(self.app.run_action("quit"), name="quit")
        else:
            self.dock.notices.say("Ctrl+C again quits", seconds=AGAIN_SECONDS)

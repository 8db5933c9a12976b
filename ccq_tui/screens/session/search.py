"""The search in the transcript: its field, its places, and the focus while it is open."""

from __future__ import annotations

from collections.abc import Callable

from textual import events
from textual.widget import Widget

from ccq_tui.screens.session.dock import Dock
from ccq_tui.screens.session.ui import SessionUi
from ccq_tui.widgets.panel import RequestPanel
from ccq_tui.widgets.prompt import Prompt
from ccq_tui.widgets.search_bar import SearchBar


class TranscriptSearch:
    """Opens the field, hands what is typed to the transcript, and gives the focus back."""

    def __init__(self, ui: SessionUi, bar: SearchBar, focus: Callable[[Widget], object]) -> None:
        self._ui = ui
        self.bar = bar
        self._focus = focus

    @property
    def is_open(self) -> bool:
        """Whether the field is shown."""
        return self.bar.is_open

    def open(self) -> None:
        """Open the field; if it is open, go to the next place."""
        bar, transcript = self.bar, self._ui.transcript
        if bar.is_open:
            transcript.search_next(1)
            return
        transcript.begin_search()
        bar.open()
        self._focus(bar.field)
        transcript.search(bar.field.value)
        self._ui.changed()

    def keeps_focus_from(self, widget: Widget | None) -> bool:
        """Whether a widget must wait for the focus: a panel that opens while somebody searches."""
        if widget is None or not self.is_open:
            return False
        return isinstance(widget, RequestPanel) or any(isinstance(one, Prompt) for one in widget.ancestors)

    def close(self) -> None:
        """Close the field; the panel, or else the prompt, gets the focus back."""
        bar, dock = self.bar, self._ui.dock
        if not bar.is_open:
            return
        bar.close()
        self._ui.changed()
        self._ui.transcript.end_search()
        if dock.panel is not None and not dock.panel.state.hidden:
            self._focus(dock.panel)
            dock.uncover()
        else:
            dock.prompt.take_focus()

    def clicked(self, event: events.Click) -> None:
        """Close the field on a click into the dock: the person wants to type there."""
        widget = event.widget
        if widget is not None and any(isinstance(one, Dock) for one in widget.ancestors_with_self):
            self.close()

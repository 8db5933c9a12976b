"""The part of the screen where the transcript is searched."""

from __future__ import annotations

from typing import ClassVar

from textual import events, on
from textual.binding import Binding, BindingType
from textual.widget import Widget

from ccq_tui.screens.session.base import SessionBase
from ccq_tui.screens.session.dock import Dock
from ccq_tui.widgets.panel import RequestPanel
from ccq_tui.widgets.prompt import Prompt
from ccq_tui.widgets.search_bar import SearchBar
from ccq_tui.widgets.transcript import Transcript


class Searching(SessionBase):
    """Opens the field, hands what is typed to the transcript, and gives the focus back."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+f", "search", "Find in the transcript", priority=True, show=False, id="search"),
    ]

    @property
    def search_bar(self) -> SearchBar:
        """The field, shown or not."""
        return self.query_one(SearchBar)

    def action_search(self) -> None:
        """Open the field; when it is open, go to the next place."""
        bar = self.search_bar
        if bar.is_open:
            self.transcript.search_next(1)
            return
        self.transcript.begin_search()
        bar.open()
        self.set_focus(bar.field, scroll_visible=False)
        self.transcript.search(bar.field.value)
        self.changed()

    def set_focus(
        self, widget: Widget | None, scroll_visible: bool = True, from_app_focus: bool = False
    ) -> None:
        """Give a widget the focus; a panel that opens while somebody searches waits for the search's end."""
        if widget is not None and self._belongs_to_dock(widget) and self.search_bar.is_open:
            return
        super().set_focus(widget, scroll_visible, from_app_focus)

    def _belongs_to_dock(self, widget: Widget) -> bool:
        return isinstance(widget, RequestPanel) or any(
            isinstance(ancestor, Prompt) for ancestor in widget.ancestors
        )

    @on(SearchBar.Changed)
    def _query_changed(self, event: SearchBar.Changed) -> None:
        self.transcript.search(event.query)

    @on(SearchBar.Wanted)
    def _next_wanted(self, event: SearchBar.Wanted) -> None:
        self.transcript.search_next(event.direction)

    @on(Transcript.FoundChanged)
    def _found_changed(self, event: Transcript.FoundChanged) -> None:
        self.search_bar.tell(event.place, event.count, more=event.more)

    @on(SearchBar.Closed)
    def close_search(self) -> None:
        """Close the field; the panel, or else the prompt, gets the focus back."""
        if not self.search_bar.is_open:
            return
        self.search_bar.close()
        self.changed()
        self.transcript.end_search()
        panel = self.dock.panel
        if panel is not None and not panel.state.hidden:
            self.set_focus(panel, scroll_visible=False)
            self.dock.uncover()
        else:
            self.dock.prompt.take_focus()

    @on(events.Click)
    def _clicked(self, event: events.Click) -> None:
        """Somebody who clicks into the dock wants to go on there."""
        widget = event.widget
        if widget is not None and any(isinstance(ancestor, Dock) for ancestor in widget.ancestors_with_self):
            self.close_search()

"""The overview's columns: a widget each, which draws what it is given."""

from __future__ import annotations

from rich.style import Style
from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Static

from ccq_tui.inbox.session_groups import Group
from ccq_tui.widgets.lines import DrawnLine, LineView


class Column(Vertical):
    """A group: its head, and its cards, which scroll.

    Args:
        group: The group.
    """

    DEFAULT_CSS = """
    Column {
        width: 1fr;
        border-left: solid $ccq-rule;
        &.-first { border-left: none; }
        & > Static { height: 2; }
    }
    """

    def __init__(self, group: Group) -> None:
        super().__init__(classes="-first" if group is next(iter(Group)) else "")
        self.group = group

    def compose(self) -> ComposeResult:
        """Build head and cards."""
        yield Static("", markup=False)
        yield LineView()

    @property
    def cards(self) -> LineView:
        """The part with the cards."""
        return self.query_one(LineView)

    def show(self, head: Text, lines: list[DrawnLine], cursor: int | None, style: Style) -> None:
        """Draw another head and other cards, or the same with the cursor elsewhere."""
        self.query_one(Static).update(head, layout=False)
        self.cards.show(lines, cursor, style)


class Columns(Horizontal):
    """All groups side by side."""

    def compose(self) -> ComposeResult:
        """Build a column for each group."""
        for group in Group:
            yield Column(group)

"""The widgets that a question panel is made of, and how a drawing is put into them."""

from __future__ import annotations

from collections.abc import Callable

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.geometry import Offset, Region
from textual.widgets import Static

from ccq_tui.questions.state import TEXT_FOCUSES, Focus, PanelState, proposed
from ccq_tui.text import safe
from ccq_tui.widgets.hints import HintBar
from ccq_tui.widgets.lines import FlowView, LineView
from ccq_tui.widgets.palette import PALETTE_CSS
from ccq_tui.widgets.question.asking import field_label
from ccq_tui.widgets.question.drawing import Drawing
from ccq_tui.widgets.question.field import AnswerField

LONGEST_PLACEHOLDER = 400
CSS = f"""
    QuestionPanel {{
        height: 10;
        background: $surface;
        border-top: solid $ccq-rule;
        {PALETTE_CSS}
        & > #head {{ height: auto; }}
        & > #middle {{ height: 1fr; width: 100%; layout: horizontal; }}
        & > #middle.-under {{ layout: vertical; }}
        & #middle.-under > #list {{ width: 100%; }}
        & #preview {{ display: none; width: 1fr; border: round $ccq-rule; border-title-color: $ccq-muted; }}
        & #middle.-beside > #preview {{ display: block; margin: 0 1; width: 55%; }}
        & #middle.-under > #preview, & #middle.-large > #preview {{
            display: block; border: none; border-top: solid $ccq-rule; margin: 0 2 0 3;
        }}
        & #middle.-large > #list {{ display: none; }}
        & > #field-label {{ height: auto; padding: 0 3; color: $ccq-muted; }}
        & > HintBar {{ dock: bottom; }}
        & > .-airy {{ margin-top: 1; }}
        & > .-off {{ display: none; }}
    }}
"""


class Face:
    """The parts of one panel.

    Args:
        press_in_field: Called with each key that comes to the field itself.
    """

    def __init__(self, press_in_field: Callable[[events.Key], bool]) -> None:
        self.head = Static(id="head", markup=False)
        self.list = LineView(id="list")
        self.preview = FlowView(id="preview")
        self.middle = Container(self.list, self.preview, id="middle")
        self.label = Static(id="field-label", markup=False, classes="-off")
        self.field = AnswerField(press_in_field, id="field")
        # The panel keeps the focus and hands keys on: one queue, so that none overtakes another.
        self.field.can_focus = False
        self.field.add_class("-off")
        self.hints = HintBar(asleep=True)

    def compose(self) -> ComposeResult:
        """Yield the parts from top to bottom."""
        yield self.head
        yield self.middle
        yield self.label
        yield self.field
        yield self.hints

    def draw(self, drawn: Drawing) -> None:
        """Show a drawing."""
        self.head.update(Text("\n").join(drawn.head))
        for name in ("beside", "under", "large"):
            self.middle.set_class(drawn.preview_at == name, f"-{name}")
        if drawn.preview is not None:
            self.preview.border_title = Content.from_rich_text(Text.assemble(" ", drawn.preview_title, " "))
            self.preview.styles.height = drawn.preview_height if drawn.preview_at == "under" else None
            self.preview.show_flow(drawn.preview)
        self.list.show(drawn.lines, drawn.cursor, drawn.palette.cursor)
        # What is typed stands right under what it is about, the keys at the foot.
        typing = drawn.state.focus in TEXT_FOCUSES and not drawn.preview_at
        self.middle.styles.height = min(len(drawn.lines), drawn.middle) if typing else "1fr"
        self.label.set_class(not drawn.label, "-off")
        self.label.update(Text("\n").join(drawn.label))
        self.field.styles.max_height = drawn.field_most
        # The blank line is above the lowest part that is not the list's.
        self.label.set_class(drawn.airy, "-airy")
        self.hints.set_class(drawn.airy and not drawn.label, "-airy")
        self.hints.show(drawn.keys, drawn.right, drawn.key_lines)

    def sync_field(self, state: PanelState, *, focused: bool) -> None:
        """Bring the text field in line with the state.

        Args:
            state: The state drawn.
            focused: Whether the panel has the focus.
        """
        typing = state.focus in TEXT_FOCUSES
        opens = typing and self.field.has_class("-off")
        self.field.set_class(not typing, "-off")
        self.field.has_focus = typing and focused
        if not typing:
            return
        fresh = opens or self.field.text != state.text
        self.field.put(state.text)
        hint = field_label(state)
        if state.focus is Focus.FIELD:
            question = state.page.question
            hint = question.placeholder or hint
            if fresh and state.text and state.text == proposed(question):
                # Typing replaces what was only proposed.
                self.field.select_all()
        self.field.placeholder = Content(safe(hint, keep_newlines=False, limit=LONGEST_PLACEHOLDER))

    def row_at(self, offset: Offset) -> int | None:
        """Return the row of the list drawn at a place of the screen, or None."""
        seen = Region(*self.list.region.offset, *self.list.size)
        return self.list.row_at(offset.y - seen.y) if seen.contains_point(offset) else None

    def scroll(self, by: int, preview_at: str) -> None:
        """Scroll the preview, or the list where no preview is shown."""
        view = self.preview if preview_at else self.list
        view.scroll_relative(y=by, animate=False, force=True)

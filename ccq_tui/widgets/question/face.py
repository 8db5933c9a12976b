"""The widgets that a question panel is made of, and how a drawing is put into them."""

from __future__ import annotations

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content

from ccq_tui.questions.state import TEXT_FOCUSES
from ccq_tui.widgets.hints import HintBar
from ccq_tui.widgets.lines import FlowView, LineView
from ccq_tui.widgets.panel.field import AnswerField
from ccq_tui.widgets.question.drawing import Drawing
from ccq_tui.widgets.texts import TextLines

CSS = """
    QuestionPanel {
        & > #head { height: auto; }
        & > #middle { height: 1fr; width: 100%; layout: horizontal; }
        & > #middle.-under { layout: vertical; }
        & #middle.-under > #list { width: 100%; }
        & #preview { display: none; width: 1fr; border: round $ccq-rule; border-title-color: $ccq-muted; }
        & #middle.-beside > #preview { display: block; margin: 0 1; width: 55%; }
        & #middle.-under > #preview, & #middle.-large > #preview {
            display: block; border: none; border-top: solid $ccq-rule; margin: 0 2 0 3;
        }
        & #middle.-large > #list { display: none; }
        & > .-airy { margin-top: 1; }
    }
"""


class Face:
    """The parts of one panel.

    Args:
        field: The text field.
        hints: The keys.
    """

    def __init__(self, field: AnswerField, hints: HintBar) -> None:
        self.head = TextLines(id="head")
        self.list = LineView(id="list")
        self.preview = FlowView(id="preview")
        self._preview_frame: tuple[Text, int | None] = (Text(), None)
        self.middle = Container(self.list, self.preview, id="middle")
        self.label = TextLines(id="field-label", classes="-off")
        self.field = field
        self.hints = hints

    def compose(self) -> ComposeResult:
        """Yield the parts from top to bottom."""
        yield self.head
        yield self.middle
        yield self.label
        yield self.field
        yield self.hints

    def draw(self, drawn: Drawing) -> None:
        """Show a drawing."""
        self.head.show(drawn.head)
        for name in ("beside", "under", "large"):
            self.middle.set_class(drawn.preview_at == name, f"-{name}")
        if drawn.preview is not None:
            self._frame_preview(
                drawn.preview_title, drawn.preview_height if drawn.preview_at == "under" else None
            )
            self.preview.show_flow(drawn.preview)
        self.list.show(drawn.lines, drawn.cursor, drawn.palette.cursor)
        # What is typed stands right under what it is about, the keys at the foot.
        typing = drawn.state.focus in TEXT_FOCUSES and not drawn.preview_at
        self.middle.styles.height = min(len(drawn.lines), drawn.middle) if typing else "1fr"
        self.label.set_class(not drawn.label, "-off")
        self.label.show(drawn.label)
        self.field.styles.max_height = drawn.field_most
        # The blank line is above the lowest part that is not the list's.
        self.label.set_class(drawn.airy, "-airy")
        self.hints.set_class(drawn.airy and not drawn.label, "-airy")
        self.hints.show(drawn.keys, drawn.right, drawn.key_lines)

    def _frame_preview(self, title: Text, height: int | None) -> None:
        """Give the preview its title and height; each asks for another picture, even where it is the same."""
        if (title, height) != self._preview_frame:
            self._preview_frame = (title, height)
            self.preview.border_title = Content.from_rich_text(Text.assemble(" ", title, " "))
            self.preview.styles.height = height

    def rows_in_sight(self, cursor: int) -> frozenset[int]:
        """Return the rows that are on the screen; a large preview shows the one under the cursor."""
        return frozenset({cursor}) if self.middle.has_class("-large") else self.list.rows_in_sight

    def scroll(self, by: int, preview_at: str) -> None:
        """Scroll the preview, or the list where no preview is shown."""
        view = self.preview if preview_at else self.list
        view.scroll_relative(y=by, animate=False, force=True)

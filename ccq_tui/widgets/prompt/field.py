"""The text field of the prompt, in which a long paste or an image is one piece, and its Vim keys."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from rich.text import Text
from textual import events
from textual.widgets.text_area import Edit, EditResult, Location, Selection

from ccq_tui.prompts import images, pastes, vim
from ccq_tui.prompts.images import PromptImage
from ccq_tui.questions.state import typable
from ccq_tui.text import common_start
from ccq_tui.widgets.field import AnswerField
from ccq_tui.widgets.keys import text_of

MOST_LINES = 10


class VimKeys:
    """Edits the field by Vim's commands; one that touches a folded paste or an image changes all of it."""

    def __init__(self, field: "PromptField") -> None:
        self._field = field
        self._state = vim.VimState()
        self.on = False

    @property
    def mode(self) -> str:
        """Vim's name of the current mode; "" while Vim's keys are off."""
        return self._state.mode.value if self.on and not self._field.prompt.searching else ""

    @property
    def commands(self) -> bool:
        """Whether a letter is a command."""
        return self.mode == vim.VimMode.NORMAL

    def insert(self) -> None:
        """Start insert mode."""
        self._state = replace(self._state, mode=vim.VimMode.INSERT, keys="")

    def drop(self) -> None:
        """Forget the keys of an incomplete command: something else was done meanwhile."""
        if self._state.keys:
            self._state = replace(self._state, keys="")

    def takes(self, event: events.Key) -> bool:
        """Handle a key, unless it is typed or means something elsewhere; return whether it was handled."""
        key = vim.ESCAPE if event.key == "escape" else text_of(event)
        taken = bool(key) and bool(self.mode) and self._take(key)
        if not taken:
            self.drop()
        return taken

    def type(self, character: str) -> None:
        """Handle a character meant for the prompt: a command is one here, too."""
        if not (self.commands and self._take(character)):
            self._field.type(character)

    def _take(self, key: str) -> bool:
        field = self._field
        text = field.text
        outcome = vim.pressed(self._state, key, text, field.caret)
        if outcome is None:
            return False
        self._state = outcome.state
        self._change(text, outcome.text)
        if outcome.undo:
            self._undo(outcome.undo)
        else:
            field.go_to(outcome.caret)
        if outcome.step:
            field.prompt.walk_by(outcome.step)
            field.go_to(vim.on_character(field.text, field.caret))
        field.prompt.show_sign()
        return True

    def _change(self, before: str, text: str) -> None:
        """Change only what differs, so that undo takes back just that."""
        if text == before:
            return
        head = common_start(before, text)
        tail = common_start(before[head:][::-1], text[head:][::-1])
        # Otherwise undo takes back two deletions at once.
        self._field.history.checkpoint()
        ends = (self._field.location_of(head), self._field.location_of(len(before) - tail))
        self._field.replace(text[head : len(text) - tail], *ends, maintain_selection_offset=False)

    def _undo(self, times: int) -> None:
        for _ in range(times):
            before = self._field.text
            self._field.action_undo()
            if self._field.text == before:
                return


class PromptField(AnswerField):
    """The text area of the prompt.

    The name of a folded paste or of an image is one piece: the caret comes before or after it, and a key
    that would delete a part of it deletes it all.
    """

    DEFAULT_CSS = """
    PromptField {
        padding: 0 1 0 0;
        background: $background;
        & > .prompt--paste { color: $ccq-note; text-style: italic; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {*AnswerField.COMPONENT_CLASSES, "prompt--paste"}

    def __init__(self, prompt: Any) -> None:
        self.prompt = prompt
        self.pastes: dict[str, str] = {}
        """The folded pastes by the names under which they are in the text."""
        self._pasted: list[str] = []
        """Pastes of the last prompts, the newest first."""
        self.images: dict[str, PromptImage] = {}
        """Images by their names in the texts of this prompt, earlier ones too; no name is given twice."""
        self.vim = VimKeys(self)
        """Vim's keys."""
        super().__init__(self._takes, id="prompt-field")

    def _takes(self, event: events.Key) -> bool:
        if self.prompt.press(event):
            self.vim.drop()
        elif not self.vim.takes(event):
            return False
        self.prompt.note_typed()
        return True

    async def edits_with(self, event: events.Key) -> bool:
        taken = await super().edits_with(event)
        if taken:
            self.prompt.note_typed()
        return taken

    def on_blur(self) -> None:
        """Forget an incomplete command: the next key is meant for something else."""
        self.vim.drop()

    def on_mouse_down(self) -> None:
        """Forget an incomplete command: a click puts the caret elsewhere."""
        self.vim.drop()

    def leave_room(self) -> None:
        """Take fewer lines on a low screen: the line with the caret must stay in sight."""
        # Of the lower half of the screen, the rule above the field and the status line are not the field's.
        self.styles.max_height = max(1, min(MOST_LINES, self.app.size.height // 2 - 2))

    @property
    def at_top(self) -> bool:
        """Whether the caret is on the first line that is shown."""
        return self.wrapped_document.location_to_offset(self.cursor_location).y == 0

    @property
    def at_bottom(self) -> bool:
        """Whether the caret is on the last line that is shown."""
        wrapped = self.wrapped_document
        return wrapped.location_to_offset(self.cursor_location).y >= wrapped.height - 1

    def remember_pastes(self) -> None:
        """Remember the pastes in the text: they are folded again where an earlier prompt is shown."""
        now = list(pastes.used(self.text, self.pastes).values())
        # Most pastes that are remembered beyond their prompt.
        self._pasted = [*now, *(one for one in self._pasted if one not in now)][:20]

    def show(self, text: str, caret: int | None = None) -> None:
        """Replace the text, which undo brings back; the caret goes to the end, or to a place."""
        if not text:
            self.remember_pastes()
        text, self.pastes = pastes.folded(text, self._pasted, self.pastes)
        super().show(text, caret)

    def on_paste(self, event: events.Paste) -> None:
        """Take a paste, whole and once; a long one is folded."""
        event.stop()
        event.prevent_default()
        self.paste(event.text)

    def paste(self, text: str) -> None:
        """Insert a pasted text at the caret, folded if it is long."""
        text = typable(text)
        if pastes.folds(text):
            name = pastes.label(text, self.pastes, self.text)
            self.pastes[name] = text
            text = name
        self.type(text)
        self.prompt.read_pasted(text)

    def attach(self, image: PromptImage) -> None:
        """Insert an image at the caret."""
        self.type(f"{self._named(image)} ")

    def exchange(self, text: str, attached: Sequence[PromptImage]) -> None:
        """Replace the text that a paste has put in by images, if it is still there."""
        place = self.text.rfind(text)
        if place < 0:
            return
        # Each name is in the text before the next one is given.
        names = ""
        for image in attached:
            names += f"{self._named(image, names)} "
        ends = (self.location_of(place), self.location_of(place + len(text)))
        self.replace(names, *ends, maintain_selection_offset=True)
        self.scroll_cursor_visible()

    def go_to(self, place: int) -> None:
        """Put the caret at a place of the text."""
        self.move_cursor(self.location_of(place))
        self.scroll_cursor_visible()

    def _named(self, image: PromptImage, beside: str = "") -> str:
        name = images.label(image, self.images, self.text + beside)
        self.images[name] = image
        return name

    def unfolded(self, text: str) -> str:
        """Return a piece of the text with its pastes whole: their names are forgotten with the prompt."""
        return pastes.unfolded(text, self.pastes)

    def edit(self, edit: Edit) -> EditResult:
        """Change the text; an edit that touches a folded paste or an image changes all of it."""
        top, bottom = sorted((edit.from_location, edit.to_location))
        if top == bottom:
            top = bottom = self._beside(top, after=True)
        else:
            top, bottom = self._beside(top, after=False), self._beside(bottom, after=True)
        edit.from_location, edit.to_location = top, bottom
        return super().edit(edit)

    def validate_selection(self, selection: Selection) -> Selection:
        """Move the caret out of a paste's name, to the side towards which it goes."""
        start, end = selection
        onwards = end > self.selection.end
        return Selection(self._beside(start, after=onwards), self._beside(end, after=onwards))

    def _beside(self, place: Location, *, after: bool) -> Location:
        row, column = place
        if row >= self.document.line_count:
            return place
        within = pastes.around(column, self._pieces(self.document.get_line(row)))
        return place if within is None else (row, within[1] if after else within[0])

    def _pieces(self, line: str) -> Iterator[tuple[int, int]]:
        """Return the beginning and end of each name of a paste or an image in a line."""
        return pastes.in_line(line, {**self.pastes, **self.images})

    def get_line(self, line_index: int) -> Text:
        """Return a line as it is drawn, with pastes and images marked."""
        line = super().get_line(line_index)
        for begin, end in self._pieces(self.document.get_line(line_index)):
            line.stylize(self.get_component_rich_style("prompt--paste", partial=True), begin, end)
        return line

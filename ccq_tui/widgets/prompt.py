"""The prompt: several lines, sent by Enter, never lost."""

from __future__ import annotations

import time
from collections.abc import Callable

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Static, TextArea

from ccq_tui.widgets.question.field import AnswerField


class PromptField(AnswerField):
    """The text of the prompt; Enter sends it, what edits nothing is for the screen."""

    DEFAULT_CSS = """
    PromptField {
        max-height: 10;
        padding: 0 1 0 0;
        margin: 0;
        border: none;
        background: $background;
        &:focus { border: none; }
    }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(self._send, id=id)
        self.placeholder = "Ask Claude to do something"

    def _send(self, event: events.Key) -> bool:
        if event.key == "enter":
            self.post_message(Prompt.SendRequested())
        return event.key == "enter"


class Prompt(Horizontal):
    """The prompt and its sign.

    Args:
        text: What stands in it at the start.
        clock: Returns seconds of a monotonic clock.
    """

    DEFAULT_CSS = """
    Prompt {
        height: auto;
        border-top: solid $ccq-rule;
        & > #sign { width: 3; height: 1; color: $primary; text-style: bold; }
    }
    """

    class SendRequested(Message):
        """Enter was pressed in the field."""

    class Submitted(Message):
        """The person sent a prompt; the field is empty again."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self, text: str = "", *, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(id="prompt")
        self._initial = text
        self._clock = clock
        self._known = text
        self.last_typed: float | None = None
        """When the text last changed under a person's hands, in seconds of the clock, or None."""

    def compose(self) -> ComposeResult:
        """Build the sign and the field."""
        yield Static(" ❯ ", id="sign", markup=False)
        yield PromptField(id="prompt-field")

    def on_mount(self) -> None:
        """Show what the prompt begins with."""
        if self._initial:
            self.put(self._initial)

    @property
    def field(self) -> PromptField:
        """The text area."""
        return self.query_one(PromptField)

    @property
    def text(self) -> str:
        """What stands in the prompt."""
        return self.field.text

    def take_focus(self) -> None:
        """Give the field the focus at once: the next key may be waiting already."""
        self.screen.set_focus(self.field, scroll_visible=False)

    def put_back(self, text: str) -> None:
        """Put a prompt that could not be sent before what has been typed since."""
        now = self.text
        self.put(f"{text}\n{now}" if now.strip() else text)

    def put(self, text: str) -> None:
        """Replace the text, with the caret at its end."""
        self._known = text
        self.field.load_text(text)
        self.field.move_cursor(self.field.document.end)

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """Remember when somebody last typed."""
        event.stop()
        if event.text_area.text != self._known:
            self._known = event.text_area.text
            self.last_typed = self._clock()

    def on_prompt_send_requested(self, event: SendRequested) -> None:
        """Send what was typed; blanks alone are nothing to send."""
        event.stop()
        text = self.text
        if text.strip():
            self.put("")
            self.last_typed = None
            self.post_message(self.Submitted(text))

"""The prompt: several lines, sent by Enter, never lost."""

from __future__ import annotations

import time
from collections.abc import Callable

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Static, TextArea

from ccq_tui.inbox.waiting import TYPING_PAUSE
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

    def __init__(self, send: Callable[[], None], *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(self._take, id=id)
        self.placeholder = "Ask Claude to do something"
        self._send = send

    def _take(self, event: events.Key) -> bool:
        if event.key == "enter":
            # At once: what is typed after Enter in the same burst belongs to the next prompt.
            self._send()
        return event.key in ("enter", "tab", "shift+tab")


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

    class Submitted(Message):
        """The person sent a prompt; the field is empty again."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class HeldBack(Message):
        """Enter came in the middle of typing that was meant for a panel; nothing was sent."""

    def __init__(self, text: str = "", *, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(id="prompt")
        self._initial = text
        self._clock = clock
        self._known = text
        self._returned: list[str] = []
        self._held_since: float | None = None
        self.last_typed: float | None = None
        """When the text last changed under a person's hands, in seconds of the clock, or None."""

    def compose(self) -> ComposeResult:
        """Build the sign and the field."""
        yield Static(" ❯ ", id="sign", markup=False)
        yield PromptField(self._submit, id="prompt-field")

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

    def hold(self) -> None:
        """Send nothing until a pause in typing: the keys under way were meant for a panel that closed."""
        self._held_since = self._clock()

    def put_back(self, text: str) -> None:
        """Put a prompt that was not sent before what was typed since, after those that came back."""
        before, now = "\n".join(self._returned), self.text
        if not before or not now.startswith(before):
            self._returned, before = [], ""
        self._returned.append(text)
        typed = now[len(before) :].removeprefix("\n") if before else now
        self.put("\n".join([*self._returned, *([typed] if typed.strip() else [])]))

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
            self._held()

    def _held(self) -> bool:
        """Whether the typing that a panel's end interrupted still goes on."""
        now = self._clock()
        if self._held_since is not None:
            self._held_since = now if now - self._held_since < TYPING_PAUSE else None
        return self._held_since is not None

    def _submit(self) -> None:
        """Send what was typed; blanks alone are nothing to send."""
        text = self.text
        if not text.strip():
            # Somebody types, if nothing: a panel that opened now would take the next Enter.
            self.last_typed = self._clock()
            return
        if self._held():
            self.post_message(self.HeldBack())
            return
        self.put("")
        self._returned = []
        self.last_typed = None
        self.post_message(self.Submitted(text))

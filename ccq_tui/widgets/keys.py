"""The keys that a person chose, for widgets that take keys themselves."""

from __future__ import annotations

from typing import cast

from textual import events
from textual.binding import Binding
from textual.widget import Widget
from textual.widgets import Input

from ccq_tui.config.keymap import keymap
from ccq_tui.input.keynames import typed_by
from ccq_tui.input.keys import SETTINGS, TABLE, KeyPlace, KeyRow
from ccq_tui.questions.input_guard import Presses
from ccq_tui.questions.state import is_text


def bindings_for(*names: str) -> list[Binding]:
    """Return the bindings of actions in the table of keys; each runs ``do`` with its name."""
    return [_binding(SETTINGS[name]) for name in names]


def bindings_at(place: KeyPlace) -> list[Binding]:
    """Return the bindings of the fixed keys of a place."""
    return [_binding(row) for row in TABLE if row.place is place and row.does and not row.setting]


def _binding(row: KeyRow) -> Binding:
    keys, action = ",".join(row.keys), f"do('{row.action}')"
    return Binding(keys, action, row.does, priority=row.first, show=False, id=row.setting or None)


def presses_of(widget: Widget) -> Presses:
    """Return the last keys in the app of a widget, whichever widget took them."""
    return cast("Presses", getattr(widget.app, "presses", Presses()))


def keys_meant(key: str) -> tuple[str, ...]:
    """Return the keys that a key means to a list with a text field above it, in which letters are text.

    There may be several, to take one after the other, and none for a key that now means something else.
    """
    return keymap().meant(KeyPlace.PICKER, letters=False).get(key, (key,))


def text_of(event: events.Key) -> str:
    """Return the text that a key types, or ""; Textual's own check leaves out joiners and no-break spaces."""
    character = event.character or ""
    return character if is_text(character) else ""


def typed_in(event: events.Key | events.Paste) -> str:
    """Return the text of a key or a paste, or ""."""
    return event.text if isinstance(event, events.Paste) else text_of(event)


class LineField(Input):
    """A field of one line that takes every character that is text."""

    async def on_key(self, event: events.Key) -> None:
        """Take the characters that Textual's own field passes over."""
        if not event.is_printable and (text := text_of(event)):
            event.stop()
            event.prevent_default()
            self.replace(text, *sorted(self.selection))


class Key(events.Key):
    """A key for one widget: if that ignores it, the program does not send it to the focused one."""

    @property
    def is_forwarded(self) -> bool:
        """Whether it has found its widget: always."""
        return True


Typed = events.Key | events.Paste


def copy_of(event: Typed) -> Typed:
    """Copy a key or paste for another widget; the original is stopped where it came to."""
    if isinstance(event, events.Paste):
        return events.Paste(event.text)
    return Key(event.key, event.character)


def press_key(widget: Widget, key: str) -> None:
    """Act as if a key had been pressed now."""
    widget.app.post_message(events.Key(key, typed_by(key) or None))

"""The useful part of a long text: its first or its last lines, and how many more there are."""

from __future__ import annotations

from ccq_tui.text import safe

LINE_LIMIT = 2_000
"""Characters of a line that are looked at; the rest cannot be seen on any screen."""


class Excerpt:
    """Some lines of a text, one row each.

    Attributes:
        lines: The lines, unsanitised.
        hidden: How many lines of the text are left out.
        tail: Whether they are its last ones, the hidden ones before them.
    """

    def __init__(self, text: str, most: int, *, tail: bool = False) -> None:
        """Take lines from a text.

        Args:
            text: The text, of any length.
            most: The most lines to take; a text of one line more is taken whole.
            tail: Whether to take the last lines instead of the first.
        """
        text = text.strip("\n").rstrip()
        count = text.count("\n") + 1
        keep = count if count <= most + 1 else most
        pieces = text.rsplit("\n", keep)[-keep:] if tail else text.split("\n", keep)[:keep]
        self.lines = tuple(piece[:LINE_LIMIT] for piece in pieces)
        self.hidden = count - keep
        self.tail = tail

    def __len__(self) -> int:
        return 1

    def shown(self) -> list[str]:
        """Return the lines, safe to draw."""
        return [safe(line, keep_newlines=False) for line in self.lines]

    def key(self, index: int) -> int:
        """Return what changes when the part would be drawn differently: never."""
        return index

    def estimate(self, _index: int, _width: int) -> int:
        """Tell how many rows it takes at any width."""
        return len(self.lines) + bool(self.hidden)

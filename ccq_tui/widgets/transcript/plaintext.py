"""Text that is not Markdown, in pieces of which only those on screen are drawn."""

from __future__ import annotations

from ccq_tui.text import safe

PIECE_LINES = 50
PIECE_CHARACTERS = 4_000


class PlainText:
    """Text drawn as it is, such as a tool's output or a prompt."""

    def __init__(self, text: str) -> None:
        self._pieces = list(_pieces(text.rstrip()))

    def __len__(self) -> int:
        return len(self._pieces)

    def part(self, index: int) -> str:
        """Return a piece, safe to draw."""
        return safe(self._pieces[index])

    def key(self, index: int) -> int:
        """Return what changes when the piece would be drawn differently: never."""
        return index

    def estimate(self, index: int, width: int) -> int:
        """Guess how many lines a piece takes at a width in columns."""
        piece = self._pieces[index]
        return max(1, piece.count("\n") + 1, len(piece) // width)


def _pieces(text: str) -> list[str]:
    pieces: list[str] = []
    lines: list[str] = []
    size = 0
    for line in text.split("\n"):
        if lines and (len(lines) >= PIECE_LINES or size + len(line) > PIECE_CHARACTERS):
            pieces.append("\n".join(lines))
            lines, size = [], 0
        while len(line) > PIECE_CHARACTERS:
            pieces.append(line[:PIECE_CHARACTERS])
            line = line[PIECE_CHARACTERS:]
        lines.append(line)
        size += len(line) + 1
    if lines:
        pieces.append("\n".join(lines))
    return pieces

"""What a line says piece by piece, and which pieces are left out where it is narrow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rich.cells import cell_len

SEPARATOR = " · "


@dataclass(frozen=True, slots=True)
class Piece:
    """A few words of a line.

    Attributes:
        text: The words.
        rank: How soon it is left out: the highest first, 0 never.
        shorter: What is said instead where even the pieces of rank 0 do not fit, ever shorter.
        alarm: Whether it must not be missed.
    """

    text: str
    rank: int = 0
    shorter: tuple[str, ...] = ()
    alarm: bool = False


def fitted(pieces: Sequence[Piece], width: int) -> list[Piece]:
    """Choose the pieces that fit.

    Args:
        pieces: All of them, in the order in which they are drawn.
        width: Cells there are.

    Returns:
        Those to draw: the least important are left out first, then those of rank 0 are shortened.
    """
    kept = [piece for piece in pieces if piece.text]
    while _cells(kept) > width:
        last = max(kept, key=lambda piece: piece.rank)
        if last.rank == 0:
            break
        kept.remove(last)
    for index, piece in enumerate(kept):
        for text in piece.shorter:
            if _cells(kept) > width:
                kept[index] = replace(piece, text=text)
    return kept


def _cells(pieces: Sequence[Piece]) -> int:
    return sum(cell_len(piece.text) for piece in pieces) + len(SEPARATOR) * (len(pieces) - 1)

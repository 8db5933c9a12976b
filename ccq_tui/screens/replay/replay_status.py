"""How a replay stands, as data: what the status line and the line of keys say."""

from __future__ import annotations

from dataclasses import dataclass

from ccq_tui.agent.recorded import Recording
from ccq_tui.config.keymap import Keymap
from ccq_tui.text import one_line
from ccq_tui.widgets.hints import Hints
from ccq_tui.widgets.pieces import Piece

NAME_LENGTH = 40
_KEYS = (
    ("page_up", "scroll"),
    ("top", "top"),
    ("search", "search"),
    ("block_up", "mark"),
    ("unfold", "unfold"),
    ("help", "all keys"),
)


@dataclass(frozen=True, slots=True)
class ReplayStatus:
    """How far a replay is.

    Attributes:
        name: What is replayed.
        read: Lines so far.
        percent: How much of the file that is, or None where its size is not known.
        bad: How many lines could not be read.
        paused: Whether it is held.
        ended: Whether all was shown.
    """

    name: str
    read: int = 0
    percent: int | None = None
    bad: int = 0
    paused: bool = False
    ended: bool = False

    @classmethod
    def of(cls, recording: Recording, *, paused: bool, ended: bool) -> ReplayStatus:
        """Say how far a recording is."""
        size, done = recording.lines.size, recording.lines.taken
        percent = min(100, done * 100 // size) if size else None
        return cls(recording.name, recording.read, percent, recording.bad.count, paused, ended)

    def pieces(self) -> tuple[Piece, ...]:
        """Return what the status line says, in its order."""
        state = "■ replay" if self.ended else "‖ paused" if self.paused else "▶ replay"
        far = f"{self.read:,} line{'s' * (self.read != 1)}"
        bad = f"{self.bad:,} not readable" if self.bad else ""
        return tuple(
            piece
            for piece in (
                Piece(state, shorter=(state[:1],)),
                Piece(one_line(self.name, NAME_LENGTH), 2),
                Piece(f"{self.percent}%" if self.percent is not None and not self.ended else "", 1),
                Piece(far, 3),
                Piece(bad, 4),
                Piece("" if self.ended else "space goes on" if self.paused else "space pause", 5),
            )
            if piece.text
        )

    def hints(self, waiting: int, keymap: Keymap) -> Hints:
        """Return which keys apply now, the most useful first.

        Args:
            waiting: How many questions wait, their panel hidden.
            keymap: The keys that hold.
        """
        pause = () if self.ended else (("Space", "go on" if self.paused else "pause"),)
        answer = ((keymap.shown("panel"), "answer"),) if waiting else ()
        named = tuple((keymap.shown(name), does) for name, does in _KEYS)
        return (*pause, *answer, (keymap.shown("quit"), "quit"), *named[:4], ("e", "export"), *named[4:])

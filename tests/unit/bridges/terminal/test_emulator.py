"""The emulator's short cuts change nothing: what it shows is what pyte shows."""

from __future__ import annotations

import pyte
from hypothesis import example, given
from hypothesis import strategies as st

from ccq_tui.bridges.terminal.emulator import Screen, Stream

PIECES = (
    "plain words",
    " ◆ Claude asks ─── ",
    "wide 漢字 🙂",
    "e\u0301\u200d",
    "\x1b[3;5H",
    "\x1b[H",
    "\x1b[;9H",
    "\x1b[1;38;2;20;22;27;48;5;7m",
    "\x1b[3;7m",
    "\x1b[22;39m",
    "\x1b[m",
    "\x1b[0m",
    "\x1b[K",
    "\x1b[2J",
    "\x1b[4h",
    "\x1b[4l",
    "\x1b[2L",
    "\x1b[?25l",
    "\x1b]0;a title\x07",
    "\x1b(0",
    "\r\n",
    "\x1bM",
    "\t\x08",
)


def shown_by(theirs: pyte.Screen, ours: Screen) -> list[str]:
    try:
        return theirs.display
    except IndexError:  # half of a wide letter was drawn over, and pyte cannot render the rest
        return ours.display


def written(screen: pyte.Screen) -> dict[int, object]:
    """The lines that hold something: those that were only looked at are in the buffer, too."""
    return {y: line for y, line in screen.buffer.items() if line}


@given(st.lists(st.sampled_from(PIECES), max_size=30), st.integers(1, 9))
@example(["wide 漢字 🙂", "\x1bM", " ◆ Claude asks ─── ", "\x1b[3;5H", "\x1b[2L"], 1)
@example([" ◆ Claude asks ─── ", "e\u0301\u200d", "e\u0301\u200d"], 2)
def test_what_is_shown_is_what_pyte_shows(pieces: list[str], size: int) -> None:
    ours, theirs = Screen(20, 5), pyte.Screen(20, 5)
    stream, plain = Stream(ours), pyte.ByteStream(theirs)
    data = "".join(pieces).encode()
    for start in range(0, len(data), size):
        stream.take(data[start : start + size])
        plain.feed(data[start : start + size])
        assert ours.display == shown_by(theirs, ours)
    assert written(ours) == written(theirs)
    assert (ours.cursor.x, ours.cursor.y, ours.title) == (theirs.cursor.x, theirs.cursor.y, theirs.title)
    ours.resize(4, 12)
    theirs.resize(4, 12)
    assert ours.display == shown_by(theirs, ours)

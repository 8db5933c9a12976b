"""The emulator's short cuts change nothing: what it shows is what pyte shows."""

from __future__ import annotations

import pyte
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ccq_tui.bridges.terminal.emulator import MOST_COLOURED, MOST_MARKS, Screen, Stream

PIECES = (
    "plain words", " ◆ Claude asks ─── ", "wide 漢字 🙂", "e\u0301", "\x1b[3;5H", "\x1b[H", "\x1b[;9H",
    "\x1b[1;38;2;20;22;27;48;5;7m", "\x1b[3;7m", "\x1b[22;39m", "\x1b[m", "\x1b[0m", "\x1b[K", "\x1b[2J",
    "\x1b[4h", "\x1b[4l", "\x1b[2L", "\x1b[?25l", "\x1b]0;a title\x07", "\x1b(0", "\r\n", "\x1bM", "\t\x08",
)  # fmt: skip


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
@example([" ◆ Claude asks ─── ", "e\u0301", "e\u0301"], 2)
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


def drawn(*pieces: str) -> Screen:
    screen = Screen(20, 3)
    stream = Stream(screen)
    for piece in pieces:
        stream.take(piece.encode())
    return screen


@pytest.mark.parametrize("mark", ["\ufe0f", "\u200d", "\u200b", "\u202e", "\u2066"])
def test_what_takes_no_room_leaves_the_text_behind_it(mark: str) -> None:
    assert drawn(f"⚠{mark} Go on?").display[0].rstrip() == "⚠ Go on?"


@pytest.mark.parametrize(
    "sequence",
    ["[?5A", "[1;2;3A", "[5J", "[9K", "[?6c", "[4:3m", "[>4;2m", "[²m", "[²A", "[?25$p", "[2 q", "[!p", "['}",
     "[1;1;3H", pytest.param("[" + "9" * 5000 + "B", id="long")],
)  # fmt: skip
def test_sequences_that_are_not_known_draw_nothing_and_stop_nothing(sequence: str) -> None:
    assert "".join(drawn(f"\x1b{sequence}", "Go on?").display).strip() == "Go on?"


def test_marks_without_end_on_one_letter_are_dropped() -> None:
    screen = drawn("a" + "\u0301" * 100_000, *["\u0301"] * 100, " b")
    assert screen.display[0].rstrip() == "á" + "\u0301" * MOST_MARKS + " b"


def test_colours_without_end_are_not_all_kept() -> None:
    screen = drawn("".join(f"\x1b[38;2;{red};{green};0mx" for red in range(100) for green in range(100)))
    assert len(screen._coloured) <= MOST_COLOURED


def test_the_cursor_is_remembered_once_and_returned_to_as_often_as_wanted() -> None:
    screen = drawn("\x1b7" * 100, "\x1b[3;3H", "\x1b[s", "\x1b[H", "\x1b8", "a", "\x1b[u", "b", "\x1b8", "c")
    assert [line.rstrip() for line in screen.display] == ["", "", "  c"]
    assert len(screen.savepoints) == 1

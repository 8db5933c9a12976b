"""The screen of a wrapped program, beyond what pyte knows of one."""

from __future__ import annotations

import pytest

from ccq_tui.bridges.terminal.screen import LiveScreen, ScreenPicture


def shown(*pieces: bytes, size: tuple[int, int] = (20, 5)) -> ScreenPicture:
    screen = LiveScreen(size)
    for piece in pieces:
        screen.draw(piece)
    return screen.picture()


def test_second_screen_leaves_the_first_as_it_was() -> None:
    picture = shown(b"one\r\ntwo \x1b[?1049h\x1b[2J\x1b[Hinside\x1b[4;4H", b"\x1b[?1049l")
    assert picture.lines[:2] == ("one", "two")
    assert picture.cursor == (4, 1)
    assert not picture.alternate
    assert shown(b"one\x1b[?1049h").alternate
    assert shown(b"one\x1b[?1049h" + b"x\r\n" * 50 + b"\x1b[?1049l").scrolled == 0


def test_lines_that_scrolled_away_are_counted() -> None:
    assert shown(b"1\r\n2\r\n3\r\n4\r\n5").scrolled == 0
    assert shown(b"1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7").scrolled == 2


@pytest.mark.parametrize(
    ("written", "lines", "shown", "cursor", "scrolled"),
    [
        ("one\r\nName: ", 3, ("one", "Name:", ""), (6, 1), 0),  # what is below the cursor goes first
        ("one\r\ntwo\r\n\r\nName: ", 3, ("two", "", "Name:"), (6, 2), 1),
        ("one\r\nName: ", 9, ("one", "Name:", *[""] * 7), (6, 1), 0),
    ],
)
def test_a_window_that_loses_rows_keeps_the_prompt(
    written: str, lines: int, shown: tuple[str, ...], cursor: tuple[int, int], scrolled: int
) -> None:
    screen = LiveScreen((20, 5))
    screen.draw(written.encode())
    screen.resize((20, lines))
    picture = screen.picture()
    assert (picture.lines, picture.cursor, picture.scrolled) == (shown, cursor, scrolled)


@pytest.mark.parametrize(
    "sequence",
    [b"\x1b[31m", b"\x1b]0;a title\x07", b"\x1b]8;;https://example.org\x1b\\", b"\x1bP+q544e\x1b\\",
     b"\x1b[?2026$p", b"\x1b[>4;2m", b"\x1b[2 q", b"\x1b_Gi=1\x1b\\", "é漢".encode()],
)  # fmt: skip
def test_sequences_are_read_in_whatever_pieces_they_come(sequence: bytes) -> None:
    whole = shown(b"a" + sequence + b"b")
    for cut in range(1, len(sequence) + 1):
        assert shown(b"a" + sequence[:cut], sequence[cut:] + b"b") == whole
    assert whole.lines[0].startswith("a")
    assert whole.lines[0].endswith("b")
    assert len(whole.lines[0]) <= 4


def test_a_sequence_that_never_ends_does_not_hold_the_screen_back() -> None:
    assert shown(b"\x1b]0;" + b"x" * 5000, b"\x07seen").lines[0].endswith("seen")


def test_a_line_that_the_terminal_wrapped_is_one() -> None:
    picture = shown(b"Overwrite the file that is there? [y/N] ")
    assert picture.typed == "Overwrite the file that is there? [y/N] "
    assert picture.joined(0, 2) == "Overwrite the file that is there? [y/N]"


def test_a_line_that_is_wrapped_behind_a_blank_is_one() -> None:
    text = "Continue with this r" + "ather long question " + "on the line? [y/n] "
    assert shown(text.encode(), size=(20, 6)).typed == text
    drawn_over = shown(text.encode(), b"\x1b[A\r\x1b[KName: ", size=(20, 6))
    assert drawn_over.typed == "Continue with this rName: "
    erased = shown(text.encode(), b"\x1b[2A\r\x1b[J\r\nName: ", size=(20, 6))
    assert erased.typed == "Name: "


def test_a_rule_across_the_screen_is_no_line_that_goes_on() -> None:
    picture = shown("─".encode() * 20 + b"\r\nName: ")
    assert picture.typed == "Name: "


@pytest.mark.parametrize("size", [(0, 0), (1, 1), (100_000, 100_000)])
def test_any_size_is_taken(size: tuple[int, int]) -> None:
    assert shown(b"x", size=size).lines[0] == "x"

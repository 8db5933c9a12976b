"""The screen of a wrapped program, the emulator's short cuts, and what the relay keeps for the watcher."""

import asyncio
import signal
import socket

import pyte
from hypothesis import example, given
from hypothesis import strategies as st

from ccq_tui.bridges.terminal.link import SHOW, Link, ToWatcher, next_message
from ccq_tui.bridges.terminal.relay import exit_code, is_typed
from ccq_tui.bridges.terminal.screen import MOST_MARKS, LiveScreen, Screen, ScreenPicture
from tests.tables import each_row


def shown(*pieces: bytes, size: tuple[int, int] = (20, 5)) -> ScreenPicture:
    screen = LiveScreen(size)
    for piece in pieces:
        screen.take(piece)
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


@each_row(
    ("one\r\nName: ", 3, ("one", "Name:", ""), (6, 1), 0),  # what is below the cursor goes first
    ("one\r\ntwo\r\n\r\nName: ", 3, ("two", "", "Name:"), (6, 2), 1),
    ("one\r\nName: ", 9, ("one", "Name:", *[""] * 7), (6, 1), 0),
)
def test_a_window_that_loses_rows_keeps_the_prompt(
    written: str, lines: int, shown: tuple[str, ...], cursor: tuple[int, int], scrolled: int
) -> None:
    screen = LiveScreen((20, 5))
    screen.take(written.encode())
    screen.fit((20, lines))
    picture = screen.picture()
    assert (picture.lines, picture.cursor, picture.scrolled) == (shown, cursor, scrolled)


@each_row(
    b"\x1b[31m", b"\x1b]0;a title\x07", b"\x1b]8;;https://example.org\x1b\\", b"\x1bP+q544e\x1b\\",
    b"\x1b[?2026$p", b"\x1b[>4;2m", b"\x1b[2 q", b"\x1b_Gi=1\x1b\\", "é漢".encode(),
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


@each_row((0, 0), (1, 1), (100_000, 100_000))
def test_any_size_is_taken(size: tuple[int, int]) -> None:
    assert shown(b"x", size=size).lines[0] == "x"


PIECES = (
    "plain words", " ◆ Claude asks ─── ", "wide 漢字 🙂", "e\u0301", "\x1b[3;5H", "\x1b[H", "\x1b[;9H",
    "\x1b[1;38;2;20;22;27;48;5;7m", "\x1b[3;7m", "\x1b[22;39m", "\x1b[m", "\x1b[0m", "\x1b[K", "\x1b[2J",
    "\x1b[4h", "\x1b[4l", "\x1b[2L", "\x1b[?25l", "\x1b]0;a title\x07", "\x1b(0", "\r\n", "\x1bM", "\t\x08",
)  # fmt: skip


def written(screen: pyte.Screen) -> dict[int, object]:
    """The lines that hold something: those that were only looked at are in the buffer, too."""
    return {y: line for y, line in screen.buffer.items() if line}


@given(st.lists(st.sampled_from(PIECES), max_size=30), st.integers(1, 9))
@example(["wide 漢字 🙂", "\x1bM", " ◆ Claude asks ─── ", "\x1b[3;5H", "\x1b[2L"], 1)
@example([" ◆ Claude asks ─── ", "e\u0301", "e\u0301"], 2)
def test_what_is_shown_is_what_pyte_shows(pieces: list[str], size: int) -> None:
    ours, theirs = Screen(20, 5), pyte.Screen(20, 5)
    plain = pyte.ByteStream(theirs)
    data = "".join(pieces).encode()
    for start in range(0, len(data), size):
        ours.take(data[start : start + size])
        plain.feed(data[start : start + size])
    assert written(ours) == written(theirs)
    assert (ours.cursor.x, ours.cursor.y) == (theirs.cursor.x, theirs.cursor.y)
    ours.resize(4, 12)
    theirs.resize(4, 12)
    assert written(ours) == written(theirs)


def drawn(*pieces: str) -> Screen:
    screen = Screen(20, 3)
    for piece in pieces:
        screen.take(piece.encode())
    return screen


@each_row("\ufe0f", "\u200d", "\u200b", "\u202e", "\u2066")
def test_what_takes_no_room_leaves_the_text_behind_it(mark: str) -> None:
    assert drawn(f"⚠{mark} Go on?").display[0].rstrip() == "⚠ Go on?"


@each_row(
    "[?5A", "[1;2;3A", "[5J", "[9K", "[?6c", "[4:3m", "[>4;2m", "[²m", "[²A", "[?25$p", "[2 q", "[!p", "['}",
    "[1;1;3H", "[" + "9" * 5000 + "B",
)  # fmt: skip
def test_sequences_that_are_not_known_draw_nothing_and_stop_nothing(sequence: str) -> None:
    assert "".join(drawn(f"\x1b{sequence}", "Go on?").display).strip() == "Go on?"


def test_marks_without_end_on_one_letter_are_dropped() -> None:
    screen = drawn("a" + "\u0301" * 100_000, *["\u0301"] * 100, " b")
    assert screen.display[0].rstrip() == "á" + "\u0301" * MOST_MARKS + " b"


def test_the_cursor_is_remembered_once_and_returned_to_as_often_as_wanted() -> None:
    screen = drawn("\x1b7" * 100, "\x1b[3;3H", "\x1b[s", "\x1b[H", "\x1b8", "a", "\x1b[u", "b", "\x1b8", "c")
    assert [line.rstrip() for line in screen.display] == ["", "", "  c"]
    assert len(screen.savepoints) == 1


@each_row(
    b"\x1b[I", b"\x1b[O", b"\x1b[12;40R", b"\x1b[?62;c", b"\x1b[>0;10;1c", b"\x1b[?2026;2$y", b"\x1b[?1u",
    b"\x1b[8;24;80t", b"\x1b[<35;10;5M", b"\x1b]11;rgb:0000/0000/0000\x07", b"\x1bP1+r524742\x1b\\",
    b"\x1b[?62;c\x1b[1;1R",
)  # fmt: skip
def test_what_a_terminal_answers_by_itself_is_not_typed(report: bytes) -> None:
    assert not is_typed(report)
    assert is_typed(report + b"y")


@each_row(b"y", b"\r", b"\x1b", b"\x1b[A", b"\x1bOA", b"\x03", "é".encode(), b"\x1b[200~a\x1b[201~")
def test_keys_are_typed(keys: bytes) -> None:
    assert is_typed(keys)


async def test_messages_come_whole_and_in_order_in_whatever_pieces() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        link = Link(ours)
        link.send(ToWatcher.OUTPUT, b"x" * 5000)
        link.send(ToWatcher.TYPED)
        link.send(ToWatcher.SIZE, b"80 24")
        reader, writer = await asyncio.open_unix_connection(sock=theirs)
        assert [await next_message(reader) for _ in range(3)] == [
            (ToWatcher.OUTPUT, b"x" * 5000),
            (ToWatcher.TYPED, b""),
            (ToWatcher.SIZE, b"80 24"),
        ]
        writer.close()


def test_the_watchers_words_are_kept_its_wish_is_taken_once_and_its_end_is_no_error() -> None:
    ours, theirs = socket.socketpair()
    with ours:
        link = Link(ours)
        theirs.send(b"said" + SHOW + b"\n")
        assert (link.exchange(), link.exchange(), link.messages) == (True, False, b"said\n")
        theirs.close()
        assert (link.exchange(), link.over, link.events, link.messages) == (False, True, 0, b"said\n")
        link.send(ToWatcher.OUTPUT, b"x")
        assert not link.unsent


@each_row((0, 0), (7 << 8, 7), (signal.SIGKILL, 137), (signal.SIGTERM, 143), (None, 1))
def test_exit_codes_are_those_of_a_shell(status: int | None, code: int) -> None:
    assert exit_code(status) == code

"""The prompt before the screen is loaded: letters are shown, every byte is kept."""

import os
import pty
import select
import termios
import time
from collections.abc import Iterator

import pytest

from ccq_tui import preboot_input
from ccq_tui.compat.textual.driver import _as_typed
from ccq_tui.preboot_input import EarlyPrompt, frame, is_begun
from tests.steps import until
from tests.tables import each_row


class Typist:
    """Both ends of a terminal with the early prompt on it."""

    def __init__(self) -> None:
        self.master, self.slave = pty.openpty()
        termios.tcsetwinsize(self.slave, (24, 80))
        self.before = termios.tcgetattr(self.slave)
        self.early = EarlyPrompt(self.slave, self.slave)
        self.early.open()

    def type(self, typed: bytes) -> None:
        os.write(self.master, typed)

    def taken(self, wanted: bytes) -> None:
        """Wait until what was typed has come: the system passes it on when it gets to that."""
        until(lambda: self.early._typed.endswith(wanted), 10)

    def released(self) -> str:
        return b"".join(piece for _, piece in self.early.release()).decode()

    def drawn(self, wanted: bytes) -> bytes:
        """Read what is drawn until it ends as wanted."""
        got, ends = b"", time.monotonic() + 10
        while not got.endswith(wanted) and time.monotonic() < ends:
            if select.select([self.master], [], [], 0.1)[0]:
                got += os.read(self.master, 4096)
        assert got.endswith(wanted), got
        return got


@pytest.fixture
def typist() -> Iterator[Typist]:
    made = Typist()
    yield made
    made.early.close()
    os.close(made.master)
    os.close(made.slave)


def test_letters_are_shown_and_everything_is_kept(typist: Typist) -> None:
    typist.drawn(frame(80, 24).encode())
    typist.type("grün日".encode())
    typist.drawn("grün日".encode())
    typist.type(b"\x7f\x7f")
    typist.drawn(b"\b \b\b \b\b \b")
    typist.type(b"n\r")
    typist.drawn(b"n")
    typist.type(b"y\x1b[A")
    typist.taken(b"y\x1b[A")
    assert typist.released() == "grün日\x7f\x7fn\ry\x1b[A", "what follows Enter is not shown, and kept"
    typist.early.close()
    assert not select.select([typist.master], [], [], 0)[0], "who took the terminal over gives it back"


def test_the_terminal_is_given_back_where_nothing_comes_after(typist: Typist) -> None:
    assert termios.tcgetattr(typist.slave) != typist.before
    typist.early.close()
    assert termios.tcgetattr(typist.slave) == typist.before
    typist.drawn(b"\x1b[?1049l\x1b[?25h")


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the rest of a paste take as long as this test may be kept from the processor."""
    monkeypatch.setattr(preboot_input, "_PIECE_SECONDS", 20.0)
    monkeypatch.setattr(preboot_input, "_REST_SECONDS", 0.0)  # that of a key is no time for a piece
    monkeypatch.setattr(preboot_input, "_RESTS_SECONDS", 60.0)


def test_a_paste_is_taken_whole(typist: Typist, patient: None) -> None:
    typist.type(b"\x1b[200~two\nlines")
    typist.drawn(b"\x1b[m")
    os.close(typist.early._stop[1])  # as release does, while the rest is on its way
    typist.early._stop = (typist.early._stop[0], -1)
    typist.type(b" of it\x1b[201~")
    typist.early._reader.join(10)
    assert typist.released() == "\x1b[200~two\nlines of it\x1b[201~"
    os.close(typist.early._stop[0])


def test_a_paste_in_many_pieces_is_taken_whole(typist: Typist, patient: None) -> None:
    typist.type(b"\x1b[200~")
    typist.drawn(b"\x1b[m")
    os.close(typist.early._stop[1])
    typist.early._stop = (typist.early._stop[0], -1)
    for number in range(1, 101):
        typist.type(b"piece\n")
        until(lambda number=number: typist.early._typed.count(b"piece\n") >= number, 10)  # type: ignore[misc]
    typist.type(b"\x1b[201~")
    typist.early._reader.join(10)
    assert typist.released() == "\x1b[200~" + 100 * "piece\n" + "\x1b[201~"
    os.close(typist.early._stop[0])


@each_row(
    (b"abc", False), ("ü".encode()[:1], True), (b"a\xff", False), (b"\x1b", True), (b"\x1b[1;5", True),
    (b"\x1b[1;5A", False), (b"\x1bO", True), (b"\x1b[200~a", True), (b"\x1b[200~a\x1b[201~", False),
)  # fmt: skip
def test_what_is_cut_in_two_is_known(typed: bytes, begun: bool) -> None:
    assert is_begun(typed) is begun


def test_escape_and_what_is_typed_after_it_are_two_keys(typist: Typist) -> None:
    for typed in (b"a\x1b", b"1", b"\x1b", b"[A", b"\x1bn"):
        typist.type(typed)
        typist.taken(typed)
    events = list(_as_typed(typist.early.release()))
    assert [getattr(event, "key", "") for event in events] == ["a", "escape", "1", "up", "alt+n"]


def test_the_screen_reads_what_was_typed_as_keys_of_their_times() -> None:
    pieces = (b"a\r", b"bc\r", b"\x1b[A\x1b[200~d", b"\x1b[201~\xc3", b"\xbc\x04", b"\x04", b"\x1b")
    events = list(_as_typed(list(enumerate(pieces))))
    assert [(getattr(event, "key", getattr(event, "text", "")), event.time) for event in events[:-1]] == [
        ("a", 0), ("enter", 0), ("b", 1), ("c", 1), ("enter", 1), ("up", 2), ("d", 3), ("ü", 4),
        ("ctrl+d", 4), ("ctrl+d", 5),
    ]  # fmt: skip
    assert getattr(events[-1], "key", "") == "escape"


def test_lines_that_come_in_one_go_are_a_paste(typist: Typist) -> None:
    typist.type(b"a\r")
    typist.taken(b"a\r")
    typist.type(b"one\rtwo\r")
    typist.taken(b"\x1b[201~")
    assert typist.released() == "a\r\x1b[200~one\rtwo\r\x1b[201~"

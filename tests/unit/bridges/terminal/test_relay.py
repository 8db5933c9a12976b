"""What the relay keeps for the watcher, says to it, and takes for typing."""

from __future__ import annotations

import signal
import socket

import pytest

from ccq_tui.bridges.terminal.link import SHOW, Link, Messages, ToWatcher
from ccq_tui.bridges.terminal.relay import exit_code, is_typed


@pytest.mark.parametrize(
    "report",
    [b"\x1b[I", b"\x1b[O", b"\x1b[12;40R", b"\x1b[?62;c", b"\x1b[>0;10;1c", b"\x1b[?2026;2$y", b"\x1b[?1u",
     b"\x1b[8;24;80t", b"\x1b[<35;10;5M", b"\x1b]11;rgb:0000/0000/0000\x07", b"\x1bP1+r524742\x1b\\",
     b"\x1b[?62;c\x1b[1;1R"],
)  # fmt: skip
def test_what_a_terminal_answers_by_itself_is_not_typed(report: bytes) -> None:
    assert not is_typed(report)
    assert is_typed(report + b"y")


@pytest.mark.parametrize(
    "keys", [b"y", b"\r", b"\x1b", b"\x1b[A", b"\x1bOA", b"\x03", "é".encode(), b"\x1b[200~a\x1b[201~"]
)
def test_keys_are_typed(keys: bytes) -> None:
    assert is_typed(keys)


def taken(end: socket.socket, messages: Messages) -> list[tuple[ToWatcher, bytes]]:
    found: list[tuple[ToWatcher, bytes]] = []
    end.setblocking(False)
    while True:
        try:
            data = end.recv(1000)
        except BlockingIOError:
            return found
        found += messages.take(data)


def test_messages_come_whole_and_in_order_in_whatever_pieces() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        link = Link(ours)
        link.send(ToWatcher.OUTPUT, b"x" * 5000)
        link.send(ToWatcher.TYPED)
        link.send(ToWatcher.SIZE, b"80 24")
        assert taken(theirs, Messages()) == [
            (ToWatcher.OUTPUT, b"x" * 5000),
            (ToWatcher.TYPED, b""),
            (ToWatcher.SIZE, b"80 24"),
        ]


def test_a_watcher_that_is_gone_is_no_error() -> None:
    ours, theirs = socket.socketpair()
    with ours:
        link = Link(ours)
        theirs.send(b"said\n")
        theirs.close()
        link.exchange()
        link.exchange()
        assert (link.over, link.events) == (True, 0)
        assert link.said == "said\n"
        link.send(ToWatcher.OUTPUT, b"x")
        assert not link.owes


def test_a_wish_of_the_watcher_is_taken_once_and_not_said() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        link = Link(ours)
        theirs.send(f"said{SHOW}\n".encode())
        link.exchange()
        assert (link.take_wish(), link.take_wish(), link.said) == (True, False, "said\n")


@pytest.mark.parametrize(
    ("status", "code"), [(0, 0), (7 << 8, 7), (signal.SIGKILL, 137), (signal.SIGTERM, 143), (None, 1)]
)
def test_exit_codes_are_those_of_a_shell(status: int | None, code: int) -> None:
    assert exit_code(status) == code

"""What is printed: harmless whoever prints it; ruff refuses other ways."""

from __future__ import annotations

import io
import logging
import sys
import threading

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.output import HarmlessStream, Styled, colourless, echo, harmless_streams
from ccq_tui.text import safe

BAD = "a\x1b]0;x\x07b\x9bc\u202ed\u2066e\u200bf\U000e0041g"
GOOD = safe(BAD)


class Terminal(io.StringIO):
    """A terminal that keeps what it is sent."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def on_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Make standard output and standard error one terminal; a fixture would be too early for it."""
    made = Terminal()
    monkeypatch.setattr(sys, "stdout", made)
    monkeypatch.setattr(sys, "stderr", made)
    return made


def test_what_is_echoed_has_no_control_sequence_but_our_own(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    echo(BAD, Styled(BAD, "red", bold=True), Styled(BAD, dim=True))
    style = "\x1b[31m\x1b[1m", "\x1b[2m", "\x1b[0m"
    assert terminal.getvalue() == f"{GOOD}{style[0]}{GOOD}{style[2]}{style[1]}{GOOD}{style[2]}\n"
    echo(Styled("█", "bright_white", background="black"))
    assert terminal.getvalue().endswith("\n\x1b[97m\x1b[40m█\x1b[0m\n")


def test_colours_are_left_out_where_they_are_not_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    monkeypatch.setenv("NO_COLOR", "1")
    echo(Styled("x", "red"))
    assert terminal.getvalue() == "x\n"
    out = io.StringIO()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.delenv("NO_COLOR")
    echo(Styled("x", "red"))
    assert out.getvalue() == "x\n"


def test_what_others_print_is_harmless(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)

    class OtherError(Exception):
        pass

    def fail() -> None:
        raise OtherError(BAD)

    with harmless_streams():
        print(BAD, file=sys.stderr)  # noqa: T201
        click.echo(BAD)
        click.echo(BAD.encode())
        handler = logging.lastResort
        assert handler is not None
        handler.handle(logging.LogRecord("ccq_tui", logging.WARNING, BAD, 1, "%s", (BAD,), None))
        thread = threading.Thread(target=fail, name=BAD)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(threading, "excepthook", threading.__excepthook__)
            thread.start()
            thread.join()
        echo(BAD, err=True)
    printed = terminal.getvalue()
    assert safe(printed) == printed
    assert printed.count(GOOD) >= 7
    assert sys.stdout is terminal


def test_a_stream_that_is_put_in_place_meanwhile_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    other = Terminal()
    with harmless_streams():
        sys.stdout = other
    assert sys.stdout is other
    assert sys.stderr is terminal


def test_without_streams_nothing_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    with harmless_streams():
        assert sys.stdout is None
        echo("x")


@given(st.text(), st.sampled_from(["utf-8", "ascii", "latin-1"]))
def test_every_text_can_be_printed_in_every_encoding(text: str, encoding: str) -> None:
    raw = io.BytesIO()
    stream = HarmlessStream(io.TextIOWrapper(raw, encoding, newline="\n"))
    assert stream.write(text) == len(text)
    stream.flush()
    printed = raw.getvalue().decode(encoding)
    assert printed == safe(text).encode(encoding, "backslashreplace").decode(encoding)


@pytest.mark.parametrize(
    ("term", "more", "none"),
    [
        ("xterm-mono", {}, True),
        ("xterm-m", {}, True),
        ("vt220", {}, True),
        ("xterm-mono", {"COLORTERM": "truecolor"}, False),
        ("xterm-256color", {}, False),
        ("xterm-256color", {"NO_COLOR": "1"}, True),
        ("xterm-kitty", {}, False),
        ("linux", {}, False),
    ],
)
def test_a_terminal_without_colours_gets_none(
    monkeypatch: pytest.MonkeyPatch, term: str, more: dict[str, str], none: bool
) -> None:
    for name in ("COLORTERM", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", term)
    for name, value in more.items():
        monkeypatch.setenv(name, value)
    assert colourless() == none

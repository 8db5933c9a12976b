"""The prompt while the program loads: typed text is shown at once, and kept.

Loading the screen takes several times as long as starting Python. Until it is there, a thread reads the
keyboard, shows letters behind the prompt's sign, and keeps every byte: the screen takes them as if they were
typed then.
"""

import os
import re
import select
import sys
import threading
import time
import unicodedata
from collections.abc import Callable
from contextlib import suppress
from typing import Any

SIGN = " ❯ "
LOWEST = 8
"""Fewest rows of a terminal that gets a first frame."""
_REST_SECONDS = 0.05
"""Seconds to wait for the rest of a byte sequence, which a terminal sends in one go."""
_PIECE_SECONDS = 0.5
"""Seconds to wait for the next piece of a paste, which is certain to come."""
_RESTS_SECONDS = 2.0
"""Most seconds to read a long rest: a paste comes in many pieces."""
END_SECONDS = _RESTS_SECONDS + 1.0
"""Seconds to wait for the reader to end: longer than it reads, since none of its input may be lost."""
PASTE, PASTED = "\x1b[200~", "\x1b[201~"
_LINES = re.compile(r"(?=[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*\Z)(?s:.*?)[^\\\r\n]\r[\r\n]*[^\r\n]{2}")


class EarlyPrompt:
    """The first frame on a terminal, and the input typed meanwhile.

    Args:
        keys: The file descriptor to read.
        screen: The one to draw on.
        draw: Makes the frame for a number of columns and rows; None for the prompt, which shows letters.
    """

    def __init__(self, keys: int, screen: int, draw: Callable[[int, int], str] | None = None) -> None:
        self._keys = keys
        self._screen = screen
        self._draw = draw or frame
        self._is_prompt = draw is None
        self.attributes: list[Any] | None = None
        """The terminal's settings before `open`, for the program that takes it over; None if unknown."""
        self._came: list[tuple[float, bytes]] = []
        self._shown = ""
        self._echoes = True
        self._room = 0
        self._stop = os.pipe()
        self._reader = threading.Thread(target=self._read, name="early keys", daemon=True)

    def open(self) -> None:
        """Take the terminal, draw, and begin to read; raises OSError."""
        import termios
        import tty

        columns, rows = os.get_terminal_size(self._screen)
        try:
            self.attributes = termios.tcgetattr(self._keys)
            changed = termios.tcgetattr(self._keys)
            changed[tty.LFLAG] &= ~(termios.ECHO | termios.ICANON | termios.IEXTEN)
            changed[tty.IFLAG] &= ~(termios.IXON | termios.IXOFF | termios.ICRNL | termios.INLCR)
            changed[tty.CC][termios.VMIN] = 1
            # Ctrl+C still ends the program. Ctrl+Z is off: a stopped program would leave the terminal as it
            # is now.
            changed[tty.CC][termios.VSUSP] = os.fpathconf(self._keys, "PC_VDISABLE").to_bytes(1, "big")
            termios.tcsetattr(self._keys, termios.TCSANOW, changed)
        except termios.error as error:
            raise OSError(str(error)) from error
        self._room = columns - len(SIGN) - 1
        self._write("\x1b[?1049h\x1b[?2004h" + (self._draw(columns, rows) if rows >= LOWEST else ""))
        self._echoes = rows >= LOWEST and self._is_prompt
        self._reader.start()

    @property
    def _typed(self) -> bytes:
        return b"".join(piece for _, piece in self._came)

    def release(self) -> list[tuple[float, bytes]]:
        """Stop reading, and leave the terminal to the program that takes it over.

        Returns what was typed, in the pieces that came in one go each, with their times.
        """
        if self._stop[1] >= 0:
            os.close(self._stop[1])
            self._stop = (self._stop[0], -1)
            self._reader.join(END_SECONDS)
            os.close(self._stop[0])
        came, self._came = self._came, []
        return came

    def close(self) -> str:
        """Give the terminal back, unless it was taken over; returns what was not released."""
        if self._stop[1] < 0:
            return ""
        import termios

        typed = b"".join(piece for _, piece in self.release())
        self._write("\x1b[?2004l\x1b[?1049l\x1b[?25h")
        if self.attributes is not None:
            with suppress(termios.error):
                termios.tcsetattr(self._keys, termios.TCSANOW, self.attributes)
        return typed.decode("utf-8", "replace")

    def _write(self, text: str) -> None:
        """Write on the terminal, unless it is gone: then a signal ends the program."""
        with suppress(OSError):
            os.write(self._screen, text.encode())

    def _read(self) -> None:
        stop = self._stop[0]
        while True:
            ready, _, _ = select.select([self._keys, stop], [], [])
            if self._keys in ready and not self._take():
                return
            if stop in ready:
                break
        until = time.monotonic() + _RESTS_SECONDS
        while time.monotonic() < until:
            # Cut in two, a sequence would mean something else.
            patience = _PIECE_SECONDS if is_pasting(self._typed) else _REST_SECONDS
            waits = is_begun(self._typed) and select.select([self._keys], [], [], patience)[0]
            if not (waits and self._take()):
                return

    def _take(self) -> bool:
        """Keep the input that came, echo it where it is plain text, and return whether more can come."""
        try:
            came = os.read(self._keys, 65_536)
        except OSError:  # the terminal is gone
            return False
        if are_lines(came.decode("utf-8", "replace")) and not is_begun(self._typed):
            came = PASTE.encode() + came + PASTED.encode()
        self._came.append((time.monotonic(), came))
        if self._echoes:
            self._echo(came)
        return bool(came)

    def _echo(self, came: bytes) -> None:
        """Echo letters and Backspace; stop at the first other key, which the screen handles."""
        try:
            text = came.decode()
        except UnicodeDecodeError:
            self._echoes = False
            return
        for letter in text:
            if letter in "\x7f\b":
                taken, self._shown = self._shown[-1:], self._shown[:-1]
                self._write("\b \b" * cells(taken))
            elif letter.isprintable() and cells(self._shown + letter) <= self._room:
                self._shown += letter
                self._write(letter)
            else:
                self._echoes = False
                return


def frame(columns: int, rows: int) -> str:
    """Return the prompt drawn where the screen will have it; the cursor ends behind the sign."""
    rule = f"\x1b[{rows - 3};1H\x1b[2m{'─' * columns}\x1b[m"
    status = f"\x1b[{rows};1H\x1b[2m ◌ starting\x1b[m"
    return f"\x1b[2J{rule}{status}\x1b[{rows - 2};1H\x1b[1m{SIGN}\x1b[m"


def is_begun(typed: bytes) -> bool:
    """Return whether a letter, a key or a paste is still incomplete."""
    if is_pasting(typed) or re.search(rb"\x1b(?:\[[0-9;?<>=]*|O)?\Z", typed):
        return True
    try:
        typed.decode()
    except UnicodeDecodeError as error:
        return error.reason == "unexpected end of data"
    return False


def is_rest(came: bytes) -> bool:
    """Return whether bytes read separately after an Esc complete the sequence of one key."""
    return came.startswith(b"[") or (came.startswith(b"O") and len(came) > 1)


def is_pasting(typed: bytes) -> bool:
    """Return whether the end of a paste is still to come."""
    return typed.rfind(PASTE.encode()) > typed.rfind(PASTED.encode())


def are_lines(came: str) -> bool:
    """Return whether input that came in one go is a paste without marks: lines, and no keys in between.

    Behind the end of a line stand two characters or more, which nobody types that fast; one alone may be the
    key after an Enter. A backslash before the end is a new line that was typed.
    """
    return _LINES.match(came) is not None


def cells(text: str) -> int:
    """Return the number of columns that a printable text takes."""
    return sum(
        0 if unicodedata.combining(one) else 1 + (unicodedata.east_asian_width(one) in "WF") for one in text
    )


def early_prompt(draw: Callable[[int, int], str] | None = None) -> EarlyPrompt | None:
    """Show the prompt on this process's terminal; return None if that cannot be drawn on.

    ``draw`` makes another first frame than the prompt's; then standard output need not be the terminal.
    """
    if os.environ.get("TERM", "dumb") == "dumb":
        return None
    try:
        # The screen is drawn on standard error, as Textual does.
        keys, screen = sys.__stdin__.fileno(), sys.__stderr__.fileno()  # type: ignore[union-attr]
        if not (os.isatty(keys) and os.isatty(screen) and (draw or sys.stdout.isatty())):
            return None
        prompt = EarlyPrompt(keys, screen, draw)
        prompt.open()
    except (AttributeError, OSError, ValueError):
        return None  # closed, or no terminal after all: the screen itself will say so
    return prompt

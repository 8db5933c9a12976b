"""A program in a pseudo-terminal, its screen read back through a terminal emulator."""

import codecs
import os
import re
import select
import signal
import subprocess
import termios
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from ccq_tui.input.gate import QUIET
from tests.pseudo_terminal import NotShownError, PseudoTerminal
from tests.steps import allowed

KEYS = {
    "enter": "\r",
    "escape": "\x1b",
    "tab": "\t",
    "shift+tab": "\x1b[Z",
    "space": " ",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "right": "\x1b[C",
    "left": "\x1b[D",
    "home": "\x1b[H",
    "end": "\x1b[F",
    "pageup": "\x1b[5~",
    "pagedown": "\x1b[6~",
    "f1": "\x1bOP",
    "f2": "\x1bOQ",
    "f3": "\x1bOR",
    "f4": "\x1bOS",
    "f5": "\x1b[15~",
    "f6": "\x1b[17~",
    "f8": "\x1b[19~",
    "backspace": "\x7f",
} | {f"ctrl+{letter}": chr(ord(letter) - 96) for letter in "abcdefghijklmnopqrstuvwxyz"}
DECIDING = ("enter", "y", "n", "ctrl+d")
LIMIT = 90.0
"""Seconds a state may take to come: the real CLI starts in it, on a machine that runs other tests too."""

FRAME_GAP = 0.03
"""Seconds without output after which a frame is taken for complete."""
LONGEST_BURST = 0.5
"""Seconds of output without a gap after which the screen is looked at all the same."""
LONGEST_FRAME = 1.0
"""Seconds after which keys are taken to change nothing on the screen."""

_UNENDED = re.compile(r"\x1b(?:\[[0-9;:?<>=$]*|\][^\x07\x1b]*)?\Z")
"""A sequence that the end of what was read cuts off."""


class Terminal(PseudoTerminal):
    """Runs a program in a pseudo-terminal."""

    def __init__(
        self, command: list[str], env: Mapping[str, str], cwd: Path, size: tuple[int, int] = (80, 24)
    ) -> None:
        self.raw = bytearray()
        self._changed = threading.Condition()
        self._hung_up = False
        self._sent_at = float("-inf")
        self._undrawn = self._letter = False
        self._asked: list[str] = []
        self._asked_at = float("-inf")
        super().__init__(command, env, cwd, size)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(timeout=10)
        self._closing = True
        self._reader.join(timeout=10)
        if not self._hung_up:
            os.close(self._master)
            os.close(self._slave)

    # -- what is on the screen ------------------------------------------------------------------------------

    @property
    def lines(self) -> list[str]:
        """The lines of the screen, without blanks at their ends."""
        with self._changed:
            return [line.rstrip() for line in self.screen.display]

    @property
    def text(self) -> str:
        """The whole screen."""
        return "\n".join(self.lines)

    @property
    def prose(self) -> str:
        """The whole screen as one line: where it wraps says nothing."""
        return " ".join(self.text.split())

    @property
    def panel(self) -> str:
        """What is on the screen from the head of the panel on, or "" while there is none."""
        with self._changed:
            return "\n".join(line.rstrip() for line in self.screen.display[self._head() :])

    @property
    def keys_work(self) -> bool:
        """Whether the panel was there long enough for keys that decide, and its set is asked."""
        return self.shown_for(QUIET)

    def shown_for(self, seconds: float) -> bool:
        """Whether a panel that asks its whole set was there so long, with no key for another one."""
        with self._changed:  # both of one screen
            asked = re.search(r"Esc (?!interrupt)", self.panel) and "still arriving" not in self.panel
            return bool(asked) and time.monotonic() - max(self._asked_at, self._sent_at) > seconds + FRAME_GAP

    def _head(self) -> int:
        """Return the line on which the panel begins, or the number of lines while there is none."""
        # The rule that is a panel's head has words; the prompt's has none.
        lines = self.screen.display
        # In the list of sessions it has ◆, too: rules there head the list and the details.
        rule = re.compile("─ .*◆" if lines[0].startswith("─ Sessions") else "─ ")
        return next((y for y, line in enumerate(lines) if rule.match(line)), self.screen.lines)

    @property
    def written(self) -> str:
        """What the program has written, without a character or a sequence whose end has not been read yet."""
        return _UNENDED.sub("", codecs.getincrementaldecoder("utf-8")().decode(bytes(self.raw)))

    @property
    def restored(self) -> bool:
        """Whether the terminal's modes are what they were before the program started."""
        return termios.tcgetattr(self._slave)[:4] == self._before[:4]

    # -- waiting --------------------------------------------------------------------------------------------

    def wait(self, wanted: "str | Callable[[Terminal], bool]", limit: float = LIMIT) -> Self:
        """Wait until a text, or what a function looks for, is on the screen."""
        test = wanted if callable(wanted) else lambda terminal: wanted in terminal.text
        since = time.monotonic()
        with self._changed:
            while not test(self):
                if (passed := time.monotonic() - since) > allowed(limit):
                    raise NotShownError(
                        f"{wanted!r} did not come in {passed:.0f} s; the screen:\n{self.text}"
                    )
                self._changed.wait(0.2)
        return self

    def wait_absent(self, text: str, limit: float = LIMIT) -> Self:
        """Wait until a text is no longer on the screen."""
        return self.wait(lambda terminal: text not in terminal.text, limit)

    def wait_panel(self, text: str, after: str = "", seconds: float = QUIET) -> Self:
        """Wait until a panel shows a text and its keys work.

        Args:
            text: What the panel shows.
            after: What must stand on the screen by then: with it no earlier panel is meant.
            seconds: How long it is shown by then; from `SEEN` on, what is typed is for it.
        """
        return self.wait(lambda now: after in now.text and text in now.panel and now.shown_for(seconds))

    def wait_in_panel(self, text: str) -> Self:
        """Wait until a panel shows a text, whether its keys work or not."""
        return self.wait(lambda terminal: text in terminal.panel)

    def wait_end(self, limit: float = LIMIT) -> int:
        """Wait for the program's end; return its exit code."""
        try:
            return self.process.wait(timeout=allowed(limit))
        except subprocess.TimeoutExpired as error:
            raise NotShownError(
                f"the program did not end within {limit} s; the screen:\n{self.text}"
            ) from error

    # -- keys -----------------------------------------------------------------------------------------------

    def press(self, keys: str) -> Self:
        """Press keys, separated by blanks, by name or as the character they type.

        One that decides comes a while after the frame of the keys before, as from a person who looks.
        """
        for key in keys.split():
            if key in DECIDING:
                self._look()
            if key in KEYS:
                self._send(KEYS[key])
            else:
                self.type(key)
                self._letter = True
        return self

    def type(self, text: str) -> Self:
        """Send characters as they are, once they and a letter pressed before are no word."""
        if self._letter:
            self._look()
        self._send(text)
        return self

    def _look(self) -> None:
        """Wait for the frame that shows what the last keys did, if they did anything, and a little longer."""
        longest = allowed(LONGEST_FRAME)
        self.wait(lambda _: time.monotonic() - self._sent_at > (longest if self._undrawn else QUIET))

    def _send(self, text: str) -> None:
        self._sent_at, self._undrawn, self._letter = time.monotonic(), True, False
        os.write(self._master, text.encode())

    def paste(self, text: str) -> Self:
        """Send characters as a bracketed paste."""
        return self.type(f"\x1b[200~{text}\x1b[201~")

    def resize(self, size: tuple[int, int]) -> None:
        """Give the terminal another size."""
        with self._changed:
            self.screen.resize(size[1], size[0])
        self._set_size(size)
        os.killpg(self.process.pid, signal.SIGWINCH)

    def hang_up(self) -> None:
        """Take the terminal away, as closing its window does."""
        self._closing = True
        self._reader.join(timeout=10)
        os.close(self._slave)
        os.close(self._master)
        self._hung_up = True

    def _read(self) -> None:
        while not self._closing:
            if not select.select([self._master], [], [], 0.1)[0]:
                continue
            began, data = time.monotonic(), self._burst()
            if not data:
                return
            with self._changed:
                if self._undrawn and began > self._sent_at:  # a busy program reads keys late
                    self._sent_at, self._undrawn = time.monotonic(), False
                self.raw += data
                self.screen.take(data)
                if (asked := self.panel.split("\n")[:2]) != self._asked:
                    self._asked, self._asked_at = asked, time.monotonic()
                self._changed.notify_all()

    def _burst(self) -> bytes:
        """Read until nothing more comes: a frame arrives in pieces, and half of one is no screen."""
        data, until = b"", time.monotonic() + LONGEST_BURST
        while time.monotonic() < until and select.select([self._master], [], [], FRAME_GAP)[0]:
            try:
                data += os.read(self._master, 65536)
            except OSError:
                break
        return data

"""A program in a pseudo-terminal whose every piece of output is kept with the time it came.

The pieces are drawn on an emulated screen only when somebody waits for what it shows: so that the bench takes
no processor time from the programs while they work, and a slow emulator makes no figure worse.
"""

import contextlib
import os
import queue
import select
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import TracebackType

from bench.processes import tree
from bench.queries import answers
from ccq_tui.bridges.terminal.screen import Screen
from tests.pseudo_terminal import NotShownError, PseudoTerminal

SIZE = (120, 40)
LIMIT = 60.0
"""Seconds a state may take to come."""


def whole(screen: Screen) -> str:
    """Return a screen's lines as one text; a blank that must not wrap is a blank here."""
    return "\n".join(screen.display).replace("\xa0", " ")


class Terminal(PseudoTerminal):
    """Runs a program in a pseudo-terminal of 120 columns and 40 lines.

    Attributes:
        written: Bytes that the program has written.
    """

    def __init__(self, command: list[str], env: Mapping[str, str], cwd: Path) -> None:
        self._pieces: queue.SimpleQueue[tuple[float, bytes]] = queue.SimpleQueue()
        self.written = 0
        super().__init__(command, env, cwd, SIZE)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # All of them at once: a CLI whose program is killed goes on alone.
        for pid in tree(self.process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait(timeout=10)
        self._closing = True
        self._reader.join(timeout=10)
        os.close(self._master)
        os.close(self._slave)

    @property
    def text(self) -> str:
        """The screen as drawn so far."""
        return "\n".join(line.rstrip() for line in whole(self.screen).split("\n"))

    def wait(self, wanted: str | Callable[[Screen], bool], limit: float = LIMIT) -> float:
        """Draw until the screen shows a text, or what a function looks for.

        Args:
            wanted: The text or the function.
            limit: Seconds.

        Returns:
            When the piece of output came that made it so, or the present time when it was so already.
        """
        shows = wanted if callable(wanted) else lambda screen: wanted in whole(screen)
        now = time.monotonic()
        if shows(self.screen):
            return now
        for at in self.pieces(now + limit):
            if shows(self.screen):
                return at
        raise NotShownError(f"{wanted!r} did not come within {limit:g} s; the screen:\n{self.text}")

    def pieces(self, until: float) -> Iterator[float]:
        """Draw what comes, piece by piece.

        Args:
            until: When to end.

        Yields:
            When a piece came, once it is drawn.
        """
        while True:
            try:
                at, data = self._pieces.get(timeout=max(0.0, until - time.monotonic()))
            except queue.Empty:
                return
            self.screen.take(data)
            yield at

    def press(self, keys: str) -> float:
        """Send keys as a terminal does.

        Args:
            keys: The characters.

        Returns:
            The time before they were sent.
        """
        at = time.monotonic()
        os.write(self._master, keys.encode())
        return at

    def leave(self) -> None:
        """Quit the program as a person does, with Ctrl+C twice, and wait for its end."""
        self.press("\x03")
        self.rest(0.5)
        self.press("\x03")
        self.process.wait(timeout=LIMIT)
        self.rest(0.2)

    def rest(self, seconds: float) -> None:
        """Press no key for a while, and draw what came meanwhile."""
        for _ in self.pieces(time.monotonic() + seconds):
            pass

    def _read(self) -> None:
        while not self._closing:
            if not select.select([self._master], [], [], 0.1)[0]:
                continue
            data = os.read(self._master, 1 << 16)
            self.written += len(data)
            self._pieces.put((time.monotonic(), data))
            if reply := answers(data):
                os.write(self._master, reply)

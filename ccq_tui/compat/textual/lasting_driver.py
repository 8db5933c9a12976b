"""The terminal driver of Textual, made to outlive its terminal and to go on after any stop."""

from __future__ import annotations

import contextlib
import os
import signal
import termios
from collections.abc import Iterable
from typing import IO, Any

from textual import events
from textual._xterm_parser import XTermParser
from textual.drivers import linux_driver
from textual.drivers.linux_driver import LinuxDriver
from textual.geometry import Size
from textual.message import Message

from ccq_tui.compat.private import require
from ccq_tui.preboot_input import is_rest

require(linux_driver, "XTermParser")
require(XTermParser, "feed", "tick", "_sequence_to_key_events", "_timeout_time")
require(
    LinuxDriver,
    "_app", "_auto_restart", "_disable_line_wrap", "_enable_bracketed_paste", "_enable_in_band_window_resize",
    "_enable_mouse_pixels", "_enable_mouse_support", "_file", "_get_terminal_size", "_in_band_window_resize",
    "_loop", "_sigcont_application", "_sigtstp_application", "_writer_thread", "exit_event", "fileno",
)  # fmt: skip

_BEGINNINGS = frozenset("[]NOPX^_\\")
"""The characters behind Esc that begin a longer sequence."""
_PASTE, _PASTED = "\x1b[200~", "\x1b[201~"
ENDING_FIRST = 0.05
"""Seconds after which a program goes on: who ends a stopped one sends two signals."""


class LastingOutput:
    """A terminal's output that swallows what is written after the terminal has gone.

    Textual writes from a thread. If that thread died of an error, its bounded queue would fill, the next
    write would wait for ever, and with it the session, its process and the temporary files.
    """

    def __init__(self, file: IO[str]) -> None:
        self._file = file
        self._gone = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def write(self, text: str) -> int:
        """Write, or swallow; returns the number of characters."""
        if not self._gone:
            with self._lasting():
                self._file.write(text)
        return len(text)

    def flush(self) -> None:
        """Flush, or do nothing."""
        if not self._gone:
            with self._lasting():
                self._file.flush()

    @contextlib.contextmanager
    def _lasting(self) -> Any:
        try:
            yield
        except OSError:
            self._gone = True
            _silence()
            # The terminal's end is said by this signal, but may be noticed here before it comes.
            os.kill(os.getpid(), signal.SIGHUP)


def _silence() -> None:
    """Let what is still buffered go nowhere: Python's own flush at the end would fail, with exit code 120."""
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    os.close(null)


class PasteParser(XTermParser):
    """Takes what was pasted for text alone, whatever it holds.

    Some terminals send an Esc that was copied along. Textual takes what is behind it for keys and clicks:
    they would be pressed, a Return among them, before the text in front of them arrives.
    """

    _pasting = False
    _before = ""
    """The end of what came, where that may be the beginning of a mark."""

    def feed(self, data: str) -> Iterable[Message]:
        """Read what came, without any Esc that is inside of something pasted; "" is the end."""
        text = self._as_text(data)
        if text or not data:
            yield from super().feed(text)

    def _as_text(self, data: str) -> str:
        """Return what is to be read now; what may begin the mark behind a paste waits for the mark's rest."""
        if self._pasting:
            data, self._before = self._before + data, ""
        taken = ""
        while data:
            if self._pasting:
                inside, mark, data = data.partition(_PASTED)
                self._before = "" if mark else _cut_mark(inside, _PASTED)
                taken += inside.removesuffix(self._before).replace("\x1b", "") + mark
                self._pasting = not mark
            else:
                known = self._before
                outside, mark, rest = (known + data).partition(_PASTE)
                self._before = "" if mark else _cut_mark(outside, _PASTE)
                taken += (outside + mark).removeprefix(known)
                data, self._pasting = rest, bool(mark)
        return taken


def _cut_mark(text: str, mark: str) -> str:
    """Return the end of a text that is the beginning of a mark, or ""."""
    return next((mark[:size] for size in range(len(mark) - 1, 0, -1) if text.endswith(mark[:size])), "")


class BurstParser(PasteParser):
    """Tells Esc and a letter from Alt and that letter, by how they come.

    Terminals send the same bytes for both, but those of Alt in one go. Textual takes whatever comes within
    100 ms for one key. What comes after Esc by itself, in another go, is a key of its own, unless it can be
    the rest of a longer sequence that a slow line has cut.
    """

    _alone = False

    def feed(self, data: str) -> Iterable[Message]:
        """Read what came in one go."""
        if self._alone and self._timeout_time is not None and not is_rest(data.encode(errors="replace")):
            self._timeout_time = 0.0  # nothing more is to be waited for
            yield from self.tick()
        yield from super().feed(data)
        self._alone = data.endswith("\x1b") and not self._pasting

    def _sequence_to_key_events(self, sequence: str, alt: bool = False) -> Iterable[events.Key]:
        """Read Alt and a character at once: Textual waits, and makes a "^" of the Esc when more comes."""
        keys = list(super()._sequence_to_key_events(sequence, alt))
        if keys or len(sequence) != 2 or sequence[1] in _BEGINNINGS or not sequence[1].isprintable():
            return keys
        return super()._sequence_to_key_events(sequence[1], alt=True)


# The driver makes its parser itself; there is no public way to give it another.
linux_driver.XTermParser = BurstParser  # type: ignore[attr-defined]


class LastingDriver(LinuxDriver):
    """Textual's driver with an output that does not fail, for a process that may be stopped at any time."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._file: Any = LastingOutput(self._file)
        self._modes: list[Any] | None = None
        self._ends = self._refused = False

    @property
    def lent(self) -> bool:
        """Whether the screen is lent to an editor, or no thread is there to write any more."""
        thread = self._writer_thread
        return thread is None or not thread.is_alive()

    def write(self, data: str) -> None:
        """Write, unless nothing would."""
        if not self.lent:
            super().write(data)

    def start_application_mode(self) -> None:
        """Take the terminal, and remember how it is set then."""
        super().start_application_mode()  # type: ignore[no-untyped-call]
        with contextlib.suppress(termios.error):
            self._modes = termios.tcgetattr(self.fileno)
            # By itself it stops the program, also one that is about to end, which would stay for good.
            signal.signal(signal.SIGTTIN, self._refuse_input)

    def _sigtstp_application(self, *_signal: object) -> None:
        """Stop, as a shell asks; not here: what was interrupted may hold the lock of the writer's queue."""
        if self._loop.is_closed():
            os.kill(os.getpid(), signal.SIGSTOP)
        else:
            self._loop.call_soon_threadsafe(super()._sigtstp_application)

    def _sigcont_application(self, *_signal: object) -> None:
        """Go on after a stop.

        Textual expects one that it was told of, and would start its threads once more after any other:
        two would read the keyboard then, and the terminal could not be given back as it was. After the
        one that it expects it draws only what changes.
        """
        if not self._loop.is_closed():
            # Before whatever became due meanwhile: the loop takes that after what waits already.
            self._loop.call_soon_threadsafe(getattr(self._app, "came_back", lambda: None))
            self._loop.call_soon_threadsafe(self._loop.call_later, ENDING_FIRST, self._go_on)

    def _refuse_input(self, *_signal: object) -> None:
        """Stop in the background, where nothing can be read, unless the program ends before that.

        It comes again and again meanwhile, for the thread that reads tries again.
        """
        if not self._refused and not self._loop.is_closed():
            self._refused = True
            self._loop.call_soon_threadsafe(self._loop.call_later, ENDING_FIRST, self._go_on)

    def _go_on(self) -> None:
        self._refused = False
        if self._ends or not self._auto_restart or self._modes is None:
            return  # it ends, an editor has the terminal, or it was not taken yet
        if self.lent:
            self.resume_application_mode()
        if not self.lent:
            self._take_again(self._modes)

    def _take_again(self, modes: list[Any]) -> None:
        """Set the terminal once more, which a shell may have used meanwhile, and draw everything."""
        try:
            # In the background this stops the process, and is done when it comes to the front.
            termios.tcsetattr(self.fileno, termios.TCSANOW, modes)
        except termios.error:
            return  # it goes on once more, or the terminal is gone, which ends the program in order
        self.write("\x1b[?1049h\x1b[?25l\x1b[?1004h")
        self._enable_bracketed_paste()
        self._disable_line_wrap()
        self._enable_mouse_support()
        if self._in_band_window_resize:
            self._enable_in_band_window_resize()  # the terminal tells its size
            self._enable_mouse_pixels()
        else:
            size = Size(*self._get_terminal_size())  # another one was told to who had the terminal
            self._app.post_message(events.Resize(size, size))
        self._app.refresh()

    def run_input_thread(self) -> None:
        """Read the keyboard; a program that ends in the background is refused that."""
        try:
            super().run_input_thread()
        except OSError:
            if not self._ends:
                raise

    def ending(self) -> None:
        """Take the terminal no more, and give it back also from the background: neither stops the program."""
        self._ends = True
        for number in (signal.SIGTTOU, signal.SIGTTIN):
            signal.signal(number, signal.SIG_IGN)

    def end(self) -> None:
        """End the threads, however the app ended: one that reads on would keep the process for ever."""
        self._ends = True
        self.exit_event.set()
        thread = self._writer_thread
        if thread is not None and thread.is_alive():
            thread.stop()

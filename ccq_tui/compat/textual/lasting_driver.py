"""The terminal driver of Textual, made to outlive its terminal and to continue after any stop."""

import contextlib
import os
import shutil
import signal
import termios
import time
from collections.abc import Callable
from typing import IO, Any

from textual import events
from textual.drivers.linux_driver import LinuxDriver
from textual.geometry import Size
from textual.message import Message

from ccq_tui.compat.private import require
from ccq_tui.compat.textual.decoder import FrameDrawn
from ccq_tui.compat.textual.frames import Frames

require(
    LinuxDriver,
    "_app", "_auto_restart", "_disable_line_wrap", "_enable_bracketed_paste", "_enable_in_band_window_resize",
    "_enable_mouse_pixels", "_enable_mouse_support", "_file", "_get_terminal_size", "_in_band_window_resize",
    "_loop", "_sigcont_application", "_sigtstp_application", "_writer_thread", "exit_event", "fileno",
)  # fmt: skip

ENDING_FIRST = 0.05
"""Seconds until a program continues after a stop: a person who ends a stopped one sends two signals."""


class LastingOutput:
    """A terminal's output that swallows all writes after the terminal has gone.

    Textual writes from a thread. If that thread died of an error, its bounded queue would fill, the next
    write would wait forever, and with it the session, its process and the temporary files.
    """

    def __init__(self, file: IO[str]) -> None:
        self._file = file
        self.ended = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def write(self, text: str) -> int:
        """Write or swallow a text, and return its number of characters."""
        self._unless_ended(self._file.write, text)
        return len(text)

    def flush(self) -> None:
        """Flush, or do nothing."""
        self._unless_ended(self._file.flush)

    def _unless_ended(self, call: Callable[..., object], *arguments: str) -> None:
        try:
            if not self.ended:
                call(*arguments)
        except OSError:
            self.ended = True
            _silence()
            # This signal reports the terminal's end, but a write may notice the end first.
            os.kill(os.getpid(), signal.SIGHUP)


def _silence() -> None:
    """Discard buffered output: Python's own flush at the end would fail, with exit code 120."""
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    os.close(null)


class LastingDriver(LinuxDriver):
    """Textual's driver with an output that does not fail, for a process that may be stopped at any time."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.frames = Frames(self._draw, lambda seconds, call: self._loop.call_later(seconds, call))
        self._file: Any = LastingOutput(self._file)
        self._modes: list[Any] | None = None
        self._ends = self._refused = False

    @property
    def lent(self) -> bool:
        """Whether the screen is lent to an editor, or no thread is left to write."""
        thread = self._writer_thread
        return thread is None or not thread.is_alive()

    def write(self, data: str) -> None:
        """Write, unless there is no thread to do it."""
        if not self.lent:
            super().write(data)

    def _get_terminal_size(self) -> tuple[int, int]:
        """Ask the terminal that is drawn on, where standard output is a script's."""
        try:
            drawn_on = os.get_terminal_size(self._file.fileno())
        except OSError:
            return super()._get_terminal_size()
        columns, rows = shutil.get_terminal_size(drawn_on)
        return columns, rows

    def _draw(self) -> None:
        """Draw everything, in any thread: only what differs is sent."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._app.refresh)

    def process_message(self, message: Message) -> None:
        """Take the terminal's answers."""
        if isinstance(message, FrameDrawn):
            self.frames.arrived()
        else:
            super().process_message(message)

    def stop_application_mode(self) -> None:
        """Give the terminal back, once it has answered: a shell would take the answer for keys."""
        until = time.monotonic() + 1.0  # for the last answers, before the terminal is given back
        while self.frames.answers and self.frames.sent and not self._file.ended and time.monotonic() < until:
            time.sleep(0.005)
        self.write("\x1b[m")
        super().stop_application_mode()

    def start_application_mode(self) -> None:
        """Take the terminal, and remember its settings from then on."""
        self.frames.size = None  # something else may have drawn
        self.frames.sent.clear()
        super().start_application_mode()  # type: ignore[no-untyped-call]
        with contextlib.suppress(termios.error):
            self._modes = termios.tcgetattr(self.fileno)
            # By default the signal stops even a program that is about to end, which would stay for good.
            signal.signal(signal.SIGTTIN, self._refuse_input)

    def _sigtstp_application(self, *_signal: object) -> None:
        """Stop, as a shell asks; not here: the interrupted code may hold the lock of the writer's queue."""
        if self._loop.is_closed():
            os.kill(os.getpid(), signal.SIGSTOP)
        else:
            self._loop.call_soon_threadsafe(super()._sigtstp_application)

    def _sigcont_application(self, *_signal: object) -> None:
        """Continue after a stop.

        Textual expects a stop of its own, and would start its threads once more after any other: two would
        then read the keyboard, and the terminal could not be given back as it was. After a stop of its own it
        draws only changes.
        """
        if not self._loop.is_closed():
            # Before all that became due meanwhile: the loop takes that after the calls that wait already.
            self._loop.call_soon_threadsafe(getattr(self._app, "came_back", lambda: None))
            self._loop.call_soon_threadsafe(self._loop.call_later, ENDING_FIRST, self._go_on)

    def _refuse_input(self, *_signal: object) -> None:
        """Stop in the background, where nothing can be read, unless the program ends before that.

        The signal comes again and again meanwhile, because the reading thread tries again.
        """
        if not self._refused and not self._loop.is_closed():
            self._refused = True
            self._loop.call_soon_threadsafe(self._loop.call_later, ENDING_FIRST, self._go_on)

    def _go_on(self) -> None:
        self._refused = False
        if self._ends or not self._auto_restart or self._modes is None:
            return  # the program ends, an editor has the terminal, or the terminal was not taken yet
        if self.lent:
            self.resume_application_mode()
        if not self.lent:
            self._take_again(self._modes)

    def _take_again(self, modes: list[Any]) -> None:
        """Set up the terminal again, which a shell may have used meanwhile, and draw everything."""
        try:
            # In the background this stops the process, and completes when it comes to the foreground.
            termios.tcsetattr(self.fileno, termios.TCSANOW, modes)
        except termios.error:
            return  # it will continue again, or the terminal is gone, which ends the program in order
        self.write("\x1b[?1049h\x1b[?25l\x1b[?1004h")
        self._enable_bracketed_paste()
        self._disable_line_wrap()
        self._enable_mouse_support()
        if self._in_band_window_resize:
            self._enable_in_band_window_resize()  # the terminal reports its size
            self._enable_mouse_pixels()
        else:
            # Another program had the terminal while it may have been resized.
            size = Size(*self._get_terminal_size())
            self._app.post_message(events.Resize(size, size))
        self.frames.size = None
        self._app.refresh()

    def run_input_thread(self) -> None:
        """Read the keyboard; ignore the error with which the system refuses that to a background program."""
        try:
            super().run_input_thread()
        except OSError:
            if not self._ends:
                raise

    def ending(self) -> None:
        """Take the terminal no more, and give it back even from the background, without being stopped."""
        self._ends = True
        for number in (signal.SIGTTOU, signal.SIGTTIN):
            signal.signal(number, signal.SIG_IGN)

    def end(self) -> None:
        """End the threads, however the app ended: one that reads on would keep the process forever."""
        self._ends = True
        self.exit_event.set()
        thread = self._writer_thread
        if thread is not None and thread.is_alive():
            thread.stop()

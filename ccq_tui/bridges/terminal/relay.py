"""The relay of bytes, both ways, between a person's terminal and a program's; it waits for nothing else.

A watcher gets the program's output when the program pauses, and the watcher has taken what it got before; the
oldest output of a flood is dropped.
"""

import os
import re
import select
import signal
import termios
import time
import tty
from contextlib import suppress
from types import FrameType

from ccq_tui.bridges.terminal.link import Link, ToWatcher
from ccq_tui.bridges.terminal.program import Program, set_size, size_of

CHUNK = 1 << 16
MOST_WAITING = 1 << 16
"""Most bytes that wait for one side; beyond that the other waits, as on a slow terminal."""
MOST_KEPT, END_OF_FLOOD = 1 << 18, 1 << 16
"""Most bytes of output to keep for the watcher, and the end that is kept of more."""
PAUSE = 0.03
"""Seconds without output after which the watcher gets the output so far."""
FLOOD_PAUSE = 0.2
"""As `PAUSE`, once some output was dropped: a flood has short pauses too, and drawing in each slows it."""
LONGEST = 0.5
"""Seconds after which it gets the output although more comes, unless some was dropped."""
FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2)
LAST_OUTPUT = 0.2
"""Seconds for output that is still on its way when the program has ended."""
_HANDLED = (*FORWARDED, signal.SIGWINCH, signal.SIGCONT, signal.SIGTSTP)

_REPORTS = re.compile(
    rb"\x1b\[[IO]"  # focus
    rb"|\x1b\[\??[0-9;]*R"  # where the cursor is
    rb"|\x1b\[[?>=][0-9;]*c"  # what it can do
    rb"|\x1b\[\?[0-9;]*(?:\$y|u)"  # modes, keyboard
    rb"|\x1b\[[0-9;]*[nt]"  # state, size
    rb"|\x1b\[<[0-9;]*[Mm]|\x1b\[M..."  # mouse
    rb"|\x1b[\]P_][^\x07\x1b]*(?:\x07|\x1b\\)",  # colours, versions
    re.DOTALL,
)
"""The reports that a terminal sends by itself."""


class Relay:
    """The relay of one program, until the program ends.

    Args:
        terminal: The person's terminal.
        program: The program.
        link: The link to the watcher.
    """

    def __init__(self, terminal: int, program: Program, link: Link) -> None:
        self._given, self._program, self._link = terminal, program, link
        self._terminal = _own(terminal)
        self._modes: list[object] | None = None
        self._foreground = False
        self._to_terminal, self._to_program = bytearray(), bytearray()
        self._kept, self._flooded = bytearray(), False
        self._woken, self._wake = os.pipe()
        self._terminal_lost = self._closed = self._hung_up = False
        self._sent_at = time.monotonic()
        self._ended: int | None = None

    def run(self) -> int:
        """Pass everything through until the program has ended; return its exit code, as `exit_code`."""
        for descriptor in (self._woken, self._wake):
            os.set_blocking(descriptor, False)
        before = {number: signal.signal(number, _nothing) for number in _HANDLED}
        woken = signal.set_wakeup_fd(self._wake, warn_on_full_buffer=False)
        try:
            self._take_terminal()
            while self._ended is None:
                self._turn()
            self._finish()
        finally:
            self._give_terminal_back()
            signal.set_wakeup_fd(woken)
            for number, handler in before.items():
                signal.signal(number, handler)
            for descriptor in (self._woken, self._wake):
                os.close(descriptor)
            if self._terminal != self._given:
                os.close(self._terminal)
        return exit_code(self._ended)

    def _turn(self) -> None:
        """Wait until something can be passed on, and pass it on."""
        program, terminal = self._program.master, self._terminal
        ready = self._ready(program, terminal)
        if not ready:
            self._pause()
            return
        if ready.get(program, 0) & select.POLLIN:
            self._read_program()
        elif ready.get(program, 0) & (select.POLLHUP | select.POLLERR):
            self._closed = True
        if ready.get(terminal, 0) & select.POLLIN:
            self._read_terminal()
        elif ready.get(terminal, 0) & (select.POLLHUP | select.POLLERR):
            self._lose_terminal()
        self._write()
        if self._woken in ready:
            self._handle_signals()
        if self._program.states in ready:
            self._read_states()
        if self._link.descriptor in ready and self._link.exchange():
            self._show()

    def _ready(self, program: int, terminal: int) -> dict[int, int]:
        """Wait for something, and return what came; nothing if only the kept output is to be sent."""
        room = len(self._to_terminal) < MOST_WAITING and not self._closed
        typing = self._foreground and not self._terminal_lost and len(self._to_program) < MOST_WAITING
        wanted = {
            program: select.POLLIN * room | select.POLLOUT * bool(self._to_program),
            terminal: select.POLLIN * typing | select.POLLOUT * bool(self._to_terminal),
            self._program.states: select.POLLIN,
            self._woken: select.POLLIN,
            self._link.descriptor: self._link.events,
        }
        poll = select.poll()
        for descriptor, events in wanted.items():
            if events:  # without, a hang-up would be reported on and on
                poll.register(descriptor, events)
        pause = FLOOD_PAUSE if self._flooded else PAUSE
        kept = self._kept and not self._link.unsent
        return dict(poll.poll(pause * 1000 if kept else None))

    def _show(self) -> None:
        """Send all of the program's output, for the watcher to see the screen as it is now."""
        self._read_program()
        self._pause()
        self._link.send(ToWatcher.SHOWN)

    def _read_program(self) -> bool:
        """Pass on the program's output, as much as is there, in one piece; return whether there was any."""
        data = b""
        while len(data) < CHUNK:
            try:
                more = os.read(self._program.master, CHUNK)
            except BlockingIOError:
                break
            except OSError:
                more = b""
            if not more:  # no process has the other end open
                self._closed = True
                break
            data += more
        if data:
            if not self._terminal_lost:
                self._to_terminal += data
                self._write()
            self._kept += data
            if len(self._kept) > MOST_KEPT:
                self._flooded = True
                del self._kept[:-END_OF_FLOOD]
            late = time.monotonic() - self._sent_at > LONGEST
            if late and not (self._flooded or self._link.unsent):
                self._pause()
        return bool(data)

    def _read_terminal(self) -> None:
        self._handle_signals()  # the program must get a change of size before the keys typed after it
        try:
            data = os.read(self._terminal, CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._lose_terminal()
            return
        self._to_program += data
        self._write()
        if is_typed(data):
            self._pause()  # the watcher must see the screen on which the person typed
            self._link.send(ToWatcher.TYPED)

    def _write(self) -> None:
        if self._to_program:
            with suppress(BlockingIOError):
                del self._to_program[: os.write(self._program.master, self._to_program)]
        if self._to_terminal and not self._terminal_lost:
            try:
                del self._to_terminal[: os.write(self._terminal, self._to_terminal)]
            except BlockingIOError:
                pass
            except OSError:
                self._lose_terminal()

    def _hang_up(self) -> None:
        """Signal to the program that its terminal is gone, once."""
        if not self._hung_up:
            self._hung_up = True
            self._program.signal(signal.SIGHUP)

    def _lose_terminal(self) -> None:
        """Continue without the terminal, until the program has ended."""
        self._hang_up()
        self._terminal_lost = True
        self._to_terminal.clear()

    def _pause(self) -> None:
        """Send the kept output to the watcher."""
        if self._kept:
            # After a flood, the content of the screen is unknown.
            self._link.send(ToWatcher.OUTPUT, b"\x1bc" * self._flooded + self._kept)  # resets a terminal
            self._kept, self._flooded = bytearray(), False
            self._sent_at = time.monotonic()

    def _handle_signals(self) -> None:
        """Handle the signals that came since the last look."""
        try:
            numbers = set(os.read(self._woken, 1024))
        except BlockingIOError:
            return
        for number in sorted(numbers):
            if number == signal.SIGWINCH:
                self._resize()
            elif number == signal.SIGCONT:
                self._resume()
            elif number == signal.SIGHUP:
                self._hang_up()
            else:
                self._program.signal(number)

    def _resize(self) -> None:
        if (size := size_of(self._given)) is not None:
            set_size(self._program.master, size)
            self._pause()
            self._link.send(ToWatcher.SIZE, b"%d %d" % size)

    def _read_states(self) -> None:
        """Stop with the program, or record its end."""
        states = self._program.read_states()
        if not states:
            self._ended = self._ended if self._ended is not None else signal.SIGKILL
        for status in states:
            if os.WIFSTOPPED(status):
                self._stop()
            else:
                self._ended = status

    def _stop(self) -> None:
        """Stop as the program did, so that the shell gets the terminal, until the shell continues us."""
        self._drain()
        self._pause()
        self._link.send(ToWatcher.STOPPED)
        self._link.exchange()
        self._give_terminal_back()
        previous = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(0, signal.SIGTSTP)  # stop the whole job, as the terminal would
        # The shell has continued us, or the kernel did not stop us because nobody could continue us.
        signal.signal(signal.SIGTSTP, previous)
        self._resume()

    def _resume(self) -> None:
        """Take the terminal again, unless it was continued in the background, and continue the program."""
        self._take_terminal()
        self._resize()
        self._program.signal(signal.SIGCONT)
        self._link.send(ToWatcher.CONTINUED)

    def _take_terminal(self) -> None:
        """Put the terminal into raw mode if we are in its foreground."""
        self._foreground = False
        with suppress(OSError, termios.error):
            self._foreground = os.tcgetpgrp(self._given) == os.getpgrp()
            if self._foreground:
                modes = termios.tcgetattr(self._given)
                self._modes = self._modes or modes
                tty.setraw(self._given, termios.TCSANOW)

    def _give_terminal_back(self) -> None:
        if self._modes is not None:
            with suppress(OSError, termios.error):
                if os.tcgetpgrp(self._given) == os.getpgrp():
                    termios.tcsetattr(self._given, termios.TCSANOW, self._modes)  # type: ignore[arg-type]
            self._modes = None

    def _drain(self) -> bool:
        """Write the program's last output, for at most `LAST_OUTPUT`; return whether there was any."""
        until, came = time.monotonic() + LAST_OUTPUT, False
        while time.monotonic() < until:
            came |= self._read_program()
            if self._terminal_lost or not self._to_terminal:
                break
            select.select([], [self._terminal], [], max(0.0, until - time.monotonic()))
            self._write()
        return came

    def _finish(self) -> None:
        """Pass on the program's last output; do not wait for its children."""
        while not self._terminal_lost:
            came = self._drain()
            if self._to_terminal:
                # The terminal is slow, and no output may be lost.
                select.select([], [self._terminal], [], None)
                self._write()
            elif not came:
                break
        self._pause()


def exit_code(status: int | None) -> int:
    """Return a shell's exit code for a status of ``os.waitpid``: 128 plus the number of an ending signal."""
    if status is None:
        return 1
    return 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def _own(terminal: int) -> int:
    """Open a terminal again, without blocking: the given descriptor is shared with other programs."""
    try:
        return os.open(os.ttyname(terminal), os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    except OSError:
        return terminal


def _nothing(_number: int, _frame: FrameType | None) -> None:
    """Do nothing: the wake-up descriptor reports the signal."""


def is_typed(data: bytes) -> bool:
    """Whether a person typed some of the bytes from a terminal."""
    return bool(_REPORTS.sub(b"", data))

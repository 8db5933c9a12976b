"""Input and output line by line: one reader of the input for the whole run, and labelled lines."""

import asyncio
import os
import select
import stat
import sys
import termios
from textwrap import wrap

from ccq_tui.output import echo, sign
from ccq_tui.questions.state import typable
from ccq_tui.text import one_line

MOST_BYTES = 1_000_000
"""Most bytes of a line; the rest is left out, and said so."""
AT_ONCE = 20_000
"""Most bytes read before the event loop goes on."""


class InputEnded(Exception):  # noqa: N818 - says what happened
    """The input has no more lines; what waits stays as it is."""


class Interrupted(Exception):  # noqa: N818 - says what happened
    """The person pressed Ctrl+C while a line was awaited."""


class Lines:
    """The person's lines and ours; one for the whole run.

    A line is read only when it is asked for, and no further: other programs find the rest of a pipe.

    Args:
        source: The file descriptor to read.
        err: Whether to print to standard error, because standard output has another use.
        bell: Whether to ring the terminal's bell.
        whole: Whether all lines of a pipe are one text.

    Attributes:
        whole: Whether they are, here.
        heard_at: The time of the last input, by the event loop's clock.
        has_ended: Whether no more input comes.
        is_typed: Whether a person types at a terminal, which shows it.
    """

    def __init__(self, source: int = 0, *, err: bool = False, bell: bool = True, whole: bool = False) -> None:
        self._bell = bell
        self.input_at = 0.0
        self._source = source
        self._err = err
        out = sys.stderr if err else sys.stdout  # noqa: TID251 - asked
        self.has_ended = source == 0 and sys.stdin is None
        self.is_typed = not self.has_ended and os.isatty(source)
        self._is_file = not self.has_ended and stat.S_ISREG(os.fstat(source).st_mode)
        self.whole = whole and not self.is_typed
        self._shown = out.fileno() if out is not None and out.isatty() else None
        self._rest = bytearray()
        self._awaited: asyncio.Future[None] | None = None
        self._prompted = False
        """Whether a prompt is the last thing printed, on a line that goes on."""
        self._behind_prompt = False
        """Whether the last line was typed right behind a prompt."""

    @property
    def on_terminal(self) -> bool:
        """Whether the lines were printed on a terminal when the program began."""
        return self._shown is not None

    @property
    def is_terminal(self) -> bool:
        """Whether a person reads and types here."""
        return self.is_typed and self.on_terminal

    def say(self, label: str, text: str = "") -> None:
        """Print a text after a label; further lines of it are indented, so that no text has a label."""
        self._end_prompt()
        first, *more = text.split("\n")
        lines = [f"{label}: {first}".rstrip(), *(f"  {line}".rstrip() for line in more)]
        echo("\n".join(lines), err=self._err)

    def note(self, text: str) -> None:
        """Print a sentence of ours."""
        self.say("note", "\n".join(self._fitted(line, len("note: ")) for line in text.split("\n")))

    def _fitted(self, text: str, used: int = 0) -> str:
        """Break a line, behind ``used`` cells of another text, between words, where a terminal would not."""
        columns = os.get_terminal_size(self._shown).columns - used if self._shown is not None else 0
        return "\n".join(wrap(text, columns, break_long_words=False)) if columns > 0 else text

    def ring(self) -> None:
        """Ring the terminal's bell, if there is one and the person wants it."""
        if self._bell:
            sign("\a", err=self._err)

    def turn_ended(self) -> None:
        """Mark the end of a turn for the terminal."""
        self._mark("D")

    def interrupt(self) -> bool:
        """Let the line that is awaited raise `Interrupted`; return whether one is."""
        if self._awaited is None or self._awaited.done():
            return False
        self._awaited.set_exception(Interrupted())
        return True

    def prompt(self) -> None:
        """Print the prompt of a turn for the line that is awaited quietly, unless it stands there."""
        if not self._prompted:
            self._mark("A")
            self._prompt("you:")

    def _prompt(self, prompt: str) -> None:
        prompt = one_line(prompt, 1_000)  # no text within it has a line of its own
        if self.is_terminal:
            echo(f"{self._fitted(prompt)} ", err=self._err, newline=False)
            self._prompted = True
        elif prompt not in ("you:", "more:"):
            echo(prompt, err=self._err)

    def _end_prompt(self) -> None:
        if self._prompted:
            self._prompted = False
            echo("", err=self._err)

    def begun(self) -> bool:
        """Read what is there, and return whether that is anything."""
        if not self.has_ended:
            self._read()
        return bool(self._rest)

    async def ask_secret(self, prompt: str) -> str:
        """Print a prompt, and return the next line as it is; nothing of it is shown, or left behind."""
        if not self.is_typed:
            return await self._line(prompt)
        before = termios.tcgetattr(self._source)
        unseen = [*before[:3], before[3] & ~termios.ECHO, *before[4:]]
        termios.tcsetattr(self._source, termios.TCSADRAIN, unseen)
        try:
            return await self._line(prompt)
        finally:
            termios.tcsetattr(self._source, termios.TCSAFLUSH, before)
            self._rest.clear()
            self._prompted = True  # the end of the line was not shown either
            self._end_prompt()

    async def input(self, prompt: str = "", *, turn: bool = False, quiet: bool = False) -> str:
        """Print a prompt, and return the next line, without its end.

        A backslash at the end of a line continues it on the next one. Where no terminal shows it behind a
        prompt, the line is printed behind ``you:``. What was begun at a terminal when the wait is cancelled
        is printed, and is no part of any line.

        Args:
            prompt: The prompt, or "" for ``you:`` alone.
            turn: Whether a turn begins with it: the terminal gets the marks of OSC 133.
            quiet: Whether to print no prompt, since other lines come meanwhile.

        Raises:
            InputEnded: The input ended; an unfinished last line is returned first.
            Interrupted: `interrupt` was called.
        """
        if turn and not quiet:
            self._mark("A")
        text, prompt, goes_on = "", "" if quiet else prompt or "you:", True
        try:
            while goes_on:
                line = await self._line(prompt)
                prompt, goes_on = "more:", self.whole or line.endswith("\\")
                text += f"{line}\n" if self.whole else line[:-1] + "\n" if goes_on else line
        except InputEnded:
            if not text:
                raise
        except (asyncio.CancelledError, Interrupted):
            self._set_aside(text.replace("\n", "\\\n"))
            raise
        if turn:
            self._mark("C")
        text = text.removesuffix("\n") if self.whole else text
        if not (self.is_terminal and self._behind_prompt):
            self.say("you", text)
        return text

    async def _line(self, prompt: str) -> str:
        while True:
            if prompt:
                self._prompt(prompt)
            was_cut = False
            while b"\n" not in self._rest and not self.has_ended:
                await self._readable()
                self._read()
                if len(self._rest) > MOST_BYTES + 1:
                    ended = self._rest.endswith(b"\n")
                    was_cut, self._rest = True, self._rest[:MOST_BYTES] + b"\n" * ended
            if not self._rest:
                raise InputEnded
            self._behind_prompt, self._prompted = self._prompted, False
            line, _, self._rest = self._rest.partition(b"\n")
            if was_cut:
                self.note(f"The line was cut after {MOST_BYTES:,} bytes.")
            try:
                return typable(line.decode("utf-8", "ignore" if was_cut else "strict").rstrip("\r"))
            except UnicodeDecodeError:
                self.note("The line was not used: it is not UTF-8.")

    async def _readable(self) -> None:
        """Wait for input, without limit: that is the person's time."""
        loop = asyncio.get_running_loop()
        self._awaited = loop.create_future()
        try:
            loop.add_reader(self._source, self._wake)
            await self._awaited
        except PermissionError:
            pass  # a file always has input
        finally:
            loop.remove_reader(self._source)
            self._awaited = None

    def _wake(self) -> None:
        if self._awaited is not None and not self._awaited.done():
            self._awaited.set_result(None)

    def _read(self) -> None:
        """Read what is there, up to the end of a line."""
        # A terminal gives a line at a time; what follows a line in a file or a pipe stays there.
        size = AT_ONCE if self.is_typed or self._is_file else 1
        for _ in range(AT_ONCE // size):
            if not select.select([self._source], [], [], 0)[0]:
                return
            try:
                data = os.read(self._source, size)
                if self._is_file and (after := len(data.partition(b"\n")[2])):
                    os.lseek(self._source, -after, os.SEEK_CUR)
                    data = data[:-after]
            except OSError:  # the terminal is gone
                data = b""
            self._rest += data
            self.has_ended = not data
            self.input_at = asyncio.get_running_loop().time()
            if not data or data.endswith(b"\n"):
                return

    def _set_aside(self, before: str) -> None:
        """Keep what was begun in a pipe; show what was begun at a terminal for what is over."""
        self._rest[:0] = before.encode()
        if not self.is_typed:
            return
        begun = self._rest + _begun(self._source)
        self._rest.clear()
        self._prompted |= bool(begun)
        self._end_prompt()
        if text := typable(begun.decode("utf-8", "replace")).strip():
            self.note(f"The line you had begun is not used: {text}")

    def _mark(self, letter: str) -> None:
        if os.environ.get("TERM") != "dumb":
            sign(f"\x1b]133;{letter}\x1b\\", err=self._err)


def _begun(terminal: int) -> bytes:
    """Take the unfinished line out of a terminal."""
    try:
        before = termios.tcgetattr(terminal)
        single = [*before[:3], before[3] & ~termios.ICANON, *before[4:]]
        termios.tcsetattr(terminal, termios.TCSANOW, single)
        try:
            return os.read(terminal, MOST_BYTES) if select.select([terminal], [], [], 0)[0] else b""
        finally:
            termios.tcsetattr(terminal, termios.TCSANOW, before)
    except (OSError, termios.error):  # the terminal is gone
        return b""

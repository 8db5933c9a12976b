"""Standard output and standard error: everything printed is harmless, wherever it came from.

`echo` prints for the program. Output of others (click's help and errors, tracebacks, warnings, log records
before there is a log) passes through the streams that `harmless_streams` puts in place.
"""

import io
import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO, cast

import click

from ccq_tui.text import safe

if TYPE_CHECKING:
    from typing_extensions import Buffer


class UnprintedError(OSError):
    """Standard output cannot be written: nobody reads it, the disk is full, or it is closed (``>&-``)."""

    @property
    def words(self) -> str:
        """What is wrong, for a person."""
        return f"standard output cannot be written: {self}."

    @property
    def is_unread(self) -> bool:
        """Whether its reader closed the pipe early, as ``head`` does."""
        return isinstance(self.__cause__, BrokenPipeError)


class Styled(NamedTuple):
    """Text with a style, which a stream that is no terminal leaves out.

    Attributes:
        text: Text from anywhere.
        color: The name of a colour, or None for the terminal's own.
        bold: Whether it is bold.
        dim: Whether it is faint.
        background: The name of the colour behind it, or None for the terminal's own.
    """

    text: str
    color: str | None = None
    bold: bool = False
    dim: bool = False
    background: str | None = None


def colourless() -> bool:
    """Whether to send no colours: because NO_COLOR is set, or TERM names a terminal without any."""
    term = os.environ.get("TERM", "")
    mono = re.search(r"-m(ono)?$|^vt[1-5]\d\d$", term) is not None and not os.environ.get("COLORTERM")
    # An empty one counts as not set, as https://no-color.org says.
    return bool(os.environ.get("NO_COLOR")) or term == "dumb" or mono


def has_output() -> bool:
    """Whether standard output is open."""
    return sys.stdout is not None


def not_terminals() -> list[str]:
    """List which of standard input and output are no terminal."""
    streams = {"input": sys.stdin, "output": sys.stdout}
    return [name for name, stream in streams.items() if stream is None or not stream.isatty()]


def echo(*pieces: str | Styled, err: bool = False, newline: bool = True) -> None:
    """Print pieces of text one after the other, then a newline.

    Args:
        pieces: Text from anywhere; what could act on a terminal becomes a visible sign, except newlines.
        err: Whether it goes to standard error.
        newline: Whether the newline follows; a prompt has none.

    Raises:
        UnprintedError: Standard output cannot be written.
        OSError: Standard error cannot be written.
    """
    stream = sys.stderr if err else sys.stdout
    if stream is None:
        if err:
            return
        raise UnprintedError("it is closed")
    target = stream.target if isinstance(stream, HarmlessStream) else stream
    line = encodable("".join(map(_written, pieces)), target)
    try:
        click.echo(line, file=target, nl=newline, color=False if colourless() else None)
    except OSError as error:
        if err:
            raise
        # Without its number: click exits by itself for that of a pipe.
        raise UnprintedError(error.strerror) from error


def sign(sequence: str, *, err: bool = False) -> None:
    """Send a control sequence of ours, which draws nothing, if the stream is a terminal.

    Raises:
        OSError: Nobody reads the stream any more.
    """
    stream = sys.stderr if err else sys.stdout
    target = stream.target if isinstance(stream, HarmlessStream) else stream
    if target is not None and target.isatty():
        target.write(sequence)
        target.flush()


def _written(piece: str | Styled) -> str:
    if isinstance(piece, str):
        return safe(piece)
    # The only control sequences that are printed: they are ours, around text that has none.
    bold, dim = piece.bold or None, piece.dim or None
    return click.style(safe(piece.text), fg=piece.color, bg=piece.background, bold=bold, dim=dim)


def encodable(text: str, stream: TextIO) -> str:
    """Escape each character that a stream's encoding lacks; printing it would raise an error."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


class HarmlessStream:
    """Another stream, to which only text with visible signs for what could act on a terminal is written.

    Attributes:
        target: The stream; whatever else is asked of this one is its own.
        buffer: Binary stream to the same target, which click writes to for shells.
    """

    def __init__(self, target: TextIO) -> None:
        self.target = target
        self.buffer = _HarmlessBytes(target)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.target, name)

    def write(self, text: str) -> int:
        """Write text; returns the number of characters taken: all."""
        self.target.write(encodable(safe(text), self.target))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write several texts."""
        self.write("".join(lines))


class _HarmlessBytes(io.RawIOBase):
    """Writes bytes as `HarmlessStream` writes text; each write must hold whole UTF-8 characters."""

    def __init__(self, target: TextIO) -> None:
        super().__init__()
        self._target = target

    def write(self, data: "Buffer", /) -> int:
        text = safe(bytes(data).decode(errors="replace"))
        if (raw := getattr(self._target, "buffer", None)) is not None:
            self._target.flush()
            raw.write(text.encode())
        else:
            self._target.write(text)
        return len(bytes(data))

    def flush(self) -> None:
        self._target.flush()

    def writable(self) -> bool:
        return True


@contextmanager
def harmless_streams() -> Iterator[None]:
    """Escape control characters in everything printed meanwhile, by any code."""
    before = sys.stdout, sys.stderr
    guarded = [stream and cast("TextIO", HarmlessStream(stream)) for stream in before]
    sys.stdout, sys.stderr = guarded
    try:
        yield
    finally:
        # Leave a stream in place that replaced ours meanwhile.
        if sys.stdout is guarded[0]:
            sys.stdout = before[0]
        if sys.stderr is guarded[1]:
            sys.stderr = before[1]
        for stream in before:
            _write_rest(stream)


def _write_rest(stream: TextIO | None) -> None:
    """Write buffered output, or drop it if nobody reads it: Python would retry at exit, and exit with 120."""
    if stream is None or stream.closed:
        return
    try:
        stream.flush()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        with suppress(OSError):  # it has no descriptor of its own
            os.dup2(nowhere, stream.fileno())
        os.close(nowhere)

"""What the terminal shows of an invitation: QR code, link, code, and what to do with them."""

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import zip_longest
from urllib.parse import urlsplit

import segno

from ccq_tui.output import Styled
from ccq_tui.web.client import HERE

Line = tuple[str | Styled, ...]
"""Pieces that `ccq_tui.output.echo` prints as one line."""
GAP = "  "
"""Between the QR code and the words beside it."""
LEAST_WORDS, MOST_WORDS = 26, 52
"""Columns for words beside a QR code; with fewer they go under it."""
PAIRS = 8
"""Pairs of digits of a fingerprint in a line, which an eye keeps."""
HALVES = {(False, False): "█", (False, True): "▀", (True, False): "▄", (True, True): " "}
"""Two modules above one another, dark ones as the background."""


@dataclass(frozen=True, slots=True)
class InvitationCard:
    """An invitation as it is shown.

    Attributes:
        public: The URL of the page.
        is_sealed: Whether the relay cannot read what passes.
        link: The link.
        code: The code for typing.
        until: When both end, such as 14:35.
        fingerprint: The fingerprint of a certificate that devices do not know, or "".
        keys: What the keys do, if it is shown where keys are read.
    """

    public: str
    is_sealed: bool
    link: str = field(repr=False)
    code: str = field(repr=False)
    until: str
    fingerprint: str = ""
    keys: tuple[str, ...] = ()

    def lines(self, columns: int, rows: int, *, draws: bool) -> Iterator[Line]:
        """Yield the lines of the card.

        Args:
            columns: The width of the terminal.
            rows: Its height; what may scroll away there comes first.
            draws: Whether it can draw block characters.
        """
        yield (Styled("Link, for one device: ", dim=True), self.link)
        code = qr_lines(self.link, rows - 1) if draws else []
        width = len(code[0]) if code else columns
        if (room := columns - width - len(GAP)) >= LEAST_WORDS:
            for row, words in zip_longest(map(_coloured, code), self._words(room)):
                yield (row or " " * width, GAP, *(words or ()))
            return
        under = [*self._words(columns)]
        code = qr_lines(self.link, rows - 1 - len(under)) if draws else []
        if code and len(code[0]) <= columns:
            yield from (*((_coloured(row),) for row in code), *under)
            return
        if draws:
            yield from _wrapped(
                "No QR code: the window is too small. Make it larger, and press Enter.", columns
            )
        yield from self._words(columns, scans=False)

    def _words(self, columns: int, *, scans: bool = True) -> Iterator[Line]:
        start = "Scan it with the phone's camera, or open" if scans else "On the phone, open"
        is_here = urlsplit(self.public).hostname in HERE  # no phone reaches it
        open_it = "Open this page on this machine" if is_here else f"{start} this page"
        once = "Both work once" if scans else "It works once"
        how = [
            *_wrapped(f"{open_it} and type the code:", columns),
            *_wrapped(self.public, columns, "cyan"),
            (),
            ("  ", Styled(self.code, bold=True)),
            (),
            *_wrapped(f"{once}, until {self.until}.", columns),
        ]
        # What scrolls out of a small window is what can be read later.
        yield from (*how, *self._warning(columns)) if scans else (*self._warning(columns), *how)
        if self.keys:
            yield ()
        yield from ((Styled(line, dim=True),) for line in self.keys)

    def _warning(self, columns: int) -> Iterator[Line]:
        if not self.is_sealed:
            text = "Not encrypted: anyone in this network can read your questions."
            yield from _wrapped(text, columns, "yellow")
        if self.fingerprint:
            text = "The phone warns once, as this machine made its certificate. SHA-256:"
            yield from _wrapped(text, columns)
            pairs = self.fingerprint.split()
            yield from ((f"  {' '.join(pairs[at : at + PAIRS])}",) for at in range(0, len(pairs), PAIRS))


def qr_lines(link: str, rows: int) -> list[str]:
    """Return the QR code of a link in half blocks, light ones drawn; nothing if it takes more rows."""
    code = segno.make(link, error="l", micro=False)
    # Empty modules around a QR code; cameras like four, and do with less.
    for border in (4, 2, 1):
        modules = [[bool(one) for one in row] for row in code.matrix_iter(border=border)]
        if len(modules) % 2:
            modules.append([False] * len(modules[0]))
        if len(modules) // 2 <= rows:
            pairs = zip(modules[::2], modules[1::2], strict=True)
            return ["".join(map(HALVES.__getitem__, zip(*pair, strict=True))) for pair in pairs]
    return []


def _wrapped(text: str, columns: int, color: str | None = None) -> Iterator[Line]:
    for line in textwrap.wrap(text, min(columns - 1, MOST_WORDS)):
        yield (Styled(line, color),)


def _coloured(row: str) -> Styled:
    return Styled(row, "bright_white", background="black")

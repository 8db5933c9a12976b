"""The terminal's driver: the choice of one, and the program's uses of it beside the screen."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from ccq_tui.compat.private import load

if TYPE_CHECKING:
    from textual.app import App
    from textual.driver import Driver
    from textual.message import Message

    from ccq_tui.preboot_input import EarlyPrompt


def _as_typed(pieces: Iterable[tuple[float, bytes]]) -> Iterator[Message]:
    """Read all that a terminal sent, in pieces that came in one go each, with their times."""
    from ccq_tui.compat.textual.decoder import Decoder

    parser, decoder = Decoder(), codecs.getincrementaldecoder("utf-8")("replace")
    for at, piece in pieces:
        text = decoder.decode(piece)
        for event in parser.feed(text) if text else ():
            event.time = at  # two keys pressed apart are not one that is held down
            yield event
    yield from parser.feed("")


def lasting_driver() -> type[Driver] | None:
    """Return a driver for a terminal that may go away, or None to use Textual's own."""
    decoder = load("ccq_tui.compat.textual.decoder", "Decoder")  # of use to Textual's own driver, too
    driver: type[Driver] | None = load("ccq_tui.compat.textual.lasting_driver", "LastingDriver")
    return driver if decoder is not None else None


def taking_over(early: EarlyPrompt) -> type[Driver] | None:
    """Return `lasting_driver`, made to take over the terminal from ``early``, and what was typed there."""
    lasting: Any = lasting_driver()
    if lasting is None:
        return None

    class TakingOver(lasting):  # type: ignore[misc]
        """The driver that begins with the keys typed before it started."""

        def start_application_mode(self) -> None:
            """Take the terminal."""
            self._typed = early.release()
            super().start_application_mode()
            if early.attributes is not None:
                self.attrs_before = early.attributes

        def run_input_thread(self) -> None:
            """Begin with the keys typed before, and read on."""
            typed, self._typed = self._typed, []
            for event in _as_typed(typed):
                self.process_message(event)
            super().run_input_thread()

    return TakingOver


def write(app: App[Any], sequence: str) -> None:
    """Write a sequence to the terminal, in order with the frames; Textual has no public way to do so."""
    if (driver := _driver_of(app)) is not None and sequence and not app.is_headless:
        driver.write(sequence)


def is_lent(app: App[Any]) -> bool:
    """Return whether another program has the terminal: keys on their way still arrive here then."""
    return bool(getattr(_driver_of(app), "lent", False))


def announce_end(app: App[Any]) -> None:
    """Tell the driver that the program has begun to end, so that it no longer takes the terminal."""
    if (ending := getattr(_driver_of(app), "ending", None)) is not None:
        ending()


def end_driver(app: App[Any]) -> None:
    """End the threads of the driver, however the app ended."""
    if (end := getattr(_driver_of(app), "end", None)) is not None:
        end()


def _driver_of(app: App[Any]) -> Any:
    return getattr(app, "_driver", None)

"""The terminal's driver: the choice of one, and the program's uses of it beside the screen."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from enum import Enum
from typing import TYPE_CHECKING, Any

from ccq_tui.compat.private import load
from ccq_tui.preboot_input import ESCAPE

if TYPE_CHECKING:
    from textual.app import App
    from textual.driver import Driver
    from textual.message import Message

    from ccq_tui.preboot_input import EarlyPrompt


class _MoreKeys(Enum):
    """Keys that terminals send and Textual does not know."""

    ALT_ENTER = "alt+enter"
    ALT_1 = "alt+1"
    ALT_2 = "alt+2"
    ALT_3 = "alt+3"
    ALT_4 = "alt+4"
    ALT_5 = "alt+5"
    ALT_6 = "alt+6"
    ALT_7 = "alt+7"
    ALT_8 = "alt+8"
    ALT_9 = "alt+9"


def know_alt_keys() -> None:
    """Read the bytes that most terminals send for Alt+Enter and for Alt+1 to Alt+9 as those keys.

    Textual knows them only from terminals with kitty's keyboard protocol. Elsewhere it took Alt+Enter for
    Enter, which sends a prompt where a person meant a new line, or for a "^" and Enter when another key
    followed at once; and Alt+1 for "¡", which one terminal on macOS means by it.
    """
    try:
        from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
    except ImportError:
        return  # then Alt+Enter is Enter, if the terminal has no protocol for it
    keys: Any = ANSI_SEQUENCES_KEYS
    for key in _MoreKeys:
        sent = "\r" if key is _MoreKeys.ALT_ENTER else key.value[-1]
        keys[f"\x1b{sent}"] = (key,)


def _as_typed(typed: str) -> Iterator[Message]:
    """Read all that a terminal sent."""
    from textual import constants, events

    from ccq_tui.compat.textual.lasting_driver import PasteParser

    parser = PasteParser()
    first, *others = typed.split(ESCAPE)
    yield from parser.feed(first) if first else ()
    for other in others:
        yield events.Key("escape", "\x1b")
        yield from parser.feed(other) if other else ()
    if parser._timeout_time is not None:
        time.sleep(constants.ESCAPE_DELAY)  # nothing follows, so it was Esc, or Alt and a letter
        yield from parser.tick()


def lasting_driver() -> type[Driver] | None:
    """Return a driver for a terminal that may go away, or None to use Textual's own."""
    if sys.platform == "win32":
        return None
    know_alt_keys()
    driver: type[Driver] | None = load("ccq_tui.compat.textual.lasting_driver", "LastingDriver")
    return driver


def taking_over(early: EarlyPrompt, taken: Callable[[str], str]) -> type[Driver] | None:
    """Return `lasting_driver`, made to take the terminal over from ``early``.

    ``taken`` gets the text typed until then, and returns the part that the screen takes as typed now.
    """
    lasting: Any = lasting_driver()
    if lasting is None:
        return None

    class TakingOver(lasting):  # type: ignore[misc]
        """The driver that begins with the keys typed before it started."""

        def start_application_mode(self) -> None:
            """Take the terminal."""
            self._typed = taken(early.release())
            super().start_application_mode()
            if early.attributes is not None:
                self.attrs_before = early.attributes

        def run_input_thread(self) -> None:
            """Begin with the keys typed before, and read on."""
            typed, self._typed = self._typed, ""
            for event in _as_typed(typed) if typed else ():
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

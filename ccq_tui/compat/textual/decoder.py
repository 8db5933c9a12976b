"""The bytes of a terminal as keys and pastes: what terminals send and Textual's parser misreads."""

import re
from collections.abc import Iterable
from time import monotonic

from textual import constants, events
from textual.drivers import linux_driver
from textual.drivers.linux_driver import XTermParser  # type: ignore[attr-defined]
from textual.message import Message

from ccq_tui.preboot_input import PASTE, PASTED, are_lines, is_rest

ESC = "\x1b"
_NAMED = {
    "\\\r\n": "shift+enter",  # Shift+Enter in VS Code, as Claude Code sets it up
    "\x1b\r": "alt+enter",  # Enter to Textual, which would send a prompt
    ESC: "escape",  # before another one; "^" to Textual
}
_KEYPAD = dict(enumerate("0123456789./*-+\r=,", 57399))
"""The characters of kitty's keypad, which Textual gives no text."""
_TABLE = re.compile(
    r"\\\r\n"
    r"|\r\n"  # Enter of a terminal in newline mode
    r"|\x1b(?:\r|(?=\x1b|\Z)"
    # Alt and a character: more right behind it makes the Esc a "^" to Textual, which knows those left out.
    r"|(?P<alt>[^\x00-\x1f\x7f\[\]NOPX^_\\bf0=§-])"
    r"|\[27;(?P<modifiers>\d+);(?P<code>\d{1,5})~"  # xterm's modifyOtherKeys
    r"|\[(?P<keypad>57\d{3})(?:;(?:1|65|129|193))?u)"  # without modifiers, but for the locks
)
_IN_PASTE = re.compile(
    r"\x1b\[(?:27;(?P<xterm>\d+);(?P<code>\d{1,5})~|(?P<key>\d{1,5})(?:;(?P<kitty>\d+))?u)"
)
"""A character of a paste that the terminal, such as tmux, sends as a key."""
ASK, ANSWER = "\x1b[5n", "\x1b[0n"
"""Asks for the terminal's status, which it reports once it has drawn what came before (ECMA-48, DSR)."""
_CUT = re.compile(r"\x1b(?:\[[0-9;:?<>=]*|O)?\Z")
"""A sequence whose end is still to come."""
_WHOLE = re.compile(r"\x1b(?:\[[0-9;:?<>=]*[ -/]*[@-~]|O[ -~])")
_REST = re.compile(r"\[[0-9;:?<>=]*[A-Za-z~]")
"""What follows the Esc of a sequence, in one go."""
LATE = 1.0
"""Seconds in which the rest of a cut sequence may come on a slow line."""


class FrameDrawn(Message):
    """The terminal has drawn what was written before a question for its status."""


class Decoder(XTermParser):
    """Reads a terminal's input; its table comes before Textual's parser, which gets only whole sequences.

    - Terminals send the same bytes for Esc and a letter as for Alt and that letter, but those of Alt in one
      go. Bytes that come after Esc in another go are a key of their own, unless they can be the rest of a
      longer sequence that a slow line has cut.
    - A sequence whose rest comes later than that is no key and no text.
    - A paste is text alone, whatever it holds. Lines that come in one go without the marks of a paste are one
      (`are_lines`), and so is what follows at once.
    """

    def __init__(self, debug: bool = False) -> None:
        super().__init__(debug)
        self._cut = ""
        self._escaped = self._late = False
        """Whether a pause made a key of an Esc, and whether one cut a sequence."""
        self._pasted: list[str] | None = None
        self._unmarked = False
        self._came = 0.0

    def feed(self, data: str) -> Iterable[Message]:
        """Read input that came in one go; "" is the end."""
        if self._unmarked and (not data or ESC in data):
            yield from self._end_paste()
        if self._pasted is None and (not data or (self._cut == ESC and not is_rest(data[:2].encode()))):
            yield from self._give_up()
        if not data:
            yield from super().feed(data)
        if self._pasted is None and not self._cut and are_lines(data):
            self._pasted, self._unmarked = [], True
        if self._is_late(data):
            data, reports = self._without_late(data)
            yield from reports
        self._came = monotonic()
        data, self._cut = self._cut + data, ""
        while ANSWER in data:
            data = data.replace(ANSWER, "", 1)
            yield FrameDrawn()
        while data:
            part, mark, data = data.partition(PASTE if self._pasted is None else PASTED)
            if not mark and (cut := _CUT.search(part)):
                part, self._cut = part[: cut.start()], cut[0]
            if self._pasted is None:
                yield from self._keys(part)
                self._pasted = [] if mark else None
            else:
                self._pasted.append(part)
                yield from self._end_paste() if mark else ()

    def _is_late(self, data: str) -> bool:
        """Note whether input comes late for the sequence that it belongs to; return it."""
        paused, escaped, self._escaped = monotonic() - self._came, self._escaped, False
        if escaped and paused < LATE and _REST.fullmatch(data):
            self._cut, self._late = ESC, True
        elif self._cut and self._pasted is None and paused >= constants.ESCAPE_DELAY:
            self._late = True
        return self._late

    def _without_late(self, data: str) -> tuple[str, Iterable[Message]]:
        """Return input without the rest of a cut sequence, and what that reports beside keys."""
        if _CUT.fullmatch(self._cut + data):
            return data, ()
        whole = _WHOLE.match(self._cut + data)
        late = whole[0] if whole else self._cut
        self._late = False
        if late in (PASTE, ANSWER):
            return data, ()
        data, self._cut = data[len(late) - len(self._cut) :], ""
        return data, [one for one in self._known(late if whole else "") if not isinstance(one, events.Key)]

    def tick(self) -> Iterable[Message]:
        """Read what nothing more came for."""
        if monotonic() - self._came >= constants.ESCAPE_DELAY:
            if self._unmarked:
                yield from self._end_paste()
            elif self._pasted is None and (self._cut == ESC or monotonic() - self._came >= LATE):
                self._escaped = self._cut == ESC
                yield from self._give_up()
        yield from super().tick()

    def _give_up(self) -> Iterable[Message]:
        """Take an Esc that nothing followed for a key; any other beginning is none."""
        cut, self._cut, self._late = self._cut, "", False
        if cut == ESC:
            yield events.Key("escape", ESC)

    def _end_paste(self) -> Iterable[Message]:
        text = _IN_PASTE.sub(_character, "".join(self._pasted or ()))
        self._pasted, self._unmarked = None, False
        yield events.Paste(text.replace(ESC, "").replace("\x00", ""))

    def _keys(self, text: str) -> Iterable[Message]:
        at = 0
        for found in _TABLE.finditer(text):
            yield from self._known(text[at : found.start()])
            at = found.end()
            if (alt := found["alt"]) and alt.isalnum():
                name = f"alt+{'shift+' if alt.isupper() else ''}{alt.lower()}"
                yield events.Key(name, None if alt.isdecimal() else alt)
            elif name := _NAMED.get(found[0], ""):
                yield events.Key(name, ESC if name == "escape" else None)
            else:
                yield from self._known(alt or _rewritten(found))
        yield from self._known(text[at:])

    def _known(self, text: str) -> Iterable[Message]:
        """Read what Textual's parser knows; to it, no text is the end."""
        return super().feed(text) if text else ()


def _rewritten(found: re.Match[str]) -> str:
    """Return a sequence as Textual's parser knows it."""
    if found["keypad"]:
        return _KEYPAD.get(int(found["keypad"]), found[0])
    if not found["code"]:
        return "\r"
    typed, modifiers = chr(int(found["code"])), int(found["modifiers"])
    return typed if modifiers <= 2 and typed.isprintable() else f"\x1b[{found['code']};{modifiers}u"


def _character(found: re.Match[str]) -> str:
    """Return the character of a key within a paste; Ctrl and J is the end of a line."""
    code, modifiers = int(found["code"] or found["key"]), int(found["xterm"] or found["kitty"] or 1)
    return chr(code & 31 if (modifiers - 1) & 4 else code)


# The driver makes its parser itself; there is no public way to give it another.
linux_driver.XTermParser = Decoder  # type: ignore[attr-defined]

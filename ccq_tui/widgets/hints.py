"""The line of keys at the foot of a panel: the most important first, as many as fit."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size
from rich.text import Text
from textual import events
from textual.geometry import Offset

from ccq_tui.config.keymap import key_of
from ccq_tui.input.keynames import shown_keys
from ccq_tui.input.keys import Does, Hints
from ccq_tui.text import one_line
from ccq_tui.widgets.keys import Clickable, press_key
from ccq_tui.widgets.lines import FittedLines
from ccq_tui.widgets.palette import Palette, palette_of

SEPARATOR = " · "
LEAVES = "Esc"
KEPT = frozenset({"p"})
"""Keys that stay on a single line beside Enter and the one that leaves, whatever else is left out."""
BARE = frozenset({LEAVES, "Space"})
"""Keys that a narrow line shows without their words where these do not fit."""
HIDES = "hide"
"""Words that a narrow line leaves out, since `Esc` alone says them."""
NARROW = 60
"""Width in cells below which the line saves words, and no cell at its end stays free."""
APART = 2
"""Cells between the keys and the word at the right end, which has one more after it."""
LONGEST_OBJECT = 32
SHORTEST_OBJECT = 4


def cut(text: str, room: int) -> str:
    """Return a text on one line of at most ``room`` cells, with a sign where its end is missing."""
    line = one_line(text, max(1, room))
    if cell_len(line) > room:
        line = f"{set_cell_size(line, room - 1).rstrip()}…"
    return line


def cut_start(line: str, room: int) -> str:
    """Return a line with a sign where its beginning is missing, in at most ``room`` cells."""
    if cell_len(line) <= room:
        return line
    while line and cell_len(line) >= room:
        line = line[1:]
    return f"…{line}"


@dataclass(frozen=True, slots=True)
class HintRow:
    """Keys in one line.

    Attributes:
        hints: The keys, and what they do.
        end: What stands at the right end: a word without a key; or a key that is never left out, behind all
            others in a narrow line.
    """

    hints: Hints = ()
    end: tuple[str, str] = ("", "")

    def text(self, width: int, palette: Palette) -> Text:
        text = Text(" ", no_wrap=True)
        for at, key, does in self._placed(width):
            apart = at == 1 or (key, does) == self.end
            text.append(" " * (at - text.cell_len) if apart else SEPARATOR, palette.muted)
            words = palette.strong if key == "Enter" else palette.muted
            text.append(key, palette.accent).append(f" {does}" if key and does else does, words)
        text.truncate(width, overflow="ellipsis")
        return text

    def key_at(self, width: int, place: Offset) -> str | None:
        """Return the key drawn at a place, as Textual spells it, or None.

        The words beside a key count as the key where it is a single one.
        """
        for start, key, does in self._placed(width) if place.y == 0 else ():
            pressed = [each for _, each in shown_keys(key) if each]
            end = start
            for shown, each in shown_keys(key):
                if end <= place.x < end + cell_len(shown):
                    return each or None
                end += cell_len(shown)
            if end <= place.x < start + _cells((key, does)):
                return pressed[0] if len(pressed) == 1 else None
        return None

    def _placed(self, width: int) -> list[tuple[int, str, str]]:
        """Return the keys that fit, each with the cell at which it begins."""
        placed, at = [], 1
        for hint in self._kept(width):
            placed.append((at, *hint))
            at += _cells(hint) + len(SEPARATOR)
        used, at = at - (len(SEPARATOR) if placed else 0), width - 1 - _cells(self.end)
        if any(self.end) and (width >= NARROW or not self.end[0]) and at - used >= APART:
            placed.append((at, *self.end))
        return placed

    def _kept(self, width: int) -> list[tuple[str, str]]:
        """Return Enter, the key that leaves, those of `KEPT`, and as many others as fit."""
        narrow = width < NARROW
        behind = [(self.end[0], "")] if narrow and self.end[0] else []
        room = width - (_cells(self.end) + APART + 1 if any(self.end) and not narrow else 0)
        if not self.hints:
            return behind
        lead = next((hint for hint in self.hints if hint[0] == "Enter"), self.hints[0])
        others = [hint for hint in self.hints if hint != lead]
        bare = [(keys, _short(keys, words, narrow=narrow)) for keys, words in others]
        kept = [hint for hint in bare if hint[0] in KEPT or _leaves(hint) or isinstance(hint[1], Does)]
        first = _fitted(lead, room - narrow, [*kept, *behind], narrow=narrow)
        if _length([first, *kept, *behind]) > room:
            # What Enter does, and its other reading or the keys that leave, are worth more than the others.
            kept = [hint for hint in kept if isinstance(hint[1], Does)] or list(filter(_leaves, kept))
            used = _length([(first[0], ""), *kept, *behind])
            first = (first[0], cut(first[1], max(SHORTEST_OBJECT, width - used - 1)))
        fits = [first, *kept]
        for whole, short in zip(others, bare, strict=True):
            if short in kept or short[0] in KEPT:
                wordy = [whole if hint == short else hint for hint in fits]
                if narrow and whole[1] != HIDES and _length([*wordy, *behind]) <= room:
                    fits = wordy
                continue
            more = next((h for h in (whole, short) if _length([*fits, h, *behind]) <= room), None)
            if more is None or len(fits) > 4:  # beside Enter and the key at the end
                break
            fits.append(more)
        order = [key for key, _ in self.hints]
        return [*sorted(fits, key=lambda hint: order.index(hint[0])), *behind]


def _short(keys: str, words: str, *, narrow: bool) -> str:
    """Return the words of a key behind the first; those with an object are another reading of that."""
    if isinstance(words, Does):
        return Does("" if narrow else words.verb, cut(words.about, 12 // (1 + narrow)))
    return "" if narrow and keys in BARE else words


def _leaves(hint: tuple[str, str]) -> bool:
    return hint[0].startswith(LEAVES)


def _length(hints: Sequence[tuple[str, str]]) -> int:
    """Return the cells of a line with these keys."""
    return 1 + sum(map(_cells, hints)) + len(SEPARATOR) * (len(hints) - 1)


def _fitted(
    hint: tuple[str, str], room: int, others: Sequence[tuple[str, str]], *, narrow: bool
) -> tuple[str, str]:
    """Shorten the words of a key so that others have room beside it: first the rest, then the object."""
    key, does = hint
    if not isinstance(does, Does):
        return hint
    left = room - _length([(key, ""), *others]) - 1
    verb, about = does.verb, cut(does.about, LONGEST_OBJECT)
    whole = f"{verb} {about}".rstrip() + does.link + cut(does.second, LONGEST_OBJECT)
    if not narrow and cell_len(whole) <= left:
        return key, whole
    if narrow and cell_len(exact := f"{verb} {about}".rstrip()) == left + 1:
        return key, exact
    return key, f"{verb} {cut(about, max(SHORTEST_OBJECT, left - cell_len(verb) - 1))}".rstrip()


class HintBar(FittedLines, Clickable[str]):
    """Shows (key, what it does) pairs, and a word at the right end of its first line.

    A click on a key presses it: the place that knows the key decides what it means.
    """

    DEFAULT_CSS = "HintBar { height: auto; }"

    def __init__(self, *, hides: str = HIDES, helps: bool = True) -> None:
        """Create the line; ``hides`` are the words of the key that hides a panel.

        ``helps``: the key that shows all keys stands at its end where nothing else does.
        """
        super().__init__("", markup=False)
        self._hides = hides
        self._shown = HintRow()
        self._helps = helps

    def clicked(self, key: str, _event: events.Click) -> None:
        """Press the key that was clicked."""
        press_key(self, key)

    def under(self, event: events.MouseEvent) -> str | None:
        place = event.get_content_offset(self)
        return None if place is None else self._shown.key_at(self.size.width, place)

    def show(self, hints: Hints, right: str = "") -> None:
        """Show other keys."""
        shown = tuple((key, self._hides if does == HIDES else does) for key, does in hints)
        end = ("", right) if right or not self._helps else (key_of("help"), "keys")
        before, self._shown = self._shown, HintRow(shown, end)
        self.fit(changed=before != self._shown)

    def render(self) -> Text:
        return self._shown.text(self.size.width, palette_of(self))


def _cells(hint: tuple[str, str]) -> int:
    key, does = hint
    return cell_len(key) + cell_len(does) + bool(key and does)

"""All keys by place, as F1 shows them."""

from collections.abc import Iterable, Iterator

from textual.binding import Binding

from ccq_tui.commands.command import PickRow
from ccq_tui.config.keymap import Keymap
from ccq_tui.input.keynames import shown_key
from ccq_tui.input.keys import KeyPlace, listed_at
from ccq_tui.screens.picker import Picker
from ccq_tui.widgets.field import EDITS, LEFT_TO_OTHERS
from ccq_tui.widgets.hints import HintBar

COMMANDS = "Commands"
TEXT = "In every text"
SECTIONS = (
    *(KeyPlace.PROMPT, COMMANDS, KeyPlace.VIM, KeyPlace.QUESTION, KeyPlace.DECISION, KeyPlace.TRANSCRIPT),
    *(KeyPlace.SEARCH, KeyPlace.SESSIONS, KeyPlace.NEW, KeyPlace.PICKER, KeyPlace.TRUST),
    *(KeyPlace.EVERYWHERE, TEXT),
)


def key_rows(
    keymap: Keymap, sections: Iterable[str] = SECTIONS, commands: Iterable[tuple[str, str]] = ()
) -> tuple[PickRow, ...]:
    """Return all keys of the sections, each once; places have a section, and so have commands and texts."""
    rows: list[tuple[str, str, str]] = []
    for title in dict.fromkeys(sections):
        if title == COMMANDS:
            rows += [(title, *command) for command in commands]
        elif title == TEXT:
            rows += [(title, shown_list(keys), does) for does, keys in _text_keys(keymap)]
        else:
            remapped = keymap.remapped(place := KeyPlace(title), letters=title != KeyPlace.PICKER)
            rows += [(title, shown_list(keys), does) for does, keys in listed_at(place, remapped).items()]
    return tuple(PickRow(str(at), keys, does, group=title) for at, (title, keys, does) in enumerate(rows))


def shown_list(names: Iterable[str]) -> str:
    """Return keys as a person reads them."""
    shown = " ".join(dict.fromkeys(map(shown_key, names)))
    for prefix in ("Alt+", ""):
        shown = shown.replace(" ".join(f"{prefix}{digit}" for digit in range(1, 10)), f"{prefix}1-9")
    return shown


def _text_keys(keymap: Keymap) -> Iterator[tuple[str, list[str]]]:
    left, found = LEFT_TO_OTHERS | keymap.taken_from_text, dict[str, list[str]]()
    for binding in Binding.make_bindings(EDITS):
        if binding.key not in left and "super" not in binding.key:
            found.setdefault(binding.description.replace("Cursor", "Caret"), []).append(binding.key)
    yield from found.items()


class HelpScreen(Picker):
    """All keys by place, over the whole screen. The screen under it keeps its focus and its drafts."""

    def __init__(self, rows: tuple[PickRow, ...]) -> None:
        super().__init__("Keys", rows, choose="close")
        self.key_line = HintBar(helps=False)

    def most_lines(self, screen_height: int) -> int:
        return screen_height

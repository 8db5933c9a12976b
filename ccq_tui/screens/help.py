"""All keys by place: as data, from the bindings and the tables of panels and lists, and as F1 shows them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from textual.binding import Binding
from textual.dom import DOMNode

from ccq_tui.commands.command import PickRow
from ccq_tui.config.actions import ACTIONS, BY_NAME, KeyPlace
from ccq_tui.config.keymap import Keymap
from ccq_tui.config.keynames import shown_key
from ccq_tui.inbox.decision import DECISION, DECISION_KEYS
from ccq_tui.key_uses import KeyUse
from ccq_tui.questions.keys import KEY_TABLE
from ccq_tui.screens.inbox.inbox_list import INBOX, INBOX_KEYS
from ccq_tui.screens.overview.board import OVERVIEW, OVERVIEW_KEYS
from ccq_tui.screens.pickers.picker import PICKER_KEYS, Picker
from ccq_tui.screens.pickers.sessions import SESSION_KEYS, SESSIONS
from ccq_tui.screens.sessions.new_session import NEW, NEW_KEYS
from ccq_tui.screens.trust import TRUST, TRUST_KEYS
from ccq_tui.widgets.panel.field import EDITS, LEFT_TO_OTHERS
from ccq_tui.widgets.search_bar import SEARCH, SearchField

OURS = "ccq_tui."


HelpRow = tuple[str, str]
"""Keys, and what they do."""
ALT_NUMBERS = " ".join(f"Alt+{number}" for number in range(1, 10))
COMMANDS = "Commands"
CONFIRMING = (("y",), ("x",))
TEXT = "In every text"
PROMPT_ROWS = (
    ("Enter", "Send; while Claude works, the prompt is queued"),
    ("Ctrl+J Alt+Enter", "New line; Shift+Enter too, if the terminal sends it"),
    ("/", "At the start: commands"),
    ("@", "Files"),
    ("?", "In an empty prompt: these keys"),
    ("Tab", "Accept the suggestion"),
    ("↑ ↓", "On the first and last line: earlier and later prompts"),
)
"""Keys of the prompt's own field."""
VIM_ROWS = (
    ("Esc", "NORMAL mode; there: drop an incomplete command, else as without Vim's keys"),
    ("i a I A o O", "INSERT mode: before, after, at the line's start or end, on a new line"),
    ("h j k l w b e 0 ^ $ gg G", "Move; j and k beyond the last and first line: other prompts"),
    ("f F t T ; ,", "Find a character in the line; again, and backwards"),
    ("d c y", 'Delete, change, yank: with a motion, doubled for lines, or with iw i" a( …'),
    ("x X s S D C Y r ~ J > <", "Delete, change and join characters and lines; shift lines"),
    ("p P . u", "Paste deleted or yanked text; repeat the last change; undo"),
)
"""Keys that apply once /vim or the setting has turned them on."""
TRANSCRIPT_ROWS = (("Esc", "Unmark the block"),)
"""Keys that the screen binds only for a while."""


def own_bindings(*classes: type[DOMNode]) -> Iterator[Binding]:
    """Yield each binding that the program's own classes declare, those of the first class first."""
    seen = set()
    for base in (base for cls in classes for base in cls.__mro__ if base.__module__.startswith(OURS)):
        if base not in seen:
            seen.add(base)
            yield from Binding.make_bindings(vars(base).get("BINDINGS", []))


def key_rows(
    bindings: Iterable[Binding], keymap: Keymap, first: str = "", commands: Iterable[HelpRow] = ()
) -> tuple[PickRow, ...]:
    """Return all keys by place, the place titled ``first`` before the others."""
    places = sorted(_places(bindings, keymap, commands), key=lambda place: place[0] != first)
    rows = ((title, keys, does) for title, found in places for keys, does in found)
    return tuple(PickRow(str(at), keys, does, group=title) for at, (title, keys, does) in enumerate(rows))


def _places(
    bindings: Iterable[Binding], keymap: Keymap, commands: Iterable[HelpRow]
) -> tuple[tuple[str, Iterable[HelpRow]], ...]:
    bound: dict[KeyPlace, list[HelpRow]] = {place: [] for place in KeyPlace}
    order = {action.name: number for number, action in enumerate(ACTIONS)}
    for binding in sorted(joined(bindings), key=lambda one: order.get(one.id or "", len(order))):
        action = BY_NAME.get(binding.id or "")
        keys = keymap.keys[action.name] if action else binding.key.split(",")
        place = action.place if action else KeyPlace.EVERYWHERE
        bound[place].append((_shown(keys), binding.description))
    panel = keymap.panel_keys(KeyPlace.LIST, KeyPlace.QUESTION)
    lists = keymap.panel_keys(KeyPlace.LIST)
    finding, screens = keymap.list_keys(letters=False), keymap.list_keys(letters=True)
    search = joined(own_bindings(SearchField))
    # Confirming keys come first in the table for look-ups, and last in the one for readers.
    table = sorted(KEY_TABLE, key=lambda row: row.keys in CONFIRMING)
    return (
        (KeyPlace.PROMPT.value, (*PROMPT_ROWS, *bound[KeyPlace.PROMPT])),
        (COMMANDS, commands),
        ("Vim's keys in the prompt (/vim)", VIM_ROWS),
        (KeyPlace.QUESTION.value, _rows((_panel_keys(row.keys, panel), row.does) for row in table)),
        (DECISION, _uses(DECISION_KEYS, lists)),
        (KeyPlace.TRANSCRIPT.value, (*bound[KeyPlace.TRANSCRIPT], *TRANSCRIPT_ROWS)),
        (SEARCH, ((_shown(one.key.split(",")), one.description) for one in search)),
        (KeyPlace.LIST.value, _uses(PICKER_KEYS, finding)),
        (SESSIONS, _uses(SESSION_KEYS, finding)),
        (OVERVIEW, _uses(OVERVIEW_KEYS, screens)),
        (NEW, _uses(NEW_KEYS, {})),
        (TRUST, _uses(TRUST_KEYS, {})),
        (INBOX, _uses(INBOX_KEYS, finding)),
        (KeyPlace.EVERYWHERE.value, bound[KeyPlace.EVERYWHERE]),
        (TEXT, _rows(_text_keys(LEFT_TO_OTHERS | keymap.taken_from_text))),
    )


def joined(bindings: Iterable[Binding]) -> list[Binding]:
    """Put the keys of one action together: a binding for several keys comes as one for each."""
    kept: dict[tuple[str | None, str, str], Binding] = {}
    for binding in bindings:
        name = (binding.id, binding.action.partition("(")[0], binding.description)
        before = kept.get(name)
        kept[name] = binding.with_key(f"{before.key},{binding.key}") if before else binding
    return list(kept.values())


def _panel_keys(known: Iterable[str], meant: dict[str, tuple[str, ...]]) -> list[str]:
    """Return the keys that reach a panel as one of those that it knows."""
    kept = list(known)
    given = [key for key, becomes in meant.items() if becomes and becomes[0] in kept]
    return [key for key in kept if key not in meant] + given


def _uses(uses: Iterable[KeyUse], meant: dict[str, tuple[str, ...]]) -> list[HelpRow]:
    return _rows((_panel_keys(use.keys, meant), use.does) for use in uses)


def _rows(keys: Iterable[tuple[Iterable[str], str]]) -> list[HelpRow]:
    """Put keys that do the same into one row."""
    together: dict[str, list[str]] = {}
    for names, does in keys:
        together.setdefault(does, []).extend(names)
    return [(_shown(names), does) for does, names in together.items() if names]


def _shown(names: Iterable[str]) -> str:
    shown = " ".join(dict.fromkeys(shown_key(name) for name in names))
    return shown.replace("1 2 3 4 5 6 7 8 9", "1-9").replace(ALT_NUMBERS, "Alt+1-9")


def _text_keys(left: frozenset[str]) -> Iterator[tuple[list[str], str]]:
    for binding in joined(Binding.make_bindings(EDITS)):
        keys = [key for key in binding.key.split(",") if key not in left and "super" not in key]
        yield keys, binding.description.replace("Cursor", "Caret")


class HelpScreen(Picker):
    """All keys by place, over the whole screen. The screen under it keeps its focus and its drafts."""

    def __init__(self, rows: tuple[PickRow, ...]) -> None:
        super().__init__("Keys", rows, choose="close")

    def most_lines(self, screen_height: int) -> int:
        return screen_height

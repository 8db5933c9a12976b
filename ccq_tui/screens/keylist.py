"""All keys by place, as data: what F1 shows. They come from the bindings and the panels' own tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from textual.binding import Binding
from textual.dom import DOMNode

from ccq_tui.config.actions import ACTIONS, BY_NAME, KeyPlace
from ccq_tui.config.keymap import Keymap
from ccq_tui.config.keynames import shown_key
from ccq_tui.inbox.decision import DECISION, DECISION_KEYS
from ccq_tui.key_uses import KeyUse
from ccq_tui.questions.keys import KEY_TABLE
from ccq_tui.screens.inbox.inbox_list import INBOX, INBOX_KEYS
from ccq_tui.screens.overview.board import OVERVIEW, OVERVIEW_KEYS
from ccq_tui.screens.pickers.picker import PICKER_KEYS
from ccq_tui.screens.pickers.sessions import SESSION_KEYS, SESSIONS
from ccq_tui.screens.sessions.new_session import NEW, NEW_KEYS
from ccq_tui.screens.trust import TRUST, TRUST_KEYS
from ccq_tui.widgets.panel.field import EDITS, LEFT_TO_OTHERS
from ccq_tui.widgets.search_bar import SEARCH, SearchField

OURS = "ccq_tui."


@dataclass(frozen=True, slots=True)
class HelpRow:
    """Keys, and what they do."""

    keys: str
    does: str


@dataclass(frozen=True, slots=True)
class Section:
    """The keys of one place."""

    title: str
    rows: tuple[HelpRow, ...]


ALT_NUMBERS = " ".join(f"Alt+{number}" for number in range(1, 10))
COMMANDS = "Commands"
CONFIRMING = ("y",)
TEXT = "In every text"
PROMPT_ROWS = (
    HelpRow("Enter", "Send; while Claude works, the prompt is queued"),
    HelpRow("Ctrl+J Alt+Enter", "New line; Shift+Enter too, if the terminal sends it"),
    HelpRow("/", "At the start: commands"),
    HelpRow("@", "Files"),
    HelpRow("?", "In an empty prompt: these keys"),
    HelpRow("Tab", "Accept the suggestion"),
    HelpRow("↑ ↓", "On the first and last line: earlier and later prompts"),
)
"""Keys of the prompt's own field."""
VIM_ROWS = (
    HelpRow("Esc", "NORMAL mode; there: drop an incomplete command, else as without Vim's keys"),
    HelpRow("i a I A o O", "INSERT mode: before, after, at the line's start or end, on a new line"),
    HelpRow("h j k l w b e 0 ^ $ gg G", "Move; j and k beyond the last and first line: other prompts"),
    HelpRow("f F t T ; ,", "Find a character in the line; again, and backwards"),
    HelpRow("d c y", 'Delete, change, yank: with a motion, doubled for lines, or with iw i" a( …'),
    HelpRow("x X s S D C Y r ~ J > <", "Delete, change and join characters and lines; shift lines"),
    HelpRow("p P . u", "Paste deleted or yanked text; repeat the last change; undo"),
)
"""Keys that apply once /vim or the setting has turned them on."""
TRANSCRIPT_ROWS = (HelpRow("Esc", "Unmark the block"),)
"""Keys that the screen binds only for a while."""


def own_bindings(*classes: type[DOMNode]) -> Iterator[Binding]:
    """Yield each binding that the program's own classes declare, those of the first class first."""
    seen = set()
    for base in (base for cls in classes for base in cls.__mro__ if base.__module__.startswith(OURS)):
        if base not in seen:
            seen.add(base)
            yield from Binding.make_bindings(vars(base).get("BINDINGS", []))


def sections(
    bindings: Iterable[Binding], keymap: Keymap, first: str = "", commands: Iterable[HelpRow] = ()
) -> tuple[Section, ...]:
    """Put all keys together by place, the place titled ``first`` before the others."""
    filled = (one for one in _sections(bindings, keymap, commands) if one.rows)
    return tuple(sorted(filled, key=lambda section: section.title != first))


def _sections(
    bindings: Iterable[Binding], keymap: Keymap, commands: Iterable[HelpRow]
) -> tuple[Section, ...]:
    bound: dict[KeyPlace, list[HelpRow]] = {place: [] for place in KeyPlace}
    order = {action.name: number for number, action in enumerate(ACTIONS)}
    for binding in sorted(joined(bindings), key=lambda one: order.get(one.id or "", len(order))):
        action = BY_NAME.get(binding.id or "")
        keys = keymap.keys[action.name] if action else binding.key.split(",")
        place = action.place if action else KeyPlace.EVERYWHERE
        bound[place].append(HelpRow(_shown(keys), binding.description))
    panel = keymap.panel_keys(KeyPlace.LIST, KeyPlace.QUESTION)
    lists = keymap.panel_keys(KeyPlace.LIST)
    finding, screens = keymap.list_keys(letters=False), keymap.list_keys(letters=True)
    search = joined(own_bindings(SearchField))
    # Confirming keys come first in the table for look-ups, and last in the one for readers.
    table = sorted(KEY_TABLE, key=lambda row: row.keys == CONFIRMING)
    return (
        Section(KeyPlace.PROMPT.value, (*PROMPT_ROWS, *bound[KeyPlace.PROMPT])),
        Section(COMMANDS, tuple(commands)),
        Section("Vim's keys in the prompt (/vim)", VIM_ROWS),
        Section(KeyPlace.QUESTION.value, _rows((_panel_keys(row.keys, panel), row.does) for row in table)),
        Section(DECISION, _uses(DECISION_KEYS, lists)),
        Section(KeyPlace.TRANSCRIPT.value, (*bound[KeyPlace.TRANSCRIPT], *TRANSCRIPT_ROWS)),
        Section(SEARCH, tuple(HelpRow(_shown(b.key.split(",")), b.description) for b in search)),
        Section(KeyPlace.LIST.value, _uses(PICKER_KEYS, finding)),
        Section(SESSIONS, _uses(SESSION_KEYS, finding)),
        Section(OVERVIEW, _uses(OVERVIEW_KEYS, screens)),
        Section(NEW, _uses(NEW_KEYS, {})),
        Section(TRUST, _uses(TRUST_KEYS, {})),
        Section(INBOX, _uses(INBOX_KEYS, finding)),
        Section(KeyPlace.EVERYWHERE.value, tuple(bound[KeyPlace.EVERYWHERE])),
        Section(TEXT, _rows(_text_keys(LEFT_TO_OTHERS | keymap.taken_from_text))),
    )


def found(all_sections: Iterable[Section], words: str) -> tuple[Section, ...]:
    """Keep the rows in which every word occurs: in the keys, in what they do, or in their place's name."""
    wanted = words.lower().split()
    kept = (
        Section(
            section.title,
            tuple(
                row
                for row in section.rows
                if all(word in f"{section.title} {row.keys} {row.does}".lower() for word in wanted)
            ),
        )
        for section in all_sections
    )
    return tuple(section for section in kept if section.rows)


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


def _uses(uses: Iterable[KeyUse], meant: dict[str, tuple[str, ...]]) -> tuple[HelpRow, ...]:
    return _rows((_panel_keys(use.keys, meant), use.does) for use in uses)


def _rows(keys: Iterable[tuple[Iterable[str], str]]) -> tuple[HelpRow, ...]:
    """Put keys that do the same into one row."""
    together: dict[str, list[str]] = {}
    for names, does in keys:
        together.setdefault(does, []).extend(names)
    return tuple(HelpRow(_shown(names), does) for does, names in together.items() if names)


def _shown(names: Iterable[str]) -> str:
    shown = " ".join(dict.fromkeys(shown_key(name) for name in names))
    return shown.replace("1 2 3 4 5 6 7 8 9", "1-9").replace(ALT_NUMBERS, "Alt+1-9")


def _text_keys(left: frozenset[str]) -> Iterator[tuple[list[str], str]]:
    for binding in joined(Binding.make_bindings(EDITS)):
        keys = [key for key in binding.key.split(",") if key not in left and "super" not in key]
        yield keys, binding.description.replace("Cursor", "Caret")

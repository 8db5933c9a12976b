"""All keys by place, as data: what F1 shows. They come from the bindings and the panels' own tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from textual.binding import Binding
from textual.dom import DOMNode
from textual.widgets import TextArea

from ccq_tui.config.actions import ACTIONS, BY_NAME, KeyPlace
from ccq_tui.config.keymap import Keymap
from ccq_tui.config.keynames import shown_key
from ccq_tui.questions.keys import KEY_TABLE
from ccq_tui.widgets.panel.field import LEFT_TO_OTHERS
from ccq_tui.widgets.search_bar import SearchField

OURS = "ccq_tui."


@dataclass(frozen=True, slots=True)
class HelpRow:
    """What some keys do."""

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
DECISION = "Permission or plan"
SEARCH = "Search in the transcript"
TEXT = "In every text"
PROMPT_ROWS = (
    HelpRow("Enter", "Send; while Claude works, the prompt waits its turn"),
    HelpRow("Ctrl+J Alt+Enter", "New line; Shift+Enter too, where the terminal tells it"),
    HelpRow("/", "At the beginning: commands"),
    HelpRow("@", "Files"),
    HelpRow("Tab", "Take what the list proposes"),
    HelpRow("↑ ↓", "On the first and last line: earlier and later prompts"),
)
"""Keys of the prompt's own field."""
TRANSCRIPT_ROWS = (HelpRow("Esc", "Leave the marked block"),)
"""Keys that the screen binds only for a while."""
DECISION_KEYS = (
    (("up", "k", "ctrl+p"), "Move up"),
    (("down", "j", "ctrl+n"), "Move down"),
    (("home",), "To the first"),
    (("end",), "To the last"),
    (("enter",), "Take what the cursor is on"),
    (("y",), "Allow once; approve the plan"),
    (tuple("123456789"), "Allow for longer, as suggested; approve and accept edits"),
    (("a",), "Allow once, and say something"),
    (("n",), "Deny; keep planning"),
    (("e",), "Deny, and say what to do instead"),
    (("shift+up",), "Scroll the details up"),
    (("shift+down",), "Scroll the details down"),
    (("ctrl+g",), "Edit the plan, or the text, in $EDITOR"),
    (("ctrl+d",), "To “Deny”"),
    (("escape",), "Leave the text; hide the panel"),
    (("f2",), "Hide or show the panel"),
)
"""Keys of the panel for permissions and plans, as Textual spells them."""

LIST_KEYS = (
    (("up", "ctrl+p", "shift+tab"), "Move up"),
    (("down", "ctrl+n", "tab"), "Move down"),
    (("shift+up",), "Move up, to the first"),
    (("shift+down",), "Move down, to the last"),
    (("pageup",), "A page up"),
    (("pagedown",), "A page down"),
    (("home", "ctrl+home"), "To the first"),
    (("end", "ctrl+end"), "To the last"),
)
"""Keys that move the cursor of a list; `FilteredList.pressed` says what they do."""
PICKER_KEYS = (
    *LIST_KEYS,
    (("enter",), "Choose"),
    (("escape",), "Empty the words to find, then leave"),
)
"""Keys of lists to choose from; letters find a row."""
INBOX = "Inbox"
INBOX_KEYS = (
    *LIST_KEYS,
    (("k",), "Move up"),
    (("j",), "Move down"),
    (("right", "a", "l"), "Answer it here"),
    (("enter",), "Go to its session; one without a process is resumed"),
    (("slash",), "Find, also with letters that are keys"),
    (("g",), "Put the requests of a session together"),
    (("p",), "Park its session, whichever ccq-tui runs it"),
    (("ctrl+d",), "Decline it; Ctrl+D or y once more does"),
    (("c", "f8"), "Copy the question and what you began to answer"),
    (("ctrl+up",), "Scroll what is known of it up"),
    (("ctrl+down",), "Scroll what is known of it down"),
    (("escape", "q", "f2"), "Empty the words to find, then leave"),
)
"""Keys of the inbox screen; all other letters find a request."""

OVERVIEW = "Overview"
OVERVIEW_KEYS = (
    (("up", "k", "ctrl+p"), "Move up"),
    (("down", "j", "ctrl+n"), "Move down"),
    (("left", "h", "shift+tab"), "To the group before"),
    (("right", "l", "tab"), "To the next group"),
    (("home",), "To the first"),
    (("end",), "To the last"),
    (("enter",), "Go to the session; one without a process is resumed"),
    (("d",), "Mark it as done, or take that back"),
    (("r",), "Start it again where it has no process"),
    (("n",), "Open another session"),
    (("ctrl+r",), "Resume an earlier session"),
    (("slash",), "Find"),
    (("f2",), "To the inbox"),
    (("escape", "f5"), "Empty the words to find, then leave"),
)
"""Keys of the overview."""


def own_bindings(*classes: type[DOMNode]) -> Iterator[Binding]:
    """Find the bindings that the program's own classes declare.

    Args:
        classes: Classes of screens and of the app.

    Yields:
        Each binding once, those of the first class first.
    """
    seen = set()
    for base in (base for cls in classes for base in cls.__mro__ if base.__module__.startswith(OURS)):
        if base not in seen:
            seen.add(base)
            yield from Binding.make_bindings(vars(base).get("BINDINGS", []))


def sections(
    bindings: Iterable[Binding], keymap: Keymap, first: str = "", commands: Iterable[HelpRow] = ()
) -> tuple[Section, ...]:
    """Put all keys together, by place.

    Args:
        bindings: Those of the screens and the app.
        keymap: The keys that hold.
        first: The title of the place that is on the screen, or "".
        commands: The program's own slash commands.

    Returns:
        The places, the one that is needed most first.
    """
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
    search = joined(own_bindings(SearchField))
    # What confirms something asked comes first where keys are looked up, and last where they are read.
    table = sorted(KEY_TABLE, key=lambda row: row.keys == CONFIRMING)
    return (
        Section(KeyPlace.PROMPT.value, (*PROMPT_ROWS, *bound[KeyPlace.PROMPT])),
        Section(COMMANDS, tuple(commands)),
        Section(KeyPlace.QUESTION.value, _rows((_panel_keys(row.keys, panel), row.does) for row in table)),
        Section(DECISION, _rows((_panel_keys(keys, lists), does) for keys, does in DECISION_KEYS)),
        Section(KeyPlace.TRANSCRIPT.value, (*bound[KeyPlace.TRANSCRIPT], *TRANSCRIPT_ROWS)),
        Section(SEARCH, tuple(HelpRow(_shown(b.key.split(",")), b.description) for b in search)),
        Section(KeyPlace.LIST.value, _rows((_panel_keys(keys, lists), does) for keys, does in PICKER_KEYS)),
        Section(OVERVIEW, _rows((_panel_keys(keys, lists), does) for keys, does in OVERVIEW_KEYS)),
        Section(INBOX, _rows((_panel_keys(keys, lists), does) for keys, does in INBOX_KEYS)),
        Section(KeyPlace.EVERYWHERE.value, tuple(bound[KeyPlace.EVERYWHERE])),
        Section(TEXT, _rows(_text_keys())),
    )


def found(all_sections: Iterable[Section], words: str) -> tuple[Section, ...]:
    """Leave the rows in which every word occurs: in the keys, in what they do, or in their place's name."""
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


def _rows(keys: Iterable[tuple[Iterable[str], str]]) -> tuple[HelpRow, ...]:
    """Put keys that do the same into one row."""
    together: dict[str, list[str]] = {}
    for names, does in keys:
        together.setdefault(does, []).extend(names)
    return tuple(HelpRow(_shown(names), does) for does, names in together.items() if names)


def _shown(names: Iterable[str]) -> str:
    shown = " ".join(dict.fromkeys(shown_key(name) for name in names))
    return shown.replace("1 2 3 4 5 6 7 8 9", "1-9").replace(ALT_NUMBERS, "Alt+1-9")


def _text_keys() -> Iterator[tuple[list[str], str]]:
    for binding in joined(Binding.make_bindings(TextArea.BINDINGS)):
        keys = [key for key in binding.key.split(",") if key not in LEFT_TO_OTHERS and "super" not in key]
        yield keys, binding.description.replace("Cursor", "Caret")

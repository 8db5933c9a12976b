"""All keys by place: as data, from the bindings and the tables of panels and lists, and as F1 shows them."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rich.cells import cell_len
from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.dom import DOMNode
from textual.widgets import Static, TextArea

from ccq_tui.config.actions import ACTIONS, BY_NAME, KeyPlace
from ccq_tui.config.keymap import Keymap
from ccq_tui.config.keynames import shown_key
from ccq_tui.inbox.decision import DECISION, DECISION_KEYS
from ccq_tui.key_uses import KeyUse
from ccq_tui.questions.keys import KEY_TABLE
from ccq_tui.screens.inbox.inbox_list import INBOX, INBOX_KEYS
from ccq_tui.screens.overlay import ListField, Overlay
from ccq_tui.screens.overview.board import OVERVIEW, OVERVIEW_KEYS
from ccq_tui.screens.pickers.picker import PICKER_KEYS
from ccq_tui.screens.pickers.sessions import SESSION_KEYS, SESSIONS
from ccq_tui.screens.sessions.new_session import NEW, NEW_KEYS
from ccq_tui.screens.trust import TRUST, TRUST_KEYS
from ccq_tui.widgets.hints import HintBar
from ccq_tui.widgets.keys import keys_meant
from ccq_tui.widgets.palette import Palette, palette_of
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


NO_KEY = "No key matches · Esc clears the filter"
KEY_WIDTH = 20
"""Width of the column of keys, in cells."""
NARROW = 60
"""Screen width in cells below which a key's description goes below the key."""
SCROLLS = {"up": -1, "ctrl+p": -1, "shift+up": -1, "down": 1, "ctrl+n": 1, "shift+down": 1}


class HelpBody(Vertical):
    """The part of the screen above the notices and the keys."""


class HelpScreen(Overlay[None]):
    """All keys by place. The screen under it keeps its focus and its drafts."""

    DEFAULT_CSS = """
    HelpScreen {
        background: $background;
        & > HelpBody {
            background: $surface;
            & > #help-title { height: 1; }
            & > ListField { max-height: 1; margin: 0; padding: 0 1 0 3; border: none; }
            & > ListField:focus { border: none; }
            & > VerticalScroll { height: 1fr; scrollbar-size-vertical: 1; }
            & > VerticalScroll > Static { height: auto; padding: 0 1; }
        }
    }
    """

    def __init__(self, sections: tuple[Section, ...]) -> None:
        super().__init__()
        self._sections = sections
        self._field = ListField(self._take_key, self.passes_on, id="help-field")
        self._field.placeholder = "Type to find a key"
        self._drawn_for: object = None

    def compose(self) -> ComposeResult:
        with HelpBody():
            yield Static("", id="help-title", markup=False)
            yield self._field
            with VerticalScroll(can_focus=False):
                yield Static("", id="help-keys", markup=False)
            yield HintBar()

    def on_mount(self) -> None:
        """Show all keys, with the focus in the filter."""
        if self._field.is_attached:
            self.set_focus(self._field, scroll_visible=False)
        self.draw()

    def on_resize(self) -> None:
        self.draw()

    @property
    def _list(self) -> VerticalScroll:
        return self.query_one(VerticalScroll)

    # -- keys ---------------------------------------------------------------------------------------------

    def _take_key(self, event: events.Key) -> bool:
        """Scroll or leave; every other key edits the filter."""
        if self.passes_on(event):
            return True
        if event.key == "escape":
            self.dismiss(None)
            return True
        if event.key in ("enter", "tab", "shift+tab"):
            return True
        scrolled = [self._scrolls(key) for key in keys_meant(event.key)]
        return any(scrolled)

    def _scrolls(self, key: str) -> bool:
        page = max(1, self._list.size.height - 1)
        steps = SCROLLS | {"pageup": -page, "pagedown": page}
        if key in steps:
            self._list.scroll_relative(y=steps[key], animate=False, force=True)
        elif key in ("ctrl+home", "home") and not self._field.text:
            self._list.scroll_home(animate=False, force=True)
        elif key in ("ctrl+end", "end") and not self._field.text:
            self._list.scroll_end(animate=False, force=True)
        else:
            return False
        return True

    @on(TextArea.Changed)
    def _text_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        self._list.scroll_home(animate=False, force=True)
        self.draw()

    # -- drawing ------------------------------------------------------------------------------------------

    def draw(self) -> None:
        """Draw the keys that match the filter."""
        if not self.has_parts:
            return
        body, width = self.query_one(HelpBody), self.app.size.width
        palette, words = palette_of(body), self._field.text
        if self._drawn_for == (width, palette, words):
            return
        self._drawn_for = (width, palette, words)
        kept = found(self._sections, words)
        self.query_one("#help-title", Static).update(
            Text.assemble((" ◆ ", palette.accent), ("Keys", palette.strong))
        )
        self.query_one("#help-keys", Static).update(drawn(kept, width - 3, palette))
        count = sum(len(section.rows) for section in kept)
        found_words = f"{count} found" if words.strip() else ""
        self.query_one(HintBar).show(
            (("Esc", "close"), ("↑↓ PgUp PgDn", "scroll"), ("letters", "find")), found_words
        )


def drawn(sections: tuple[Section, ...], width: int, palette: Palette) -> Text:
    """Return the keys as drawn in ``width`` cells."""
    lines: list[Text] = []
    for section in sections:
        if lines:
            lines.append(Text())
        lines.append(Text(section.title, palette.accent))
        for row in section.rows:
            lines += _row(row.keys, row.does, width, palette)
    return Text("\n").join(lines or [Text(NO_KEY, palette.muted)])


def _row(keys: str, does: str, width: int, palette: Palette) -> list[Text]:
    beside = width >= NARROW and cell_len(keys) < KEY_WIDTH
    indent = KEY_WIDTH + 2 if width >= NARROW else 4
    words = textwrap.wrap(does, max(8, width - indent)) or [""]
    head = Text.assemble("  ", (keys, palette.strong))
    if not beside and width < NARROW and cell_len(keys) + cell_len(does) + 4 <= width:
        return [head.append(f"  {does}", palette.plain)]
    if not beside:
        return [head, *(Text.assemble(" " * indent, (line, palette.plain)) for line in words)]
    head.append(" " * (indent - head.cell_len))
    return [head.append(words[0], palette.plain)] + [
        Text.assemble(" " * indent, (line, palette.plain)) for line in words[1:]
    ]

"""The key table of the question panel: which key means what, where, and how it is hinted.

The table is data, so that the machine, the footer and the documentation all say the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ccq_tui.questions.events import (
    Action,
    Back,
    Decline,
    GoOn,
    Mark,
    MarkAll,
    Move,
    MoveToEdge,
    OpenDiscussion,
    OpenEditor,
    OpenFilter,
    OpenNote,
    OpenOther,
    Pick,
    ScrollPreview,
    ToggleHidden,
    TogglePreview,
    Turn,
)
from ccq_tui.questions.state import TEXT_FOCUSES, Focus, PanelState

FILTER_FROM = 10
"""A list of this many options or more can be filtered."""
LARGE_TEXT = 600
"""Characters of a label or description that the list shows; `p` shows the whole of it."""
GUARDED_KEYS = frozenset({"enter", "space", "escape", *"123456789"})
"""Keys that a fresh panel ignores: they were meant for what was there before."""

When = Callable[[PanelState], bool]


@dataclass(frozen=True, slots=True)
class KeyRow:
    """One row of the key table.

    Attributes:
        keys: Names of the keys, as Textual spells them.
        action: What they mean; digits and edges are made from the key.
        when: Whether the row applies in a state.
        shown: The keys as the footer shows them.
        does: What they do, in a word or two.
    """

    keys: tuple[str, ...]
    action: Callable[[str], Action]
    when: When
    shown: str
    does: str


def has_preview(state: PanelState) -> bool:
    """Whether there is more to see of the question shown than its list shows."""
    question = state.page.question
    texts = (
        question.text,
        question.description,
        *(t for o in question.options for t in (o.label, o.description)),
    )
    return any(option.preview for option in question.options) or any(len(t) > LARGE_TEXT for t in texts)


def _list(state: PanelState) -> bool:
    return state.focus is Focus.LIST


def _choices(state: PanelState) -> bool:
    return _list(state) and not state.page.is_field


def _multi(state: PanelState) -> bool:
    return _choices(state) and state.page.question.multi_select


def _list_or_review(state: PanelState) -> bool:
    return state.focus in (Focus.LIST, Focus.REVIEW)


def _moving(state: PanelState) -> bool:
    return state.focus in (Focus.LIST, Focus.REVIEW, Focus.FILTER)


def _text(state: PanelState) -> bool:
    return state.focus in TEXT_FOCUSES


def _filterable(state: PanelState) -> bool:
    return _choices(state) and len(state.page.question.options) >= FILTER_FROM


def _previewable(state: PanelState) -> bool:
    return _choices(state) and has_preview(state)


def _several(state: PanelState) -> bool:
    return state.needs_review


def _always(_state: PanelState) -> bool:
    return True


KEY_TABLE: tuple[KeyRow, ...] = (
    KeyRow(("y",), lambda _: Decline(), lambda s: s.focus is Focus.DECLINE, "y", "decline"),
    KeyRow(("up",), lambda _: Move(-1), _moving, "↑", "up"),
    KeyRow(("down",), lambda _: Move(1), _moving, "↓", "down"),
    KeyRow(("k", "ctrl+p"), lambda _: Move(-1), _list_or_review, "k Ctrl+P", "up"),
    KeyRow(("j", "ctrl+n"), lambda _: Move(1), _list_or_review, "j Ctrl+N", "down"),
    KeyRow(("ctrl+p",), lambda _: Move(-1), _moving, "Ctrl+P", "up"),
    KeyRow(("ctrl+n",), lambda _: Move(1), _moving, "Ctrl+N", "down"),
    KeyRow(("home",), lambda _: MoveToEdge(last=False), _list_or_review, "Home", "first"),
    KeyRow(("end",), lambda _: MoveToEdge(last=True), _list_or_review, "End", "last"),
    KeyRow(tuple("123456789"), lambda key: Pick(int(key) - 1), _choices, "1-9", "pick"),
    KeyRow(("space",), lambda _: Mark(), _choices, "Space", "select"),
    KeyRow(("enter",), lambda _: GoOn(), lambda s: s.focus is not Focus.DECLINE, "Enter", "go on"),
    KeyRow(("a",), lambda _: MarkAll(), _multi, "a", "all"),
    KeyRow(("tab",), lambda _: Turn(1), _several, "Tab", "question"),
    KeyRow(("shift+tab",), lambda _: Turn(-1), _several, "Shift+Tab", "back"),
    KeyRow(("right", "l"), lambda _: Turn(1), _list_or_review, "→ l", "next question"),
    KeyRow(("left", "h"), lambda _: Turn(-1), _list_or_review, "← h", "previous question"),
    KeyRow(("o",), lambda _: OpenOther(), _list, "o", "other"),
    KeyRow(("n",), lambda _: OpenNote(), _list, "n", "note"),
    KeyRow(("slash",), lambda _: OpenFilter(), _filterable, "/", "filter"),
    KeyRow(("p",), lambda _: TogglePreview(), _previewable, "p", "preview"),
    KeyRow(("shift+up",), lambda _: ScrollPreview(-1), _previewable, "Shift+↑", "scroll preview up"),
    KeyRow(("shift+down",), lambda _: ScrollPreview(1), _previewable, "Shift+↓", "scroll preview down"),
    KeyRow(("c",), lambda _: OpenDiscussion(), _list_or_review, "c", "discuss"),
    KeyRow(("escape",), lambda _: Back(), _always, "Esc", "hide"),
    KeyRow(("f2",), lambda _: ToggleHidden(), _always, "F2", "hide / show"),
    KeyRow(("ctrl+d",), lambda _: Decline(), _always, "Ctrl+D", "decline"),
    KeyRow(("ctrl+g",), lambda _: OpenEditor(), _text, "Ctrl+G", "editor"),
)


def action_for(state: PanelState, key: str, character: str = "") -> Action | None:
    """Return what a key means in a state.

    Args:
        state: The state in which it was pressed.
        key: The key's name, as Textual spells it.
        character: What the key types, or "".

    Returns:
        The action, or None when the key means nothing here (in a text field: when it edits the text).
    """
    if state.hidden:
        return ToggleHidden() if key == "f2" else None
    for row in KEY_TABLE:
        if key in row.keys and row.when(state):
            action = row.action(key)
            # A digit beyond the rows means nothing, as any other letter.
            if not (isinstance(action, Pick) and action.row not in state.page.rows):
                return action
    if state.focus is Focus.LIST and character and character.isprintable():
        return OpenOther(seed=character)
    return None


def hints(state: PanelState) -> tuple[tuple[str, str], ...]:
    """Return the (key, what it does) pairs worth showing in a state, the most important first."""
    if state.hidden:
        return (("F2", "show"),)
    if state.focus is Focus.DECLINE:
        return (("Ctrl+D", "decline"), ("y", "decline"), ("Esc", "keep the question"))
    if state.focus is Focus.REVIEW:
        enter = "submit" if state.review_row == len(state.pages) else "change"
        return (
            ("Enter", enter),
            ("↑↓", "move"),
            ("Tab", "question"),
            ("c", "discuss"),
            _hide(state),
            _DECLINE,
        )
    if state.focus in TEXT_FOCUSES:
        return _text_hints(state)
    return _list_hints(state)


_DECLINE = ("Ctrl+D", "decline")


def _hide(state: PanelState) -> tuple[str, str]:
    if state.page.filter and not state.in_review:
        return ("Esc", "clear filter")
    return ("Esc", "small preview") if state.large else ("Esc", "hide")


def _text_hints(state: PanelState) -> tuple[tuple[str, str], ...]:
    enter = {
        Focus.OTHER: "done",
        Focus.NOTE: "done",
        Focus.FILTER: "done",
        Focus.DISCUSS: "send",
        Focus.FIELD: "next" if state.needs_review else "confirm",
    }[state.focus]
    leave = "clear filter" if state.focus is Focus.FILTER else "leave the text"
    rest = () if state.focus is Focus.FILTER else (("Ctrl+J", "new line"), ("Ctrl+G", "editor"))
    turn = (("Tab", "question"),) if state.needs_review else ()
    return (("Enter", enter), ("Esc", leave), *rest, *turn, _DECLINE)


def _list_hints(state: PanelState) -> tuple[tuple[str, str], ...]:
    page = state.page
    multi = page.question.multi_select
    go_on = "next" if state.needs_review else "confirm"
    if page.is_field or (page.cursor == page.other_row and not page.draft.other.strip()):
        go_on = "type" if not page.answered or not page.is_field else go_on
    mark = "type" if page.cursor == page.other_row else "select"
    return (
        *(() if page.is_field else (("Space", mark),)),
        ("Enter", go_on),
        *((("↑↓", "other options"), ("Shift+↑↓", "scroll")) if state.large else ()),
        *((("a", "all/none"),) if multi else ()),
        *((("Tab", "question"),) if state.needs_review else ()),
        *((("p", "preview"),) if has_preview(state) and not state.large else ()),
        ("o", "edit" if page.is_field else "other"),
        ("n", "note"),
        *((("/", "filter"),) if _filterable(state) else ()),
        ("c", "discuss"),
        _hide(state),
        _DECLINE,
    )

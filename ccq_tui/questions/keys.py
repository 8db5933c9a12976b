"""The key table of the question panel: the meaning of each key, its place, and its hint.

The table is data, so that the machine, the footer and the documentation all say the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ccq_tui.questions.events import (
    Action,
    Back,
    Decline,
    Dismiss,
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
    TakeOver,
    ToggleHidden,
    TogglePreview,
    TurnPage,
)
from ccq_tui.questions.limits import selection_problem
from ccq_tui.questions.moves import taken_over
from ccq_tui.questions.prose import NONE_SELECTED
from ccq_tui.questions.state import TEXT_FOCUSES, Focus, PanelState, is_text

FILTER_FROM = 10
"""Fewest options of a list that can be filtered."""
LARGE_TEXT = 600
"""Most characters of a label or description that the list shows; `p` shows the whole of it."""

When = Callable[[PanelState], bool]


class Does(str):
    """What a key does, in words that a line of keys can shorten: the verb always stays.

    Attributes:
        verb: The first words.
        about: The object of the verb, cut where there is no room for it.
        rest: Words behind it, left out where there is no room for them.
    """

    __slots__ = ("about", "rest", "verb")
    verb: str
    about: str
    rest: str

    def __new__(cls, verb: str, about: str = "", rest: str = "") -> Does:
        """Join the parts."""
        does = super().__new__(cls, f"{verb} {about}".rstrip() + rest)
        does.verb, does.about, does.rest = verb, about, rest
        return does


@dataclass(frozen=True, slots=True)
class KeyRow:
    """One row of the key table.

    Attributes:
        keys: Names of the keys, as Textual spells them.
        action: Makes their action from the key, as for digits.
        when: Whether the row applies in a state.
        shown: The keys as the footer shows them.
        does: Their effect, for the list of all keys.
    """

    keys: tuple[str, ...]
    action: Callable[[str], Action]
    when: When
    shown: str
    does: str


def has_preview(state: PanelState) -> bool:
    """Return whether there is more to see of the question shown than its list shows."""
    question = state.page.question
    texts = (
        state.questions.title,
        state.questions.intro,
        question.header,
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


def _notable(state: PanelState) -> bool:
    return _list(state) and state.questions.takes_prose


def _discussable(state: PanelState) -> bool:
    return _list_or_review(state) and state.questions.takes_prose


def _list_or_review(state: PanelState) -> bool:
    return state.focus in (Focus.LIST, Focus.REVIEW)


def _moving(state: PanelState) -> bool:
    return state.focus in (Focus.LIST, Focus.REVIEW, Focus.FILTER)


def _filterable(state: PanelState) -> bool:
    return _choices(state) and len(state.page.question.options) >= FILTER_FROM


def _previewable(state: PanelState) -> bool:
    return _list(state) and has_preview(state)


def _answered_before(state: PanelState) -> bool:
    """Return whether the question was answered before, and differently from its draft."""
    before = state.before
    return _list(state) and before is not None and taken_over(state.page, before.answer) != state.page.draft


def _several(state: PanelState) -> bool:
    return state.needs_review


def _always(_state: PanelState) -> bool:
    return True


KEY_TABLE: tuple[KeyRow, ...] = (
    KeyRow(
        ("y",), lambda _: Decline(), lambda s: s.focus is Focus.DECLINE, "y", "In the confirmation: decline"
    ),
    KeyRow(
        ("x",),
        lambda _: Dismiss(),
        lambda s: s.focus is Focus.DECLINE and s.questions.is_form,
        "x",
        "In the confirmation of a form: cancel it without a decision",
    ),
    KeyRow(("up", "ctrl+p"), lambda _: Move(-1), _moving, "↑ Ctrl+P", "Move up"),
    KeyRow(("down", "ctrl+n"), lambda _: Move(1), _moving, "↓ Ctrl+N", "Move down"),
    KeyRow(("k",), lambda _: Move(-1), _list_or_review, "k", "Move up"),
    KeyRow(("j",), lambda _: Move(1), _list_or_review, "j", "Move down"),
    KeyRow(("home",), lambda _: MoveToEdge(last=False), _list_or_review, "Home", "Go to the first row"),
    KeyRow(("end",), lambda _: MoveToEdge(last=True), _list_or_review, "End", "Go to the last row"),
    KeyRow(
        tuple("123456789"), lambda key: Pick(int(key) - 1), _choices, "1-9", "Go to that row and select it"
    ),
    KeyRow(("space",), lambda _: Mark(), _choices, "Space", "Select, and stay; toggle in a multi-select"),
    KeyRow(
        ("enter",),
        lambda _: GoOn(),
        lambda s: s.focus is not Focus.DECLINE,
        "Enter",
        "Select and continue; on “Submit answers”: confirm",
    ),
    KeyRow(("a",), lambda _: MarkAll(), _multi, "a", "All or none of a multi-select"),
    KeyRow(("tab",), lambda _: TurnPage(1), _several, "Tab", "Next question"),
    KeyRow(("shift+tab",), lambda _: TurnPage(-1), _several, "Shift+Tab", "Previous question"),
    KeyRow(("right", "l"), lambda _: TurnPage(1), _list_or_review, "→ l", "Next question"),
    KeyRow(("left", "h"), lambda _: TurnPage(-1), _list_or_review, "← h", "Previous question"),
    KeyRow(("o",), lambda _: OpenOther(), _list, "o", "Answer in your own words"),
    KeyRow(("n",), lambda _: OpenNote(), _notable, "n", "Add a note to the answer"),
    KeyRow(("r",), lambda _: TakeOver(), _answered_before, "r", "Reuse your earlier answer"),
    KeyRow(("slash",), lambda _: OpenFilter(), _filterable, "/", "Filter a long list"),
    KeyRow(("p",), lambda _: TogglePreview(), _previewable, "p", "Show the preview larger, or back"),
    KeyRow(("shift+up",), lambda _: ScrollPreview(-1), _list_or_review, "Shift+↑", "Scroll the preview up"),
    KeyRow(
        ("shift+down",), lambda _: ScrollPreview(1), _list_or_review, "Shift+↓", "Scroll the preview down"
    ),
    KeyRow(
        ("pageup",),
        lambda _: ScrollPreview(-1, pages=True),
        lambda s: s.large and _list(s),
        "PageUp",
        "Page the large preview up",
    ),
    KeyRow(
        ("pagedown",),
        lambda _: ScrollPreview(1, pages=True),
        lambda s: s.large and _list(s),
        "PageDown",
        "Page the large preview down",
    ),
    KeyRow(("c",), lambda _: OpenDiscussion(), _discussable, "c", "Discuss in prose instead of answering"),
    KeyRow(("escape",), lambda _: Back(), _always, "Esc", "Leave the text, then hide the panel"),
    KeyRow(("f2",), lambda _: ToggleHidden(), _always, "F2", "Hide or show the panel"),
    KeyRow(("ctrl+d",), lambda _: Decline(), _always, "Ctrl+D", "Decline the questions (asks once)"),
    KeyRow(
        ("ctrl+g",),
        lambda _: OpenEditor(),
        _always,
        "Ctrl+G",
        "Edit the text, or your own answer, in $EDITOR",
    ),
)


def action_for(state: PanelState, key: str, character: str = "") -> Action | None:
    """Return the action of a key in a state, or None for none (in a text field: if it edits the text)."""
    if state.hidden:
        return ToggleHidden() if key == "f2" else None
    for row in KEY_TABLE:
        if key in row.keys and row.when(state):
            action = row.action(key)
            if not isinstance(action, Pick):
                return action
            # Digits count the rows that are shown; one beyond them means nothing, as any other letter.
            if action.row < len(state.page.rows):
                return Pick(state.page.rows[action.row])
    if state.focus is Focus.LIST and is_text(character):
        return OpenOther(seed=character)
    return None


def hints(state: PanelState) -> Hints:
    """Return the (key, effect) pairs worth showing in a state, the most important first."""
    if state.hidden:
        return (("F2", "show"),)
    if state.focus is Focus.DECLINE:
        if state.questions.is_form:
            return (("Esc", "keep"), ("y", "decline"), ("x", "cancel"))
        return (("Esc", "keep the question"), ("y", "decline"), ("Ctrl+D", "decline"))
    if state.focus is Focus.REVIEW:
        return _review_hints(state)
    if state.focus in TEXT_FOCUSES:
        return _text_hints(state)
    return _list_hints(state)


Hints = tuple[tuple[str, str], ...]
_DONE = {
    Focus.OTHER: "keep text",
    Focus.NOTE: "keep note",
    Focus.FILTER: "keep filter",
    Focus.DISCUSS: "send",
}


def _hide(state: PanelState) -> tuple[str, str]:
    if state.page.filter and not state.in_review:
        return ("Esc", "clear filter")
    return ("Esc", "small preview" if state.large else "hide")


def _discuss(state: PanelState) -> Hints:
    if not state.questions.takes_prose:
        return ()
    return (("c", "discuss (draft kept)" if state.discussion else "discuss"),)


def _decline(state: PanelState) -> tuple[str, str]:
    return ("Ctrl+D", "decline or cancel" if state.questions.is_form else "decline")


def _review_hints(state: PanelState) -> Hints:
    submit = "submit once complete" if state.arriving else "submit"
    enter = submit if state.review_row == len(state.pages) else "change"
    turn = ("Tab", "question")
    return (("Enter", enter), ("↑↓", "move"), _hide(state), turn, *_discuss(state), _decline(state))


def _text_hints(state: PanelState) -> Hints:
    enter = _DONE.get(state.focus) or ("next" if state.needs_review or state.arriving else "confirm")
    if state.focus is Focus.FIELD and state.page.question.options and not state.text.strip():
        enter = state.page.question.options[0].label
    leave = "clear filter" if state.focus is Focus.FILTER else "back"
    own = state.focus in (Focus.FIELD, Focus.OTHER)
    lines = () if own and state.one_line else (("Ctrl+J", "new line"),)
    rest = (("↑↓", "move"),) if state.focus is Focus.FILTER else lines
    turn = (("Tab", "question"),) if state.needs_review else ()
    return (
        ("Enter", enter),
        ("Esc", leave),
        *rest,
        *turn,
        ("Ctrl+G", "editor"),
        ("F2", "hide"),
        _decline(state),
    )


def _list_hints(state: PanelState) -> Hints:
    page = state.page
    go_on = "next" if state.needs_review else "select" if state.arriving else "confirm"
    multi = page.question.multi_select
    if multi and not page.answered and not selection_problem(page.question, 0):
        go_on = NONE_SELECTED
    preview = has_preview(state) and not state.large
    on_other = not (page.is_field or page.question.closed) and page.cursor == page.other_row
    empty = not page.draft.other.strip()
    if page.is_field or (on_other and empty):
        go_on = "type" if empty else "edit"
    if page.question.closed and not page.question.options:
        return (("Enter", "decline or cancel"), _hide(state), *((("p", "preview"),) if preview else ()))
    return (
        *((_hide(state),) if state.large else ()),
        *(() if page.is_field or (on_other and empty) else (("Space", "edit" if on_other else "select"),)),
        ("Enter", go_on),
        *(() if state.large else (_hide(state),)),
        *((("↑↓", "other options"), ("PgUp PgDn", "page"), ("Shift+↑↓", "scroll")) if state.large else ()),
        *((("a", "all/none"),) if multi else ()),
        *((("Tab", "leave open" if go_on == NONE_SELECTED else "question"),) if state.needs_review else ()),
        *((("p", "preview"),) if preview else ()),
        *(() if page.is_field or page.question.closed else (("o", "other"),)),
        *((("n", "note"),) if state.questions.takes_prose else ()),
        *((("r", "as before"),) if _answered_before(state) else ()),
        *((("/", "filter"),) if _filterable(state) else ()),
        *_discuss(state),
        _decline(state),
        *(() if page.is_field or state.large else (("↑↓", "move"),)),
    )

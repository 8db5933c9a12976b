"""The key table of the question panel: the meaning of each key, its place, and its hint.

The table is data, so that the machine, the footer and the documentation all say the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from ccq_tui.key_uses import Does
from ccq_tui.questions import flow, moves
from ccq_tui.questions.events import Pressed
from ccq_tui.questions.limits import counted, selection_problem
from ccq_tui.questions.prose import shown_label
from ccq_tui.questions.state import Focus, Page, PanelState, is_text

FILTER_FROM = 10
"""Fewest options of a list that can be filtered."""
When = Callable[[PanelState], bool]


@dataclass(frozen=True, slots=True)
class KeyStep:
    """The effect of a key.

    Attributes:
        do: Returns the state after it.
        walks: Whether it moves or toggles: people press such keys fast, and a word has others too.
        takes: Whether it takes the row under the cursor.
        row: The row that it takes instead, or None.
        scrolls: Lines, or pages, by which the surface scrolls what it cannot show whole: no change of state.
        by_pages: Whether these are pages.
        edits: Whether the surface then edits the open text in the person's own editor.
    """

    do: Callable[[PanelState], PanelState]
    walks: bool = False
    takes: bool = False
    row: int | None = None
    scrolls: int = 0
    by_pages: bool = False
    edits: bool = False


def _unchanged(state: PanelState) -> PanelState:
    return state


UP, DOWN = (KeyStep(partial(moves.move, by=by), walks=True) for by in (-1, 1))
PREVIOUS, NEXT = (KeyStep(partial(flow.turn_by, by=by), walks=True) for by in (-1, 1))
LINE_UP, LINE_DOWN = (KeyStep(_unchanged, scrolls=by) for by in (-1, 1))
PAGE_UP, PAGE_DOWN = (KeyStep(_unchanged, scrolls=by, by_pages=True) for by in (-1, 1))
OTHER = KeyStep(moves.open_other)
DECLINE = KeyStep(flow.decline)
FOLD = KeyStep(flow.fold)


@dataclass(frozen=True, slots=True)
class KeyRow:
    """One row of the key table.

    Attributes:
        keys: Names of the keys, as Textual spells them.
        action: Their action; None picks the row that a digit counts.
        when: Whether the row applies in a state.
        does: Their effect, for the list of all keys.
    """

    keys: tuple[str, ...]
    action: KeyStep | None
    when: When
    does: str


def _list(state: PanelState) -> bool:
    return state.focus is Focus.LIST


def _choices(state: PanelState) -> bool:
    return _list(state) and not state.page.is_field


def _numbered(state: PanelState) -> bool:
    return _choices(state) or state.focus is Focus.REVIEW


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


def recalls(state: PanelState) -> bool:
    """Return whether the question was answered before, and differently from its draft."""
    before = state.before
    return (
        _list(state)
        and before is not None
        and moves.taken_over(state.page, before.answer) != state.page.draft
    )


def _several(state: PanelState) -> bool:
    return state.needs_review


def _enlarged(state: PanelState) -> bool:
    return state.large and _list(state)


def _declining(state: PanelState) -> bool:
    return state.focus is Focus.DECLINE


def _always(_state: PanelState) -> bool:
    return True


KEY_TABLE: tuple[KeyRow, ...] = (
    KeyRow(("y",), DECLINE, _declining, "In the confirmation: decline"),
    KeyRow(
        ("x",),
        KeyStep(flow.dismiss),
        lambda s: _declining(s) and s.questions.is_form,
        "In the confirmation of a form: cancel it without a decision",
    ),
    KeyRow(("up", "ctrl+p"), UP, _moving, "Move up"),
    KeyRow(("down", "ctrl+n"), DOWN, _moving, "Move down"),
    KeyRow(("k",), UP, _list_or_review, "Move up"),
    KeyRow(("j",), DOWN, _list_or_review, "Move down"),
    KeyRow(
        ("home",), KeyStep(partial(moves.move_to_edge, last=False)), _list_or_review, "Go to the first row"
    ),
    KeyRow(("end",), KeyStep(partial(moves.move_to_edge, last=True)), _list_or_review, "Go to the last row"),
    KeyRow(tuple("123456789"), None, _numbered, "Select that row; in the review, go to that question"),
    KeyRow(
        ("space",),
        KeyStep(moves.mark, walks=True, takes=True),
        _choices,
        "Select, and stay; toggle in a multi-select",
    ),
    KeyRow(
        ("enter",),
        KeyStep(flow.go_on, takes=True),
        lambda s: not _declining(s),
        "Select and continue; on “Submit answers”: confirm",
    ),
    KeyRow(("a",), KeyStep(moves.mark_all), _multi, "All or none of a multi-select"),
    KeyRow(("tab",), NEXT, _several, "Next question"),
    KeyRow(("shift+tab",), PREVIOUS, _several, "Previous question"),
    KeyRow(("right", "l"), NEXT, _list_or_review, "Next question"),
    KeyRow(("left", "h"), PREVIOUS, _list_or_review, "Previous question"),
    KeyRow(("o",), OTHER, _list, "Answer in your own words"),
    KeyRow(("n",), KeyStep(partial(moves.open_text, focus=Focus.NOTE)), _notable, "Add a note to the answer"),
    KeyRow(("r",), KeyStep(moves.take_over), recalls, "Reuse your earlier answer"),
    KeyRow(
        ("slash",), KeyStep(partial(moves.open_text, focus=Focus.FILTER)), _filterable, "Filter a long list"
    ),
    KeyRow(("p",), KeyStep(flow.enlarge), _list, "Show the row and its preview whole, or back"),
    KeyRow(("shift+up",), LINE_UP, _list_or_review, "Scroll the preview up"),
    KeyRow(("shift+down",), LINE_DOWN, _list_or_review, "Scroll the preview down"),
    KeyRow(("shift+pageup",), PAGE_UP, _list_or_review, "Page the preview up"),
    KeyRow(("shift+pagedown",), PAGE_DOWN, _list_or_review, "Page the preview down"),
    KeyRow(("pageup",), PAGE_UP, _enlarged, "Page what is enlarged up"),
    KeyRow(("pagedown",), PAGE_DOWN, _enlarged, "Page what is enlarged down"),
    KeyRow(
        ("c",),
        KeyStep(partial(moves.open_text, focus=Focus.DISCUSS)),
        _discussable,
        "Discuss in prose instead of answering",
    ),
    KeyRow(("escape",), KeyStep(flow.back), _always, "Leave the text, then hide the panel"),
    KeyRow(("f2",), FOLD, _always, "Hide or show the panel"),
    KeyRow(("ctrl+d",), DECLINE, _always, "Decline the questions (asks once)"),
    KeyRow(
        ("ctrl+g",),
        KeyStep(flow.open_for_editor, edits=True),
        _always,
        "Edit the text, or your own answer, in $EDITOR",
    ),
)


def action_for(state: PanelState, key: str, character: str = "") -> KeyStep | None:
    """Return the action of a key in a state, or None for none (in a text field: if it edits the text)."""
    if state.hidden:
        return FOLD if key == "f2" else None
    for row in KEY_TABLE:
        if key in row.keys and row.when(state):
            if row.action is not None:
                return row.action
            # Digits count the rows that are shown; one beyond them means nothing, as any other letter.
            rows = state.asked_tabs if state.in_review else state.page.rows
            if (at := row.keys.index(key)) < len(rows):
                return _picks(state, rows[at])
    prose = _discussable(state) and not (character == " " or character.isdigit())
    return _types(character) if is_text(character) and (_list(state) or prose) else None


def action_of(state: PanelState, event: Pressed) -> KeyStep | None:
    """Return the action of a press: on an empty row of the custom text, every key but the blank is text."""
    text = event.types if _types_here(state) and not (state.hidden or state.guard.walking(event.at)) else ""
    if is_text(text) and text != " ":
        return _types(text)
    return action_for(state, event.key, event.character)


def _on_other(state: PanelState) -> bool:
    """Return whether the cursor is on the row of the custom text."""
    page = state.page
    return _choices(state) and not page.question.closed and page.cursor == page.other_row


def _types_here(state: PanelState) -> bool:
    """Return whether letters on the row under the cursor are text."""
    return _on_other(state) and not (state.left_own or state.page.draft.other.strip())


def walks(state: PanelState, event: Pressed) -> bool:
    """Return whether a press moves or toggles."""
    action = action_of(state, event)
    return action is not None and action.walks


def _picks(state: PanelState, row: int) -> KeyStep:
    if state.in_review:
        return KeyStep(partial(flow.turn_to, tab=row), row=row)
    return KeyStep(partial(moves.pick, row=row), walks=_multi(state), row=row)


def _types(seed: str) -> KeyStep:
    return KeyStep(partial(moves.open_other, seed=seed))


def hints(state: PanelState, more: str = "") -> Hints:
    """Return the (key, effect) pairs worth showing in a state: what Enter does first.

    ``more`` are the words of the key that shows what has no room, or "": of `p`, or of those that page.
    """
    if state.focus is Focus.DECLINE:
        if state.questions.is_form:
            return (("Esc", "keep"), ("y", "decline"), ("x", "cancel"))
        return (("Esc", "keep the question"), ("y", "decline"), ("Ctrl+D", "decline"))
    enter = ("Enter", enter_words(state))
    if state.typing:
        return enter, *_text_hints(state)
    discuss = (("c", "discuss"),) if state.questions.takes_prose else ()
    if state.focus is Focus.REVIEW:
        first = () if state.questions.is_form else (("Tab", "first question"),)
        return enter, *first, *discuss, ("Esc", "hide")
    if state.large:
        pages = (("PgUp PgDn", more),) if more else ()
        return enter, *pages, ("↑↓", "other options"), ("Esc", "small again")
    return enter, *_list_hints(state, more)


Hints = tuple[tuple[str, str], ...]


def _text_hints(state: PanelState) -> Hints:
    if state.focus is Focus.FILTER:
        return (("↑↓", "move"), ("Esc", "clear filter"))
    lines = () if state.one_line else (("Ctrl+J", "new line"),)
    leave = {Focus.NOTE: "keep, back", Focus.FIELD: "back"}.get(state.focus, "keep as draft")
    leave = leave if state.text.strip() else "back"
    return (*lines, ("Esc", leave), ("Ctrl+G", "editor"))


def _list_hints(state: PanelState, more: str) -> Hints:
    page = state.page
    whole = (("p", more),) if more else ()
    leave = ("Esc", "clear filter" if page.filter else "hide")
    if page.question.closed and not page.question.options:
        return (*whole, leave)
    skips = page.question.optional and not (page.answered or page.question.multi_select)
    turn = (("Tab", "skip" if skips else "next"),) if state.needs_review else ()
    if _types_here(state):
        return (*turn, leave)
    filters = (("/", "filter"),) if _filterable(state) and not page.filter else ()
    if _on_other(state):
        other = (("o", "edit"),) if page.draft.other.strip() else ()
    else:
        other = () if page.is_field or page.question.closed else (("o", "other"),)
    if page.question.multi_select and not page.is_field:
        first = other if _on_other(state) else (("Space", "select"),)
        return (*first, *whole, ("a", "all"), *turn, *filters[len(whole) :], leave)
    note = (("n", "note"),) if state.questions.takes_prose else ()
    return (*(*whole, *turn, *filters, *other, *note)[:MOST_KEYS], leave)


MOST_KEYS = 4
"""Most keys beside Enter and Esc."""


def enter_words(state: PanelState) -> Does:
    """Return in so many words what Enter does in a state."""
    if state.typing and state.focus is not Focus.FIELD and not state.text.strip():
        return Does("back")
    match state.focus:
        case Focus.REVIEW:
            return _submit_words(state)
        case Focus.NOTE:
            return Does("keep the note")
        case Focus.FILTER:
            return Does("keep the filter")
        case Focus.DISCUSS:
            return Does("send these words")
        case Focus.FIELD:
            return _field_words(state)
        case Focus.OTHER:
            sends = state.sends_text and state.arriving is None
            return Does("send these words" if sends else "keep these words")
    return _list_words(state)


def _field_words(state: PanelState) -> Does:
    page, typed = state.page, state.text.strip()
    if not typed and page.question.options and not state.needs_review:
        return Does(page.question.options[0].label)
    if page.problem or not (typed or (state.needs_review and not page.question.required)):
        return Does("check it")
    if not typed or page.skips:
        return Does("skip it" if page.question.skippable else "leave it empty")
    return Does("take" if state.needs_review else "send", typed)


def _submit_words(state: PanelState) -> Does:
    if state.review_row < len(state.pages):
        return Does("change", state.page.question.header or f"question {state.review_row + 1}")
    if state.questions.is_form:
        return Does("submit the form")
    given = state.answered_count
    left = len(state.pages) - given
    return Does(f"submit {counted(given, 'answer')}", link=f", {left} open" if left else "")


def _list_words(state: PanelState) -> Does:
    page, draft = state.page, state.page.draft
    if page.is_field:
        return Does("change it" if draft.other.strip() else "write")
    if page.question.closed and not page.question.options:
        return Does("decline or cancel")
    if page.cursor == page.other_row and not page.question.closed and not draft.other.strip():
        return Does("write")
    if page.question.multi_select:
        count, skippable = len(draft.selected) + draft.other_on, page.question.skippable
        if count or (page.question.required if skippable else selection_problem(page.question, 0)):
            return Does(f"go on with {count}")
        if skippable:
            return Does("skip it")
        return Does("none", link=" of these")
    if page.cursor not in page.rows:
        return Does("go to the first option")
    target = row_words(page, page.cursor)
    if (elsewhere := moves.selected_elsewhere(page)) is not None:
        return Does("select", target, " instead of ", row_words(page, elsewhere))
    if state.arriving is not None:
        return Does("select", target)
    return Does("take" if state.needs_review else "send", target)


def row_words(page: Page, row: int) -> str:
    """Return the name of a row."""
    return f"“{page.draft.other}”" if row == page.other_row else shown_label(page.question.options[row].title)

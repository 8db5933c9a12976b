"""The question panel and the table of keys: what its actions do to a state, and which of its rows apply."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from ccq_tui.input.gate import KeyKind
from ccq_tui.input.keys import DEFAULT, Chosen, Does, Hints, KeyPlace, key_line, row_for
from ccq_tui.questions import flow, moves
from ccq_tui.questions.events import Pressed
from ccq_tui.questions.limits import counted, selection_problem
from ccq_tui.questions.marks import WORD_OF, YES_NO, misleads, number_of
from ccq_tui.questions.model import Question, fold
from ccq_tui.questions.prose import shown_label
from ccq_tui.questions.state import Focus, Page, PanelState, is_text

FILTER_FROM = 10
"""Fewest options of a list that can be filtered."""


@dataclass(frozen=True, slots=True)
class KeyStep:
    """The effect of a key.

    Attributes:
        do: Returns the state after it.
        takes: Whether it takes the row under the cursor.
        row: The row that it takes instead, or None.
        scrolls: Lines, or pages, by which the surface scrolls what it cannot show whole: no change of state.
        by_pages: Whether these are pages.
        edits: Whether the surface then edits the open text in the person's own editor.
        writes: Whether it begins own words with the key.
        act: The row of the act that it names, or None.
    """

    do: Callable[[PanelState], PanelState]
    takes: bool = False
    row: int | None = None
    scrolls: int = 0
    by_pages: bool = False
    edits: bool = False
    writes: bool = False
    act: int | None = None


def _unchanged(state: PanelState) -> PanelState:
    return state


LINE_UP, LINE_DOWN = (KeyStep(_unchanged, scrolls=by) for by in (-1, 1))
OTHER = KeyStep(moves.open_other)
FOLD = KeyStep(lambda state: replace(state, hidden=not state.hidden))


EFFECTS: Mapping[str, KeyStep] = {
    "up": KeyStep(partial(moves.move, by=-1)),
    "down": KeyStep(partial(moves.move, by=1)),
    "first": KeyStep(partial(moves.move_to_edge, last=False)),
    "last": KeyStep(partial(moves.move_to_edge, last=True)),
    "select": KeyStep(moves.mark, takes=True),
    "take": KeyStep(flow.go_on, takes=True),
    "all": KeyStep(moves.mark_all),
    "next": KeyStep(partial(flow.turn_by, by=1)),
    "previous": KeyStep(partial(flow.turn_by, by=-1)),
    "other": OTHER,
    "note": KeyStep(partial(moves.open_text, focus=Focus.NOTE)),
    "recall": KeyStep(moves.take_over),
    "filter": KeyStep(partial(moves.open_text, focus=Focus.FILTER)),
    "enlarge": KeyStep(lambda state: replace(state, large=not state.large)),
    "line_up": LINE_UP,
    "line_down": LINE_DOWN,
    "page_up": KeyStep(_unchanged, scrolls=-1, by_pages=True),
    "page_down": KeyStep(_unchanged, scrolls=1, by_pages=True),
    "discuss": KeyStep(partial(moves.open_text, focus=Focus.DISCUSS)),
    "back": KeyStep(flow.back),
    "fold": FOLD,
    "decline": KeyStep(flow.decline),
    "confirm": KeyStep(flow.decline),
    "swap": KeyStep(moves.swap),
    "dismiss": KeyStep(flow.dismiss),
    "edit": KeyStep(flow.open_for_editor, edits=True),
}
"""The effects of the actions of the table of keys; a digit picks the row that it counts."""


def recalls(state: PanelState) -> bool:
    """Return whether the question was answered before, and differently from its draft."""
    before, page = state.before, state.page
    on_list = state.focus is Focus.LIST
    return on_list and before is not None and moves.taken_over(page, before.answer) != page.draft


def words(state: PanelState) -> frozenset[str]:
    """Return the words of the table of keys that hold in a state."""
    focus, question = state.focus, state.page.question
    on_list, rows = focus is Focus.LIST, focus in (Focus.LIST, Focus.REVIEW)
    choices = on_list and not state.page.is_field
    found = {
        "list": on_list,
        "rows": rows,
        "moving": rows or focus is Focus.FILTER,
        "choices": choices,
        "numbered": choices or focus is Focus.REVIEW,
        "multi": choices and question.multi_select,
        "filterable": choices and len(question.options) >= FILTER_FROM,
        "recalled": recalls(state),
        "large": on_list and state.large,
        "several": state.needs_review,
        "prose": state.questions.takes_prose,
        "text": state.typing and focus is not Focus.FILTER,
        "lines": state.typing and not state.one_line,
        "readable": not question.secret,
        "declining": focus is Focus.DECLINE,
        "asking": focus is not Focus.DECLINE,
        "form": state.questions.is_form,
        "doubt": state.doubt is not None,
    }
    return frozenset(word for word, holds in found.items() if holds)


def place_of(state: PanelState) -> KeyPlace:
    """Return the place of its keys in the table."""
    return KeyPlace.DECISION if state.page.question.acts else KeyPlace.QUESTION


def action_for(state: PanelState, key: str, character: str = "") -> KeyStep | None:
    """Return the action of a key in a state, or None for none (in a text field: if it edits the text)."""
    if state.hidden:
        return FOLD if key == "f2" else None
    now = words(state)
    row = row_for(place_of(state), key, now)
    if row is not None and row.action == "choose":
        marks = [act.key for act in state.page.question.acts]
        if key in marks:
            return KeyStep(_unchanged, act=marks.index(key))
        # A digit without an act was meant for one that is not offered: it begins no text.
        return None if key.isdigit() else _types(character)
    if row is not None and row.action == "row":
        # One beyond them means nothing, as any other letter.
        if (picked := _row_of(state, row.keys.index(key))) is not None:
            return _picks(state, picked)
    elif row is not None and (found := EFFECTS.get(row.action)) is not None:
        return found
    if "choices" in now and (picked := _row_of_letter(state.page.question, character)) is not None:
        return _picks(state, picked)
    prose = now >= {"rows", "prose"} and not (character == " " or character.isdigit())
    return _types(character) if is_text(character) and ("list" in now or prose) else None


def _row_of(state: PanelState, at: int) -> int | None:
    """Return the row that a digit counts among those shown, or names where labels begin with numbers."""
    rows, options = state.asked_tabs if state.in_review else state.page.rows, state.page.question.options
    if not state.in_review and misleads(state.page.question):
        return next((row for row in rows if row < len(options) and number_of(options[row]) == at + 1), None)
    return rows[at] if at < len(rows) else None


def _row_of_letter(question: Question, letter: str) -> int | None:
    """Return the row that y or n names where yes and no alone answer."""
    is_closed = question.closed and [fold(one.label) for one in question.options] == YES_NO
    return YES_NO.index(WORD_OF[letter]) if is_closed and letter in WORD_OF else None


def action_of(state: PanelState, event: Pressed) -> KeyStep | None:
    """Return the action of a press: on an empty row of the custom text, every key but the blank is text."""
    text = event.types if _types_here(state) and not (state.hidden or event.walks) else ""
    if is_text(text) and text != " ":
        return _types(text)
    return action_for(state, event.key, event.character)


def _on_other(state: PanelState) -> bool:
    """Return whether the cursor is on the row of the custom text."""
    page = state.page
    choices = state.focus is Focus.LIST and not (page.is_field or page.question.closed)
    return choices and page.cursor == page.other_row


def _types_here(state: PanelState) -> bool:
    """Return whether letters on the row under the cursor are text."""
    return _on_other(state) and not (state.left_own or state.page.draft.other.strip())


def kind_of(state: PanelState, event: Pressed) -> KeyKind:
    """Return what a key is to the gate."""
    if state.typing and event.types and not state.hidden:
        return KeyKind.TEXT
    action = action_of(state, event)
    if action is None and event.key.isdigit() and state.page.question.acts:
        return KeyKind.IDLE
    if action is None or action.writes:
        return KeyKind.NONE
    row = row_for(place_of(state), event.key, words(state))
    kind = row.kind if row is not None and not state.hidden else KeyKind.ACT
    if event.key.isdigit() and not state.page.question.multi_select:
        return KeyKind.ACT
    return (
        KeyKind.ACT if kind is KeyKind.DECIDE and event.key == "enter" and not _enter_decides(state) else kind
    )


def _enter_decides(state: PanelState) -> bool:
    page = state.page
    if page.question.acts and not state.typing:
        return state.act is not None and not state.act.takes_words
    if state.focus is Focus.LIST:
        return page.cursor != page.other_row or page.question.closed or bool(page.draft.other.strip())
    return state.focus in (Focus.REVIEW, Focus.FIELD) or state.sends_text


def _picks(state: PanelState, row: int) -> KeyStep:
    if state.in_review:
        return KeyStep(partial(flow.turn_to, tab=row), row=row)
    return KeyStep(partial(moves.pick, row=row), row=row)


def _types(seed: str) -> KeyStep:
    return KeyStep(partial(moves.open_other, seed=seed), writes=True)


def hints(state: PanelState, more: str = "", chosen: Chosen = DEFAULT, *, pages: bool = False) -> Hints:
    """Return the keys worth showing with what they do: Enter first.

    In a multi-select, the key that selects comes before it while nothing is selected. ``more`` are the words
    of the key that shows all, or ""; ``pages``: some details of a decision are cut.
    """
    page, now, question, enter = state.page, words(state), state.page.question, enter_words(state)
    if state.doubt is not None:
        leave = "keep, back" if state.focus is Focus.NOTE else "keep as draft"
        return (("Enter", enter), ("Tab", enter_words(moves.swap(state))), ("Esc", leave))
    if question.acts:
        return _decision_hints(state, enter, chosen, pages=pages)
    form, on_other, multi = state.questions.is_form, _on_other(state), "multi" in now
    optional = question.optional and not (page.answered or page.proposed or question.multi_select)
    does = {"tab": "skip" if optional else "next"}
    match state.focus:
        case Focus.DECLINE:
            now, enter, leave = now & {"declining", "form"}, Does(""), "keep" if form else "keep the question"
        case Focus.FILTER:
            now, leave = now & {"moving"}, "clear filter"
        case Focus.REVIEW:
            now, leave = now & {"rows", "prose", "several"}, "hide"
            does = {"tab": "" if form else "first question"}
        case Focus.LIST if state.large:
            now, leave = now & {"moving", "large"}, "small again"
            does = dict.fromkeys(("up", "down"), OTHERS) | dict.fromkeys(("pageup", "pagedown"), more)
        case Focus.LIST:
            now, leave = now - {"rows", "moving"}, "clear filter" if page.filter else "hide"
            does |= {"space": "select" if multi and not on_other else "", "p": more}
            does |= {"slash": "" if page.filter else "filter", "n": "" if multi else "note"}
            closed = page.is_field or question.closed or (multi and not on_other)
            edits = "edit" if page.draft.other.strip() else ""
            does["o"] = "" if closed else edits if on_other else "other"
            if question.closed and not question.options:
                now = now & {"list"}
        case focus:
            now, leave = now & {"text", "lines", "readable"}, LEAVES.get(focus, "keep as draft")
            leave = leave if state.text.strip() else "back"
    line = key_line(
        KeyPlace.QUESTION, now, does, chosen, enter=enter, leave=leave, letters=not _types_here(state)
    )
    selects = "multi" in now and not (on_other or page.draft.selected or page.draft.other_on)
    return (line[1], line[0], *line[2:]) if selects else line


LEAVES = {Focus.NOTE: "keep, back", Focus.FIELD: "back"}
OTHERS = "other options"
ASK = "ask again"
WRITE = Does("write", link=" words")


READINGS = {Focus.OTHER: "answer", Focus.NOTE: "note", Focus.DISCUSS: "discuss", Focus.FIELD: "answer"}


def _reading(state: PanelState) -> Does:
    """Name the text that is open, and what is in it."""
    return Does(READINGS[state.focus], f"“{state.page.question.seen(state.text)}”")


def enter_words(state: PanelState) -> Does:
    """Return in so many words what Enter does in a state."""
    if state.page.question.acts:
        return _decision_words(state)
    if state.doubt is not None:
        return _reading(state)
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
            return Does("send these words" if state.sends_text else "keep these words")
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
        return _next_lacks(bool(typed))
    if not typed or page.skips:
        return Does("skip it" if page.question.skippable else "leave it empty")
    typed = page.question.seen(typed)
    if not state.needs_review:
        return Does("send", typed)
    return Does("keep" if page.proposed else "continue with", typed)


def _next_lacks(given: bool) -> Does:
    return Does("next", link=" (does not fit yet)" if given else " (needs an answer)")


def _submit_words(state: PanelState) -> Does:
    if state.review_row < len(state.pages):
        return Does("change", state.page.question.header or f"question {state.review_row + 1}")
    if state.questions.is_form:
        return Does("submit the form")
    given = state.answered_count + state.proposed_count
    left = len(state.pages) - given
    return Does(f"submit {counted(given, 'answer')}", link=f", {left} open" if left else "")


def _list_words(state: PanelState) -> Does:
    page, draft = state.page, state.page.draft
    if page.is_field:
        return Does("change it" if draft.other.strip() else "write")
    if page.question.closed and not page.question.options:
        return Does("decline or cancel")
    if page.cursor == page.other_row and not page.question.closed and not draft.other.strip():
        return WRITE
    if page.question.multi_select:
        count, skippable = len(draft.selected) + draft.other_on, page.question.skippable
        if count or (page.question.required if skippable else selection_problem(page.question, 0)):
            if not count or selection_problem(page.question, count):
                return _next_lacks(bool(count))
            return Does("choose", counted(count, "option"))
        if skippable:
            return Does("skip it")
        return Does("none", link=" of these")
    if page.cursor not in page.rows:
        return Does("go to the first option")
    target = row_words(page, page.cursor)
    if (elsewhere := moves.selected_elsewhere(page)) is not None:
        return Does("select", target, " instead of ", row_words(page, elsewhere))
    return _take_words(state, target)


def _take_words(state: PanelState, target: str) -> Does:
    if state.arriving is not None:
        return Does("select", target)
    if state.questions.is_agreement and (unseen := flow.asks_again(state)):
        return Does(ASK, link=f", {unseen} unseen")
    return Does("choose" if state.needs_review else "send", target)


def row_words(page: Page, row: int) -> str:
    """Return the name of a row."""
    return f"“{page.draft.other}”" if row == page.other_row else shown_label(page.question.options[row].title)


# -- acts: ways to decide -----------------------------------------------------------------------------------


def _decision_words(state: PanelState) -> Does:
    act, row = state.act, state.page.cursor
    if act is None:
        return Does("")
    if state.doubt is not None:
        return Does("allow" if act.allows else "deny", f"“{state.text}”")
    if act.takes_words and not (state.typing and state.text.strip()):
        return Does("back") if state.typing else WRITE
    if state.typing and state.stray is not None:
        return Does("keep these words")
    unseen = flow.unseen_lines(state) if act.allows else ""
    link = f", {unseen} unseen" if unseen else ""
    if state.large or not moves.is_in_sight(state, row) or flow.asks_again(state):
        return Does(ASK, link=link)
    return Does(act.verb, act.about, link)


def _decision_hints(state: PanelState, enter: Does, chosen: Chosen, *, pages: bool) -> Hints:
    plan, large, none = bool(state.questions.editable), state.large, state.act is None
    if state.typing:
        does, leave = {"ctrl+g": "editor"}, "keep as draft" if state.text.strip() else "back"
    else:
        rows = len(state.page.rows)
        hidden = large or none or (state.in_sight is not None and len(state.in_sight) < rows)
        allow, deny = ("approve", "keep planning") if plan else ("allow", "deny")
        leave = "small again" if large else "hide"
        does = {
            "up": "", "down": "", "y": allow if hidden and not large else "", "n": deny if hidden else "",
            "space": "page" if pages and not large else "", "p": "all" if pages and not large else "",
            "pagedown": "page" if plan and state.unseen and not pages else "",
            "ctrl+g": "edit" if plan else "",
        }  # fmt: skip
    words = frozenset({"text"} if state.typing else {"rows", "moving", "plan"})
    line = key_line(KeyPlace.DECISION, words, does, chosen, enter=enter, leave=leave)
    if none:
        return (("↑↓", "choose"), *line)
    return (line[0], ("PgUp PgDn", "page"), *line[1:]) if large and pages else line

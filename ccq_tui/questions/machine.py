"""The question flow as a pure state machine: ``step(state, event) -> state``.

Every key of the panel is an event; the table of keys is in `keys`, their effects are in `flow` and `moves`.
"""

from __future__ import annotations

from dataclasses import replace

from ccq_tui.questions import moves
from ccq_tui.questions.events import Clicked, Event, Pasted, Pressed, Seen, Shown, TabClicked, TextChanged
from ccq_tui.questions.flow import go_on, turn_to
from ccq_tui.questions.input_guard import GRACE, REPEAT_DELAY, InputGuard, Meaning, is_fresh
from ccq_tui.questions.keys import OTHER, KeyStep, action_of, walks
from ccq_tui.questions.merge_partial import JUST_COMPLETE, NOT_ASKED, NOT_COMPLETE
from ccq_tui.questions.outcome import Answered
from ccq_tui.questions.state import Focus, PanelState, typable

__all__ = ["GRACE", "meaning", "step"]

TEXT_LEFT_OUT = "Your own text is not selected · Enter again sends without it · o selects it"
TAKEN_BACK = ("tab", "focus", "review_row", "discussion", "large", "notice", "stray")
"""Fields of a state that a word over the panel sets back, besides the pages."""
PRESS_AGAIN = frozenset({moves.OUT_OF_SIGHT, moves.KEPT, moves.KEPT_ASIDE, JUST_COMPLETE, TEXT_LEFT_OUT})
"""Messages about a key that was held back, and counts when it is pressed again."""


def step(state: PanelState, event: Event) -> PanelState:
    """Return the state after an event, or the same one if it means nothing; an outcome is final."""
    if state.outcome is not None or (state.guard.returned and not isinstance(event, Shown)):
        return state
    if state.aside in PRESS_AGAIN and isinstance(event, Pressed) and event.apart < REPEAT_DELAY:
        return state  # the key that was held back may be held down
    heard = state
    if state.aside and isinstance(event, Pressed | Clicked):
        heard = replace(state, aside="", warned_at=None)
    if state.warned_at is not None and _means_other(state, event):
        return moves.pick(heard, state.page.other_row)
    after = _stepped(heard, event)
    return after if after.outcome is None else _held_back(after, state, event)


def _held_back(after: PanelState, before: PanelState, event: Event) -> PanelState:
    """Hold back the confirmation of a set that nobody can have read yet, or that leaves typed text out."""
    if before.arriving is not None:
        return replace(after, outcome=None, aside=NOT_ASKED if before.arriving.whole else NOT_COMPLETE)
    at = getattr(event, "at", float("inf"))
    if is_fresh(before.grown_at, at):
        return replace(after, outcome=None, grown_at=at, aside=JUST_COMPLETE)
    # Typed text is left unselected in an answer that is sent without a review.
    left_out = isinstance(after.outcome, Answered) and not after.needs_review and after.page.unselected
    if left_out and (before.warned_at is None or is_fresh(before.warned_at, at)):
        return replace(after, outcome=None, warned_at=at, aside=TEXT_LEFT_OUT)
    return after


def _means_other(state: PanelState, event: Event) -> bool:
    """Return whether an event asks for the custom text, after the warning that it is left out."""
    if not isinstance(event, Pressed):
        return False
    return action_of(state, event) is OTHER and meaning(state, event) is Meaning.COMMAND


def _stepped(state: PanelState, event: Event) -> PanelState:
    match event:
        case Shown():
            return replace(state, guard=state.guard.shown(event, in_text=state.typing))
        case Seen(rows):
            return replace(state, in_sight=rows)
        case Pressed():
            return _pressed(state, event)
        case Pasted():
            return _pasted(state, event)
        case Clicked(row, at):
            return state if _click_is_stray(state, at) else _clicked(state, row)
        case TabClicked(tab, at):
            return state if _click_is_stray(state, at) else turn_to(moves.leave_text(state), tab)
        case TextChanged(text):
            return moves.set_text(state, text)
        case _:
            return state


def meaning(state: PanelState, event: Pressed | Pasted) -> Meaning:
    """Return the meaning of a key or a paste: for the panel, too early for it, or for the prompt."""
    return _judged(state, event)[0]


def _judged(state: PanelState, event: Pressed | Pasted) -> tuple[Meaning, InputGuard]:
    if state.hidden:
        return Meaning.COMMAND, state.guard
    in_text, declining = state.typing, state.focus is Focus.DECLINE
    walking = isinstance(event, Pressed) and walks(state, event)
    return state.guard.judged(event, in_text=in_text, declining=declining, walks=walking)


def _pressed(state: PanelState, event: Pressed) -> PanelState:
    meant, guard = _judged(state, event)
    before, state = state, state if guard is state.guard else replace(state, guard=guard)
    if meant is not Meaning.COMMAND:
        return _written(state, meant)
    action = action_of(state, event)
    after = _obeyed(state, event, action)
    if state.typing and event.types:
        return after
    uses = action is not None and not action.scrolls
    guard = after.guard.acted(event, before, walks=walks(before, event), uses=uses)
    return after if guard == after.guard else replace(after, guard=guard)


def _written(state: PanelState, meant: Meaning) -> PanelState:
    """Take back what the keys of a word did; the word is the prompt's, or the custom text."""
    word = state.guard.word
    if word is None or meant is Meaning.PASSED_OVER:
        return state
    # A question that grew meanwhile stays as it is.
    both = zip(word.before.pages, state.pages, strict=False)
    pages = [was if was.question == now.question else now for was, now in both]
    pages += state.pages[len(pages) :]
    kept = {name: getattr(word.before, name) for name in TAKEN_BACK}
    state = replace(state, **kept, pages=tuple(pages), guard=replace(state.guard, word=None))
    return moves.open_other(state, "".join(word.typed)) if meant is Meaning.WORD else state


def _obeyed(state: PanelState, event: Pressed, action: KeyStep | None) -> PanelState:
    if action is None:
        return state
    if (row := _taken_by(state, action)) is not None and not moves.is_in_sight(state, row):
        return moves.sought(state, row)
    after = action.do(state)
    if event.ahead and after.outcome is not None:
        return replace(state, aside=moves.NOT_DRAWN)
    if after.focus is Focus.DECLINE and state.focus is not Focus.DECLINE:
        after = replace(after, guard=replace(after.guard, asked_at=event.at))
    return after


def _taken_by(state: PanelState, action: KeyStep) -> int | None:
    """Return the row that an action takes, or None for one that takes none."""
    if action.row is not None or not action.takes or state.focus not in (Focus.REVIEW, Focus.LIST):
        return action.row
    if state.focus is Focus.REVIEW:
        return state.review_row
    page = state.page
    return 0 if page.is_field else page.cursor if page.cursor in page.rows else None


def _pasted(state: PanelState, event: Pasted) -> PanelState:
    text = typable(event.text)
    if state.hidden or not text:
        return state
    meant, guard = _judged(state, replace(event, text=text))
    state = replace(state, guard=guard)
    # An open field takes the paste itself, at its own caret.
    opens = meant is Meaning.COMMAND and state.focus is Focus.LIST
    return moves.open_other(state, text) if opens else state


def _click_is_stray(state: PanelState, at: float) -> bool:
    return state.guard.is_stray_click(at, hidden=state.hidden)


def _clicked(state: PanelState, row: int) -> PanelState:
    state = moves.leave_text(state)
    if state.in_review:
        if row not in state.all_tabs:
            return state
        return go_on(replace(state, focus=Focus.REVIEW, review_row=row))
    if state.page.is_field:
        return moves.open_other(state)
    return moves.pick(replace(state, focus=Focus.LIST), row)

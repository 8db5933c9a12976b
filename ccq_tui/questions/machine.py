"""The question flow as a pure state machine: ``step(state, event) -> state``.

Every key of the panel is an event; the table of keys is in `keys`, their effects are in `flow` and `moves`.
Whether a key counts was decided before, by the gate.
"""

from collections.abc import Callable
from dataclasses import replace

from ccq_tui.input.gate import KeyKind
from ccq_tui.questions import events as ev
from ccq_tui.questions import flow, moves
from ccq_tui.questions.keys import OTHER, READINGS, KeyStep, action_of, kind_of
from ccq_tui.questions.merge_partial import NOT_ASKED, NOT_COMPLETE
from ccq_tui.questions.outcome import Answered
from ccq_tui.questions.state import Doubt, Focus, PanelState, typable

TEXT_LEFT_OUT = "Your own text is not selected · Enter again sends without it · o selects it"
TAKEN_BACK = ("tab", "focus", "review_row", "discussion", "large", "notice", "stray")
"""Fields of a state that own words set back, besides the pages."""


def step(state: PanelState, event: ev.Event) -> PanelState:
    """Return the state after an event, or the same one if it means nothing; an outcome is final."""
    if state.outcome is not None:
        return state
    current = state
    typed = isinstance(event, ev.TextChanged) and bool(state.page.question.acts)
    if typed or isinstance(event, ev.Pressed | ev.Clicked | ev.Words):
        if state.aside or state.warned:
            current = replace(state, aside="", warned=None)
        if (
            state.aside == TEXT_LEFT_OUT
            and isinstance(event, ev.Pressed)
            and action_of(state, event) is OTHER
        ):
            return moves.pick(current, state.page.other_row)
    after = _stepped(current, event)
    return after if after.outcome is None else _confirmed(after, state, event)


def _confirmed(after: PanelState, before: PanelState, event: ev.Event) -> PanelState:
    """Ask once more before a set is confirmed that is not whole yet, not seen, or leaves typed text out."""
    if after.questions.is_guarded:
        return flow.confirmed(after, before, event) if isinstance(after.outcome, Answered) else after
    if before.arriving is not None:
        return replace(after, outcome=None, aside=NOT_ASKED if before.arriving.whole else NOT_COMPLETE)
    if before.warned or after.needs_review or not isinstance(after.outcome, Answered):
        return after
    # What was typed is no part of an answer that is sent without a review.
    aside = TEXT_LEFT_OUT if after.page.unselected else ""
    if after.discussion.strip() and not aside:
        aside = "Your words to discuss are not sent · Enter again sends without them · c continues them"
    return replace(after, outcome=None, warned=(after.page.cursor, ""), aside=aside) if aside else after


def _stepped(state: PanelState, event: ev.Event) -> PanelState:
    match event:
        case ev.Seen(rows, unseen, at_least):
            warned = state.warned if unseen or not state.questions.is_guarded else None
            return replace(state, in_sight=rows, unseen=unseen, at_least=at_least, warned=warned)
        case ev.Signed(words):
            return replace(state, aside=words)
        case ev.Pressed():
            return _pressed(state, event)
        case ev.Words(text, own):
            return _written(state, typable(text), moves.add_words if own else moves.open_other)
        case ev.TakenBack(before):
            return _taken_back(state, before)
        case ev.Doubted(letter):
            question = state.page.question
            open_here = state.in_review or question.acts or not question.closed  # to own words
            first = open_here and state.focus in READINGS and not (state.text or state.page.draft.other)
            row = 0 if state.in_review else state.page.cursor
            return replace(state, doubt=Doubt(letter, state.focus, row)) if first else state
        case ev.Clicked(row):
            return state if state.hidden else _clicked(state, row)
        case ev.TabClicked(tab):
            return state if state.hidden else flow.turn_to(moves.leave_text(state), tab)
        case ev.TextChanged(text):
            return moves.set_text(state, typable(text))


def _pressed(state: PanelState, event: ev.Pressed) -> PanelState:
    action = action_of(state, event)
    if action is None:
        return state
    if action.act is not None:
        return flow.take_named(state, action.act, at_once=event.decides)
    if not event.decides and kind_of(state, event) is KeyKind.DECIDE:
        return state
    if (row := _taken_by(state, action)) is not None and not moves.is_in_sight(state, row):
        return moves.sought(state, row)
    return action.do(state)


def _written(state: PanelState, text: str, begin: Callable[[PanelState, str], PanelState]) -> PanelState:
    """Begin own words; an open field takes a paste itself, at its own caret."""
    return state if state.hidden or state.typing or not text else begin(state, text)


def _taken_back(state: PanelState, before: PanelState) -> PanelState:
    """Take back what the keys of a word did; a question that grew meanwhile stays as it is."""
    both = zip(before.pages, state.pages, strict=False)
    pages = [was if was.question == now.question else now for was, now in both]
    pages += state.pages[len(pages) :]
    kept = {name: getattr(before, name) for name in TAKEN_BACK}
    return replace(state, **kept, pages=tuple(pages), aside="", warned=None)


def _taken_by(state: PanelState, action: KeyStep) -> int | None:
    """Return the row that an action takes, or None for one that takes none."""
    if action.row is not None or not action.takes or state.focus not in (Focus.REVIEW, Focus.LIST):
        return action.row
    if state.focus is Focus.REVIEW:
        return state.review_row
    page = state.page
    if state.act is not None and state.act.takes_words:
        return None  # opening a text decides nothing
    return 0 if page.is_field else page.cursor if page.cursor in page.rows else None


def _clicked(state: PanelState, row: int) -> PanelState:
    if state.page.question.acts:
        return flow.click(state, row)
    state = moves.leave_text(state)
    if state.in_review:
        if row not in state.all_tabs:
            return state
        return flow.go_on(replace(state, focus=Focus.REVIEW, review_row=row))
    if state.page.is_field:
        return moves.open_other(state)
    return moves.pick(replace(state, focus=Focus.LIST), row)

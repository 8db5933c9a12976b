"""Next, back and the end: the only places where an outcome is made."""

from __future__ import annotations

from dataclasses import replace

from ccq_tui.questions import acts, moves
from ccq_tui.questions.model import Answer
from ccq_tui.questions.outcome import Answered, Declined, Dismissed
from ccq_tui.questions.state import Focus, PanelState, resting_focus

NEEDED = "an answer is needed here · give one, or decline"


def go_on(state: PanelState) -> PanelState:
    """Take the current answer, and continue with the next question, the review, or the end."""
    if state.page.question.acts:
        return acts.send(state) if state.typing else acts.take_row(state)
    match state.focus:
        case Focus.LIST:
            return _from_list(state)
        case Focus.FIELD:
            return _from_field(state)
        case Focus.REVIEW:
            return turn_to(state, state.review_row) if state.review_row < len(state.pages) else confirm(state)
        case Focus.OTHER | Focus.DISCUSS if state.doubt is not None and state.sends_text:
            return replace(state, doubt=None, aside=f"Enter again sends “{state.text}”")
        case Focus.OTHER if state.sends_text:
            return _next(moves.leave_text(state, taken=True))
        case Focus.DISCUSS if state.sends_text:
            return replace(state, outcome=state.discussed)
        case Focus.OTHER | Focus.NOTE | Focus.FILTER | Focus.DISCUSS:
            return moves.leave_text(state, taken=True)
        case Focus.DECLINE:
            return state


def turn_to(state: PanelState, tab: int) -> PanelState:
    """Turn to a question that is asked, or the review, wrapping; the review starts on the first gap."""
    tab %= len(state.pages) + state.needs_review
    if tab not in state.all_tabs:
        return state
    gaps = state.open_tabs
    page = state.pages[tab] if tab < len(state.pages) else None
    return replace(
        state,
        tab=tab,
        focus=resting_focus(state.pages, tab),
        review_row=gaps[0] if gaps else len(state.pages),
        large=False,
        left_own=False,
        notice=page.problem if page is not None and page.is_field and page.draft.taken else "",
    )


def turn_by(state: PanelState, by: int) -> PanelState:
    """Leave the text, and turn to the next or previous question, or the review."""
    state = moves.leave_text(state)
    tabs = state.all_tabs
    return turn_to(state, tabs[(tabs.index(state.tab) + by) % len(tabs)])


def back(state: PanelState) -> PanelState:
    """Leave the text, else the filter, else the large preview, else hide; nothing is discarded."""
    if state.focus is Focus.DECLINE:
        return moves.rest(state)
    if state.focus is Focus.FILTER:
        return moves.leave_text(state.with_page(filter=""))
    if state.focus in (Focus.OTHER, Focus.NOTE, Focus.FIELD, Focus.DISCUSS):
        return moves.leave_text(state)
    if not state.in_review and state.page.filter:
        return state.with_page(filter="")
    if state.large:
        return replace(state, large=False)
    return replace(state, hidden=True)


def decline(state: PanelState) -> PanelState:
    """Ask whether to decline; if asked already, decline."""
    if state.page.question.acts:
        return acts.refuse(state)
    if state.focus is Focus.DECLINE:
        return replace(state, outcome=Declined())
    return replace(moves.leave_text(state), focus=Focus.DECLINE, large=False, notice="")


def dismiss(state: PanelState) -> PanelState:
    """Dismiss a form if the panel asks whether to decline it."""
    asked = state.questions.is_form and state.focus is Focus.DECLINE
    return replace(state, outcome=Dismissed()) if asked else state


def open_for_editor(state: PanelState) -> PanelState:
    """Open a text on purpose, for the person's own editor; if the keys act on no question there is none."""
    if state.typing:
        return replace(state, stray=None)
    if state.questions.editable:
        return state  # its surface opens the editor with that
    if state.focus is Focus.DECLINE or (state.in_review and state.review_row == len(state.pages)):
        return state
    return moves.open_other(turn_to(state, state.review_row) if state.in_review else state)


def _from_list(state: PanelState) -> PanelState:
    page = state.page
    if page.is_field:
        return moves.open_other(state)
    if page.question.closed and not page.question.options:
        return decline(state)  # nothing can be answered
    # What is selected is what is sent: where the cursor is elsewhere, Enter moves the selection first.
    moved = moves.selected_elsewhere(page) is not None
    if page.cursor == page.other_row and not page.question.closed:
        if not page.draft.other.strip():
            return moves.open_other(state)
        return moves.pick(state, page.cursor) if moved else _next(_chosen(state))
    if moved:
        return moves.pick(state, page.cursor)
    if page.cursor not in page.rows:
        # The filter hides the row: taking what cannot be seen would be no choice.
        return state.with_page(cursor=page.rows[0]) if page.rows else state
    chosen = _chosen(state)
    problem = chosen.page.problem or (NEEDED if chosen.page.lacking else "")
    return replace(chosen, aside=problem) if problem else _next(chosen)


def _chosen(state: PanelState) -> PanelState:
    """Take the row under the cursor, or a multi-select's selection; an empty one is “none of these”."""
    page = state.page
    if not page.question.multi_select:
        return moves.pick(state, page.cursor)
    return state.with_draft(taken=True)


def _from_field(state: PanelState) -> PanelState:
    page = state.page
    if page.problem:
        return replace(state, notice=page.problem)
    if not page.draft.other.strip() and not state.needs_review:
        if page.question.options and not state.arriving:
            return replace(state, outcome=Answered((Answer((page.question.options[0].label,)),)))
        return replace(state, notice="nothing typed yet · type an answer, or decline")
    if not page.draft.other.strip() and page.question.required:
        return replace(state, notice=NEEDED)
    return _next(moves.leave_text(state.with_draft(taken=True)))


def following(state: PanelState) -> int:
    """Return the tab after this one: the next gap, else the review, which points at those before it."""
    return next((tab for tab in state.gaps if tab > state.tab), len(state.pages))


def _next(state: PanelState) -> PanelState:
    """Go to the question that follows, or the review; a set that needs none is confirmed."""
    return turn_to(state, following(state)) if state.needs_review else confirm(state)


def confirm(state: PanelState) -> PanelState:
    """End a set with its answers; else turn to the question that stands against it, and say why."""
    pages = [(tab, state.pages[tab]) for tab in state.asked_tabs]
    wrong = [at for at, page in pages if page.problem and (page.draft.taken or not page.is_field)]
    if wrong:
        return _said_at(state, wrong[0], state.pages[wrong[0]].problem)
    lacking = next((at for at, page in pages if page.lacking), None)
    if lacking is not None:
        return _said_at(state, lacking, NEEDED)
    return replace(state, outcome=Answered(state.answers))


def _said_at(state: PanelState, tab: int, problem: str) -> PanelState:
    """Turn to a question, and show there why the set is not confirmed."""
    state = turn_to(state, tab)
    return replace(state, notice=problem) if state.page.is_field else replace(state, aside=problem)

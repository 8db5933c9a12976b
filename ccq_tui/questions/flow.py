"""Next, back and the end: the only places where an outcome is made."""

from dataclasses import replace

from ccq_tui.input.keynames import shown_key
from ccq_tui.questions import moves
from ccq_tui.questions.events import Event, Pressed
from ccq_tui.questions.model import Answer
from ccq_tui.questions.outcome import Answered, Declined, Dismissed
from ccq_tui.questions.state import Focus, PanelState, resting_focus

NEEDED = "an answer is needed here · give one, or decline"
KEPT = "your words are kept, not sent · Enter again sends them"


def go_on(state: PanelState) -> PanelState:
    """Take the current answer, and continue with the next question, the review, or the end."""
    if state.page.question.acts:
        return send(state) if state.typing else take_row(state)
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
        return refuse(state)
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
        return _show_problem(state, wrong[0], state.pages[wrong[0]].problem)
    lacking = next((at for at, page in pages if page.lacking), None)
    if lacking is not None:
        return _show_problem(state, lacking, NEEDED)
    return replace(state, outcome=Answered(state.answers))


def _show_problem(state: PanelState, tab: int, problem: str) -> PanelState:
    """Turn to a question, and show there why the set is not confirmed."""
    state = turn_to(state, tab)
    return replace(state, notice=problem) if state.page.is_field else replace(state, aside=problem)


# -- acts: ways to decide, taken from their rows, by their keys or with their texts ------------------------


def take(state: PanelState, row: int) -> PanelState:
    """Take an act whose row was in sight: decide, or open its text."""
    option = state.page.question.options[row]
    if option.act is not None and option.act.takes_words:
        return moves.open_words(state, row)
    return replace(state.with_page(cursor=row), outcome=Answered((Answer((option.label,)),)))


def take_row(state: PanelState) -> PanelState:
    """Take the act under the cursor."""
    if state.act is None:
        return replace(state, large=False, aside="choose with ↑↓, y or n")
    return take(state, state.page.cursor)


def take_named(state: PanelState, row: int, *, at_once: bool) -> PanelState:
    """Take an act by its key, or go to its row: what lasts, or came too early, needs Enter."""
    act, there = state.page.question.acts[row], state.with_page(cursor=row)
    if act.takes_words or (at_once and not act.lasts):
        # Opening a text decides nothing, and a letter that refuses grants nothing.
        seen = act.takes_words or not act.allows or moves.is_in_sight(state, row)
        return take(there, row) if seen else moves.sought(there, row)
    if act.lasts:
        there = moves.small(there)
    # Before a panel is drawn none of its rows is in sight, and no line is seen.
    asks = there.large or (act.allows and state.unseen and (state.large or state.in_sight))
    return there if asks else replace(there, aside="Enter takes it")


def click(state: PanelState, row: int) -> PanelState:
    """Take the act under the cursor; elsewhere move the cursor there, for a second click to confirm."""
    if row not in state.page.rows:
        return state
    if row != state.page.cursor:
        return moves.leave_text(state).with_page(cursor=row)
    seen = state.page.question.acts[row].takes_words or moves.is_in_sight(state, row)
    return take(state, row) if seen else moves.sought(state, row)


def refuse(state: PanelState) -> PanelState:
    """Go to the act that refuses without words; from a text only leave that."""
    if state.typing:
        return moves.leave_text(state)
    acts = enumerate(state.page.question.acts)
    return state.with_page(cursor=next(row for row, act in acts if not (act.allows or act.takes_words)))


def send(state: PanelState) -> PanelState:
    """Take the act whose text is open, with that."""
    row, text = state.page.cursor, state.text
    if not text.strip():
        return moves.leave_text(state)
    if not moves.is_in_sight(state, row):
        return replace(state, aside=moves.OUT_OF_SIGHT)
    if state.stray is not None:
        return replace(state, stray=None, aside=KEPT)
    if state.doubt is not None:
        return replace(state, doubt=None, aside=f"Enter again sends “{text}”")
    label = state.page.question.options[row].label
    return replace(state, outcome=Answered((Answer((label,), text),)))


def confirmed(after: PanelState, before: PanelState, event: Event) -> PanelState:
    """Ask once more before that goes ahead which was not wholly on the screen."""
    if not asks_again(replace(after, warned=before.warned)):
        return after
    key = shown_key(event.key) if isinstance(event, Pressed) else "a click"
    return replace(after, outcome=None, large=False, warned=(after.page.cursor, key))


def asks_again(state: PanelState) -> str:
    """Return the lines in words that taking the row under the cursor asks again for, or ""."""
    goes_ahead = state.questions.is_agreement or (state.act is not None and state.act.allows)
    is_warned = state.warned is not None and state.warned[0] == state.page.cursor
    return unseen_lines(state) if goes_ahead and not is_warned else ""


def unseen_lines(state: PanelState) -> str:
    """Count the lines that were never on the screen, in words; "" where all were."""
    if not state.unseen:
        return ""
    least = "over " if state.at_least else ""
    return f"{least}{state.unseen:,} {'line' if state.unseen == 1 and not least else 'lines'}"

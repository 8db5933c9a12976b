"""Ways to decide, the acts of a question: their keys, texts in their rows, and what was never in sight."""

from __future__ import annotations

from dataclasses import replace

from ccq_tui.input.keynames import shown_key
from ccq_tui.input.keys import DEFAULT, Chosen, Does, Hints, KeyPlace, key_line
from ccq_tui.questions import moves
from ccq_tui.questions.events import Event, Pressed
from ccq_tui.questions.model import Act, Answer
from ccq_tui.questions.outcome import Answered
from ccq_tui.questions.state import PanelState

NO_ROW = -1
"""The cursor of a dangerous call until it was moved."""
KEPT = "your words are kept, not sent · Enter again sends them"
WRITE, BACK = Does("write"), Does("back")
ASK = "ask again"


def under(state: PanelState) -> Act | None:
    """Return the act under the cursor; None of a dangerous call until the cursor was moved."""
    row = state.page.cursor
    return None if row == NO_ROW else state.page.question.acts[row]


def take(state: PanelState, row: int) -> PanelState:
    """Take an act whose row was in sight: decide, or open its text."""
    option = state.page.question.options[row]
    if option.act is not None and option.act.takes_words:
        return moves.open_words(state, row)
    return replace(state.with_page(cursor=row), outcome=Answered((Answer((option.label,)),)))


def take_row(state: PanelState) -> PanelState:
    """Take the act under the cursor."""
    if under(state) is None:
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
    act = under(state) if state.page.question.acts else None
    goes_ahead = state.questions.is_agreement or (act is not None and act.allows)
    is_warned = state.warned is not None and state.warned[0] == state.page.cursor
    return unseen_lines(state) if goes_ahead and not is_warned else ""


def unseen_lines(state: PanelState) -> str:
    """Count the lines that were never on the screen, in words; "" where all were."""
    if not state.unseen:
        return ""
    least = "over " if state.at_least else ""
    return f"{least}{state.unseen:,} {'line' if state.unseen == 1 and not least else 'lines'}"


def enter_words(state: PanelState) -> Does:
    """Return in so many words what Enter does."""
    act, row = under(state), state.page.cursor
    if act is None:
        return Does("")
    if state.doubt is not None:
        return Does("allow" if act.allows else "deny", f"“{state.text}”")
    if act.takes_words and not (state.typing and state.text.strip()):
        return BACK if state.typing else WRITE
    if state.typing and state.stray is not None:
        return Does("keep these words")
    unseen = unseen_lines(state) if act.allows else ""
    link = f", {unseen} unseen" if unseen else ""
    if state.large or not moves.is_in_sight(state, row) or asks_again(state):
        return Does(ASK, link=link)
    return Does(act.verb, act.about, link)


def hints(state: PanelState, *, pages: bool = False, chosen: Chosen = DEFAULT) -> Hints:
    """Return the keys worth showing with what they do, Enter first; ``pages``: some details are cut."""
    plan, large, none = bool(state.questions.editable), state.large, under(state) is None
    enter = enter_words(state)
    if state.doubt is not None:
        return (("Enter", enter), ("Tab", enter_words(moves.swap(state))), ("Esc", "keep as draft"))
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

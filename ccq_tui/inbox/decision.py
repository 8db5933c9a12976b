"""Deciding on a permission or a plan as a pure state machine, with the guard of the question panel.

Events are those of `ccq_tui.questions.events`; a decision is made by Enter or a click on the choice under the
cursor, or by its letter while nobody is writing. A lasting choice needs Enter.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ccq_tui.config.keymap import key_of
from ccq_tui.inbox.kinds import outcome_of
from ccq_tui.inbox.requests import Allowed, PermissionRequest, PlanRequest, RequestOutcome
from ccq_tui.input.gate import KeyKind
from ccq_tui.input.keynames import shown_key
from ccq_tui.input.keys import DEFAULT, Chosen, Does, Hints, KeyPlace, actions_at, key_line, row_for
from ccq_tui.questions import events as ev
from ccq_tui.questions.model import Act, Answer, Question
from ccq_tui.questions.moves import OUT_OF_SIGHT
from ccq_tui.questions.outcome import Answered
from ccq_tui.questions.state import is_text, set_off, typable

KEPT = "your words are kept, not sent · Enter again sends them"
DECISION_ACTIONS = actions_at(KeyPlace.DECISION)
TEXT, LIST = frozenset({"text"}), frozenset({"rows", "moving"})
"""Words for the table of keys while a text is open, and while none is."""
WRITE, BACK, KEEP = Does("write"), Does("back"), Does("keep these words")
ASK = "ask again"
ENTER_TAKES = "Enter takes it"
NO_ROW = -1
"""The cursor of a dangerous call until it was moved."""
CHOOSE = "choose with ↑↓, y or n"


@dataclass(frozen=True, slots=True)
class DecisionState:
    """Everything a surface needs to draw an open decision; fields as in the question panel's state.

    Attributes:
        question: The ways to decide, as options.
        cursor: The choice under the cursor, or `NO_ROW`.
        text_row: The choice for which the text was typed, or None.
        plan: The plan as the person edited it, or "" while it is as proposed.
        large: Whether the details take the place of the choices.
        in_sight: The choices on the screen, as last reported, or None for a surface that shows all.
        unseen: Number of lines of the request that were never on the screen, as last reported.
        at_least: Whether there are more of those than were counted.
        warned: The choice that the warning about unseen lines is for, or None.
        warned_by: The key that takes it now, as it is shown.
        stray: Whether a key that is no command, or a word, opened the text: Enter keeps it first.
        doubt: The letter that opened the text, if it may have begun a word instead; the row that it opened;
            and whether the word is what stands. Or None.
    """

    request: PermissionRequest | PlanRequest
    question: Question
    cursor: int = 0
    typing: bool = False
    text: str = ""
    text_row: int | None = None
    plan: str = ""
    large: bool = False
    hidden: bool = False
    notice: str = ""
    outcome: RequestOutcome | None = None
    in_sight: frozenset[int] | None = field(default=None, compare=False)
    unseen: int = field(default=0, compare=False)
    at_least: bool = field(default=False, compare=False)
    warned: int | None = None
    warned_by: str = ""
    stray: bool = False
    doubt: tuple[str, int, bool] | None = None

    @property
    def acts(self) -> tuple[Act, ...]:
        """The ways to decide."""
        return self.question.acts

    @property
    def has_draft(self) -> bool:
        """Whether there is typed text to keep."""
        return bool(self.text or self.plan)

    @property
    def current_plan(self) -> str:
        """The plan that would be approved; "" for a permission."""
        return self.plan or (self.request.plan if isinstance(self.request, PlanRequest) else "")


def decide(state: DecisionState, event: ev.Event) -> DecisionState:
    """Return the state after an event; the state itself when the event means nothing in it."""
    if state.outcome is not None:
        return state
    heard = state
    if state.warned is not None and isinstance(event, ev.Pressed | ev.Clicked | ev.TextChanged):
        heard = replace(state, warned=None, notice="")
    after = _decided(heard, event)
    return _confirmed(after, state, event) if isinstance(after.outcome, Allowed) else after


def _confirmed(after: DecisionState, before: DecisionState, event: ev.Event) -> DecisionState:
    """Ask once more before allowing what was not wholly on the screen."""
    if not before.unseen or before.warned == after.cursor:
        return after
    key = event.key if isinstance(event, ev.Pressed) else "a click"
    warned = replace(after, outcome=None, warned=after.cursor, warned_by=shown_key(key))
    return replace(warned, notice=unseen_words(warned))


def _seen(state: DecisionState, event: ev.Seen) -> DecisionState:
    state = replace(state, in_sight=event.rows, unseen=event.unseen, at_least=event.at_least)
    if state.warned is None:
        return state
    return (
        replace(state, notice=unseen_words(state)) if state.unseen else replace(state, warned=None, notice="")
    )


def _decided(state: DecisionState, event: ev.Event) -> DecisionState:
    match event:
        case ev.Seen():
            return _seen(state, event)
        case ev.Signed(words):
            return replace(state, notice=words)
        case ev.TextChanged(text):
            return (_text_edited if state.typing else _plan_edited)(state, typable(text))
        case ev.Words(text, meant):
            text = typable(text)
            if not text or state.hidden or state.typing:
                return state
            seed = set_off(state.text, text) if meant else text
            written = _type(state, seed, _text_row(state))
            return replace(written, stray=False) if meant else written
        case ev.TakenBack(before):
            seen = ev.Seen(state.in_sight or frozenset(), state.unseen, state.at_least)
            return replace(_seen(before, seen), in_sight=state.in_sight)
        case ev.Doubted(letter):
            begins = state.typing and not state.text
            return replace(state, doubt=(letter, state.cursor, False)) if begins else state
        case ev.Clicked(row) if 0 <= row < len(state.acts) and not state.hidden:
            return _clicked(state, row)
        case ev.Pressed():
            return _pressed(state, event.key, event.character, alone=event.decides)
        case _:
            return state


def kind_of(state: DecisionState, event: ev.Pressed) -> KeyKind:
    """Return what a key is to the gate."""
    action = DECISION_ACTIONS.get(event.key, "")
    if state.hidden or state.typing:
        if event.types and not state.hidden:
            return KeyKind.TEXT
        sends = action == "take" and bool(state.text.strip()) and not (state.hidden or state.stray)
        return KeyKind.DECIDE if sends else KeyKind.ACT
    if action in ("up", "down"):
        return KeyKind.MOVE
    choice = next((one for one in state.acts if one.key == event.key), None)
    if action == "choose" and choice is not None:
        return KeyKind.OPEN if choice.takes_words else KeyKind.ACT if choice.lasts else KeyKind.DECIDE
    if action == "take":
        return (
            KeyKind.ACT if state.cursor == NO_ROW or state.acts[state.cursor].takes_words else KeyKind.DECIDE
        )
    return KeyKind.ACT if action and action != "choose" else KeyKind.NONE


def enter_lasts(state: DecisionState) -> bool:
    """Whether Enter grants something for longer."""
    return not state.typing and state.cursor != NO_ROW and state.acts[state.cursor].lasts


def means_something(state: DecisionState, key: str, character: str = "") -> bool:
    """Whether the panel takes a key in a state, instead of the text field or the screen."""
    row = row_for(KeyPlace.DECISION, key, TEXT if state.typing else LIST)
    if state.hidden:
        return row is not None and row.action == "hide"
    return row is not None or (not state.typing and is_text(character))


def enter_does(state: DecisionState) -> str:
    """Return what Enter will do, in so many words."""
    choice = state.acts[state.cursor]
    if state.doubt is not None:
        return Does("allow" if choice.allows else "deny", f"“{state.text}”")
    if choice.takes_words and not (state.typing and state.text.strip()):
        return BACK if state.typing else WRITE
    if state.typing and state.stray:
        return KEEP
    unseen = unseen_lines(state) if choice.allows else ""
    if state.large or not _is_in_sight(state, state.cursor) or (unseen and state.warned != state.cursor):
        return Does(ASK, link=f", {unseen} unseen" if unseen else "")
    return Does(choice.verb, choice.about, f", {unseen} unseen" if unseen else "")


def decision_hints(state: DecisionState, *, pages: bool = False, chosen: Chosen = DEFAULT) -> Hints:
    """Return the keys worth showing with what they do, Enter first; ``pages``: some details are cut."""
    plan, large, none = isinstance(state.request, PlanRequest), state.large, state.cursor == NO_ROW
    enter = "" if none else enter_does(state)
    if state.doubt is not None:
        return (("Enter", enter), ("Tab", enter_does(_swapped(state))), ("Esc", "keep as draft"))
    if state.typing:
        said, leave = {"ctrl+g": "editor"}, "keep as draft" if state.text.strip() else "back"
    else:
        hidden = large or none or (state.in_sight is not None and len(state.in_sight) < len(state.acts))
        allow, deny = ("approve", "keep planning") if plan else ("allow", "deny")
        leave = "small again" if large else "hide"
        said = {
            "up": "", "down": "", "y": allow if hidden and not large else "", "n": deny if hidden else "",
            "space": "page" if pages and not large else "", "p": "all" if pages and not large else "",
            "pagedown": "page" if plan and state.unseen and not pages else "",
            "ctrl+g": "edit" if plan else "",
        }  # fmt: skip
    words = TEXT if state.typing else LIST | {"plan"}
    line = key_line(KeyPlace.DECISION, words, said, chosen, enter=enter, leave=leave)
    if none:
        return (("↑↓", "choose"), *line)
    return (line[0], ("PgUp PgDn", "page"), *line[1:]) if large and pages else line


def unseen_lines(state: DecisionState) -> str:
    """Count the lines that were never on the screen, in words; "" where all were."""
    if not state.unseen:
        return ""
    least = "over " if state.at_least else ""
    return f"{least}{state.unseen:,} {'line' if state.unseen == 1 and not least else 'lines'}"


def unseen_words(state: DecisionState, *, short: bool = False) -> str:
    """Return the warning: the number of unseen lines, how to see them, and the key that decides anyway."""
    plan, lines = isinstance(state.request, PlanRequest), unseen_lines(state)
    one = lines == "1 line"
    key = key_of("page_down") if plan else "Shift+PgDn" if state.typing else "Space"
    how = f"{key} shows {'it' if one else 'them'}"
    again = f"{state.warned_by} again {'approves' if plan else 'allows'}"
    if short:
        return f"{again} {lines.replace(' line', ' unseen line')}"
    return f"{lines} {'was' if one else 'were'} never on the screen · {how} · {again}"


def _text_edited(state: DecisionState, text: str) -> DecisionState:
    """Take a text as it is now; an edit at its front is no word that a letter began."""
    doubt = state.doubt if text[:1] == (state.text or text)[:1] else None
    return replace(state, text=text, notice="", doubt=doubt)


def _plan_edited(state: DecisionState, text: str) -> DecisionState:
    """Take a plan from the person's editor; an empty or unchanged one restores the proposed plan."""
    if not isinstance(state.request, PlanRequest):
        return state
    same = text.strip() == state.request.plan.strip()
    notice = "an empty plan cannot be approved · the proposed plan is back" if not text.strip() else ""
    return replace(state, plan="" if same or notice else text, notice=notice)


def _clicked(state: DecisionState, row: int) -> DecisionState:
    """Take the choice under the cursor; elsewhere move the cursor there, for a second click to confirm."""
    return _take(state, row) if row == state.cursor else replace(state, cursor=row, typing=False, notice="")


def _pressed(state: DecisionState, key: str, character: str, *, alone: bool) -> DecisionState:
    action = DECISION_ACTIONS.get(key, "")
    if action == "hide":
        return replace(state, hidden=not state.hidden, notice="")
    if state.hidden:
        return state
    if state.typing:
        return _done_in_text(state, action)
    if action == "choose":
        return _chosen(state, key, character, alone=alone)
    return _done_on_list(state, action, character)


def _done_in_text(state: DecisionState, action: str) -> DecisionState:
    if action == "leave_text" and state.doubt is not None:
        return _swapped(state)
    if action in ("leave", "leave_text", "deny") or (action == "take" and not state.text.strip()):
        return replace(state, typing=False, notice="", doubt=None)
    if action != "take":
        return state
    if not _is_in_sight(state, state.cursor):
        return replace(state, notice=OUT_OF_SIGHT)
    if state.stray:
        return replace(state, stray=False, notice=KEPT)
    if state.doubt is not None:
        return replace(state, doubt=None, notice=f"Enter again sends “{state.text}”")
    return replace(state, outcome=_outcome(state, state.cursor, state.text))


def _done_on_list(state: DecisionState, action: str, character: str) -> DecisionState:
    last = len(state.acts) - 1
    match action:
        case "up" | "down":
            by = -1 if action == "up" else 1
            start = max(state.cursor, 0) if by < 0 else state.cursor
            return replace(state, cursor=(start + by) % len(state.acts), notice="")
        case "first" | "last":
            return replace(state, cursor=0 if action == "first" else last, notice="")
        case "take" if state.cursor == NO_ROW:
            return replace(state, large=False, notice=CHOOSE)
        case "take":
            return _take(state, state.cursor)
        case "deny":
            return replace(state, cursor=next(i for i, one in enumerate(state.acts) if one.key == "n"))
        case "enlarge":
            return replace(state, large=not state.large, notice="")
        case "leave":
            return replace(state, large=False, hidden=not state.large, notice="")
        case "edit":
            # The surface opens the editor with the plan, if there is one, else with the text.
            return state if state.current_plan else _type(state, "", _text_row(state))
        case _ if is_text(character) and character != " ":
            return _type(state, character, _text_row(state))
        case _:
            return state


def _chosen(state: DecisionState, key: str, character: str, *, alone: bool) -> DecisionState:
    index = next((index for index, choice in enumerate(state.acts) if choice.key == key), None)
    if index is None:
        # A digit without a choice was meant for one that is not offered: do not type it.
        silent = key.isdigit() or not is_text(character)
        return state if silent else _type(state, character, _text_row(state))
    choice, there = state.acts[index], replace(state, cursor=index, notice="")
    at_once = choice.takes_words or (alone and not choice.lasts)
    if at_once:
        return _take(there, index, named=True)
    # Before a panel is drawn none of its rows is in sight, and no line is seen.
    asks = state.large or (choice.allows and state.unseen and state.in_sight)
    return there if asks else replace(there, notice=ENTER_TAKES)


def _swapped(state: DecisionState) -> DecisionState:
    """Read what was typed behind a letter the other way: as its text, or as the own words of a denial."""
    if state.doubt is None:
        return state
    letter, row, is_word = state.doubt
    denial = next(at for at, one in enumerate(state.acts) if one.takes_words and not one.allows)
    there, text = (row, state.text.removeprefix(letter)) if is_word else (denial, letter + state.text)
    return replace(state, cursor=there, text_row=there, text=text, doubt=(letter, row, not is_word))


def _is_in_sight(state: DecisionState, index: int) -> bool:
    return state.in_sight is None or index in state.in_sight


def _take(state: DecisionState, index: int, *, named: bool = False) -> DecisionState:
    if state.large:
        state = replace(state, large=False, in_sight=frozenset())
    choice = state.acts[index]
    # Opening a text decides nothing, and a letter that denies grants nothing.
    harmless = choice.takes_words or (named and not choice.allows)
    if not harmless and not _is_in_sight(state, index):
        # The surface scrolls the choice under the cursor into sight.
        return replace(state, cursor=index, notice=OUT_OF_SIGHT)
    if choice.takes_words:
        return _type(state, "", index)
    return replace(state, outcome=_outcome(state, index))


def _outcome(state: DecisionState, index: int, words: str = "") -> RequestOutcome:
    answer = Answer((state.question.options[index].label,), words)
    return outcome_of(state.request, Answered((answer,)), state.plan)


def _text_row(state: DecisionState) -> int:
    """Return the choice whose text an otherwise meaningless key opens: a denial does no harm."""
    if state.cursor != NO_ROW and state.acts[state.cursor].takes_words:
        return state.cursor
    return next(index for index, choice in enumerate(state.acts) if choice.takes_words and not choice.allows)


def _type(state: DecisionState, seed: str, row: int) -> DecisionState:
    text = state.text + seed
    typed = replace(state, cursor=row, typing=True, text=text, text_row=row, notice="")
    return replace(typed, stray=bool(seed), large=False)

"""Moving, selecting and typing within a page: no step here confirms anything."""

from collections.abc import Iterable
from dataclasses import replace

from ccq_tui.questions.limits import in_one_line
from ccq_tui.questions.model import Answer
from ccq_tui.questions.state import Draft, Focus, Page, PanelState, resting_focus

OUT_OF_SIGHT = "the row was out of sight · press again to choose it"
KEPT = "your words are kept, not sent · Enter again takes them"
NO_TEXT = "no text is taken here · open a question to change its answer"
CLOSED = "choose one of the options · the question takes no text of your own"


def move(state: PanelState, by: int) -> PanelState:
    """Move the cursor by ``by`` rows, wrapping at both ends."""
    if state.in_review:
        shown = state.all_tabs
        return replace(state, review_row=shown[(shown.index(state.review_row) + by) % len(shown)])
    rows = state.page.rows
    if not rows:
        return state
    if state.page.cursor not in rows:
        return state.with_page(cursor=rows[0] if by > 0 else rows[-1])
    return state.with_page(cursor=rows[(rows.index(state.page.cursor) + by) % len(rows)])


def move_to_edge(state: PanelState, *, last: bool) -> PanelState:
    """Move the cursor to the first or the last row."""
    if state.in_review:
        return replace(state, review_row=state.all_tabs[-1 if last else 0])
    rows = state.page.rows
    return state.with_page(cursor=rows[-1 if last else 0]) if rows else state


def is_in_sight(state: PanelState, row: int) -> bool:
    """Return whether a row of the tab shown is on the screen, as far as its surface can scroll it away."""
    if state.large and state.page.question.acts:
        return False
    return state.in_sight is None or row in state.in_sight


def sought(state: PanelState, row: int) -> PanelState:
    """Put the cursor on a row that is out of sight, for its surface to bring it back, and take nothing."""
    if state.page.question.acts:
        return replace(small(state).with_page(cursor=row), aside=OUT_OF_SIGHT)
    if state.in_review:
        return replace(state, review_row=row, aside=OUT_OF_SIGHT)
    return replace(state if state.page.is_field else state.with_page(cursor=row), aside=OUT_OF_SIGHT)


def pick(state: PanelState, row: int) -> PanelState:
    """Move to a row and select it, or toggle it in a multi-select; a row that is not shown does nothing."""
    page = state.page
    if state.in_review or page.is_field or row not in page.rows:
        return state
    state = state.with_page(cursor=row)
    if row == page.other_row:
        return _pick_other(state)
    if not page.question.multi_select:
        return _selected(state, (row,), other_on=False)
    return _selected(state, set(page.draft.selected) ^ {row})


def selected_elsewhere(page: Page) -> int | None:
    """Return the selected row of a single select if the cursor is on another one, or None."""
    draft = page.draft
    if page.is_field or page.question.multi_select or page.cursor not in page.rows:
        return None
    selected = page.other_row if draft.other_on else draft.selected[0] if draft.selected else None
    return None if selected == page.cursor else selected


def mark(state: PanelState) -> PanelState:
    """Select the row under the cursor and stay; "Other" opens its text, an optional choice is taken back."""
    if state.page.is_field or state.page.cursor == state.page.other_row:
        return open_other(state)
    page = state.page
    if page.question.field is not None and not (page.question.multi_select or page.question.required):
        taken_back = page.draft.selected == (page.cursor,)
        return _selected(state, ()) if taken_back else pick(state, page.cursor)
    return pick(state, page.cursor)


def taken_over(page: Page, answer: Answer) -> Draft:
    """Return the draft of a page with an earlier answer in it.

    Text that was typed here stays: an earlier text is used only if there is none, and one that was no part of
    the answer does not become one. Options that are no longer offered are left out.
    """
    draft, question = page.draft, page.question
    note, text = draft.note or answer.note, answer.other or answer.unselected
    if page.is_field:
        if page.typed or not text:
            return replace(draft, note=note)
        return replace(draft, other=text, taken=bool(answer.other), note=note)
    selected = tuple(index for index, one in enumerate(question.options) if one.label in answer.selected)
    if text and not draft.other.strip():
        draft = replace(draft, other=text)
    other_on = bool(answer.other) and draft.other == answer.other
    if question.multi_select:
        other_on = other_on or draft.other_on
    else:
        selected = () if other_on else selected[:1]
    if not (selected or other_on):
        return replace(draft, note=note)
    return replace(draft, selected=selected, other_on=other_on, note=note, taken=True)


def page_taken_over(page: Page, answer: Answer) -> Page:
    """Return a page with an earlier answer in its draft, and the cursor on it."""
    draft, row = taken_over(page, answer), page.cursor
    if not page.is_field and draft != page.draft:
        row = draft.selected[0] if draft.selected else page.other_row if draft.other_on else row
    return replace(page, draft=draft, cursor=row)


def page_answered(page: Page, answer: Answer) -> Page:
    """Return a page with an answer, or left empty on purpose, in place of its draft.

    Its note stays, and own words that are no part of the answer, which a review names.
    """
    kept = "" if page.is_field or answer.other else page.draft.other
    fresh = replace(page, draft=Draft(other=kept, note=answer.note or page.draft.note, taken=True), filter="")
    return page_taken_over(fresh, answer) if answer.given else fresh


def take_over(state: PanelState) -> PanelState:
    """Put an earlier answer into the draft; nothing is confirmed."""
    if state.before is None:
        return state
    return state.shown_as(replace(page_taken_over(state.page, state.before.answer), filter=""))


def mark_all(state: PanelState) -> PanelState:
    """Select all options shown, or none of them when all are selected already."""
    page = state.page
    if state.in_review or page.is_field or not page.question.multi_select:
        return state
    shown = {row for row in page.rows if row != page.other_row}
    before = set(page.draft.selected)
    return _selected(state, before - shown if shown <= before else before | shown)


def open_other(state: PanelState, seed: str = "") -> PanelState:
    """Go to the custom text, the field or, from the review, the discussion, with ``seed`` at its end.

    A seed typed on another row selects nothing. Among acts it is the text of one that takes words.
    """
    if state.page.question.acts:
        return open_words(state, words_row(state), seed)
    if state.in_review:
        if not (seed and state.questions.takes_prose):
            return replace(state, aside=NO_TEXT) if seed else state
        state = replace(state, discussion=state.discussion + seed, stray=state.review_row)
        return replace(state, focus=Focus.DISCUSS, large=False, notice="")
    if state.page.question.closed:
        return replace(state, aside=CLOSED) if state.page.question.options else state
    field = state.page.is_field
    stray = state.page.cursor if seed and (field or state.page.cursor != state.page.other_row) else None
    if not field:
        state = state.with_page(cursor=state.page.other_row)
    if seed:
        state = state.with_draft(other=state.page.draft.other + seed)
    focus = Focus.FIELD if field else Focus.OTHER
    return replace(state, focus=focus, large=False, notice="", stray=stray)


def words_row(state: PanelState, *, refusing: bool = False) -> int:
    """Return the act whose text other keys open: that under the cursor, else a refusal: it does no harm."""
    if not refusing and state.act is not None and state.act.takes_words:
        return state.page.cursor
    acts = enumerate(state.page.question.acts)
    return next(row for row, act in acts if act.takes_words and not act.allows)


def open_words(state: PanelState, row: int, seed: str = "") -> PanelState:
    """Open the text of an act in its row, with ``seed`` at its end."""
    draft = replace(state.page.draft, other=state.page.draft.other + seed, text_row=row)
    state = small(state).with_page(cursor=row, draft=draft)
    return replace(state, focus=Focus.OTHER, notice="", stray=row if seed else None)


def small(state: PanelState) -> PanelState:
    """Show the acts again in place of what was enlarged: until they are drawn, none is in sight."""
    return replace(state, large=False, in_sight=frozenset()) if state.large else state


def add_words(state: PanelState, words: str) -> PanelState:
    """Put words that are meant as such behind those that are there; a proposal is replaced."""
    if not state.in_review and state.page.is_field and not state.page.typed:
        state = state.with_draft(other="")
    kept = state.discussion if state.in_review else state.page.draft.other
    blank = "" if not kept or kept[-1].isspace() else " "
    return replace(open_other(state, blank + words), stray=None)


def open_text(state: PanelState, focus: Focus) -> PanelState:
    """Go to the note, the filter or the discussion."""
    if focus is not Focus.DISCUSS and state.in_review:
        return state
    if focus is not Focus.FILTER and not state.questions.takes_prose:
        return state
    if focus is Focus.FILTER and state.page.is_field:
        return state
    return replace(state, focus=focus, large=False, notice="")


def set_text(state: PanelState, text: str) -> PanelState:
    """Put ``text`` into the open field; without an open field nothing changes."""
    if state.doubt is not None and text[:1] != (state.text or text)[:1]:
        state = replace(state, doubt=None)  # an edit at its front is no word that the letter began
    match state.focus:
        case Focus.OTHER | Focus.FIELD:
            if state.one_line:
                text = in_one_line(text)
            taken = state.page.draft.taken or state.stray is None
            if state.focus is Focus.OTHER:
                return replace(state.with_draft(other=text), notice="")
            return replace(state.with_draft(other=text, taken=taken and bool(text.strip())), notice="")
        case Focus.NOTE:
            return replace(state.with_draft(note=text), notice="")
        case Focus.FILTER:
            state = state.with_page(filter=text)  # the cursor stays on a row that is shown
            rows = state.page.rows
            return state if state.page.cursor in rows or not rows else state.with_page(cursor=rows[0])
        case Focus.DISCUSS:
            return replace(state, discussion=text, notice="")
        case _:
            return _edited(state, text)


def _edited(state: PanelState, text: str) -> PanelState:
    """Take a text of the set as changed; an empty or unchanged one restores what was proposed."""
    if not state.questions.editable:
        return state
    same = text.strip() == state.questions.editable.strip()
    aside = "" if text.strip() else "an empty plan cannot be approved · the proposed plan is back"
    return replace(state, edited="" if same or aside else text, aside=aside)


def leave_text(state: PanelState, *, taken: bool = False) -> PanelState:
    """Leave the open text; ``taken`` by Enter, which takes nothing from an empty one.

    Custom text that is not empty becomes selected, unless a stray key opened it: that takes Enter; the text
    of an act is one only once it is sent.
    """
    if state.focus is Focus.OTHER and state.page.question.acts:
        return replace(state, focus=Focus.LIST, notice="", stray=None, doubt=None)
    taken = taken and bool(state.text.strip())
    left_own = state.left_own or state.focus is Focus.OTHER
    if state.focus is Focus.OTHER:
        if taken or state.stray is None:
            state = _take_other(state)
        else:
            state = _drop_empty(state).with_page(cursor=state.stray)
    elif state.focus is Focus.FIELD and state.stray is None and state.page.unselected:
        state = state.with_draft(taken=True)
    notice = state.page.problem if state.focus is Focus.FIELD else ""
    rest = Focus.REVIEW if state.in_review else Focus.LIST
    aside = state.aside
    if taken and state.stray is not None and state.in_review:
        # There, Enter acts on the row under the cursor.
        aside = "your words are kept, not sent · c continues them"
    elif taken and state.stray is not None and not state.page.is_field:
        aside = KEPT
    return replace(state, focus=rest, notice=notice, stray=None, doubt=None, aside=aside, left_own=left_own)


def swap(state: PanelState) -> PanelState:
    """Read what was typed behind a letter the other way: as the text that it opened, or as own words."""
    doubt, text = state.doubt, state.text
    if doubt is None:
        return state
    if state.page.question.acts:
        row = doubt.row if doubt.is_word else words_row(state, refusing=True)
        text = text.removeprefix(doubt.letter) if doubt.is_word else doubt.letter + text
        draft = replace(state.page.draft, other=text, text_row=row)
        return replace(
            state.with_page(cursor=row, draft=draft), doubt=replace(doubt, is_word=not doubt.is_word)
        )
    after = set_text(state, "")
    if doubt.is_word:
        after = after if after.in_review else after.with_page(cursor=doubt.row)
        after = set_text(replace(after, focus=doubt.focus), text.removeprefix(doubt.letter))
        return replace(after, doubt=replace(doubt, is_word=False))
    after = open_other(replace(after, focus=resting_focus(state.pages, state.tab)), doubt.letter + text)
    return replace(after, stray=None, doubt=replace(doubt, is_word=True))


def rest(state: PanelState) -> PanelState:
    """Move the focus back to its default on the tab shown."""
    return replace(state, focus=resting_focus(state.pages, state.tab), notice="", stray=None)


def _pick_other(state: PanelState) -> PanelState:
    draft = state.page.draft
    if not draft.other.strip():
        return open_other(state)
    multi = state.page.question.multi_select
    return _selected(state, draft.selected if multi else (), other_on=not (multi and draft.other_on))


def _selected(state: PanelState, rows: Iterable[int], *, other_on: bool | None = None) -> PanelState:
    """Select rows; nothing selected is “none of these” only once a person goes on from it."""
    on, selected = state.page.draft.other_on if other_on is None else other_on, tuple(sorted(rows))
    return state.with_draft(selected=selected, other_on=on, taken=bool(selected or on))


def _drop_empty(state: PanelState) -> PanelState:
    """Deselect custom text that is empty."""
    draft = state.page.draft
    kept = draft.other.strip() or not draft.other_on
    return state if kept else _selected(state, draft.selected, other_on=False)


def _take_other(state: PanelState) -> PanelState:
    page = state.page
    if not page.draft.other.strip():
        return _drop_empty(state)
    return _selected(state, page.draft.selected if page.question.multi_select else (), other_on=True)

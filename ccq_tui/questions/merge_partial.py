"""Grows the state of an open set while the set is still being written; nothing a person did is lost."""

from collections.abc import Iterable
from dataclasses import replace

from ccq_tui.questions.model import Question, QuestionSet
from ccq_tui.questions.moves import page_taken_over
from ccq_tui.questions.state import Arriving, Focus, Page, PanelState, first_page, opened, resting_focus

NOT_COMPLETE = "Kept · still arriving: confirm once it is complete"
NOT_ASKED = "Kept · not asked yet: confirm once it is"
ALL_HERE = "The question is complete now"
BACK_AGAIN = "Your earlier draft is back"
GOOD_NEWS = frozenset({ALL_HERE, BACK_AGAIN})


def begun(questions: QuestionSet, arriving: Arriving | None, earlier: Iterable[Page] = ()) -> PanelState:
    """Return the first state of a set of which only a part is here, or all of it if ``arriving`` is None.

    The drafts in pages of closed sets (``earlier``) come back if the question is the same.
    """
    return grown(replace(opened(questions), arriving=Arriving()), questions, arriving, earlier=earlier)


def grown(
    state: PanelState,
    questions: QuestionSet,
    arriving: Arriving | None,
    *,
    seen: bool = False,
    earlier: Iterable[Page] = (),
) -> PanelState:
    """Return the state with more of its set in it; selections, texts, notes and the cursor stay.

    ``arriving`` is None once the set is asked. ``seen``: a person looks at the page shown, so that its
    cursor must not jump. The drafts in pages of closed sets (``earlier``) come back once the same
    question is complete.
    """
    if state.outcome is not None:
        return state
    old = state.pages
    pages = tuple(
        _grown_page(old[index], question, looked_at=seen and index == state.tab)
        if index < len(old)
        else first_page(question)
        for index, question in enumerate(questions.questions)
    )
    before = state.arriving.complete if state.arriving is not None else len(old)
    now = arriving.complete if arriving is not None else len(pages)
    pages, came_back = _brought_back(pages, range(before, now), tuple(earlier))
    tab = len(pages) if state.in_review else min(state.tab, len(pages) - 1)
    return replace(
        state,
        questions=questions,
        pages=pages,
        tab=tab,
        focus=_focus(state, pages, tab),
        review_row=_review_row(state, pages),
        arriving=arriving,
        stray=_stray(state, pages, tab),
        aside=BACK_AGAIN if came_back else _aside(state.aside, arriving),
    )


def _grown_page(page: Page, question: Question, *, looked_at: bool) -> Page:
    untouched = page == first_page(page.question)
    fresh = first_page(question)
    if untouched and (fresh.is_field or not looked_at):
        return fresh
    last = len(question.options)
    selected = tuple(index for index in page.draft.selected if index < last)
    cursor = last if page.cursor == page.other_row and not page.is_field else min(page.cursor, last)
    draft = page.draft
    if fresh.is_field and not page.is_field:
        # It looked like a list at first: what was typed is the answer all the same.
        draft = replace(draft, other_on=False, taken=draft.other_on)
        cursor = 0
    # Nobody has said of options that were not there yet that none is wanted.
    same = (question.kind, question.options) == (page.question.kind, page.question.options)
    taken = draft.taken and (fresh.is_field or same or bool(selected or draft.other_on))
    draft = replace(draft, selected=selected, taken=taken)
    return replace(page, question=question, draft=draft, cursor=cursor)


def _brought_back(
    pages: tuple[Page, ...], complete: range, earlier: tuple[Page, ...]
) -> tuple[tuple[Page, ...], bool]:
    """Put earlier drafts into questions that have just become complete and that nobody has answered yet."""
    made = list(pages)
    for index in complete:
        page = pages[index]
        found = next((one for one in reversed(earlier) if one.question.text == page.question.text), None)
        first = first_page(page.question)
        if found is not None and page.draft == first.draft and not found.proposed:
            back = page_taken_over(page, found.as_answer())
            # Enter takes the row under the cursor: unless a person moved it, it is the one that came back.
            made[index] = back if page.cursor == first.cursor else replace(back, cursor=page.cursor)
    after = tuple(made)
    return after, after != pages


def _review_row(state: PanelState, pages: tuple[Page, ...]) -> int:
    """Keep the row, but go from "Submit answers" to a new question: it must be seen first."""
    if state.review_row < len(state.pages):
        return min(state.review_row, len(pages))
    return next(
        (index for index in range(len(state.pages), len(pages)) if not pages[index].answered), len(pages)
    )


def _focus(state: PanelState, pages: tuple[Page, ...], tab: int) -> Focus:
    """Keep the focus, unless the question turned out to be of another kind."""
    if state.in_review or pages[tab].is_field == state.pages[state.tab].is_field:
        return state.focus
    return resting_focus(pages, tab) if state.focus in (Focus.LIST, Focus.OTHER, Focus.FIELD) else state.focus


def _stray(state: PanelState, pages: tuple[Page, ...], tab: int) -> int | None:
    """Keep the row to which a text goes back; "Other" stays the last one."""
    if state.stray is None or state.in_review:
        return state.stray
    was_other = state.stray == state.pages[state.tab].other_row
    return pages[tab].other_row if was_other else min(state.stray, pages[tab].other_row)


def _aside(aside: str, arriving: Arriving | None) -> str:
    if aside not in (NOT_COMPLETE, NOT_ASKED):
        return aside
    if arriving is None:
        return ALL_HERE
    return NOT_ASKED if arriving.whole else NOT_COMPLETE

"""One draft on several surfaces: what another one changed is shown here, and nothing typed here is lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ccq_tui.inbox.actors import Actor
from ccq_tui.inbox.decision import DecisionState
from ccq_tui.inbox.port import DraftUpdated
from ccq_tui.inbox.waiting_line import Draft, first_draft
from ccq_tui.questions.state import TEXT_FOCUSES, Focus, Page, PanelState


def followed(mine: Draft, change: DraftUpdated, at: float) -> Draft:
    """Return the draft of a surface once another one has changed it.

    Each question, a discussion, a decision's text and an edited plan are taken as they are on disk, unless

    - their text is open here: it is somebody's who writes,
    - or they were changed here and that is not on disk yet: it is newer, and will be news there.

    Where the cursor is, and what is open, stays.

    Args:
        mine: The draft as it is here.
        change: What was changed.
        at: The time: what would confirm within a moment is held back, as nobody has seen it.

    Returns:
        The draft to show; ``mine`` itself where nothing is new.
    """
    theirs, before = change.draft, change.known or (first_draft(change.request),)
    if mine.outcome is not None:
        return mine
    if isinstance(mine, PanelState) and isinstance(theirs, PanelState):
        panels = [draft for draft in before if isinstance(draft, PanelState)]
        return mine if mine.arriving is not None else _panel(mine, theirs, panels, at)
    if isinstance(mine, DecisionState) and isinstance(theirs, DecisionState):
        decisions = [draft for draft in before if isinstance(draft, DecisionState)]
        return _decision(mine, theirs, decisions, at)
    return mine


def _panel(mine: PanelState, theirs: PanelState, known: Sequence[PanelState], at: float) -> PanelState:
    def page(place: int, own: Page) -> Page:
        writes = mine.focus in TEXT_FOCUSES and mine.focus is not Focus.DISCUSS and place == mine.tab
        if writes or own.draft not in [draft.pages[place].draft for draft in known]:
            return own
        return replace(own, draft=theirs.pages[place].draft)

    pages = tuple(page(place, own) for place, own in enumerate(mine.pages))
    discussion = mine.discussion
    if mine.focus is not Focus.DISCUSS and discussion in [draft.discussion for draft in known]:
        discussion = theirs.discussion
    if (pages, discussion) == (mine.pages, mine.discussion):
        return mine
    return replace(mine, pages=pages, discussion=discussion, changed_at=at, notice="", warned_at=None)


def _decision(
    mine: DecisionState, theirs: DecisionState, known: Sequence[DecisionState], at: float
) -> DecisionState:
    after = mine
    if not mine.typing and (mine.text, mine.text_row) in [(draft.text, draft.text_row) for draft in known]:
        after = replace(after, text=theirs.text, text_row=theirs.text_row)
    if mine.plan in [draft.plan for draft in known]:
        after = replace(after, plan=theirs.plan)
    if after == mine:
        return mine
    # Nothing is decided with what nobody has seen: keys begin anew as in a panel that has just come.
    return replace(after, notice="", warned=None, guard=replace(mine.guard, shown_at=at))


def replaced(before: Draft, after: Draft, change: DraftUpdated) -> str:
    """Return the texts that were typed here and that another surface replaced, or "".

    Args:
        before: The draft as it was here.
        after: The draft that is shown in its place.
        change: What was changed.
    """
    written = [_texts(draft) for draft in change.written]
    gone = [
        own
        for place, (own, new) in enumerate(zip(_texts(before), _texts(after), strict=True))
        if own.strip() and own not in new and any(texts[place] == own for texts in written)
    ]
    return "\n\n".join(gone)


def _texts(draft: Draft) -> list[str]:
    if isinstance(draft, DecisionState):
        return [draft.text, draft.plan]
    pages = (text for page in draft.pages for text in (page.draft.other, page.draft.note))
    return [draft.discussion, *pages]


def draft_words(actor: Actor | None) -> str:
    """Say that a draft was changed, and who did it."""
    return f"The draft was changed {actor.where_from_here if actor else 'on another surface'}"

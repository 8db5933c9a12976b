"""The fields of a draft: each is changed, written and merged by itself."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from ccq_tui.inbox.decision import DecisionState
from ccq_tui.inbox.waiting_line import Draft, first_draft
from ccq_tui.questions.state import TEXT_FOCUSES, Focus, Page, PanelState, opened

DraftField = tuple[int, str]
"""A question's place, from 0, and the part of its answer; `NO_QUESTION` for what belongs to none."""
NO_QUESTION = -1

DraftFields = Mapping[DraftField, object]
"""The value of each field."""


def fields_of(draft: Draft) -> dict[DraftField, object]:
    """Return the value of each field; the cursor and the open text belong to none."""
    if isinstance(draft, DecisionState):
        text = (draft.text, draft.text_row)
        return {(NO_QUESTION, "text"): text, (NO_QUESTION, "plan"): draft.plan}
    found: dict[DraftField, object] = {(NO_QUESTION, "discussion"): draft.discussion}
    for place, page in enumerate(draft.pages):
        answer = page.draft
        found[place, "selected"] = (answer.selected, answer.none)
        found[place, "other"] = (answer.other, answer.other_on, answer.taken)
        found[place, "note"] = answer.note
    return found


def texts_of(draft: Draft) -> dict[DraftField, str]:
    """Return the text of each field that has one."""
    if isinstance(draft, DecisionState):
        return {(NO_QUESTION, "text"): draft.text, (NO_QUESTION, "plan"): draft.plan}
    found = {(NO_QUESTION, "discussion"): draft.discussion}
    for place, page in enumerate(draft.pages):
        found |= {(place, "other"): page.draft.other, (place, "note"): page.draft.note}
    return found


def untouched(draft: Draft) -> Draft:
    """Return the draft with which its request opens, before anything is entered."""
    if isinstance(draft, PanelState):
        return opened(draft.questions, draft.asker)
    return first_draft(draft.request)


def changed(draft: Draft, before: Draft | None = None) -> frozenset[DraftField]:
    """Return the fields that differ from ``before``, or without it from an untouched draft."""
    fields, was = fields_of(draft), fields_of(untouched(draft) if before is None else before)
    if fields.keys() - was.keys():
        was = fields_of(untouched(draft)) | was
    return frozenset(name for name, value in fields.items() if was[name] != value)


def open_field(draft: Draft) -> DraftField | None:
    """Return the field whose text is open, or None."""
    if isinstance(draft, DecisionState):
        return (NO_QUESTION, "text") if draft.typing else None
    if draft.focus not in TEXT_FOCUSES or draft.focus is Focus.FILTER:
        return None
    if draft.focus is Focus.DISCUSS:
        return (NO_QUESTION, "discussion")
    return (draft.tab, "note" if draft.focus is Focus.NOTE else "other")


def with_fields(mine: Draft, theirs: Draft, names: Collection[DraftField]) -> Draft:
    """Return ``mine`` with the named fields of ``theirs``, a draft of the same request."""
    if isinstance(mine, DecisionState) and isinstance(theirs, DecisionState):
        if (NO_QUESTION, "text") in names:
            mine = replace(mine, text=theirs.text, text_row=theirs.text_row)
        return replace(mine, plan=theirs.plan) if (NO_QUESTION, "plan") in names else mine
    if not isinstance(mine, PanelState) or not isinstance(theirs, PanelState):
        raise TypeError("the drafts are of different requests")
    pages = tuple(
        _page(own, other, {name for at, name in names if at == place})
        for place, (own, other) in enumerate(zip(mine.pages, theirs.pages, strict=True))
    )
    whose = theirs if (NO_QUESTION, "discussion") in names else mine
    return replace(mine, pages=pages, discussion=whose.discussion)


def _page(mine: Page, theirs: Page, names: Collection[str]) -> Page:
    draft, other = mine.draft, theirs.draft
    if "selected" in names:
        draft = replace(draft, selected=other.selected, none=other.none)
    if "other" in names:
        draft = replace(draft, other=other.other, other_on=other.other_on, taken=other.taken)
    if "note" in names:
        draft = replace(draft, note=other.note)
    if draft.selected and draft.other_on and not mine.question.multi_select:
        # The field kept from mine is newer than the one taken.
        newer = "other" if "selected" in names else "selected"
        draft = replace(draft, other_on=False) if newer == "selected" else replace(draft, selected=())
    return replace(mine, draft=draft)

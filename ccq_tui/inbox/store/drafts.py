"""Drafts as JSON, and back into the state of a request as far as they still fit it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ccq_tui.inbox.draft import Draft, first_draft
from ccq_tui.inbox.requests import Request
from ccq_tui.inbox.store.encoding import StoredFormatError, dump, parse, plain
from ccq_tui.questions.state import NO_ROW, Focus, Page, PanelState, resting_focus, typable
from ccq_tui.questions.state import Draft as AnswerDraft
from ccq_tui.text import one_line

MOST_CHARACTERS = 2_000_000
"""Most characters of one stored text that are restored."""
MOST_NAMED = 5
"""Most answers that are named when a form no longer takes them."""
KEPT_OPEN = (Focus.OTHER, Focus.NOTE, Focus.FIELD, Focus.DISCUSS)
"""Texts that open again when a draft is restored."""


def draft_to_json(state: Draft) -> str:
    """Write a draft's selections and texts, and its cursor."""
    return dump(_of_decision(state) if state.page.question.acts else _of_panel(state))


def with_draft(request: Request, text: str) -> Draft:
    """Return the state in which a request opens with a draft in it.

    The open text of a question set opens again. A decision opens on its list: it must be made again.
    """
    state = first_draft(request)
    try:
        stored = parse(text)
    except StoredFormatError:
        return state
    return _decision(state, stored) if state.page.question.acts else _panel(state, stored)


def _of_panel(state: PanelState) -> dict[str, Any]:
    return {
        "pages": [_of_page(page) for page in state.pages],
        "tab": state.tab,
        "review_row": state.review_row,
        "discussion": state.discussion,
        "open": str(state.focus) if state.focus in KEPT_OPEN else "",
        "stray": state.stray,
    }


def _of_page(page: Page) -> dict[str, Any]:
    selected = [[index, page.question.options[index].label] for index in page.draft.selected]
    # Older programs read `none` of an empty multi-select.
    typed = plain(page.draft) | {"selected": selected, "none": page.draft.taken and page.is_empty}
    del typed["text_row"]  # of a decision alone
    return {"question": page.question.text, **typed, "cursor": page.cursor}


def _panel(state: PanelState, stored: Mapping[str, Any]) -> PanelState:
    found = stored.get("pages")
    left = [one for one in found if isinstance(one, Mapping)] if isinstance(found, list) else []
    both = [(page, _taken(left, page.question.text)) for page in state.pages]
    pages = tuple(_page(page, one) for page, one in both)
    state = replace(state, pages=pages)
    lost = [words for pair in (*both, *((None, one) for one in left)) for words in _lost(*pair)]
    tab = _among(state.all_tabs, stored.get("tab"))
    focus = _open_text(pages, tab, stored.get("open")) or resting_focus(pages, tab)
    stray = stored.get("stray")
    opened_by_stray_key = isinstance(stray, int) and focus in (Focus.OTHER, Focus.FIELD)
    return replace(
        state,
        tab=tab,
        focus=focus,
        review_row=_among((*state.asked_tabs, len(pages)), stored.get("review_row")),
        discussion=_text(stored.get("discussion")),
        stray=_number(stray, pages[tab].other_row) if opened_by_stray_key else None,
        aside=_lost_words(lost) if state.questions.is_form else "",
    )


def _taken(left: list[Mapping[str, Any]], question: str) -> Mapping[str, Any]:
    """Take a question's page out of the stored ones, from whatever place; nothing if there is none."""
    at = next((at for at, one in enumerate(left) if one.get("question") == question), None)
    return {} if at is None else left.pop(at)


def _lost(page: Page | None, stored: Mapping[str, Any]) -> Iterator[str]:
    """Yield what was selected, and is no option any more, or belongs to a question that is gone."""
    labels = [option.label for option in page.question.options] if page else []
    selected, typed = stored.get("selected"), _text(stored.get("other"))
    for item in selected if isinstance(selected, list) else []:
        match item:
            case [int(), str(label)] if label not in labels:
                yield label
    if page is None and typed.strip():
        yield typed


def _lost_words(lost: Sequence[str]) -> str:
    named = " · ".join(f"“{one_line(one, 40)}”" for one in lost[:MOST_NAMED])
    more = len(lost) - MOST_NAMED
    rest = f" and {more} more" if more > 0 else ""
    return f"The form has changed and no longer takes {named}{rest}" if lost else ""


def _among(places: Sequence[int], stored: object) -> int:
    """Return a stored place, or the next one that is asked."""
    wanted = _number(stored, places[-1])
    return next(place for place in places if place >= wanted)


def _open_text(pages: tuple[Page, ...], tab: int, stored: object) -> Focus | None:
    """Return the text that was open, if the draft's tab has such a text."""
    focus = next((one for one in KEPT_OPEN if one == stored), None)
    if focus is Focus.DISCUSS or focus is None:
        return focus
    if tab == len(pages):
        return None
    fits = focus is Focus.NOTE or (focus is Focus.FIELD) == pages[tab].is_field
    return focus if fits else None


def _page(page: Page, stored: Mapping[str, Any]) -> Page:
    if not stored:
        return page
    typed = _text(stored.get("other"), page.draft.other)
    cursor = _number(stored.get("cursor"), page.other_row)
    taken, note = True in (stored.get("taken"), stored.get("none")), _text(stored.get("note"))
    if page.is_field:
        return replace(page, draft=AnswerDraft(other=typed, note=note, taken=taken))
    selected = _selected(page, stored.get("selected"))
    other_on = stored.get("other_on") is True and bool(typed.strip())
    if not page.question.multi_select:
        selected = () if other_on else selected[:1]
    return replace(page, draft=AnswerDraft(selected, typed, other_on, note, taken), cursor=cursor)


def _selected(page: Page, stored: object) -> tuple[int, ...]:
    """Return the options that are still there under the same label, at their place or another."""
    labels = [option.label for option in page.question.options]
    found: set[int] = set()
    for item in stored if isinstance(stored, list) else []:
        match item:
            case [int(index), str(label)] if 0 <= index < len(labels) and labels[index] == label:
                found.add(index)
            case [int(), str(label)] if label in labels:
                found.add(labels.index(label))
    return tuple(sorted(found))


def _of_decision(state: PanelState) -> dict[str, Any]:
    page, labels = state.page, [one.label for one in state.page.question.options]
    text_choice = "" if page.draft.text_row is None else labels[page.draft.text_row]
    cursor = "" if page.cursor == NO_ROW else labels[page.cursor]
    return {"cursor": cursor, "text": page.draft.other, "text_choice": text_choice, "plan": state.edited}


def _decision(state: PanelState, stored: Mapping[str, Any]) -> PanelState:
    question = state.page.question
    rows = {option.label: row for row, option in enumerate(question.options)}
    text_row, text = rows.get(_text(stored.get("text_choice"))), _text(stored.get("text"))
    if text_row is not None and not (text and question.acts[text_row].takes_words):
        text_row = None
    cursor = rows.get(_text(stored.get("cursor")), state.page.cursor)
    state = state.with_page(cursor=cursor, draft=AnswerDraft(other=text, text_row=text_row))
    return replace(state, edited=_text(stored.get("plan")) if state.questions.editable else "")


def _text(value: object, otherwise: str = "") -> str:
    return typable(value[:MOST_CHARACTERS]) if isinstance(value, str) else otherwise


def _number(value: object, most: int) -> int:
    return min(max(value, 0), most) if isinstance(value, int) and not isinstance(value, bool) else 0

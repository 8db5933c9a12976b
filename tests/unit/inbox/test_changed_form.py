"""The draft of a form that has changed since."""

from dataclasses import replace

from ccq_tui.inbox.requests import FormRequest
from ccq_tui.inbox.store.drafts import draft_to_json, with_draft
from ccq_tui.questions import Condition, Option, Question, QuestionSet
from ccq_tui.questions.state import PanelState
from tests.unit.questions.drive import RELEASE, field, form, keys, typed


def test_what_fits_is_kept_and_the_rest_is_named() -> None:
    kind, why, sure, notes = RELEASE
    state = form(*RELEASE)
    for press, text in (("1 enter", "the api"), ("enter", "7"), ("enter", "short")):
        state = typed(keys(state, press), text)
    state = keys(state, "enter shift+tab")
    assert (state.tab, state.answered_count) == (3, 4)
    text = draft_to_json(state)

    def back(*questions: Question) -> PanelState:
        request = FormRequest("f", "a", QuestionSet("release", questions, "Release notes", is_form=True))
        draft = with_draft(request, text)
        assert isinstance(draft, PanelState)
        return draft

    same = back(*RELEASE)
    assert (same.pages, same.tab, same.review_row, same.aside) == (state.pages, 3, state.review_row, "")
    moved = back(field("First"), kind, replace(why, when=Condition(1, "Major")), notes)
    assert [page.as_answer().other for page in moved.pages] == ["", "", "the api", "short"]
    assert moved.aside == "The form has changed and no longer takes “7”"
    other_options = replace(kind, options=(Option("Minor"), Option("Patch")))
    hidden = back(other_options, why, sure, notes)
    assert (hidden.asked_tabs, hidden.tab, hidden.answered_count) == ((0, 3), 3, 1)
    assert hidden.aside == "The form has changed and no longer takes “Major”"
    assert back(other_options, why).in_review

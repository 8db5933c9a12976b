"""Drafts of requests that were closed without the person."""

from __future__ import annotations

from collections.abc import Callable

from ccq_tui.config.keymap import with_keys
from ccq_tui.inbox.draft import Draft
from ccq_tui.inbox.requests import Allowed, Denied, RequestOutcome
from ccq_tui.questions import Answered
from ccq_tui.questions.moves import leave_text
from ccq_tui.questions.prose import draft_text, unselected_text
from ccq_tui.questions.state import Page

KEPT = " · {copy_draft} copies your draft"
SEPARATOR = "\n\n———\n\n"
MOST_PAGES = 40
"""Most questions of closed sets that are known again."""


class ClosedDrafts:
    """Keeps drafts until they are copied and another one comes."""

    def __init__(self) -> None:
        self._drafts: list[str] = []
        self._copied = False

    def __len__(self) -> int:
        return len(self._drafts)

    def keep(self, text: str) -> bool:
        """Keep a draft; return whether there was anything to keep."""
        if not text.strip():
            return False
        if self._copied:
            self._drafts, self._copied = [], False
        self._drafts.append(text)
        return True

    def offer(self, text: str) -> str:
        """Keep a draft; return what to say of it."""
        return with_keys(KEPT) if self.keep(text) else ""

    def copy(self, put: Callable[[str], object]) -> str:
        """Put all drafts on the clipboard as one text, if there are any; return what to say."""
        self._copied, count = True, len(self)
        if count:
            put(SEPARATOR.join(self._drafts))
        return {0: "No draft to copy", 1: "Draft copied"}.get(count, f"{count} drafts copied")


class ClosedPages:
    """Keeps the pages of question sets that were closed, for when the same questions are asked again."""

    def __init__(self) -> None:
        self.pages: tuple[Page, ...] = ()
        """The pages, the newest last."""

    def add(self, draft: Draft) -> None:
        """Keep the draft of a set; skip other requests and untouched sets."""
        if draft.has_draft and not draft.page.question.acts:
            # An open text comes back as if the person had left it.
            self.pages = (*self.pages, *leave_text(draft).pages)[-MOST_PAGES:]

    def forget(self, draft: Draft) -> None:
        """Forget the questions of a set that a person dealt with."""
        texts = {page.question.text for page in draft.pages}
        self.pages = tuple(page for page in self.pages if page.question.text not in texts)


def draft_words(draft: Draft) -> str:
    """Return a draft as text, or "" if it is empty."""
    if draft.page.question.acts:
        return "\n\n".join(part for part in (draft.page.draft.other, draft.edited) if part)
    return draft_text(draft) if draft.has_draft else ""


def left_over(draft: Draft, outcome: RequestOutcome) -> str:
    """Return all of a request's draft that its outcome does not carry, or ""."""
    if draft.page.question.acts:
        left = (text_left_over(draft, outcome), plan_left_over(draft, outcome))
        return "\n\n".join(text for text in left if text)
    return set_left_over(draft, outcome)


def set_left_over(draft: Draft, outcome: RequestOutcome) -> str:
    """Return the part of a question set's draft that is not in its answers, or ""."""
    if draft.page.question.acts or not draft.has_draft:
        return ""
    return unselected_text(draft) if isinstance(outcome, Answered) else draft_text(draft)


def text_left_over(draft: Draft, outcome: RequestOutcome) -> str:
    """Return the text typed along with a decision that was then made without it, or ""."""
    text = draft.page.draft.other if draft.page.question.acts else ""
    return "" if not text.strip() or (isinstance(outcome, Allowed | Denied) and outcome.text) else text


def plan_left_over(draft: Draft, outcome: RequestOutcome) -> str:
    """Return the plan that a person edited and then did not approve, or ""."""
    return "" if isinstance(outcome, Allowed) and outcome.plan else draft.edited

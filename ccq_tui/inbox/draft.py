"""What a person has typed and chosen for a request, and not confirmed yet."""

from __future__ import annotations

from dataclasses import replace

from ccq_tui.inbox.decision import NO_ROW, DecisionState
from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.requests import DecidedRequest, PermissionRequest, QuestionRequest, Request
from ccq_tui.questions.model import CLAUDE, Recalled
from ccq_tui.questions.state import PanelState, opened

Draft = PanelState | DecisionState


def first_draft(request: Request) -> Draft:
    """Return the draft with which a request opens."""
    if isinstance(request, DecidedRequest):
        cursor = NO_ROW if isinstance(request, PermissionRequest) and request.danger else 0
        return DecisionState(request, kind_of(request).asked(request).question, cursor)
    # A form is named by its title.
    named = isinstance(request, QuestionRequest) or not request.questions.title
    return opened(request.questions, request.origin.called if named else CLAUDE)


def with_recalled(draft: Draft, recalled: tuple[Recalled | None, ...]) -> Draft:
    """Return a draft with the earlier answers to its questions."""
    return replace(draft, recalled=recalled) if isinstance(draft, PanelState) else draft

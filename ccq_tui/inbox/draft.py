"""What a person has typed and chosen for a request, and not confirmed yet."""

from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.requests import AnsweredRequest, PermissionRequest, QuestionRequest, Request
from ccq_tui.questions.model import CLAUDE
from ccq_tui.questions.state import NO_ROW, PanelState, opened

Draft = PanelState


def first_draft(request: Request) -> Draft:
    """Return the draft with which a request opens."""
    asked = kind_of(request).asked(request).questions
    # A form is named by its title.
    named = isinstance(request, QuestionRequest) or (isinstance(request, AnsweredRequest) and not asked.title)
    state = opened(asked, request.origin.called if named else CLAUDE)
    dangerous = isinstance(request, PermissionRequest) and request.danger
    return state.with_page(cursor=NO_ROW) if dangerous else state

"""The questions of a session that is killed, their answers and drafts."""

import re

from ccq_tui.inbox.store.store import Store
from ccq_tui.questions import Option, Question
from ccq_tui.questions.state import PanelState
from tests.unit.inbox.made import load_draft


def mark(question: str, request_id: str) -> str:
    """Return the answer to a request, which nothing else contains."""
    number = re.findall(r"\d+", question)[0]
    return f"answer {number} to {request_id}."


def typed_in(store: Store, request_id: str) -> str:
    """Return the text of a request's draft that is kept, or ""."""
    stored = store.requests.get(request_id)
    draft = load_draft(store, stored.request) if stored is not None and stored.has_draft else None
    return draft.pages[0].draft.other if isinstance(draft, PanelState) else ""


def asked_in(part: int) -> Question:
    """Return the question of a part."""
    options = (Option("First", "One way"), Option("Second", "Another way"))
    return Question(f"What about part {part}?", f"Part {part}", options)

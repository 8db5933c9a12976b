"""What the model does: it asks six questions, and asks again what it has no answer to."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from ccq_tui.inbox.store.store import Store
from ccq_tui.questions import Option, Question
from ccq_tui.questions.state import PanelState
from ccq_tui.testing import Exchange, Replies, Scenario
from tests.unit.inbox.made import load_draft

QUESTIONS = 6
DONE = "All of them are answered."


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


def scenario(newest: Callable[[], Exchange]) -> Scenario:
    """Return the script.

    Args:
        newest: Gives the request that is being answered.
    """

    def choose(_: Replies) -> Scenario:
        told = json.dumps(newest().body)
        for number in range(1, QUESTIONS + 1):
            if f"answer {number} to" not in told:
                return Scenario().says(f"Now to part {number}.").asks(asked_in(number)).then(choose)
        return Scenario().says(DONE).ends_turn().then(choose)

    return Scenario("six").then(choose)

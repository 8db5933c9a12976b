"""What the model does: it asks six questions, and asks again what it has no answer to."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection

from ccq_tui.questions import Option, Question
from ccq_tui.testing import Exchange, Replies, Scenario

QUESTIONS = 6
SILENT = 120.0
"""Seconds that the model is silent at most."""
DONE = "All of them are answered."


def mark(question: str, request_id: str) -> str:
    """Return the answer to a request, which nothing else contains."""
    number = re.findall(r"\d+", question)[0]
    return f"answer {number} to {request_id}."


def scenario(
    newest: Callable[[], Exchange], questions: int = QUESTIONS, gated: Collection[int] = ()
) -> Scenario:
    """Return the script.

    Args:
        newest: Gives the request that is being answered.
        questions: How many questions there are.
        gated: Before which questions the model falls silent, until the gate ``part NUMBER`` is opened.
    """

    def choose(_: Replies) -> Scenario:
        told = json.dumps(newest().body)
        for number in range(1, questions + 1):
            if f"answer {number} to" not in told:
                options = (Option("First", "One way"), Option("Second", "Another way"))
                question = Question(f"What about part {number}?", f"Part {number}", options)
                begun = Scenario().says(f"Now to part {number}.")
                begun = begun.hangs(gate=f"part {number}", limit=SILENT) if number in gated else begun
                return begun.asks(question).then(choose)
        return Scenario().says(DONE).ends_turn().then(choose)

    return Scenario("six").then(choose)

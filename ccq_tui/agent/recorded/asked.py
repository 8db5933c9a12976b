"""The question sets of a recording: which were answered, and which one still waits for an answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ccq_tui.agent.events import AgentEvent, QuestionAsked, RequestSettled
from ccq_tui.agent.output_text import bounded
from ccq_tui.inbox import Cancelled, QuestionRequest
from ccq_tui.inbox.call_results import UNANSWERED, CallResult, outcome_of
from ccq_tui.questions.parse import QuestionFormatError, parse_question_set

QUESTION_TOOL = "AskUserQuestion"
PASSED_OVER = "nobody answered it, and the conversation continued"
_NOBODY_THERE = f"No such tool available: {QUESTION_TOOL}"
_REASON = 300


class RecordedSets:
    """Follows the question sets of one recording."""

    def __init__(self) -> None:
        self._open: dict[str, QuestionRequest] = {}
        self._known: set[str] = set()

    def ask(self, call: str, source: Mapping[str, Any], session_id: str) -> Iterator[AgentEvent]:
        """Take a call of the tool; one that cannot be read as questions is left to be shown as a call."""
        if call in self._known:
            return
        try:
            questions = parse_question_set(call, source)
        except (QuestionFormatError, RecursionError):
            return
        self._known.add(call)
        self._open[call] = QuestionRequest(call, session_id, questions)
        yield QuestionAsked(self._open[call])

    def settle(self, call: str, result: CallResult) -> Iterator[AgentEvent]:
        """Take a call's result; yields nothing for questions that can still be answered or are not known."""
        request = self._open.get(call)
        if request is None or (result.failed and _NOBODY_THERE in result.output):
            return
        outcome = outcome_of(request.questions, result)
        if outcome == Cancelled(UNANSWERED):
            return
        if outcome is None:
            reason = bounded(result.output.strip(), _REASON) if result.failed else "no answer was given"
            outcome = Cancelled(reason or "it failed")
        del self._open[call]
        yield RequestSettled(request.id, outcome, at=result.at)

    def go_on(self) -> Iterator[AgentEvent]:
        """Settle the open sets as unanswered: the person said something else instead."""
        for request in self._open.values():
            yield RequestSettled(request.id, Cancelled(PASSED_OVER))
        self._open.clear()

    def end(self) -> Iterator[AgentEvent]:
        """Settle the open sets as unanswered, except the last, which can still be answered."""
        for call in list(self._open)[:-1]:
            yield RequestSettled(self._open.pop(call).id, Cancelled(UNANSWERED))

    @property
    def waiting(self) -> QuestionRequest | None:
        """The last set that nobody answered, or None."""
        return next(reversed(self._open.values()), None)

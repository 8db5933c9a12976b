"""Translates a stored conversation to the events that it would have given."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from ccq_tui.agent import events as ev
from ccq_tui.agent.translate import Translator
from ccq_tui.agent.user_texts import heard
from ccq_tui.claude_lines import QUESTION_TOOL, Line, blocks_of
from ccq_tui.inbox.call_results import UNANSWERED, CallResult, outcome_of, result_of
from ccq_tui.inbox.requests import Cancelled, QuestionRequest
from ccq_tui.questions.parse import QuestionFormatError, parse_question_set

_IN_BACKGROUND = re.compile(
    r"\A(?:Command (?:running|was) [^\n]*?\bID: |Async agent launched.*?^agentId: )(\w+)",
    re.DOTALL | re.MULTILINE,
)
_TAKES_LONG = frozenset({"Bash", "PowerShell", "Agent", "Task"})


def replay(
    messages: Iterable[Line],
    session_id: str = "",
    deferred: Collection[str] = (),
    ended: dict[str, ev.TaskEnded] | None = None,
) -> Iterator[ev.AgentEvent]:
    """Translate stored messages, oldest first, as the Messages API has them.

    Answers to questions and edits also have ``"tool_use_result"`` and ``"timestamp"``. ``deferred`` are
    calls that the CLI makes again on resume; ``ended`` are the ends of tasks that are reported elsewhere,
    to which those of these messages are added. Background tasks are reported as ended, since nothing that
    is stored runs for this reader.
    """
    ended = {} if ended is None else ended
    background: dict[str, str] = {}
    told: set[str] = set()
    stored = list(messages)
    results = {
        str(block.get("tool_use_id")): result_of(block, line)
        for line in stored
        for block in blocks_of(line.get("message"))
        if block.get("type") == "tool_result"
    }
    translator = Translator(heard)
    for event in (event for line in stored for event in translator.feed(line)):
        match event:
            case ev.ToolStarted(call, tool) if tool == QUESTION_TOOL:
                yield event
                yield from recalled(call, event.input, results.get(call), session_id, waits=call in deferred)
            case ev.ToolFinished(call, tool):
                if tool in _TAKES_LONG and (found := _IN_BACKGROUND.match(event.output)):
                    background[found[1]] = call
                    yield ev.TaskStarted(found[1], call, "", background=True)
                yield replace(event, structured=None) if tool == QUESTION_TOOL else event
            case ev.TaskEnded(task):
                ended[task] = event
                told.add(task)
                yield event
            case ev.BlockFinished(text=""):
                pass
            case _:
                yield event
    for task, call in background.items():
        if task not in told:
            yield ended.get(task) or ev.TaskEnded(task, call, "stopped")


def recalled(
    call_id: str, source: Line, result: CallResult | None, session_id: str, *, waits: bool = False
) -> Iterator[ev.AgentEvent]:
    """Report a past question set as it would have been live; yield nothing if its outcome is not known.

    A call without a result that ``waits`` is made again when the session is resumed.
    """
    try:
        questions = parse_question_set(call_id, source)
    except QuestionFormatError:
        return
    outcome = Cancelled(UNANSWERED) if result is None else outcome_of(questions, result)
    if outcome is not None:
        request = QuestionRequest(call_id, session_id, questions)
        yield ev.QuestionAsked(request)
        if result is None and waits:
            return
        yield ev.RequestSettled(request.id, outcome, at=result.at if result else None)

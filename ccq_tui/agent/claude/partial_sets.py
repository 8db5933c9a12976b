"""Question sets whose calls are still being streamed: shown early, and removed if nobody is asked them.

Only the call's own hook asks a person. A set reported here comes before it, or ends unasked: the CLI
rejects input that does not fit its schema, streams break, turns are interrupted.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ccq_tui.agent import events as ev
from ccq_tui.claude_lines import QUESTION_TOOL
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.open_request import OpenRequest
from ccq_tui.inbox.requests import QuestionRequest, call_of
from ccq_tui.questions.model import QuestionSet
from ccq_tui.questions.parse import readable_set
from ccq_tui.questions.partial_parse import ArrivingSet
from ccq_tui.questions.state import Arriving

FRAME = 1 / 20
"""Seconds between two looks at the stream: nobody reads faster, and each look redraws the panel."""

BROKE = "its stream broke"
REJECTED = "Claude Code rejected it"
INTERRUPTED = "interrupted"
PASSED_OVER = "Claude Code continued without asking it"


_ABORTED = "aborted"


@dataclass(slots=True)
class _Call:
    arriving: ArrivingSet
    opened: OpenRequest | None = None
    stopped: bool = False
    is_complete: bool = False


class PartialSets:
    """The arriving question sets of one connection.

    A subagent's are left out: the CLI lets it ask nobody.
    """

    def __init__(self, inbox: Inbox, session_id: Callable[[], str], will_ask: Callable[[int], bool]) -> None:
        self._inbox = inbox
        self._session_id = session_id
        self._will_ask = will_ask
        self._calls: dict[str, _Call] = {}
        self._places: dict[int, str] = {}
        """The calls of the message that is being streamed, by the index of their block."""
        self._next_report: asyncio.TimerHandle | None = None

    def stream(self, event: Mapping[str, Any], parent: str) -> None:
        """Take an event of the Messages API's stream; ``parent`` is the Agent call it belongs to, or ""."""
        if parent:
            return
        match event.get("type"):
            case "message_start":
                self._end_broken(stopped=False)
                self._places.clear()
            case "content_block_start":
                block = event["content_block"]
                if block.get("name") == QUESTION_TOOL and self._will_ask(len(self._calls)):
                    self._places[event["index"]] = call_id = str(block["id"])
                    self._calls[call_id] = _Call(ArrivingSet(call_id))
            case "content_block_delta" if call := self._at(event["index"]):
                call.arriving.feed(str(event["delta"].get("partial_json") or ""))
                if self._next_report is None:
                    self._next_report = asyncio.get_running_loop().call_later(FRAME, self._report)
            case "message_stop":
                # Complete calls were reported before; a broken stream ends with the same event.
                for call in self._calls.values():
                    call.stopped = True

    def note(self, event: ev.AgentEvent) -> None:
        """Learn from a session's event what becomes of the arriving sets."""
        match event:
            case ev.ToolStarted(tool_use_id=call_id) if call_id in self._calls:
                # Also one that came at once: the hook follows after as long as the panel takes to be drawn.
                self._calls[call_id].is_complete = True
                questions = readable_set(call_id, event.input)
                if questions is not None:  # else the call's result reports it
                    self._tell(questions, Arriving(len(questions.questions), whole=True))
            case ev.ToolFinished(tool_use_id=call_id) if call_id in self._calls:
                rejected = event.output.startswith("<tool_use_error>")
                self._end(call_id, REJECTED if rejected else INTERRUPTED if event.is_error else PASSED_OVER)
            case ev.RequestAsked(request):
                self._calls.pop(request.tool_use_id, None)
            case ev.RequestSettled(request_id=request_id):
                self._calls.pop(call_of(request_id), None)
            case ev.Retrying() | ev.ToolStarted(parent="") | ev.BlockFinished():
                self._end_broken(stopped=True)
            case ev.TurnEnded(reason=reason):
                if not reason.startswith(_ABORTED):
                    self._end_broken(stopped=False)
                self.give_up(INTERRUPTED if reason.startswith(_ABORTED) else PASSED_OVER)

    def give_up(self, reason: str) -> None:
        """End the sets that are still arriving: nobody will be asked them."""
        if self._next_report is not None:
            self._next_report.cancel()
            self._next_report = None
        for call_id in list(self._calls):
            self._end(call_id, reason)

    def _at(self, index: int) -> _Call | None:
        return self._calls.get(self._places.get(index, ""))

    def _report(self) -> None:
        self._next_report = None
        for call in self._calls.values():
            if not call.is_complete and (parsed := call.arriving.parse()) is not None:
                self._tell(parsed.questions, Arriving(parsed.complete))

    def _tell(self, questions: QuestionSet, arriving: Arriving) -> None:
        request = QuestionRequest(questions.id, self._session_id(), questions)
        self._calls[questions.id].opened = self._inbox.arrive(request, arriving)

    def _end_broken(self, *, stopped: bool) -> None:
        """End the sets that never became complete; with ``stopped``, only those whose message has ended."""
        for call_id, call in list(self._calls.items()):
            if not call.is_complete and (call.stopped or not stopped):
                self._end(call_id, BROKE)

    def _end(self, call_id: str, reason: str) -> None:
        opened = self._calls.pop(call_id).opened
        if opened is not None and opened.arriving is not None:
            opened.end_arriving(reason)

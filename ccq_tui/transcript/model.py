"""The transcript as data: events go in, blocks change."""

import math
import time
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from ccq_tui.agent import events as ev
from ccq_tui.agent.problems import ADVICE, Problem
from ccq_tui.config.keymap import key_of
from ccq_tui.inbox.call_results import UNANSWERED, CallResult, outcome_of
from ccq_tui.inbox.requests import (
    Allowed,
    Cancelled,
    ElicitationRequest,
    FormRequest,
    PermissionRequest,
    PlanRequest,
    QuestionRequest,
    Request,
    call_of,
)
from ccq_tui.prompts.shell_runs import run_in
from ccq_tui.questions.parse import readable_set
from ccq_tui.transcript import blocks as bl
from ccq_tui.transcript.document import Document
from ccq_tui.transcript.order import BlockChange, BlockOrder, SentPrompts
from ccq_tui.transcript.tool_calls import ToolCalls
from ccq_tui.transcript.tools import ENTER_PLAN_MODE, ToolCard, card_of, card_of_call

PUT_OFF = "tool_deferred"
"""Reason of the end of a turn that waits for an answer without a process."""

_ENDINGS = {ev.PARKED_KIND: "paused until you answer", Problem.RUNS_ELSEWHERE: "open in another ccq-tui"}
"""Words of a rule for a session without a process, by the kind of its end."""


class TranscriptModel:
    """All blocks of a session, built from its events."""

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, now: Callable[[], datetime] = datetime.now
    ) -> None:
        """Start empty; ``clock`` (seconds) times tools, ``now`` gives the time shown beside answers."""
        self._order = BlockOrder()
        self._calls = ToolCalls(self._order, clock)
        self._prompts = SentPrompts(self._order)
        self._past = False
        self._remediable: bl.ErrorBlock | None = None
        self._clock = clock
        self._now = now
        self._streams: dict[ev.BlockKey, bl.ProseBlock | bl.ThinkingBlock] = {}
        self._requests: dict[str, bl.RequestBlock] = {}
        self._places: Mapping[str, bl.RequestPlace] = {}
        self._hidden: dict[str, ev.ToolStarted] = {}
        self._retry: bl.RetryBlock | None = None
        self._takes: dict[type[ev.AgentEvent], Callable[[Any], object]] = {
            ev.Connected: lambda event: self._calls.work_in(event.cwd),
            ev.PromptAccepted: self._accept,
            ev.PromptDelivered: self._prompts.deliver,
            ev.PromptReturned: self._prompts.take_back,
            ev.HistoryLoaded: self._load,
            ev.BlockGrew: self._grow,
            ev.BlockFinished: self._finish,
            ev.BlockDropped: self._drop,
            ev.ToolStarted: self._start_call,
            ev.ToolGrew: self._calls.grow,
            ev.ToolFinished: self._finish_call,
            ev.TaskStarted: self._calls.task_started,
            ev.TaskBackgrounded: self._calls.task_backgrounded,
            ev.TaskProgressed: self._calls.task_progressed,
            ev.TaskEnded: self._calls.task_ended,
            ev.RequestAsked: self._take_request,
            ev.RequestSettled: self._end_request,
            ev.Retrying: self._show_retry,
            ev.ErrorReported: self._show_error,
            ev.NoticeGiven: self._show_notice,
            ev.Compacted: self._show_compaction,
            ev.ConversationReset: self._reset,
            ev.TurnEnded: self._end_turn,
            ev.SessionLost: self._end_session,
        }

    @property
    def ticking(self) -> bool:
        """Whether anything shown counts seconds."""
        return bool(self._calls.running or (self._retry and self._retry.left))

    @property
    def folded(self) -> bool:
        """Whether new blocks begin folded."""
        return self._order.folded

    @property
    def blocks(self) -> list[bl.Block]:
        """The blocks, in the order in which they are shown."""
        return self._order.blocks

    def apply(self, event: ev.AgentEvent) -> BlockChange:
        """Apply one event; return the blocks to draw again."""
        self._take(event)
        return self._order.take_change()

    def add_prompt(self, text: str) -> BlockChange:
        """Show a prompt at once; the event that accepts it is matched with it later."""
        self._prompts.show(text)
        return self._order.take_change()

    def stand(self, places: Mapping[str, bl.RequestPlace]) -> BlockChange:
        """Show on waiting requests where they are answered now; ``places`` has those of this screen."""
        before, self._places = self._places, places
        for name in before.keys() | places.keys():
            place, call = places.get(name, bl.RequestPlace.ELSEWHERE), self._calls.get(call_of(name))
            block = self._requests.get(call_of(name))
            if block is not None and block.place is not place:
                block.place = place
                self._order.touch(call if call is not None and call.permission is block else block)
        return self._order.take_change()

    def offer(self, text: str) -> BlockChange:
        """Show on the newest error the key that does something about it; "" for none."""
        self._offer(text)
        return self._order.take_change()

    def _offer(self, text: str) -> None:
        block = self._remediable
        if block is not None and block.offer != text:
            block.offer = text
            self._order.touch(block)

    def set_folds(self, *, folded: bool) -> BlockChange:
        """Fold or unfold everything that has a longer form, now and later."""
        self._order.folded = folded
        if folded:
            for block in reversed([*self.blocks]):  # blocks under an agent before the agent takes them in
                self._fold(block, folded=True)
            return self._order.take_change()
        at = 0
        while at < len(self.blocks):  # an agent that unfolds brings more blocks
            self._fold(self.blocks[at], folded=False)
            at += 1
        return self._order.take_change()

    def set_fold(self, block: bl.Block, *, folded: bool) -> BlockChange:
        """Fold or unfold one block, and what is under it."""
        self._fold(block, folded=folded)
        return self._order.take_change()

    def _fold(self, block: bl.Block, *, folded: bool) -> None:
        if block.folded == folded:
            return
        block.folded = folded
        if block.foldable:
            self._order.touch(block)
        if isinstance(block, bl.ToolBlock):
            self._calls.fold(block, folded=folded)

    def tick(self) -> BlockChange:
        """Update the seconds shown: of running calls, and until the next attempt."""
        self._calls.tick()
        if self._retry is not None and self._retry.left:
            self._retry.left = max(0, math.ceil(self._retry.until - self._clock()))
            self._order.touch(self._retry)
        return self._order.take_change()

    def _take(self, event: ev.AgentEvent) -> None:
        """Apply an event; those that change nothing here concern the status line."""
        if (take := self._takes.get(type(event))) is not None:
            take(event)

    def _accept(self, event: ev.PromptAccepted) -> None:
        if (run := run_in(event.text)) is not None:
            self._calls.report_run(event.prompt_id or str(len(self.blocks)), run)
        else:
            self._prompts.accept(event)

    def _load(self, event: ev.HistoryLoaded) -> None:
        """Put the past above the prompts that were typed meanwhile."""
        typed = self._prompts.lift()
        self._past, runs = True, set(self._calls.running)
        for earlier in event.events:
            self._take(earlier)
        self._past = False
        if not event.goes_on:
            self._calls.end_past(runs)
        self._prompts.lower(typed)

    def empty(self) -> "TranscriptModel":
        """Return an empty transcript like this one, for an earlier part."""
        earlier = TranscriptModel(self._clock, self._now)
        earlier._order.folded = self.folded
        return earlier

    def put_first(self, earlier: "TranscriptModel") -> BlockChange:
        """Put an earlier transcript, which this one continues, above it."""
        if earlier.folded != self.folded:
            earlier.set_folds(folded=self.folded)
        self._calls.put_first(earlier._calls)
        self._requests = earlier._requests | self._requests
        self._order.put_first(earlier.blocks)
        return self._order.take_change()

    def _grow(self, event: ev.BlockGrew) -> None:
        if event.text:
            block = self._streams.get(event.key) or self._stream(event.key, event.kind)
            block.document.feed(event.text)
            self._order.touch(block)
            self._retry_over()

    def _stream(self, key: ev.BlockKey, kind: ev.BlockKind) -> bl.ProseBlock | bl.ThinkingBlock:
        thinks = kind is ev.BlockKind.THINKING
        block = bl.ThinkingBlock(Document()) if thinks else bl.ProseBlock(Document())
        self._streams[key] = block
        self._order.add(block, key.parent)
        return block

    def _finish(self, event: ev.BlockFinished) -> None:
        if not event.text.strip():
            self._take(ev.BlockDropped(event.key))
            return
        block = self._streams.get(event.key) or self._stream(event.key, event.kind)
        del self._streams[event.key]
        block.document = block.document.completed(event.text)
        self._order.touch(block)
        self._retry_over()

    def _drop(self, event: ev.BlockDropped) -> None:
        block = self._streams.pop(event.key, None)
        if block is not None:
            self._order.remove(block)

    def _start_call(self, event: ev.ToolStarted) -> None:
        card = card_of_call(event.tool, event.input, self._calls.directory)
        if card in (ToolCard.REQUEST, ToolCard.PLANNING):
            self._hidden[event.tool_use_id] = event
        elif self._calls.get(event.tool_use_id) is None:
            self._retry_over()
            self._calls.start(event)

    def _finish_call(self, event: ev.ToolFinished) -> None:
        started = self._hidden.pop(event.tool_use_id, None)
        asked = self._requests.get(event.tool_use_id)
        # The result of a parked question arrives in another process, which does not know the tool.
        if isinstance(asked, bl.QuestionBlock) or (
            asked is not None and card_of(event.tool) is ToolCard.REQUEST
        ):
            return
        block = self._calls.get(event.tool_use_id)
        if block is None and started is not None and self._drawn_without(started, event):
            return
        if block is None:
            # A call whose card never came (the CLI rejected it), or one from before we listened.
            block = self._calls.start(
                started or ev.ToolStarted(event.tool_use_id, event.tool, {}, event.parent)
            )
        self._calls.finish(block, event)

    def _drawn_without(self, started: ev.ToolStarted, event: ev.ToolFinished) -> bool:
        """Show what a call without a card did, or was never asked; return whether that is all to be shown."""
        if card_of(started.tool) is not ToolCard.REQUEST and not event.is_error:
            if started.tool == ENTER_PLAN_MODE:
                self._order.add(bl.NoticeBlock("info", "Entered plan mode"), started.parent)
            return True
        if (questions := readable_set(started.tool_use_id, started.input)) is None:
            return False
        outcome = outcome_of(questions, CallResult(event.output, event.is_error, event.structured))
        if outcome is None:
            return False
        block = bl.QuestionBlock(QuestionRequest(started.tool_use_id, "", questions))
        block.outcome, block.settled = outcome, None if self._past else self._now()
        self._requests[started.tool_use_id] = block
        self._order.add(block, started.parent)
        return True

    def _take_request(self, event: ev.RequestAsked) -> None:
        block = self._requests.get(event.request.tool_use_id)
        if block is None:
            self._ask(event.request)
        elif isinstance(block, bl.QuestionBlock) and isinstance(block.outcome, Cancelled):
            # The session with which it was cancelled was resumed, and it waits again.
            block.outcome = block.settled = block.actor = None
            self._settle(block)

    def _ask(self, request: Request) -> None:
        name = request.tool_use_id
        match request:
            case QuestionRequest():
                block: bl.RequestBlock = bl.QuestionBlock(request)
            case PermissionRequest():
                block = bl.PermissionBlock(request)
            case PlanRequest(plan=plan):
                block = bl.PlanBlock(request, Document(plan, finished=True))
            case ElicitationRequest():
                block = bl.FormBlock(request)
            case FormRequest():
                return  # no session asks it
        self._requests[name] = block
        block.folded = self.folded
        block.place = self._places.get(request.id, block.place)
        call = self._calls.get(name)
        if call is None:
            hidden = self._hidden.get(name)
            self._order.add(block, hidden.parent if hidden else "")
        elif isinstance(block, bl.PermissionBlock):
            call.permission, call.seconds = block, 0.0
            self._order.touch(call)
        else:
            self._order.add_after(block, call)

    def _end_request(self, event: ev.RequestSettled) -> None:
        block = self._requests.get(call_of(event.request_id))
        # A record shows a question as cancelled by the end of its session, whose answer is known here.
        outdated = block is not None and block.outcome == Cancelled(UNANSWERED)
        better = outdated and not isinstance(event.outcome, Cancelled)
        if block is not None and (block.outcome is None or better):
            block.outcome, block.actor = event.outcome, event.actor
            # An answer from the past was not given now, even where its time is unknown.
            block.settled = event.at if event.at or self._past else self._now()
            if isinstance(block, bl.PlanBlock) and isinstance(event.outcome, Allowed) and event.outcome.plan:
                block.document = Document(event.outcome.plan, finished=True)
            self._settle(block)

    def _settle(self, block: bl.RequestBlock) -> None:
        self._order.touch(block)
        if isinstance(block, bl.PermissionBlock):
            self._calls.permission_settled(block)

    def _show_retry(self, event: ev.Retrying) -> None:
        if self._retry is None:
            self._retry = bl.RetryBlock(event)
            self._order.add(self._retry)
        self._retry.event, self._retry.until = event, self._clock() + event.delay
        self._retry.left = math.ceil(event.delay)
        self._order.touch(self._retry)

    def _retry_over(self) -> None:
        if self._retry is not None:
            self._retry.over = True
            self._order.touch(self._retry)
            self._retry = None

    def _show_error(self, event: ev.ErrorReported) -> None:
        self._retry_over()
        self._fail(event.kind, event.text)

    def _fail(self, kind: str, text: str) -> None:
        last = self.blocks[-1] if self.blocks else None
        if isinstance(last, bl.ErrorBlock) and (last.kind, last.text) == (kind, text):
            last.times += 1
            self._order.touch(last)
            return
        block = bl.ErrorBlock(kind, text)
        known = ADVICE.get(kind)
        if known is not None and known.action is not None and not self._past:
            self._offer("")
            self._remediable = block
        self._order.add(block)

    def _show_notice(self, event: ev.NoticeGiven) -> None:
        self._order.add(bl.NoticeBlock(event.level, event.text))

    def _show_compaction(self, event: ev.Compacted) -> None:
        known = event.before is not None and event.after is not None
        sizes = f" from {event.before:,} to {event.after:,} tokens" if known else ""
        summary = Document(event.summary, finished=True) if event.summary else None
        more = f" · {key_of('unfold')} shows the summary" if summary else ""
        last = self.blocks[-1] if self.blocks else None
        if more and isinstance(last, bl.RuleBlock) and last.document is None and last.compaction:
            # A record has the sizes and the summary one after the other.
            last.text, last.document = f"{last.text}{more}", summary
            self._order.touch(last)
            return
        self._order.add(bl.RuleBlock(f"conversation compacted{sizes}{more}", summary, compaction=True))

    def _reset(self, _event: ev.ConversationReset) -> None:
        self._stop()
        self._order.clear(self._prompts.waiting)
        self._order.put_first([bl.RuleBlock("conversation cleared")])

    def _end_turn(self, event: ev.TurnEnded) -> None:
        self._stop()
        # A command of the CLI's own, which shows its own result: the model had no part in the turn.
        idle = not (event.is_error or event.input_tokens or event.output_tokens or event.turn_cost)
        if event.reason != PUT_OFF and not idle:
            self._order.add(bl.ResultBlock(event))
        self._prompts.end_turn()

    def _end_session(self, event: ev.SessionLost) -> None:
        self._stop(everything=True)
        if event.expected:
            self._order.add(bl.RuleBlock(_ENDINGS.get(event.kind, "session ended")))
        else:
            self._fail(event.kind, event.reason)

    def _stop(self, *, everything: bool = False) -> None:
        """Mark as stopped what runs in a turn, or everything."""
        self._retry_over()
        self._calls.stop(everything=everything)
        for key, stream in list(self._streams.items()):
            if everything or self._calls.beside_turns(key.parent) is None:
                stream.document.finish()
                self._order.touch(stream)
                del self._streams[key]

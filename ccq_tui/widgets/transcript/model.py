"""The transcript as data: events go in, blocks change."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime
from functools import singledispatchmethod

from ccq_tui.agent import events as ev
from ccq_tui.agent.problems import advice
from ccq_tui.inbox import Cancelled
from ccq_tui.widgets.transcript import blocks as bl
from ccq_tui.widgets.transcript.document import Document
from ccq_tui.widgets.transcript.order import BlockOrder, Change
from ccq_tui.widgets.transcript.tools import AGENT_TOOLS

CARD_TOOLS = frozenset({"AskUserQuestion", "ExitPlanMode"})
"""Tools whose calls are shown as a card of their own, not as a line."""


class TranscriptModel:
    """All blocks of a session, built from its events.

    Attributes:
        running: Tool calls without a result, by ``tool_use_id``.
        folded: Whether new blocks begin folded.
    """

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] = datetime.now,
    ) -> None:
        """Start an empty transcript.

        Args:
            clock: Returns seconds; measures how long tools take.
            now: Returns the time of day shown beside answers.
        """
        self.running: dict[str, bl.ToolBlock] = {}
        self.folded = True
        self._order = BlockOrder()
        self._past = False
        self._remediable: bl.ErrorBlock | None = None
        self._clock = clock
        self._now = now
        self._streams: dict[ev.BlockKey, bl.ProseBlock | bl.ThinkingBlock] = {}
        self._tools: dict[str, bl.ToolBlock] = {}
        self._requests: dict[str, bl.RequestBlock] = {}
        self._hidden: dict[str, ev.ToolStarted] = {}
        self._queued: list[bl.PromptBlock] = []
        self._unconfirmed: list[bl.PromptBlock] = []
        self._retry: bl.RetryBlock | None = None

    @property
    def blocks(self) -> list[bl.Block]:
        """The blocks, in the order in which they are shown."""
        return self._order.blocks

    def apply(self, event: ev.AgentEvent) -> Change:
        """Take in one event.

        Args:
            event: What a session told.

        Returns:
            Which blocks are to be drawn again.
        """
        self._take(event)
        return self._order.take_change()

    def add_prompt(self, text: str) -> Change:
        """Show a prompt at once; the event that says it was accepted is matched with it later."""
        block = bl.PromptBlock(text)
        self._unconfirmed.append(block)
        self._add(block)
        return self._order.take_change()

    def add_notice(self, text: str, level: str = "info") -> Change:
        """Show a line of the program's own."""
        self._add(bl.NoticeBlock(level, text))
        return self._order.take_change()

    def offer(self, text: str) -> Change:
        """Say on the newest error that a key does something about which one it is; "" for none."""
        self._offer(text)
        return self._order.take_change()

    def _offer(self, text: str) -> None:
        block = self._remediable
        if block is not None and block.offer != text:
            block.offer = text
            self._order.touch(block)

    def set_folds(self, *, folded: bool) -> Change:
        """Fold or unfold everything that has a longer form, now and later."""
        self.folded = folded
        for block in self.blocks:
            if block.folded != folded:
                block.folded = folded
                if block.foldable:
                    self._order.touch(block)
        return self._order.take_change()

    def tick(self) -> Change:
        """Bring the elapsed time of running tools up to date."""
        for block in self.running.values():
            block.seconds = self._clock() - block.started
            self._order.touch(block)
        return self._order.take_change()

    def _add(self, block: bl.Block, parent: str = "") -> None:
        block.folded = self.folded
        self._order.add(block, parent)

    @singledispatchmethod
    def _take(self, event: ev.AgentEvent) -> None:
        """Change what an event of this type changes; most others are the status line's."""

    @_take.register
    def _(self, event: ev.PromptAccepted) -> None:
        wanted = event.text.rstrip()
        block = next((block for block in self._unconfirmed if block.text == wanted), None)
        if block is not None:
            self._unconfirmed.remove(block)
        else:
            block = bl.PromptBlock(event.text)
            self._add(block)
        block.accepted = True
        block.prompt_id = event.prompt_id
        if event.queued:
            self._to_the_end(block)
        self._order.touch(block)

    @_take.register
    def _(self, event: ev.PromptDelivered) -> None:
        # Delivered within a running turn: what the agent says from now on comes after it.
        if self._queued and event.prompt_id and self._queued[0].prompt_id == event.prompt_id:
            block = self._queued.pop(0)
            block.queued = False
            self._order.trailing -= 1
            self._order.touch(block)

    @_take.register
    def _(self, event: ev.PromptReturned) -> None:
        """Take back a prompt that nobody has: it stands in the prompt's field again."""
        wanted = event.text.rstrip()
        for blocks in (self._unconfirmed, self._queued):
            block = next((block for block in blocks if block.text == wanted), None)
            if block is not None:
                if blocks is self._queued:
                    self._order.trailing -= 1
                blocks.remove(block)
                self._order.remove(block)
                return

    @_take.register
    def _(self, event: ev.HistoryLoaded) -> None:
        """Put what was said before above the prompts that were typed meanwhile."""
        typed, self._unconfirmed = self._unconfirmed, []
        for block in typed:
            self._order.remove(block)
        if event.cut:
            self._add(bl.RuleBlock("older messages are not shown"))
        self._past = True
        for earlier in event.events:
            self._take(earlier)
        self._past = False
        for block in typed:
            self._add(block)
        self._unconfirmed = typed

    def _to_the_end(self, block: bl.PromptBlock) -> None:
        """Keep a queued prompt below whatever the running turn still says."""
        self._order.keep_last(block)
        block.queued = True
        self._queued.append(block)

    @_take.register
    def _(self, event: ev.BlockGrew) -> None:
        block = self._streams.get(event.key)
        if block is None:
            if not event.text:
                return
            block = self._stream(event.key, event.kind)
        block.document.feed(event.text)
        if isinstance(block, bl.ThinkingBlock):
            block.characters += len(event.text)
        self._order.touch(block)
        self._retry_over()

    def _stream(self, key: ev.BlockKey, kind: ev.BlockKind) -> bl.ProseBlock | bl.ThinkingBlock:
        thinks = kind is ev.BlockKind.THINKING
        block = bl.ThinkingBlock(Document()) if thinks else bl.ProseBlock(Document())
        self._streams[key] = block
        self._add(block, key.parent)
        return block

    @_take.register
    def _(self, event: ev.BlockFinished) -> None:
        block = self._streams.pop(event.key, None)
        if not event.text.strip():
            if block is not None:
                self._order.remove(block)
            return
        if block is None:
            block = self._stream(event.key, event.kind)
            del self._streams[event.key]
        block.document = block.document.completed(event.text)
        if isinstance(block, bl.ThinkingBlock):
            block.characters = len(event.text)
        self._order.touch(block)
        self._retry_over()

    @_take.register
    def _(self, event: ev.BlockDropped) -> None:
        block = self._streams.pop(event.key, None)
        if block is not None:
            self._order.remove(block)

    @_take.register
    def _(self, event: ev.ToolStarted) -> None:
        if event.tool in CARD_TOOLS:
            self._hidden[event.tool_use_id] = event
        elif event.tool_use_id not in self._tools:
            self._start_tool(event)

    def _start_tool(self, event: ev.ToolStarted) -> bl.ToolBlock:
        block = bl.ToolBlock(event.tool_use_id, event.tool, event.input, self._clock(), event.parent)
        self._tools[block.id] = self.running[block.id] = block
        self._add(block, event.parent)
        if event.tool in AGENT_TOOLS:
            self._order.add_agent(block)
        self._retry_over()
        return block

    @_take.register
    def _(self, event: ev.ToolFinished) -> None:
        started = self._hidden.pop(event.tool_use_id, None)
        if event.tool_use_id in self._requests and event.tool in CARD_TOOLS:
            return
        block = self._tools.get(event.tool_use_id)
        if block is None:
            # A card that never came (the CLI rejected the call), or a call from before we listened.
            block = self._start_tool(
                started or ev.ToolStarted(event.tool_use_id, event.tool, {}, event.parent)
            )
        self.running.pop(block.id, None)
        block.state = bl.ToolState.FAILED if event.is_error else bl.ToolState.OK
        block.seconds = self._clock() - block.started
        block.output, block.structured = event.output, event.structured
        self._order.touch(block)

    @_take.register
    def _(self, event: ev.QuestionAsked) -> None:
        if event.request.id not in self._requests:
            self._ask(bl.QuestionBlock(event.request))

    @_take.register
    def _(self, event: ev.PlanProposed) -> None:
        if event.request.id not in self._requests:
            self._ask(bl.PlanBlock(event.request, Document(event.request.plan, finished=True)))

    @_take.register
    def _(self, event: ev.PermissionAsked) -> None:
        if event.request.id not in self._requests:
            self._ask(bl.PermissionBlock(event.request))

    def _ask(self, block: bl.QuestionBlock | bl.PermissionBlock | bl.PlanBlock) -> None:
        self._requests[block.request.id] = block
        call = self._tools.get(block.request.id)
        block.folded = self.folded
        if call is not None:
            if isinstance(block, bl.PermissionBlock):
                block.attached = True
            self._order.add_after(block, call)
        else:
            hidden = self._hidden.get(block.request.id)
            self._order.add(block, hidden.parent if hidden else "")

    @_take.register
    def _(self, event: ev.RequestSettled) -> None:
        block = self._requests.get(event.request_id)
        if block is not None and block.outcome is None:
            block.outcome, block.surface = event.outcome, event.surface
            # What was answered in the past was not answered now, even where it is not known when.
            block.settled = event.at if event.at or self._past else self._now()
            self._order.touch(block)

    @_take.register
    def _(self, event: ev.Retrying) -> None:
        if self._retry is None:
            self._retry = bl.RetryBlock(event)
            self._add(self._retry)
        else:
            self._retry.event = event
            self._order.touch(self._retry)

    def _retry_over(self) -> None:
        if self._retry is not None:
            self._retry.over = True
            self._order.touch(self._retry)
            self._retry = None

    @_take.register
    def _(self, event: ev.ErrorReported) -> None:
        self._retry_over()
        self._fail(event.kind, event.text)

    def _fail(self, kind: str, text: str) -> None:
        last = self.blocks[-1] if self.blocks else None
        if isinstance(last, bl.ErrorBlock) and (last.kind, last.text) == (kind, text):
            last.times += 1
            self._order.touch(last)
            return
        block = bl.ErrorBlock(kind, text)
        known = advice(kind)
        if known is not None and known.action is not None and not self._past:
            self._offer("")
            self._remediable = block
        self._add(block)

    @_take.register
    def _(self, event: ev.NoticeGiven) -> None:
        self._add(bl.NoticeBlock(event.level, event.text))

    @_take.register
    def _(self, _event: ev.ConversationReset) -> None:
        self._stop("")
        self._add(bl.RuleBlock("conversation cleared"))

    @_take.register
    def _(self, event: ev.TurnEnded) -> None:
        self._stop("")
        self._add(bl.ResultBlock(event))
        self._order.trailing = 0
        for block in self._queued:
            block.queued = False
            self._order.touch(block)
        self._queued.clear()

    @_take.register
    def _(self, event: ev.SessionLost) -> None:
        self._stop(event.reason)
        if event.expected:
            self._add(bl.RuleBlock("session ended"))
        else:
            self._fail(event.kind, event.reason)

    def _stop(self, reason: str) -> None:
        """Nothing that still runs will end; with a reason, nobody can answer what was asked either."""
        self._retry_over()
        for block in self.running.values():
            block.state = bl.ToolState.STOPPED
            self._order.touch(block)
        self.running.clear()
        for stream in self._streams.values():
            stream.document.finish()
            self._order.touch(stream)
        self._streams.clear()
        for request in self._requests.values():
            if reason and request.outcome is None:
                request.outcome, request.settled = Cancelled(reason), self._now()
                self._order.touch(request)

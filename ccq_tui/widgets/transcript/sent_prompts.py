"""Follows prompts: shown at once, taken by the CLI, waiting for the running turn, read by the agent."""

from __future__ import annotations

from collections.abc import Callable

from ccq_tui.agent import events as ev
from ccq_tui.widgets.transcript.blocks import PromptBlock
from ccq_tui.widgets.transcript.order import BlockOrder


class SentPrompts:
    """The prompts of a transcript that are on their way."""

    def __init__(self, order: BlockOrder, add: Callable[[PromptBlock], None]) -> None:
        self._order = order
        self._add = add
        self._queued: list[PromptBlock] = []
        self._unconfirmed: list[PromptBlock] = []

    def show(self, text: str) -> None:
        """Show a prompt before the CLI has taken it."""
        block = PromptBlock(text)
        self._unconfirmed.append(block)
        self._add(block)

    def accept(self, event: ev.PromptAccepted) -> None:
        """Note that the CLI has taken a prompt."""
        wanted = event.text.rstrip()
        block = next((block for block in self._unconfirmed if block.text == wanted), None)
        if block is not None:
            self._unconfirmed.remove(block)
        else:
            block = PromptBlock(event.text)
            self._add(block)
        block.accepted = True
        block.prompt_id = event.prompt_id
        if event.queued:
            # It stays below the further output of the running turn.
            self._order.keep_last(block)
            block.queued = True
            self._queued.append(block)
        self._order.touch(block)

    def deliver(self, event: ev.PromptDelivered) -> None:
        """Note that a prompt was read within a running turn: the agent's later output comes after it."""
        if self._queued and event.prompt_id and self._queued[0].prompt_id == event.prompt_id:
            block = self._queued.pop(0)
            block.queued = False
            self._order.trailing -= 1
            self._order.touch(block)

    def take_back(self, event: ev.PromptReturned) -> None:
        """Remove a prompt that came back to the prompt's field."""
        wanted, name = event.text.rstrip(), event.prompt_id
        mine = [block for block in self._queued if name and block.prompt_id == name]
        # A prompt that the CLI has not taken has no id yet.
        mine += [block for block in self._unconfirmed if block.text == wanted]
        mine += [block for block in self._queued if not name and block.text == wanted]
        for block in mine[:1]:
            if block in self._queued:
                self._order.trailing -= 1
                self._queued.remove(block)
            else:
                self._unconfirmed.remove(block)
            self._order.remove(block)

    def lift(self) -> list[PromptBlock]:
        """Remove the prompts that the CLI has not taken yet, so that something can be put above them."""
        typed, self._unconfirmed = self._unconfirmed, []
        for block in typed:
            self._order.remove(block)
        return typed

    def lower(self, typed: list[PromptBlock]) -> None:
        """Put back the prompts that `lift` removed."""
        for block in typed:
            self._add(block)
        self._unconfirmed = typed

    def end_turn(self) -> None:
        """Stop holding queued prompts at the end: the turn that they waited for is over."""
        self._order.trailing = 0
        for block in self._queued:
            block.queued = False
            self._order.touch(block)
        self._queued.clear()

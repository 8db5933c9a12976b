"""The order of the blocks: the places of new ones, the moves that a change causes, prompts on their way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ccq_tui.agent import events as ev
from ccq_tui.transcript.blocks import Block, PromptBlock, ToolBlock


@dataclass(frozen=True, slots=True)
class BlockChange:
    """The effect of an event.

    Attributes:
        changed: Indexes of blocks that are new or drawn differently now.
        moved_from: The first index that holds another block than before, or None.

    """

    changed: tuple[int, ...] = ()
    moved_from: int | None = None


class BlockOrder:
    """The blocks of a transcript in the order in which they are shown.

    Attributes:
        blocks: The blocks.
        trailing: Number of blocks kept at the end: prompts that wait for their turn.
    """

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.trailing = 0
        self._agents: dict[str, ToolBlock] = {}
        self._last_under: dict[str, Block] = {}
        self._changed: set[Block] = set()
        self._moved_from: int | None = None

    def take_change(self) -> BlockChange:
        """Return the changes since the last call."""
        changed = tuple(sorted(block.at for block in self._changed if block.at >= 0))
        change = BlockChange(changed, self._moved_from)
        self._changed.clear()
        self._moved_from = None
        return change

    def touch(self, block: Block) -> None:
        """Note that a block is drawn differently now."""
        block.version += 1
        self._changed.add(block)

    def add_agent(self, block: ToolBlock) -> None:
        """Note that blocks will come under a tool call."""
        self._agents[block.id] = block
        self._last_under[block.id] = block

    def add(self, block: Block, parent: str = "") -> None:
        """Put a block under its Agent call, or else at the end."""
        agent = self._agents.get(parent)
        while agent is not None and agent.at < 0:
            agent = self._agents.get(agent.parent)  # it is folded away itself
        if agent is None:
            self._splice(len(self.blocks) - self.trailing, [block])
            return
        block.depth = agent.depth + 1
        self._splice(self._last_under[agent.id].at + 1, [block])
        while agent is not None:
            self._last_under[agent.id] = block
            agent = self._agents.get(agent.parent)

    def put_first(self, blocks: list[Block]) -> None:
        """Put blocks above all others."""
        self._splice(0, blocks)

    def add_after(self, block: Block, above: Block) -> None:
        """Put a block right under another one."""
        block.depth = above.depth
        self._splice(above.at + 1, [block])
        for agent, last in self._last_under.items():
            if last is above:
                self._last_under[agent] = block

    def keep_last(self, block: Block) -> None:
        """Move a block to the end and keep it there until ``trailing`` is set to 0."""
        self.remove(block)
        self._splice(len(self.blocks), [block])
        self.trailing += 1

    def remove(self, block: Block) -> None:
        place = block.at
        if place < 0:
            return
        self._splice(place, removed=1)
        for agent, last in self._last_under.items():
            if last is block:
                self._last_under[agent] = self.blocks[place - 1]

    def take_under(self, agent: ToolBlock) -> list[Block]:
        """Remove all blocks under an Agent call, and return them in order."""
        if agent.at < 0 or self._last_under.get(agent.id, agent) is agent:
            return []
        last = self._last_under[agent.id]
        taken = self._splice(agent.at + 1, removed=last.at - agent.at)
        self._move_last(last, agent)
        return taken

    def put_under(self, agent: ToolBlock, blocks: list[Block]) -> None:
        """Put back the blocks removed from under an Agent call."""
        self._splice(agent.at + 1, blocks)
        self._move_last(agent, blocks[-1])
        for block in blocks:
            self.touch(block)

    def _move_last(self, old: Block, new: Block) -> None:
        """Replace ``old`` as the last block under each agent in sight."""
        for name, last in self._last_under.items():
            if last is old and self._agents[name].at >= 0:
                self._last_under[name] = new

    def _splice(self, start: int, new: Sequence[Block] = (), *, removed: int = 0) -> list[Block]:
        """Put blocks in place of a number of others; return those, which have no place any more."""
        taken = self.blocks[start : start + removed]
        self.blocks[start : start + removed] = new
        for block in taken:
            block.at = -1
        for index in range(start, len(self.blocks)):
            self.blocks[index].at = index
        end = start + len(new)
        if taken or end < len(self.blocks):
            self._moved_from = start if self._moved_from is None else min(start, self._moved_from)
        # The space above the next block depends on the block before.
        self._changed.update(self.blocks[start : end + 1])
        return taken


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

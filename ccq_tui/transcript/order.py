"""The order of the blocks: the places of new ones, the moves that a change causes, prompts on their way."""

from collections.abc import Sequence
from dataclasses import dataclass

from ccq_tui.agent import events as ev
from ccq_tui.transcript.blocks import Block, PromptBlock, ToolBlock
from ccq_tui.transcript.tools import ToolCard


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
        folded: Whether new blocks begin folded.
    """

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.folded = True
        self._agents: dict[str, ToolBlock] = {}
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

    def add(self, block: Block, parent: str = "") -> None:
        """Put a block under its Agent call, or else at the end, above prompts that wait for their turn."""
        block.folded = self.folded
        agent = self._agents.get(parent)
        while agent is not None and agent.at < 0:
            agent = self._agents.get(agent.parent)  # it is folded away itself
        if isinstance(block, ToolBlock) and block.card is ToolCard.AGENT:
            self._agents[block.id] = block
        if agent is not None:
            block.depth = agent.depth + 1
            self._splice(self._end_of(agent), [block])
            return
        end = len(self.blocks)
        while end and isinstance(last := self.blocks[end - 1], PromptBlock) and last.queued:
            end -= 1
        self._splice(end, [block])

    def _end_of(self, agent: ToolBlock) -> int:
        """Return the place behind the blocks under an Agent call."""
        below = range(agent.at + 1, len(self.blocks))
        return next((at for at in below if self.blocks[at].depth <= agent.depth), len(self.blocks))

    def put_first(self, blocks: list[Block]) -> None:
        """Put blocks above all others."""
        self._splice(0, blocks)

    def add_after(self, block: Block, above: Block) -> None:
        """Put a block right under another one."""
        block.depth = above.depth
        self._splice(above.at + 1, [block])

    def put_last(self, block: Block) -> None:
        """Move a block to the end."""
        self.remove(block)
        self._splice(len(self.blocks), [block])

    def remove(self, block: Block) -> None:
        if block.at >= 0:
            self._splice(block.at, removed=1)

    def clear(self, but: Sequence[Block]) -> None:
        """Remove all blocks except some, which keep their order."""
        self._splice(0, [block for block in self.blocks if block in but], removed=len(self.blocks))

    def take_under(self, agent: ToolBlock) -> list[Block]:
        """Remove all blocks under an Agent call, and return them in order."""
        return self._splice(agent.at + 1, removed=self._end_of(agent) - agent.at - 1)

    def put_under(self, agent: ToolBlock, blocks: list[Block]) -> None:
        """Put back the blocks removed from under an Agent call."""
        self._splice(agent.at + 1, blocks)
        for block in blocks:
            self.touch(block)

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

    def __init__(self, order: BlockOrder) -> None:
        self._order = order
        self.waiting: list[PromptBlock] = []
        """Prompts that the CLI has not taken, and those that wait for the running turn to end."""

    def show(self, text: str) -> None:
        """Show a prompt before the CLI has taken it."""
        block = PromptBlock(text)
        self.waiting.append(block)
        self._order.add(block)

    def accept(self, event: ev.PromptAccepted) -> None:
        """Note that the CLI has taken a prompt."""
        wanted = event.text.rstrip()
        block = next((one for one in self.waiting if not one.accepted and one.text == wanted), None)
        if block is not None:
            self.waiting.remove(block)
        else:
            block = PromptBlock(event.text)
            self._order.add(block)
        block.accepted, block.queued, block.prompt_id = True, event.queued, event.prompt_id
        if event.queued:
            # It stays below the further output of the running turn.
            self._order.put_last(block)
            self.waiting.append(block)
        self._order.touch(block)

    def deliver(self, event: ev.PromptDelivered) -> None:
        """Note that a prompt was read within a running turn: the agent's later output comes after it."""
        first = next((one for one in self.waiting if one.queued), None)
        if first is not None and event.prompt_id and first.prompt_id == event.prompt_id:
            self._begin(first)

    def _begin(self, block: PromptBlock) -> None:
        """Stop holding a queued prompt at the end."""
        self.waiting.remove(block)
        block.queued = False
        self._order.touch(block)

    def take_back(self, event: ev.PromptReturned) -> None:
        """Remove a prompt that came back to the prompt's field."""
        wanted, name = event.text.rstrip(), event.prompt_id
        # A prompt that the CLI has not taken has no id yet.
        mine = [
            one
            for one in self.waiting
            if (one.prompt_id == name if name and one.queued else one.text == wanted)
        ]
        for block in sorted(mine, key=lambda one: one.prompt_id != name)[:1]:
            self.waiting.remove(block)
            self._order.remove(block)

    def lift(self) -> list[PromptBlock]:
        """Remove the prompts that the CLI has not taken yet, so that something can be put above them."""
        typed = [block for block in self.waiting if not block.accepted]
        for block in typed:
            self.waiting.remove(block)
            self._order.remove(block)
        return typed

    def lower(self, typed: list[PromptBlock]) -> None:
        """Put back the prompts that `lift` removed."""
        for block in typed:
            self.waiting.append(block)
            self._order.add(block)

    def end_turn(self) -> None:
        """Stop holding queued prompts at the end: the turn that they waited for is over."""
        for block in [one for one in self.waiting if one.queued]:
            self._begin(block)

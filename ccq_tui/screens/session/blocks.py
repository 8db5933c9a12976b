"""Blocks of the transcript: marked one by one, folded, copied, opened."""

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

from ccq_tui.commands.command import Work
from ccq_tui.config.keymap import key_of, with_keys
from ccq_tui.screens.link_opener import Target, open_target, resolved
from ccq_tui.screens.session.ui import SessionUi
from ccq_tui.text import one_line
from ccq_tui.transcript.blocks import Block, PromptBlock, ToolBlock
from ccq_tui.widgets.hints import HintBar
from ccq_tui.widgets.transcript import Transcript
from ccq_tui.widgets.transcript.reading import code_in, targets_at, targets_in, text_of


class BlockBar(HintBar):
    """Shows the keys for the current block and its position; takes no room while there is none."""

    DEFAULT_CSS = "BlockBar { background: $surface; }"

    def tell(self, block: Block | None, count: int) -> None:
        self.display = block is not None
        if block is None:
            return
        fold = ((key_of("fold_block"), "unfold" if block.folded else "fold"),) if block.foldable else ()
        self.show(
            (
                ("▌", one_line(block.tool if isinstance(block, ToolBlock) else block.called, 24)),
                (key_of("copy_block"), "copy"),
                *fold,
                (key_of("copy_code"), "copy code"),
                (key_of("open_link"), "open link"),
                (with_keys("{block_up} {block_down}"), "move"),
                ("Esc", "leave"),
            ),
            f"{block.at + 1:,}/{count:,}",
        )


HOW = "No block is marked · {block_up} marks one"
DOUBLE_CLICK = 0.3
"""Seconds in which a second click means that the first one was to select."""


class BlockActions:
    """Moves a mark from block to block, and acts on the marked one or on one that is clicked."""

    def __init__(self, ui: SessionUi) -> None:
        self._ui = ui
        self._opening: asyncio.TimerHandle | None = None
        self._cycle: tuple[Block | None, str, int] = (None, "", -1)

    def mark(self, direction: int, kind: type[Block]) -> None:
        """Mark the next block or prompt."""
        if not self._ui.transcript.block_mark.move(direction, kind):
            word, way = "prompt" if kind is PromptBlock else "block", "above" if direction < 0 else "below"
            self._ui.say(f"No {word} further {way}")

    def fold(self) -> None:
        """Unfold the marked block, or fold it."""
        if self._marked() is not None and not self._ui.transcript.block_mark.toggle():
            self._ui.say("The whole block is shown already")

    async def copy(self, block: Block) -> None:
        """Copy a block."""
        text = await asyncio.to_thread(text_of, block)
        self._ui.app.copy_to_clipboard(text)
        self._ui.say(f"Copied {len(text):,} characters")

    async def copy_code(self, block: Block) -> None:
        """Copy the next piece of code of a block."""
        pieces = await asyncio.to_thread(code_in, block)
        if not pieces:
            self._ui.say("The block has no code")
            return
        number = self._next(block, "code", len(pieces))
        self._ui.app.copy_to_clipboard(pieces[number])
        first = one_line(pieces[number].strip().split("\n", 1)[0], 40)
        self._ui.say(f"Copied {_which(number, pieces, 'code', key_of('copy_code'))}: {first}")

    async def open(self, block: Block) -> None:
        """Open the next link or path of a block."""
        targets = await asyncio.to_thread(lambda: resolved(targets_in(block), self._ui.view.cwd))
        if not targets:
            self._ui.say("The block has no link and no path of an existing file")
            return
        number = self._next(block, "target", len(targets))
        result = await open_target(self._ui.app, targets[number])
        more = f" · {_which(number, targets, '', key_of('open_link'))}" if len(targets) > 1 else ""
        self._ui.say(result + more)

    def clicked(self, event: Transcript.Pointed) -> None:
        """Open what was clicked, unless a second click selects."""
        if self._opening is not None:
            self._opening.cancel()
        if event.chain == 1:
            opens = partial(self._start, partial(self._open_pointed, event))
            self._opening = self._ui.after(DOUBLE_CLICK, opens)

    async def _open_pointed(self, event: Transcript.Pointed) -> None:
        named = partial(targets_at, event.block, event.strips, event.line, event.cell)
        if targets := await asyncio.to_thread(lambda: resolved(named(), self._ui.view.cwd)):
            self._ui.say(await open_target(self._ui.app, targets[0]))

    def _marked(self) -> Block | None:
        block = self._ui.transcript.mark
        if block is None:
            self._ui.say(with_keys(HOW))
        return block

    def do(self, work: Callable[[Block], Coroutine[Any, Any, None]]) -> None:
        """Do something with the marked block, beside the keys."""
        if (block := self._marked()) is not None:
            self._start(partial(work, block))

    def _next(self, block: Block, what: str, count: int) -> int:
        """Return the number of the one to take: the next one when the key is repeated."""
        before, kind, number = self._cycle
        number = (number + 1) % count if before is block and kind == what else 0
        self._cycle = (block, what, number)
        return number

    def _start(self, work: Work) -> None:
        self._ui.start(work, "block", group="block", exclusive=True)


def _which(number: int, all_of_them: list[str] | list[Target], what: str, key: str) -> str:
    if len(all_of_them) == 1:
        return f"the {what}"
    return f"{what} {number + 1} of {len(all_of_them)} ({key} the next)".strip()

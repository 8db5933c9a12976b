"""The part of the screen that acts on the current block: moving to it, folding, copying, opening."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType

from ccq_tui.compat.textual.nodes import bind_first
from ccq_tui.questions.input_guard import CLICK_GRACE
from ccq_tui.screens.clipboard import copy
from ccq_tui.screens.opening import Target, open_target, resolved
from ccq_tui.screens.session.base import SessionBase
from ccq_tui.text import one_line
from ccq_tui.widgets.lifetime import after, is_live, start_work
from ccq_tui.widgets.place_bar import PlaceBar
from ccq_tui.widgets.transcript import Transcript
from ccq_tui.widgets.transcript.block_mark import Step
from ccq_tui.widgets.transcript.blocks import Block
from ccq_tui.widgets.transcript.contents import code_in, targets_in, text_of
from ccq_tui.widgets.transcript.pointing import targets_at

HOW = "Alt+↑ marks a block first"
DOUBLE_CLICK = 0.3
"""Seconds in which a second click says that the first one was meant to select."""


class Placing(SessionBase):
    """Moves a mark from block to block; its keys work whatever has the focus."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "alt+up", "mark(-1, 'block')", "Mark the block above", priority=True, show=False, id="block_up"
        ),
        Binding(
            "alt+down", "mark(1, 'block')", "Mark the block below", priority=True, show=False, id="block_down"
        ),
        Binding(
            "alt+pageup",
            "mark(-1, 'prompt')",
            "Mark the prompt above",
            priority=True,
            show=False,
            id="prompt_up",
        ),
        Binding(
            "alt+pagedown",
            "mark(1, 'prompt')",
            "Mark the prompt below",
            priority=True,
            show=False,
            id="prompt_down",
        ),
        Binding(
            "alt+u",
            "fold_mark",
            "Unfold or fold the marked block",
            priority=True,
            show=False,
            id="fold_block",
        ),
        Binding("alt+c", "copy_mark", "Copy the marked block", priority=True, show=False, id="copy_block"),
        Binding(
            "alt+k",
            "copy_code",
            "Copy the code in the marked block, the next one each time",
            priority=True,
            show=False,
            id="copy_code",
        ),
        Binding(
            "alt+o",
            "open_mark",
            "Open the link or path in the marked block, the next each time",
            priority=True,
            show=False,
            id="open_link",
        ),
    ]

    _opening: asyncio.TimerHandle | None = None
    _focused_at = float("-inf")
    _cycle: tuple[Block | None, str, int] = (None, "", -1)

    def on_mount(self) -> None:
        """Let Esc leave the mark before it does anything else."""
        bind_first(self, "escape", "leave_mark", "Leave the marked block")
        self.watch(self.app, "app_focus", self._note_focus, init=False)

    def _note_focus(self) -> None:
        self._focused_at = self.clock()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Take Esc only while a block is marked."""
        if action == "leave_mark":
            return is_live(self) and self.transcript.mark is not None
        return super().check_action(action, parameters)

    @on(Transcript.MarkChanged)
    def _mark_changed(self) -> None:
        self.query_one(PlaceBar).tell(self.transcript.mark, self.transcript.block_count)

    def action_mark(self, direction: int, step: str) -> None:
        """Mark the next block or prompt."""
        if not self.transcript.move_mark(direction, Step(step)):
            way = "above" if direction < 0 else "below"
            what = "block" if step == "block" else "prompt"
            self.dock.notices.say(f"There is no {what} further {way}")

    def action_leave_mark(self) -> None:
        """Mark nothing."""
        self.transcript.leave_mark()

    def action_fold_mark(self) -> None:
        """Unfold the marked block, or fold it."""
        if self._marked() is not None and not self.transcript.toggle_mark():
            self.dock.notices.say("All of it is shown")

    def action_copy_mark(self) -> None:
        """Copy the marked block."""
        block = self._marked()
        if block is None:
            return

        async def work() -> None:
            text = await asyncio.to_thread(text_of, block)
            await copy(self.app, text)
            self.dock.notices.say(f"Copied {len(text):,} characters")

        self._work(work)

    def action_copy_code(self) -> None:
        """Copy the next piece of code of the marked block."""
        block = self._marked()
        if block is None:
            return

        async def work() -> None:
            pieces = await asyncio.to_thread(code_in, block)
            if not pieces:
                self.dock.notices.say("There is no code in it")
                return
            number = self._next(block, "code", len(pieces))
            await copy(self.app, pieces[number])
            first = one_line(pieces[number].strip().split("\n", 1)[0], 40)
            self.dock.notices.say(f"Copied {_which(number, pieces, 'code', 'Alt+K')}: {first}")

        self._work(work)

    def action_open_mark(self) -> None:
        """Open the next link or path of the marked block."""
        block = self._marked()
        if block is None:
            return

        def found() -> list[Target]:
            return resolved(targets_in(block), self.view.cwd)

        async def work() -> None:
            targets = await asyncio.to_thread(found)
            if not targets:
                self.dock.notices.say("There is no link in it, and no path of a file that exists")
                return
            number = self._next(block, "target", len(targets))
            said = await open_target(self.app, targets[number])
            more = f" · {_which(number, targets, '', 'Alt+O')}" if len(targets) > 1 else ""
            self.dock.notices.say(said + more)

        self._work(work)

    @on(Transcript.Pointed)
    def _open_soon(self, event: Transcript.Pointed) -> None:
        """Open what was clicked, unless it was clicked twice, which selects, or to come to the terminal."""
        if self._opening is not None:
            self._opening.cancel()
            self._opening = None
        if event.chain == 1 and self.clock() - self._focused_at >= CLICK_GRACE:
            self._opening = after(self, DOUBLE_CLICK, lambda: self._open_at(event))

    def _open_at(self, event: Transcript.Pointed) -> None:
        self._opening = None

        def found() -> list[Target]:
            named = targets_at(event.block, event.strips, event.line, event.cell)
            return resolved(named, self.view.cwd)

        async def work() -> None:
            if targets := await asyncio.to_thread(found):
                self.dock.notices.say(await open_target(self.app, targets[0]))

        self._work(work)

    def _marked(self) -> Block | None:
        block = self.transcript.mark
        if block is None:
            self.dock.notices.say(HOW)
        return block

    def _next(self, block: Block, what: str, count: int) -> int:
        """Return which one of several it is this time: the next one when the key is repeated."""
        before, kind, number = self._cycle
        number = (number + 1) % count if before is block and kind == what else 0
        self._cycle = (block, what, number)
        return number

    def _work(self, work: Callable[[], Awaitable[None]]) -> None:
        start_work(self, work, name="block", group="block", exclusive=True)


def _which(number: int, all_of_them: list[str] | list[Target], what: str, key: str) -> str:
    if len(all_of_them) == 1:
        return f"the {what}"
    return f"{what} {number + 1} of {len(all_of_them)} ({key} the next)".strip()

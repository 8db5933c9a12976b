"""The part of the screen where the person talks to the agent, and interrupts it."""

from __future__ import annotations

import asyncio
import contextlib
from functools import partial
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType

from ccq_tui.agent.events import (
    PromptAccepted,
    PromptDelivered,
    PromptReturned,
    SessionLost,
    SessionState,
)
from ccq_tui.prompts.unread import Sent
from ccq_tui.questions.input_guard import Escapes
from ccq_tui.screens.session.base import AGAIN_SECONDS
from ccq_tui.screens.session.remembering import Remembering
from ccq_tui.supervisor.events import SessionEvent
from ccq_tui.supervisor.session import SupervisedSession
from ccq_tui.widgets.keys import escapes_of
from ccq_tui.widgets.lifetime import after, is_live
from ccq_tui.widgets.prompt import Prompt

REPEAT_SECONDS = 0.15
"""Within how long a key that is held down comes again, once it does."""


class Prompting(Remembering):
    """Sends prompts, takes back what was not sent, interrupts."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "interrupt", "Interrupt Claude", show=False, id="interrupt"),
        Binding("ctrl+g", "edit_prompt", "Edit the prompt in $EDITOR", show=False, id="editor"),
        Binding("ctrl+r", "search_history", "Search earlier prompts", show=False, id="history"),
    ]

    def __init__(self, session: SupervisedSession) -> None:
        super().__init__(session)
        self._queued: list[str] = []

    def handle(self, event: SessionEvent) -> None:
        """Put a prompt that was not sent back into its field."""
        super().handle(event)
        self._note_queued(event)
        if isinstance(event, PromptReturned) and not event.kept:
            self.dock.prompt.put_back(event.text)
            self.settle_sent([event.prompt_id])
            if event.wanted:
                self.dock.notices.say("Prompt taken back before Claude read it · Enter sends it again")
                return
            self.transcript.add_notice(
                f"A prompt was not sent and is back in its field: {event.reason}", "warning"
            )

    def _note_queued(self, event: SessionEvent) -> None:
        match event:
            case PromptAccepted(queued=True, prompt_id=name) if name:
                if name not in self._queued:
                    self._queued.append(name)
            case (
                PromptAccepted(prompt_id=name)
                | PromptDelivered(prompt_id=name)
                | PromptReturned(prompt_id=name)
            ) if name in self._queued:
                self._queued.remove(name)
            case SessionLost():
                self._queued.clear()
            case _:
                return
        self.dock.prompt.has_queued = bool(self._queued)

    @on(Prompt.QueuedWanted)
    def _take_back_queued(self) -> None:
        if self._queued:
            self.session.agent.withdraw(self._queued[-1])

    @on(Prompt.Submitted)
    def _send(self, event: Prompt.Submitted) -> None:
        if not self.take_command(event.text):
            self.say(event.text)

    def say(self, text: str) -> None:
        """Show a prompt, and send it once it is on disk; the session keeps it while it starts or works."""
        text = text.rstrip()
        self.transcript.add_prompt(text)
        loop = asyncio.get_running_loop()
        kept: asyncio.Future[None] = loop.create_future()
        name = self.session.send(text, kept)
        written = self.keep_sent(Sent(name, text, self.session.agent.record_id))
        written.add_done_callback(lambda _: _settle(loop, kept))
        # It has no reader before there is a CLI.
        kept.add_done_callback(lambda _: self._may_be_taken_back(name))

    def _may_be_taken_back(self, name: str) -> None:
        if self.view.state is SessionState.STARTING and name in self._sent and is_live(self):
            self._queued.append(name)
            self.dock.prompt.has_queued = True

    def action_search_history(self) -> None:
        """Search the earlier prompts, or go on to the next that was found."""
        if self.dock.prompt.display:
            self.dock.prompt.search()

    def action_edit_prompt(self) -> None:
        """Edit the prompt in the person's editor, or what a panel in its place has to be typed."""
        if self.dock.panel is not None and not self.dock.prompt.display:
            self.dock.panel.open_editor()
            return
        self.edit(self.dock.prompt.text, self.dock.prompt.put)

    def action_interrupt(self) -> None:
        """Interrupt the turn; where that would withdraw a hidden request, ask once.

        No Esc of a burst does, and none of a key held down: its first repeat waits for the second.
        """
        escapes = escapes_of(self)
        if not escapes.counts:
            return
        if not self.view.busy:
            # With a meaning of its own: a press that did nothing must not be the first of two that interrupt.
            if self.pressed_again("escape", "in vain"):
                # In Claude Code this key, twice, goes back: who has it in the fingers learns the way here.
                self.dock.notices.say("Nothing to interrupt · /rewind goes back to an earlier prompt")
            return
        if self.dock.line.items and not self.pressed_again("escape"):
            words = "Esc again interrupts Claude and withdraws what waits · F2 shows it"
            self.dock.notices.say(words, seconds=AGAIN_SECONDS)
            return
        if escapes.may_be_held:
            after(self, REPEAT_SECONDS, partial(self._interrupt_after, escapes))
        else:
            self.session.agent.interrupt()

    def _interrupt_after(self, escapes: Escapes) -> None:
        """Interrupt the turn if no Esc followed that one."""
        if escapes_of(self) == escapes and self.view.busy:
            self.session.agent.interrupt()


def _settle(loop: asyncio.AbstractEventLoop, kept: asyncio.Future[None]) -> None:
    """Wake the program's loop when a thread has done its work; a loop that has ended needs no word."""

    def settle() -> None:
        if not kept.done():
            kept.set_result(None)

    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(settle)

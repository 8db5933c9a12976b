"""Executes a session's commands in order, without ever blocking its reader."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

from ccq_tui.agent import commands as cmd
from ccq_tui.agent.controls import Control
from ccq_tui.agent.events import AgentEvent, ErrorReported, NoticeGiven, PromptReturned

if TYPE_CHECKING:
    from ccq_tui.agent.claude.connection import Connection

T = TypeVar("T")

_logger = logging.getLogger(__name__)

OVER = "The session is over."
NOTHING_WAITS = "No question waits: there is nothing to park."
TAKEN_BACK = "you withdrew it"
ENDS = "the session ended before Claude read it"


class Commander:
    """The queue of a session's commands.

    Prompts and changes of mode, model or effort keep their order; interrupts, control requests and the end
    overtake them, each in a task of its own.

    Args:
        emit: Takes events.
        stop: Ends the session; takes whether questions wait in it, and the cause.
    """

    def __init__(self, emit: Callable[[AgentEvent], None], stop: Callable[[bool, str], None]) -> None:
        self._emit = emit
        self._stop = stop
        self._ordered: asyncio.Queue[cmd.Ordered] = asyncio.Queue()
        self._unsent: dict[str, cmd.Send] = {}
        """The prompts in `_ordered`, by their ids, without those that were taken back."""
        self._connection: Connection | None = None
        self._tasks: set[asyncio.Task[Any]] = set()
        self._leaving = False
        self._one_leaves = asyncio.Lock()
        """An end waits for parking: cut off, the same call would never ask again."""
        self._ended = False
        """Whether the CLI is about to end, and nothing is asked of it any more."""
        self._over = False

    def put(self, command: cmd.Ordered) -> None:
        """Queue a command; after `finish` it is refused by an event instead."""
        if self._over:
            self._failed(command, OVER)
        elif isinstance(command, cmd.Withdraw) and (send := self._unsent.pop(command.prompt_id, None)):
            self._emit(PromptReturned(send.text, TAKEN_BACK, send.prompt_id, wanted=True))
        else:
            if isinstance(command, cmd.Send):
                self._unsent[command.prompt_id] = command
            self._ordered.put_nowait(command)

    def interrupt(self) -> None:
        """End the running turn."""
        if not self._ended:
            self._begin(self._interrupt())

    def leave(self, *, ends: bool, cause: str) -> None:
        """Put off the waiting questions, then end the session; without ``ends``, only if questions wait."""
        if not self._ended:
            self._begin(self._leave(ends=ends, cause=cause))

    def end(self) -> None:
        """Cancel what the CLI has not confirmed or answered; nothing but prompts is taken from now on."""
        self._ended = True
        for task in self._tasks:
            task.cancel()

    def finish(self) -> None:
        """Refuse the commands not yet executed, so that no prompt is lost, and all later ones."""
        self._over = True
        while not self._ordered.empty():
            command = self._ordered.get_nowait()
            if not self._was_taken_back(command):
                self._failed(command, OVER)

    async def _leave(self, *, ends: bool, cause: str) -> None:
        async with self._one_leaves:
            connection, parked = self._connection, False
            if connection is not None and (ends or connection.gate.waits.pending):
                self._leaving = True
                await self._ordered_done()
                # Prompts that were not read are given back first.
                await connection.reclaim(ENDS)
                parked = await connection.park()
            if parked or ends:
                self._leaving = True
                self._stop(parked, cause)
            else:
                self._leaving = False
                self._emit(NoticeGiven("info", NOTHING_WAITS))

    def _was_taken_back(self, command: cmd.Ordered) -> bool:
        """Take a command out of `_unsent`; return whether it is a prompt that was taken back."""
        return isinstance(command, cmd.Send) and self._unsent.pop(command.prompt_id, None) is None

    def _begin(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def ask(self, connection: Connection | None, control: Control[T]) -> T:
        """Ask the CLI something beside the conversation; raises `CommandError`, also if the session ends."""
        if self._ended or connection is None:
            raise cmd.CommandError(OVER if self._ended else "Claude is still starting.")
        asking = self._begin(connection.ask(control))
        asking.add_done_callback(lambda done: done.cancelled() or done.exception())  # also if nobody waits
        await asyncio.wait({asking})
        if asking.cancelled():
            raise cmd.CommandError(OVER)
        return asking.result()

    async def work(self, connection: Connection) -> None:
        """Execute the commands that keep their order, until cancelled."""
        self._connection = connection
        while True:
            command = await self._ordered.get()
            try:
                if self._was_taken_back(command):
                    continue
                match command:
                    case cmd.Send(kept=kept):
                        if kept is not None and not kept.done():
                            # Seconds that a prompt waits for the disk; then it is sent all the same.
                            await asyncio.wait({kept}, timeout=5.0)
                        if self._leaving:
                            self._failed(command, ENDS)
                        else:
                            await connection.send(command)
                    case cmd.Withdraw(prompt_id):
                        await connection.withdraw(prompt_id)
                    case cmd.SetOption():
                        await connection.change(command)
            except cmd.CommandError as error:
                self._failed(command, str(error))
            except asyncio.CancelledError:
                self._failed(command, OVER)
                raise
            finally:
                self._ordered.task_done()

    async def _ordered_done(self) -> None:
        """Wait for earlier commands, but not behind one that hangs."""
        try:
            async with asyncio.timeout(2.0):
                await self._ordered.join()
        except TimeoutError:
            _logger.info("What was sent before is overtaken")

    async def _interrupt(self) -> None:
        if self._connection is None:
            return  # nothing runs yet, and queued prompts are meant to run
        await self._ordered_done()
        try:
            await self._connection.interrupt()
        except cmd.CommandError as error:
            self._emit(ErrorReported("interrupt", f"The turn was not interrupted: {error}"))

    def _failed(self, command: cmd.Ordered, reason: str) -> None:
        match command:
            case cmd.Send():
                self._emit(PromptReturned(command.text, reason, command.prompt_id))
            case cmd.Withdraw():
                self._emit(NoticeGiven("warning", f"A queued prompt was not withdrawn: {reason}"))
            case cmd.SetOption(what, value):
                words = f"The {what} was not changed to {value or 'the default'}: {reason}"
                self._emit(ErrorReported(what, words))

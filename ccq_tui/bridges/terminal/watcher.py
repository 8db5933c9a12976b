"""The watcher of a program's screen: it asks prompts in the inbox and types answers, in its own process."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import termios
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass

from ccq_tui.bridges.terminal.detect import Found, FoundPrompt, Reads, find
from ccq_tui.bridges.terminal.explain import said
from ccq_tui.bridges.terminal.link import ASKED, SHOW, ToWatcher, next_message
from ccq_tui.bridges.terminal.program import Watched
from ccq_tui.bridges.terminal.prompt_request import context_of, read_off, request_for, wanted
from ccq_tui.bridges.terminal.rules import PromptRule, load_rules
from ccq_tui.bridges.terminal.screen import LiveScreen
from ccq_tui.bridges.terminal.typist import KeysTaken, StoppedError, Typist, stands
from ccq_tui.config.paths import inbox_path, prompt_rules
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.requests import Asker, Cancelled, Origin, QuestionRequest, RequestOutcome
from ccq_tui.inbox.verdicts import AlreadySettled, InboxError
from ccq_tui.logs import start_logging
from ccq_tui.processes import this_process
from ccq_tui.questions import Answered
from ccq_tui.questions.prose import answer_line
from ccq_tui.text import one_line

_logger = logging.getLogger(__name__)

QUIET = 0.2
"""Seconds without output after which a prompt is asked."""
STEADY = 0.6
"""Seconds after which a list is asked that stays the same while other parts of the screen change."""
GONE = 0.15
"""Seconds that a prompt must be gone: a program may draw it again."""
ANSWERING = 0.8
"""Seconds from the first key at the terminal to the withdrawal; an answer there within them is kept."""
KEY_SECONDS = 4.0
"""Most seconds until the screen shows the effect of a key."""
TAKES = 0.3
"""Seconds to allow a program for a key that its terminal echoes: nothing reports that it has it."""
CLOSE_SECONDS = 3.0


@dataclass
class Open:
    """A prompt that is asked.

    Attributes:
        prompt: The prompt.
        request: Its request.
        inbox: The inbox in which it is.
        typing: Whether an answer from there is typed.
        withdrawn: Whether the request is closed, and the prompt left to the person.
    """

    prompt: FoundPrompt
    request: QuestionRequest
    inbox: Inbox
    typing: bool = False
    withdrawn: bool = False


def watch(watched: Watched, end: socket.socket) -> None:
    """Watch a program until it ends, in a process of its own; ``end`` is the socket to the relay."""
    start_logging()
    rules, problems = load_rules(prompt_rules())

    async def main() -> None:
        reader, writer = await asyncio.open_unix_connection(sock=end)
        watcher = Watcher(watched, rules, writer)
        for problem in problems:
            watcher.say(problem)
        await watcher.run(reader)

    try:
        asyncio.run(main())
    except Exception:
        _logger.exception("Watching a program failed")
        raise


class Watcher:
    """The watcher of one program.

    Args:
        watched: The program.
        rules: The rules for prompts.
        relay: Takes what the relay is told.

    Attributes:
        picture: The screen.
        prompt: The prompt on it, or None.
        over: Whether the program has ended.
    """

    def __init__(self, watched: Watched, rules: Sequence[PromptRule], relay: asyncio.StreamWriter) -> None:
        self._watched, self._rules, self._relay = watched, rules, relay
        self._screen = LiveScreen(watched.size)
        self.picture = self._screen.picture()
        self.prompt: FoundPrompt | None = None
        self._loop = asyncio.get_running_loop()
        self._looked = asyncio.Condition()
        self._shown = 0
        self._pressed_in = (True, True)
        self._inbox: Inbox | None = None
        self._open: Open | None = None
        self._since = self._last_output = self._loop.time()
        self._candidate: FoundPrompt | None = None
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._typed = False
        """Whether the person has typed since the last prompt was asked."""
        self._stopped = False
        self.over = False
        self._left: FoundPrompt | None = None
        self._failed = ""
        self._calls = 0
        self._asker_id = f"{os.getpid()}-{this_process().start.rpartition(':')[2]}"
        self._actor = Actor(Surface.ASKER, watched.name, this_process())

    async def run(self, reader: asyncio.StreamReader) -> None:
        """Watch until the program has ended or the relay, from which ``reader`` reads, is gone."""
        ended = ""
        try:
            while not ended:
                kind, payload = await next_message(reader)
                if kind is ToWatcher.ENDED:
                    ended = payload.decode()
                else:
                    self._take(kind, payload)
                    await self._tell_looked()
        except (asyncio.IncompleteReadError, OSError) as error:
            _logger.warning("The relay is gone: %s", type(error).__name__)
        await self._end_all(ended)

    # -- what the relay says --------------------------------------------------------------------------------

    def _take(self, kind: ToWatcher, payload: bytes) -> None:
        match kind:
            case ToWatcher.OUTPUT:
                self._last_output = self._loop.time()
                self._screen.take(payload)
                self._look()
            case ToWatcher.LOST:
                self._screen.reset()
            case ToWatcher.SIZE:
                columns, lines = payload.split()
                self._screen.fit((int(columns), int(lines)))
                self._look()
            case ToWatcher.SHOWN:
                self._look()
                self._shown += 1
            case ToWatcher.TYPED:
                self._person_types()
            case ToWatcher.STOPPED:
                self._stopped = True
                self._withdraw("it was stopped at its terminal")
                self._open = self._candidate = None
                self._cancel_all()
            case ToWatcher.CONTINUED:
                self._stopped, self._left = False, None
                self._look()

    async def _tell_looked(self) -> None:
        async with self._looked:
            self._looked.notify_all()

    def _look(self) -> None:
        """Take a picture of the screen, and act on a prompt that came or went."""
        self.picture = self._screen.picture()
        self.prompt = self._find().prompt
        opened = self._open
        if opened is None:
            self._consider()
        elif not opened.typing and not stands(opened.prompt, self.prompt, self.picture):
            self._later("gone", GONE, self._go)
        else:
            self._cancel("gone")

    def _find(self) -> Found:
        if (modes := self._modes()) is None:
            return Found(None)
        found = find(self.picture, Reads(*modes), self._rules)
        if self._watched.explain:
            self._later("explain", QUIET, lambda: self._explain(found))
        return found

    def _modes(self) -> tuple[bool, bool] | None:
        """Return whether the terminal echoes, and whether it gives whole lines; None once it is gone."""
        try:
            local = termios.tcgetattr(self._watched.master)[3]
        except termios.error:
            return None
        return bool(local & termios.ECHO), bool(local & termios.ICANON)

    # -- from a prompt to a request -------------------------------------------------------------------------

    def _consider(self) -> None:
        """Ask a prompt once it stays the same."""
        found = self.prompt
        if self._left is not None and not stands(self._left, found, self.picture):
            self._left = None
        if found is None or self._left is not None or self._stopped:
            self._candidate = None
            self._cancel("ripe")
            return
        if self._candidate is None or not stands(self._candidate, found, self.picture):
            self._since = self._loop.time()
        self._candidate = found
        self._later("ripe", QUIET, self._ripe)

    def _ripe(self) -> None:
        if self._rests():
            self._begin(self._check())
        else:
            self._later("ripe", QUIET / 2, self._ripe)

    def _rests(self) -> bool:
        now = self._loop.time()
        is_list = self._candidate is not None and self._candidate.rule.shape.is_list
        return now - self._last_output >= QUIET or (is_list and now - self._since >= STEADY)

    async def _check(self) -> None:
        """Ask a prompt that stands when all output is seen: the relay keeps a flood back."""
        seen = False
        with suppress(StoppedError):  # the relay is busy with the last output of a program that has ended
            await self.see()
            seen = True
        self._cancel("ripe")
        if not (seen and self._rests()):
            self._later("ripe", QUIET / 2, self._ripe)
            return
        self.prompt = self._find().prompt  # once more: a password's prompt may turn the echo off only now
        candidate, self._candidate = self._candidate, None
        if candidate is None:
            return
        if self.prompt is not None and stands(candidate, self.prompt, self.picture):
            self._ask(self.prompt)
        else:
            self._later("look", QUIET, self._look)

    def _ask(self, prompt: FoundPrompt) -> None:
        self._calls += 1
        origin = Origin(Asker.TERMINAL, self._watched.name, self._watched.directory, this_process())
        call = f"prompt-{os.getpid()}-{self._calls}"
        request = request_for(prompt, call, self._asker_id, origin, self._failed)
        self._failed = ""
        self._typed = False
        self._relay.write(ASKED)
        self._inbox = self._inbox or Inbox.begin(inbox_path())
        self._open = opened = Open(prompt, request, self._inbox)
        self._begin(self._await(opened, context_of(self.picture, prompt)))

    async def _await(self, opened: Open, context: str) -> None:
        try:
            await opened.inbox.run(lambda _: None)
            if opened.withdrawn:  # while the inbox was opened
                return
            outcome = await opened.inbox.ask(opened.request, context)
        except InboxError as error:
            self.say(f"prompts are not in the inbox: {error}")
            if self._open is opened:
                self._leave(opened)
            return
        if not opened.withdrawn:
            await self._deliver(opened, outcome)

    # -- from an outcome to keys ----------------------------------------------------------------------------

    async def _deliver(self, opened: Open, outcome: RequestOutcome) -> None:
        opened.typing = opened.withdrawn = True
        key, sessions = opened.request.id, opened.inbox.sessions
        try:
            if isinstance(outcome, Answered):
                await Typist(self, opened.prompt).answer(wanted(opened.prompt, outcome.answers[0]))
                self._open = None
            else:
                self._leave(opened)
            sessions.delivered(key, "result")
        except StoppedError as error:
            reason = f"it could not be typed to the end at {self._watched.name}'s prompt: {error}"
            sessions.give_up(key, reason)
            found = self._find().prompt
            if found is not None and found.rule == opened.prompt.rule and not self._typed:
                self._open, self._failed = None, f"Your answer was not entered: {error}."
            else:
                shown = one_line(opened.prompt.question, 60)
                self.say(f"the answer to “{shown}” {reason.removeprefix('it ')}; answer it there")
                self._leave(opened)
        self._look()

    def _leave(self, opened: Open) -> None:
        """Leave a prompt to the person."""
        self._left, self._open = opened.prompt, None

    async def see(self) -> None:
        """Update the screen to all of the program's output; raises `StoppedError` if it cannot be seen."""
        wanted = self._shown + 1
        self._relay.write(SHOW)
        if not await self.wait(lambda: self._shown >= wanted or self.over, KEY_SECONDS):
            raise StoppedError("its screen cannot be seen")

    async def taken(self) -> KeysTaken:
        """Wait until the program has taken the keys that its terminal shows, and update the screen.

        Raises `StoppedError` if the screen cannot be seen.
        """
        echo, lines = self._pressed_in
        if lines:
            await self.see()
            return KeysTaken.LINE
        if echo:  # the terminal shows a key before the program has it
            await asyncio.sleep(TAKES)
        await self.see()
        return KeysTaken.MORE if self._modes() == self._pressed_in else KeysTaken.BUSY

    async def press(self, keys: str, until: Callable[[], bool]) -> bool:
        """Type, wait for a state of the screen, and return whether it came.

        Raises `StoppedError` if the person types, or the terminal takes no keys.
        """
        if self._typed:
            raise StoppedError("somebody types there")
        self._pressed_in = self._modes() or (False, False)
        try:
            written = os.write(self._watched.master, keys.encode())
        except OSError as error:
            raise StoppedError("its terminal takes no keys") from error
        if written != len(keys.encode()):
            raise StoppedError("its terminal took only some of the keys")
        return await self.wait(until, KEY_SECONDS)

    async def wait(self, until: Callable[[], bool], seconds: float) -> bool:
        """Wait for a state of the screen, and return whether it came."""
        try:
            async with asyncio.timeout(seconds), self._looked:
                await self._looked.wait_for(until)
        except TimeoutError:
            return False
        return True

    # -- what happens at the terminal -----------------------------------------------------------------------

    def _person_types(self) -> None:
        self._typed = True
        if self._open is not None and not self._open.typing:
            self._later("answering", ANSWERING, lambda: self._withdraw("somebody answers it at its terminal"))

    def _withdraw(self, reason: str) -> None:
        """Withdraw the request; an answer at the terminal is still read off."""
        if self._open is not None and not self._open.withdrawn:
            self._begin(self._close(self._open, None, reason))

    def _go(self) -> None:
        """Record the answer to a prompt that is gone without an answer typed from here."""
        opened, self._open = self._open, None
        self._cancel("answering")
        if opened is not None:
            reason = "answered at its terminal" if self._typed else "its prompt is gone"
            self._begin(self._close(opened, self._read_off(opened), reason))
        self._look()

    def _read_off(self, opened: Open) -> Answered | None:
        """Return the answer that was given at the terminal, as far as the screen shows it."""
        answer = read_off(opened.prompt, self.picture) if self._typed else None
        return None if answer is None else Answered((answer,))

    async def _close(self, opened: Open, answered: Answered | None, reason: str) -> None:
        """Close a request, unless it is closed, with the answer from the terminal or else for a reason."""
        key, sessions = opened.request.id, opened.inbox.sessions
        closed, opened.withdrawn = opened.withdrawn, True
        try:
            if not closed:
                verdict = await opened.inbox.answer(key, answered or Cancelled(reason), self._actor)
                if isinstance(verdict, AlreadySettled):  # from elsewhere, too late for the prompt
                    sessions.give_up(key, "it was answered at its terminal first")
                elif answered is not None:
                    sessions.delivered(key, "result")
            elif answered is not None:
                words = f"answered at its terminal: {one_line(answer_line(answered.answers[0]), 200)}"
                await opened.inbox.run(lambda store: store.requests.remark(key, words, self._actor))
        except InboxError as error:
            _logger.warning("What was answered at the terminal is not kept: %s", error)
            opened.inbox.withdraw(key, reason, self._actor)

    # -- the end --------------------------------------------------------------------------------------------

    async def _end_all(self, code: str) -> None:
        """Close the open request and the tasks at the program's end."""
        self._cancel_all()
        self.over = True
        await self._tell_looked()  # the answer itself may have ended the program
        if self._open is not None and not self._open.typing:
            reason = f"{self._watched.name} ended{f' with exit code {code}' if code else ''}"
            await self._close(self._open, self._read_off(self._open), reason)
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=CLOSE_SECONDS)
        if self._inbox is not None:
            await self._inbox.close(CLOSE_SECONDS)

    def _explain(self, found: Found) -> None:
        """Print the results of rules on a screen at rest."""
        x, y = self.picture.cursor
        self.say(f"at rest, with the cursor behind “{self.picture.lines[y][:x][-60:]}”:")
        for line in said(found, self._rules):
            self.say(line)

    def say(self, line: str) -> None:
        """Send a line to be printed once the terminal is free."""
        self._relay.write(f"{one_line(line, 500)}\n".encode())

    def _later(self, name: str, seconds: float, do: Callable[[], None]) -> None:
        if name in ("gone", "answering") and name in self._timers:
            return

        def due() -> None:
            self._timers.pop(name, None)
            do()

        self._cancel(name)
        self._timers[name] = self._loop.call_later(seconds, due)

    def _cancel(self, name: str) -> None:
        if (timer := self._timers.pop(name, None)) is not None:
            timer.cancel()

    def _cancel_all(self) -> None:
        for name in list(self._timers):
            self._cancel(name)

    def _begin(self, work: Coroutine[None, None, None]) -> None:
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _logger.error("Watching a program failed", exc_info=error)
            self.say("its prompts are no longer in the inbox: an error is in the log")
            self._stopped = True

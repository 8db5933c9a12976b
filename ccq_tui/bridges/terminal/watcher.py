"""The watcher of a program's screen: it asks prompts in the inbox and types answers, in its own process."""

import asyncio
import logging
import os
import socket
import termios
from asyncio import StreamWriter
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from ccq_tui.bridges.terminal.detect import ENTER_ALONE, FoundPrompt, Reads, find, masked
from ccq_tui.bridges.terminal.link import ASKED, SHOW, ToWatcher, next_message
from ccq_tui.bridges.terminal.program import Size, foreground_waits
from ccq_tui.bridges.terminal.rules import PromptRule, Shape, load_rules
from ccq_tui.bridges.terminal.screen import LiveScreen, ScreenPicture
from ccq_tui.bridges.terminal.typist import KeysTaken, StoppedError, Typist, stands
from ccq_tui.config.paths import inbox_path
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.requests import Asker, Origin, QuestionRequest, RequestOutcome
from ccq_tui.inbox.sessions import InboxSessions
from ccq_tui.inbox.verdicts import InboxError
from ccq_tui.logs import start_logging
from ccq_tui.processes import this_process
from ccq_tui.questions import Answer, Answered, Kind, Option, Question, QuestionSet
from ccq_tui.text import one_line, safe

CHECKED_NOW = "checked at the terminal"
DEFAULT = "default"


def request_for(
    prompt: FoundPrompt, call: str, session_id: str, origin: Origin, about: str = ""
) -> QuestionRequest:
    """Return the request that asks a prompt, with a text about it."""
    shape = prompt.rule.shape
    default = prompt.typed or prompt.default
    if masked(default) != default:
        default, about = "", f"{about} The default may be a secret and is not shown.".strip()
    question = Question(
        text=masked(prompt.question),
        options=tuple(_options(prompt)),
        multi_select=shape is Shape.CHECKS,
        kind=Kind.TEXT if shape is Shape.TEXT else Kind.CHOICE,
        description=about,
        default=default if shape is Shape.TEXT else "",
        # A list may have more rows than are shown: a text names one.
        closed=shape in (Shape.CHECKS, Shape.YES_NO),
    )
    asked = QuestionSet(call, (question,), is_prompt=True)
    return QuestionRequest(call, session_id, asked, origin=origin)


def _options(prompt: FoundPrompt) -> Iterator[Option]:
    if prompt.rule.shape is Shape.TEXT:
        yield Option(ENTER_ALONE)
    if prompt.words:
        for label, _ in prompt.words:
            about = [prompt.rule.meanings.get(label), DEFAULT * (label == prompt.default)]
            yield Option(label, " · ".join(filter(None, about)))
        return
    for row in prompt.choices:
        about = [row.detail, CHECKED_NOW if row.checked else "", DEFAULT * (row.label == prompt.default)]
        yield Option(row.label[:500], " · ".join(filter(None, about)))


def context_of(picture: ScreenPicture, prompt: FoundPrompt) -> str:
    """Return the last lines above a prompt."""
    y = max(0, min(prompt.at - picture.scrolled, len(picture.lines)))
    lines = picture.lines[:y][-40:]
    return masked(safe("\n".join(lines).strip("\n")))


def wanted(prompt: FoundPrompt, answer: Answer) -> Answer:
    """Return an answer as it is typed: the labels of rows to mark, or a text."""
    chosen = answer.selected[0] if answer.selected else ""
    match prompt.rule.shape:
        case Shape.TEXT if chosen:
            return Answer()
        case Shape.NUMBER if chosen:
            return Answer(other=next(row.number for row in prompt.rows if row.label == chosen))
        case _ if prompt.words and chosen:
            return Answer(other=dict(prompt.words)[chosen])
    return answer


_logger = logging.getLogger(__name__)

QUIET = 0.2
"""Seconds without output after which the screen rests."""
STEADY = 0.6
"""Seconds after which a list counts, or that no prompt is there, while other parts of the screen change."""
ABSENT = 2.0
"""Seconds after which a prompt that is not on the screen is gone, whatever the program does."""
KEY_SECONDS = 4.0
"""Most seconds until the screen shows the effect of a key."""
CLOSE_SECONDS = 3.0


def watch(name: str, directory: str, master: int, size: Size, end: socket.socket) -> None:
    """Watch a program until it ends, in a process of its own.

    Args:
        name: The program's name.
        directory: Its working directory.
        master: Our end of its terminal.
        size: The terminal's size.
        end: The socket to the relay.
    """
    start_logging()
    rules = load_rules()

    async def main() -> None:
        reader, writer = await asyncio.open_unix_connection(sock=end)
        origin = Origin(Asker.TERMINAL, name, directory, this_process())
        await Watcher(origin, master, size, rules, writer).run(reader)

    try:
        asyncio.run(main())
    except Exception:
        _logger.exception("Watching a program failed")
        raise


class Watcher:
    """The watcher of one program.

    Args:
        origin: The program, which asks.
        master: Our end of its terminal.
        size: The terminal's size.
        rules: The rules for prompts.
        relay: Takes messages to the relay.

    Attributes:
        picture: The screen.
        prompt: The prompt on it, or None.
        over: Whether the program has ended.
    """

    def __init__(
        self, origin: Origin, master: int, size: Size, rules: Sequence[PromptRule], relay: StreamWriter
    ) -> None:
        self._origin, self._master, self._rules, self._relay = origin, master, rules, relay
        self._screen = LiveScreen(size)
        self.picture = self._screen.picture()
        self.prompt: FoundPrompt | None = None
        self._loop = asyncio.get_running_loop()
        self._updated = asyncio.Condition()
        self._shown = 0
        self._pressed_in = (True, True)
        self._inbox: Inbox | None = None
        self._known: FoundPrompt | None = None
        """The prompt that is asked, or that is left to the person."""
        self._asked: QuestionRequest | None = None
        """The request that asks it, or None if it is left to the person."""
        self._typing = False
        """Whether an answer from the inbox is typed."""
        self._since = self._last_output = self._loop.time()
        self._tasks: set[asyncio.Task[None]] = set()
        self._typed = False
        """Whether the person has typed since the last prompt was asked."""
        self._stopped = False
        self.over = False
        self._calls = 0
        self._asker_id = f"{os.getpid()}-{this_process().start.rpartition(':')[2]}"
        self._actor = Actor(Surface.ASKER, origin.name, this_process())

    async def run(self, reader: asyncio.StreamReader) -> None:
        """Watch until the program has ended or the relay, from which ``reader`` reads, is gone."""
        self._begin(self._settle())
        ended = ""
        try:
            while not ended:
                kind, payload = await next_message(reader)
                if kind is ToWatcher.ENDED:
                    ended = payload.decode()
                else:
                    self._take(kind, payload)
                    await self._notify_updated()
        except (asyncio.IncompleteReadError, OSError) as error:
            _logger.warning("The relay is gone: %s", type(error).__name__)
        self.over = True
        await self._notify_updated()  # the answer itself may have ended the program
        self._withdraw(f"{self._origin.name} ended{f' with exit code {ended}' if ended else ''}")
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=CLOSE_SECONDS)
        if self._inbox is not None:
            await self._inbox.close(CLOSE_SECONDS)

    # -- what the relay says --------------------------------------------------------------------------------

    def _take(self, kind: ToWatcher, payload: bytes) -> None:
        match kind:
            case ToWatcher.OUTPUT:
                self._last_output = self._loop.time()
                self._screen.take(payload)
                self._update()
            case ToWatcher.SIZE:
                columns, lines = payload.split()
                self._screen.fit((int(columns), int(lines)))
                self._update()
            case ToWatcher.SHOWN:
                self._update()
                self._shown += 1
            case ToWatcher.TYPED:
                self._typed = True
                self._withdraw("keys were typed at its terminal")
                if self._asked is None:
                    self._known = self.prompt
            case ToWatcher.STOPPED:
                self._stopped = True
                self._withdraw("it was stopped at its terminal")
            case ToWatcher.CONTINUED:
                self._stopped = False
                if self._asked is None:
                    self._known = None
                self._update()

    async def _notify_updated(self) -> None:
        async with self._updated:
            self._updated.notify_all()

    def _update(self) -> None:
        """Take a picture of the screen, and find the prompt on it."""
        before, self.picture = self.prompt, self._screen.picture()
        self.prompt = self._find()
        if not (before is self.prompt or (before and stands(before, self.prompt, self.picture))):
            self._since = self._loop.time()
        if self._known and self._asked is None and not stands(self._known, self.prompt, self.picture):
            self._known = None

    def _find(self) -> FoundPrompt | None:
        modes = self._modes()
        return None if modes is None else find(self.picture, Reads(*modes), self._rules)

    def _modes(self) -> tuple[bool, bool] | None:
        """Return whether the terminal echoes, and whether it gives whole lines; None once it is gone."""
        try:
            local = termios.tcgetattr(self._master)[3]
        except termios.error:
            return None
        return bool(local & termios.ECHO), bool(local & termios.ICANON)

    # -- from a prompt to a request -------------------------------------------------------------------------

    async def _settle(self) -> None:
        """Ask each prompt that stays on the screen, and withdraw one that is gone from it."""
        while True:
            await self.wait(lambda: self.over or self._is_new(), None)
            if self.over:
                return
            await asyncio.sleep(0.1)  # seconds between looks at a screen that does not rest
            looked = self._loop.time()
            if not (self._is_new() and self._rests(looked)):
                continue
            with suppress(StoppedError):  # the relay is busy with the last output of a program that has ended
                await self.see()
                # As of the first look: what came since is no rest, however late a busy machine comes to this.
                if not (self._is_new() and self._rests(looked)):
                    continue
                if self._asked is not None:
                    self._withdraw("its prompt is gone")
                    self._update()
                elif self.prompt is not None:
                    self._ask(self.prompt)

    def _is_new(self) -> bool:
        """Whether the screen has another prompt, or none, than the one asked or left to the person."""
        if self.over or self._stopped or self._typing:
            return False
        if self._known is None:
            return self.prompt is not None
        return not stands(self._known, self.prompt, self.picture)

    def _rests(self, now: float) -> bool:
        """Whether the screen stays: a program that draws, or is kept from drawing, does not wait for keys."""
        if self.prompt is None and now - self._since >= ABSENT:
            return True
        steady = self.prompt is None or self.prompt.rule.shape.is_list
        rests = now - self._last_output >= QUIET or (steady and now - self._since >= STEADY)
        return rests and foreground_waits(self._master)

    def _ask(self, prompt: FoundPrompt, about: str = "") -> None:
        self._calls += 1
        call = f"prompt-{os.getpid()}-{self._calls}"
        request = request_for(prompt, call, self._asker_id, self._origin, about)
        self._typed = False
        self._relay.write(ASKED)
        self._inbox = self._inbox or Inbox.begin(inbox_path())
        self._known, self._asked = prompt, request
        self._begin(self._await(self._inbox, prompt, request, context_of(self.picture, prompt)))

    async def _await(self, inbox: Inbox, prompt: FoundPrompt, request: QuestionRequest, context: str) -> None:
        try:
            await inbox.run(lambda _: None)
            if self._asked is not request:  # while the inbox was opened
                return
            outcome = await inbox.ask(request, context)
        except InboxError as error:
            self.say(f"prompts are not in the inbox: {error}")
            if self._asked is request:
                self._asked = None
            return
        if self._asked is request:
            await self._deliver(inbox.sessions, prompt, request.id, outcome)
        elif isinstance(outcome, Answered):
            inbox.sessions.give_up(request.id, "it was answered at its terminal first")

    # -- from an outcome to keys ----------------------------------------------------------------------------

    async def _deliver(
        self, sessions: InboxSessions, prompt: FoundPrompt, key: str, outcome: RequestOutcome
    ) -> None:
        try:
            if isinstance(outcome, Answered):
                self._typing = True
                await Typist(self, prompt).type_answer(wanted(prompt, outcome.answers[0]))
                self._known = None
            self._typing, self._asked = False, None
            sessions.delivered(key, "result")
        except StoppedError as error:
            reason = f"it could not be typed to the end at {self._origin.name}'s prompt: {error}"
            sessions.give_up(key, reason)
            self._update()
            self._typing, self._asked = False, None
            if stands(prompt, self.prompt, self.picture) and not self._typed:
                prompt = (prompt.rule.shape.is_list and self.prompt) or prompt
                self._ask(replace(prompt, typed=error.typed), f"Your answer was not entered: {error}.")
            else:
                shown = one_line(prompt.question, 60)
                self.say(f"the answer to “{shown}” {reason.removeprefix('it ')}; answer it there")
        self._update()
        await self._notify_updated()

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
            await asyncio.sleep(0.3)  # nothing reports that the program has a key that its terminal echoes
        await self.see()
        return KeysTaken.MORE if self._modes() == self._pressed_in else KeysTaken.BUSY

    async def press(self, keys: str, until: Callable[[], bool]) -> bool:
        """Type, wait for a state of the screen, and return whether it came.

        Raises `StoppedError` if the person types, or the terminal takes no keys.
        """
        if self._typed:
            raise StoppedError("keys were typed there")
        self._pressed_in = self._modes() or (False, False)
        try:
            written = os.write(self._master, keys.encode())
        except OSError as error:
            raise StoppedError("its terminal takes no keys") from error
        if written != len(keys.encode()):
            raise StoppedError("its terminal took only some of the keys")
        return await self.wait(until, KEY_SECONDS)

    async def wait(self, until: Callable[[], bool], seconds: float | None) -> bool:
        """Wait for a state of the screen, and return whether it came."""
        try:
            async with asyncio.timeout(seconds), self._updated:
                await self._updated.wait_for(until)
        except TimeoutError:
            return False
        return True

    def _withdraw(self, reason: str) -> None:
        """Leave the prompt that is asked to the person, and withdraw its request."""
        if self._inbox is not None and self._asked is not None and not self._typing:
            self._inbox.withdraw(self._asked.id, reason, self._actor)
            self._asked = None

    # -- the end --------------------------------------------------------------------------------------------

    def say(self, line: str) -> None:
        """Send a line to be printed once the terminal is free."""
        self._relay.write(f"{one_line(line, 500)}\n".encode())

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

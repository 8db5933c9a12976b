"""A session line by line: what happens is printed, and a line is a prompt, a command or an answer."""

import asyncio
import signal
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from ccq_tui.agent import events as ev
from ccq_tui.commands.command import ASKING, Command, PickRow, Work
from ccq_tui.commands.models import MEANINGS, mode_words
from ccq_tui.commands.table import COMMANDS
from ccq_tui.commands.wiring import Leading
from ccq_tui.config.keymap import key_of
from ccq_tui.config.launch import Launch
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.open_request import OpenRequest
from ccq_tui.inbox.requests import Cancelled
from ccq_tui.inbox.waiting_line import count_of
from ccq_tui.plain.answering import End, walk_request
from ccq_tui.plain.choice import PersonAtLines, choose
from ccq_tui.plain.lines import InputEnded, Interrupted, Lines
from ccq_tui.plain.transcript import PlainTranscript
from ccq_tui.prompts.command_names import named
from ccq_tui.prompts.images import PromptImage
from ccq_tui.prompts.pastes import unfolded
from ccq_tui.prompts.unread import PromptDraft
from ccq_tui.remote.leader import LeaderThread
from ccq_tui.runtime.facts import SessionFacts
from ccq_tui.runtime.limits import Attention, LimitReached
from ccq_tui.runtime.notices import Notices
from ccq_tui.runtime.runtime import NotOpenedError, Runtime
from ccq_tui.runtime.session import OVER, SupervisedSession
from ccq_tui.transcript.model import TranscriptModel
from ccq_tui.words import SHORT, spoken, waiting


class PlainPrompt:
    """Keeps a text that comes back, until the person sends it."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self.draft = PromptDraft()
        self._images: dict[str, PromptImage] = {}

    @property
    def kept(self) -> PromptDraft:
        """The text that must not be lost."""
        return self.draft

    def take(self) -> str:
        """Return the text, which is sent."""
        text, self.draft = self.draft.text, PromptDraft()
        return text

    def adopt(self, draft: PromptDraft) -> PromptDraft:
        """Keep the images of a draft."""
        self._images |= draft.images
        return draft

    def images_in(self, text: str) -> dict[str, PromptImage]:
        """Return the images whose names are in a text."""
        return {name: image for name, image in self._images.items() if name in text}

    def restore(self, draft: PromptDraft) -> None:
        """Replace the text, and print it; the beginning of a command is for a field."""
        if draft.text.startswith("/") and draft.text.endswith(" "):
            return
        self.draft = replace(draft, text=unfolded(draft.text, draft.pastes), pastes={})
        if self.draft.text.strip():
            self._lines.note(f"This text was not sent; /send sends it: {self.draft.text}")

    def put_back(self, text: str) -> None:
        """Put a prompt that was not read before the text."""
        self.restore(replace(self.draft, text="\n".join(filter(None, (text, self.draft.text)))))

    def remember(self, earlier: Iterable[str]) -> None:
        """Do nothing: the terminal has the earlier lines."""


FAILED, REFUSED, HUNG_UP = 1, 2, 128 + signal.SIGHUP
"""Exit codes, as on the screen."""
DRAWN = dict.fromkeys(range(0x2500, 0x25A0), None)
"""The characters of drawn lines and bars."""
STATES = {
    ev.SessionState.STARTING: "Claude is starting.",
    ev.SessionState.WORKING: "Claude is working.",
    ev.SessionState.IDLE: "Claude is ready.",
    ev.SessionState.PARKED: "The session is paused, without a Claude process.",
    ev.SessionState.FAILED: "Claude's process has failed. /reconnect starts it again.",
}
"""Sentences for the states that nothing else says."""
NEEDS_SCREEN = {one.name: one.instead for one in COMMANDS if one.instead}
"""The commands of the screen that are none here, and what does the same; docs/plain.md has other ways."""


class PlainSession(Leading):
    """Leads a session for a person who reads and writes lines.

    Args:
        runtime: Runs the session.
        session: The session, of which nothing has happened yet.
        lines: Where the person reads and writes.
        actor: Who answers.
    """

    live = True
    """Whether it has not begun to end."""

    def __init__(self, runtime: Runtime, session: SupervisedSession, lines: Lines, actor: Actor) -> None:
        self.runtime = runtime
        self.session = session
        self.lines = lines
        self.view = session.facts
        self.clock = session.clock
        self.prompt = PlainPrompt(lines)
        self.transcript = PlainTranscript(TranscriptModel(self.clock), lines, actor)
        self.transcript.model.set_folds(folded=not session.launch.settings.verbose)
        self.wire(self, runtime.inbox, PLAIN_COMMANDS)
        self._actor = actor
        self._news = asyncio.Event()
        self._command: asyncio.Task[object] | None = None
        self._underway: set[str] = set()
        """The prompts that no turn has answered."""
        self._left: set[str] = set()
        """Requests that the person left for later."""
        self._input_ended = False
        self.code = 0
        """The exit code: also a signal during the end sets it."""
        self._over = asyncio.Event()
        self._interrupted_at = float("-inf")
        self._counted = ""
        session.attention = self._attention
        session.subscribe(self._take)

    @property
    def launch(self) -> Launch:
        """The launch of the session."""
        return self.session.launch

    # -- its life -------------------------------------------------------------------------------------------

    async def run(self, prompt: str) -> None:
        """Lead the session to its end.

        Args:
            prompt: A prompt to send first, or "".
        """
        self.begin()
        Notices(self.runtime, PlainNotices(self)).begin()
        if prompt:
            self.send(prompt)
        self.queue.load()
        self.start(self._count_down, "limits")
        steps, over = (asyncio.ensure_future(one) for one in (self._steps(), self._over.wait()))
        await asyncio.wait((steps, over), return_when=asyncio.FIRST_COMPLETED)
        over.cancel()
        steps.cancel()
        try:
            with suppress(asyncio.CancelledError):
                await steps
        except OSError:
            if not self.lines.on_terminal:
                raise
            self.quit(HUNG_UP)  # a write may notice that a terminal goes before the signal does

    def quit(self, code: int = 0) -> None:
        """End the session, and the program; what waits in it stays."""
        self.code = self.code or code
        self._over.set()

    async def close(self) -> list[str]:
        """End the session; return how to come back to what waits in it."""
        words = self._parting()
        self.live = False
        self.shell.close()
        with suppress(TimeoutError):
            # Seconds that the end of a session may take before the program ends without it.
            async with asyncio.timeout(8.0):
                await self.runtime.end()
        self.queue.close()
        await self.runtime.close()
        return [*self.runtime.cleanup.parting, *words]

    def _parting(self) -> list[str]:
        waits = sum(count_of(one.request) for one in self.session.waiting if kind_of(one.request).OUTLIVES)
        key, kept = self.view.session_id[:SHORT], self.launch.program.state is None
        if not kept:
            return ["The demo is over, and its open questions with it."] if waits else []
        left = f"{waiting(waits, 'question')} in the session. " if waits else ""
        return [f"{left}ccq-tui resume {key} --plain continues it."] if key and self.view.begun else []

    # -- one step -------------------------------------------------------------------------------------------

    @property
    def _idle(self) -> bool:
        """Whether the next line begins something."""
        resting = self.view.state is ev.SessionState.IDLE or self.view.state in OVER
        # Just answered, a session still awaits: nothing then waits in it.
        left = self.view.state is ev.SessionState.AWAITING and self.session.waiting and not self._asks()
        # A turn whose request was left for later ends no sooner than that is answered.
        return bool(left or (resting and not self._underway)) and not self.shell.runs

    def _asks(self) -> OpenRequest | None:
        return next((one for one in self.session.waiting if one.request.id not in self._left), None)

    async def _steps(self) -> None:
        """Have requests answered, and take lines, until the input has ended and nothing runs."""
        while not (self._input_ended and (self._idle or self.session.waiting)):
            self._news.clear()
            if (opened := self._asks()) is not None:
                await self._answer(opened)
            elif not self._input_ended and (self._idle or self.lines.is_terminal):
                await self._take_line()
            else:
                await self._news.wait()
        self.quit(FAILED if self.view.state is ev.SessionState.FAILED else 0)

    async def _answer(self, opened: OpenRequest) -> None:
        await opened.added()
        match await walk_request(opened, self.lines, self._actor):
            case End.HERE:
                await opened.outcome()
            case End.PARKED:
                self._input_ended = True
                self._left.add(opened.request.id)
            case End.LEFT:
                self._left.add(opened.request.id)
                self.lines.note("It waits for you. /answer opens it again.")
            case End.ELSEWHERE:
                pass

    async def _take_line(self) -> None:
        """Take a line, unless a request is asked first."""
        quiet = self.lines.is_terminal
        line = asyncio.ensure_future(self.lines.input(turn=True, quiet=quiet))
        try:
            while not (line.done() or self._asks()):
                if quiet and self._idle:
                    self.lines.prompt()
                news = asyncio.ensure_future(self._news.wait())
                await asyncio.wait((line, news), return_when=asyncio.FIRST_COMPLETED)
                news.cancel()
                self._news.clear()
        finally:
            line.cancel()
        await asyncio.wait((line,))
        try:
            text = "" if line.cancelled() else line.result()
        except InputEnded:
            self._input_ended = True
        except Interrupted:
            self._stop()
        else:
            await self._obey(text)

    async def _obey(self, text: str) -> None:
        """Do what a line says."""
        name, text = named(text), text.strip()
        if instead := NEEDS_SCREEN.get(name):
            self.lines.note(f"/{name} needs the screen: {instead}.")
        elif text and not (self.unknown.holds_back(text) or self.shell.holds_back(text)):
            self.obey(text, {})
            if self._command is not None:
                await asyncio.wait((self._command,))
            return
        if text:
            self.queue.remember(text, {})

    def send(self, text: str, _images: object = None, *, typed: bool = False) -> None:
        """Send a prompt, once it is on disk; one that was not ``typed`` here is printed, too."""
        prompt_id, _ = self.queue.send(text.rstrip())
        self._underway.add(prompt_id)
        if typed:
            self.transcript.typed.add(prompt_id)

    # -- signals --------------------------------------------------------------------------------------------

    def interrupted(self) -> None:
        """Take Ctrl+C: what awaits a line decides what it means."""
        if not self.lines.interrupt():
            self._stop()

    def _stop(self) -> None:
        """Stop what runs; where nothing runs, quit when asked twice."""
        now, before = self.clock(), self._interrupted_at
        self._interrupted_at = now
        if now - before < 2.0:  # seconds within which a second Ctrl+C quits
            self.quit(128 + signal.SIGINT)
        elif self.shell.runs:
            self.shell.stop()
        elif self.view.busy and not self.session.waiting:
            self.lines.note("Interrupting Claude. Ctrl+C again quits.")
            self.session.agent.interrupt()
        else:
            self.lines.note("Ctrl+C again quits; what waits is kept.")

    def _attention(self) -> Attention:
        opened = self._asks()
        question = opened.request.id if opened and kind_of(opened.request).EXPIRES else ""
        return Attention(max(self.session.facts.since, self.lines.input_at), question)

    async def _count_down(self) -> None:
        """Announce the end of a time limit once."""
        while self.live:
            words = self.session.check_limits() if self.session.limited else ""
            if words and not self._counted:
                self.say(words.replace("any key stops it", "any line stops it"))
                self.lines.ring()
            self._counted = words
            await asyncio.sleep(1.0)

    # -- events ---------------------------------------------------------------------------------------------

    def _take(self, event: ev.AgentEvent) -> None:
        try:
            self._take_in(event)
        except OSError:  # nobody reads the lines any more
            self.quit(HUNG_UP if self.lines.on_terminal else FAILED)
        finally:
            self._news.set()

    def _take_in(self, event: ev.AgentEvent) -> None:
        before, self.view = self.view, self.session.facts
        self.transcript.apply(event)
        self.heed(event)
        self._count(event)
        if isinstance(event, ev.TurnEnded):
            self.lines.turn_ended()
            if event.duration >= self.launch.settings.notify_after:
                self.lines.ring()
        if self.live and (sentence := _sentence(event, before)):
            self.say(sentence)

    def _count(self, event: ev.AgentEvent) -> None:
        """Count the prompts that no turn has answered, and the answers that go as one."""
        match event:
            case ev.PromptReturned(prompt_id=name):
                self._underway.discard(name)
            case ev.RequestSettled(request_id=name, outcome=outcome) if not isinstance(outcome, Cancelled):
                opened = self.runtime.inbox.known(name)
                if opened is not None and opened.by_message:
                    self._underway.add(name)
            case ev.TurnEnded() | ev.SessionLost() | ev.ConversationReset():
                self._underway.clear()

    # -- what commands use; `ccq_tui.commands.command.CommandUi` says it -------------------------------------

    def note(self, text: str, level: str = "info") -> None:
        """Print a notice, without drawn lines and bars, and keep it in the transcript."""
        bare = [line.translate(DRAWN) for line in text.split("\n")]
        words = "\n".join(line for line in bare if any(map(str.isalnum, line)))
        self.transcript.apply(ev.NoticeGiven(level, text if level == "diff" else words))

    def say(self, text: str, *how: Any, of: str = "", **_more: Any) -> None:
        """Print a text that a screen would show for some seconds; a key of the screen is Ctrl+C here."""
        if text and ASKING not in (of, *how):
            self.lines.note(text.replace(" · ", "; ").replace(key_of("interrupt"), "Ctrl+C"))

    def say_unsent(self, words: str, *_shown: Any) -> None:
        """Print why a prompt was not sent."""
        self.say(words.replace("Enter again sends", "/help lists the commands · the same line again sends"))

    def act(self, *_: Any) -> None:
        """Do nothing: what it is for needs the screen."""

    def start(self, work: Work, *_: Any, group: str = "", **_more: Any) -> None:
        """Run work beside the lines; a command is awaited before the next one."""
        task = self.runtime.run_beside(work())
        if group == "command":
            self._command = task
        task.add_done_callback(lambda _: self._news.set())

    def after(self, seconds: float, call: Callable[[], object]) -> asyncio.TimerHandle:
        """Call something after a time."""
        return asyncio.get_running_loop().call_later(seconds, call)

    async def pick(self, title: str, rows: Iterable[PickRow], *_: Any, **options: Any) -> str | None:
        """Let the person choose from a numbered list."""
        return await choose(self.lines, title, [*rows], options.get("about", ""))

    def copy(self, _text: str) -> None:
        """Do nothing: the terminal copies what it shows."""

    def edit_file(self, path: Path, then: str = "") -> None:
        """Name a file to edit."""
        self.lines.note(f"Edit {path} with your editor; a change {then}." if then else f"Edit {path}.")

    # -- own commands ---------------------------------------------------------------------------------------

    def answer(self) -> None:
        """Open the requests that were left."""
        if not self._left:
            self.lines.note("Nothing was left for later.")
        self._left.clear()

    def send_unsent(self) -> None:
        """Send the text that was not sent."""
        if text := self.prompt.take():
            self.send(text)
        else:
            self.lines.note("No text is unsent.")

    def help(self) -> None:
        """List the commands."""
        for one in PLAIN_COMMANDS:
            self.lines.say(f"/{one.name} {one.arguments}".rstrip(), one.help)
        self.lines.note("Any other line is a prompt; a backslash at its end continues it; ! runs a command.")


PLAIN_COMMANDS: tuple[Command, ...] = (
    *(one for one in COMMANDS if not one.instead),
    Command("answer", "", "Open again what you left for later", "answer"),
    Command("send", "", "Send the text that was not sent", "send_unsent"),
    Command("interrupt", "", "Interrupt Claude, also while it asks", "session.agent.interrupt"),
    Command("reconnect", "", "Start Claude's process again", "session.reconnect"),
    Command("help", "", "List the commands", "help"),
)
"""The commands of a session line by line."""


def _sentence(event: ev.AgentEvent, before: SessionFacts) -> str:
    """Return what an event changes in the session, in a sentence, or ""."""
    match event:
        case ev.Connected(mode=mode) | ev.ModeChanged(mode) if mode != before.mode and mode in MEANINGS:
            return mode_words(mode)
        case LimitReached(limit=limit):
            return f"A time limit of {spoken(limit.seconds)} has passed."
        case ev.IdleProcessEnded():
            return "Claude's process ended while idle; the next prompt starts it again."
        case ev.StateChanged(state) if state is not before.state:
            answered = before.state is ev.SessionState.AWAITING  # of which the transcript says more
            return "" if answered and state is ev.SessionState.WORKING else STATES.get(state, "")
        case _:
            return ""


class PlainNotices:
    """Prints what a person should know of the inbox."""

    def __init__(self, session: PlainSession) -> None:
        self._session = session
        self.begun = asyncio.Event()
        self.begun.set()

    def note(self, lines: Iterable[str], level: str = "info") -> None:
        """Print a notice."""
        if text := "\n".join(lines):
            self._session.note(text, level)

    def announce(self, _asker: str, news: str, request_id: str = "") -> None:
        """Print news from outside the session."""
        self._session.lines.ring()
        self._session.lines.note(f"{news}{'. ccq-tui inbox --plain answers it.' if request_id else ''}")

    def withdraw(self, request_id: str) -> None:
        """Print nothing: what is printed stays."""

    def set_counts(self, counts: Mapping[str, int]) -> None:
        """Print nothing: each request is announced."""

    def greet(self, elsewhere: int) -> None:
        """Print how many requests wait elsewhere."""
        self._session.lines.note(f"{waiting(elsewhere, 'request')} elsewhere: ccq-tui inbox --plain")


async def lead(launch: Launch, why: str) -> int:
    """Run a session line by line; return the exit code.

    Args:
        launch: Its launch.
        why: Why it goes line by line.
    """
    lines, actor = Lines(bell=launch.settings.bell), Actor.here(Surface.PANEL)
    runtime = Runtime(launch, PersonAtLines(lines, actor))
    lines.note(f"Plain mode, because {why}. /help lists the commands.")
    loop, plain = asyncio.get_running_loop(), None
    leader = LeaderThread(launch.settings, launch.program.state, lambda one: lines.note(one) if one else None)
    try:
        plain = PlainSession(runtime, await runtime.begin(replace(launch, prompt="")), lines, actor)
        loop.add_signal_handler(signal.SIGINT, plain.interrupted)
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            loop.add_signal_handler(number, plain.quit, 128 + number)
        await plain.run(launch.prompt)
    except NotOpenedError as error:
        lines.say("error", f"The session {error}.")
    finally:
        parting = await plain.close() if plain is not None else []
        await asyncio.to_thread(leader.stop)
        runtime.end_threads()
    with suppress(OSError):  # the terminal is gone
        for text in parting:
            lines.note(text)
    return plain.code if plain is not None else REFUSED

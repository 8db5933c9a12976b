"""The program's own commands: listed, called and run, and the surface on which a person gives them."""

from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from inspect import iscoroutinefunction
from operator import attrgetter
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from ccq_tui.agent.controls import USUAL_SECONDS, CommandError, Control
from ccq_tui.agent.events import AgentEvent, SessionState, SlashCommand
from ccq_tui.prompts.images import PromptImage
from ccq_tui.runtime.facts import SessionFacts
from ccq_tui.runtime.prompt_queue import PromptSurface
from ccq_tui.transcript.model import TranscriptModel

PASSING_SECONDS = 4.0
"""Seconds for which a passing text is shown."""
Work = Callable[[], Coroutine[Any, Any, object]]
"""What a command does beside the keys."""


@dataclass(frozen=True, slots=True)
class PickRow:
    """Something to choose.

    Attributes:
        value: Value that choosing it returns.
        label: Its name.
        description: Its description, or "".
        right: A word at the right end of its line, such as a key, or "".
        current: Whether it is the present choice.
        group: The heading that it stands under, or "".
        colours: Its colours, shown beside its name.
    """

    value: str
    label: str
    description: str = ""
    right: str = ""
    current: bool = False
    group: str = ""
    colours: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """Key of the row: its value."""
        return self.value

    @property
    def found_by(self) -> str:
        """The text in which a filter looks."""
        return f"{self.label} {self.description} {self.right} {self.group}".casefold()


class TranscriptLog(Protocol):
    """What commands use of a transcript on the screen."""

    @property
    def model(self) -> TranscriptModel:
        """Its blocks."""

    def apply(self, event: AgentEvent) -> object:
        """Show an event."""

    def action_end(self) -> None:
        """Scroll to its end."""


class CommandUi(PromptSurface, Protocol):
    """The surface on which a person gives commands, with the facts known about the session."""

    view: SessionFacts
    """The facts known about the session."""

    @property
    def clock(self) -> Callable[[], float]:
        """Monotonic clock, in seconds."""

    def say(self, text: str, seconds: float = PASSING_SECONDS, of: str = "", key: str = "") -> None:
        """Show a text above the prompt for some seconds, or "" to take it back; see `NoticeLine.say`."""

    def act(self, name: str, *arguments: Any) -> None:
        """Have the program do one of its actions."""

    def start(self, work: Work, name: str, *, group: str = "default", exclusive: bool = False) -> None:
        """Run a coroutine; one of an ``exclusive`` group ends the one before."""

    @property
    def transcript(self) -> TranscriptLog:
        """The transcript."""

    def quit(self) -> None:
        """End all sessions, then the program."""

    def send(
        self, text: str, images: Mapping[str, PromptImage] | None = None, *, typed: bool = False
    ) -> object:
        """Show a prompt, unless it was ``typed`` where it is read, and send it once it is on disk."""

    def say_unsent(self, words: str, seconds: float) -> None:
        """Show why the text of the prompt was not sent, until it changes."""

    async def pick(self, title: str, rows: Iterable[PickRow], by_itself: bool, **options: Any) -> str | None:
        """Let the person choose as `CommandRunner.pick` does; ``by_itself``: no key asked for it."""

    def copy(self, text: str) -> None:
        """Put a text into the clipboard."""

    def edit_file(self, path: Path, then: str = "") -> None:
        """Open a file in the person's editor; ``then`` says what follows from a change."""


PARKED = "the session is paused without a Claude process · an answer or a prompt resumes it"
ASKING = "what is asked"
"""Owner of the line that names what the session waits for."""
T = TypeVar("T")
Ui = TypeVar("Ui", bound=CommandUi, covariant=True)


@dataclass(frozen=True, slots=True)
class Command:
    """A command of the program's own; it shadows the CLI's of the same name.

    Attributes:
        name: Name after the slash.
        arguments: Arguments that may follow, for a person, or "".
        help: What it does, for a person.
        does: The path from a surface to what does it, and behind a colon its first argument; it gets the
            command's own, if that may have one. What is a coroutine runs beside the keys, until another
            command does; else it may return such a function.
        instead: For one that only a screen has: what does the same without, for a person.
    """

    name: str
    arguments: str
    help: str
    does: str
    instead: str = ""

    @property
    def needs(self) -> bool:
        """Whether it does nothing without an argument."""
        return self.arguments[:1] not in ("", "[")

    @property
    def listed(self) -> SlashCommand:
        """The command as lists show it, beside those of the CLI."""
        return SlashCommand(self.name, self.help, self.arguments)


def called(text: str, commands: Iterable[Command]) -> tuple[Command, str] | None:
    """Return the command of ours that a prompt calls, and its argument, or None.

    Everything else is for the agent: other text, several lines, a path such as ``/model/x``.
    """
    stripped = text.strip()
    if not stripped.startswith("/") or "\n" in stripped:
        return None
    name, _, argument = stripped[1:].partition(" ")
    command = next((one for one in commands if one.name == name), None)
    return (command, argument.strip()) if command is not None else None


class CommandRunner(Generic[Ui]):
    """Lets commands choose, ask and report; one runs at a time."""

    def __init__(self, ui: Ui) -> None:
        self.ui = ui
        self._running = 0
        ui.session.in_use = lambda: self._running > 0
        self._asked_before = False
        """Whether the command that runs has asked the CLI or the person before."""

    def obey(self, command: Command, surface: object, argument: str) -> None:
        """Do a command, or say which argument it needs."""
        if command.needs and not argument:
            self.ui.prompt.put_back(f"/{command.name} ")
            self.ui.say(f"/{command.name} needs a {command.arguments.lower()} · type it, then Enter")
            return
        path, *given = command.does.split(":")
        given += [argument] if command.arguments else []
        work = partial(attrgetter(path)(surface), *given)
        if iscoroutinefunction(work) or (work := work()) is not None:
            self.run(work, command.name)

    def run(self, what: Work, name: str) -> None:
        """Run a command beside the keys; it ends the one before."""
        self.ui.start(partial(self.attempt, what, name), f"/{name}", group="command", exclusive=True)

    async def attempt(self, what: Work, name: str) -> None:
        """Do what a command does; show in the transcript what the CLI refuses."""
        self._asked_before = False
        self._running += 1
        try:
            await what()
        except CommandError as error:
            self.tell(f"/{name} failed: {error}", "warning")
        finally:
            self._running -= 1

    def tell(self, text: str, level: str = "info") -> None:
        """Show the result of a command, wherever the transcript was scrolled to."""
        self.ui.note(text, level)
        self.ui.transcript.action_end()

    def need_process(self) -> None:
        """Raise `CommandError` while the session is parked, for what only Claude's process can do."""
        if self.ui.view.state is SessionState.PARKED:
            raise CommandError(PARKED)

    async def send_control(self, control: Control[T]) -> T:
        """Ask the CLI something, with a line that says so until it answers."""
        self.need_process()
        return await self.asking(self.ui.session.agent.send_control(control), control.seconds)

    async def asking(self, answer: Awaitable[T], seconds: float = USUAL_SECONDS) -> T:
        """Wait for an answer of the CLI, with a line that says so."""
        self._asked_before = True
        self.ui.say("Asking Claude…", seconds, ASKING)
        try:
            return await answer
        finally:
            self.ui.say("", of=ASKING)

    async def pick(self, title: str, rows: Iterable[PickRow], **options: Any) -> str | None:
        """Let the person choose from a list; None when they left it.

        The options: what the list is ``about``, what Enter does (``choose``), and a ``preview`` of a row.
        """
        # Whether the list opens without a key just then: after an earlier question, the key that asked is
        # long past, or may still be held down.
        by_itself, self._asked_before = self._asked_before, True
        return await self.ui.pick(title, rows, by_itself, **options)

    async def sure(self, then: str) -> str | None:
        """Ask before Claude is interrupted, saying what follows; "yes", "no", or None if it was left."""
        if not self.ui.view.busy:
            return "yes"
        rows = (PickRow("no", "Stay here"), PickRow("yes", "Interrupt it", then))
        return await self.pick("Claude is working in this session", rows)

    async def one_of(
        self, title: str, found: Sequence[T], row: Callable[[T], PickRow], *, none: str = "", **options: Any
    ) -> T | None:
        """Let the person choose one of some things, each drawn as a row; say so where there is ``none``."""
        if not found:
            self.ui.say(none, seconds=8.0)
            return None
        rows = (replace(row(one), value=str(number)) for number, one in enumerate(found))
        chosen = await self.pick(title, rows, **options)
        return None if chosen is None else found[int(chosen)]


class CommandGroup(Generic[Ui]):
    """Commands that belong together, with the runner through which they choose, ask and report."""

    def __init__(self, runner: CommandRunner[Ui]) -> None:
        self._runner = runner
        self._ui = runner.ui

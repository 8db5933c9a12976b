"""The program's own commands: listed, called from a prompt, found in the palette, and run."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

from textual.binding import Binding

from ccq_tui.agent.commands import CommandError
from ccq_tui.agent.controls import USUAL_SECONDS, Control
from ccq_tui.agent.events import SessionState, SlashCommand
from ccq_tui.config.keymap import Keymap
from ccq_tui.config.keynames import shown_key
from ccq_tui.screens.keylist import joined
from ccq_tui.screens.pickers import Picker, PickRow
from ccq_tui.screens.session.ui import SessionUi
from ccq_tui.widgets.prompt import Prompt

PARKED = "the session is parked without a Claude process · an answer or a prompt restarts it"
ASKING = "what is asked"
"""Owner of the line that names what the session waits for."""
T = TypeVar("T")
S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class Command(Generic[S]):
    """A command of the program's own; it shadows the CLI's of the same name.

    Attributes:
        name: Name after the slash.
        arguments: Arguments that may follow, for a person, or "".
        help: What it does, for a person.
        do: Runs at once, given the screen and the argument, which is "" if there is none.
        work: Runs beside the keys, given the same; another command that chooses or asks ends it.
        needs: The argument in a word, if the command does nothing without one.
    """

    name: str
    arguments: str
    help: str
    do: Callable[[S, str], object] | None = None
    work: Callable[[S, str], Coroutine[Any, Any, object]] | None = None
    needs: str = ""

    @property
    def listed(self) -> SlashCommand:
        """The command as lists show it, beside those of the CLI."""
        return SlashCommand(self.name, self.help, self.arguments)


def called(text: str, commands: Iterable[Command[S]]) -> tuple[Command[S], str] | None:
    """Return the command of ours that a prompt calls, and its argument, or None.

    Everything else is for the agent: other text, several lines, a path such as ``/model/x``.
    """
    stripped = text.strip()
    if not stripped.startswith("/") or "\n" in stripped:
        return None
    name, _, argument = stripped[1:].partition(" ")
    command = next((one for one in commands if one.name == name), None)
    return (command, argument.strip()) if command is not None else None


class CommandRunner:
    """Lets commands choose, ask and report; one runs at a time."""

    def __init__(self, ui: SessionUi) -> None:
        self.ui = ui
        self._picker: Picker | None = None
        self._running = 0
        ui.session.in_use = lambda: self._running > 0
        self._asked_before = False
        """Whether the command that runs has asked the CLI or the person before."""

    def obey(self, command: Command[S], screen: S, argument: str) -> None:
        """Do a command, or say which argument it needs."""
        if command.needs and not argument:
            self.ui.dock.prompt.put_back(f"/{command.name} ")
            self.ui.say(f"/{command.name} needs a {command.needs} · type it, then Enter")
        elif command.do is not None:
            command.do(screen, argument)
        elif command.work is not None:
            self.run(partial(command.work, screen, argument), command.name)

    def run(self, what: Callable[[], Coroutine[Any, Any, object]], name: str) -> None:
        """Run a command; show in the transcript what the CLI refuses."""
        self.ui.start(partial(self._try, what, name), f"/{name}", group="command", exclusive=True)

    async def _try(self, what: Callable[[], Coroutine[Any, Any, object]], name: str) -> None:
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

    async def ask(self, control: Control[T]) -> T:
        """Ask the CLI something, with a line that says so until it answers."""
        self.need_process()
        return await self.asking(self.ui.session.agent.ask(control), control.seconds)

    async def asking(self, answer: Awaitable[T], seconds: float = USUAL_SECONDS) -> T:
        """Wait for an answer of the CLI, with a line that says so."""
        self._asked_before = True
        self.ui.say("Asking Claude…", seconds, ASKING)
        try:
            return await answer
        finally:
            self.ui.dock.notices.hush(ASKING)

    async def pick(
        self,
        title: str,
        rows: Iterable[PickRow],
        *,
        about: str = "",
        choose: str = "choose",
        preview: Callable[[str], None] | None = None,
    ) -> str | None:
        """Let the person choose from a list; None when they left it."""
        return await self.show_picker(Picker(title, rows, about=about, choose=choose, preview=preview))

    async def show_picker(self, picker: Picker) -> str | None:
        """Let the person choose from a list that is made already; None when they left it."""
        self._picker = picker
        picker.takes_lines = partial(self._make_room, picker)
        # After an earlier question, the key that asked is long past, or may still be held down.
        picker.by_itself, self._asked_before = self._asked_before, True
        self.say_what_waits()
        try:
            return await self.ui.app.push_screen_wait(picker)
        finally:
            self._picker = None

    def _make_room(self, picker: Picker, lines: int) -> None:
        if lines or self._picker in (picker, None):  # else the next list has its own lines already
            self.ui.dock.make_room(lines)

    def say_what_waits(self) -> None:
        """Show in an open list that something waits behind it."""
        if self._picker is not None:
            line = self.ui.dock.line
            self._picker.say(f"◆ {line.summary()} · Esc" if line.items else "")


class CommandGroup:
    """Commands that belong together, with the runner through which they choose, ask and report."""

    def __init__(self, runner: CommandRunner) -> None:
        self._runner = runner
        self._ui = runner.ui


PALETTE = "palette"


class CommandPalette(CommandGroup):
    """Shows the palette: runs a command or begins it in the prompt, runs an action."""

    def __init__(
        self,
        runner: CommandRunner,
        rows: Callable[[], Iterable[PickRow]],
        act: Callable[[str], Awaitable[object]],
    ) -> None:
        super().__init__(runner)
        self._rows = rows
        self._act = act

    def open(self) -> None:
        """Find a command or an action."""
        if self._ui.dock.prompt.display:
            self._runner.run(self._choose, PALETTE)

    async def _choose(self) -> None:
        value = await self._runner.pick("Commands and keys", self._rows(), choose="do it")
        if value is None:
            return
        if not value.startswith("/"):
            await self._act(value)
        elif value.endswith(" "):
            self._begin(value)
        else:
            self._ui.post_message(Prompt.Submitted(value))

    def _begin(self, command: str) -> None:
        """Write a command into the prompt; what is there becomes its argument."""
        prompt = self._ui.dock.prompt
        prompt.put(command + prompt.text)
        self._ui.say("The command takes an argument · type it, then Enter")


def command_rows(own: Iterable[Command[S]], others: Iterable[SlashCommand]) -> Iterator[PickRow]:
    """Yield a row for each command; the value of one that needs an argument ends with a blank."""
    for one in own:
        yield PickRow(f"/{one.name}{' ' if one.needs else ''}", f"/{one.name}", one.help, one.arguments)
    for command in others:
        needs = " " if command.arguments else ""
        yield PickRow(f"/{command.name}{needs}", f"/{command.name}", command.description)


def action_rows(bindings: Iterable[Binding], keymap: Keymap, place: str = "") -> Iterator[PickRow]:
    """Yield a row for each action that has words, with its key; ``place`` is "app." for the app's actions."""
    for binding in joined(bindings):
        # A binding without a name is one of several that differ by a number: its words choose nothing.
        if binding.description and binding.id and binding.id != PALETTE:
            keys = keymap.keys.get(binding.id) or tuple(binding.key.split(","))
            yield PickRow(f"{place}{binding.action}", binding.description, right=shown_key(keys[0]))

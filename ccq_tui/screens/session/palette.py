"""The lists of commands over a session's screen: the palette, and those to choose from."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import Any

from textual.binding import Binding

from ccq_tui.agent.events import SlashCommand
from ccq_tui.commands.command import Command, CommandGroup, CommandRunner
from ccq_tui.commands.ui import PickRow
from ccq_tui.config.keymap import Keymap
from ccq_tui.config.keynames import shown_key
from ccq_tui.screens.keylist import joined
from ccq_tui.screens.session.ui import SessionUi
from ccq_tui.widgets.prompt import Prompt

PALETTE = "palette"


class CommandPalette(CommandGroup[SessionUi]):
    """Shows the palette: runs a command or begins it in the prompt, runs an action."""

    def __init__(
        self,
        runner: CommandRunner[SessionUi],
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
        prompt = self._ui.prompt
        prompt.put(command + prompt.text)
        self._ui.say("The command takes an argument · type it, then Enter")


def command_rows(own: Iterable[Command[Any]], others: Iterable[SlashCommand]) -> Iterator[PickRow]:
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

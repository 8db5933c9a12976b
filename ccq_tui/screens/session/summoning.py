"""The part of the screen where every command and every key's action is found by typing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar

from textual.binding import Binding, BindingType

from ccq_tui.agent.events import CommandsListed, SlashCommand
from ccq_tui.config.keymap import Keymap
from ccq_tui.config.keynames import shown_key
from ccq_tui.screens.keylist import joined, own_bindings
from ccq_tui.screens.pickers import PickRow
from ccq_tui.screens.session.commanding import Commanding
from ccq_tui.screens.session.commands import OWN_COMMANDS
from ccq_tui.supervisor.events import SessionEvent
from ccq_tui.widgets.keys import keymap_for
from ccq_tui.widgets.prompt import Prompt

PALETTE = "palette"
NEEDING = frozenset({"rename"})
"""Own commands that do nothing without an argument."""


class Summoning(Commanding):
    """Shows the palette: a command is done or begun in the prompt, an action is done."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+p", "palette", "Find a command or an action", show=False, id=PALETTE)
    ]

    _others: tuple[SlashCommand, ...] = ()

    def handle(self, event: SessionEvent) -> None:
        """Take in which commands the CLI knows."""
        super().handle(event)
        if isinstance(event, CommandsListed):
            self._others = event.commands

    def action_palette(self) -> None:
        """Find a command or an action."""
        if self.dock.prompt.display:
            self.work(self._summon, PALETTE)

    async def _summon(self) -> None:
        keymap = keymap_for(self)
        rows = [
            *command_rows(self._others),
            *action_rows(own_bindings(type(self)), keymap),
            *action_rows(own_bindings(type(self.app)), keymap, "app."),
        ]
        value = await self.pick("Commands and keys", rows, choose="do it")
        if value is None:
            return
        if not value.startswith("/"):
            await self.run_action(value)
        elif value.endswith(" "):
            self._begin(value)
        else:
            self.post_message(Prompt.Submitted(value))

    def _begin(self, command: str) -> None:
        """Write a command into the prompt; what stands there becomes its argument."""
        prompt = self.dock.prompt
        prompt.put(command + prompt.text)
        self.dock.notices.say("The command takes an argument · type it, then Enter")


def command_rows(others: Iterable[SlashCommand]) -> Iterator[PickRow]:
    """Give a row for each command; the value of one that takes more ends with a blank.

    Args:
        others: The CLI's commands; the program's own shadow those of the same name.
    """
    own = {command.name for command in OWN_COMMANDS}
    for command in OWN_COMMANDS:
        needs = " " if command.name in NEEDING else ""
        yield PickRow(f"/{command.name}{needs}", f"/{command.name}", command.description, command.arguments)
    for command in others:
        if command.name not in own:
            needs = " " if command.arguments else ""
            yield PickRow(f"/{command.name}{needs}", f"/{command.name}", command.description)


def action_rows(bindings: Iterable[Binding], keymap: Keymap, place: str = "") -> Iterator[PickRow]:
    """Give a row for each action that has words, with the keys that hold.

    Args:
        bindings: The bindings of the screen, or of the app.
        keymap: The keys that hold.
        place: What stands before the action's name: "app." for the app's.
    """
    for binding in joined(bindings):
        # What has no name is one of several keys that differ by a number: nothing to choose by its words.
        if binding.description and binding.id and binding.id != PALETTE:
            keys = keymap.keys.get(binding.id) or tuple(binding.key.split(","))
            yield PickRow(f"{place}{binding.action}", binding.description, right=shown_key(keys[0]))

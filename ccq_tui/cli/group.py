"""A command group in which a first word that names no command begins a prompt."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from importlib import import_module
from typing import Any

import click

PROMPT_COMMAND = "prompt"
GIVEN = "ccq_tui.given"


class PromptGroup(click.Group):
    """``ccq-tui [OPTIONS] [PROMPT]`` and ``ccq-tui [OPTIONS] COMMAND`` in one.

    Args:
        later: Modules by the names of their commands, which are also those of their functions. Each is
            imported when its command is named, so that a start pays for its own command alone.
        named: Keyword arguments of every group.
    """

    def __init__(self, *, later: Mapping[str, str], **named: Any) -> None:
        super().__init__(**named)
        self._later = later

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List all commands, loaded or not."""
        return sorted({*super().list_commands(ctx), *self._later})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, importing it the first time it is named."""
        if cmd_name in self._later and cmd_name not in self.commands:
            self.add_command(getattr(import_module(self._later[cmd_name]), cmd_name))
        return super().get_command(ctx, cmd_name)

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (click calls it so)
        """Say in the usage line that both a prompt and a command may follow."""
        return ["[OPTIONS]", "[PROMPT | COMMAND [ARGS]...]"]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the flags before the first word."""
        ctx.meta[GIVEN] = list(args)  # the parser takes words out of the list
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the first word names, or else the one that takes a prompt."""
        given = ctx.meta[GIVEN]
        before = len(given) - len(args) - 1
        literal = before >= 0 and given[before] == "--"
        if len(args) == 1 and args[0].islower() and not literal and self.get_command(ctx, args[0]) is None:
            close = get_close_matches(args[0], self.list_commands(ctx), n=1, cutoff=0.8)
            if close:
                found = f"No command is named {args[0]!r}; did you mean {close[0]}?"
                raise click.UsageError(f"{found} As a prompt: ccq-tui -- {args[0]}", ctx)
        if literal or self.get_command(ctx, args[0]) is None or args[0] == PROMPT_COMMAND:
            words = ["--", *args] if literal else args
            return PROMPT_COMMAND, self.commands[PROMPT_COMMAND], words
        return super().resolve_command(ctx, args)

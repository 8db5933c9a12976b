"""A group of commands in which a first word that is no command begins a prompt."""

from __future__ import annotations

import click

PROMPT_COMMAND = "prompt"
GIVEN = "ccq_tui.given"


class PromptGroup(click.Group):
    """``ccq-tui [OPTIONS] [PROMPT]`` and ``ccq-tui [OPTIONS] COMMAND`` in one."""

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (click calls it so)
        """Say in the usage line that both a prompt and a command may follow.

        Args:
            ctx: The group's context.

        Returns:
            The words after the program's name.
        """
        return ["[OPTIONS]", "[PROMPT | COMMAND [ARGS]...]"]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the flags before the first word.

        Args:
            ctx: The group's context.
            args: All words.

        Returns:
            The words that are left, as click wants them.
        """
        ctx.meta[GIVEN] = list(args)  # the parser takes words out of the list
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the first word names, or else the one that takes a prompt.

        Args:
            ctx: The group's context.
            args: The words from the first one that is no flag.

        Returns:
            The command's name, the command, and its words.
        """
        given = ctx.meta[GIVEN]
        before = len(given) - len(args) - 1
        literal = before >= 0 and given[before] == "--"
        if literal or self.get_command(ctx, args[0]) is None or args[0] == PROMPT_COMMAND:
            words = ["--", *args] if literal else args
            return PROMPT_COMMAND, self.commands[PROMPT_COMMAND], words
        return super().resolve_command(ctx, args)

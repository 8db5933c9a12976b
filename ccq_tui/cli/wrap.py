"""The command that runs a program and asks its prompts in the inbox too."""

import os

import click

from ccq_tui.cli.exits import Refused
from ccq_tui.installation import is_installed, missing
from ccq_tui.output import echo
from ccq_tui.text import one_line


@click.command(
    context_settings={"allow_interspersed_args": False},
    epilog="""\b
  ccq-tui wrap -- npm create vite@latest
  ccq-tui wrap --name deploy -- ./deploy.sh production
""",
)
@click.option("--name", metavar="NAME", help="Name in the inbox (default: the command's name).")
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
def wrap(name: str | None, command: tuple[str, ...]) -> int:
    """Run COMMAND in the terminal unchanged, and ask its prompts in the inbox too.

    The first answer counts, at the prompt or in the inbox. Passwords are never asked for.
    """
    if not command or not command[0]:
        raise Refused("name the command to run: ccq-tui wrap -- COMMAND.")
    if not is_installed("wrap"):
        raise Refused(missing("wrap"))
    from ccq_tui.bridges.terminal.program import NotStartedError
    from ccq_tui.bridges.terminal.wrap import wrap as run

    called = one_line(name or os.path.basename(command[0]), 40) or "program"  # noqa: PTH119 - no path
    try:
        code, lines = run(command, called)
    except NotStartedError as error:
        echo(f"ccq-tui wrap: {one_line(str(error), 500)}", err=True)
        return error.code
    for line in lines:
        echo(f"ccq-tui wrap: {line}", err=True)
    return code

"""The command that prints a shell's completion script."""

from __future__ import annotations

import os
from pathlib import PurePath

import click
from click.shell_completion import get_completion_class

from ccq_tui.cli.exits import Refused
from ccq_tui.output import echo
from ccq_tui.text import one_line

SHELLS = ("bash", "zsh", "fish")


@click.command(
    epilog="""\b
To turn it on, add the line for your shell to the file named:
  bash  ~/.bashrc                                    eval "$(ccq-tui completion bash)"
  zsh   ~/.zshrc                                     eval "$(ccq-tui completion zsh)"
  fish  ~/.config/fish/completions/ccq-tui.fish      ccq-tui completion fish | source
"""
)
@click.argument("shell", type=click.Choice(SHELLS), required=False)
@click.pass_context
def completion(context: click.Context, /, shell: str | None) -> None:
    """Print the completion script for a shell, or else for the one that $SHELL names."""
    shell = shell or PurePath(os.environ.get("SHELL", "")).name
    maker = get_completion_class(shell) if shell in SHELLS else None
    if maker is None:
        named = one_line(os.environ.get("SHELL", ""), 200) or "not set"
        raise Refused(f"Name a shell: {', '.join(SHELLS)}. $SHELL is {named}.")
    echo(maker(context.find_root().command, {}, "ccq-tui", "_CCQ_TUI_COMPLETE").source())

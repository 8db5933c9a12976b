"""The command that prints the schema of the JSON that commands print and read."""

from __future__ import annotations

import json

import click

from ccq_tui.cli.exits import ENDED
from ccq_tui.cli.store import print_lines


@click.command()
def schema() -> int:
    """Print the JSON Schema of --json: what commands print, and what answer reads."""
    from ccq_tui.inbox.schema import json_schema

    print_lines(json.dumps(json_schema(), indent=2))
    return ENDED

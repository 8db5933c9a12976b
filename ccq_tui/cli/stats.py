"""The command that shows how long agents waited."""

from __future__ import annotations

from datetime import UTC, datetime

import click

from ccq_tui.cli.exits import ENDED
from ccq_tui.cli.options import as_json_flag
from ccq_tui.cli.store import SINCE, opened_store, print_lines, since


@click.command()
@click.option(
    "--since", "since_text", metavar="T", help=f"Only since then: {SINCE}. [default: two weeks ago]"
)
@as_json_flag
def stats(since_text: str | None, as_json: bool) -> int:
    """Show how long agents waited for you, how fast you answer, and what you decline most."""
    from ccq_tui.inbox.records import report, statistics_record
    from ccq_tui.inbox.wait_statistics import first_day, projects_of, text_lines, wait_statistics
    from ccq_tui.worktrees.model import checkout_of

    until = datetime.now(UTC)
    start = since(since_text) or first_day(until)
    with opened_store() as store:
        found = store.requests.unsettled_before(start, limit=-1)[0] if store else ()
        made = wait_statistics(found, projects_of(store, checkout_of) if store else {}, start, until)
    print_lines(report("statistics", statistics_record(made)) if as_json else "\n".join(text_lines(made)))
    return ENDED

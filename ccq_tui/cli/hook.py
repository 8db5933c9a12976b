"""The command that Claude Code runs as a hook; people run ``ccq-tui hooks``, which installs it."""

import logging
import sys

import click

from ccq_tui.output import echo


@click.command(hidden=True, context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
@click.option(
    "--wait",
    is_flag=False,
    flag_value="",  # to refuse a flag without its value ends with 2, which Claude Code takes for a denial
    default="",
    metavar="TIME",
    help="How long it waits at most, such as 90m; 12h unless given.",
)
@click.option("--always", is_flag=True, help="Ask although no ccq-tui is open.")
def hook(wait: str, always: bool) -> None:
    """Ask in the inbox what a Claude Code session asks; for Claude Code, which gives it its input.

    After any failure it ends with 0 and prints nothing: the session's own dialog stays.
    """
    # Claude Code would take another exit code, or any output, for a decision.
    try:
        _run(wait, always=always)
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 (the last resort: it is logged)
        from ccq_tui.bridges.claude_code.hook_input import HookInputError
        from ccq_tui.logs import current_log, start_logging

        if current_log() or start_logging():
            detail = f": {error}" if isinstance(error, HookInputError) else ""
            logging.getLogger("ccq_tui").warning("A hook asked nothing: %s%s", type(error).__name__, detail)


def _run(wait: str, *, always: bool) -> None:
    from ccq_tui.bridges.claude_code.hook import WAIT_SECONDS, run_hook
    from ccq_tui.config.paths import inbox_path

    seconds = WAIT_SECONDS
    if wait:
        from ccq_tui.config.values import read_duration

        given = read_duration(wait)
        seconds = given if isinstance(given, float) else WAIT_SECONDS
    run_hook(sys.stdin.buffer, inbox_path(), echo, seconds, always=always)

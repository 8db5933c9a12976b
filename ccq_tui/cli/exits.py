"""Exit codes; `docs/exit-codes.md` documents them."""

from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any

import click

from ccq_tui.output import echo
from ccq_tui.text import one_line, reason

ENDED = 0
CRASHED = 1
ASK_CRASHED = 70
"""That of `ccq-tui ask`, of which 1 is an answer."""
MISUSED = 2
TAKEN = 3
INTERRUPTED = 130

EPILOG = """\b
Exit codes:
    0  ended as asked
    1  crashed (the log's path is printed), or doctor found a failure
    2  wrong flag or setting, unknown demo, no recording, no terminal,
       or an invalid answer
    3  the request has been answered already, or another ccq-tui
       runs the session
  130  interrupted before the screen was up, or by a signal (128 + its number)
"""


class Refused(click.ClickException):
    """The command line is fine, but the program cannot do it here; the message says why."""

    exit_code = MISUSED


@contextmanager
def refusing(*errors: type[Exception], begin: str = "") -> Iterator[None]:
    """Turn errors, whose messages are for a person, into `Refused`; ``begin`` comes before the message."""
    try:
        yield
    except errors as error:
        text = begin + one_line(reason(error), 1_000).rstrip(".")
        # The command that adds a missing extra ends its message: a full stop would be copied with it.
        stop = "" if isinstance(error.__cause__, ImportError) else "."
        raise Refused(f"{text}{stop}") from error


def serve(doing: Coroutine[Any, Any, None], *errors: type[Exception], **log: Any) -> None:
    """Run what serves others until it ends, with a log; see `refusing` and `start_logging`."""
    import asyncio

    from ccq_tui.logs import start_logging

    start_logging(**log)
    with refusing(*errors):
        asyncio.run(doing)


def saying(what: str, then: str, path: str = "") -> Callable[[str], None]:
    """Return what says at which URL something is served, and what to do then."""
    return lambda url: echo(f"Serving {what} at {url}{path}; Ctrl+C ends it.\n{then}", err=True)


class Unprinted(click.ClickException):
    """The output cannot be printed; the message says why."""

    exit_code = CRASHED


class Taken(click.ClickException):
    """The request or session is no longer free; the message says why."""

    exit_code = TAKEN

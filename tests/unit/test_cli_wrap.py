"""``ccq-tui wrap`` on the command line: what it refuses; `tests/e2e` runs programs."""

import signal

from tests.tables import each_row
from tests.unit.starting import Cli


@each_row(
    ([], "name the command to run: ccq-tui wrap -- COMMAND."),
    (["--", ""], "name the command to run: ccq-tui wrap -- COMMAND."),
    (["--nmae", "x", "--", "true"], "No such option '--nmae'"),
)
def test_what_it_cannot_do_is_refused(words: list[str], text: str, *, ccq: Cli) -> None:
    assert text in ccq("wrap", *words, code=2)


def test_a_command_that_is_not_there_changes_no_signal(ccq: Cli) -> None:
    numbers = (signal.SIGPIPE, signal.SIGXFSZ)
    before = [signal.getsignal(number) for number in numbers]
    assert "/nonexistent/program" in ccq("wrap", "--", "/nonexistent/program", code=127)
    assert [signal.getsignal(number) for number in numbers] == before

"""Measures ccq-tui beside the native screen: ``python -m bench --help``."""

import argparse
import sys

from bench import arriving, asking, inbox, lasting, stalling, starting, streaming, table, talking, writing
from bench.machine import header
from bench.measures import SMOKE, Effort
from bench.programs import PROGRAMS
from bench.running import measure

FAMILIES = (
    starting.FAMILY,
    talking.FAMILY,
    stalling.FAMILY,
    arriving.FAMILY,
    streaming.FAMILY,
    lasting.FAMILY,
    inbox.FAMILY,
    writing.FAMILY,
    asking.FAMILY,
)
"""Every family of measures, in the order in which they are taken and printed."""
SMOKE_FAMILIES = ("talk",)


def main(words: list[str]) -> int:
    """Measure as the command line says, and print the table.

    Args:
        words: The command line.

    Returns:
        The exit code: 1 when something did not come to its end.
    """
    options = parser().parse_args(words)
    names = options.only or (SMOKE_FAMILIES if options.smoke else [family.name for family in FAMILIES])
    families = [family for family in FAMILIES if family.name in names]
    programs = options.programs or list(PROGRAMS)
    runs = options.runs or (1 if options.smoke else 5)
    effort = SMOKE if options.smoke else Effort()
    # The model's thread and the terminal's are to run at once when something comes.
    sys.setswitchinterval(0.0005)
    made = header()
    results = measure(families, runs, effort, programs, tell)
    sys.stdout.write(table.markdown(results, made) + "\n")
    return 1 if results.failures else 0


def tell(line: str) -> None:
    """Say how far it is, beside the table."""
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


def parser() -> argparse.ArgumentParser:
    """Make the parser of the command line."""
    made = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    names = [family.name for family in FAMILIES]
    made.add_argument("--runs", type=int, metavar="N", help="plays of each program (default: 5)")
    made.add_argument("--only", nargs="+", choices=names, metavar="NAME", help=f"of {', '.join(names)}")
    made.add_argument("--programs", nargs="+", choices=list(PROGRAMS), metavar="NAME",
                      help=f"of {', '.join(PROGRAMS)}")  # fmt: skip
    made.add_argument("--smoke", action="store_true", help="a small part, once, to see that the bench works")
    return made


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

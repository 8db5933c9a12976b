"""Tables of cases: in files beside their tests, or in the tests."""

import json
from collections.abc import Callable
from inspect import signature
from pathlib import Path
from typing import Any


def table(beside: str, name: str) -> Any:
    """Read the table with a name beside a test's file."""
    return json.loads(Path(beside).with_name(name).read_text(encoding="utf-8"))


def each_row(*rows: Any) -> Callable[[Callable[..., None]], Callable[[], None]]:
    """Let one test look at each row of a table, and fail with all rows that are wrong.

    A test costs more than most rows do. For rows that need no fixture and leave nothing to the next one.
    """

    def decorated(look: Callable[..., None]) -> Callable[[], None]:
        alone = len(signature(look).parameters) == 1

        def looked() -> None:
            wrong: list[Exception] = []
            for row in rows:
                try:
                    look(row) if alone else look(*row)
                except Exception as error:  # noqa: BLE001 (of any kind: the other rows are looked at all the same)
                    error.add_note(f"in the row: {row!r}")
                    wrong.append(error)
            if wrong:
                raise ExceptionGroup(f"{len(wrong)} of {len(rows)} rows", wrong)

        looked.__name__, looked.__doc__ = look.__name__, look.__doc__
        return looked

    return decorated

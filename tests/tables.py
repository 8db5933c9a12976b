"""Tables of cases: in files beside their tests, or in the tests."""

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from inspect import Parameter, Signature, iscoroutinefunction, signature
from pathlib import Path
from typing import Any


def table(beside: str, name: str) -> Any:
    """Read the table with a name beside a test's file."""
    return json.loads(Path(beside).with_name(name).read_text(encoding="utf-8"))


def each_row(*rows: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Let one test look at each row of a table, and fail with all rows that are wrong.

    A test costs more than most rows do. For rows that leave nothing to the next one; what a test takes by
    keyword alone are its fixtures, which all rows share.
    """

    def decorated(look: Callable[..., Any]) -> Callable[..., Any]:
        takes = signature(look).parameters.values()
        fixtures = [one for one in takes if one.kind is Parameter.KEYWORD_ONLY]
        alone = len(takes) - len(fixtures) == 1
        assert rows, look

        def looked(**shared: Any) -> None:
            with _wrong_rows() as row_is:
                for row in rows:
                    with row_is(row):
                        look(row, **shared) if alone else look(*row, **shared)

        async def looked_async(**shared: Any) -> None:
            with _wrong_rows() as row_is:
                for row in rows:
                    with row_is(row):
                        await (look(row, **shared) if alone else look(*row, **shared))

        test = looked_async if iscoroutinefunction(look) else looked
        test.__name__, test.__doc__ = look.__name__, look.__doc__
        test.__signature__ = Signature(fixtures)  # type: ignore[attr-defined]
        return test

    return decorated


@contextmanager
def _wrong_rows() -> Iterator[Callable[[object], AbstractContextManager[None]]]:
    """Give what notes an error with its row; at the end, fail with all of them."""
    wrong: list[Exception] = []

    @contextmanager
    def row_is(row: object) -> Iterator[None]:
        try:
            yield
        except Exception as error:  # noqa: BLE001 (of any kind: the other rows are looked at all the same)
            error.add_note(f"in the row: {row!r}")
            wrong.append(error)

    yield row_is
    if wrong:
        raise ExceptionGroup(f"{len(wrong)} wrong rows", wrong)

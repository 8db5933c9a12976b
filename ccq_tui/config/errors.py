"""Problems with settings; each message names the place and the allowed values."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from ccq_tui.text import safe

PROBLEMS = "problems"
"""What a refused table has in an error of pydantic: its wrong keys, each with what is wrong."""
LONGEST = 4_000
"""Most characters of a problem: names and values in a file can have any length."""


@dataclass(frozen=True, slots=True)
class SettingProblem:
    """One thing wrong with one setting.

    Attributes:
        origin: Source of the value: a flag, an environment variable, or ``path:line``.
        message: The problem and the allowed values.
        field: The setting, or "" when the whole source cannot be read.
    """

    origin: str
    message: str
    field: str = ""

    def __str__(self) -> str:
        """Return one line of harmless text: the place, the setting and the message."""
        parts = ": ".join(part for part in (self.origin, self.field, self.message) if part)
        return safe(parts, keep_newlines=False, limit=LONGEST)


class SettingsError(Exception):
    """Settings that cannot be used; ``problems`` has at least one."""

    def __init__(self, problems: Sequence[SettingProblem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


def name_hint(name: str, known: Iterable[str]) -> str:
    """Return a hint after an unknown name: the known one that it is close to, or all of them."""
    names = [*known]
    close = get_close_matches(name, names, n=1)
    return f"did you mean {close[0]}?" if close else f"there are {', '.join(names)}"


def explain(error: Mapping[str, Any]) -> str:
    """Name the values allowed in place of the one that pydantic refused, and that value."""
    context, kind = error.get("ctx", {}), error["type"]
    allowed = {
        "literal_error": f"must be one of {context.get('expected')}",
        "greater_than_equal": f"must be {context.get('ge', 0):g} or more",
        "greater_than": f"must be more than {context.get('gt', 0):g}",
        "string_too_short": "must not be empty",
        "finite": "must be a finite number",
        "bool": "must be true or false",
        "int": "must be a whole number",
        "float": "must be a number",
        "string": "must be a text in quotes",
        **dict.fromkeys(("list", "tuple"), "must be a list"),
        "path": "must be a path in quotes",
        "dataclass": "must be a table",
    }
    if kind.startswith("missing"):
        return "is missing"
    # Several kinds of errors of one type begin with its name, such as int_type and int_parsing.
    known = kind if kind in allowed else kind.partition("_")[0]
    if known in allowed:
        return f"{allowed[known]}, not {error['input']!r}"
    if kind == "value_error":
        return str(context["error"])
    return f"{error['msg']}, not {error['input']!r}"

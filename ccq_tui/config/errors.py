"""Problems with settings; each message names the place and the allowed values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ccq_tui.text import safe

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


def explain(error: Mapping[str, Any]) -> str:
    """Name the values allowed in place of the one that pydantic refused, and that value."""
    context = error.get("ctx", {})
    allowed = {
        "literal_error": f"must be one of {context.get('expected')}",
        "greater_than_equal": f"must be {context.get('ge', 0):g} or more",
        "greater_than": f"must be more than {context.get('gt', 0):g}",
        "int_parsing": "must be a whole number",
        "int_type": "must be a whole number",
        "int_from_float": "must be a whole number",
        "float_parsing": "must be a number",
        "float_type": "must be a number",
        "finite_number": "must be a finite number",
        "bool_parsing": "must be true or false",
        "bool_type": "must be true or false",
        "string_type": "must be a text in quotes",
        "string_too_short": "must not be empty",
        "tuple_type": "must be a list",
        "path_type": "must be a path in quotes",
    }.get(error["type"])
    if allowed is not None:
        return f"{allowed}, not {error['input']!r}"
    if error["type"] == "value_error":
        return str(context["error"])
    return f"{error['msg']}, not {error['input']!r}"

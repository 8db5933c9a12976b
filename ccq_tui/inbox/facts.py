"""What is told of a session to whoever keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any


@dataclass(frozen=True, slots=True)
class SessionFact:
    """What became known of a session; None for what did not.

    Attributes:
        directory: Where it works.
        name: What the person calls it.
        first_name: What it is called while nobody has named it.
        state: What it is doing, in the program's word.
        cause: Why it does that now, for the history.
        launch: What it was started with, as JSON knows it.
        last_line: The last line of its transcript.
        cost: What it cost so far, in US dollars.
        runs: Whether it is new, and this process's from now on.
    """

    directory: str | None = None
    name: str | None = None
    first_name: str | None = None
    state: str | None = None
    cause: str = ""
    launch: Mapping[str, Any] | None = None
    last_line: str | None = None
    cost: float | None = None
    runs: bool = False

    def and_then(self, newer: SessionFact) -> SessionFact:
        """Return what is known when something newer became known, too."""
        known = {field.name: getattr(newer, field.name) for field in fields(newer)}
        known = {name: value for name, value in known.items() if value not in (None, "")}
        return replace(self, **known | {"runs": self.runs or newer.runs})

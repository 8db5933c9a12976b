"""The result of a check."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """Outcome of a check."""

    OK = "ok"
    WARNING = "warning"
    FAILURE = "failure"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was checked.

    Attributes:
        area: The heading it belongs under.
        name: The thing checked.
        found: The finding.
        level: The outcome.
        advice: The remedy, or "".
    """

    area: str
    name: str
    found: str
    level: Level = Level.OK
    advice: str = ""

    @property
    def failed(self) -> bool:
        """Whether the program cannot work because of this."""
        return self.level is Level.FAILURE

"""What a check found."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """How a check went."""

    OK = "ok"
    WARNING = "warning"
    FAILURE = "failure"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at.

    Attributes:
        area: The heading it belongs under.
        name: What was looked at.
        found: What was found.
        level: How it went.
        advice: What to do about it, or "".
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

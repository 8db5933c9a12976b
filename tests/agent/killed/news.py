"""Whether each answer reached the agent exactly once, by everything the model was sent."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ccq_tui.testing import Exchange


@dataclass(frozen=True, slots=True)
class Kill:
    """A kill, or a rewind: each takes away replies that the model had given.

    Attributes:
        at: When, in seconds of ``time.monotonic()``.
        victim: What was killed, or "rewound".
    """

    at: float
    victim: str


@dataclass(frozen=True, slots=True)
class Told:
    """How often the model was told one thing.

    Attributes:
        news: In how many requests it was new: written after the model's own last words. Where a kill kept the
            CLI from sending it so, and it put words of its own behind it, the first request with it counts.
        repeated: In how many of these the CLI repeated a request whose reply a kill had cut off, or a rewind
            had taken back.
        most: How often it stands in one request, at most.
    """

    news: int
    repeated: int
    most: int

    @property
    def once(self) -> bool:
        """Whether it was told exactly once."""
        return self.news - self.repeated == 1 and self.most == 1


def told(text: str, exchanges: Sequence[Exchange], kills: Sequence[Kill]) -> Told:
    """Look for a text in every request of a log.

    Args:
        text: What nothing else contains.
        exchanges: The requests, oldest first.
        kills: All kills and rewinds: only a request after one may repeat what an earlier one said.

    Returns:
        How often it was told.
    """
    bodies = [one for one in exchanges if one.role == "main"]
    new = [one for one in bodies if text in newest(one.body)]
    repeated = sum(
        any(before.received <= kill.at <= after.received for kill in kills) for before, after in pairwise(new)
    )
    most = max((spoken(one.body).count(text) for one in bodies), default=0)
    return Told(len(new) or min(most, 1), repeated, most)


def newest(body: Mapping[str, Any] | None) -> str:
    """Return what a request says that the model has not replied to yet: all after its own last words."""
    messages = body["messages"] if body else []
    last = max((at for at, one in enumerate(messages) if one["role"] == "assistant"), default=-1)
    return json.dumps(messages[last + 1 :], ensure_ascii=False)


def spoken(body: Mapping[str, Any] | None) -> str:
    """Return the conversation that a request carries."""
    return json.dumps(body["messages"] if body else [], ensure_ascii=False)

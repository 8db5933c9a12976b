"""Whether each answer reached the agent exactly once, by everything the model was sent."""

import json
from collections.abc import Iterator, Mapping, Sequence
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
class Mentions:
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


def mentions(text: str, exchanges: Sequence[Exchange], kills: Sequence[Kill], session: str = "") -> Mentions:
    """Look for a text in every request of a log.

    Args:
        text: What nothing else contains.
        exchanges: The requests, oldest first.
        kills: All kills and rewinds: only a request after one may repeat what an earlier one said.
        session: The session that it was for, or "" where there is one alone. The first request of a copy that
            was made in the middle of a turn carries as new what the original was told before.

    Returns:
        How often it was told.
    """
    bodies = [one for one in exchanges if one.role == "main"]
    new = [one for one in bodies if text in newest(one.body)]
    if session and new and session_of(new[0]) == session:
        first = {session_of(one): one for one in reversed(bodies)}
        new = [one for one in new if session_of(one) == session or one is not first[session_of(one)]]
    # A request that was on its way when its sender was killed arrives after the kill, and breaks off.
    repeated = sum(
        before.broken or any(before.received <= kill.at <= after.received for kill in kills)
        for before, after in pairwise(new)
    )
    most = max((spoken(one.body).count(text) for one in bodies), default=0)
    return Mentions(len(new) or min(most, 1), repeated, most)


def where(text: str, exchanges: Sequence[Exchange], kills: Sequence[Kill]) -> Iterator[str]:
    """Tell in which requests a text is, and what was killed between them."""
    marks = [(kill.at, f"kill {kill.victim}") for kill in kills]
    marks += [
        (
            one.received,
            f"{session_of(one)[:4]} has it {spoken(one.body).count(text)} times"
            + (", new" if text in newest(one.body) else ""),
        )
        for one in exchanges
        if one.role == "main" and text in spoken(one.body)
    ]
    first = min((at for at, words in marks if "has it" in words), default=float("inf"))
    for at, words in sorted(marks):
        if at >= first:
            yield f"{at - first:.2f} s {words}"


def session_of(exchange: Exchange) -> str:
    """Return the session that made a request."""
    return exchange.headers.get("x-claude-code-session-id", "")


def newest(body: Mapping[str, Any] | None) -> str:
    """Return what a request says that the model has not replied to yet: all after its own last words."""
    messages = body["messages"] if body else []
    last = max((at for at, one in enumerate(messages) if one["role"] == "assistant"), default=-1)
    return json.dumps(messages[last + 1 :], ensure_ascii=False)


def spoken(body: Mapping[str, Any] | None) -> str:
    """Return the conversation that a request carries."""
    return json.dumps(body["messages"] if body else [], ensure_ascii=False)

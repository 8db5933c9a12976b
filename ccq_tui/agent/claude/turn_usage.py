"""A turn's own cost and tokens: the CLI counts cost by session, and the whole context with each request."""

from __future__ import annotations

from collections import OrderedDict

from ccq_tui.claude_lines import Line, fields, text

_MOST = 10**12
"""More than any turn reads: a recording may say anything."""
_READ = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


class RecentIds:
    """A set of the newest ids, bounded so that a session of weeks does not grow without end."""

    def __init__(self, limit: int = 50_000) -> None:
        self._limit = limit
        self._ids: OrderedDict[str, None] = OrderedDict()

    def add(self, item: str) -> bool:
        """Remember an id; returns whether it is new."""
        if item in self._ids:
            return False
        self._ids[item] = None
        if len(self._ids) > self._limit:
            self._ids.popitem(last=False)
        return True


class TurnUsage:
    """Computes a turn's own share of the session's cost and tokens.

    A request sends the whole conversation again, and each of its messages in the stream repeats its usage:
    a token counts as read in the turn in which the model got it first. Subagents' calls are not counted, as
    in the CLI's own figures for a turn.
    """

    def __init__(self, cost: float | None = None) -> None:
        """Begin; ``cost`` is that of the session so far, None if it is not known."""
        self.cost = cost
        self._request = ""  # the newest one of the turn
        self._known = 0
        self._read = 0

    def streamed(self, event: Line) -> None:
        """Take the usage in an event of a stream."""
        match event.get("type"):
            case "message_start":
                message = fields(event, "message")
                self.requested(text(message, "id"), fields(message, "usage"))
            case "message_delta":
                self.answered(fields(event, "usage"))

    def requested(self, message_id: str, usage: Line) -> None:
        """Take the usage at the start of a model's answer; repeats of it do not count."""
        context = _context(usage)
        if message_id == self._request or not context:
            return
        self._request = message_id
        self._read += max(0, context - self._known)
        self._known = context

    def answered(self, usage: Line) -> None:
        """Take the usage at the end of an answer: the next request sends the written tokens back."""
        self._known += _number(usage, "output_tokens") if self._request else 0

    def cleared(self) -> None:
        """Note that the conversation was cleared."""
        self._known = 0

    def end_turn(self, cost: float | None, usage: Line) -> tuple[int, float | None]:
        """Return the tokens that the model read for the first time in a turn, and its cost, or None.

        ``cost`` is that of the session so far; ``usage``, the CLI's own count, is used if no
        request was seen.
        """
        read = self._read if self._request else _context(usage)
        self._read, self._request = 0, ""
        before, self.cost = self.cost, cost if cost is not None else self.cost
        if before is None or cost is None:
            return read, None
        # A cleared conversation counts from zero again.
        return read, cost - before if cost >= before else cost


def _context(usage: Line) -> int:
    return sum(_number(usage, name) for name in _READ)


def _number(usage: Line, name: str) -> int:
    value = usage.get(name)
    return min(value, _MOST) if isinstance(value, int) else 0

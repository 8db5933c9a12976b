"""Fuzzy matching: the letters typed, in their order, wherever they are; the likeliest first."""

import heapq
import re
from collections.abc import Callable, Iterable

LONGEST = 400
"""Most characters of a text that are searched."""
_SLICE = 2_000
_LENGTH_COUNTS = 200


class Index:
    """Texts made ready to be searched.

    Args:
        texts: The texts; of equal matches, earlier ones are better.
        paths: Whether they are paths: names count more than directories then, short ones more than long ones.
    """

    def __init__(self, texts: Iterable[str], *, paths: bool = False) -> None:
        self.texts = tuple(texts)
        self._paths = paths
        self._lines = [text[:LONGEST].lower() for text in self.texts]

    def search(
        self, query: str, most: int, stopped: Callable[[], bool] = lambda: False
    ) -> tuple[list[int], int]:
        """Return the places of the ``most`` texts that match best, the best first, and how many match.

        Nothing is found once ``stopped`` says True.
        """
        wanted = query.lower()
        best: list[tuple[int, int]] = []
        count = 0
        matches = pattern(wanted).match
        for begin in range(0, len(self._lines), _SLICE):
            if stopped():
                return [], 0
            part = enumerate(self._lines[begin : begin + _SLICE], begin)
            here = [(self._score(wanted, line), -at) for at, line in part if matches(line)]
            count += len(here)
            best = heapq.nlargest(most, (*best, *here))
        return [-at for _, at in best], count

    def _score(self, query: str, line: str) -> int:
        if not self._paths:
            return score(query, line) if query else 0
        tidy = line.removesuffix("/")
        length = min(len(tidy), _LENGTH_COUNTS)
        if not query:
            return -_LENGTH_COUNTS * tidy.count("/") - length
        base = tidy.rfind("/") + 1
        in_name = score(query, line, base) if query in line[base:] else 0
        return (in_name + 2_000 if in_name else score(query, line)) - length


def score(query: str, line: str, start: int = 0) -> int:
    """Rate a text that is known to match, in lower case: more is better, 0 the least."""
    at = line.find(query, start)
    if at < 0:
        return max(0, 1_000 - 10 * (span(query, line) - len(query)))
    whole = 300 if at == start and len(line.rstrip("/")) - start == len(query) else 0
    return 2_000 + whole + (600 if at == start else 300 if not line[at - 1].isalnum() else 0)


def span(query: str, line: str) -> int:
    """Return the number of characters that the letters span, at their places closest to the end."""
    places = _places(query, line)
    return places[0] - places[-1] + 1 if places else LONGEST


def marks(query: str, text: str) -> tuple[int, ...]:
    """Return the places in a text of the characters typed, to draw them; none if it does not match."""
    wanted, line = query.lower(), text.lower()
    if not wanted or len(line) != len(text):
        return ()
    whole = line.find(wanted, line.removesuffix("/").rfind("/") + 1)
    whole = whole if whole >= 0 else line.find(wanted)
    if whole >= 0:
        return tuple(range(whole, whole + len(wanted)))
    return tuple(reversed(_places(wanted, line)))


def _places(query: str, line: str) -> list[int]:
    """Return the places of the letters that are closest to the end, the last first; none without a match."""
    found: list[int] = []
    for letter in reversed(query):
        found.append(line.rfind(letter, 0, found[-1] if found else len(line)))
        if found[-1] < 0:
            return []
    return found


def pattern(query: str) -> re.Pattern[str]:
    """Return a pattern of the letters in their order; without backtracking, its cost grows with the text."""
    return re.compile("".join(f"[^{re.escape(letter)}]*{re.escape(letter)}" for letter in query))

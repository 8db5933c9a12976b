"""Walking through earlier prompts without losing the typed text."""

from __future__ import annotations

from collections.abc import Iterable


class Walk:
    """Earlier prompts, the newest first, after the one that is being typed.

    Changes on the way stay until the prompt is sent, as in a shell.
    """

    def __init__(self, earlier: Iterable[str] = ()) -> None:
        self._earlier = list(earlier)
        self._changed: dict[int, str] = {}
        self._place = -1

    @property
    def draft(self) -> str:
        """The text that was being typed when the walk began, or "" while it has not."""
        return self._changed.get(-1, "") if self._place >= 0 else ""

    def remember(self, earlier: Iterable[str]) -> None:
        """Replace the earlier prompts; a walk under way keeps its place, and takes only older ones."""
        others = list(earlier)
        if self._place < 0 or others[: len(self._earlier)] == self._earlier:
            self._earlier = others

    def add(self, text: str) -> None:
        """Put a sent prompt in front of all others, and end the walk."""
        self._place = -1
        self._changed = {}
        if text.strip():
            self._earlier = [text, *(other for other in self._earlier if other != text)]

    def step(self, by: int, text: str) -> str | None:
        """Go to an older prompt (1) or a newer one (-1); None at the end of the walk."""
        place = self._place + by
        if not -1 <= place < len(self._earlier):
            return None
        self._changed[self._place] = text
        self._place = place
        return self._changed.get(place, self._earlier[place] if place >= 0 else "")

    def jump(self, text: str, chosen: str) -> None:
        """Go to an earlier prompt that was found by searching."""
        self._changed[self._place] = text
        if chosen not in self._earlier:
            self._earlier.insert(0, chosen)
            # Each change moves with its prompt; the draft stays in front.
            self._changed = {at + (at >= 0): changed for at, changed in self._changed.items()}
        self._place = self._earlier.index(chosen)
        self._changed.pop(self._place, None)

"""Whether the terminal has got everything that was drawn, and since when."""

from typing import Any

from textual.screen import Screen


def is_behind(screen: Screen[Any]) -> bool:
    """Return whether a frame had to wait; without Textual's private names, no frame ever does."""
    return bool(getattr(getattr(screen, "_compositor", None), "_dirty_regions", ()))


def written_at(screen: Screen[Any], since: float, now: float) -> float:
    """Return when what was drawn ``since`` then was written; without Textual's private names, ``now``."""
    frames = getattr(getattr(screen.app, "_driver", None), "frames", None)
    return now if frames is None else max(since, frames.sent_at)

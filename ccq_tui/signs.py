"""The one language of signs of sessions and requests, the same on every surface."""

from __future__ import annotations

WAITS = "◆"
WORKS = "✻"
QUEUED = "◌"
"""It starts, or waits for a free process."""
PARKED = "◇"
"""Something waits, and no process runs."""
IDLE = "○"
FAILED = "✖"
DONE = "✔"
STOPPED = "■"
"""It ended before it was done: refused, interrupted, withdrawn."""
EARLIER = "·"
"""No process runs, and nothing waits."""
NEW = "+"
UNDELIVERED = "→"
"""An answer that has not reached its agent."""

COLOURS = {WAITS: "warning", WORKS: "on", FAILED: "removed", DONE: "added", UNDELIVERED: "warning"}
"""The roles of `Palette` in which signs are drawn; all others are muted."""
CURSOR, AWAY = "❯", "›"
"""The row under the cursor, while it has the keys and while something else has them."""
REQUESTS = {"question": "?", "permission": "▸", "plan": "▤", "elicitation": "✎", "form": "✎"}
"""The signs of requests, by the word of their kind."""

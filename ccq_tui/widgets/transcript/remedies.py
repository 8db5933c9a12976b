"""What went wrong, and what a person can do about it."""

from __future__ import annotations

from rich.style import Style
from rich.text import Text

from ccq_tui.text import one_line, safe
from ccq_tui.widgets.transcript import blocks as bl
from ccq_tui.widgets.transcript.heads import ERROR_LIMIT
from ccq_tui.widgets.transcript.pen import Pen

REMEDIES = {
    "authentication_failed": (
        "Sign in with “claude auth login”, or set ANTHROPIC_API_KEY, and start again. "
        "“ccq-tui doctor” checks it; “ccq-tui demo” needs no account."
    ),
    "rate_limit": "Wait a moment, then send the prompt again.",
    "overloaded": "Wait a moment, then send the prompt again.",
    "model_not_found": "Start with another model: ccq-tui --model NAME --continue.",
    "session lost": "“ccq-tui --continue” goes on with the conversation; “ccq-tui doctor” looks for a cause.",
}
"""What a person can do about an error, by the CLI's word for it."""


def error(pen: Pen, block: bl.ErrorBlock, width: int) -> list[Text]:
    """Draw an error."""
    palette = pen.palette
    kind = one_line(block.kind.replace("_", " "), 60) or "error"
    title = Text(kind[:1].upper() + kind[1:], palette["error"] + Style(bold=True))
    lines = pen.hang(Text("✘ ", palette["error"]), title, width)
    if text := safe(block.text.strip(), limit=ERROR_LIMIT):
        lines += pen.hang(Text("  "), Text(text), width)
    if remedy := REMEDIES.get(block.kind):
        lines += pen.hang(Text("  → ", palette["accent"]), Text(remedy), width)
    return lines

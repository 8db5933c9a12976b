"""An explanation of the results of rules on a screen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ccq_tui.bridges.terminal.detect import Found, Reads, find
from ccq_tui.bridges.terminal.rules import SHIPPED, PromptRule
from ccq_tui.bridges.terminal.screen import LiveScreen

MOST_BYTES = 4_000_000
"""Most bytes of a recording."""
LINES, KEYS = Reads(), Reads(echo=False, lines=False)
PLAIN = (
    "the text up to the cursor does not match",
    "there are no rows of which one is marked",
    "the program reads lines, not keys",
    "the program reads keys, not lines",
)
"""Reasons that say little: nearly every rule has one of them."""


def explain(recording: bytes, size: tuple[int, int], rules: Sequence[PromptRule]) -> Iterator[str]:
    """Yield lines about the results of rules at a recording's end, for a program that reads lines or keys.

    ``size`` is the terminal's columns and lines.
    """
    screen = LiveScreen(size)
    screen.take(recording)
    picture = screen.picture()
    x, y = picture.cursor
    yield f"The screen ({size[0]} by {size[1]}), with the cursor in column {x + 1} of line {y + 1}:"
    yield from (f"  {number:>3} {line}" for number, line in enumerate(picture.lines[: picture.end], 1))
    for called, reads in (("lines", LINES), ("keys", KEYS)):
        yield ""
        yield f"For a program that waits for {called}:"
        yield from said(find(picture, reads, rules), rules)


def said(found: Found, rules: Sequence[PromptRule]) -> Iterator[str]:
    """Yield lines about the results of rules, except shipped ones with a plain reason."""
    prompt = found.prompt
    own = {rule.name for rule in rules if not rule.file.startswith(str(SHIPPED))}
    for name, reason in found.said:
        if reason not in PLAIN or name in own:
            yield f"  {name}: {reason}"
    if prompt is None:
        yield f"  No prompt, by {len(found.said)} rules."
        return
    yield f"  Answered by {prompt.rule.shape}, as {prompt.rule.file} says"
    for row in prompt.rows:
        box = "" if row.checked is None else "[x] " if row.checked else "[ ] "
        more = "  (takes a text)" if row.own_text else "  (ends the list)" if row.submits else ""
        yield f"    {'→' if row.marked else ' '} {box}{row.label}{more}"
    for label, word in prompt.words:
        yield f"      {label}: types “{word}”"

"""An explanation of what the rules find in a program's recorded output."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ccq_tui.bridges.terminal.detect import NoPromptError, Reads, find, match_rule
from ccq_tui.bridges.terminal.rules import SHIPPED, PromptRule
from ccq_tui.bridges.terminal.screen import LiveScreen

MOST_BYTES = 4_000_000
"""Most bytes of a recording."""


def explain(recording: bytes, size: tuple[int, int], rules: Sequence[PromptRule]) -> Iterator[str]:
    """Yield lines about a recording's end: the prompt, and why rules that are not shipped find none.

    ``size`` is the terminal's columns and lines.
    """
    screen = LiveScreen(size)
    screen.take(recording)
    picture = screen.picture()
    for reads in (Reads(), Reads(echo=False, lines=False)):
        called = "lines" if reads.lines else "keys"
        for rule in rules:
            if not rule.file.startswith(str(SHIPPED)):
                try:
                    match_rule(rule, picture, reads)
                except NoPromptError as reason:
                    yield f"{called}: {rule.name}: {reason}"
        prompt = find(picture, reads, rules)
        if prompt is None:
            yield f"{called}: no prompt"
        else:
            answers = [row.label for row in prompt.rows] or [label for label, _ in prompt.words]
            yield f"{called}: {prompt.rule.name} asks “{prompt.question}” {' | '.join(answers)}".rstrip()

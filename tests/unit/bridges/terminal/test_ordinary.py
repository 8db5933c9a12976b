"""Ordinary output of real commands and files asks nothing wherever it pauses."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from ccq_tui.bridges.terminal.detect import FoundPrompt, Reads, find
from ccq_tui.bridges.terminal.rules import load_rules
from ccq_tui.bridges.terminal.screen import LiveScreen

STOCK: dict[str, str] = json.loads(Path(__file__).with_name("ordinary.json").read_text(encoding="ascii"))
PAUSES = 6
RULES, _ = load_rules(None)


def test_stock_is_of_200_outputs() -> None:
    assert len(STOCK) == 200
    assert sum(map(len, STOCK.values())) > 200_000


@pytest.mark.parametrize("part", range(8))
def test_ordinary_output_asks_nothing_wherever_it_pauses(part: int) -> None:
    asked = [
        (name, found.rule.name, found.question)
        for name, text in list(STOCK.items())[part::8]
        for found in asked_by(text)
    ]
    assert asked == []


def asked_by(text: str) -> Iterator[FoundPrompt]:
    """Yield what an output asks where it pauses."""
    data = text.replace("\n", "\r\n").encode()
    screen, step = LiveScreen((100, 30)), len(data) // PAUSES + 1
    for at in range(0, len(data), step):
        screen.draw(data[at : at + step])
        for reads in (Reads(), Reads(echo=False, lines=False)):
            if (found := find(screen.picture(), reads, RULES).prompt) is not None:
                yield found

"""Prompts of programs, each with the right kind, answers and default.

``prompts.json`` has for each the program, the text, the kind, what is typed for each answer, the default, and
whether the program reads lines or keys.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ccq_tui.bridges.terminal.detect import FoundPrompt, Reads, find
from ccq_tui.bridges.terminal.prompt_request import takes_text
from ccq_tui.bridges.terminal.rules import Shape, load_rules
from tests.unit.bridges.terminal.test_detect import drawn

STOCK: list[tuple[str, str, str, list[str], str, str]] = json.loads(
    Path(__file__).with_name("prompts.json").read_text(encoding="utf-8")
)
RULES, _ = load_rules(None)


def kind_of(found: FoundPrompt) -> str:
    if [label for label, _ in found.words] == ["Yes", "No"] and not takes_text(found):
        return "yes-no"
    return {Shape.LETTERS: "choice"}.get(found.rule.shape, str(found.rule.shape))


def answers_of(found: FoundPrompt) -> list[str]:
    return [word for _, word in found.words] or [row.number or row.label for row in found.rows]


def default_of(found: FoundPrompt) -> str:
    typed = dict(found.words) | {row.label: row.number for row in found.rows}
    return found.default if kind_of(found) == "yes-no" else typed.get(found.default, found.default)


def test_the_stock_is_large() -> None:
    assert len(STOCK) >= 200


@pytest.mark.parametrize(("program", "text", "kind", "answers", "default", "reads"), STOCK)
def test_a_prompt_has_its_kind_answers_and_default(
    program: str, text: str, kind: str, answers: list[str], default: str, reads: str
) -> None:
    lines = reads == "lines"
    picture = drawn(text, hidden=kind == "list")
    found = find(picture, Reads(echo=lines, lines=lines, waits=True), RULES).prompt
    if found is None:
        assert kind == "none", program
        return
    assert (kind_of(found), answers_of(found), default_of(found)) == (kind, answers, default), program

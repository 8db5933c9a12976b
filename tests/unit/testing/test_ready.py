from __future__ import annotations

import re

import pytest

from ccq_tui.testing.scenarios import DEFAULT, READY, Ready
from ccq_tui.testing.scenarios.hostile import LONG_LABEL
from ccq_tui.testing.scenarios.long import LONG_ANSWER_CHARACTERS, long_markdown


def test_the_default_is_one_of_them() -> None:
    assert DEFAULT in READY


@pytest.mark.parametrize("ready", READY.values(), ids=lambda ready: ready.name)
def test_a_ready_scenario_is_named_and_described(ready: Ready) -> None:
    assert ready.scenario.name == ready.name
    assert ready.scenario.title
    assert 10 < len(ready.description) < 80
    assert "\n" not in ready.description + ready.prompt
    assert ready.prompt


def test_the_long_answer_is_long_and_varied() -> None:
    text = long_markdown(LONG_ANSWER_CHARACTERS)
    assert LONG_ANSWER_CHARACTERS <= len(text) < LONG_ANSWER_CHARACTERS + 2_000
    for pattern in (r"^## ", r"^\| ", r"^   - ", r"^```python", r"^> ", r"^- \[x\]"):
        assert re.search(pattern, text, re.MULTILINE)


def test_the_long_label_is_long() -> None:
    assert len(LONG_LABEL) >= 100_000

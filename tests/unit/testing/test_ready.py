from __future__ import annotations

import pytest

from ccq_tui.testing.scenarios import DEFAULT, READY, Ready


def test_the_default_is_one_of_them() -> None:
    assert DEFAULT in READY


@pytest.mark.parametrize("ready", READY.values(), ids=lambda ready: ready.name)
def test_a_ready_scenario_is_named_and_described(ready: Ready) -> None:
    assert ready.scenario.name == ready.name
    assert ready.scenario.title
    assert 10 < len(ready.description) < 80
    assert "\n" not in ready.description + ready.prompt
    assert ready.prompt

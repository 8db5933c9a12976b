"""A short piece of the random keys around panels; `python -m tests.ui.keystrokes` drives more."""

from __future__ import annotations

import pytest

from tests.ui.keystrokes import drive


@pytest.mark.parametrize("seed", [2, 11])
async def test_random_keys_decide_nothing_by_themselves_and_none_is_lost(seed: int) -> None:
    counts = await drive(400, seed)
    assert counts["keys"] >= 400
    assert counts["panels"] > 10

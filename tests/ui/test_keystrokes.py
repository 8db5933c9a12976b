"""A short piece of the random keys around all that asks; `python -m tests.ui.keystrokes` drives more."""

from pathlib import Path

import pytest

from tests.ui.keystrokes.driver import PLACES, drive
from tests.ui.keystrokes.hands import Hands

pytestmark = pytest.mark.words  # as a person types: letters in a row are a word


@pytest.mark.parametrize(("seed", "place"), list(enumerate(PLACES)))
async def test_random_keys_decide_nothing_by_themselves_and_none_is_lost(
    place: type[Hands], seed: int, tmp_path: Path
) -> None:
    hands = await drive(place, 80, seed, tmp_path)
    assert hands.counts["keys"] >= 80
    assert hands.violations == []

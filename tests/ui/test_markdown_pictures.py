"""Ten documents of the corpus as they look on the screen; tests/unit/transcript draws all of them."""

from __future__ import annotations

import pytest

from ccq_tui.agent import events as ev
from tests.ui.test_card_pictures import Compare, compare
from tests.unit.transcript.test_markdown_corpus import CORPUS

NARROW = (40, 20)
USUAL = (80, 20)
SHOWN = {
    "headings": USUAL,
    "list-loose-nested": NARROW,
    "list-mixed": NARROW,
    "tasks-nested": NARROW,
    "code-in-list": USUAL,
    "quote-nested": NARROW,
    "table-wide": USUAL,
    "footnotes": NARROW,
    "broken-mixture": NARROW,
    "model-answer": (80, 16),
}


@pytest.mark.parametrize("name", SHOWN)
def test_documents(snap_compare: Compare, name: str) -> None:
    (path,) = (path for path in CORPUS if path.stem.partition("-")[2] == name)
    text = path.read_text(encoding="utf-8")
    told = ev.BlockFinished(ev.BlockKey("m", 0), ev.BlockKind.TEXT, text)
    assert compare(snap_compare, [told], SHOWN[name])

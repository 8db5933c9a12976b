"""The README stays short, and what it links to is there."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
MOST_LINES, MOST_KEYS = 130, 10
MOST_OF_PICTURE = 200_000


def test_it_is_read_in_a_minute() -> None:
    assert len(README.splitlines()) <= MOST_LINES
    keys = README.partition("## Keys")[2].partition("\n## ")[0]
    assert len(re.findall(r"^\|", keys, re.MULTILINE)) - 2 <= MOST_KEYS


def test_its_links_lead_somewhere() -> None:
    for place, anchor in re.findall(r"\]\(([^)#:]+)(?:#([^)]*))?\)", README):
        assert (ROOT / place).is_file(), place
        if anchor:
            heads = re.findall(r"^#+ (.+)$", (ROOT / place).read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads}, (
                anchor
            )


def test_its_picture_moves() -> None:
    text = (ROOT / "docs" / "picture.svg").read_text(encoding="utf-8")
    assert len(text.encode()) < MOST_OF_PICTURE
    assert ElementTree.fromstring(text).tag == "{http://www.w3.org/2000/svg}svg"  # noqa: S314 (our own file)
    seconds = re.search(r"animation:(\d+\.\d+)s", text)
    assert seconds is not None
    assert 12 <= float(seconds[1]) <= 18
    assert "prefers-reduced-motion" in text

"""The README stays short, and what pages link to is there."""

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
MOST_LINES, MOST_KEYS = 110, 10
MOST_OF_PICTURE = 200_000


def faults() -> Iterator[str]:
    """What is wrong with it."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    if (lines := readme.count("\n")) > MOST_LINES:
        yield f"README.md: {lines} lines are more than {MOST_LINES}"
    keys = re.findall(r"^\|", readme.partition("## Keys")[2].partition("\n## ")[0], re.MULTILINE)
    if len(keys) - 2 > MOST_KEYS:
        yield f"README.md: its table of keys has more than {MOST_KEYS}"
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))):
        for place, anchor in re.findall(
            r"\]\(([^)#:\s]*)(?:#([^)\s]*))?\)", page.read_text(encoding="utf-8")
        ):
            target = page.parent / place if place else page
            if not target.is_file():
                yield f"{page.name}: {place} does not exist"
            elif anchor and anchor not in _anchors(target.read_text(encoding="utf-8")):
                yield f"{page.name}: {target.name} has no heading #{anchor}"
    picture = (ROOT / "docs" / "picture.svg").read_text(encoding="utf-8")
    if len(picture.encode()) > MOST_OF_PICTURE or "prefers-reduced-motion" not in picture:
        yield "docs/picture.svg: it must be small, and stand still for who wants that"


def _anchors(page: str) -> set[str]:
    heads = re.findall(r"^#+ (.+)$", page, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads}

"""Public names of types: one word for one thing, in the whole program."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import ccq_tui

ROOT = Path(ccq_tui.__file__).parent


def test_no_public_type_has_the_name_of_another() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for path in sorted(ROOT.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(str(path.relative_to(ROOT)))
    assert len(places) > 400, "something was looked at"
    assert {name: where for name, where in places.items() if len(where) > 1} == {}

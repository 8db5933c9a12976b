"""No class is over 600 lines, counted with all the classes of ours that it extends."""

from __future__ import annotations

import ast
import inspect
import pkgutil
from importlib import import_module
from pathlib import Path

import ccq_tui

MOST_LINES = 600


def classes() -> set[type]:
    """Return all classes of the program."""
    names = (one.name for one in pkgutil.walk_packages(ccq_tui.__path__, "ccq_tui."))
    modules = [import_module(name) for name in names if not name.endswith("__main__")]
    return {one for module in modules for _, one in inspect.getmembers(module, inspect.isclass) if ours(one)}


def ours(cls: type) -> bool:
    """Whether a class is one of the program's own."""
    return cls.__module__.split(".")[0] == "ccq_tui"


def own_lines(modules: set[str]) -> dict[tuple[str, str], int]:
    """Return how long each class at the top of the modules is."""
    return {
        (name, node.name): (node.end_lineno or 0) - node.lineno + 1
        for name in modules
        for node in ast.parse(Path(inspect.getfile(import_module(name))).read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef)
    }


def test_no_class_is_a_god_class() -> None:
    found = classes()
    lengths = own_lines({cls.__module__ for cls in found})
    whole = {
        f"{cls.__module__}.{cls.__name__}": sum(
            lengths.get((base.__module__, base.__name__), 0) for base in cls.__mro__ if ours(base)
        )
        for cls in found
    }
    assert len(whole) > 300, "something was looked at"
    assert {name: count for name, count in whole.items() if count > MOST_LINES} == {}

"""Lazy loading of a package's names."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def loaded_later(package: str, places: Mapping[str, tuple[str, ...]]) -> Callable[[str], Any]:
    """Return a package's ``__getattr__`` (PEP 562) that loads names when they are first used.

    ``places`` maps each module under the package to the names that it defines.
    """
    module_of = {name: module for module, names in places.items() for name in names}

    def load(name: str) -> Any:
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{module_of[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return load

"""Lazy loading of a package's names."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any


def loaded_later(package: str, *modules: str) -> Callable[[str], Any]:
    """Return a package's ``__getattr__`` (PEP 562) that loads its public names at their first use.

    ``modules`` define those of ``__all__``; they are imported in this order until one has the name.
    """

    def load(name: str) -> Any:
        if name in sys.modules[package].__all__:
            for module in modules:
                if hasattr(found := import_module(f"{package}.{module}"), name):
                    setattr(sys.modules[package], name, getattr(found, name))
                    return getattr(found, name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return load

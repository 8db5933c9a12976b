"""Names of a package that are loaded when they are first used."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def loaded_later(package: str, places: Mapping[str, tuple[str, ...]]) -> Callable[[str], Any]:
    """Make the ``__getattr__`` of a package whose parts are not all needed by the importer of one of them.

    Args:
        package: The package's name.
        places: The names that are loaded later, by the module under the package that has them.

    Returns:
        What the package is to have as ``__getattr__`` (PEP 562).
    """
    module_of = {name: module for module, names in places.items() for name in names}

    def load(name: str) -> Any:
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{module_of[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return load

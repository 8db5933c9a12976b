"""Checks that a framework still has the private names that a module of this package is built on."""

import importlib
import logging
from typing import Any

_logger = logging.getLogger(__name__)


class UnknownVersionError(ImportError):
    """A framework no longer has the names that a module needs."""


def has(owner: Any, *names: str) -> bool:
    """Return whether a class, a module or an object has all of these names, or a class's methods use them."""
    return all(hasattr(owner, name) or _uses(owner, name) for name in names)


def _uses(owner: Any, name: str) -> bool:
    return any(
        name in code.co_names
        for one in getattr(owner, "__mro__", ())
        for value in vars(one).values()
        if (code := getattr(value, "__code__", None)) is not None
    )


def require(owner: Any, *names: str) -> None:
    """Raise `UnknownVersionError` if a framework's class or module lacks a name."""
    missing = [name for name in names if not has(owner, name)]
    if missing:
        raise UnknownVersionError(f"{owner.__name__} has no {', '.join(missing)}")


def load(module: str, name: str) -> Any:
    """Return a name of a module of this package, or None if a framework lacks what the module needs."""
    try:
        return getattr(importlib.import_module(module), name)
    except ImportError as error:
        _logger.warning("%s is done without: %s", module, error)
        return None

"""The import of the SDK without the modules that only MCP servers inside this very process need.

The SDK can run such servers; ccq-tui has none. For them it imports `mcp` and `jsonschema`, which takes five
times as long as all the rest (docs/dev/measured.md), and every start of the program and every look at earlier
sessions would take that time.
"""

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

NAME = "claude_agent_sdk"
_SPARED = (
    "jsonschema",
    "mcp",
    "mcp.server",
    "mcp.shared",
    "mcp.shared.memory",
    "mcp.shared.message",
    "mcp.types",
)


class SparedError(RuntimeError):
    """Code needs a part that was left out when the SDK was imported."""


def import_sdk() -> ModuleType:
    """Import the SDK, lightly if that works, else as it is; raises ImportError. Later calls are quick."""
    if NAME in sys.modules or any(name in sys.modules for name in _SPARED):
        return importlib.import_module(NAME)
    with _placeholders():
        try:
            return importlib.import_module(NAME)
        except Exception:  # noqa: BLE001 - another version may do anything with a placeholder; it gets the real modules
            for name in [name for name in sys.modules if name.partition(".")[0] == NAME]:
                del sys.modules[name]
    return importlib.import_module(NAME)


@contextmanager
def _placeholders() -> Iterator[None]:
    modules = {name: _Placeholder(name) for name in _SPARED}
    for name, module in modules.items():
        parent, _, last = name.rpartition(".")
        if parent:
            setattr(modules[parent], last, module)
    sys.modules.update(modules)
    try:
        yield
    finally:
        # Later imports get the real modules.
        for name in modules:
            sys.modules.pop(name, None)


class _Placeholder(ModuleType):
    """A module in which every public name is a class that cannot be made."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.__path__ = []

    def __getattr__(self, name: str) -> "type[_Spared]":
        if name.startswith("_"):
            raise AttributeError(name)
        spared = type(name, (_Spared,), {"__module__": self.__name__})
        setattr(self, name, spared)
        return spared


class _Spared:
    def __init_subclass__(cls, **_options: object) -> None:
        """Accept the options that the real class would accept from a subclass."""

    def __init__(self, *_arguments: Any, **_named: Any) -> None:
        raise SparedError(f"{type(self).__module__}.{type(self).__name__} was left out of the SDK's import.")

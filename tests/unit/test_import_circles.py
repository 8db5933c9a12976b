"""No circle of imports, neither between modules nor between packages; imports for types alone count, too."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter

import grimp
import pytest

GRAPH = grimp.build_graph("ccq_tui", exclude_type_checking_imports=False)


def package_of(module: str) -> str:
    """Return the package that a module is in; one that has modules is its own."""
    return module if GRAPH.find_children(module) else module.rpartition(".")[0]


def nested(one: str, other: str) -> bool:
    """Whether one package is in the other, or is it."""
    return f"{one}.".startswith(f"{other}.") or f"{other}.".startswith(f"{one}.")


def between_modules() -> dict[str, set[str]]:
    # What a package offers is imported from its modules, and they from one another.
    return {module: GRAPH.find_modules_directly_imported_by(module) - {module} for module in GRAPH.modules}


def between_packages() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for module, imported in between_modules().items():
        package = package_of(module)
        others = {other for one in imported if not nested(package, other := package_of(one))}
        found.setdefault(package, set()).update(others)
    return found


@pytest.mark.parametrize("find", [between_modules, between_packages])
def test_no_circle(find: object) -> None:
    imports = find()  # type: ignore[operator]
    assert len(imports) > 20, "something was looked at"
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        pytest.fail(" imports ".join(reversed(error.args[1])))

"""Names and imports: private ones in `ccq_tui.compat` alone, public ones once, and no circles."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import sys
from collections import defaultdict
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import grimp
import pytest

import ccq_tui

ROOT = Path(ccq_tui.__file__).parent
FENCED = ROOT / "compat"
NAMES = {ast.Name: "id", ast.Attribute: "attr"} | dict.fromkeys(
    (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef), "name"
)
FOREIGN = {"textual", "claude_agent_sdk"}


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name != "_"


def parsed() -> Iterator[tuple[Path, ast.Module]]:
    """The modules outside the fence."""
    for path in ROOT.rglob("*.py"):
        if FENCED not in path.parents:
            yield path, ast.parse(path.read_text(encoding="utf-8"))


def nodes_of(tree: ast.AST) -> list[ast.AST]:
    """The nodes of a piece of code that may have private names."""
    named = ((node, getattr(node, NAMES.get(type(node), ""), "")) for node in ast.walk(tree))
    calls = (ast.Call, ast.ImportFrom, ast.Import)
    return [node for node, name in named if isinstance(node, calls) or is_private(name)]


def own_names(nodes: list[ast.AST]) -> set[str]:
    """The private names that a piece of code gives to something."""
    named = [node for node in nodes if isinstance(getattr(node, "ctx", ast.Store()), ast.Store)]
    return {getattr(node, NAMES[type(node)]) for node in named if type(node) in NAMES}


def private_uses(nodes: list[ast.AST], ours: set[str]) -> Iterator[str]:
    """What a module uses of other packages that is private."""
    for node in nodes:
        names: list[str] = []
        match node:
            case (
                ast.Attribute(attr=name)
                | ast.Call(
                    func=ast.Name(id="getattr" | "hasattr"), args=[_, ast.Constant(value=str(name)), *_]
                )
            ):
                names = [] if name in ours else [name]
            case ast.ImportFrom(module=str(module), names=aliases) if not module.startswith("ccq_tui"):
                names = [*module.split("."), *(one.name for one in aliases)]
            case ast.Import(names=aliases):
                names = [part for one in aliases for part in one.name.split(".")]
            case _:
                pass
        if any(map(is_private, names)):
            yield ast.unparse(node)


def test_no_private_name_of_a_package_is_used_outside_the_fence() -> None:
    outside = {path: nodes_of(tree) for path, tree in parsed()}
    ours = set().union(*map(own_names, outside.values()))
    found = {str(path): list(private_uses(nodes, ours)) for path, nodes in outside.items()}
    assert {path: uses for path, uses in found.items() if uses} == {
        # Documented in the standard library.
        str(ROOT / "bridges/terminal/program.py"): ["os._exit"],
        str(ROOT / "bridges/terminal/wrap.py"): ["os._exit"],
    }


def test_no_class_outside_the_fence_takes_a_private_name_of_its_base() -> None:
    """One that did so by chance would change what the base does."""
    for module in pkgutil.walk_packages(ccq_tui.__path__, "ccq_tui."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    taken = []
    for path, tree in parsed():
        module = sys.modules.get(".".join(("ccq_tui", *path.relative_to(ROOT).with_suffix("").parts)))
        for node in tree.body:
            kind = getattr(module, node.name, None) if isinstance(node, ast.ClassDef) else None
            bases = kind.__mro__ if isinstance(kind, type) else ()
            foreign = [one for one in bases if one.__module__.partition(".")[0] in FOREIGN]
            names = own_names(nodes_of(node)) if foreign else set()
            for base in foreign:
                init = getattr(vars(base).get("__init__"), "__code__", None)
                theirs = {*vars(base), *(init.co_names if init is not None else ())}
                taken += [f"{kind.__qualname__}.{name} is {base.__name__}'s" for name in names & theirs]
    assert taken == []


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


def test_no_public_type_has_the_name_of_another() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for path in sorted(ROOT.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(str(path.relative_to(ROOT)))
    assert len(places) > 400, "something was looked at"
    assert {name: where for name, where in places.items() if len(where) > 1} == {}

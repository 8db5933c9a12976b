"""Private names of packages are used in `ccq_tui.compat` alone, and a public type has a name of its own."""

import ast
import importlib
import pkgutil
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import ccq_tui
from checks.literals import ROOT, parsed

FENCED = ROOT / "compat"
NAMES = {ast.Name: "id", ast.Attribute: "attr"} | dict.fromkeys(
    (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef), "name"
)
CALLS = {ast.Call, ast.ImportFrom, ast.Import}
FOREIGN = {"textual", "claude_agent_sdk"}
DOCUMENTED = {"os._exit"}
"""Private in form alone: the standard library documents them."""
DIALECT = re.compile(r"(?:^|_)(told|said|gone|owed|won|heard?|let_go|way_on)(?:_|$)", re.IGNORECASE)
"""Words for which the field has others, such as notified, message, missing, accepted and received."""


def faults() -> Iterator[str]:
    """What is wrong with them, a line each."""
    trees = {path: parsed(path) for path in sorted(ROOT.rglob("*.py"))}
    outside = {path: tree for path, tree in trees.items() if FENCED not in path.parents}
    nodes = {path: _named(tree) for path, tree in outside.items()}
    ours = set().union(*map(_own_names, nodes.values()))
    for path, found in nodes.items():
        for use in {*_private_uses(found, ours)} - DOCUMENTED:
            yield f"{path.relative_to(ROOT)}: {use} is private; ccq_tui/compat may use it"
    yield from _taken(outside)
    yield from _twice(trees)
    for path, tree in trees.items():
        given = {
            getattr(node, "name", getattr(node, "id", getattr(node, "arg", ""))) for node in ast.walk(tree)
        }
        for name in sorted(filter(None, given)):
            if word := DIALECT.search(re.sub("(?<=[a-z])(?=[A-Z])", "_", name)):
                yield f"{path.relative_to(ROOT)}: {name} says {word[1]}: take the field's word"


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name != "_"


def _named(tree: ast.AST) -> list[ast.AST]:
    """The nodes of a piece of code that may have private names."""
    found: list[ast.AST] = []
    for node in ast.walk(tree):
        kind = type(node)
        if kind in CALLS or (kind in NAMES and _is_private(getattr(node, NAMES[kind]))):
            found.append(node)
    return found


def _own_names(nodes: list[ast.AST]) -> set[str]:
    """The private names that a piece of code gives to something."""
    named = [node for node in nodes if isinstance(getattr(node, "ctx", ast.Store()), ast.Store)]
    return {getattr(node, NAMES[type(node)]) for node in named if type(node) in NAMES}


def _private_uses(nodes: list[ast.AST], ours: set[str]) -> Iterator[str]:
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
        if any(map(_is_private, names)):
            yield ast.unparse(node)


def _taken(outside: dict[Path, ast.Module]) -> Iterator[str]:
    """Names of classes of ours that are private ones of their base: they would change what the base does."""
    for module in pkgutil.walk_packages(ccq_tui.__path__, "ccq_tui."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    for path, tree in outside.items():
        module = sys.modules.get(".".join(("ccq_tui", *path.relative_to(ROOT).with_suffix("").parts)))
        for node in tree.body:
            kind = getattr(module, node.name, None) if isinstance(node, ast.ClassDef) else None
            bases = kind.__mro__ if isinstance(kind, type) else ()
            foreign = [one for one in bases if one.__module__.partition(".")[0] in FOREIGN]
            names = _own_names(_named(node)) if foreign else set()
            for base in foreign:
                init = getattr(vars(base).get("__init__"), "__code__", None)
                theirs = {*vars(base), *(init.co_names if init is not None else ())}
                for name in names & theirs:
                    yield f"{path.relative_to(ROOT)}: {kind.__qualname__}.{name} is {base.__name__}'s"


def _twice(trees: dict[Path, ast.Module]) -> Iterator[str]:
    """Public types that have one name."""
    places: dict[str, list[str]] = defaultdict(list)
    for path, tree in trees.items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(str(path.relative_to(ROOT)))
    for name, where in places.items():
        if len(where) > 1:
            yield f"{', '.join(where)}: more than one type is called {name}"

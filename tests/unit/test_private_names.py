"""Private names of Textual, the SDK and any other package are used in `ccq_tui.compat` alone."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import sys
from collections.abc import Iterator
from pathlib import Path

import ccq_tui

ROOT = Path(ccq_tui.__file__).parent
FENCED = ROOT / "compat"


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name != "_"


def parsed() -> dict[Path, ast.Module]:
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in ROOT.rglob("*.py")}


def own_names(tree: ast.AST) -> Iterator[str]:
    """The names that a piece of code gives to something."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Attribute(attr=name, ctx=ast.Store()) | ast.Name(id=name, ctx=ast.Store()):
                yield name
            case _:
                pass


def private_uses(tree: ast.AST, ours: set[str]) -> Iterator[str]:
    """What a module uses of other packages that is private."""
    for node in ast.walk(tree):
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
    outside = {path: tree for path, tree in parsed().items() if FENCED not in path.parents}
    ours = {name for tree in outside.values() for name in own_names(tree)}
    found = {str(path): list(private_uses(tree, ours)) for path, tree in outside.items()}
    assert {path: uses for path, uses in found.items() if uses} == {
        # Documented in the standard library.
        str(ROOT / "loop_monitor.py"): ["sys._current_frames"],
        str(ROOT / "bridges/terminal/program.py"): ["os._exit"],
        str(ROOT / "bridges/terminal/wrap.py"): ["os._exit"],
    }


def test_no_class_outside_the_fence_takes_a_private_name_of_its_base() -> None:
    """One that did so by chance would change what the base does."""
    for module in pkgutil.walk_packages(ccq_tui.__path__, "ccq_tui."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    taken = []
    for path, tree in parsed().items():
        if FENCED in path.parents:
            continue
        module = sys.modules.get(".".join(("ccq_tui", *path.relative_to(ROOT).with_suffix("").parts)))
        for node in tree.body:
            kind = getattr(module, node.name, None) if isinstance(node, ast.ClassDef) else None
            if not isinstance(kind, type):
                continue
            names = {name for name in own_names(node) if is_private(name)}
            for base in kind.__mro__:
                if base.__module__.partition(".")[0] in {"textual", "claude_agent_sdk"}:
                    init = getattr(vars(base).get("__init__"), "__code__", None)
                    theirs = {*vars(base), *(init.co_names if init is not None else ())}
                    taken += [f"{kind.__qualname__}.{name} is {base.__name__}'s" for name in names & theirs]
    assert taken == []

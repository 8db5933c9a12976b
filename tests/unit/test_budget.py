"""No package has more lines of code than `docs/dev/budget.toml` allows."""

from __future__ import annotations

import ast
import io
import tokenize
import tomllib
from collections import Counter
from pathlib import Path

import ccq_tui

ROOT = Path(ccq_tui.__file__).parent
BUDGET = ROOT.parent / "docs" / "dev" / "budget.toml"
NO_CODE = {
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER,
}  # fmt: skip
DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def code_lines(source: str) -> int:
    """Return the number of lines that hold code: no blanks, comments or docstrings."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        for inner in node.body if isinstance(node, DOCUMENTED) else ():
            match inner:
                case ast.Expr(ast.Constant(str())):
                    lines.difference_update(range(inner.lineno, (inner.end_lineno or 0) + 1))
    return len(lines)


def counted() -> Counter[str]:
    """Return the lines of code of each package, and of all."""
    found: Counter[str] = Counter()
    for path in ROOT.rglob("*.py"):
        package, *inner = path.relative_to(ROOT).parts
        lines = code_lines(path.read_text(encoding="utf-8"))
        found[package if inner else "loose modules"] += lines
        found["all"] += lines
    return found


def test_what_is_a_line_of_code() -> None:
    source = '"""Module\nof two lines."""\n\n# why\nA = """x\n\ny"""\n\n\n'
    source += 'def f() -> None:\n    """Doc."""\n    "also"\n'
    assert code_lines(source) == 4


def test_each_package_keeps_to_its_budget() -> None:
    allowed = tomllib.loads(BUDGET.read_text(encoding="utf-8"))["lines"]
    found = counted()
    assert set(found) == set(allowed)
    assert {name: (lines, allowed[name]) for name, lines in found.items() if lines > allowed[name]} == {}

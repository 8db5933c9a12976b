"""Neither a package nor the tests have more lines of code than `docs/dev/budget.toml` allows.

``python -m tests.unit.test_budget`` prints the table.
"""

from __future__ import annotations

import ast
import io
import tokenize
import tomllib
from collections import Counter
from pathlib import Path

import ccq_tui

PROGRAM = Path(ccq_tui.__file__).parent
CHECKOUT = PROGRAM.parent
BUDGET = CHECKOUT / "docs" / "dev" / "budget.toml"
ALLOWED: dict[str, int] = tomllib.loads(BUDGET.read_text(encoding="utf-8"))["lines"]
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
    """Return the lines of code of each package, of all packages, and of the tests."""
    found: Counter[str] = Counter()
    for path in PROGRAM.rglob("*.py"):
        package, *inner = path.relative_to(PROGRAM).parts
        lines = code_lines(path.read_text(encoding="utf-8"))
        found[package if inner else "loose modules"] += lines
        found["all"] += lines
    tests = (CHECKOUT / "tests").rglob("*.py")
    found["tests"] = sum(code_lines(path.read_text(encoding="utf-8")) for path in tests)
    return found


def test_what_is_a_line_of_code() -> None:
    source = '"""Module\nof two lines."""\n\n# why\nA = """x\n\ny"""\n\n\n'
    source += 'def f() -> None:\n    """Doc."""\n    "also"\n'
    assert code_lines(source) == 4


def test_each_package_keeps_to_its_budget() -> None:
    found = counted()
    assert set(found) == set(ALLOWED)
    assert {name: (lines, ALLOWED[name]) for name, lines in found.items() if lines > ALLOWED[name]} == {}


if __name__ == "__main__":
    print("  lines  budget")  # noqa: T201
    for name, lines in sorted(counted().items()):
        print(f"{lines:7,} {ALLOWED.get(name, 0):7,}  {name}")  # noqa: T201

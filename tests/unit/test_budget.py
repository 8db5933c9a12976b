"""Neither a package nor the tests have more lines of code than `docs/dev/budget.toml` allows.

``python -m tests.unit.test_budget`` prints the table.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from pathlib import Path

import ccq_tui

PROGRAM = Path(ccq_tui.__file__).parent
CHECKOUT = PROGRAM.parent
BUDGET = CHECKOUT / "docs" / "dev" / "budget.toml"
ALLOWED: dict[str, int] = tomllib.loads(BUDGET.read_text(encoding="utf-8"))["lines"]
LITERAL = re.compile(
    r"""#[^\n]*|(?s:'{3}(?:[^\\]|\\.)*?'{3}|"{3}(?:[^\\]|\\.)*?"{3}|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")"""
)
"""A comment or a string, as a whole; Python's own tokenizer takes ten times as long for all files."""
ALONE = re.compile(r"""(?<!\\\n)^[ \t]*[rRuU]?"(\n')*[ \t]*$""", re.MULTILINE)
"""What is left of a string that is a statement, or a line inside brackets."""


def emptied(literal: re.Match[str]) -> str:
    """Return nothing for a comment, and a sign in each of its lines for a string."""
    return "" if literal[0].startswith("#") else '"' + "\n'" * literal[0].count("\n")


def code_lines(source: str) -> int:
    """Return the number of lines that hold code: no blanks, comments or docstrings."""
    text = LITERAL.sub(emptied, source)
    lines, depth, seen = sum(map(bool, map(str.strip, text.split("\n")))), 0, 0
    for alone in ALONE.finditer(text):
        between, seen = text[seen : alone.start()], alone.start()
        depth += sum(map(between.count, "([{")) - sum(map(between.count, ")]}"))
        lines -= 0 if depth else 1 + alone[0].count("\n")
    return lines


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
    source += 'def f() -> None:\n    r"""Doc\\"s."""  # so\n    "also"\n    g(\n        "#",\n        \'"\'\n'
    source += '        "\\""\n    )\nB = \\\n    """b"""\n'
    assert code_lines(source) == 11


def test_each_package_keeps_to_its_budget() -> None:
    found = counted()
    assert set(found) == set(ALLOWED)
    assert {name: (lines, ALLOWED[name]) for name, lines in found.items() if lines > ALLOWED[name]} == {}


if __name__ == "__main__":
    print("  lines  budget")  # noqa: T201
    for name, lines in sorted(counted().items()):
        print(f"{lines:7,} {ALLOWED.get(name, 0):7,}  {name}")  # noqa: T201

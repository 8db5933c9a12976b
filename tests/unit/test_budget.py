"""No package is larger than docs/dev/budget.toml allows; ``python -m tests.unit.test_budget`` shows all."""

import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import ccq_tui

PROGRAM = Path(ccq_tui.__file__).parent
CHECKOUT = PROGRAM.parent
BUDGET = CHECKOUT / "docs" / "dev" / "budget.toml"
ALLOWED: dict[str, int] = tomllib.loads(BUDGET.read_text(encoding="utf-8"))["lines"]
SMALL = 60
PUBLIC = re.compile(r"^(?:(?:async )?def|class) (?!_)|^[A-Za-z]\w*(?:: [^=\n]+)? = ", re.MULTILINE)
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


def modules() -> Iterator[tuple[str, str]]:
    """The source of each module, with each name that it counts for."""
    for path in CHECKOUT.glob("*/**/*.py"):
        top, *inner = path.relative_to(CHECKOUT).parts
        if top in ("tests", "bench", "checks"):
            yield top, path.read_text(encoding="utf-8")
        elif top == PROGRAM.name:
            source = path.read_text(encoding="utf-8")
            yield from ((name, source) for name in ("all", inner[0] if inner[1:] else "loose modules"))


def counted() -> Counter[str]:
    """The lines of code of each package, of all packages, and of what is beside the program."""
    found: Counter[str] = Counter()
    for name, source in modules():
        found[name] += code_lines(source)
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
    names, small = Counter[str](), Counter[str]()
    for package, source in modules():
        names[package] += len(PUBLIC.findall(source))
        small[package] += code_lines(source) < SMALL
    print("  lines  at most  public names  files under 60  package")  # noqa: T201
    for package, lines in sorted(counted().items()):
        print(f"{lines:7,} {ALLOWED.get(package, 0):8,} {names[package]:13,} {small[package]:15,}  {package}")  # noqa: T201

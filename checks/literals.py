"""The sentences of the program, read from its source: string literals that reach a person."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import ccq_tui

ROOT = Path(ccq_tui.__file__).parent
FOR_THE_MODEL = {
    "inbox/agent_texts.py": "texts for the model, measured with it",
    "agent/claude/options.py": "prompts to the model",
    "bridges/mcp/tools.py": "errors, for the model",
    "bridges/mcp/server.py": "instructions and results for the model",
    "questions/wire.py": "answers that go to the model",
    "questions/parse.py": "problems of a malformed question, which go back to the model",
    "questions/partial_parse.py": "the same, while the question is written",
    "prompts/shell_runs.py": "Claude Code's own words around the output of a command",
    "testing": "the scripted model's part, and messages to authors of scenarios",
}
"""Modules whose texts people do not read."""
STORED = {
    "agent/claude/classify.py": "patterns of Claude Code's messages",
    "agent/claude/process.py": "a shell script",
    "inbox/schema.py": "descriptions in the JSON Schema",
    "inbox/store/schema.py": "the statements of the migrations",
}
"""Modules whose texts are data."""
LOGGERS = {"_logger", "_log", "logger", "log"}
PROGRAMMING = {"ValueError", "TypeError", "RuntimeError", "AttributeError"}
"""Errors that only a mistake in a program raises."""
DATA = {"name", "group", "pattern", "id", "classes"}
"""Keyword arguments that name things of the program, such as the name of a worker."""
HOLE = "{}"
"""Stands for a value that is filled in."""
WORDS = re.compile(r"[A-Za-z{][\w'’{}/-]*(?: +[\w'’“({}/-]+){2,}")
CODE = re.compile(
    r"\b(SELECT|INSERT INTO|UPDATE \w+ SET|PRAGMA|BEGIN IMMEDIATE|Add-Type)\b|[{;]\s*\n|\\[ASZbd]|\(\?"
)
"""Tells statements, style sheets, scripts and patterns from sentences."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A text that people read: its module below ccq_tui, its line, and the words."""

    module: str
    line: int
    text: str
    raised: str = ""

    @property
    def place(self) -> str:
        return f"{self.module}:{self.line}: {self.text}"


def written(node: ast.AST) -> str | None:
    """The text of a literal, with a hole for each value; or None."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=values):
            return "".join(part.value if isinstance(part, ast.Constant) else HOLE for part in values)
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            left_text, right_text = written(left), written(right)
            if left_text is None and right_text is None:
                return None
            return (left_text or HOLE) + (right_text or HOLE)
    return None


@cache
def parsed(path: Path) -> ast.Module:
    """A module of the program, parsed once for all checks: that takes longer than most of them."""
    return ast.parse(path.read_text(encoding="utf-8"))


def of_source(module: str, source: str) -> Iterator[Sentence]:
    """The sentences of a module."""
    yield from _of(ast.parse(source), module, "")


def _of(node: ast.AST, module: str, raised: str) -> Iterator[Sentence]:
    if _is_internal(node):
        return
    if isinstance(node, ast.Raise):
        raised = _error(node)
    text = written(node)
    if text is None:
        children = list(ast.iter_child_nodes(node))
    else:
        if WORDS.search(text) and not CODE.search(text):
            yield Sentence(module, node.lineno, text, raised)
        children = [part.value for part in ast.walk(node) if isinstance(part, ast.FormattedValue)]
        raised = ""
    for child in children:
        yield from _of(child, module, raised)


def _is_internal(node: ast.AST) -> bool:
    """Whether no text in it reaches a person."""
    match node:
        case ast.Expr(value=ast.Constant(value=str())):
            return True  # a docstring; those that click shows come from its commands
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name))):
            return name in LOGGERS or name == "re"
        case ast.Raise():
            return _error(node) in PROGRAMMING
        case ast.keyword(arg=arg):
            return arg in DATA
    return False


def _error(node: ast.Raise) -> str:
    match node.exc:
        case ast.Call(func=ast.Name(id=name)):
            return name
    return ""


@cache
def sentences() -> tuple[Sentence, ...]:
    """All sentences of the program that people read."""
    found: list[Sentence] = []
    for path in sorted(ROOT.rglob("*.py")):
        module = path.relative_to(ROOT).as_posix()
        if module.split("/")[0] in FOR_THE_MODEL or module in FOR_THE_MODEL or module in STORED:
            continue
        found += _of(parsed(path), module, "")
    return tuple(found)

"""The sentences that the program shows are short, direct, and speak of keys that exist."""

import ast
import re
from collections.abc import Iterator

import click

from ccq_tui.agent.problems import ADVICE
from ccq_tui.cli.main import cli
from ccq_tui.config.keymap import DEFAULT_KEYS, TEXT_PLACES
from ccq_tui.input.keynames import shown_key
from ccq_tui.input.keys import SETTINGS
from ccq_tui.screens.help import key_rows
from checks.literals import FOR_THE_MODEL, HOLE, ROOT, STORED, sentences

MOST = 100
BREAK = re.compile(r"\n|[.;:?!…] | · | \(")
START = re.compile(r"\n|[.?!…] | · ")
RIDDLE = re.compile(r"\W*(What|Who|Whoever|Whatever|That|Which)\b")
KEY = re.compile(
    r"(?<![\w+])(?:(?:Ctrl|Alt|Shift)\+)+(?:[A-Z][a-z]\w+|[A-Z]\b|F\d+|[↑↓←→_])|(?<![\w+])F\d+\b"
)
CHOSEN_KEYS = [
    shown_key(row.keys[0])
    for name, row in SETTINGS.items()
    if row.place in TEXT_PLACES and name != "interrupt"
]
CHOSEN = re.compile(
    rf"(?<![\w+])(?:{'|'.join(map(re.escape, CHOSEN_KEYS))}|F\d+|Esc (?:again|interrupts|stops|Esc))(?!\w)"
)
"""Keys of actions as they are at first; Esc also leaves whatever is open, which stays so."""
FIXED_THERE = {
    "cli/exits.py": "Ctrl+C",
    "cli/mcp.py": "Ctrl+C",
    "cli/phone.py": "Ctrl+C",
    "cli/serve.py": "Ctrl+C",
    "plain/session.py": "Ctrl+C",
    "questions/keys.py": "PgUp PgDn",
    "input/keynames.py": "PgUp PgDn",
    "screens/sessions/details.py": "PgUp PgDn",
    "screens/sessions/trust.py": "PgUp PgDn",
    "widgets/decision/details.py": "Ctrl+G",
    "widgets/question/layout.py": "PgDn",
}
"""Modules that name keys of tables of their own; a line of keys puts a person's keys in their place."""
WORDINGS = {
    r"told|tells?": "names, shows, reports, or the software as subject",
    r"go(es)? on(?! with {})|going on|gone on|went on": "continue",
    r"whoever|whosoever": "name the person or the program",
    r"(taken?|takes?|took) (it |that |them |this )?back": "withdraw a prompt, restore a file, undo",
    r"stands? (in|above|below|beside|behind)": "is",
    r"at work": "working",
    r"did not work": "failed",
    r"has to be|have to be|has to have": "must be",
    r"not there": "does not exist",
    r"There (is|are) no": "name what is missing: “No …”",
    r"any more": "no longer",
    r"nothing (is )?selected": "“none of these” for a multi-select, “no answer” for a gap",
    r"wish(es)?": "a request to park",
    r"meanwhile": "say when",
    r"anew": "again",
    r"which there is not": "which does not exist",
}
"""Wordings that were found hard to read, and what says the same in plain words."""
SPARED = {
    "agent/delivery.py": "causes in the history, whose stored words stay",
    "runtime/facts.py": "causes in the history, whose stored words stay",
    "inbox/store/rows.py": "causes in the history, whose stored words stay",
    "inbox/sent_commands.py": "what became of a command, whose stored words stay",
}
WHOLE = {"Refused", "WorktreeError", "RuleError", "SettingsError"}
"""Errors whose message stands alone; those of other errors are the reason in a longer sentence."""
NEXT = re.compile(r" · |[;:] | as in |\. [A-Z]|such as |\bmust\b|\btakes\b|\bneeds\b|\{\}$")


def faults() -> Iterator[str]:
    """What is wrong with them, a line each."""
    shown = [one for one in sentences() if one.module not in SPARED]
    known = {key for row in key_rows(DEFAULT_KEYS) for key in row.label.split()}
    for one in shown:
        yield from _hard(one.place, one.text)
        for key in {*KEY.findall(one.text)} - known:
            yield f"{one.place} (there is no key {key})"
        if one.raised in WHOLE and not NEXT.search(one.text):
            yield f"{one.place} (say what to do)"
    for line in _of_commands():
        yield from _hard(line, line)
    for kind, advice in ADVICE.items():
        if not advice.remedy.strip().endswith("."):
            yield f"agent/problems.py: the remedy of {kind} is a sentence"
    yield from _fixed_keys()
    for name in (*FOR_THE_MODEL, *STORED, *SPARED, *FIXED_THERE):
        if not (ROOT / name).exists():
            yield f"{name}: an exception for what does not exist"


def _hard(place: str, text: str) -> Iterator[str]:
    """What makes a text hard to read."""
    if any(len(part) > MOST for part in BREAK.split(text.replace(HOLE, "X"))):
        yield f"{place} (no break within {MOST} characters)"
    if not text.endswith("?") and any(RIDDLE.match(part) for part in START.split(text)):
        yield f"{place} (begin with the subject)"
    for wording, plain in WORDINGS.items():
        if re.search(rf"\b(?:{wording})\b", text):
            yield f"{place} ({plain})"


def _of_commands() -> Iterator[str]:
    """The lines of the help of the command line; click wraps those of a paragraph."""
    waiting: list[click.Command] = [cli]
    context = click.Context(cli)
    while waiting:
        command = waiting.pop()
        texts = (command.help, command.epilog, *(getattr(option, "help", "") for option in command.params))
        for paragraph in "\n\n".join(text or "" for text in texts).split("\n\n"):
            if "\b" not in paragraph:
                yield " ".join(paragraph.split())
        if isinstance(command, click.Group):
            known = (command.get_command(context, name) for name in command.list_commands(context))
            waiting += [one for one in known if one]


def _fixed_keys() -> Iterator[str]:
    for path in sorted(ROOT.rglob("*.py")):
        module = path.relative_to(ROOT).as_posix()
        if not module.startswith("testing/"):
            for key in {*_named_keys(path.read_text(encoding="utf-8"))}:
                if key not in FIXED_THERE.get(module, ""):
                    yield f"{module}: {key} can be chosen; take it from the keymap"


def _named_keys(source: str) -> Iterator[str]:
    """The keys in the literals of a module that a person can give to something else."""
    if not CHOSEN.search(source):
        return  # as most: reading a module takes long
    tree = ast.parse(source)
    bare = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in bare:
            yield from CHOSEN.findall(node.value)

"""The sentences that the program shows are short, direct, and speak of keys that exist."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import click
import pytest

from ccq_tui.agent.problems import ADVICE
from ccq_tui.cli.main import cli
from ccq_tui.config.keymap import DEFAULT_KEYS, TEXT_PLACES
from ccq_tui.input.keynames import shown_key
from ccq_tui.input.keys import SETTINGS
from ccq_tui.screens.help import key_rows
from tests.sentences import FOR_THE_MODEL, HOLE, ROOT, STORED, Sentence, of_source, sentences

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
    "cli/mcp.py": "Ctrl+C",
    "cli/pairing.py": "Ctrl+C",
    "cli/relay.py": "Ctrl+C",
    "cli/serve.py": "Ctrl+C",
    "plain/session.py": "Ctrl+C",
    "questions/acts.py": "PgUp PgDn",
    "input/keynames.py": "PgUp PgDn",
    "screens/sessions/details.py": "PgUp PgDn",
    "screens/trust.py": "PgUp PgDn",
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
WHOLE = {"Refused", "WorktreeError", "RuleError", "EditorError", "SettingsError"}
"""Errors whose message stands alone; those of other errors are the reason in a longer sentence."""
NEXT = re.compile(r" · |[;:] | as in |\. [A-Z]|such as |\bmust\b|\btakes\b|\bneeds\b|\{\}$")


def shown() -> list[Sentence]:
    return [one for one in sentences() if one.module not in SPARED]


def of_commands() -> Iterator[str]:
    """The help of the command line."""
    waiting: list[click.Command] = [cli]
    context = click.Context(cli)
    while waiting:
        command = waiting.pop()
        yield from (command.help or "", command.epilog or "")
        yield from (getattr(option, "help", None) or "" for option in command.params)
        if isinstance(command, click.Group):
            known = (command.get_command(context, name) for name in command.list_commands(context))
            waiting += [one for one in known if one]


def lines_of(text: str) -> list[str]:
    """The lines of a help text as written: click wraps those of a paragraph."""
    return [" ".join(paragraph.split()) for paragraph in text.split("\n\n") if "\b" not in paragraph]


def too_long(text: str) -> list[str]:
    return [part for part in BREAK.split(text.replace(HOLE, "X")) if len(part) > MOST]


def riddles(text: str) -> list[str]:
    return [part for part in START.split(text) if RIDDLE.match(part) and not text.endswith("?")]


def heavy(text: str) -> list[str]:
    return [plain for wording, plain in WORDINGS.items() if re.search(rf"\b(?:{wording})\b", text)]


def test_sentences_are_found_wherever_people_read_them() -> None:
    source = '''
"""A docstring that nobody sees."""
HINT = "press the key"
def f(x):
    """Another docstring of it."""
    say(f"could not read {x!r} again" if x else "two words " + x)
    _logger.info("a line of the log")
    raise Refused("wrong in this way: " "give another")
'''
    assert [(one.text, one.raised) for one in of_source("m.py", source)] == [
        ("press the key", ""),
        ("could not read {} again", ""),
        ("two words {}", ""),
        ("wrong in this way: give another", "Refused"),
    ]
    assert len(shown()) > 1200


def test_what_is_left_out_exists() -> None:
    assert [name for name in (*FOR_THE_MODEL, *STORED, *SPARED) if not (ROOT / name).exists()] == []


def test_a_sentence_has_a_break_within_a_hundred_characters() -> None:
    assert [one.place for one in shown() if too_long(one.text)] == []
    assert [line for text in of_commands() for line in lines_of(text) if too_long(line)] == []


def test_a_sentence_begins_with_its_subject() -> None:
    assert [one.place for one in shown() if riddles(one.text)] == []
    assert [line for text in of_commands() for line in lines_of(text) if riddles(line)] == []


def test_a_sentence_says_it_in_plain_words() -> None:
    assert [f"{one.place} ({'; '.join(heavy(one.text))})" for one in shown() if heavy(one.text)] == []
    assert [line for text in of_commands() for line in lines_of(text) if heavy(line)] == []


def named_keys(source: str) -> Iterator[str]:
    """The keys in the literals of a module that a person can give to something else."""
    if not CHOSEN.search(source):
        return  # as most: reading a module takes long
    tree = ast.parse(source)
    bare = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in bare:
            yield from CHOSEN.findall(node.value)


def test_keys_that_can_be_chosen_are_named_by_the_keymap() -> None:
    assert [*named_keys('"""F1"""\nsay(f"{x} · F8 copies")\nHINT = ("Alt+↑", "Esc stops it")')] == [
        *("Alt+↑", "Esc stops", "F8")
    ]
    found = {
        module: set(named_keys((ROOT / module).read_text(encoding="utf-8")))
        for module in (path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.py"))
        if not module.startswith("testing/")
    }
    assert {module: keys for module, keys in found.items() if keys} == {
        module: set(keys.split()) for module, keys in FIXED_THERE.items()
    }


def test_each_key_in_a_sentence_exists() -> None:
    known = {key for row in key_rows(DEFAULT_KEYS) for key in row.label.split()}
    named = {key: one.place for one in shown() for key in KEY.findall(one.text)}
    assert {key: place for key, place in named.items() if key not in known} == {}


def test_an_error_says_what_to_do() -> None:
    silent = [one.place for one in shown() if one.raised in WHOLE and not NEXT.search(one.text)]
    assert silent == []
    assert [kind for kind, advice in ADVICE.items() if not advice.remedy.strip().endswith(".")] == []


@pytest.mark.parametrize(
    ("check", "text"),
    [
        (too_long, "a word " * 15),
        (riddles, "Kept. What you typed is here"),
        (heavy, "Claude goes on"),
        (heavy, "the files were taken back"),
    ],
)
def test_the_checks_find_something(check: object, text: str) -> None:
    assert callable(check)
    assert check(text)

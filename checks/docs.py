"""The pages name what there is: settings, commands, fields, tables, keys, and the files of an errand."""

import re
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import fields
from pathlib import Path

import ccq_tui
from ccq_tui.cli.options import _SETTINGS
from ccq_tui.config.load import OF_PROJECTS
from ccq_tui.config.settings import Settings
from ccq_tui.forms.commits import REFLECTION
from ccq_tui.forms.reading import FormDocument, QuestionDocument, find_form
from ccq_tui.inbox.store.rows import RequestState, SessionState
from ccq_tui.inbox.store.store import Store
from ccq_tui.input.keys import KeyPlace, listed_at
from ccq_tui.screens.session.screen import SLASH_COMMANDS
from checks import keys_page, rights_page

ROOT = Path(__file__).parents[1]
PACKAGE = Path(ccq_tui.__file__).parent


def faults() -> Iterator[str]:
    """What is wrong with them."""
    for page, names in named().items():
        text = _page(page)
        yield from (f"docs/{page} does not name {name}" for name in names if f"`{name}" not in text)
    reflect = _page("reflect.md")
    questions = find_form(REFLECTION).questions.questions
    options = [one.label for place, each in enumerate(questions) if place != 6 for one in each.options]
    yield from (f"docs/reflect.md does not name the option {one}" for one in options if one not in reflect)
    project = _page("configuration.md").partition("A project's file can set:\n")[2].partition("\n\n```")[0]
    for name in (set(re.findall(r"`(\w+)`", project)) - {"default", "plan"}) ^ OF_PROJECTS:
        yield f"docs/configuration.md: whether a project's file can set {name}"
    for page_of in (keys_page, rights_page):
        if page_of.PAGE.read_text("utf-8") != page_of.page():
            yield f"{page_of.PAGE.relative_to(ROOT)}: python3 tasks.py docs writes it anew"
    keys = {key for keys in listed_at(KeyPlace.QUESTION).values() for key in keys}
    yield from (f"docs/question-panel.md: {key} in the table of keys" for key in keys ^ set(_panel_keys()))
    errands = _page("architecture.md").partition("| errand | files |")[2].partition("\n\n")[0]
    for name in {name for name in re.findall(r"`([\w/.-]+)`", errands) if "/" in name}:
        if not (PACKAGE / name).exists() and not (ROOT / name).exists():
            yield f"docs/architecture.md: an errand names {name}, which does not exist"


def named() -> dict[str, Iterable[str]]:
    """What each page names, with the beginning of how it writes that."""
    documents = (one.name for document in (FormDocument, QuestionDocument) for one in fields(document))
    with tempfile.TemporaryDirectory() as directory:
        store = Store(Path(directory) / "inbox.db")
        tables = {
            row[0] for row in store.database.rows("SELECT name FROM sqlite_master WHERE type = 'table'")
        }
        store.close()
    return {
        "configuration.md": [f"{name}`" for name in Settings.model_fields],
        "command-line.md": [names[0] for names, _ in _SETTINGS],
        "commands.md": [f"/{command.name}" for command in SLASH_COMMANDS],
        "forms.md": [f"{name}`" for name in documents],
        "inbox.md": [f"{name}`" for name in (*(tables - {"sqlite_sequence"}), *RequestState, *SessionState)],
    }


def _page(name: str) -> str:
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


SIGNS = {"↑": "up", "↓": "down", "←": "left", "→": "right", "Esc": "escape", "/": "slash"}


def _panel_keys() -> Iterator[str]:
    """The keys of the page on the panel, by Textual's names."""
    table = re.search(r"^\| key .*?(?=\n\n)", _page("question-panel.md"), re.MULTILINE | re.DOTALL)
    for row in table[0].split("\n")[2:] if table else ():
        shown = re.findall(r"`([^`]+)`", row.split("|")[1])
        digits = "-" in row.split("|")[1]
        for key in map(str, range(int(shown[0]), int(shown[-1]) + 1)) if digits else shown:
            *held, last = key.split("+")
            yield "+".join([part.lower() for part in held] + [SIGNS.get(last, last.lower())])

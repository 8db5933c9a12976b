"""What the pages of forms, reflections and plain mode show is what happens."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from ccq_tui.forms.commits import RECORDS, REFLECTION
from ccq_tui.forms.document import FormDocument, QuestionDocument
from ccq_tui.forms.reading import find_form
from ccq_tui.processes import this_process
from tests.ten import records
from tests.unit.stocked import RUNNING, SESSION, asked, stock

DOCS = Path(__file__).parents[3] / "docs"
PAGES = {name: (DOCS / f"{name}.md").read_text("utf-8") for name in ("ask", "forms", "plain", "reflect")}
FILES = {"ask": ["release.toml"], "forms": ["release.toml", "wrong.toml", "answers.toml"]}
PATH = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
OF_A_RUN = ("id", "started", "finished")


def shown(page: str, language: str) -> list[str]:
    found: list[str] = re.findall(rf"```{language}\n(.*?)```", PAGES[page], re.DOTALL)
    return found


@pytest.mark.parametrize("page", PAGES)
def test_the_examples_run_in_their_order(page: str, repo: Path) -> None:
    for name, text in zip(FILES.get(page, []), shown(page, "toml"), strict=True):
        (repo / name).write_text(text, "utf-8")
    wanted: dict[str, Any] = {}
    if page in ("forms", "reflect"):
        (wanted,) = map(json.loads, shown(page, "json"))
    examples = shown(page, "console")
    if page == "reflect":
        assert set(wanted["answers"]) == set(find_form(REFLECTION).names)
        (repo / RECORDS).write_text(f"{json.dumps(wanted)}\n", "utf-8")
    elif page == "plain":
        examples = [one for one in examples if "ccq-tui inbox" in one]  # a test of sessions runs the demo
        stock(datetime(2026, 1, 31, 12, 0, tzinfo=UTC))
        with asked() as store:
            store.sessions.upsert(SESSION, str(repo))
            store.sessions.release(RUNNING, this_process())  # and with it what it waits for
    assert len(examples) == {"ask": 3, "forms": 2, "plain": 1, "reflect": 2}[page]
    for lines in map(str.splitlines, examples):
        script = "\n".join(line.removeprefix("$ ") for line in lines if line.startswith("$ "))
        done = subprocess.run(
            ["bash", "-c", f"exec 2>&1\n{script}"], env=os.environ | {"PATH": PATH}, cwd=repo,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100,
        )  # fmt: skip
        assert done.stdout.splitlines() == [line for line in lines if not line.startswith("$ ")]
        assert (done.returncode == 2) == ("\nError: " in "\n".join(lines))
    if page == "forms":
        (record,) = records(repo / "releases.jsonl")
        assert record | {name: wanted[name] for name in OF_A_RUN} == wanted


def test_every_field_is_explained() -> None:
    rows = "".join(re.findall(r"(?m)^\| (`.*?)$", PAGES["forms"]))
    names = {one.name for document in (FormDocument, QuestionDocument) for one in fields(document)}
    assert {name for name in names if f"`{name}`" not in rows} == set()


def test_every_option_of_a_reflection_is_listed() -> None:
    questions = find_form(REFLECTION).questions.questions
    options = [one.label for place, each in enumerate(questions) if place != 6 for one in each.options]
    assert [one for one in options if one not in PAGES["reflect"]] == []

"""Form files and flat JSON Schemas, every mistake with its place; what docs show of them; and records."""

import io
import json
import os
import re
import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import pytest
from pydantic import TypeAdapter

from ccq_tui.config.paths import config_dir
from ccq_tui.forms.commits import RECORDS, REFLECTION
from ccq_tui.forms.reading import FormFileError, find_form, form_of, form_schema, read_form
from ccq_tui.forms.record import RecordDocument, record_for, record_schema
from ccq_tui.inbox.requests import FormRequest
from ccq_tui.inbox.store.rows import RequestState, StoredRequest
from ccq_tui.processes import this_process
from ccq_tui.questions import Answer, Answered, FieldRules, Kind, Option
from ccq_tui.questions.model import Condition
from tests.tables import each_row, table
from tests.ten import records
from tests.unit.stocked import RUNNING, SESSION, asked, stock

RELEASE = Path(__file__).with_name("release.toml").read_text(encoding="utf-8")


def test_a_form_file_is_read() -> None:
    form = read_form(RELEASE, "release.toml")
    assert (form.questions.id, form.names[0]) == ("release", "kind")
    assert (form.questions.title, form.questions.intro, form.questions.is_form) == (
        "Release notes",
        "For the people who use it.\nmain is frozen",
        True,
    )
    kind, why, areas, shards, sure, _ = form.questions.questions
    assert kind.options == (Option("Major"), Option("Minor", "features"), Option("Patch, small"))
    assert form.values == (("x", "Minor", "Patch, small"), (), ("API", "Docs"), (), (True, False), ())
    rules = [one.field or FieldRules() for one in form.questions.questions]
    assert [(one.required, one.one_line, one.skippable) for one in rules] == [
        *((True, False, True), (False, True, True), (True, False, True)),
        *((True, True, True), (True, False, True), (False, False, True)),
    ]
    assert [one.preset for one in rules] == [("Major",), (), ("Docs",), ("3",), (), ()]
    assert (why.kind, why.header, why.description, why.placeholder) == (
        *(Kind.TEXT, "Reason", "One line for the changelog.", "it breaks …"),
    )
    assert (rules[1].fewest, rules[1].most, rules[1].pattern) == (3, 80, "^[a-z]")
    assert (kind.closed, areas.closed, areas.multi_select, rules[2].most) == (True, False, True, 2)
    assert (shards.kind, shards.minimum, shards.maximum, rules[3].number) == (Kind.NUMBER, 1, 9, "integer")
    assert (shards.header, [option.label for option in sure.options]) == ("Shards", ["Yes", "No"])
    assert [one.when for one in form.questions.questions] == [
        *(None, Condition(0, "Major"), None),
        *(Condition(2, "API", contains=True), None, Condition(4, "No")),
    ]


def test_a_document_stays_the_same_in_json_and_is_read_again() -> None:
    form = read_form(RELEASE, "release.toml")
    again = read_form(json.dumps(form.document), "a name without a suffix")
    assert again == form
    assert form_of(json.loads(json.dumps(again.document))) == form
    assert read_form(("\ufeff" + RELEASE).encode(), "standard input") == form, "as some editors write it"


def test_forms_are_found_by_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    built_in = find_form("commit-reflection")
    assert [(one.kind, one.multi_select, one.required) for one in built_in.questions.questions] == [
        *[(Kind.CHOICE, False, True)] * 5,
        (Kind.TEXT, False, True),
        (Kind.CHOICE, True, False),
        *[(Kind.TEXT, False, False)] * 2,
        (Kind.CHOICE, False, True),
    ]
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FormFileError, match=r"^mine: no form has this name; there are commit-reflection"):
        find_form("mine")
    own = config_dir() / "forms"
    own.mkdir(parents=True)
    (own / "mine.toml").write_text(RELEASE, "utf-8")
    (own / "commit-reflection.json").write_text(json.dumps(find_form("mine").document), "utf-8")
    assert {find_form(one).questions.id for one in ("mine", "commit-reflection")} == {"release"}, (
        "one's own come first"
    )
    with pytest.raises(FormFileError, match="there are commit-reflection, mine; a path has its suffix"):
        find_form("other")
    (tmp_path / "mine.toml").write_text(RELEASE.replace('"release"', '"here"'), "utf-8")
    assert {find_form(one).questions.id for one in ("mine.toml", "./mine.toml")} == {"here"}
    (tmp_path / "no suffix").write_text(RELEASE, "utf-8")
    assert find_form(str(tmp_path / "no suffix")).questions.id == "release"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(RELEASE.encode())))
    assert find_form("-").questions.id == "release"
    for name, text in (
        ("./gone.toml", "cannot be read: No such file"),
        (".", "cannot be read: Is a directory"),
    ):
        with pytest.raises(FormFileError, match=re.escape(f"{name}: {text}")):
            find_form(name)


TEXT = {"id": "a", "text": "A?", "kind": "text"}
MISTAKES = table(__file__, "mistakes.json")
"""Questions, and what is said of them."""


@each_row(
    *MISTAKES,
    ([TEXT] * 101, "s: is longer than 100 entries"),
    ([TEXT | {"text": "x" * 10_001}], " 1, text: is longer than 10,000 characters"),
)
def test_every_mistake_is_named_with_its_place(questions: list[Any], text: str) -> None:
    with pytest.raises(FormFileError) as caught:
        form_of({"id": "f", "questions": questions}, "f.toml")
    assert str(caught.value).splitlines() == [f"f.toml: question{line}" for line in text.split("|")]


@each_row(
    *table(__file__, "no_form.json"),
    ("[" * 100 + "]" * 100, "f.json", "f.json: is not JSON: it is nested more than 64 levels deep"),
    (b"\xff", "f", "f: is not UTF-8 text: invalid start byte"),
    ("#" * 200_001, "f", "f: is larger than 200,000 bytes"),
)
def test_what_is_no_form_is_refused_with_file_and_line(text: str | bytes, name: str, line: str) -> None:
    with pytest.raises(FormFileError) as caught:
        read_form(text, name)
    assert str(caught.value) == line


def test_the_schema_of_form_files_names_every_field() -> None:
    schema = form_schema()
    written = read_form(RELEASE, "release.toml").document
    assert set(written) == set(schema["properties"])
    asked = {name for one in written["questions"] for name in one}
    assert asked | {"min_choices"} == set(schema["$defs"]["QuestionDocument"]["properties"])


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


FORM = read_form(RELEASE, "release.toml")
REQUEST = FormRequest("call", "asker", FORM.questions, FORM.document, {"commit": "3f2a"}, "out.jsonl")
STARTED = datetime(2026, 1, 31, 12, 0, 0, 999_999, timezone(timedelta(hours=2)))


def record(*answers: Answer) -> dict[str, Any]:
    finished = datetime(2026, 1, 31, 10, 5, tzinfo=UTC)
    state, outcome = RequestState.ANSWERED, Answered(answers)
    return record_for(StoredRequest(1, REQUEST, "", state, STARTED, outcome=outcome, settled_at=finished))


def answers_of(*answers: Answer) -> dict[str, object]:
    given = record(*answers)
    TypeAdapter(RecordDocument).validate_python(given, strict=True)
    assert {name: value for name, value in given.items() if name != "answers"} == {
        "schema_version": 1,
        "form": "release",
        "form_version": "3",
        "id": str(uuid5(NAMESPACE_URL, f"{REQUEST.id} {STARTED.isoformat()}")),
        "started": "2026-01-31T10:00:00Z",
        "finished": "2026-01-31T10:05:00Z",
        "context": {"commit": "3f2a"},
    }
    return dict(given["answers"])


def test_every_kind_of_answer_has_its_value_and_label() -> None:
    given = answers_of(
        Answer(("Major",)),
        Answer(other="it breaks"),
        Answer(("API",), "CLI"),
        Answer(other=" 5 "),
        Answer(("No",)),
        Answer(other="two\nlines"),
    )
    assert list(given) == list(FORM.names), "in the form's order"
    assert given == {
        "kind": {"value": "x", "label": "Major"},
        "why": {"value": "it breaks"},
        "areas": {"values": ["API", "CLI"], "labels": ["API", "CLI"], "other": "CLI"},
        "shards": {"value": 5},
        "sure": {"value": False, "label": "No"},
        "notes": {"value": "two\nlines"},
    }


def test_a_skipped_question_is_null_and_a_hidden_one_is_not_there() -> None:
    # The answers to hidden questions are kept aside, and are not recorded.
    given = answers_of(
        *(Answer(("Minor",)), Answer(other="kept aside"), Answer(empty=True), Answer(other="5")),
        *(Answer(("No",)), Answer()),
    )
    assert given == {
        "kind": {"value": "Minor", "label": "Minor"},
        "areas": {"values": [], "labels": []},
        "sure": {"value": False, "label": "No"},
        "notes": None,
    }


def test_the_schema_of_records_names_their_fields() -> None:
    assert set(record_schema()["properties"]) == set(record(*[Answer()] * 6))

"""Everything that is printed as JSON has the public schema, and all that is read as an answer."""

from __future__ import annotations

import json
from pathlib import Path
from shutil import copyfile

import pytest
from click.testing import CliRunner
from hypothesis import given
from pydantic import TypeAdapter

from ccq_tui.cli.main import cli
from ccq_tui.config.paths import inbox_path
from ccq_tui.inbox import schema
from ccq_tui.inbox.answer_json import load_answer
from ccq_tui.inbox.draft import first_draft
from ccq_tui.inbox.format import how_to_answer
from ccq_tui.inbox.kinds import KINDS, kind_of, parse_outcome
from ccq_tui.inbox.records import outcome_record
from ccq_tui.inbox.requests import Request, RequestOutcome
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.verdicts import InvalidOutcome
from tests.unit.inbox import made
from tests.unit.stocked import CACHE, FEATURES, FULL, PERMISSION, PLAN, asked, id_of, stock

DATABASE = Path(__file__).parent / "databases" / "version_3" / "inbox.db"


def checked(document: object, words: list[str]) -> dict[str, object]:
    """Return what a command prints, checked: everything in the schema is there, and nothing else."""
    done = CliRunner().invoke(cli, words)
    assert done.exit_code == 0, done.output
    printed = json.loads(done.output)
    parsed = TypeAdapter(document).validate_python(printed)
    assert json.loads(json.dumps(parsed)) == printed, "something that the schema does not name"
    return printed


def test_what_commands_print_has_the_schema() -> None:
    stock()
    assert CliRunner().invoke(cli, ["answer", FEATURES, *FULL]).exit_code == 0
    assert CliRunner().invoke(cli, ["answer", PLAN, "--choose", "2"]).exit_code == 0
    for name in (CACHE, FEATURES, PERMISSION, PLAN):
        checked(schema.ShownDocument, ["show", name, "--json"])
    assert checked(schema.WaitingDocument, ["inbox", "--json"])["requests"]
    assert checked(schema.SessionsDocument, ["sessions", "--json"])["sessions"]
    assert checked(schema.HistoryDocument, ["history", "--json"])["changes"]
    assert checked(schema.StatisticsDocument, ["stats", "--json"])["statistics"]


def test_what_an_older_version_wrote_has_the_schema() -> None:
    inbox_path().parent.mkdir(parents=True, exist_ok=True)
    copyfile(DATABASE, inbox_path())
    store = Store(inbox_path())
    names = store.ids.requests()
    store.close()
    assert len(names) == 13
    for name in names:
        checked(schema.ShownDocument, ["show", name, "--json"])
    checked(schema.HistoryDocument, ["history", "--json"])


@given(made.outcomes)
def test_every_outcome_has_the_schema(outcome: RequestOutcome) -> None:
    record = json.loads(json.dumps(outcome_record(outcome)))
    assert TypeAdapter(schema.OutcomeRecord).validate_python(record) == record


@given(made.requests)
def test_every_request_has_a_kind_that_says_all_of_it(request: Request) -> None:
    kind = kind_of(request)
    assert kind in KINDS
    assert kind.same(request, request)
    assert first_draft(request).outcome is None
    assert kind.title(request)
    assert next(iter(kind.plain_text(request, None))) == ""
    assert "ccq-tui answer NAME" in how_to_answer(request, "NAME")[0]
    kind.check(request, kind.REFUSAL)
    json.dumps(kind.record(request))


@pytest.mark.parametrize(
    ("name", "given_", "fits"),
    [
        (CACHE, {"answers": [{"selected": [2], "note": "small"}]}, True),
        (CACHE, {"version": 1, "answers": [{"other": "mine"}]}, True),
        (CACHE, {"discuss": "Why?"}, True),
        (PLAN, {"choice": 1}, True),
        (PLAN, {"choice": 4, "note": "and tests"}, True),
        (CACHE, {"version": 2, "discuss": "Why?"}, False),
        (CACHE, {"discuss": ""}, False),
        (CACHE, {"discuss": 5}, False),
        (CACHE, {"answers": {}}, False),
        (CACHE, {"answers": [{"chosen": 2}]}, False),
        (PLAN, {"choice": "y"}, False),
        (PLAN, {"choice": 1, "why": "so"}, False),
    ],
)
def test_an_answer_is_read_where_it_has_the_schema(name: str, given_: object, fits: bool) -> None:
    stock()
    with asked() as store:
        stored = store.requests.get(id_of(name))
    assert stored is not None
    text = json.dumps(given_)
    adapter = TypeAdapter(schema.Given)
    if fits:
        adapter.validate_json(text)
        parse_outcome(stored.request, load_answer(text))
    else:
        with pytest.raises(ValueError, match="validation error"):
            adapter.validate_json(text, strict=True)
        with pytest.raises(InvalidOutcome):
            parse_outcome(stored.request, load_answer(text))


def test_the_schema_is_printed_with_everything_in_it() -> None:
    done = CliRunner().invoke(cli, ["schema"])
    assert done.exit_code == 0
    printed = json.loads(done.output)
    for name in ("QuestionSetRecord", "PermissionRecord", "PlanRecord", "ChangeRecord", "GivenAnswers"):
        assert name in printed["$defs"]
    assert {kind.WORD for kind in KINDS} == {
        printed["$defs"][name]["properties"]["kind"]["const"]
        for name in ("QuestionSetRecord", "PermissionRecord", "PlanRecord", "ElicitationRecord")
    }

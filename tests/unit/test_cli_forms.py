"""Forms from the shell, of MCP servers and our own: shown, filled in, declined, dismissed."""

from __future__ import annotations

import io
import json
import sys
from typing import Any

import pytest

from ccq_tui.cli import main
from ccq_tui.forms.interviews import answer, begin
from ccq_tui.forms.reading import form_of
from ccq_tui.inbox.kinds import reply_to
from ccq_tui.inbox.requests import Asker, ElicitationRequest, FormRequest, Origin, RequestOutcome
from ccq_tui.inbox.store.rows import StoredRequest
from ccq_tui.questions import Answer, Answered, Declined, Dismissed, QuestionSet
from tests.actors import PHONE
from tests.unit.questions.drive import RELEASE
from tests.unit.starting import Cli
from tests.unit.stocked import RUNNING, asked, stock

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "title": "Your name", "minLength": 2},
        "count": {"type": "integer", "minimum": 1, "default": 3},
        "sure": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string", "enum": ["x", "y", "z"]}, "maxItems": 2},
    },
    "required": ["name"],
}


def put(**more: Any) -> None:
    """Fill the inbox, a form among what waits."""
    stock()
    with asked() as store:
        given = {"schema": SCHEMA} | more
        store.requests.add(ElicitationRequest("elicitation_1", RUNNING, "deploy", "Details?", **given))


def stored(request: str = f"elicitation_1@{RUNNING}") -> StoredRequest:
    with asked() as store:
        found = store.requests.get(request)
    assert found is not None
    return found


def content(outcome: RequestOutcome | None) -> Any:
    assert outcome is not None
    return reply_to(stored().request, outcome, {}).input


def test_a_form_is_listed_and_shown(capsys: pytest.CaptureFixture[str], ccq: Cli) -> None:
    put()
    assert "deploy: Details?" in ccq("inbox")
    said = ccq("show", "elicitation_1")
    assert "Kind     elicitation" in said
    for line in (
        "deploy asks: Details?",
        "1  Your name (a text, at least 2 characters)",
        "2  count (a whole number, at least 1 · optional · proposed: 3)",
        "3  sure (choose one · optional)",
        "4  tags (at most 2 options · optional)",
        "To answer: ccq-tui answer elicitation_1",
        "ccq-tui decline elicitation_1 --dismiss",
    ):
        assert line in said, line
    assert main(["show", "elicitation_1", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)["request"]
    assert (record["kind"], record["server"], record["mode"]) == ("elicitation", "deploy", "form")
    assert record["requested_schema"] == SCHEMA
    assert [one["text"] for one in record["questions"]] == ["Your name", "count", "sure", "tags"]


def test_a_form_is_filled_in_by_flags(ccq: Cli) -> None:
    put()
    for words, problem in (
        ("--other 1=A", "question 1: Your name: too short: at least 2 characters, not 1"),
        ("--choose 3=1", "question 1: no answer: --other takes a text, at least 2 characters."),
        (
            "--other 1=Ada --other 3=no",
            "question 3: sure: it takes one of its options, and no text of your own",
        ),
        ("--other 1=Ada --choose 4=1,2,3", "choose at most 2, not 3"),
        ("--discuss why?", ""),
    ):
        assert problem in ccq("answer", "elicitation_1", *words.split(), code=2)
    assert stored().outcome is None
    words = "--other 1=Ada --other 2=5 --choose 3=2 --choose 4=1,3"
    assert "elicitation_1: answered." in ccq("answer", "elicitation_1", *words.split())
    assert content(stored().outcome) == {"name": "Ada", "count": 5, "sure": False, "tags": ["x", "z"]}


def test_values_in_json_are_the_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    put()
    values = {"name": "Ada", "count": 5, "sure": True, "tags": []}
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps({"content": values}).encode())))
    assert main(["answer", "elicitation_1", "--json", "-"]) == 0
    assert content(stored().outcome) == values


@pytest.mark.parametrize(
    ("flags", "outcome", "state"), [([], Declined(), "declined"), (["--dismiss"], Dismissed(), "dismissed")]
)
def test_a_form_is_declined_or_dismissed(
    flags: list[str], outcome: RequestOutcome, state: str, capsys: pytest.CaptureFixture[str], ccq: Cli
) -> None:
    put(schema={"type": "array"})
    assert main(["answer", "elicitation_1", "--choose", "1"]) == 2
    assert (
        "it cannot be filled in: its schema is not that of an object; decline or dismiss"
        in capsys.readouterr().err
    )
    assert f"elicitation_1: {state}." in ccq("decline", "elicitation_1", *flags)
    assert (stored().outcome, stored().state) == (outcome, state)
    assert main(["history", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["changes"][-1]["to"] == state
    assert state.capitalize() in ccq("show", "elicitation_1")


def test_nothing_but_a_form_is_dismissed(ccq: Cli) -> None:
    put()
    assert "cannot end as “dismissed”" in ccq("decline", "toolu_01C", "--dismiss", code=2)


def test_a_link_is_accepted_and_printed(ccq: Cli) -> None:
    put(schema={}, url="https://example.com/a", host="example.com")
    assert "It leads to example.com" in ccq("show", "elicitation_1")
    assert "Open it yourself: https://example.com/a" in ccq("answer", "elicitation_1", "--choose", "1")


FORM = FormRequest(
    "form_1",
    "release",
    QuestionSet("release", RELEASE, "Release notes", intro="For 1.0", is_form=True),
    context={"version": "1.0"},
    origin=Origin(Asker.FORM, "release"),
)


@pytest.fixture(name="form")
def _form() -> None:
    with asked() as store:
        store.requests.add(FORM)


@pytest.mark.usefixtures("form")
def test_a_form_of_ours_is_shown_with_its_conditions(capsys: pytest.CaptureFixture[str], ccq: Cli) -> None:
    assert "Release notes" in ccq("inbox")
    said = ccq("show", "form_1")
    for line in (
        "\n\nRelease notes\n  For 1.0\n  version: 1.0",
        "1  Kind (choose one)",
        "2  Why (a text · asked only where the answer to 1 is “Major”)",
        "3  How sure (a number · optional · asked only where the answer to 2 has “api”)",
        "4  Notes (a text · optional)",
        "To answer: ccq-tui answer form_1",
        "ccq-tui decline form_1 --dismiss",
    ):
        assert line in said, line
    assert main(["show", "form_1", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)["request"]
    assert (record["kind"], record["about"]) == ("form", {"version": "1.0"})
    kind, why, sure, notes = record["questions"]
    assert [one["required"] for one in record["questions"]] == [True, True, False, False]
    assert (why["when"], sure["when"]) == (
        {"question": 1, "equals": "Major", "options": [1]},
        {"question": 2, "contains": "api"},
    )
    assert ("when" in kind, notes["allowed"]) == (False, "optional")


def test_a_form_that_an_mcp_client_fills_in_is_named_under_the_list(ccq: Cli) -> None:
    form = form_of({"id": "tag", "questions": [{"id": str(n), "text": "?", "kind": "text"} for n in (1, 2)]})
    request = FormRequest("1", "1", form.questions, form.document, origin=Origin(Asker.MCP, "Codex"))
    with asked() as store:
        begin(store, request)
        answer(store, "1", "v1", "1", PHONE)
    said = "Codex fills in “tag” with you in its own conversation: 1 of 2 answered."
    assert ccq("inbox").splitlines() == ["Nothing waits.", "", said]


@pytest.mark.usefixtures("form")
def test_a_form_of_ours_takes_answers_to_what_it_asks_alone(ccq: Cli) -> None:
    for words, problem in (
        ("--other 2=because", "question 1: no answer: choose 1 to 2."),
        ("--choose 1=1", "question 2: Why: the form needs this: --other takes a text."),
        ("--choose 1=2 --other 2=x", "question 2: Why: it is not asked, given the answers before it"),
        ("--choose 1=1 --other 2=x --other 3=5", "question 3: How sure: it is not asked"),
        ("--choose 1=1 --other 2=api --other 3=many", "question 3: How sure: not a number"),
        ("--choose 1=2 --note 1=well", "question 1: Kind: a form takes no notes"),
    ):
        assert problem in ccq("answer", "form_1", *words.split(), code=2), words
    assert stored(FORM.id).outcome is None
    words = "--choose 1=1 --other 2=api --other 3=N/A --other 4=skip"
    assert "form_1: answered." in ccq("answer", "form_1", *words.split())
    assert stored(FORM.id).outcome == Answered((Answer(("Major",)), Answer(other="api"), Answer(), Answer()))
    assert "4  Notes (a text · optional)\n   → skipped" in ccq("show", "form_1")

"""Public JSON: what is printed and published only grows, and an answer means what the table says."""

import json
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx2 as httpx
import pytest
from pydantic import TypeAdapter, ValidationError

from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.kinds import parse_outcome
from ccq_tui.inbox.records import outcome_record
from ccq_tui.inbox.requests import Allowed, PermissionRequest, QuestionRequest
from ccq_tui.inbox.schema import Given
from ccq_tui.inbox.verdicts import InvalidOutcome
from ccq_tui.questions import Answer, Answered, Option, Question, QuestionSet
from ccq_tui.remote.publication import read_answer
from tests.tables import each_row
from tests.unit.answering.asking import REQUESTS, ROWS, as_json, entered, words
from tests.unit.answering.documents import documents

RECORDED = json.loads(Path(__file__).with_name("documents.json").read_text(encoding="utf-8"))
GIVEN = TypeAdapter(Given)


@each_row(*ROWS)
def test_an_answer_means_what_the_table_says(name: str, given_: str, wanted: str) -> None:
    by, _, text = given_.partition(" ")
    request = REQUESTS[name]
    if by == "P":
        text = json.dumps(as_json(request, entered(text)))
    try:
        came = words(read_answer(json.loads(text), request) if by == "D" else parse_outcome(request, text))
    except InvalidOutcome as error:
        came = f"✗ {error}"
    if by == "P" and wanted.startswith("✗"):  # with words of its own, and no place
        assert came.startswith("✗")
    else:
        assert came.replace("\n", "↵") == wanted or (wanted.endswith(":") and came.startswith(wanted))
    assert fits(text) == (by != "S")


def fits(text: str) -> bool:
    """Whether an answer has the public schema, which cannot say what each request takes."""
    try:
        GIVEN.validate_json(text, strict=True)
    except ValidationError:
        return False
    return True


@each_row(
    ("[" * 100_000, "it is nested too deeply"),
    (f'{{"version": {"9" * 9_999}}}', "it cannot be read: Exceeds the limit"),
    (b"x" * 5_000_001, "it has more than 5,000,000 bytes"),
)
def test_what_is_too_much_is_refused(text: str | bytes, reason: str) -> None:
    with pytest.raises(InvalidOutcome, match=reason):
        parse_outcome(REQUESTS["cache"], text)


def test_what_show_prints_can_be_given_again() -> None:
    typed = Answer(("Auth",), "x", "n", unselected="typed")
    outcome = Answered((typed, Answer(other="4"), Answer(other="api")))
    printed = json.dumps({"answers": (outcome_record(outcome) or {})["answers"]})
    assert words(parse_outcome(REQUESTS["features"], printed)) == words(outcome)


def grown(was: Any, now: Any) -> Any:
    """Return what a document is now, without what was added to it."""
    if isinstance(was, dict) and isinstance(now, dict):
        return {name: grown(was[name], now.get(name)) for name in was}
    if isinstance(was, list) and isinstance(now, list) and len(was) == len(now):
        return [grown(*pair) for pair in zip(was, now, strict=True)]
    return now


def test_what_was_printed_and_published_only_grew() -> None:
    now = json.loads(json.dumps(documents(), default=str))
    assert grown(RECORDED, now) == RECORDED


# -- the example of another surface: one module over document, grammar, interview and open request -----------


EXAMPLE = Path(__file__).parents[3] / "docs/examples/web_form.py"
HERE = "http://127.0.0.1:8123"
NUMBERS = Question("How many?", "Count", (Option("2"), Option("3", "the <b>usual</b>"), Option("4")))
STORE = Question("Which store?", "Store", (Option("Redis"), Option("SQLite")))


def example() -> Any:
    spec = spec_from_file_location("web_form", EXAMPLE)
    spec.loader.exec_module(module := module_from_spec(spec))
    return module


async def test_a_surface_of_one_module_asks_and_settles_as_all_others(tmp_path: Path) -> None:
    inbox = await Inbox.connect(tmp_path / "inbox.db")
    transport = httpx.ASGITransport(app=example().WebForms(inbox).app)
    async with (
        httpx.AsyncClient(transport=transport, base_url=HERE, headers={"origin": HERE}) as web,
        inbox.asking(QuestionRequest("q1", "s", QuestionSet("q1", (NUMBERS, STORE)))) as asked,
        inbox.asking(PermissionRequest("p1", "s", "Bash", {"command": "ls <x>"})) as permission,
    ):
        await asked.added()
        await permission.added()
        question, command = quote(asked.request.id), quote(permission.request.id)

        async def sent(name: str, answer: str, **headers: str) -> httpx.Response:
            return await web.post(f"/{name}", data={"answer": answer}, headers=headers)

        listed = (await web.get("/")).text
        assert (listed.count("<li>"), f'<a href="/{question}">How many?</a>' in listed) == (2, True)
        shown = (await web.get(f"/{question}")).text
        assert "b  3: the &lt;b&gt;usual&lt;/b&gt;" in shown
        assert "Nothing was sent: " in (await sent(question, "1")).text, "a number that misleads is no option"
        assert (await sent(question, "2")).status_code == 303
        assert "Which store?" in (await web.get(f"/{question}")).text
        assert (await sent(question, "own words")).headers["location"] == "/"
        assert await asked.outcome() == Answered((Answer(("2",)), Answer(other="own words")))
        assert "command: ls &lt;x&gt;" in (await web.get(f"/{command}")).text
        assert (await sent(command, "y", origin="http://evil.example")).status_code == 403
        assert (await web.get(f"/{command}", headers={"host": "evil.example"})).status_code == 400
        assert permission.is_pending
        await sent(command, "y")
        assert await permission.outcome() == Allowed()
        assert (await web.get(f"/{command}")).headers["location"] == "/"
    await inbox.close()

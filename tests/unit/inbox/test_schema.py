"""What is printed and kept as JSON: its public schema, names of actors, kinds, and the way back from it."""

import io
import json
import re
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import copyfile
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from ccq_tui.answering.document import Passage, PassageKind
from ccq_tui.cli import main
from ccq_tui.cli.main import cli
from ccq_tui.config.paths import inbox_path
from ccq_tui.inbox import kinds, schema
from ccq_tui.inbox.actors import WITHDRAWN, Actor, Surface
from ccq_tui.inbox.draft import first_draft
from ccq_tui.inbox.format import how_to_answer
from ccq_tui.inbox.kinds import KINDS, kind_of, outcome_of
from ccq_tui.inbox.kinds.decisions import permission_asked
from ccq_tui.inbox.records import outcome_record
from ccq_tui.inbox.requests import (
    Allowed,
    AskedCall,
    Asker,
    Denied,
    Origin,
    PermissionRequest,
    PlanRequest,
    QuestionRequest,
    Request,
    RequestOutcome,
)
from ccq_tui.inbox.store import encoding
from ccq_tui.inbox.store.drafts import KEPT_OPEN, draft_to_json, with_draft
from ccq_tui.inbox.store.store import Store
from ccq_tui.processes import Owner
from ccq_tui.questions import Declined, Kind, Option, Question, QuestionSet
from ccq_tui.questions.events import Event, Pressed, TextChanged
from ccq_tui.questions.machine import step
from ccq_tui.questions.state import Focus, PanelState, opened, resting_focus
from tests.actors import COMMAND, ELSEWHERE, INBOX, LIMIT, PANEL, PHONE
from tests.hostile import FORBIDDEN
from tests.tables import each_row
from tests.unit.inbox import made
from tests.unit.stocked import CACHE, FEATURES, FULL, PERMISSION, PLAN, stock

COMMANDS = [("inbox", "requests"), ("sessions", "sessions"), ("history", "changes")]
DATABASE = Path(__file__).parent / "databases" / "version_8" / "inbox.db"


SCHEMA = schema.json_schema()
for one in SCHEMA["$defs"].values():
    if "properties" in one:
        one["additionalProperties"] = False
PRINTED = Draft202012Validator(SCHEMA)
OUTCOME = Draft202012Validator({"$ref": "#/$defs/OutcomeRecord", "$defs": SCHEMA["$defs"]})


def checked(words: list[str]) -> dict[str, Any]:
    """Return what a command prints, checked: everything in the schema is there, and nothing else."""
    done = CliRunner().invoke(cli, words)
    assert done.exit_code == 0, done.output
    printed: dict[str, Any] = json.loads(done.output)
    PRINTED.validate(printed)
    return printed


def test_what_commands_print_has_the_schema() -> None:
    stock()
    assert CliRunner().invoke(cli, ["answer", FEATURES, *FULL]).exit_code == 0
    assert CliRunner().invoke(cli, ["answer", PLAN, "--choose", "2"]).exit_code == 0
    for name in (CACHE, FEATURES, PERMISSION, PLAN):
        checked(["show", name, "--json"])
    for command, field in COMMANDS:
        assert checked([command, "--json"])[field]


def test_what_an_earlier_program_wrote_has_the_schema() -> None:
    inbox_path().parent.mkdir(parents=True, exist_ok=True)
    copyfile(DATABASE, inbox_path())
    store = Store(inbox_path())
    names = store.ids.requests()
    store.close()
    assert len(names) == 19
    for name in names:
        checked(["show", name, "--json"])
    checked(["history", "--json"])


@given(made.outcomes)
def test_every_outcome_has_the_schema(outcome: RequestOutcome) -> None:
    OUTCOME.validate(json.loads(json.dumps(outcome_record(outcome))))


@given(made.requests)
def test_every_request_has_a_kind_that_says_all_of_it(request: Request) -> None:
    kind = kind_of(request)
    assert kind in KINDS
    assert kind.same(request, request)
    assert first_draft(request).outcome is None
    assert kind.title(request)
    assert next(iter(kind.document(request, None))).part is PassageKind.HEAD
    assert "ccq-tui answer NAME" in how_to_answer(request, "NAME")[0]
    kind.check(request, outcome_of(request, Declined()))
    json.dumps(kind.record(request))


def test_the_schema_is_printed_with_everything_in_it() -> None:
    done = CliRunner().invoke(cli, ["schema"])
    assert done.exit_code == 0
    printed = json.loads(done.output)
    for name in ("QuestionSetRecord", "PermissionRecord", "PlanRecord", "ChangeRecord", "GivenAnswers"):
        assert name in printed["$defs"]
    assert {kind.WORD for kind in KINDS} == {
        printed["$defs"][name]["properties"]["kind"]["const"]
        for name in ("QuestionSetRecord", "PermissionRecord", "PlanRecord", "ElicitationRecord", "FormRecord")
    }


texts = st.text(st.characters(), max_size=12)
owners = st.builds(Owner, st.integers(1, 10**6), texts)
actors = st.builds(Actor, st.sampled_from(Surface), texts, st.none() | owners, texts)


@each_row(
    (PANEL, "in its session", "in its session"),
    (INBOX, "in the inbox", "in the inbox"),
    (ELSEWHERE, "in another terminal", "in its session"),
    (Actor(Surface.INBOX, process=Owner(1, "x")), "in another terminal", "in the inbox"),
    (Actor(Surface.PANEL), "in its session", "in its session"),
    (COMMAND, "by ccq-tui answer", "by ccq-tui answer"),
    (PHONE, "on phone", "on phone"),
    (Actor(Surface.DEVICE), "on another device", "on another device"),
    (Actor(Surface.HOOK, "format"), "by the hook format", "by the hook format"),
    (Actor(Surface.ASKER, "Claude Code"), "in Claude Code", "in Claude Code"),
    (Actor(Surface.ASKER), "where it was asked", "where it was asked"),
    (Actor(Surface.PROGRAM), "by another program", "by another program"),
    (LIMIT, "by its time limit", "by its time limit"),
    (WITHDRAWN, "by its session", "by its session"),
)
def test_where_it_was_answered(actor: Actor, here: str, anywhere: str) -> None:
    assert (actor.where_from_here, actor.where) == (here, anywhere)


@given(actors)
def test_any_actor_is_kept_and_its_words_are_harmless(actor: Actor) -> None:
    assert encoding.actor_from_json(encoding.actor_to_json(actor)) == actor
    assert not FORBIDDEN.search(actor.where)
    assert "\n" not in actor.where


def test_nobody_a_newer_surface_and_nonsense_are_read_too() -> None:
    assert encoding.actor_from_json(encoding.actor_to_json(None)) is None
    newer = {"v": 2, "surface": "watch", "name": "wrist", "pulse": 60}
    assert encoding.actor_from_json(json.dumps(newer)) == Actor(Surface.PROGRAM, "wrist")
    for nonsense in ("panel", "[]", '{"surface": "panel", "name": 5}', '{"process": "7"}'):
        assert encoding.actor_from_json(nonsense) == Actor(Surface.PROGRAM)
    long = encoding.actor_from_json(encoding.actor_to_json(Actor(Surface.DEVICE, "x" * 1000)))
    assert long == Actor(Surface.DEVICE, "x" * encoding.MOST_NAME)


@dataclass(frozen=True, slots=True)
class BookingRequest(AskedCall):
    """A request of a kind that nothing else knows."""

    room: str


YES_OR_NO = permission_asked(PermissionRequest("", "", "Book", {}, origin=Origin(Asker.MCP)))
BOOKING = SimpleNamespace(
    WORD="booking", NOUN="decision", TYPE=BookingRequest, OUTLIVES=True, EXPIRES=False,
    CALLED="a booking", ENDS=(Allowed, Denied),
    same=lambda one, other: one.room == other.room,
    check=lambda *_: None,
    asked=lambda _: YES_OR_NO,
    title=lambda _: "booking",
    summary=lambda request: f"Book {request.room}?",
    document=lambda request, _: [Passage(PassageKind.HEAD, f"Room {request.room}")],
    record=lambda request: {"room": request.room},
)  # fmt: skip


def test_a_kind_of_its_own_is_kept_listed_shown_and_answered(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(kinds.BY_TYPE, BookingRequest, BOOKING)
    monkeypatch.setitem(kinds.TYPES, "booking", BookingRequest)
    store = Store(inbox_path())
    for call in ("blue", "red", "green"):
        store.requests.add(BookingRequest(call, "desk", call, origin=Origin(Asker.FORM, "Front desk")))
    assert main(["inbox", "--plain"]) == 0
    assert "Book blue?" in capsys.readouterr().out
    assert main(["show", "blue"]) == 0
    shown = capsys.readouterr().out
    assert "Room blue" in shown
    assert "To decide: ccq-tui answer blue --choose NUMBER" in shown
    assert main(["show", "blue", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["request"]["room"] == "blue"
    assert main(["answer", "blue", "--choose", "1"]) == 0
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"choice": 2}')))
    assert main(["answer", "red", "--json", "-"]) == 0
    assert main(["decline", "green"]) == 0
    outcomes = [store.requests.get(f"{call}@form:desk") for call in ("blue", "red", "green")]
    assert [one and one.outcome for one in outcomes] == [Allowed(), Denied(), Denied()]
    store.close()


PAGE = Path(__file__).parents[3].joinpath("docs/inbox.md").read_text(encoding="utf-8")


def test_the_example_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    store = Store(Path("inbox.db"))
    store.requests.add(PermissionRequest("toolu_1", "s", "Bash", {}))
    store.close()
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    exec(code, {})  # noqa: S102 - our own page
    assert capsys.readouterr().out.startswith("toolu_1@s pending 20")


KEYS = ["1", "2", "3", "space", "up", "down", "tab", "shift+tab", "o", "n", "c", "escape", "y", "a", "e"]
events = st.one_of(
    st.sampled_from([Pressed(key, key if len(key) == 1 else "") for key in KEYS]),
    st.builds(TextChanged, st.text("ab 1é\n漢", max_size=6)),
)


@given(made.requests)
def test_a_request_comes_back(request: Request) -> None:
    text = encoding.request_to_json(request)
    back = encoding.request_from_json(text)
    assert back == request
    assert text.isascii()
    if isinstance(request, QuestionRequest) and isinstance(back, QuestionRequest):
        assert back.questions.source == request.questions.source


@given(made.outcomes)
def test_an_outcome_comes_back(outcome: RequestOutcome) -> None:
    assert encoding.outcome_from_json(encoding.outcome_to_json(outcome)) == outcome


@given(made.requests, made.inputs)
def test_what_a_newer_version_adds_is_passed_over(request: Request, more: dict[str, object]) -> None:
    content = json.loads(encoding.request_to_json(request))
    added = {f"new_{key}": value for key, value in more.items()}
    assert encoding.request_from_json(json.dumps(content | added | {"v": 99})) == request


def test_what_an_older_version_did_not_write_has_its_default() -> None:
    content = {"kind": "permission", "tool_use_id": "a", "asker_id": "s", "tool": "Bash", "input": {}}
    assert encoding.request_from_json(json.dumps(content)) == PermissionRequest("a", "s", "Bash", {})


@each_row(
    "", "[]", "{", "null", "{}", '{"kind": "form"}', '{"kind": "plan"}', '{"kind": ["plan"]}',
    '{"kind": "question", "tool_use_id": "a", "asker_id": "s", "questions": 5}',
    '{"kind": "question", "tool_use_id": "a", "asker_id": "s", "questions": {"questions": ["x"]}}',
    "[" * 100_000,
)  # fmt: skip
def test_what_cannot_be_understood_is_one_error(text: str) -> None:
    with pytest.raises(encoding.StoredFormatError):
        encoding.request_from_json(text)


SET = QuestionSet(
    "q",
    (
        Question("One?", "One", (Option("A"), Option("B"), Option("B"))),
        Question("Many?", "Many", (Option("A \ud800"), Option("B")), multi_select=True),
        Question("Name?", "Name", kind=Kind.TEXT, default="mine"),
        Question("Count?", "Count", kind=Kind.NUMBER, minimum=1),
    ),
)
alone = [QuestionSet("q", (question,)) for question in SET.questions]


@given(st.sampled_from([SET, *alone]), st.lists(events, max_size=25))
def test_what_was_selected_and_typed_comes_back(questions: QuestionSet, pressed: list[Event]) -> None:
    state = opened(questions)
    for event in pressed:
        state = step(state, event)
    back = with_draft(QuestionRequest("q", "s", questions), draft_to_json(state))
    assert isinstance(back, PanelState)
    for page, before in zip(back.pages, state.pages, strict=True):
        assert page.draft.selected == before.draft.selected
        assert page.draft.note == before.draft.note
        assert page.draft.taken == before.draft.taken
        assert page.draft.other == before.draft.other
        # A field that is open and empty counts for nothing once it is closed.
        assert page.draft.other_on == (before.draft.other_on and bool(before.draft.other.strip()))
        assert page.cursor in page.rows
    assert back.discussion == state.discussion
    assert back.outcome is None, "a restart confirms nothing"
    open_before = state.focus if state.focus in KEPT_OPEN else None
    assert open_before in (None, back.focus), "the text that was open is open again"
    if open_before and state.outcome is None:
        closed = [step(replace(one, hidden=False), Pressed("escape")) for one in (back, state)]
        assert_answers_equal(*closed)


def assert_answers_equal(back: PanelState, before: PanelState) -> None:
    assert back.focus == before.focus
    for page, old in zip(back.pages, before.pages, strict=True):
        assert page.as_answer() == old.as_answer(), "and counts as it would have counted"


@each_row(("o x y", Focus.OTHER), ("2 z", Focus.OTHER), ("n x", Focus.NOTE), ("c x", Focus.DISCUSS))
def test_a_text_that_was_open_is_open_again(pressed: str, focus: Focus) -> None:
    state = opened(QuestionSet("q", (Question("One?", "One", (Option("A"), Option("B"))),)))
    for key in pressed.split():
        typing = state.typing
        state = step(state, TextChanged(state.text + key) if typing else Pressed(key, key))
    back = with_draft(QuestionRequest("q", "s", state.questions), draft_to_json(state))
    assert isinstance(back, PanelState)
    assert (back.focus, back.text, back.stray) == (focus, state.text, state.stray)
    assert step(back, Pressed("escape")).page.as_answer() == step(state, Pressed("escape")).page.as_answer()


def test_a_text_that_fits_no_question_is_not_opened() -> None:
    request = QuestionRequest("q", "s", SET)
    for tab, focus in ((0, "field"), (2, "other"), (4, "note"), (0, "list"), (0, ["other"]), (0, None)):
        back = with_draft(request, json.dumps({"tab": tab, "open": focus, "stray": "x"}))
        assert isinstance(back, PanelState)
        assert (back.focus, back.stray) == (resting_focus(back.pages, tab), None)


@given(st.sampled_from(["permission", "plan"]), st.lists(events, max_size=12))
def test_a_decisions_text_and_edited_plan_come_back(kind: str, pressed: list[Event]) -> None:
    request = (
        PermissionRequest("p", "s", "Bash", {}) if kind == "permission" else PlanRequest("p", "s", "# A")
    )
    state = first_draft(request)
    for event in pressed:
        state = step(state, event)
    back = with_draft(request, draft_to_json(state))
    was, now = state.page.draft, back.page.draft
    assert (now.other, back.edited, back.page.cursor) == (was.other, state.edited, state.page.cursor)
    assert now.text_row == (was.text_row if was.other else None)
    assert (back.typing, back.outcome) == (False, None)


def test_what_no_longer_fits_is_passed_over() -> None:
    def asked(*labels: str, text: str = "Which?", multi: bool = True) -> QuestionRequest:
        question = Question(text, "H", tuple(map(Option, labels)), multi_select=multi)
        return QuestionRequest("q", "s", QuestionSet("q", (question,)))

    state = opened(asked("A", "B", "C").questions)
    for key in ("1", "3"):
        state = step(state, Pressed(key, key))
    text = draft_to_json(state)

    def selected(request: QuestionRequest) -> tuple[int, ...]:
        back = with_draft(request, text)
        assert isinstance(back, PanelState)
        return back.pages[0].draft.selected

    assert selected(asked("A", "B", "C")) == (0, 2)
    assert selected(asked("C", "B")) == (0,), "an option is known by its label"
    assert selected(asked("A", "B", "C", multi=False)) == (0,), "a single select has one at most"
    assert selected(asked("A", "B", "C", text="Another?")) == ()


@given(made.requests, made.values)
def test_a_draft_of_any_shape_opens_the_request(request: Request, content: object) -> None:
    assert with_draft(request, json.dumps(content)) is not None
    assert with_draft(request, "no JSON") == first_draft(request)
    shaped = {"pages": [content] * 3, "tab": content, "text": content, "cursor": content, "plan": content}
    state = with_draft(request, json.dumps(shaped))
    assert isinstance(state, PanelState)

"""What a stored session has beside its messages, its questions' outcomes, and how its record is repaired."""

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.agent.claude.records import add_records, before, by_uuid, entries_of, repair
from ccq_tui.agent.events import RequestAsked, RequestSettled, ToolFinished, ToolStarted
from ccq_tui.agent.history import replay
from ccq_tui.claude_lines import whole_entries
from ccq_tui.inbox.call_results import UNANSWERED, CallResult, outcome_of
from ccq_tui.inbox.requests import Cancelled, RequestOutcome
from ccq_tui.inbox.store.encoding import outcome_from_json
from ccq_tui.questions import Answer, Answered, QuestionSet
from ccq_tui.questions.parse import parse_question_set
from ccq_tui.questions.wire import encode
from tests.tables import each_row, table

PATCH = [{"oldStart": 7, "newStart": 7, "lines": ["-a", "+b"]}]


def calls(name: str, tool: str) -> dict[str, Any]:
    use = {"type": "tool_use", "id": name, "name": tool, "input": {}}
    return {"type": "assistant", "uuid": f"a{name}", "message": {"id": "m", "content": [use]}}


def result(name: str) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": name, "content": "ok"}
    return {"type": "user", "uuid": name, "message": {"content": [block]}}


def read(place: Path, lines: Iterable[str]) -> tuple[list[Mapping[str, Any]], int]:
    """Read lines as a record."""
    path = place / "read.jsonl"
    path.write_text("\n".join(lines))
    return entries_of([path])


def test_edits_get_their_patch_back_and_nothing_large(tmp_path: Path) -> None:
    record = {"type": "update", "structuredPatch": PATCH, "originalFile": "x" * 1000}
    lines = [
        {"uuid": "e", "toolUseResult": record, "timestamp": "2025-01-02T12:00:00Z"},
        {"uuid": "b", "toolUseResult": {"stdout": "hi"}},
        {"uuid": "other", "toolUseResult": record},
    ]
    deep = '{"structuredPatch": ' + "[" * 100_000
    messages = [calls("e", "Edit"), result("e"), calls("b", "Bash"), result("b")]
    damaged = "\0\0structuredPatch", deep, *map(json.dumps, lines), '{"structuredPatch" broken'
    add_records(by_uuid(read(tmp_path, damaged)[0]), messages)
    assert messages[1]["tool_use_result"] == {"type": "update", "structuredPatch": PATCH}
    assert "tool_use_result" not in messages[3]
    finished = [event for event in replay(messages) if isinstance(event, ToolFinished)]
    assert finished[0].structured == {"type": "update", "structuredPatch": PATCH}
    assert finished[1].structured is None


def stored(*lines: dict[str, Any] | str) -> list[str]:
    return [line if isinstance(line, str) else json.dumps(line) for line in lines]


def user_line(uuid: str, parent: str | None, **more: Any) -> dict[str, Any]:
    return {"type": "user", "uuid": uuid, "parentUuid": parent, "message": {"content": uuid}, **more}


def boundary(uuid: str, before: str) -> dict[str, Any]:
    return {"type": "system", "subtype": "compact_boundary", "uuid": uuid, "logicalParentUuid": before}


def test_what_was_before_compactions_is_found_in_order_and_once(tmp_path: Path) -> None:
    lines = stored(
        user_line("1", None),
        user_line("meta", "1", isMeta=True),
        {"type": "attachment", "uuid": "note", "parentUuid": "meta"},
        user_line("2", "note"),
        user_line("beside", "1"),
        boundary("b1", "2"),
        user_line("sum1", "b1"),
        user_line("kept", "sum1"),
        {"type": "user", "uuid": "broken", "parentUuid": "kept", "message": "?"},
        boundary("b2", "broken"),
        "{ cut",
        user_line("sum2", "b2"),
        user_line("3", "sum2"),
    )
    assert found(tmp_path, lines, "sum2", "3") == (["1", "2", "sum1", "kept"], 0)
    assert found(tmp_path, lines, "sum2", "3", "kept") == (["1", "2", "sum1"], 0)


def found(place: Path, lines: list[str], *known: str) -> tuple[list[str], int]:
    """What is read beyond the messages of the SDK, and the gaps."""
    earlier, gaps = before(by_uuid(read(place, lines)[0]), known)
    return [one["uuid"] for one in earlier], gaps


def test_what_stands_before_damage_is_read(tmp_path: Path) -> None:
    torn = '{"type":"pr-link","sessionId":"x","prNu'
    lines = stored(
        user_line("1", None),
        user_line("2", "1"),
        torn + json.dumps(user_line("3", "2")),
        json.dumps(user_line("4", "3")) + json.dumps(user_line("5", "4")),
        user_line("6", "lost"),
        user_line("away", "1"),
        "\0\0\0" + json.dumps(user_line("7", "6")),
        '{"type":"user","uuid":"gone","parentUuid":"7","message":{"content":[{"type":"text","te',
        user_line("8", "gone"),
    )
    assert read(tmp_path, lines)[1] == 2, "lines with something torn"
    assert found(tmp_path, lines, "8") == ([*"1234567"], 2), "of two branches the one that ends nearer"
    assert found(tmp_path, lines, "6", "7", "8") == ([*"12345"], 1)
    assert found(tmp_path, lines)[0] == [*"12345678"], "the SDK reads none of it"


def test_whole_entries_of_a_damaged_line() -> None:
    one, two = {"type": "user", "uuid": "1"}, {"parentUuid": "1", "uuid": "2", "message": {"type": "x"}}
    glued = json.dumps(one) + json.dumps(two)
    assert whole_entries(glued) == ([one, two], False)
    assert whole_entries(f"\0{glued}\0\n") == ([one, two], False)
    assert whole_entries(f'{{"type":"a","b{glued}') == ([one, two], True)
    assert whole_entries(glued[:-3]) == ([one], True), "no part of a torn one"
    assert whole_entries("") == whole_entries("\0") == ([], False)
    assert whole_entries("{ cut") == ([], True)


@each_row("b", "sum", "nowhere")
def test_a_record_that_leads_in_a_circle_has_an_end(before: str, *, tmp_path: Path) -> None:
    lines = stored(boundary("b", before), user_line("sum", "b"))
    assert found(tmp_path, lines, "sum")[0] == []


def entry(uuid: str, parent: str, kind: str = "assistant", **more: Any) -> dict[str, Any]:
    return {"type": kind, "uuid": uuid, "parentUuid": parent or None, **more}


def call(uuid: str, parent: str, name: str) -> dict[str, Any]:
    content = [{"type": "tool_use", "id": name, "name": "AskUserQuestion", "input": {}}]
    return entry(uuid, parent, message={"content": content})


def result_of(uuid: str, parent: str, name: str) -> dict[str, Any]:
    return entry(
        uuid,
        parent,
        "user",
        message={"content": [{"type": "tool_result", "tool_use_id": name, "content": "x"}]},
    )


def noted(leaf: str) -> dict[str, Any]:
    return {"type": "last-prompt", "lastPrompt": "Build it.", "leafUuid": leaf, "sessionId": "s"}


def mended(path: Path, newest: str) -> bool:
    return repair(path, entries_of([path])[0], newest)


DEFERRAL = {"type": "hook_deferred_tool", "toolUseID": "t"}
ASKED = [
    entry("prompt", "", "user"),
    call("call", "prompt", "t"),
    entry("deferral", "call", "attachment", attachment=DEFERRAL),
    entry("beside", "deferral", "attachment", attachment={"type": "prompt_snapshot"}),
    noted("beside"),
]
ANSWERED = [result_of("result_of", "call", "t")]
WENT_ON = [entry("go on", "result_of", "user"), entry("more", "go on"), entry("last", "more", "user")]


def record(tmp_path: Path, *entries: dict[str, Any], end: str = "\n") -> Path:
    path = tmp_path / "s.jsonl"
    path.write_text("\n".join(json.dumps(one) for one in entries) + end)
    return path


def test_what_followed_on_the_result_of_a_deferred_call_is_found_again(tmp_path: Path) -> None:
    path = record(tmp_path, *ASKED, *ANSWERED, *WENT_ON, end='\n{"type":"user","uu')
    bad = '\0\0hook_deferred_tool\n{"hook_deferred_tool": ' + "[" * 100_000 + "\n"
    path.write_text(bad + path.read_text())
    assert mended(path, "last")
    *_, cut, added = path.read_text().splitlines()
    assert cut == '{"type":"user","uu'
    assert json.loads(added) == ASKED[-1] | {"leafUuid": "last"}
    assert not mended(path, "last"), "once is enough"


def test_what_followed_on_a_call_deferred_beside_a_result_of_its_message_is_found_again(
    tmp_path: Path,
) -> None:
    beside = entry("deferral", "other result_of", "attachment", attachment=DEFERRAL)
    entries = [
        entry("prompt", "", "user"),
        call("call", "prompt", "t"),
        call("other", "call", "o"),
        result_of("other result_of", "other", "o"),
        beside,
        noted("deferral"),
    ]
    path = record(tmp_path, *entries, *ANSWERED, *WENT_ON)
    assert mended(path, "last")
    assert json.loads(path.read_text().splitlines()[-1]) == noted("last")


def test_what_is_written_into_the_record_meanwhile_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = record(tmp_path, *ASKED, *ANSWERED, *WENT_ON)
    meanwhile = json.dumps(entry("meanwhile", "last"))

    def dumps(value: object, **_options: Any) -> str:
        with path.open("a") as file:
            file.write(meanwhile + "\n")
        return json.JSONEncoder().encode(value)

    monkeypatch.setattr(json, "dumps", dumps)
    assert mended(path, "last")
    *_, kept, added = path.read_text().splitlines()
    assert kept == meanwhile
    assert json.loads(added)["leafUuid"] == "last"


def test_a_record_in_which_the_cli_finds_its_place_is_left_as_it_is(tmp_path: Path) -> None:
    whole, rewound = noted("more"), noted("prompt")
    for newest, entries in (
        ("call", ASKED),
        ("result_of", [*ASKED, *ANSWERED]),
        ("last", [*ASKED, *ANSWERED, *WENT_ON, whole]),
        ("last", [*ASKED, *ANSWERED, *WENT_ON, rewound]),
        ("last", [*ASKED[:2], ASKED[-1] | {"leafUuid": "prompt"}, *ANSWERED, *WENT_ON]),
        ("gone", [*ASKED, *ANSWERED, *WENT_ON]),
        ("", []),
        # A note of an unknown form is a reason to write nothing.
        ("last", [*ASKED[:-1], noted("beside") | {"version": 2}, *ANSWERED, *WENT_ON]),
        ("last", [*ASKED[:-1], noted("beside") | {"sessionId": "another"}, *ANSWERED, *WENT_ON]),
        ("last", [*ASKED[:-1], {"type": "last-prompt", "leafUuid": "beside"}, *ANSWERED, *WENT_ON]),
    ):
        path = record(tmp_path, *entries)
        before = path.read_bytes()
        assert not mended(path, newest)
        assert path.read_bytes() == before


def test_a_link_in_the_place_of_the_record_is_not_followed(tmp_path: Path) -> None:
    path = record(tmp_path, *ASKED, *ANSWERED, *WENT_ON)
    target = path.rename(tmp_path / "target")
    path.symlink_to(target)
    before = target.read_bytes()
    assert not mended(path, "last")
    assert target.read_bytes() == before


SOURCE = table(__file__, "history_questions.json")
ONE = {"questions": SOURCE["questions"][:1]}
ANSWERS = [
    (Answer(("One",), note="for now"), Answer(("Auth, strict", "Logs"), other="x, y"), Answer(other="5")),
    (Answer(other="mine"), Answer(empty=True), Answer()),
    (Answer(("Two, or so",)), Answer(("Auth",), other="later"), Answer(other="7")),
    (Answer(), Answer(("Auth", "Auth, strict", "Logs")), Answer()),
]


def outcome(result: CallResult, source: dict[str, Any] = SOURCE) -> RequestOutcome | None:
    return outcome_of(parse_question_set("t", source), result)


def questions() -> QuestionSet:
    return parse_question_set("t", SOURCE)


RULES: dict[str, Any] = {
    "questions": [
        {
            "question": "Which rules?",
            "multiSelect": True,
            "options": [{"label": "Yes"}, {"label": "always"}, {"label": "Yes, always"}, {"label": "No"}],
        }
    ]
}


SOURCES = {"all": SOURCE, "one": ONE, "rules": RULES}


@each_row(*table(__file__, "results.json"))
def test_ends_of_calls(source: str, output: str, failed: bool, structured: Any, end: Any) -> None:
    found = outcome(CallResult(output, failed, structured), SOURCES[source])
    assert found == (outcome_from_json(json.dumps(end)) if end else None)


@each_row(*ANSWERS)
def test_answers_of_the_structured_result(answers: tuple[Answer, ...]) -> None:
    structured = encode(questions(), answers)
    assert outcome(CallResult("The user answered: ...", structured=structured)) == Answered(answers)


@given(
    st.text(), st.none() | st.dictionaries(st.sampled_from(["answers", "annotations"]), st.text() | st.none())
)
def test_whatever_was_stored_is_no_error(text: str, structured: Any) -> None:
    for output in (text, f'The user answered: "Which?"={text}. Read the answers carefully'):
        outcome(CallResult(output, structured=structured))
        outcome(CallResult(output, failed=True))


def message(kind: str, *blocks: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": kind, "message": {"id": "m", "content": list(blocks)}} | more


def test_a_question_stands_where_it_was_asked() -> None:
    stored = [
        message("assistant", {"type": "tool_use", "id": "t", "name": "AskUserQuestion", "input": ONE}),
        message(
            "user",
            {"type": "tool_result", "tool_use_id": "t", "content": "The user answered"},
            tool_use_result={"answers": {"Which?": "One"}},
            timestamp="2026-03-04T05:06:07.890Z",
        ),
        message("assistant", {"type": "tool_use", "id": "u", "name": "AskUserQuestion", "input": ONE}),
    ]
    events = list(replay(stored, "s"))
    assert [type(event) for event in events] == [
        *(ToolStarted, RequestAsked, RequestSettled, ToolFinished),
        *(ToolStarted, RequestAsked, RequestSettled),
    ]
    at = datetime(2026, 3, 4, 5, 6, 7, 890_000, tzinfo=UTC)
    assert events[2] == RequestSettled("t@s", Answered((Answer(("One",)),)), at=at)
    assert events[6] == RequestSettled("u@s", Cancelled(UNANSWERED))
    # The CLI asks it again when the session is resumed: it waits, and was not cancelled.
    assert list(replay(stored, "s", {"t", "u"})) == events[:-1]

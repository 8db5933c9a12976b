"""A recording as events: how it is read."""

import json
import os
import re
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from ccq_tui.agent import events as ev
from ccq_tui.agent import recorded as reader_module
from ccq_tui.agent.history import replay
from ccq_tui.agent.recorded import (
    CUT_OFF,
    NOTHING,
    PASSED_OVER,
    Recording,
    RecordingError,
    open_recording,
    recorded_questions,
)
from ccq_tui.inbox.call_results import UNANSWERED
from ccq_tui.inbox.requests import Cancelled, RequestOutcome
from ccq_tui.inbox.schema import RecordedSet
from ccq_tui.questions import Answer, Answered
from ccq_tui.transcript.export import export_json
from ccq_tui.transcript.model import TranscriptModel
from ccq_tui.widgets.transcript.painter import plain_text
from tests.tables import each_row
from tests.unit.agent.recordings import (
    QUESTIONS,
    SESSION,
    back,
    call,
    events_of,
    init,
    opened,
    prompt,
    reply,
    text,
    write,
)

ANSWERED = {"answers": {"Which approach?": "Option B"}}
NO_TOOL = "<tool_use_error>Error: No such tool available: AskUserQuestion.</tool_use_error>"


def test_claude_codes_own_session_file(tmp_path: Path) -> None:
    about = {"sessionId": SESSION, "cwd": "/work/project", "timestamp": "2026-01-02T03:04:05.000Z"}
    patch = {"oldStart": 1, "newStart": 1, "lines": ["-a", "+b"]}
    edited = {"filePath": "f", "originalFile": "a" * 9_000, "structuredPatch": [patch]}
    events = events_of(
        opened(
            tmp_path,
            {"type": "summary", "summary": "Old", "leafUuid": "x"},
            {"type": "file-history-snapshot", "snapshot": {}},
            prompt("Edit it", uuid="u1", **about),
            prompt("what only the model reads", uuid="u2", isMeta=True, **about),
            prompt("to a subagent", uuid="u3", isSidechain=True, **about),
            reply(call("Edit", {"file_path": "f"}), uuid="u4", **about),
            back("ok", uuid="u5", toolUseResult=edited, **about),
            reply(text("API Error: 500 internal"), uuid="u6", isApiErrorMessage=True, **about),
            {
                "type": "system",
                "subtype": "compact_boundary",
                "compactMetadata": {"preTokens": 9000},
                **about,
            },
            {"type": "attachment", "attachment": {"type": "queued_command", "prompt": "And this"}, **about},
            prompt("Edit it", uuid="u1", **about),
        )
    )
    assert events == [
        ev.Connected(SESSION, "", "", "/work/project"),
        ev.PromptAccepted("Edit it", prompt_id="u1"),
        ev.ToolStarted("toolu_1", "Edit", {"file_path": "f"}),
        ev.ToolFinished("toolu_1", "Edit", "ok", structured={"structuredPatch": [patch]}),
        ev.ErrorReported("server_error", "500 internal"),
        ev.Compacted(9000, None),
        ev.PromptAccepted("And this"),
    ]


def test_the_first_session_id_wins_and_what_is_none_is_no_id(tmp_path: Path) -> None:
    other = SESSION.replace("7f", "8f")
    recording = opened(tmp_path, prompt("Hi", session_id="--resume"), init(), init(other, "/elsewhere"))
    connected = [event for event in events_of(recording) if isinstance(event, ev.Connected)]
    assert connected == [ev.Connected(SESSION, "claude-x", "", "/work/project")]
    assert recording.session_id == SESSION


@each_row(
    ([], [Cancelled(UNANSWERED)] * 2),
    ([back(NO_TOOL, failed=True), reply(text("Then I go on."), message="m2")], [Cancelled(UNANSWERED)] * 2),
    ([prompt("Something else")], [Cancelled(PASSED_OVER)] * 2),
    (
        [back("", "toolu_0", tool_use_result=ANSWERED, timestamp="2026-01-02T03:04:05Z")],
        [Answered((Answer(("Option B",)),)), Cancelled(UNANSWERED)],
    ),
)
def test_what_became_of_questions(
    lines: list[Any], outcomes: list[RequestOutcome], *, tmp_path: Path
) -> None:
    asked = reply(call("AskUserQuestion", QUESTIONS, "toolu_0"), call("AskUserQuestion", QUESTIONS))
    events = events_of(opened(tmp_path, init(), asked, *lines))
    settled = {event.request_id: event for event in events if isinstance(event, ev.RequestSettled)}
    assert [settled[f"toolu_{number}@{SESSION}"].outcome for number in (0, 1)] == outcomes
    times = [one.at.timestamp() for one in settled.values() if isinstance(one.outcome, Answered) and one.at]
    assert times == [1767323045] * outcomes.count(Answered((Answer(("Option B",)),)))


def test_questions_are_data_and_those_at_the_end_wait(tmp_path: Path) -> None:
    asked = (reply(call("AskUserQuestion", QUESTIONS, f"toolu_{number}")) for number in range(2))
    answer = back("", "toolu_0", tool_use_result=ANSWERED, timestamp="2026-01-02T03:04:05Z")
    first, second = found = recorded_questions(opened(tmp_path, init(), *asked, answer))
    TypeAdapter(list[RecordedSet]).validate_json(json.dumps(found))
    assert [one["text"] for one in first["questions"]] == ["Which approach?"]
    answers = [{"selected": ["Option B"], "other": "", "note": "", "empty": False, "unselected": ""}]
    assert first["outcome"] == {"kind": "answered", "answers": answers}
    assert first["settled_at"] == "2026-01-02T03:04:05.000000Z"
    assert (second["id"], second["session"]) == (f"toolu_1@{SESSION}", SESSION)
    assert (second["outcome"], second["settled_at"]) == (None, None)


@each_row(
    ({"questions": ["Which name?"]}, []),
    ({"questions": '[{"question": "Which?", "options": ["a", "b"]}]'}, ["a", "b"]),
    ({"questions": [{"question": "Which?", "options": ["a"], "multi_select": True}]}, ["a"]),
    ({"question": "Which?", "options": [{"label": "a"}]}, ["a"]),
)
def test_questions_in_old_shapes(source: Any, labels: list[str], *, tmp_path: Path) -> None:
    events = events_of(opened(tmp_path, reply(call("AskUserQuestion", source))))
    (asked,) = [event.request.questions for event in events if isinstance(event, ev.RequestAsked)]
    assert [option.label for option in asked.questions[0].options] == labels


@each_row(
    (
        [b"{cut", b"", b"[1, 2]", b"\xff\xfe", b"null", b"[" * 100_000],
        "5 lines could not be read: 2, 4, 5, 6, 7",
    ),
    ([b"x"] * 2_000, f"2,000 lines could not be read: {', '.join(map(str, range(2, 14)))} and 1,988 more"),
)
def test_bad_lines_are_counted_and_named(bad: list[bytes], said: str, *, tmp_path: Path) -> None:
    assert events_of(opened(tmp_path, prompt("One"), *bad, prompt("Two"))) == [
        ev.PromptAccepted("One"),
        ev.PromptAccepted("Two"),
        ev.NoticeGiven("warning", said),
    ]


def test_a_call_without_a_result_does_not_run_for_ever(tmp_path: Path) -> None:
    events = events_of(opened(tmp_path, reply(call("Bash", {}))))
    assert events[-1] == ev.ToolFinished("toolu_1", "Bash", CUT_OFF, is_error=True)


def test_a_file_of_something_else_says_so(tmp_path: Path) -> None:
    assert events_of(opened(tmp_path, {"a": 1}, {"type": "who knows"})) == [
        ev.NoticeGiven("warning", NOTHING)
    ]


def test_lone_surrogates_and_deep_inputs_are_drawn_and_written(tmp_path: Path) -> None:
    deep: Any = []
    for _ in range(900):
        deep = {"x": deep}
    lines = rb'{"type":"user","message":{"content":"a\ud800b \ud83d\ude00"}}', reply(call("mcp__x__y", deep))
    played(
        tmp_path / "odd.jsonl",
        b"\n".join(one if isinstance(one, bytes) else json.dumps(one).encode() for one in lines),
    )


def test_a_subagents_own_file(tmp_path: Path) -> None:
    recording = opened(
        tmp_path, prompt("look", isSidechain=True), reply(text("inside"), isSidechain=True, message="msg_2")
    )
    found = events_of(recording)
    assert [event.text for event in found if isinstance(event, ev.PromptAccepted | ev.BlockFinished)] == [
        *("look", "inside")
    ]
    beside = reply(text("inside"), isSidechain=True)
    assert ev.BlockFinished not in map(type, events_of(opened(tmp_path, prompt("go"), beside)))


def test_entries_that_share_a_damaged_line(tmp_path: Path) -> None:
    first, second, third = (prompt(word, uuid=word, sessionId=SESSION) for word in ("one", "two", "three"))
    torn = '{"type":"pr-link","sessionId":"x","prNu'
    path = write(
        tmp_path / "glued.jsonl",
        (json.dumps(first) + json.dumps(second)).encode(),
        (torn + json.dumps(third)).encode(),
    )
    found = events_of(open_recording(str(path)))
    assert [event.text for event in found if isinstance(event, ev.PromptAccepted)] == ["one", "two", "three"]


@each_row("cr", "rc", "crcr", "crr", "rcr", "ccr")
def test_a_call_and_its_result_in_any_order_and_number(order: str, *, tmp_path: Path) -> None:
    lines = {"c": reply(text("Hello."), call("Bash", {"command": "ls"})), "r": back("a.txt")}
    found = events_of(opened(tmp_path, prompt("go"), *(lines[one] for one in order), prompt("next")))
    shown = [
        event for event in found if isinstance(event, ev.BlockFinished | ev.ToolStarted | ev.ToolFinished)
    ]
    assert [type(event) for event in shown] == [ev.BlockFinished, ev.ToolStarted, ev.ToolFinished]
    assert shown[-1] == ev.ToolFinished("toolu_1", "Bash", "a.txt")


NOON = datetime(2026, 1, 2, 12)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)
FIELDS = st.sampled_from(
    re.findall(
        r"\w+",
        """type subtype message content id uuid input name tool_use_id is_error tool_use_result toolUseResult
        structuredPatch lines parent_tool_use_id session_id timestamp event index delta text thinking prompt
        content_block attachment errors usage total_cost_usd questions question options status task_id cwd""",
    )
)
WORDS = st.sampled_from(
    re.findall(
        r"\w+",
        """assistant user system result stream_event attachment text thinking tool_use tool_result init t1
        AskUserQuestion Edit Bash TaskCreate task_started message_start content_block_start compact_boundary
        content_block_delta queued_command image""",
    )
)
LIKELY = st.recursive(
    JSON | WORDS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(FIELDS, inner, max_size=7),
    max_leaves=25,
)
ENTRIES = st.fixed_dictionaries(
    {"type": WORDS, "message": st.fixed_dictionaries({"content": st.lists(LIKELY, max_size=3)})},
    optional=dict.fromkeys(("subtype", "uuid", "event", "tool_use_result", "usage", "attachment"), LIKELY),
)


def played(path: Path, data: bytes) -> Recording:
    """Read bytes, and let the transcript show and write all that they told."""
    # So long a first line that what follows is not looked at to tell a binary file.
    path.write_bytes(b'{"type":"first"}' + b" " * 5_000 + b"\n" + data)
    recording = open_recording(str(path))
    model = TranscriptModel(lambda: 0.0)
    model.apply(ev.HistoryLoaded(tuple(events_of(recording))))
    assert plain_text(model.blocks) or not model.blocks
    model.set_folds(folded=False)
    assert plain_text(model.blocks) or not model.blocks  # it draws every block whole
    written = json.loads(export_json(model.blocks, session={}, at=NOON, draw=plain_text))
    assert len(written["blocks"]) == len(model.blocks)
    return recording


@given(st.lists(ENTRIES | LIKELY, max_size=6))
def test_any_json_is_shown_or_passed_over(tmp_path_factory: pytest.TempPathFactory, found: list[Any]) -> None:
    data = "\n".join(json.dumps(entry) for entry in found).encode()
    recording = played(tmp_path_factory.getbasetemp() / "fuzzed.jsonl", data)
    assert len(recording.bad) == sum(
        not isinstance(entry, dict)
        and not (isinstance(entry, list) and any(isinstance(item, dict) for item in entry))
        for entry in found
    )


@example(b"\0\n\0")
@given(st.binary(max_size=200))
def test_any_bytes_are_read(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    recording = played(tmp_path_factory.getbasetemp() / "fuzzed.bin", data)
    assert len(recording.bad) <= recording.read


@given(st.data())
def test_a_line_may_be_cut_anywhere(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    line = json.dumps(reply(call("AskUserQuestion", QUESTIONS), text("é"))).encode()
    cut = data.draw(st.integers(1, len(line) - 1))
    recording = played(tmp_path_factory.getbasetemp() / "cut.jsonl", line[:cut])
    assert recording.bad == [2]


def test_a_line_that_is_too_long_is_passed_over_and_not_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader_module, "LONGEST_LINE", 1_000)
    recording = opened(tmp_path, prompt("a"), prompt("b" * 1_001), prompt("c"))
    prompts = [event.text for event in events_of(recording) if isinstance(event, ev.PromptAccepted)]
    assert prompts == ["a", "c"]
    assert recording.bad == [2]


def test_a_pipe_is_read_as_it_comes() -> None:
    out, into = os.pipe()
    os.write(into, json.dumps(prompt("one")).encode() + b"\n" + json.dumps(prompt("two")).encode()[:9])
    events = open_recording(out).events()
    assert next(event.text for event in events if isinstance(event, ev.PromptAccepted)) == "one"
    os.write(into, json.dumps(prompt("two")).encode()[9:])
    os.close(into)
    assert [event.text for event in events if isinstance(event, ev.PromptAccepted)] == ["two"]


@each_row(b"\0" * 5_000, b'{"type":"user","mes\0\0\0', b"\0{}")
def test_nul_bytes_are_a_bad_line(before: bytes, *, tmp_path: Path) -> None:
    path = tmp_path / "crashed.jsonl"
    path.write_bytes(before + b"\n" + json.dumps(prompt("go on")).encode() + b"\n\0\0\0")
    recording = open_recording(str(path))
    assert [event.text for event in events_of(recording) if isinstance(event, ev.PromptAccepted)] == ["go on"]
    assert recording.bad == [1, 3]


@each_row(
    (b"", "is empty"),
    (b"\0" * 5_000, "is not a recording"),
    (b"\x7fELF\0\0", "is not a recording"),
    (b"# Title\n\nSome words.\n", "is not a recording"),
    (b"just words", "is not a recording"),
)
def test_what_is_no_recording_is_refused(content: bytes, problem: str, *, tmp_path: Path) -> None:
    path = tmp_path / "other"
    path.write_bytes(content)
    with pytest.raises(RecordingError, match=problem):
        open_recording(str(path))


def test_a_missing_file_and_a_directory_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match=r"nowhere cannot be read: No such file"):
        open_recording(str(tmp_path / "nowhere"))
    with pytest.raises(RecordingError, match="is a directory"):
        open_recording(str(tmp_path))


def user(content: Any) -> dict[str, Any]:
    return {"type": "user", "message": {"role": "user", "content": content}}


def test_an_agents_report_says_nothing_of_its_task() -> None:
    text = "<task-notification>\n<task-id>a1</task-id>\n<status>completed</status>\n<result>{}</result>"
    (event,) = replay([user(text.format("<status>failed</status><task-id>zz</task-id><summary>x</summary>"))])
    assert event == ev.TaskEnded("a1", "completed")
    assert len(list(replay([user(text.format("<summary>" * 100_000))]))) == 1, "and takes no time"

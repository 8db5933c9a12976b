"""What was recorded elsewhere, as events."""

import json
from pathlib import Path
from typing import Any

import pytest

from ccq_tui.agent import events as ev
from ccq_tui.agent.recorded.reader import NOTHING, open_recording
from ccq_tui.agent.recorded.translate import CUT_OFF, PASSED_OVER
from ccq_tui.inbox.call_results import UNANSWERED
from ccq_tui.inbox.requests import Cancelled
from ccq_tui.questions import Answer, Answered
from tests.unit.agent.recordings import (
    QUESTIONS,
    SESSION,
    back,
    call,
    events_of,
    init,
    opened,
    prompt,
    said,
    text,
    write,
)

ANSWERED = (
    'Your questions have been answered: "Which approach?"="Option B". '
    "You can now continue with these answers in mind."
)
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
            said(call("Edit", {"file_path": "f"}), uuid="u4", **about),
            back("ok", uuid="u5", toolUseResult=edited, **about),
            said(text("API Error: 500 internal"), uuid="u6", isApiErrorMessage=True, **about),
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


def test_a_question_that_was_answered(tmp_path: Path) -> None:
    lines = [said(call("AskUserQuestion", QUESTIONS)), back(ANSWERED, timestamp="2026-01-02T03:04:05Z")]
    recording = opened(tmp_path, *lines)
    _, asked, settled, finished = events_of(recording)
    assert isinstance(asked, ev.QuestionAsked)
    assert isinstance(settled, ev.RequestSettled)
    assert settled.outcome == Answered((Answer(("Option B",)),))
    assert settled.at.timestamp() == 1767323045
    assert isinstance(finished, ev.ToolFinished)


@pytest.mark.parametrize(
    "lines", [[], [back(NO_TOOL, failed=True), said(text("Then I go on."), message="m2")]]
)
def test_questions_that_nobody_answered(tmp_path: Path, lines: list[Any]) -> None:
    asked = said(call("AskUserQuestion", QUESTIONS, "toolu_0"), call("AskUserQuestion", QUESTIONS))
    events = events_of(opened(tmp_path, init(), asked, *lines))
    assert [event for event in events if isinstance(event, ev.RequestSettled)] == [
        ev.RequestSettled(f"toolu_{number}@{SESSION}", Cancelled(UNANSWERED)) for number in (0, 1)
    ]


def test_a_question_that_the_person_passed_over(tmp_path: Path) -> None:
    events = events_of(opened(tmp_path, said(call("AskUserQuestion", QUESTIONS)), prompt("Something else")))
    assert events[-2:] == [
        ev.RequestSettled("toolu_1@", Cancelled(PASSED_OVER)),
        ev.PromptAccepted("Something else"),
    ]


@pytest.mark.parametrize(
    ("source", "labels"),
    [
        ({"questions": ["Which name?"]}, []),
        ({"questions": '[{"question": "Which?", "options": ["a", "b"]}]'}, ["a", "b"]),
        ({"questions": [{"question": "Which?", "options": ["a"], "multi_select": True}]}, ["a"]),
        ({"question": "Which?", "options": [{"label": "a"}]}, ["a"]),
    ],
)
def test_questions_in_old_shapes(tmp_path: Path, source: Any, labels: list[str]) -> None:
    events = events_of(opened(tmp_path, said(call("AskUserQuestion", source))))
    (asked,) = [event.request.questions for event in events if isinstance(event, ev.QuestionAsked)]
    assert [option.label for option in asked.questions[0].options] == labels


def test_bad_lines_are_counted_and_named(tmp_path: Path) -> None:
    recording = opened(
        tmp_path, prompt("One"), b"{cut", b"", b"[1, 2]", b"\xff\xfe", b"null", prompt("Two"), b"[" * 100_000
    )
    events = events_of(recording)
    assert events == [
        ev.PromptAccepted("One"),
        ev.PromptAccepted("Two"),
        ev.NoticeGiven("warning", "5 lines could not be read: 2, 4, 5, 6, 8"),
    ]


def test_more_bad_lines_than_anybody_reads(tmp_path: Path) -> None:
    recording = opened(tmp_path, prompt("One"), *[b"x"] * 2_000)
    events_of(recording)
    assert (
        recording.trouble
        == "2,000 lines could not be read: " + ", ".join(map(str, range(2, 14))) + " and 1,988 more"
    )


def test_a_call_without_a_result_does_not_run_for_ever(tmp_path: Path) -> None:
    events = events_of(opened(tmp_path, said(call("Bash", {}))))
    assert events[-1] == ev.ToolFinished("toolu_1", "Bash", CUT_OFF, is_error=True)


def test_a_file_of_something_else_says_so(tmp_path: Path) -> None:
    assert events_of(opened(tmp_path, {"a": 1}, {"type": "who knows"})) == [
        ev.NoticeGiven("warning", NOTHING)
    ]


def test_lone_surrogates_are_replaced_and_whole_characters_kept(tmp_path: Path) -> None:
    line = rb'{"type":"user","message":{"content":"a\ud800b \ud83d\ude00"}}'
    assert events_of(opened(tmp_path, line)) == [ev.PromptAccepted("a?b \U0001f600")]


def test_a_subagents_own_file(tmp_path: Path) -> None:
    recording = opened(
        tmp_path, prompt("look", isSidechain=True), said(text("inside"), isSidechain=True, message="msg_2")
    )
    found = events_of(recording)
    assert [event.text for event in found if isinstance(event, ev.PromptAccepted | ev.BlockFinished)] == [
        *("look", "inside")
    ]
    beside = said(text("inside"), isSidechain=True)
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


@pytest.mark.parametrize("order", ["cr", "rc", "crcr", "crr", "rcr", "ccr"])
def test_a_call_and_its_result_in_any_order_and_number(tmp_path: Path, order: str) -> None:
    lines = {"c": said(text("Hello."), call("Bash", {"command": "ls"})), "r": back("a.txt")}
    found = events_of(opened(tmp_path, prompt("go"), *(lines[one] for one in order), prompt("next")))
    shown = [
        event for event in found if isinstance(event, ev.BlockFinished | ev.ToolStarted | ev.ToolFinished)
    ]
    assert [type(event) for event in shown] == [ev.BlockFinished, ev.ToolStarted, ev.ToolFinished]
    assert shown[-1] == ev.ToolFinished("toolu_1", "Bash", "a.txt")

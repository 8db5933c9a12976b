"""The end of a transcript: which calls wait, and how the others ended."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ccq_tui.bounded import UnfitFileError
from ccq_tui.bridges.claude_code import transcript as module
from ccq_tui.bridges.claude_code.transcript import TranscriptFile
from tests.unit.bridges.native import ACCEPTED, ASKED, COMMAND, NativeSession, calls, ends, prompt, says


@pytest.fixture
def session(tmp_path: Path) -> NativeSession:
    return NativeSession(tmp_path / "claude")


def looked(session: NativeSession) -> TranscriptFile:
    seen = TranscriptFile(session.path)
    seen.look()
    return seen


def test_calls_texts_and_ends_are_read_as_they_come(session: NativeSession) -> None:
    seen = looked(session)
    assert seen.unanswered() == []
    session.write(prompt("go"), says("Before."), says("Let me ask.", "msg_2"))
    session.write(calls("one", "AskUserQuestion", ASKED, "msg_2"), {"type": "api-request", "message": {}})
    seen.look()
    (call,) = seen.unanswered()
    assert (call.id, call.tool, call.input) == ("one", "AskUserQuestion", ASKED)
    assert seen.before(call) == "Let me ask."
    session.write(ends("one", "done", permissionDecision=ACCEPTED, result={"answers": {}}))
    seen.look()
    end = seen.end_of("one")
    assert end is not None
    assert (end.decision, end.source, end.result.output, end.result.structured) == (
        "accept", "user_temporary", "done", {"answers": {}},
    )  # fmt: skip
    assert seen.unanswered() == []


def test_what_was_said_before_a_call_is_of_the_same_turn(session: NativeSession) -> None:
    session.write(prompt("go"), says("Old."), prompt("more"), calls("one", "Bash", COMMAND, "msg_3"))
    seen = looked(session)
    assert seen.before(seen.unanswered()[0]) == ""


def test_calls_of_an_earlier_message_that_never_ended_do_not_wait(session: NativeSession) -> None:
    session.write(
        calls("killed", "AskUserQuestion", ASKED), prompt("again"), calls("one", "Bash", COMMAND, "msg_2")
    )
    seen = looked(session)
    assert [call.id for call in seen.unanswered()] == ["one"]


def test_half_a_line_is_read_once_it_is_whole(session: NativeSession) -> None:
    seen = TranscriptFile(session.path)
    line = json.dumps(calls("ein", "Bash", {"command": "ä" * 50}), ensure_ascii=False).encode() + b"\n"
    for at in range(0, len(line), 7):
        assert seen.unanswered() == []
        with session.path.open("ab") as file:
            file.write(line[at : at + 7])
        seen.look()
    assert [call.input for call in seen.unanswered()] == [{"command": "ä" * 50}]


def test_only_the_end_of_a_long_file_is_read(session: NativeSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "TAIL", 4_000)
    session.write(calls("old", "Bash", COMMAND, "msg_0"), *[says("x" * 90, f"m{at}") for at in range(100)])
    session.write(calls("new", "Bash", COMMAND, "msg_9"))
    seen = looked(session)
    assert [call.id for call in seen.calls("Bash")] == ["new"]


def test_lines_that_are_too_long_or_odd_are_passed_over(
    session: NativeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LONGEST_LINE", 5_000)
    monkeypatch.setattr(module, "TAIL", 2_000)
    seen = looked(session)
    odd = [
        {"type": "assistant"},
        {"type": "assistant", "message": "no"},
        {"type": "user", "message": {"content": [7, {"type": "tool_result"}]}},
        {"type": "assistant", "message": {"content": [{"type": "tool_use", "id": 7, "input": []}]}},
        {"type": "assistant", "message": {"content": {}}},
    ]
    with session.path.open("ab") as file:
        file.write(b'"type":"user" no json\n\xff\xfe"type":"user"\n[[[["type":"user"\n')
    session.write(*odd, says("y" * 20_000), calls("one", "Bash", COMMAND))
    seen.look()
    assert [call.id for call in seen.calls("Bash")] == ["one"]


def test_a_file_in_its_place_is_read_anew(session: NativeSession) -> None:
    seen = TranscriptFile(session.path)
    session.write(says("z" * 500), calls("one", "Bash", COMMAND))
    seen.look()
    session.path.write_bytes(b"")
    session.write(calls("two", "Bash", COMMAND))
    seen.look()
    assert [call.id for call in seen.calls("Bash")] == ["one", "two"]


def test_no_file_is_no_call_and_a_directory_is_an_error(tmp_path: Path) -> None:
    seen = TranscriptFile(tmp_path / "none.jsonl")
    seen.look()
    assert seen.unanswered() == []
    (tmp_path / "none.jsonl").mkdir()
    with pytest.raises((OSError, UnfitFileError)):
        seen.look()

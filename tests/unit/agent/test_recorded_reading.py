"""How a recording is read: once, in slices, with an end to every line and every wait."""

import json
import os
import re
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ccq_tui.agent.events import HistoryLoaded, PromptAccepted
from ccq_tui.agent.recorded import Recording, RecordingError, open_recording
from ccq_tui.agent.recorded import lines as lines_module
from ccq_tui.agent.recorded.lines import CHUNK, Lines
from ccq_tui.agent.recorded.reader import SLICE_EVENTS
from ccq_tui.transcript.export import export_json
from ccq_tui.transcript.model import TranscriptModel
from ccq_tui.widgets.transcript.painter import plain_text
from tests.unit.agent.recordings import QUESTIONS, call, events_of, opened, prompt, said, text, write

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
    model.apply(HistoryLoaded(tuple(events_of(recording))))
    assert plain_text(model.blocks) or not model.blocks
    model.set_folds(folded=False)
    assert plain_text(model.blocks) or not model.blocks  # it draws every block whole
    written = json.loads(export_json(model.blocks, session={}, at=NOON, draw=plain_text))
    assert len(written["blocks"]) == len(model.blocks)
    return recording


@settings(max_examples=20)
@given(st.lists(ENTRIES | LIKELY, max_size=6))
def test_any_json_is_shown_or_passed_over(tmp_path_factory: pytest.TempPathFactory, found: list[Any]) -> None:
    data = "\n".join(json.dumps(entry) for entry in found).encode()
    recording = played(tmp_path_factory.getbasetemp() / "fuzzed.jsonl", data)
    assert len(recording.bad) == sum(
        not isinstance(entry, dict)
        and not (isinstance(entry, list) and any(isinstance(item, dict) for item in entry))
        for entry in found
    )


@settings(max_examples=25)
@example(b"\0\n\0")
@given(st.binary(max_size=200))
def test_any_bytes_are_read(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    recording = played(tmp_path_factory.getbasetemp() / "fuzzed.bin", data)
    assert len(recording.bad) <= recording.read
    assert recording.ended


@settings(max_examples=15)
@given(st.data())
def test_a_line_may_be_cut_anywhere(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    line = json.dumps(said(call("AskUserQuestion", QUESTIONS), text("é"))).encode()
    cut = data.draw(st.integers(1, len(line) - 1))
    recording = played(tmp_path_factory.getbasetemp() / "cut.jsonl", line[:cut])
    assert recording.bad == [2]


def test_a_file_is_read_once_and_handed_over_in_slices(tmp_path: Path) -> None:
    filler = "x" * 2_000
    path = write(tmp_path / "long.jsonl", *(prompt(f"{number} {filler}") for number in range(3_000)))
    size = path.stat().st_size
    recording = open_recording(str(path))
    assert recording.lines.bytes == CHUNK  # to look at its beginning
    slices = []
    while not recording.ended:
        slices.append(recording.next())
    told = [event for part in slices for event in part.events]
    assert [event.text.split()[0] for event in told if isinstance(event, PromptAccepted)] == [
        str(number) for number in range(3_000)
    ]
    assert max(len(part.events) for part in slices) <= SLICE_EVENTS
    assert recording.lines.bytes == recording.lines.taken == size


def test_a_line_that_is_too_long_is_passed_over_and_not_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines_module, "LONGEST_LINE", 1_000)
    recording = opened(tmp_path, prompt("a"), prompt("b" * 1_001), prompt("c"))
    prompts = [event.text for event in events_of(recording) if isinstance(event, PromptAccepted)]
    assert prompts == ["a", "c"]
    assert recording.bad == [2]


def test_a_pipe_is_read_as_it_comes() -> None:
    out, into = os.pipe()
    lines = Lines(out)
    os.write(into, b"one\ntw")
    first = lines.next()
    assert first.data == b"one"
    assert lines.next() is None
    assert not lines.ended
    os.write(into, b"o")
    os.close(into)
    last = lines.next()
    assert (last.number, last.data) == (2, b"two")
    assert lines.next() is None
    assert lines.ended


@pytest.mark.parametrize(
    "before", [b"\0" * 5_000, b'{"type":"user","mes\0\0\0', b"\0{}"], ids=["page", "cut", "first"]
)
def test_nul_bytes_are_a_bad_line(tmp_path: Path, before: bytes) -> None:
    path = tmp_path / "crashed.jsonl"
    path.write_bytes(before + b"\n" + json.dumps(prompt("go on")).encode() + b"\n\0\0\0")
    recording = open_recording(str(path))
    assert [event.text for event in events_of(recording) if isinstance(event, PromptAccepted)] == ["go on"]
    assert recording.bad == [1, 3]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "is empty"),
        (b"\0" * 5_000, "is a binary file"),
        (b"\x7fELF\0\0", "is a binary file"),
        (b"# Title\n\nSome words.\n", "is not a recording"),
        (b"just words", "is not a recording"),
    ],
    ids=["empty", "nul", "elf", "markdown", "words"],
)
def test_what_is_no_recording_is_refused(tmp_path: Path, content: bytes, problem: str) -> None:
    path = tmp_path / "other"
    path.write_bytes(content)
    with pytest.raises(RecordingError, match=problem):
        open_recording(str(path))


def test_a_missing_file_and_a_directory_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match=r"nowhere cannot be read: No such file"):
        open_recording(str(tmp_path / "nowhere"))
    with pytest.raises(RecordingError, match="is a directory"):
        open_recording(str(tmp_path))

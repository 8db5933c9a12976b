"""A long past is told in parts, the newest first, and shown as if it had been told at once."""

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ccq_tui.agent.claude import records
from ccq_tui.agent.claude.records import parts
from ccq_tui.agent.events import HistoryLoaded, PromptAccepted
from ccq_tui.agent.history import replay
from ccq_tui.transcript.model import TranscriptModel
from ccq_tui.widgets.transcript.painter import plain_text

Message = dict[str, Any]


def message(number: int, kind: str, **block: Any) -> Message:
    return {"type": kind, "uuid": f"u{number}", "message": {"id": f"m{number}", "content": [block]}}


def conversation(steps: list[int]) -> list[Message]:
    """A prompt for each step, and a call whose result comes after so many more messages."""
    texts: list[Message] = []
    due: list[tuple[int, int]] = []
    for number, wait in enumerate(steps):
        texts.append(message(3 * number, "user", type="text", text=f"prompt {number}"))
        call = {
            "type": "tool_use",
            "id": f"t{number}",
            "name": "Bash",
            "input": {"command": f"echo {number}"},
        }
        texts.append(message(3 * number + 1, "assistant", **call))
        due.append((number + wait, number))
        for one in [one for one in due if one[0] <= number or number == len(steps) - 1]:
            due.remove(one)
            result = {"type": "tool_result", "tool_use_id": f"t{one[1]}", "content": f"said {one[1]}"}
            texts.append(message(10_000 + one[1], "user", **result))
    return texts


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "PART", 5)
    monkeypatch.setattr(records, "FEWEST", 3)


@example([])
@given(st.lists(st.integers(0, 3), max_size=30))
def test_parts_are_all_of_it_and_no_call_is_torn_from_its_result(steps: list[int]) -> None:
    whole = conversation(steps)
    cut = parts(whole)
    assert [one for part in reversed(cut) for one in part] == whole
    for part in cut:
        blocks = [block for one in part for block in one["message"]["content"]]
        assert {b["id"] for b in blocks if "id" in b} == {
            b["tool_use_id"] for b in blocks if "tool_use_id" in b
        }


def test_parts_are_shown_as_the_whole_and_stay_small() -> None:
    whole = conversation([0] * 40)
    cut = parts(whole)
    assert max(map(len, cut)) < 9
    assert len(cut[0]) >= 3
    at_once, bit_by_bit = TranscriptModel(lambda: 0.0), TranscriptModel(lambda: 0.0)
    at_once.apply(HistoryLoaded(tuple(replay(whole, "s"))))
    bit_by_bit.add_prompt("typed meanwhile")
    for number, part in enumerate(cut):
        made = bit_by_bit.empty() if number else bit_by_bit
        made.apply(HistoryLoaded(tuple(replay(part, "s"))))
        if number:
            bit_by_bit.put_first(made)
        else:
            bit_by_bit.apply(PromptAccepted("typed meanwhile", prompt_id="9"))
    at_once.apply(PromptAccepted("typed meanwhile", prompt_id="9"))
    assert plain_text(bit_by_bit.blocks) == plain_text(at_once.blocks)
    assert [block.at for block in bit_by_bit.blocks] == list(range(len(bit_by_bit.blocks)))
    assert not bit_by_bit.ticking

"""What a session tells and takes, scene after scene on one CLI; the scenes are in ``tests/agent/scenes``."""

from types import ModuleType
from typing import Any

import pytest

from ccq_tui.agent.claude.gate import Gate
from ccq_tui.agent.events import PromptReturned, SessionState, StateChanged
from ccq_tui.testing import Scenario
from tests.agent.running import Play
from tests.agent.scenes import (
    allowing,
    arriving,
    images,
    interrupts,
    permissions,
    questions,
    queued,
    streams,
    wire,
)
from tests.agent.stage import Stage, staged
from tests.steps import step

PARTS = (streams, questions, arriving, wire, images, queued)
"""`streams` first: it sees how a session begins."""


DECISIONS = (permissions, allowing, interrupts)
"""`interrupts` last: it closes the session. What `allowing` is granted holds on."""


async def played(stage: Stage, parts: tuple[ModuleType, ...]) -> None:
    for part in parts:
        stage.model.speed, stage.model.delta_size = 0.0, 24
        with step(part.__name__):
            await part.scenes(stage)


async def test_decisions_and_interrupts_of_one_session(play: Play) -> None:
    async with staged(play(Scenario())) as stage:
        await played(stage, DECISIONS)
    assert stage.run.state is SessionState.PARKED


async def test_scenes_of_one_session(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    called: set[str] = set()
    after_tool = Gate.after_tool

    async def noted(gate: Gate, data: Any, *more: Any) -> Any:
        called.add(data["tool_name"])
        return await after_tool(gate, data, *more)

    monkeypatch.setattr(Gate, "after_tool", noted)
    async with staged(play(Scenario(), env={"CLAUDE_CODE_MAX_RETRIES": "1"})) as stage:
        await played(stage, PARTS)
    assert stage.run.all(StateChanged)[-1].state is SessionState.ENDED
    assert called == {"Agent"}, "after a question the CLI goes on at once"
    assert not stage.run.all(PromptReturned), "not given back again at the end"

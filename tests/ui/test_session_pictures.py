"""Pictures of the whole screen: few, one for each thing that can take the prompt's place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from ccq_tui.agent.events import (
    AgentEvent,
    BlockFinished,
    BlockKey,
    BlockKind,
    PermissionAsked,
    PlanProposed,
    PromptAccepted,
    SessionState,
)
from ccq_tui.config import Launch, Settings
from ccq_tui.inbox import PermissionRequest, PlanRequest
from ccq_tui.questions import Option, Question
from ccq_tui.questions.machine import GRACE
from tests.conftest import SNAPSHOTS
from tests.ui.session import Driven, asked, permission, until

SAID = (
    PromptAccepted("Prepare the release of 1.4.0"),
    BlockFinished(
        BlockKey("m", 0),
        BlockKind.TEXT,
        "I read the changelog. **Two things** are left:\n\n"
        "1. bump the version in `pyproject.toml`\n2. build the wheel",
    ),
)
EDIT = PermissionRequest(
    "e",
    "id-1",
    "Edit",
    {
        "file_path": "/srv/api/pyproject.toml",
        "old_string": 'name = "api"\nversion = "1.3.9"',
        "new_string": 'name = "api"\nversion = "1.4.0"',
    },
)
PLAN = PlanRequest(
    "p", "id-1", "# Import from browsers\n\n1. Read the export file\n2. Skip what is known\n3. Report"
)
LAYOUT = Question(
    "How should the answers be laid out?",
    "Layout",
    (
        Option(
            "Side by side (Recommended)",
            "The preview stands beside the list",
            preview="┌──────────┬───────────┐\n│ ❯ one    │           │\n│   two    │  preview  │\n"
            "│   three  │           │\n└──────────┴───────────┘",
        ),
        Option("Stacked", "The preview stands under the list", preview="list\n────\npreview"),
        Option("Plain", "No preview at all"),
    ),
)
PARTS = Question(
    "Which parts should the first version have?",
    "Parts",
    (Option("Review"), Option("Notes"), Option("Filter")),
    multi_select=True,
)
PICTURE = Path(__file__).parents[2] / "docs" / "picture.svg"
Compare = Callable[..., bool]


def compare(
    snap_compare: Compare,
    size: tuple[int, int],
    *told: AgentEvent,
    theme: str = "ccq-dark",
    keys: str = "",
    draft: str = "",
) -> bool:
    run = Driven(Launch(settings=Settings(cwd=Path("/usr"), theme=theme), draft=draft))

    async def before(pilot: Pilot[Any]) -> None:
        await until(pilot, lambda: run.screen.view.state is SessionState.IDLE)
        for event in (*SAID, *told):
            run.told.tell(event)
        if told:
            await until(pilot, lambda: run.screen.dock.panel)
            await pilot.pause(GRACE + 0.2)
        await pilot.press(*keys.split())
        await pilot.pause(0.1)

    return snap_compare(run.app, terminal_size=size, run_before=before)


@pytest.mark.parametrize("theme", ["ccq-dark", "ccq-light"])
@pytest.mark.parametrize("size", [(80, 24), (40, 12), (160, 50)])
def test_idle(snap_compare: Compare, size: tuple[int, int], theme: str) -> None:
    assert compare(snap_compare, size, theme=theme, draft="Also update the docs")


@pytest.mark.parametrize("size", [(80, 24), (40, 12)])
def test_question_hidden(snap_compare: Compare, size: tuple[int, int]) -> None:
    assert compare(snap_compare, size, asked(), keys="2 escape")


@pytest.mark.parametrize("theme", ["ccq-dark", "ccq-light"])
@pytest.mark.parametrize("size", [(80, 24), (40, 12), (160, 50)])
def test_permission_for_a_command(snap_compare: Compare, size: tuple[int, int], theme: str) -> None:
    assert compare(snap_compare, size, PermissionAsked(permission()), theme=theme)


@pytest.mark.parametrize("theme", ["ccq-dark", "ccq-light"])
def test_permission_for_an_edit(snap_compare: Compare, theme: str) -> None:
    assert compare(snap_compare, (80, 24), PermissionAsked(EDIT), theme=theme)


@pytest.mark.parametrize("keys", ["e", "e u s e ctrl+j m a k e", "e enter"])
def test_denying_with_text(snap_compare: Compare, keys: str) -> None:
    assert compare(snap_compare, (80, 24), PermissionAsked(permission()), keys=keys)


@pytest.mark.parametrize("size", [(80, 24), (40, 12)])
def test_plan(snap_compare: Compare, size: tuple[int, int]) -> None:
    assert compare(snap_compare, size, PlanProposed(PLAN))


def test_the_picture_in_the_readme(snap_compare: Compare) -> None:
    assert compare(snap_compare, (108, 30), asked("toolu_1", LAYOUT, PARTS), keys="space")
    shot = next((SNAPSHOTS / "ui" / "test_session_pictures").glob("test_the_picture_in_the_readme*"))
    assert PICTURE.read_text() == shot.read_text(), f"copy {shot} to {PICTURE}"

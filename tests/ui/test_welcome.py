"""The first screen of a session."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui import __version__
from ccq_tui.agent.events import ErrorReported, PromptAccepted
from ccq_tui.agent.problems import Problem
from ccq_tui.config.launch import Launch
from ccq_tui.config.settings import Settings
from ccq_tui.runtime.facts import SessionFacts
from ccq_tui.runtime.view import Surroundings
from ccq_tui.screens.session.status import TASK, TIPS, welcome_text
from tests.ui.session import Driven, until

VIEW = SessionFacts(Path("/srv/api"), model="claude-x", mode="acceptEdits", cli_version="2.1.9")
AROUND = Surroundings("main")


def test_it_says_who_is_there_where_what_waits_and_what_to_press() -> None:
    text = welcome_text(VIEW, AROUND, 0)
    assert text.split("\n")[:3] == [
        f"ccq-tui {__version__} · Claude Code 2.1.9",
        "claude-x · accepts edits",
        "/srv/api · git main",
    ]
    assert "Type a task and press Enter.\n/ commands · @ files · F1 all keys" in text
    assert "wait" not in text.partition("Tip:")[0]
    waiting = welcome_text(SessionFacts(Path("/srv/api")), Surroundings(waiting_beside=2), 0)
    assert "Starting Claude Code…" in waiting
    assert "2 requests wait elsewhere · F4 goes there" in waiting


def test_every_tip_has_its_turn_and_names_keys_that_hold() -> None:
    tips = {welcome_text(VIEW, AROUND, day).partition("Tip: ")[2] for day in range(len(TIPS))}
    assert len(tips) == len(TIPS)
    assert all("{" not in tip and len(tip) <= 74 for tip in tips)


@given(st.text(), st.text())
def test_hostile_names_stay_on_their_lines(model: str, version: str) -> None:
    view = SessionFacts(Path("/srv/api"), model=model, cli_version=version)
    assert len(welcome_text(view, AROUND, 0).split("\n")) == 8


@pytest.mark.parametrize("size", [(40, 12), (80, 24)])
async def test_it_is_there_until_something_is_said(size: tuple[int, int]) -> None:
    run = Driven(Launch(settings=Settings(cwd=Path("/usr"))))

    def shown() -> str:
        transcript = run.screen.transcript
        return "\n".join(transcript.render_line(y).text.strip() for y in range(transcript.size.height))

    async with run.app.run_test(size=size) as pilot:
        await until(pilot, lambda: run.session and "claude-x · default mode" in shown())
        assert TASK in shown()
        assert f"ccq-tui {__version__}" in shown()
        assert "F1 all keys" in shown()
        run.told.tell(ErrorReported(Problem.MCP_FAILED, "docs: no such file"))
        await until(pilot, lambda: "docs: no such file" in shown())
        assert (TASK in shown()) == (size[1] > 12)  # where both fit
        run.told.tell(PromptAccepted("Build it"))
        await until(pilot, lambda: "Build it" in shown())
        assert "Enter." not in shown()
        await run.app.run_action("quit")

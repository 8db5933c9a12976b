"""Permissions and plans by keys alone, and what the model received."""

from __future__ import annotations

import json
from pathlib import Path

from ccq_tui.testing import Scenario
from tests.e2e.conftest import Start

REJECTED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file "
    "edit, the new_string was NOT written to the file)."
)
DONE = "That was all."


def touching() -> Scenario:
    return Scenario("e2e").runs("Bash", command="touch made.txt", description="Make a file").says(DONE)


def test_permission_allowed(start: Start) -> None:
    run = start(touching())
    run.terminal.wait_panel("touch made.txt")
    run.terminal.press("y")
    run.model.wait_for_result_sync("toolu_e2e_1", limit=40.0)
    assert not run.model.result("toolu_e2e_1").is_error
    assert (run.home.project / "made.txt").exists()
    run.terminal.wait(DONE)


def test_permission_denied(start: Start) -> None:
    run = start(touching())
    run.terminal.wait_panel("touch made.txt")
    run.terminal.press("up up enter")
    assert run.result("toolu_e2e_1").startswith(REJECTED)
    assert not (run.home.project / "made.txt").exists()
    run.terminal.wait(DONE)


def test_permission_denied_with_text(start: Start) -> None:
    run = start(touching())
    run.terminal.wait_panel("touch made.txt")
    run.terminal.press("e")
    run.terminal.wait_panel("Enter send")
    run.terminal.type("use made.md instead")
    run.terminal.press("enter")
    assert run.result("toolu_e2e_1") == (
        f"{REJECTED} To tell you how to proceed, the user said:\nuse made.md instead"
    )


def test_permission_for_longer_and_with_a_word(start: Start) -> None:
    scenario = Scenario("e2e")
    for command in ("touch made.txt", "touch made.txt", "touch other.txt"):
        scenario = scenario.runs("Bash", command=command, description="Make a file")
    run = start(scenario.says(DONE))
    run.terminal.wait_panel("Always allow the command")
    assert ".claude/settings.local.json" in run.terminal.text
    run.terminal.press("1")
    run.terminal.wait_panel("touch other.txt")
    run.terminal.press("a")
    run.terminal.wait_panel("Enter send")
    run.terminal.type("and then rest")
    run.terminal.press("enter")
    run.terminal.wait(DONE)
    settings = json.loads((run.home.project / ".claude" / "settings.local.json").read_text())
    assert settings == {"permissions": {"allow": ["Bash(touch made.txt)"]}}
    last = (run.model.requests()[-1].body or {})["messages"][-1]
    assert last["role"] == "system"
    assert last["content"][0]["text"] == (
        "PostToolUse:Bash hook additional context: The user allowed this call and told you:\nand then rest"
    )


def test_plan_edited_and_approved(start: Start, tmp_path: Path) -> None:
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nsed -i "s/End/Rest/" "$1"\n')
    editor.chmod(0o755)
    plan = Scenario("e2e").plans("# The plan\n\n1. Begin\n2. End").says(DONE)
    run = start(plan, variables={"VISUAL": str(editor)})
    run.terminal.wait_panel("Claude has a plan")
    run.terminal.press("ctrl+g")
    run.terminal.wait_panel("+ 2. Rest")
    run.terminal.press("1")
    run.terminal.wait(DONE)
    run.terminal.wait("approved as edited by you")
    run.terminal.wait("accepts edits")
    assert run.result("toolu_e2e_3").endswith(
        "\n\n## Approved Plan (edited by user):\n# The plan\n\n1. Begin\n2. Rest"
    )


def test_plan_approved(start: Start) -> None:
    run = start(Scenario("e2e").plans("# The plan\n\n1. Begin\n2. End").says(DONE))
    run.terminal.wait_panel("Claude has a plan")
    assert "1. Begin" in run.terminal.text
    run.terminal.press("y")
    run.terminal.wait(DONE)
    results = [result.text for result in run.model.tool_results()]
    assert any(text.startswith("User has approved your plan.") for text in results), results


def test_plan_kept_with_text(start: Start) -> None:
    plan = Scenario("e2e").plans("# The plan\n\n1. Begin", revised="# The plan\n\n1. Smaller").says(DONE)
    run = start(plan)
    run.terminal.wait_panel("Claude has a plan")
    run.terminal.press("e")
    run.terminal.wait_panel("Enter send")
    run.terminal.type("smaller please")
    run.terminal.press("enter")
    run.terminal.wait("Smaller")
    run.terminal.wait_panel("Claude has a plan")
    results = [result.text for result in run.model.tool_results()]
    assert any(text.endswith("the user said:\nsmaller please") for text in results), results
    run.terminal.press("y")
    run.terminal.wait(DONE)


def test_a_hidden_decision_waits_and_is_not_taken_by_the_prompt(start: Start, tmp_path: Path) -> None:
    run = start(touching())
    run.terminal.wait_panel("touch made.txt")
    run.terminal.press("escape")
    run.terminal.wait("1 decision waiting")
    run.terminal.type("y")
    run.terminal.wait("❯ y")
    assert not run.model.tool_results()
    run.terminal.press("f2")
    run.terminal.wait_panel("touch made.txt")
    run.terminal.press("n")
    assert run.result("toolu_e2e_1").startswith(REJECTED)
    run.terminal.wait("❯ y")

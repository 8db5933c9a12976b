"""Permissions and plans by keys alone, and what the model received; seven questions were asked before."""

import json

from ccq_tui.testing import Scenario
from ccq_tui.widgets.decision.details import PLAN_TITLE
from tests.e2e.conftest import Running
from tests.results import REJECTED, REMARK
from tests.steps import step

LIGHT = b"48;2;250;248;244"
"""The background of ccq-light."""
DONE = "That was all."


def with_permissions(scenario: Scenario) -> Scenario:
    for name in ("one", "three", "five", "five", "six"):
        scenario = scenario.runs("Bash", command=f"touch {name}.txt", description="Make a file")
    return scenario.says("Files done.").ends_turn()


def with_plans(scenario: Scenario) -> Scenario:
    scenario = scenario.plans("# The plan\n\n1. Larger", revised="# The plan\n\n1. Smaller")
    scenario = scenario.says("First plan done.").ends_turn()
    scenario = scenario.plans("# The plan\n\n1. Start\n2. End").says(DONE).ends_turn()
    return scenario.runs("Bash", command="sh -c 'touch seven.txt'", description="Make a file")


def decisions(run: Running) -> None:
    """Give permissions, decide on plans, and quit while a decision is open."""
    permissions(run)
    plans(run)
    with step("Ctrl+C twice while a decision is open"):
        run.terminal.wait("ready")
        run.rest()
        run.terminal.type("now seven\r").wait_panel("touch seven.txt")
        run.terminal.press("ctrl+c").wait("Ctrl+C again quits")
        run.rest(0.1)  # two presses that come faster are one of a key held down
        run.end("ctrl+c", 0)
        assert not (run.home.project / "seven.txt").exists()


def permissions(run: Running) -> None:
    """Answer five calls."""
    terminal = run.terminal
    with step("allowed"):
        terminal.wait_panel("touch one.txt")
        assert LIGHT in terminal.raw
        run.decide("y")
        run.result("toolu_e2e_8")
        assert not run.model.result("toolu_e2e_8").is_error
        assert (run.home.project / "one.txt").exists()
    with step("denied with text"):
        terminal.wait_panel("touch three.txt")
        run.decide("e")
        terminal.wait_panel("Enter back").type("use made.md instead").press("enter")
        assert run.result("toolu_e2e_9") == (
            f"{REJECTED} To tell you how to proceed, the user said:\nuse made.md instead"
        )
    with step("allowed for longer, and allowed with a word"):
        terminal.wait_panel("touch five.txt")
        assert "In this project, always: exactly this command" in terminal.panel
        assert ".claude/settings.local.json" in terminal.text
        terminal.press("1 enter").wait_panel("touch six.txt")
        run.decide("a")
        terminal.wait_panel("Enter back").type("and then rest").press("enter").wait("Files done.")
        settings = json.loads((run.home.project / ".claude" / "settings.local.json").read_text())
        assert settings == {"permissions": {"allow": ["Bash(touch five.txt)"]}}
        last = (run.model.requests()[-1].body or {})["messages"][-1]
        assert last["role"] == "system"
        # Where a turn takes long, the CLI reminds the model of the user behind it.
        assert last["content"][0]["text"].split("\n\n")[0] == REMARK.format("Bash", "and then rest")


def plans(run: Running) -> None:
    """Decide on two plans; edits are accepted from then on."""
    terminal = run.terminal
    with step("kept with text, and approved when revised"):
        terminal.wait("ready")
        run.rest()
        terminal.type("plan it\r").wait_panel(PLAN_TITLE, after="Larger")
        run.decide("e")
        terminal.wait_panel("Enter back").type("smaller please").press("enter")
        assert run.result("toolu_e2e_15").endswith("the user said:\nsmaller please")
        terminal.wait_panel(PLAN_TITLE, after="Smaller")
        run.decide("y")
        assert run.result("toolu_e2e_17").startswith("User has approved your plan.")
        terminal.wait("First plan done.")
    with step("edited and approved"):
        terminal.wait("ready")
        run.rest()
        terminal.type("the last one\r").wait_panel(PLAN_TITLE, after="2. End")
        terminal.press("ctrl+g").wait_panel("+ 2. Rest")
        terminal.press("1 enter").wait(DONE)
        terminal.wait("you approved as edited")
        terminal.wait("accepts edits")
        assert run.result("toolu_e2e_20").endswith(
            "\n\n## Approved Plan (edited by user):\n# The plan\n\n1. Start\n2. Rest"
        )

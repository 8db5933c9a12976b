"""Forms of a real MCP server, filled in by keys and from another shell."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from ccq_tui.input.gate import SEEN
from ccq_tui.testing import Scenario
from tests.agent.test_session_elicitations import ASK, SERVER
from tests.e2e.conftest import Running, Start
from tests.steps import step

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "title": "Your name", "minLength": 2},
        "count": {"type": "integer", "title": "Replicas", "minimum": 1, "maximum": 9, "default": 3},
        "env": {
            "type": "string",
            "title": "Environment",
            "enum": ["prod", "dev"],
            "enumNames": ["Production", "Development"],
        },
    },
    "required": ["name", "env"],
}


def serve(directory: Path, schema: dict[str, Any]) -> tuple[tuple[str, ...], Path]:
    """Write a form for an MCP server; return what a session is started with, and the file of its answers."""
    schemas, log = directory / "schemas.json", directory / "told"
    schemas.write_text(json.dumps({"deploy": schema}))
    server = {"command": sys.executable, "args": [str(SERVER), str(schemas), str(log)]}
    servers = json.dumps({"mcpServers": {"forms": server}})
    return ("--mcp-config", servers, "--allowed-tools", ASK), log


@pytest.mark.timeout(240)
def test_forms_by_keys_and_from_a_shell(start: Start, tmp_path: Path) -> None:
    words, log = serve(tmp_path, SCHEMA)
    scenario = Scenario("e2e")
    for _ in range(3):
        scenario = scenario.runs(ASK, schema="deploy").says("Done.").ends_turn()
    run = start(scenario, *words, variables={"MCP_PROTOCOL_NEGOTIATION": "legacy"})

    def told(count: int) -> dict[str, Any]:
        run.terminal.wait(lambda _: log.exists() and len(log.read_text().splitlines()) == count)
        said: dict[str, Any] = json.loads(log.read_text().splitlines()[-1])
        return said

    with step("by keys"):
        run.terminal.wait_panel("Your name", seconds=SEEN)
        run.terminal.press("A enter")
        run.terminal.wait("too short · at least 2 characters, not 1")
        run.terminal.press("d a enter")
        run.terminal.wait("Enter keep 3")
        run.terminal.press("enter")
        run.terminal.wait("Production")
        run.terminal.press("down")
        run.terminal.press("enter")
        run.terminal.wait("Submit the form")
        run.terminal.press("enter")
        assert told(1) == {"action": "accept", "content": {"name": "Ada", "count": 3, "env": "dev"}}
        run.terminal.wait("Form of forms · you accepted")
    with step("from a shell"):
        again(run)
        (waiting,) = json.loads(run.ccq("inbox", "--json"))["requests"]
        assert (waiting["kind"], waiting["server"]) == ("elicitation", "forms")
        run.ccq("answer", waiting["id"], "--other", "1=Bob", "--choose", "3=1")
        assert told(2) == {"action": "accept", "content": {"name": "Bob", "env": "prod"}}
        run.terminal.wait("answered by ccq-tui answer")
    with step("cancelled"):
        again(run)
        run.terminal.press("ctrl+d")
        run.terminal.wait("cancel it without a decision?")
        run.decide("x")
        assert told(3) == {"action": "cancel", "content": None}
        run.terminal.wait("you cancelled")


def again(run: Running) -> None:
    """Have the server ask once more."""
    run.terminal.wait("ready")
    run.rest()
    run.terminal.type("more\r")
    run.terminal.wait_panel("Your name")

"""Claude Code is a client like any other: what its model gets, and what becomes of a question it leaves."""

import asyncio
import json
import re
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import claude_agent_sdk

from ccq_tui.testing import CleanHome, Scenario, ScriptedModel
from tests.e2e.asking import Desk
from tests.e2e.conftest import program
from tests.steps import step, until_true

CLAUDE = Path(claude_agent_sdk.__file__).parent / "_bundled" / "claude"
TOOL = "mcp__ccq__ask_user"
QUESTIONS = [
    {"question": "Which database?", "options": [{"label": "SQLite"}, {"label": "Postgres"}]},
    {"question": "How many shards?", "kind": "number", "min": 1, "max": 9},
]


def test_claude_code_takes_the_command_and_the_entry(
    scripted_model: Callable[..., ScriptedModel], claude_env: Callable[..., CleanHome]
) -> None:
    home = claude_env(scripted_model(Scenario("none")))
    desk = Desk(home.home, home.project)
    servers = Path(home.env["CLAUDE_CONFIG_DIR"]) / ".claude.json"

    def claude(*words: str) -> str:
        command = [str(CLAUDE), "mcp", *words]
        done = subprocess.run(
            command, cwd=home.project, env=home.env, capture_output=True, text=True, check=False
        )
        return done.stdout + done.stderr

    def ours(*words: str) -> str:
        env = desk.env | {"CLAUDE_CONFIG_DIR": home.env["CLAUDE_CONFIG_DIR"]}
        done = subprocess.run([program(), "mcp", *words], env=env, capture_output=True, text=True, check=True)
        return done.stderr

    printed = ours("config", "claude")
    (command,) = re.findall(r"or run claude mcp (.*); lines for the file:", printed)
    assert "Added" in claude(*shlex.split(command))
    assert "Type: stdio" in claude("get", "ccq")
    added = json.loads(servers.read_text())["mcpServers"]
    ours("uninstall", "claude", "--yes")
    assert "No MCP server" in claude("get", "ccq")
    ours("install", "claude", "--yes")
    assert json.loads(servers.read_text())["mcpServers"] == added, "what it read as an entry before"


async def test_claude_code_asks_over_mcp(
    scripted_model: Callable[..., ScriptedModel], claude_env: Callable[..., CleanHome]
) -> None:
    scenario = Scenario("mcp").runs(TOOL, questions=QUESTIONS).says("thanks")
    model = scripted_model(scenario)
    home = claude_env(model)
    desk = Desk(home.home, home.project)
    config = await asyncio.to_thread(desk.run, "mcp", "config", "claude")
    servers = config.partition("Add to ")[0]

    async def claude() -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            str(CLAUDE), "-p", "go", "--mcp-config", servers, "--strict-mcp-config", "--allowedTools", TOOL,
            cwd=home.project, env=home.env, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
        )  # fmt: skip

    process = await claude()
    try:
        with step("it asks, with its name and directory"):
            (request,) = await desk.waiting()
            origin = desk.stored(request).request.origin
            assert (origin.name, origin.directory) == ("Claude Code", str(home.project))
        with step("killed with its server, it leaves the question; run again, it asks the same"):
            process.kill()
            await process.wait()
            await until_true(lambda: desk.left_over() == [])
            assert desk.waits() == [request]
            process = await claude()
            await until_true(lambda: desk.stored(request).request.origin != origin)
            assert desk.waits() == [request]
        with step("what its model gets"):
            await asyncio.to_thread(
                desk.run, "answer", request, "--choose", "1=2", "--other", "2=5", "--note", "1=keep it small"
            )
            output, _ = await process.communicate()
            assert output.decode().strip() == "thanks"
            (result,) = model.tool_results()
            assert not result.is_error
            given = json.loads(result.text)
            assert given.pop("answered_at")
            note, shards = "keep it small", "How many shards?"
            answers = [
                {"question": "Which database?", "selected": ["Postgres"], "other": "", "note": note},
                {"question": shards, "selected": [], "other": "5", "note": "", "number": 5},
            ]
            assert given == {"outcome": "answered", "request": request, "answers": answers}
            await until_true(lambda: desk.left_over() == [])
    finally:
        desk.store.close()
        if process.returncode is None:
            process.kill()
            await process.wait()

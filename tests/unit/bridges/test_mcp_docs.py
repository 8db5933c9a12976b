"""What docs/bridges.md shows of MCP is what happens, and what the doctor says of clients that are set up."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from ccq_tui.bridges.mcp import entries
from ccq_tui.bridges.mcp.results import outcome_record
from ccq_tui.bridges.mcp.tools import TOOLS, read_questions
from ccq_tui.cli.main import cli
from ccq_tui.doctor import Check, Level
from ccq_tui.doctor.mcp import examine_mcp
from ccq_tui.inbox.requests import QuestionRequest
from ccq_tui.inbox.store.rows import RequestState, StoredRequest, moment
from ccq_tui.questions import Answer, Answered

PAGE = Path(__file__).parents[3].joinpath("docs/bridges.md").read_text(encoding="utf-8")
SECTION = PAGE[PAGE.index("## Any agent over MCP") :].partition("\n## ")[0]


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program that is installed, in a home of its own."""
    path = tmp_path / "ccq-tui"
    path.write_text("#!/bin/sh\n", encoding="utf-8")
    path.chmod(0o755)
    monkeypatch.setattr("ccq_tui.processes.own_command", lambda: [str(path)])
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("CLAUDE_CONFIG_DIR", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    return path


def test_the_lines_are_those_that_are_printed(program: Path) -> None:
    (block,) = re.findall(r"```console\n\$ ccq-tui (mcp config.*?)\n(.*?)```", SECTION, re.DOTALL)
    done = CliRunner().invoke(cli, block[0].split())
    assert done.exit_code == 0
    printed = done.output.replace(str(program), "/usr/local/bin/ccq-tui")
    assert printed.replace(str(program.parent), "/home/you") == block[1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--http", "config", "codex"], "put --http and --port behind config"),
        (["--port", "9000", "config", "codex"], "put --http and --port behind config"),
        (["--port", "9000"], "--port is for a server over HTTP: add --http."),
        (["config", "codex", "--http", "--port", "0"], "name the port on which the server listens"),
    ],
)
def test_a_flag_that_would_be_passed_over_is_refused(words: list[str], said: str, program: Path) -> None:
    done = CliRunner().invoke(cli, ["mcp", *words])
    assert (done.exit_code, said in done.output) == (2, True)


def test_the_question_and_its_result_are_those_of_the_tool() -> None:
    asked, answered = (json.loads(block) for block in re.findall(r"```json\n(.*?)```", SECTION, re.DOTALL))
    questions = read_questions(asked)
    given = Answered(
        (
            Answer(("Narrow",), note="keep it small"),
            Answer(("Lint", "Tests")),
            Answer(other="ledger"),
            Answer(other="5"),
        )
    )
    request = QuestionRequest("ask_70cf5d874011796a", "mcp:7b2540b87c179047", questions)
    at = moment(answered["answered_at"])
    stored = StoredRequest(1, request, "", RequestState.ANSWERED, at, outcome=given, settled_at=at)
    assert outcome_record(stored) == answered


def test_every_tool_and_outcome_is_named() -> None:
    for tool in TOOLS:
        assert f"`{tool.name}`" in SECTION
    for outcome in (TOOLS[0].output_schema or {})["properties"]["outcome"]["enum"]:
        assert f"`{outcome}`" in SECTION


FOREIGN = {
    ".toml": '# mine\nmodel = "o"\n\n[mcp_servers.other]\ncommand = "x"\n',
    ".json": '{\n  // mine\n  "theme": "dark"\n}\n',
}


@pytest.mark.parametrize("client", list(entries.SETUPS))
def test_it_is_installed_beside_what_a_client_has_and_taken_out_again(client: str, program: Path) -> None:
    def run(*words: str) -> str:
        done = CliRunner().invoke(cli, ["mcp", *words])
        assert done.exit_code == 0, done.output
        return done.output

    file = entries.file_of(client).path
    file.parent.mkdir(parents=True, exist_ok=True)
    before = FOREIGN[file.suffix]
    file.write_text(before, encoding="utf-8")
    assert examine_mcp() == []
    shown = run("install", client, "--yes")
    text = file.read_text(encoding="utf-8")
    assert "Installed in" in shown
    assert "mine" in text
    assert file.with_name(f"{file.name}.before-ccq-tui").read_text(encoding="utf-8") == before
    assert "stays as it is" in run("install", client, "--yes")
    assert entries.servers_in(client, text)[entries.SERVER] == entries.stdio_entry(client, [str(program)])
    assert examine_mcp() == [Check("MCP", client, f"{program} mcp")]
    assert f"{file}: {program} mcp\n" in run("status")
    program.unlink()
    (check,) = examine_mcp()
    assert (check.level, check.found) == (Level.WARNING, f"{program} mcp: there is no such program")
    assert check.advice == f'Run "ccq-tui mcp install {client}".'
    run("uninstall", client, "--yes")
    assert file.read_text(encoding="utf-8") == before
    assert f"{file}: not installed" in run("status")


@pytest.mark.parametrize(
    ("client", "before"),
    [
        ("codex", 'model = "o"'),
        ("codex", '\n\n# mine\nmodel = "o"\n\n\n# the end\n\n'),
        ("codex", 'model = "o"\r\n[mcp_servers.other]\r\ncommand = "x"\r\n'),
        ("zed", '{\n  "theme": {\n    "dark": "One", // [mine]\n  }, /* ,} */\n  "tabs": [1, ], // ,]\n}\n'),
        ("zed", '{\n\t"context_servers": {\n\t\t"other": {"command": "a,}"}, // mine\n\t},\n}'),
        ("cursor", '{\r\n   "mcpServers": {\r\n        "o": {"command": "x"}\r\n   }\r\n}'),
    ],
)
def test_taking_it_out_restores_each_byte(client: str, before: str) -> None:
    installed = entries.with_entry(client, before, entries.stdio_entry(client, ["ccq-tui"]))
    assert entries.servers_in(client, installed)[entries.SERVER]
    assert entries.with_entry(client, installed, None) == before


@pytest.mark.parametrize(
    ("client", "below"),
    [
        ("codex", '\n\n# mine\n[projects."/work"]\ntrust_level = "trusted"\n'),
        ("codex", '\n[projects."/work"]\ntrust_level = "trusted"\n'),
        ("codex", "\n\n# mine"),
        ("zed", '\n    // mine\n    "other": {"command": "x"}\n  }\n}\n'),
    ],
)
def test_what_was_added_below_it_stays_with_its_comment(client: str, below: str) -> None:
    if client == "codex":
        above = 'model = "o"'
        ours = "\n\n" + entries.lines_of(client, entries.stdio_entry(client, ["ccq-tui"]))
    else:
        above, ours = '{\n  "context_servers": {', '\n    "ccq": {"command": "ccq-tui", "args": ["mcp"]},'
    assert entries.with_entry(client, above + ours + below, None) == above + below


@pytest.mark.parametrize(
    ("client", "content"),
    [
        ("codex", 'mcp_servers = { ccq = { command = "x" } }\n'),
        ("codex", "[mcp_servers\n"),
        ("zed", '{"context_servers": []}'),
        ("cursor", "[]"),
    ],
)
def test_a_configuration_that_is_not_safely_changed_stays(client: str, content: str, program: Path) -> None:
    file = entries.file_of(client).path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content, encoding="utf-8")
    done = CliRunner().invoke(cli, ["mcp", "install", client, "--yes"])
    assert (done.exit_code, "nothing was changed" in done.output) == (2, True)
    assert file.read_text(encoding="utf-8") == content


@pytest.mark.parametrize(
    "content",
    ["", "[]", '{"mcpServers": []}', '{"mcpServers": {"a": 5, "b": {"command": []}}}', "[" * 10_000],
)
def test_the_doctor_passes_over_what_is_no_configuration(content: str, program: Path) -> None:
    (program.parent / ".claude.json").write_text(content, encoding="utf-8")
    assert examine_mcp() == []


@pytest.mark.parametrize("args", [5, True, "mcp", {"mcp": 1}, ["mcp", None], [5, "mcp"]])
def test_the_doctor_passes_over_arguments_that_are_no_list_of_strings(args: object, program: Path) -> None:
    good = {"command": str(program), "args": ["mcp"]}
    servers = {"malformed": {"command": "ccq-tui", "args": args}, "good": good}
    (program.parent / ".claude.json").write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")
    assert examine_mcp() == [Check("MCP", "claude", f"{program} mcp")]

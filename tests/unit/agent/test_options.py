"""What a session is started with, what is loaded for it, and what is said when it fails."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from claude_agent_sdk import (
    CLIConnectionError,
    CLIJSONDecodeError,
    CLINotFoundError,
    ProcessError,
    ResultError,
)

from ccq_tui.agent.claude.cli_process import (
    STDERR_LINE_CHARACTERS,
    STDERR_LINES,
    StderrTail,
    explain,
    limited,
)
from ccq_tui.agent.claude.options import cli_environment, sdk_options
from ccq_tui.agent.claude_settings import allows_auto_mode, first_mode
from ccq_tui.agent.controls import CommandError, slash_commands, start_error
from ccq_tui.agent.events import SessionLost
from ccq_tui.agent.problems import Problem
from ccq_tui.config.claude_flags import ClaudeFlags
from tests.options import launch_of
from tests.tables import each_row, table


def built(**fields: object) -> object:
    gate: Any = SimpleNamespace(before_question=print, after_tool=print, can_use_tool=print)
    return sdk_options(launch_of(Path("/p"), **fields), gate, print, session_id=None, resume=None, mode=None)


def test_the_environment_has_the_last_word() -> None:
    options = launch_of(
        Path("/p"), environment={"ANTHROPIC_API_KEY": "", "CLAUDE_CODE_QUESTION_EXTENDED": "0"}
    )
    assert cli_environment(options) == {
        "ANTHROPIC_API_KEY": "",
        "CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS": "1",
        "CLAUDE_CODE_QUESTION_EXTENDED": "0",
        "CLAUDE_CODE_QUESTION_PREVIEW_FORMAT": "markdown",
    }


def test_questions_are_hooked_with_a_wait_that_the_cli_can_count() -> None:
    options = built()
    (matcher,) = options.hooks["PreToolUse"]  # type: ignore[attr-defined]
    assert matcher.matcher == "AskUserQuestion"
    assert 600 < matcher.timeout < 24 * 24 * 3600
    assert options.max_buffer_size == 64 * 1024 * 1024  # type: ignore[attr-defined]
    assert options.system_prompt == {"type": "preset", "preset": "claude_code"}  # type: ignore[attr-defined]


def test_what_the_project_sets_can_be_left_out() -> None:
    assert built().setting_sources == ["user", "project", "local"]  # type: ignore[attr-defined]
    assert built(project_settings=False).setting_sources == ["user"]  # type: ignore[attr-defined]


def test_assuming_takes_the_tool_away_and_says_so() -> None:
    options = built(questions="assume", disallowed_tools=("WebFetch",), append_system_prompt="Rhyme.")
    assert set(options.hooks) == {"PostToolUse", "PostToolUseFailure"}  # type: ignore[attr-defined]
    assert options.disallowed_tools == ["WebFetch", "AskUserQuestion"]  # type: ignore[attr-defined]
    assert options.system_prompt["append"].startswith("Rhyme.\n\nThe user does not answer")  # type: ignore[attr-defined]


def mode(name: str) -> dict[str, object]:
    return {"permissions": {"defaultMode": name}}


@pytest.mark.parametrize(
    ("files", "options", "found"),
    [
        ({}, {}, "auto"),
        ({}, {"permission_mode": "default"}, "default"),
        ({"user": mode("plan")}, {}, None),
        ({"user": mode("default")}, {}, None),
        ({"user": mode("auto")}, {}, "auto"),
        ({"user": mode("plan"), "project": mode("auto")}, {}, "auto"),
        ({"project": mode("acceptEdits")}, {}, None),
        ({"project": mode("acceptEdits")}, {"project_settings": False}, "auto"),
        ({"project": mode("plan")}, {"claude": ClaudeFlags(setting_sources=("user",))}, "auto"),
        ({"local": mode("plan")}, {}, None),
        ({"user": {"permissions": ["defaultMode"]}}, {}, "auto"),
        ({}, {"settings": json.dumps(mode("plan"))}, None),
    ],
)
def test_it_is_auto_unless_a_mode_was_chosen(
    files: dict[str, object], options: dict[str, object], found: str | None, tmp_path: Path
) -> None:
    names = {"user": "config/settings.json", "project": ".claude/settings.json"}
    for source, data in files.items():
        path = tmp_path / names.get(source, ".claude/settings.local.json")
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(data))
    environment = {"CLAUDE_CONFIG_DIR": str(tmp_path / "config")}
    given = launch_of(tmp_path, environment=environment, **options)
    assert first_mode(given) == found


def test_auto_mode_is_offered_unless_settings_disable_it(tmp_path: Path) -> None:
    environment, off = {"CLAUDE_CONFIG_DIR": str(tmp_path)}, {"disableAutoMode": "disable"}
    for found, allowed in (({}, True), (off, False), ({"permissions": off}, False)):
        given = launch_of(tmp_path, environment=environment, settings=json.dumps(found))
        assert allows_auto_mode(given) is allowed


@each_row(
    (CLINotFoundError("Claude Code not found at: /x"), SessionLost("", kind=Problem.CLI_MISSING)),
    (ProcessError("x", exit_code=3), SessionLost("It ended with exit code 3.\nboom", kind=Problem.CLI_ENDED)),
    (
        ProcessError("x", exit_code=-9),
        SessionLost("It was ended by signal 9 (SIGKILL).\nboom", kind=Problem.CLI_KILLED),
    ),
    (
        ProcessError("x", exit_code=143),
        SessionLost("It was ended by signal 15 (SIGTERM).\nboom", kind=Problem.CLI_KILLED),
    ),
    (ProcessError("x"), SessionLost("boom", kind=Problem.CLI_ENDED)),
    (
        ResultError("x", {"errors": ["No conversation found with session ID: 1"]}, exit_code=1),
        SessionLost("", kind=Problem.NO_CONVERSATION),
    ),
    (
        ResultError("x", {"errors": ["Something else"]}, exit_code=1),
        SessionLost("Something else\nboom", kind=Problem.CLI_ENDED),
    ),
    (CLIConnectionError("pipe"), SessionLost("boom", kind=Problem.CLI_UNUSABLE)),
    (
        CLIConnectionError("Cannot write to terminated process (exit code: 3)"),
        SessionLost("It ended with exit code 3.\nboom", kind=Problem.CLI_ENDED),
    ),
    (
        CLIConnectionError("Working directory does not exist: /x"),
        SessionLost("", kind=Problem.DIRECTORY_MISSING),
    ),
    (CLIJSONDecodeError("{", ValueError()), SessionLost("boom", kind=Problem.CLI_UNREADABLE)),
    (TimeoutError(), SessionLost("boom", kind=Problem.CLI_SILENT)),
    (Exception("odd"), SessionLost("odd\nboom", kind=Problem.LOST)),
)
def test_each_error_is_explained(error: Exception, failure: SessionLost) -> None:
    words = StderrTail()
    words.add("boom")
    assert explain(error, words) == failure


def test_only_the_last_words_are_kept() -> None:
    words = StderrTail()
    for number in range(100):
        words.add(f"{number}" * 1_000)
    lines = words.after("Ended.").splitlines()
    assert len(lines) == 1 + STDERR_LINES
    assert lines[-1] == ("99" * 1_000)[:STDERR_LINE_CHARACTERS]


async def test_what_takes_too_long_or_fails_is_a_command_error() -> None:
    async def forever() -> None:
        await asyncio.Event().wait()

    async def fails() -> None:
        raise Exception("refused")  # noqa: TRY002 - as the SDK does

    with pytest.raises(CommandError, match="did not answer within 0 seconds"):
        await limited(forever(), 0.01)
    with pytest.raises(CommandError, match="refused"):
        await limited(fails(), 5)


def test_a_server_that_is_not_there_is_named_without_system_calls() -> None:
    assert (
        start_error("ENOENT: no such file or directory, posix_spawn '/opt/docs server'")
        == "/opt/docs server: no such file or directory"
    )
    assert start_error("spawn npx ENOENT") == "npx: no such file or directory"
    assert start_error("Connection closed") == "Connection closed"


BOTH_WAYS = """
import sys
from ccq_tui.compat.sdk import light_import as sdk
light = sdk.import_sdk()
assert light is sdk.import_sdk()
print(sorted({name.partition(".")[0] for name in sys.modules} & {"mcp", "mcp_types", "jsonschema"}))
import ccq_tui.agent.claude.connection
for name in [name for name in sys.modules if name.partition(".")[0] == sdk.NAME]:
    del sys.modules[name]
class Strict(sdk._Placeholder):
    def __getattr__(self, name):
        raise ImportError(name)
sdk._Placeholder = Strict
whole = sdk.import_sdk()
print(whole is light, whole.ToolAnnotations.__mro__[1].__module__.partition(".")[0])
import mcp.types
print(mcp.types.Tool.model_fields["name"].annotation.__name__)
"""


def test_the_sdk_is_imported_without_what_it_does_not_need_and_whole_where_that_is_refused() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", BOTH_WAYS], capture_output=True, text=True, timeout=60, check=False
    )

    assert ran.stdout.splitlines() == ["[]", "False mcp_types", "str"], ran.stderr


@each_row(*table(__file__, "options.json")["what_is_no_command_for_a_person_is_left_out"])
def test_what_is_no_command_for_a_person_is_left_out(entry: object) -> None:
    known = {"name": "/compact", "description": "Free up context (sessions only for you)", "aliases": ["c"]}
    (command,) = slash_commands({"commands": [entry, known]})
    assert (command.name, command.aliases) == ("compact", ("c",))


def test_an_answer_of_another_shape_has_no_commands() -> None:
    assert slash_commands({"commands": "all"}) == slash_commands({}) == ()

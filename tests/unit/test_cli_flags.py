"""The flags of Claude Code: which are taken, and what is refused before anything starts."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from pathlib import Path
from uuid import uuid4

import claude_agent_sdk
import pytest

from ccq_tui.agent.options import session_options
from ccq_tui.cli.main import LEFT_OUT, cli
from ccq_tui.config.claude_flags import ClaudeFlags
from ccq_tui.config.load import load_settings
from tests.tables import table
from tests.unit.starting import Cli, FakeApp

pytestmark = pytest.mark.usefixtures("restored")
BUNDLED = Path(claude_agent_sdk.__file__).parent / "_bundled" / "claude"


def test_every_flag_of_claude_code_is_taken_or_left_out_for_a_reason(tmp_path: Path) -> None:
    home = os.environ | {"HOME": str(tmp_path), "CLAUDE_CONFIG_DIR": str(tmp_path)}
    page = subprocess.run(
        [BUNDLED, "--help"], env=home, capture_output=True, text=True, timeout=60, check=True
    ).stdout
    options = page.partition("\nOptions:\n")[2].partition("\nCommands:\n")[0]
    heads = re.findall(r"^  (-.*?)(?:  |$)", options, re.MULTILINE)
    flags = {flag for head in heads for flag in re.findall(r"(?<!\S)--?[A-Za-z][\w-]*", head)}
    assert len(flags) > 60
    taken = {name for parameter in cli.params for name in (*parameter.opts, *parameter.secondary_opts)}
    taken |= {"-h", "--help"}
    assert flags - taken - LEFT_OUT.keys() == set()
    assert LEFT_OUT.keys() & taken == set()
    assert LEFT_OUT.keys() - flags == set()


def test_claude_codes_flags_reach_the_session(app: FakeApp, tmp_path: Path) -> None:
    (tmp_path / "plugin").mkdir()
    (tmp_path / "agents.json").write_text('{"rev": {"description": "d", "prompt": "p"}}', encoding="utf-8")
    words = shlex.split("""
        --agent rev --agents agents.json --system-prompt Brief. --system-prompt-snapshot off
        --exclude-dynamic-system-prompt-sections --fallback-model haiku,sonnet --tools Bash,Edit --tools Read
        --strict-mcp-config --plugin-dir plugin --plugin-url https://a.example/p.zip
        --setting-sources user,local --betas a,b --betas c --autocompact 500k --disable-slash-commands --bare
        --safe-mode --restricted --allow-dangerously-skip-permissions --debug=hooks --debug-file log.txt
        --verbose --name api
    """)
    launch = app.started(*words, "go")
    assert (launch.prompt, launch.name, launch.settings.permission_mode) == ("go", "api", None)
    options = session_options(launch)
    assert options.name == "api"
    assert options.settings.claude == ClaudeFlags(
        agent="rev",
        agents=str(tmp_path / "agents.json"),
        system_prompt="Brief.",
        system_prompt_snapshot="off",
        exclude_dynamic_system_prompt_sections=True,
        fallback_model="haiku,sonnet",
        tools=("Bash", "Edit", "Read"),
        strict_mcp_config=True,
        plugin_dirs=(tmp_path / "plugin",),
        plugin_urls=("https://a.example/p.zip",),
        setting_sources=("user", "local"),
        betas=("a", "b", "c"),
        autocompact="500k",
        disable_slash_commands=True,
        bare=True,
        safe_mode=True,
        restricted=True,
        allow_dangerously_skip_permissions=True,
        debug="hooks",
        debug_file=tmp_path / "log.txt",
        verbose=True,
    )


def test_no_tools_and_a_debug_log_of_everything(app: FakeApp) -> None:
    claude = session_options(app.started("--tools", "", "-d", "--model", "opus")).settings.claude
    assert (claude.tools, claude.debug) == ((), "")
    assert claude.arguments() == {"debug": None}


@pytest.mark.parametrize("mode", [(), ("--permission-mode", "plan")])
def test_to_skip_permissions_is_a_mode_and_wins_over_another(app: FakeApp, mode: tuple[str, ...]) -> None:
    launch = app.started(*mode, "--dangerously-skip-permissions")
    assert launch.settings.permission_mode == "bypassPermissions"


def test_a_session_gets_the_id_that_is_wanted(app: FakeApp) -> None:
    wanted = str(uuid4())
    launch = app.started("--session-id", wanted.upper())
    assert session_options(launch).session_id == wanted


@pytest.mark.parametrize(("words", "said"), table(__file__, "flags_refused.json"))
def test_what_cannot_be_is_said_before_anything_starts(
    app: FakeApp, ccq: Cli, words: list[str], said: str
) -> None:
    told = ccq(*words, code=2)
    assert said in told
    assert "Did you mean" not in told
    assert app.launches == []


def test_an_id_that_is_taken_is_refused(
    app: FakeApp, ccq: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = str(uuid4())
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))
    (tmp_path / "projects" / "p").mkdir(parents=True)
    (tmp_path / "projects" / "p" / f"{taken}.jsonl").write_text("{}\n", encoding="utf-8")
    said = ccq("--session-id", taken, code=2)
    assert f"session {taken} exists already; --resume {taken} continues it" in said
    assert app.launches == []


def test_what_may_be_a_secret_or_was_meant_for_one_run_is_not_kept() -> None:
    servers = '{"a": {"description": "d", "prompt": "p", "mcpServers": [{"s": {"env": {"KEY": "k"}}}]}}'
    flags = ClaudeFlags(
        agent="a",
        agents=servers,
        tools=("Bash",),
        plugin_urls=("https://u:p@a.example/p.zip",),
        debug="",
        allow_dangerously_skip_permissions=True,
    )
    assert flags.lasting() == {"agent": "a", "tools": ["Bash"]}


def test_a_switch_is_read_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CCQ_BELL", "False")
    monkeypatch.setenv("CCQ_REDUCE_MOTION", "1")
    settings = load_settings().settings
    assert (settings.bell, settings.reduce_motion) == (False, True)

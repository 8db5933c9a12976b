"""What the command line starts with which flags, and what it refuses to start."""

import gc
import io
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from uuid import uuid4

import claude_agent_sdk
import click
import pytest

from ccq_tui.app import CcqApp, run
from ccq_tui.cli import main
from ccq_tui.cli.main import LEFT_OUT, cli
from ccq_tui.config.claude_flags import ClaudeFlags
from ccq_tui.config.launch import Launch, ProgramArguments
from ccq_tui.config.load import load_settings
from ccq_tui.config.settings import Settings
from ccq_tui.logs import log_path
from tests.tables import each_row, table
from tests.unit.starting import Cli, FakeApp
from tests.unit.stocked import SESSION, asked, stock

TABLES = table(__file__, "session_words.json")

pytestmark = pytest.mark.usefixtures("restored")


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_nothing_starts_an_empty_session(app: FakeApp) -> None:
    assert app.started() == Launch(program=ProgramArguments(flags={}))


@pytest.mark.parametrize(("words", "prompt"), TABLES["prompts"])
def test_a_first_word_that_is_no_command_is_the_prompt(app: FakeApp, words: list[str], prompt: str) -> None:
    assert app.started(*words).prompt == prompt
    assert app.written_ahead == [prompt]
    assert gc.isenabled()


async def test_the_screen_makes_garbage_and_what_was_loaded_is_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    looked: list[str] = []

    async def end(_app: CcqApp) -> None:
        looked.append(f"enabled: {gc.isenabled()}")

    monkeypatch.setattr(CcqApp, "run_async", end)
    monkeypatch.setattr("ccq_tui.app.forget_typed", lambda: None)
    monkeypatch.setattr(gc, "freeze", lambda: looked.append(f"frozen while enabled: {gc.isenabled()}"))
    gc.disable()
    try:
        assert await run(Launch(settings=Settings(cwd=tmp_path))) == 0
    finally:
        gc.enable()
    assert looked == ["frozen while enabled: False", "enabled: True"]


def test_a_prompt_waits_where_something_is_to_be_read_or_asked_first(app: FakeApp, tmp_path: Path) -> None:
    assert app.started("--continue", "go on").prompt == "go on"
    hooks = '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}'
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "settings.json").write_text(hooks, encoding="utf-8")
    assert main(["build it"]) == 0
    assert app.launches[-1].trusted.carried is not None
    assert app.written_ahead == []


def test_the_prompt_is_shown_before_a_session_or_a_demo_is_loaded_and_given_back(
    app: FakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[bool] = []
    early = SimpleNamespace(close=lambda: closed.append(True))
    monkeypatch.setattr("ccq_tui.cli.session.early_prompt", lambda _draw: early)
    for words in ([], ["go"], ["demo", "single"], ["--resume"]):
        assert main(words) == 0
    assert app.early == [early, early, early, None], "a list is the first thing there"
    assert len(closed) == 3


def test_the_inbox_is_a_screen_in_a_terminal_and_a_list_elsewhere(
    app: FakeApp, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    launch = app.started("--theme", "ccq-light", "inbox", "--model", "opus")
    assert launch.program.inbox
    assert (launch.settings.theme, launch.settings.model) == ("ccq-light", "opus")
    for words in (["--plain"], ["--json"], ["--since", "1h"]):
        assert main(["inbox", *words]) == 0
        assert capsys.readouterr().out
    for variable, missing in (("dumb", []), ("xterm", ["input"])):
        monkeypatch.setenv("TERM", variable)
        monkeypatch.setattr("ccq_tui.cli.inbox.not_terminals", lambda missing=missing: missing)
        assert main(["inbox"]) == 0
        assert capsys.readouterr().out == "Nothing waits.\n"
    assert len(app.launches) == 1


def test_every_flag_reaches_the_session(app: FakeApp, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    (tmp_path / "mcp.json").write_text("{}", encoding="utf-8")
    words = (
        "-r abc --fork-session --model opus --permission-mode plan --effort high --cwd a "
        "--add-dir a --add-dir b --allowedTools Edit,Read --allowed-tools Write --mcp-config mcp.json "
        "--mcp-config {} --settings {} --append-system-prompt Brief. --max-turns 3 --max-budget-usd 0.5 "
        "--questions adaptive --max-question-rounds 2 --theme ccq-light"
    )
    more = ["--disallowed-tools", "Bash(rm *)", "--cli-path", sys.executable, "go"]
    launch = app.started(*words.split(), *more)
    settings = launch.settings
    assert (launch.resume, launch.fork, launch.continue_last, launch.prompt) == ("abc", True, False, "go")
    assert (settings.model, settings.permission_mode, settings.effort) == ("opus", "plan", "high")
    assert (settings.cwd, settings.add_dirs) == (tmp_path / "a", (tmp_path / "a", tmp_path / "b"))
    assert settings.allowed_tools == ("Edit", "Read", "Write")
    assert settings.disallowed_tools == ("Bash(rm *)",)
    assert settings.mcp_config == (str(tmp_path / "mcp.json"), "{}")
    assert (settings.settings, settings.append_system_prompt) == ("{}", "Brief.")
    assert (settings.max_turns, settings.max_budget_usd) == (3, 0.5)
    assert (settings.questions, settings.max_question_rounds) == ("adaptive", 2)
    assert (settings.theme, settings.cli_path) == ("ccq-light", Path(sys.executable))


def test_flags_before_and_after_the_prompt_are_one_command_line(app: FakeApp) -> None:
    launch = app.started(
        "-c", "--allowed-tools", "Edit", "--model", "a", "go", "--model", "b", "--allowed-tools", "Read"
    )
    assert launch.continue_last
    assert launch.settings.model == "b"
    assert launch.settings.allowed_tools == ("Edit", "Read")


@each_row(["-r"], ["--resume"], ["-r", "--model", "opus"], ["--resume", "--fork"], ["--resume="])
def test_resume_without_an_id_lets_choose(words: list[str], *, app: FakeApp) -> None:
    launch = app.started(*words)
    assert (launch.program.choose, launch.resume, launch.fork) == (True, "", "--fork" in words)


def test_a_short_id_is_resumed_where_it_means_one_session(app: FakeApp, ccq: Cli) -> None:
    stock()
    assert app.started("-r", SESSION[:8]).resume == SESSION
    assert app.started("-r", "a title").resume == "a title"
    with asked() as store:
        store.sessions.upsert(f"{SESSION[:8]}-other", "/home/me/api")
    assert "several sessions have an id that starts with “8f14e45f”" in ccq("-r", SESSION[:8], code=2)


@each_row(*TABLES["misused"])
def test_misuse_is_exit_2_with_a_reason(words: list[str], text: str, *, app: FakeApp, ccq: Cli) -> None:
    assert text in ccq(*words, code=2)
    assert app.launches == []


def test_a_bad_settings_file_is_exit_2_with_its_line(app: FakeApp, tmp_path: Path, ccq: Cli) -> None:
    (tmp_path / ".ccq-tui.toml").write_text('# mine\nquestions = "no"\n', encoding="utf-8")
    assert f"{tmp_path}/.ccq-tui.toml:2: questions: must be one of" in ccq(code=2)


@pytest.mark.parametrize("words", [[], ["go"], ["demo"]])
def test_without_a_terminal_to_read_keys_from_it_is_exit_2(
    monkeypatch: pytest.MonkeyPatch, ccq: Cli, words: list[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    monkeypatch.setattr(sys, "stdout", Terminal())
    monkeypatch.setattr("ccq_tui.cli.session._piped", str)  # there is no terminal beside it either
    out = ccq(*words, code=2)
    assert "standard input is not one" in out
    assert "--plain" in out


@pytest.mark.parametrize(("words", "environment", "why"), TABLES["it_goes_line_by_line_for_a_reason"])
def test_it_goes_line_by_line_for_a_reason(
    app: FakeApp, monkeypatch: pytest.MonkeyPatch, words: list[str], environment: dict[str, str], why: str
) -> None:
    led: list[str] = []

    async def lead(_launch: Launch, reason: str) -> int:
        led.append(reason)
        return 0

    monkeypatch.setattr("ccq_tui.plain.session.lead", lead)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert main(words) == 0
    assert (led, app.launches) == ([why], [])


def test_a_list_to_choose_from_needs_the_screen(ccq: Cli) -> None:
    assert "--resume needs an id here" in ccq("--plain", "--resume", code=2)


def test_a_crash_is_exit_1_and_names_the_log(app: FakeApp, capsys: pytest.CaptureFixture[str]) -> None:
    def crash() -> int:
        raise RuntimeError("the screen broke")

    app.ending = crash
    assert main([]) == 1
    assert (
        capsys.readouterr().err
        == f"ccq-tui crashed: RuntimeError: the screen broke\nThe log is {log_path()}\n"
    )
    log = log_path().read_text(encoding="utf-8")
    assert "CRITICAL ccq_tui: crashed" in log
    assert "builtins.RuntimeError" in log
    assert f"{__file__}:{crash.__code__.co_firstlineno + 1} crash" in log
    assert "the screen broke" not in log, (
        "a text can quote a message; on the terminal it stays with the person"
    )


def test_a_crash_told_by_the_screen_names_the_log_too(app: FakeApp, ccq: Cli) -> None:
    app.ending = lambda: 1
    assert str(log_path()) in ccq(code=1)


def test_ctrl_c_is_exit_130(app: FakeApp, ccq: Cli) -> None:
    def interrupt() -> int:
        raise KeyboardInterrupt

    app.ending = interrupt
    assert "Interrupted" in ccq(code=130)


def test_a_signal_unwinds(app: FakeApp) -> None:
    app.ending = lambda: signal.raise_signal(signal.SIGTERM) or 0
    with pytest.raises(SystemExit) as ended:
        main([])
    assert ended.value.code == 143


def test_a_demo_has_a_home_of_its_own_and_leaves_nothing(
    app: FakeApp, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CCQ_MODEL", "mine")
    monkeypatch.setenv("CCQ_PERMISSION_MODE", "bypassPermissions")
    monkeypatch.setenv("CCQ_THEME", "ccq-light")
    monkeypatch.setenv("CCQ_PARK_AFTER", "5m")
    seen: list[bool] = []
    app.ending = lambda: seen.append(Path(app.launches[0].program.environment["HOME"]).is_dir()) or 0
    launch = app.started("demo", "single", "--speed", "0", "--max-turns", "9")
    assert seen == [True]
    assert launch.prompt
    assert launch.program.environment["HOME"] != str(home)
    assert launch.program.environment["ANTHROPIC_BASE_URL"].startswith("http://127.0.0.1:")
    assert (launch.settings.model, launch.settings.permission_mode) == (None, "default")
    assert (launch.settings.theme, launch.settings.max_turns) == ("ccq-light", 9)
    assert launch.settings.park_after == 300
    assert not launch.settings.directory.exists()
    assert not Path(launch.program.environment["HOME"]).exists()


def test_a_demo_plays_a_file(app: FakeApp, ccq: Cli, tmp_path: Path) -> None:
    file = tmp_path / "my.py"
    head = "from ccq_tui.testing import Scenario\n"
    file.write_text(f"{head}prompt = 'Say it'\nscenario = Scenario().says('it')\n", encoding="utf-8")
    assert app.started("demo", str(file)).prompt == "Say it"
    for text, problem in {
        head: f"{file} has no scenario: assign one",
        "1 / 0": f"{file} failed: ZeroDivisionError: division by zero.",
    }.items():
        file.write_text(text, encoding="utf-8")
        assert problem in ccq("demo", str(file), code=2)


def test_a_demo_that_crashes_leaves_nothing_either(app: FakeApp) -> None:
    def crash() -> int:
        raise RuntimeError("the screen broke")

    app.ending = crash
    assert main(["demo"]) == 1
    assert not app.launches[0].settings.directory.exists()


@pytest.mark.parametrize(("word", "meant"), [("histroy", "history"), ("doctr", "doctor")])
def test_a_misspelt_command_is_no_prompt(word: str, meant: str, ccq: Cli) -> None:
    for words in ([word], [word, "the", "first"]):
        out = ccq(*words, code=2)
        assert f"did you mean {meant}? As a prompt: ccq-tui -- {' '.join(words)}" in " ".join(out.split())


def test_the_help_lists_each_command_once_on_a_line_of_its_own(ccq: Cli) -> None:
    listed = ccq("--help", code=0)
    assert listed.startswith("Usage: ccq-tui [OPTIONS] [PROMPT | COMMAND [ARGS]...]\n")
    assert "Exit codes:" in listed
    assert max(map(len, listed.splitlines())) <= 80
    for name in cli.list_commands(click.Context(cli)):
        command = cli.get_command(click.Context(cli), name)
        assert len(re.findall(rf"^  {name}  +\S.*[.]$", listed, re.MULTILINE)) == (not command.hidden), name


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
    assert launch.settings.claude == ClaudeFlags(
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
    claude = app.started("--tools", "", "-d", "--model", "opus").settings.claude
    assert (claude.tools, claude.debug) == ((), "")
    assert claude.arguments() == {"debug": None}


@pytest.mark.parametrize("mode", [(), ("--permission-mode", "plan")])
def test_to_skip_permissions_is_a_mode_and_wins_over_another(app: FakeApp, mode: tuple[str, ...]) -> None:
    launch = app.started(*mode, "--dangerously-skip-permissions")
    assert launch.settings.permission_mode == "bypassPermissions"


def test_a_session_gets_the_id_that_is_wanted(app: FakeApp) -> None:
    wanted = str(uuid4())
    launch = app.started("--session-id", wanted.upper())
    assert launch.chosen_id == wanted


@each_row(*table(__file__, "flags_refused.json"))
def test_what_cannot_be_is_said_before_anything_starts(
    words: list[str], text: str, *, app: FakeApp, ccq: Cli
) -> None:
    out = ccq(*words, code=2)
    assert text in out
    assert "Did you mean" not in out
    assert app.launches == []


def test_an_id_that_is_taken_is_refused(
    app: FakeApp, ccq: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = str(uuid4())
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))
    (tmp_path / "projects" / "p").mkdir(parents=True)
    (tmp_path / "projects" / "p" / f"{taken}.jsonl").write_text("{}\n", encoding="utf-8")
    out = ccq("--session-id", taken, code=2)
    assert f"session {taken} exists already; --resume {taken} continues it" in out
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

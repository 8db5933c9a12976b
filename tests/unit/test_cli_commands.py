"""The commands that print and end."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

import ccq_tui
from ccq_tui.cli import main
from ccq_tui.cli.main import cli
from ccq_tui.cli.options import _SETTINGS
from ccq_tui.config.paths import user_config
from ccq_tui.config.settings import Settings
from tests.unit.starting import Cli, write_settings

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"ccq-tui {ccq_tui.__version__}\n"


def test_help_shows_commands_and_exit_codes(ccq: Cli) -> None:
    text = ccq("--help")
    assert "Usage: ccq-tui [OPTIONS] [PROMPT | COMMAND [ARGS]...]" in text
    assert all(f"\n  {name} " in text for name in ("demo", "doctor", "config", "completion"))
    assert "Exit codes:" in text
    assert "\n  prompt " not in text


def test_every_flag_is_a_setting_and_is_documented() -> None:
    page = (DOCS / "command-line.md").read_text(encoding="utf-8")
    for names, _ in _SETTINGS:
        field = names[-1].removeprefix("--").replace("-", "_")
        assert field in Settings.model_fields
        assert f"`{names[0]}" in page


def test_config_show_is_a_settings_file(ccq: Cli) -> None:
    write_settings('bell = false\nappend_system_prompt = "a\\n\\"b\\" \\u007f"\n')
    text = ccq("config", "show", "--max-budget-usd", "1.5", "--allowed-tools", "Edit")
    values = tomllib.loads(text)
    assert values["bell"] is False
    assert values["append_system_prompt"] == 'a\n"b" \x7f'
    assert (values["max_budget_usd"], values["allowed_tools"]) == (1.5, ["Edit"])
    lines = dict(line.rsplit("  # ", 1) for line in text.splitlines())
    origins = {line.strip("# ").split()[0]: origin for line, origin in lines.items()}
    assert origins.keys() == Settings.model_fields.keys()
    assert origins["max_budget_usd"] == "--max-budget-usd"
    assert origins["bell"] == f"{user_config()}:1"
    assert origins["model"] == "default"


def test_config_show_keeps_inline_json_to_itself(ccq: Cli) -> None:
    text = ccq("--settings", '{"env": {"TOKEN": "hush"}}', "config", "show")
    assert "hush" not in text
    assert 'settings = "(JSON of 26 characters)"' in text


def test_config_path(ccq: Cli, tmp_path: Path, home: Path) -> None:
    (tmp_path / ".ccq-tui.toml").touch()
    text = ccq("config", "path")
    assert f"project  {tmp_path}/.ccq-tui.toml\n" in text
    assert f"user     {home}/.config/ccq-tui/config.toml  (does not exist)\n" in text
    assert [line.split()[0] for line in text.splitlines()] == ["project", "user", "themes", "state", "log"]


def test_demo_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--list"]) == 0
    names = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert names[0] == "tour"
    assert {"single", "multi", "mixed_four", "with_plan"} <= set(names)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(shell: str, ccq: Cli) -> None:
    assert "_CCQ_TUI_COMPLETE" in ccq("completion", shell)


def test_completion_without_a_known_shell(monkeypatch: pytest.MonkeyPatch, ccq: Cli) -> None:
    monkeypatch.setenv("SHELL", "/bin/ksh")
    assert "bash, zsh, fish" in ccq("completion", code=2)


@pytest.mark.parametrize(
    ("words", "begun", "wanted"),
    [
        (["--questions"], "a", {"ask", "assume", "adaptive"}),
        (["demo"], "sin", {"single"}),
        (["--theme"], "ccq-l", {"ccq-light"}),
    ],
)
def test_a_shell_is_offered_words(words: list[str], begun: str, wanted: set[str]) -> None:
    completing = ShellComplete(cli, {}, "ccq-tui", "_CCQ_TUI_COMPLETE")
    assert {item.value for item in completing.get_completions(words, begun)} == wanted

"""Our hooks in Claude Code's settings: edited with care, and not at all where that is not safe."""

import io
import json
import stat
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.bridges.claude_code.hook_settings import (
    hook_command,
    installed,
    project_settings,
    user_settings,
    wanted,
    with_hooks,
)
from ccq_tui.cli import main
from ccq_tui.doctor.examine import Level, examine_hooks
from ccq_tui.edited_file import BACKUP, EditedFile, SettingsFileError
from tests.tables import each_row, table

TABLES = table(__file__, "hooks.json")
STOP = {"Stop": [{"hooks": [{"type": "command", "command": "beep"}]}]}
FOREIGN = json.dumps({"model": "opus", "hooks": STOP}, indent=4) + "\n"


@pytest.fixture
def settings(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The person's settings file, which is not there yet; the directory is a project."""
    monkeypatch.chdir(tmp_path)
    return home / ".claude" / "settings.json"


def run(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    assert main(["hooks", *words]) == code
    out, problem = capsys.readouterr()
    return problem if code else out


def stands() -> list[str]:
    """What the doctor says of the hooks: which there are, or what is wrong with them."""
    checks = examine_hooks()
    assert all(bool(one.advice) is (one.level is Level.WARNING) for one in checks)
    return [one.advice or one.found for one in checks]


def test_installed_shown_and_taken_out_again(
    settings: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert stands() == []
    out = run(capsys, "install", "--yes")
    assert f'+            "command": "{hook_command()}",' in out
    assert stat.S_IMODE(settings.stat().st_mode) == 0o600
    assert run(capsys, "install", "--yes") == (
        f"The hooks are installed already: {settings} stays as it is.\n"
    )
    assert stands() == [f"questions, in {settings}"]
    run(capsys, "install", "--permissions", "--yes")
    out = run(capsys, "uninstall", "--yes")
    assert "+++ /dev/null\n" in out
    assert list(settings.parent.iterdir()) == [], "a file that was not there goes, and so do copies of ours"
    assert run(capsys, "uninstall", "--yes") == f"The hooks are not installed: {settings} stays as it is.\n"


def test_what_else_the_file_holds_stays_and_a_copy_is_kept(
    settings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.parent.mkdir()
    settings.write_text(FOREIGN)
    settings.chmod(0o640)
    run(capsys, "install", "--permissions", "--elicitation", "--yes")
    backup = settings.with_name(settings.name + BACKUP)
    assert backup.read_text() == FOREIGN
    assert list(json.loads(settings.read_text())["hooks"]) == ["Stop", "PermissionRequest", "Elicitation"]
    assert stat.S_IMODE(settings.stat().st_mode) == 0o640
    run(capsys, "install", "--yes")
    assert backup.read_text() == FOREIGN, "the copy stays what it was without ccq-tui"
    settings.write_text(settings.read_text().replace("opus", "haiku"))
    run(capsys, "uninstall", "--yes")
    assert settings.read_text() == FOREIGN.replace("opus", "haiku")
    assert backup.read_text() == FOREIGN
    settings.write_text(FOREIGN)
    run(capsys, "install", "--yes")
    run(capsys, "uninstall", "--yes")
    assert settings.read_text() == FOREIGN
    assert list(settings.parent.iterdir()) == [settings], "all is as it was"


def test_hooks_that_always_ask_keep_what_a_person_wrote_behind_them(
    settings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "they ask here at any time" in run(capsys, "install", "--always", "--yes")
    command = f"{hook_command()} --always"
    assert f'"command": "{command}"' in settings.read_text()
    settings.write_text(settings.read_text().replace(command, f"{command} --wait 2h"))
    assert "stays as it is" in run(capsys, "install", "--always", "--yes")
    run(capsys, "install", "--yes")
    assert f'"command": "{hook_command()} --wait 2h"' in settings.read_text()


def test_a_projects_file_is_for_everyone(
    settings: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys, "install", "--project", "--yes")
    file = tmp_path / ".claude" / "settings.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o644
    assert not settings.exists()
    assert "exclude each other" in run(capsys, "install", "--project", "--user", code=2)


@pytest.mark.parametrize(("answer", "changed"), [("y\n", True), ("n\n", False), ("\n", False), ("", False)])
def test_the_change_is_shown_and_asked_about(
    settings: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    answer: str,
    changed: bool,
) -> None:
    terminal = io.StringIO(answer)
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stdin", terminal)
    out = run(capsys, "install")
    assert out.index("+++ ") < out.index("Change the file? [y/N]")
    assert ("Nothing was changed." in out) == (not changed)
    assert settings.exists() == changed


def test_a_terminal_is_needed_to_be_asked_and_what_is_refused_is_named(
    settings: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "there is no terminal to ask in: give --yes" in run(capsys, "install", code=2)
    assert not settings.exists()
    settings.parent.mkdir()
    settings.write_text('{"a": ')
    text = f"Error: {settings}: line 1 is no JSON: expecting value, at character 7; nothing was changed.\n"
    assert (run(capsys, "install", "--yes", code=2), settings.read_text()) == (text, '{"a": ')
    assert user_settings({"CLAUDE_CONFIG_DIR": "/c"}) == EditedFile(Path("/c/settings.json"), Path("/c"))
    assert user_settings({}).home == Path.home()
    assert project_settings(tmp_path).home == tmp_path


def install_by_hand(file: Path, command: str, timeout: int = 86400) -> None:
    file.parent.mkdir(exist_ok=True)
    entry = {"type": "command", "command": command, "timeout": timeout}
    file.write_text(json.dumps({"hooks": {"PermissionRequest": [{"matcher": "*", "hooks": [entry]}]}}))


def test_a_time_behind_the_command_stays_when_it_is_installed_again(
    settings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    install_by_hand(settings, "/old/ccq-tui hook --wait '2 h'")
    run(capsys, "install", "--permissions", "--elicitation", "--yes")
    hooks = json.loads(settings.read_text())["hooks"]
    commands = [one["hooks"][0]["command"] for event in hooks.values() for one in event]
    assert commands == [f"{hook_command()} --wait '2 h'", hook_command()]
    assert stands() == [f"questions, permissions and plans, in {settings}", f"elicitations, in {settings}"]
    assert "installed already" in run(capsys, "install", "--permissions", "--elicitation", "--yes")


def test_hooks_that_a_setting_turns_off_are_said_to_be_off(
    settings: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.parent.mkdir()
    settings.write_text('{"disableAllHooks": true}')
    off = f"“disableAllHooks” turns it off: take that out of {settings}"
    assert "“disableAllHooks” turns all hooks off" in run(capsys, "install", "--yes")
    assert stands() == [f"{off}."]
    local = tmp_path / ".claude" / "settings.local.json"
    local.parent.mkdir()
    local.write_text('{"disableAllHooks": false}')  # what is nearer to the project counts
    assert stands() == [f"questions, in {settings}"]


def test_the_doctor_says_what_is_wrong_and_runs_nothing(
    settings: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    install_by_hand(settings, "/nowhere/ccq-tui hook")
    assert stands() == ["Its program is gone: run ccq-tui hooks install again."]
    install_by_hand(settings, hook_command(), timeout=600)
    assert stands() == ["Claude Code drops it too early: run ccq-tui hooks install again."]
    other = tmp_path / "ccq-tui"
    other.write_text(f"#!/bin/sh\ntouch {tmp_path}/was-run\necho ccq-tui 9.9.9\n")
    other.chmod(0o755)
    install_by_hand(settings, f"{other} hook")
    assert stands() == ["It runs another ccq-tui than this one: run ccq-tui hooks install again."]
    settings.rename(tmp_path / "kept")
    assert not (tmp_path / "was-run").exists()
    run(capsys, "install", "--project", "--permissions", "--yes")
    assert stands() == [f"questions, permissions and plans, in {tmp_path}/.claude/settings.json"]


COMMAND = "/home/a/.local/bin/ccq-tui hook"
QUESTIONS = wanted(COMMAND, permissions=False, elicitation=False)
ALL = wanted(COMMAND, permissions=True, elicitation=True)
ENTRY = {"type": "command", "command": COMMAND, "timeout": 86400}
CHECK, GREET = ({"type": "command", "command": words} for words in ("check", "say hi"))
SETTINGS = json.dumps(
    {
        "model": "opus",
        "hooks": {
            "PreToolUse": [{"matcher": "Bash", "hooks": [CHECK]}],
            "PermissionRequest": [{"matcher": "Bash", "hooks": [GREET]}],
        },
        "env": {},
    },
    indent="\t",
)


def test_flags_say_what_is_installed() -> None:
    assert json.loads(with_hooks("", ALL))["hooks"] == {
        "PermissionRequest": [{"matcher": "*", "hooks": [ENTRY]}],
        "Elicitation": [{"hooks": [ENTRY]}],
    }
    questions = {"PermissionRequest": [{"matcher": "AskUserQuestion", "hooks": [ENTRY]}]}
    for text in ("", "{}", " \n", with_hooks("", ALL)):
        assert json.loads(with_hooks(text, QUESTIONS)) == {"hooks": questions}


def test_everything_foreign_keeps_its_place() -> None:
    text = with_hooks(SETTINGS, ALL)
    assert with_hooks(text, ALL) == text
    assert [hook.covers for hook in installed(text)] == ["questions, permissions and plans", "elicitations"]
    before, after = SETTINGS.splitlines(), text.splitlines()
    assert [line for line in before if line.rstrip(",") not in {one.rstrip(",") for one in after}] == []
    assert with_hooks(text, []) == SETTINGS


entries = st.sampled_from(
    [
        {"type": "command", "command": "say hi"},
        {"type": "command", "command": "/old/ccq-tui hook"},
        {"type": "command", "command": "/usr/bin/python3 -m ccq_tui hook --wait 2h", "timeout": 60},
        ENTRY,
        {"type": "command"},
        "odd",
    ]
)
groups = st.fixed_dictionaries(
    {"hooks": st.lists(entries, max_size=3)},
    optional={"matcher": st.sampled_from(["", "*", "AskUserQuestion"])},
)
settings_of = st.fixed_dictionaries(
    {},
    optional={
        "model": st.just("opus"),
        "hooks": st.dictionaries(
            st.sampled_from(["PermissionRequest", "Elicitation", "Stop"]),
            st.lists(groups | st.just(7), max_size=3),
            max_size=3,
        ),
    },
)


def foreign(body: dict[str, Any]) -> list[Any]:
    """Return the entries that are not ours, in their order."""
    ours = (COMMAND, "/old/ccq-tui hook", "/usr/bin/python3 -m ccq_tui hook --wait 2h")
    return [
        (event, group.get("matcher"), entry)
        for event, items in body.get("hooks", {}).items()
        for group in items
        if isinstance(group, dict)
        for entry in group["hooks"]
        if not (isinstance(entry, dict) and entry.get("command") in ours)
    ]


@given(settings_of, st.sampled_from([None, 2, "\t"]), st.sampled_from([[], QUESTIONS, ALL]))
def test_any_file_ends_with_what_is_wanted(body: dict[str, Any], indent: Any, hooks: list[Any]) -> None:
    text = json.dumps(body, indent=indent)
    done = with_hooks(text, hooks)
    assert sorted(map(str, installed(done))) == sorted(map(str, hooks))
    assert foreign(json.loads(done)) == foreign(body)
    assert with_hooks(done, hooks) == done


@each_row(*TABLES["ours"])
def test_our_command_is_known_wherever_the_program_is(command: str) -> None:
    text = json.dumps({"hooks": {"PermissionRequest": [{"hooks": [{"command": command}]}]}})
    assert [hook.command for hook in installed(text)] == [command]
    assert json.loads(with_hooks(text, [])) == {}


@each_row(*TABLES["others"])
def test_another_command_is_not_ours(command: str) -> None:
    text = json.dumps({"hooks": {"PermissionRequest": [{"hooks": [{"command": command}]}]}})
    assert installed(text) == []
    assert with_hooks(text, []) == text


@each_row(
    *TABLES["unchanged"],
    ("[" * 5000, "it is nested more than 64 levels deep"),
    ('{"a":' * 70 + "1" + "}" * 70, "it is nested more than 64 levels deep"),
)
def test_a_file_that_cannot_be_changed_says_why(text: str, problem: str) -> None:
    with pytest.raises(SettingsFileError) as caught:
        with_hooks(text, QUESTIONS)
    assert str(caught.value).startswith(problem)

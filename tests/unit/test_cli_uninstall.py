"""``ccq-tui uninstall``: after it, everything is as it was before ccq-tui came."""

import io
import os
import sys
from pathlib import Path

import pytest

from ccq_tui.cli import main
from ccq_tui.cli.uninstall import STAYS
from ccq_tui.config.paths import config_dir, inbox_path, state_dir
from ccq_tui.installation import remove_command
from ccq_tui.processes import owner_of, this_process
from ccq_tui.remote.phone.service import installed_service
from tests.unit.starting import Cli, write_settings
from tests.unit.stocked import RUNNING, asked, stock
from tests.unit.worktrees.repositories import run

RC = "alias ll='ls -l'\n"


@pytest.fixture(autouse=True)
def _at_home(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "bin").mkdir()
    for name in ("systemctl", "launchctl"):
        (home / "bin" / name).write_text(f'#!/bin/sh\necho "$@" > {home}/stopped\n', encoding="utf-8")
        (home / "bin" / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(home / "bin"), prepend=":")
    monkeypatch.setattr(sys, "platform", "linux")
    (home / ".bashrc").write_text(RC, encoding="utf-8")
    monkeypatch.chdir(home)


NOTHING = f"There is nothing of ccq-tui.\nTo remove the program: {remove_command()}\n"


def closed_inbox() -> None:
    """Make an inbox whose programs have ended."""
    stock()
    with asked() as store:
        store.sessions.release(RUNNING, this_process())


def files_of(*places: Path) -> dict[Path, bytes]:
    """Every file but Claude Code's records."""
    files = (file for place in places for file in place.rglob("*"))
    return {file: file.read_bytes() for file in files if file.is_file() and "projects" not in file.parts}


def test_everything_is_as_it_was(
    ccq: Cli, home: Path, repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / ".cursor").mkdir()
    (home / ".cursor/mcp.json").write_text('{"mcpServers": {"a": {"command": "a"}}}', encoding="utf-8")
    tree = tmp_path / "tree"
    run(repo, "worktree", "add", "--quiet", str(tree))
    before = files_of(home, repo)
    monkeypatch.chdir(tree)
    ccq("reflect", "install", "--yes")
    ccq("hooks", "install", "--project", "--yes")
    monkeypatch.chdir(home)
    ccq("hooks", "install", "--yes")
    for client in ("claude", "codex", "cursor"):
        ccq("mcp", "install", client, "--yes")
    with (home / ".bashrc").open("a", encoding="utf-8") as file:
        file.write('eval "$(ccq-tui completion bash)"\n')
    unit = home / ".config/systemd/user/ccq-tui-phone.service"
    unit.parent.mkdir(parents=True)
    unit.touch()
    write_settings("bell = false\n")
    closed_inbox()
    installed = files_of(home, repo, tree) | {inbox_path(): b""}  # it is opened to count what waits

    with pytest.MonkeyPatch.context() as patch:
        terminal = io.StringIO("n\n")
        patch.setattr(terminal, "isatty", lambda: True)
        patch.setattr(sys, "stdin", terminal)
        shown = ccq("uninstall")
    assert {**files_of(home, repo, tree), inbox_path(): b""} == installed
    assert shown.count("Change this? [y/N]") == 1
    assert shown.endswith("Nothing was changed.\n")
    for name in ("post-commit", ".claude/settings.json", ".claude.json", ".codex/config.toml", ".bashrc"):
        assert f"{name}\n" in shown, name
    assert f"\nin {tree}: git config --local ccq.reflect --unset\n" in shown
    assert f"\nstop and remove the service {unit}\n" in shown
    assert f"\ndelete {config_dir()}\n" in shown
    assert f"\ndelete {state_dir()} with the inbox: " in shown

    out = ccq("uninstall", "--yes")
    assert out.endswith(f"Done. {STAYS} To remove the program: {remove_command()}\n")
    stopped = home / "stopped"
    assert stopped.read_text(encoding="utf-8") == "--user disable --now ccq-tui-phone\n"
    stopped.unlink()
    assert files_of(home, repo) == before
    assert files_of(tree).keys() == {tree / ".git", tree / "a.txt", tree / ".gitignore"}
    assert "ccq" not in run(repo, "config", "--local", "--list")
    assert installed_service("linux") is None
    assert ccq("uninstall") == NOTHING


def test_data_is_kept_on_demand_and_lines_of_ones_own_are_named(
    ccq: Cli, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    closed_inbox()
    assert ccq("uninstall", "--keep-data") == NOTHING
    own = f'{RC}if true; then\n    eval "$(ccq-tui completion bash)"\nfi\n'
    (home / ".bashrc").write_text(own, encoding="utf-8")
    (home / ".codex").mkdir()
    (home / ".codex/config.toml").write_text("torn = ", encoding="utf-8")
    assert main(["uninstall", "--yes"]) == 0
    assert capsys.readouterr().err == (
        f"{home}/.codex/config.toml stays as it is: it cannot be read: Invalid value (at end of document).\n"
        f"{home}/.bashrc stays as it is: take out “ccq-tui completion” yourself.\n"
    )
    assert (home / ".bashrc").read_text(encoding="utf-8") == own
    assert not state_dir().exists()


def test_nothing_is_deleted_under_an_open_program(ccq: Cli) -> None:
    stock()
    with asked() as store:
        store.listeners.add(owner_of(os.getppid()))
    assert ccq("uninstall", "--yes", code=2) == (
        f"Error: a ccq-tui is open: process {os.getppid()}; process {os.getpid()} with “api-tests” in "
        "/home/me/api. Quit it, and end “ccq-tui phone” and “ccq-tui serve”.\n"
    )
    assert state_dir().exists()

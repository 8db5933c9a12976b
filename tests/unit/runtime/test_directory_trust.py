"""What an answer about a directory does, without a screen."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ccq_tui.config.launch import Launch, launch_with
from ccq_tui.runtime.trust import LEFT_OUT, DirectoryTrust

SERVERS = '{"mcpServers": {"db": {"command": "npx"}}}'


@pytest.fixture
def launch(tmp_path: Path) -> Launch:
    project = tmp_path / "project"
    project.mkdir()
    (project / ".mcp.json").write_text(SERVERS, encoding="utf-8")
    (project / ".ccq-tui.toml").write_text('theme = "ccq-light"\n', encoding="utf-8")
    return launch_with({"cwd": project})


def change(launch: Launch, text: str) -> None:
    (launch.settings.directory / ".mcp.json").write_text(text, encoding="utf-8")


async def test_what_is_trusted_holds_until_it_changes(launch: Launch) -> None:
    assert launch.carried is not None
    trust = DirectoryTrust()
    trusted = await trust.trust(launch)
    assert trusted.carried is None
    assert await trust.changed(trusted) is None
    change(launch, SERVERS.replace("npx", "curl"))
    changed = await trust.changed(trusted)
    assert changed is not None
    assert any("curl" in effect for one in changed.files for effect in one.effects)
    without = replace(trusted, project_settings=False)
    assert await trust.changed(without) is None, "the files do not hold there"


async def test_what_changed_while_it_was_read_is_asked_about_again(launch: Launch) -> None:
    change(launch, SERVERS.replace("npx", "curl"))
    again = await DirectoryTrust().trust(launch)
    assert again.carried is not None
    assert any("curl" in effect for one in again.carried.files for effect in one.effects)


async def test_without_its_files_a_session_starts_and_says_so(launch: Launch) -> None:
    without = await DirectoryTrust().leave_out(launch)
    assert without.carried is None
    assert not without.project_settings
    assert without.notices == (LEFT_OUT,)


async def test_trust_holds_in_this_run_where_it_cannot_be_kept(
    launch: Launch, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("ccq_tui.config.launch.remember", full)
    trust = DirectoryTrust()
    trusted = await trust.trust(launch)
    assert "could not be saved" in trusted.notices[-1]
    assert await trust.changed(trusted) is None
    assert await DirectoryTrust().changed(trusted) is not None, "another run asks"

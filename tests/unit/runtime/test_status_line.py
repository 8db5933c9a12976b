"""The status line command of Claude Code's settings: which one counts, what it is told, and its bounds."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ccq_tui.agent import claude_settings
from ccq_tui.agent.events import TitleChanged
from ccq_tui.agent.session_name import UNNAMED
from ccq_tui.config.claude_flags import ClaudeFlags
from ccq_tui.config.launch import Launch
from ccq_tui.runtime import status_line
from ccq_tui.runtime.facts import SessionFacts
from ccq_tui.runtime.status_line import (
    LONGEST,
    MOST_LINES,
    StatusLineError,
    harmless,
    run_status_command,
    status_command,
    status_data,
)
from tests.agent.running import alive
from tests.options import launch_of


def line(command: str) -> dict[str, Any]:
    return {"statusLine": {"type": "command", "command": command}}


def put(path: Path, settings: Mapping[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(settings), encoding="utf-8")


@pytest.fixture
def options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Launch:
    monkeypatch.setattr(claude_settings, "_MANAGED", (tmp_path / "managed.json",))
    (tmp_path / "work").mkdir()
    return launch_of(tmp_path / "work", environment={"CLAUDE_CONFIG_DIR": str(tmp_path / "config")})


def with_(options: Launch, **changes: Any) -> Launch:
    return launch_of(**{"cwd": options.settings.cwd, "environment": options.program.environment} | changes)


def test_the_strongest_settings_have_it(options: Launch, tmp_path: Path) -> None:
    assert status_command(options) == ""
    found = []
    places = (
        "config/settings.json",
        "work/.claude/settings.json",
        "work/.claude/settings.local.json",
        "managed.json",
    )
    for place in places:
        put(tmp_path / place, line(place))
        found.append(status_command(options))
    assert found == list(places)
    (tmp_path / "managed.json").unlink()
    assert status_command(with_(options, settings=json.dumps(line("flag")))) == "flag"
    assert status_command(with_(options, project_settings=False)) == places[0]
    assert status_command(with_(options, claude=ClaudeFlags(setting_sources=("project",)))) == places[1]
    for flags in (ClaudeFlags(safe_mode=True), ClaudeFlags(bare=True), ClaudeFlags(restricted=True)):
        assert status_command(with_(options, claude=flags)) == ""
    put(tmp_path / "config/settings.json", {"disableAllHooks": True})
    assert status_command(options) == ""


def test_what_is_no_command_is_none(options: Launch, tmp_path: Path) -> None:
    for broken in (
        {"statusLine": "x"},
        {"statusLine": {"type": "x", "command": "x"}},
        {"statusLine": {}},
        {},
    ):
        put(tmp_path / "config/settings.json", broken)
        assert status_command(options) == ""
    (tmp_path / "config/settings.json").write_text("{", encoding="utf-8")
    assert status_command(options) == ""
    put(tmp_path / "managed.json", {"allowManagedHooksOnly": True})
    put(tmp_path / "config/settings.json", line("own"))
    assert status_command(options) == ""


async def test_it_is_told_of_the_session_and_its_output_is_text(options: Launch) -> None:
    facts = SessionFacts(
        options.settings.directory, session_id="s", called=UNNAMED.after(TitleChanged("The API")),
        model="opus", mode="plan", cli_version="2.1", effort="high", cost=0.5, worked=2.0, context=41.6,
        filled=(83_200, 200_000),
    )  # fmt: skip
    data = status_data(options, facts, 61.0)
    assert (
        json.loads(
            await run_status_command("head -c 99999 >told; cat told | head -c 3; pwd", data, options)
            and (options.settings.directory / "told").read_text()
        )
        == data
    )
    assert data["model"] == {"id": "opus", "display_name": "opus"}
    assert data["workspace"]["current_dir"] == str(options.settings.directory)
    assert data["cost"] == {
        "total_cost_usd": 0.5,
        "total_duration_ms": 61_000,
        "total_api_duration_ms": 2_000,
    }
    assert data["context_window"]["used_percentage"] == 42
    assert (data["effort"], data["session_name"]) == ({"level": "high"}, "The API")
    output = await run_status_command(
        "printf '\\033[31mred\\033[0m \\033[2Jx\\nsecond\\n\\n3\\n4\\n'", data, options
    )
    assert output.split("\n")[1:] == ["second", "3"]
    assert output.startswith("red ")
    assert "\x1b" not in output


async def test_it_has_bounds(options: Launch, monkeypatch: pytest.MonkeyPatch) -> None:
    endless = await run_status_command("yes abc", {}, options)
    assert endless == "\n".join(["abc"] * MOST_LINES)
    with pytest.raises(StatusLineError, match="exit code 3"):
        await run_status_command("echo half; exit 3", {}, options)
    with pytest.raises(StatusLineError, match="exit code 127"):
        await run_status_command("no-such-program-anywhere", {}, options)
    monkeypatch.setattr(status_line, "SECONDS", 0.5)
    with pytest.raises(StatusLineError, match="longer than"):
        await run_status_command("echo $$ >pid; sleep 60 & sleep 60", {}, options)
    assert not alive(int((options.settings.directory / "pid").read_text()))
    with pytest.raises(StatusLineError, match="cannot be run"):
        await run_status_command("true", {}, with_(options, cwd=Path("/nowhere")))


def test_what_it_says_is_harmless() -> None:
    text = harmless("a\x1b]0;title\x07b\x9bc\u202ed\r\n" + "x" * 10_000)
    assert "\x1b" not in text
    assert "\x9b" not in text
    assert "\u202e" not in text
    assert all(len(one) <= LONGEST + 1 for one in text.split("\n"))

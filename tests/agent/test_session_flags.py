"""Flags of Claude Code reach the real CLI, and a later start of a session takes them over."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any
from uuid import uuid4

import claude_agent_sdk

from ccq_tui.agent.events import Connected
from ccq_tui.config.claude_flags import ClaudeFlags
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.testing.scenario import Scenario
from tests.agent.running import Play, Running, until_written, written

BUNDLED = Path(claude_agent_sdk.__file__).parent / "_bundled" / "claude"


def noting(place: Path, then: str = f'exec "{BUNDLED}" "$@"') -> tuple[Path, Path]:
    """Make a program that notes its words and becomes the real CLI; return it and its notes."""
    notes, program = place / "words", place / "claude"
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > "{notes}"\n{then}\n', encoding="utf-8")
    program.chmod(0o755)
    return program, notes


def pairs(notes: Path) -> dict[str, str]:
    """Return the flags of the command line, each with the word behind it or its own value."""
    words = notes.read_text(encoding="utf-8").split("\n")
    flags = {word: after for word, after in pairwise(words) if word.startswith("--")}
    return flags | {word.split("=", 1)[0]: word.split("=", 1)[1] for word in flags if "=" in word}


async def test_flags_reach_the_cli_and_a_later_start_takes_them_over(play: Play, tmp_path: Path) -> None:
    model, home = play(Scenario("f").says("First.").ends_turn().says("Second."))
    program, notes = noting(tmp_path)
    plugin = tmp_path / "plugin"
    (plugin / ".claude-plugin").mkdir(parents=True)
    (plugin / ".claude-plugin" / "plugin.json").write_text('{"name": "pp"}', encoding="utf-8")
    (home.project / "CLAUDE.md").write_text("Of the project.", encoding="utf-8")
    session_id = str(uuid4())
    flags = ClaudeFlags(
        agents=json.dumps({"rev": {"description": "Reviews", "prompt": "Review in rhymes."}}),
        system_prompt="Speak like a pirate.",
        system_prompt_snapshot="off",
        fallback_model="haiku",
        tools=("Bash", "AskUserQuestion", "Agent"),
        strict_mcp_config=True,
        plugin_dirs=(plugin,),
        setting_sources=("user",),
        betas=("context-1m-2025-08-07",),
        autocompact="300k",
        debug="hooks",
        debug_file=tmp_path / "debug.txt",
    )
    inbox = await Inbox.connect(tmp_path / "inbox.db")
    named: dict[str, Any] = {"name": "The API", "chosen_id": session_id, "append_system_prompt": "In verse."}
    async with Running(home, inbox, claude=flags, cli_path=program, **named) as run:
        await run.send("Build it").idle()
        assert run.one(Connected).session_id == session_id
        await until_written(home, session_id, '"customTitle":"The API"')
    body = model.requests()[0].body
    assert "Speak like a pirate.\\n\\nIn verse." in json.dumps(body["system"])
    assert {"AskUserQuestion", "Bash", "Agent"} == {
        tool["name"] for tool in body["tools"] if tool["name"] != "DeferredToolPlaceholder"
    }
    assert "rev" in json.dumps(body)
    assert "Of the project." not in json.dumps(body)
    assert (tmp_path / "debug.txt").stat().st_size > 0
    options = pairs(notes)
    assert options["--fallback-model"] == "haiku"
    assert options["--plugin-dir"] == str(plugin)
    assert options["--betas"] == "context-1m-2025-08-07"
    assert options["--autocompact"] == "300k"
    assert "--strict-mcp-config" in options

    with_less = ClaudeFlags(system_prompt="Speak like a poet.")
    async with Running(home, inbox, claude=with_less, cli_path=program, resume=session_id) as run:
        await run.send("Go on").idle()
        await run.session.rename("Another name")
    options = pairs(notes)
    assert (options["--system-prompt"], options["--fallback-model"]) == ("Speak like a poet.", "haiku")
    assert options["--tools"] == "Bash,AskUserQuestion,Agent"
    assert "--name" not in options, "a session that was renamed since would get its first name back"
    assert "--debug=hooks" not in options, "that was meant for one run"

    program, notes = noting(tmp_path, then="exit 3")  # the words alone are looked at
    async with Running(home, inbox, cli_path=program, resume=session_id, fork=True) as run:
        assert not (await run.ended()).expected
    options = pairs(notes)
    assert (options["--system-prompt"], options["--autocompact"]) == ("Speak like a poet.", "300k")
    await inbox.close()
    assert "Another name" in written(home, session_id)


async def test_an_agent_leads_the_session_and_switches_reach_the_cli(play: Play, tmp_path: Path) -> None:
    model, home = play(Scenario("f").says("First."))
    program, notes = noting(tmp_path)
    flags = ClaudeFlags(
        agent="rev",
        agents=json.dumps({"rev": {"description": "Reviews", "prompt": "Review in rhymes."}}),
        exclude_dynamic_system_prompt_sections=True,
        disable_slash_commands=True,
        plugin_urls=("http://127.0.0.1:9/a.zip", "http://127.0.0.1:9/b.zip"),
    )
    async with Running(home, claude=flags, cli_path=program) as run:
        await run.send("Build it").idle()
    options = pairs(notes)
    assert {"--disable-slash-commands", "--exclude-dynamic-system-prompt-sections"} <= options.keys()
    assert {
        "--plugin-url=http://127.0.0.1:9/a.zip",
        "--plugin-url=http://127.0.0.1:9/b.zip",
    } <= options.keys()
    assert options["--agent"] == "rev"
    assert "Review in rhymes." in json.dumps(model.requests()[0].body["system"])

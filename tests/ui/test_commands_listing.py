"""Permission rules, hooks, skills and questions beside the conversation, by keys."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import pytest
from textual.pilot import Pilot

from ccq_tui.agent.commands import CommandError
from ccq_tui.agent.controls import Control
from ccq_tui.config.launch import Launch
from ccq_tui.config.settings import Settings
from tests.ui.session import Driven, ToldSession, until
from tests.ui.test_commands import choose, closed, notices, picker, say

T = TypeVar("T")
FLAG = {"behavior": "allow", "source": "cliArg", "rule": "Read"}


class ListingSession(ToldSession):
    """A session that reads the rules of the project's settings anew each time, as the CLI does."""

    project = Path()

    async def ask(self, control: Control[T]) -> T:
        if control.subtype != "list_permission_rules":
            return await super().ask(control)
        rules: list[Mapping[str, Any]] = [FLAG]
        path = self.project / ".claude/settings.local.json"
        said = json.loads(path.read_text()) if path.exists() else {}
        for behavior, texts in said.get("permissions", {}).items():
            rules += [{"behavior": behavior, "source": "localSettings", "rule": text} for text in texts]
        return control.read({"state": {"rules": rules}})


@pytest.fixture
def driven(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Driven:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "own"))
    monkeypatch.setattr(ListingSession, "project", tmp_path)
    return Driven(Launch(settings=Settings(cwd=tmp_path)), ListingSession)


async def test_a_rule_is_added_seen_and_removed(driven: Driven, tmp_path: Path) -> None:
    path = tmp_path / ".claude/settings.local.json"
    async with driven.app.run_test(size=(100, 24)) as pilot:
        await say(pilot, driven, "/permissions deny Bash(npm [test] *)")
        shown = await picker(pilot)
        assert [Path(row.description).name for row in shown.state.rows] == [path.name, *["settings.json"] * 2]
        assert shown.state.rows[0].description == str(path)
        await pilot.press("enter")
        await until(pilot, lambda: "it applies now" in notices(driven))
        assert json.loads(path.read_text()) == {"permissions": {"deny": ["Bash(npm [test] *)"]}}
        await say(pilot, driven, "/permissions")
        shown = await picker(pilot)
        assert [(row.label, row.description, row.right) for row in shown.state.rows] == [
            ("Add a rule…", "continues in the prompt", ""),
            ("Bash(npm [test] *)", "local", "deny"),
            ("Read", "flag", "allow"),
        ]
        await choose(pilot, "end", "enter", about="in none of your settings files")
        await choose(pilot, "down", "enter")
        await until(pilot, lambda: "deny: Bash" in getattr(pilot.app.screen, "heading", ""))
        await choose(pilot, "enter", about="Removed Bash(npm")
        assert json.loads(path.read_text()) == {"permissions": {"deny": []}}
        await choose(pilot, "enter")
        await closed(pilot)
        assert driven.screen.dock.prompt.text == "/permissions allow "


async def test_a_rule_that_is_none_is_not_written(driven: Driven, tmp_path: Path) -> None:
    async with driven.app.run_test() as pilot:
        for text, said in (
            ("maybe Read", "/permissions allow RULE"),
            ("allow", "/permissions allow RULE"),
            ("allow two words", "a rule has the form Tool or Tool(what)"),
        ):
            before = notices(driven).count(said)
            await say(pilot, driven, f"/permissions {text}")
            await until(pilot, lambda said=said, before=before: notices(driven).count(said) > before)
    assert not (tmp_path / ".claude").exists()


async def test_a_file_that_cannot_be_changed_is_said(driven: Driven, tmp_path: Path) -> None:
    path = tmp_path / ".claude/settings.json"
    path.parent.mkdir()
    path.write_text("{ // mine\n}")
    async with driven.app.run_test() as pilot:
        await say(pilot, driven, "/permissions allow Read")
        await picker(pilot)
        await pilot.press("down", "enter")
        await until(pilot, lambda: "is not JSON that can be changed safely" in notices(driven))
    assert path.read_text() == "{ // mine\n}"


HOOK = {
    "event": "PreToolUse",
    "matcher": "Bash",
    "commandText": "./check.sh",
    "source": "projectSettings",
    "sourceLabel": "Project settings",
}


async def test_hooks_are_shown_and_the_file_of_one_is_edited(
    driven: Driven, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    edited: list[Path] = []

    async def edit(_app: object, file: Path, _line: int) -> str:
        edited.append(file)
        return ""

    monkeypatch.setattr("ccq_tui.screens.editor.edit_file", edit)
    async with driven.app.run_test() as pilot:
        driven.told.replies["get_hooks_listing"] = {"hooks": [HOOK, {**HOOK, "source": "pluginHook"}]}
        await say(pilot, driven, "/hooks")
        shown = await picker(pilot)
        assert [(row.label, row.description, row.right) for row in shown.state.rows] == [
            ("PreToolUse Bash", "./check.sh", "project"),
            ("PreToolUse Bash", "./check.sh", "pluginHook"),
        ]
        await choose(pilot, "enter")
        await until(pilot, lambda: edited == [tmp_path / ".claude/settings.json"])
        await say(pilot, driven, "/hooks")
        await picker(pilot)
        await choose(pilot, "down", "enter")
        await until(pilot, lambda: "is in none of your settings files" in notices(driven))
        driven.told.replies["get_hooks_listing"] = {}
        await say(pilot, driven, "/hooks")
        await until(pilot, lambda: "No hooks yet" in driven.screen.dock.notices.text)


async def test_a_skill_goes_into_the_prompt(driven: Driven) -> None:
    skill = {"name": "p:foo", "display_name": "foo", "description": "A foo", "source": "project"}
    async with driven.app.run_test() as pilot:
        driven.told.replies["get_skills_dialog"] = {
            "skills": [{**skill, "state": "on", "advertised": True}, {**skill, "state": "off"}]
        }
        await say(pilot, driven, "/skills")
        shown = await picker(pilot)
        assert [(row.label, row.description, row.right) for row in shown.state.rows] == [
            ("foo", "A foo", "project"),
            ("foo", "A foo", "off"),
        ]
        await choose(pilot, "enter")
        await closed(pilot)
        assert driven.screen.dock.prompt.text == "/foo "
        await say(pilot, driven, "/skills")
        await picker(pilot)
        await choose(pilot, "down", "enter")
        await until(pilot, lambda: "foo is not a command" in notices(driven))


async def test_a_question_beside_the_conversation_is_no_prompt(driven: Driven) -> None:
    async with driven.app.run_test() as pilot:
        driven.told.replies["side_question"] = {"response": "Because [b]so[/b]."}
        await say(pilot, driven, "/btw why so?")
        await until(pilot, lambda: "Because [b]so[/b]." in notices(driven))
        assert driven.told.asked == [("side_question", {"question": "why so?"})]
        assert driven.told.sent == []
        driven.told.replies["side_question"] = CommandError("overloaded")
        await say(pilot, driven, "/btw again?")
        await until(pilot, lambda: "/btw failed: overloaded" in notices(driven))
        await say(pilot, driven, "/btw")
        await until(pilot, lambda: "needs a question" in driven.screen.dock.notices.text)
        assert driven.screen.dock.prompt.text == "/btw "


async def test_memory_is_edited_and_made(
    driven: Driven, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "kept"
    files = [
        {"path": str(tmp_path / "CLAUDE.md"), "label": "Project instructions", "exists": True},
        {"path": str(tmp_path / "own/CLAUDE.md"), "label": "User instructions", "exists": False},
        {"path": str(tmp_path / "m.md"), "label": "L m.md", "description": "@-imported", "exists": True},
    ]
    folders = [{"path": str(kept), "label": "Open auto-memory folder", "description": ""}]
    edited: list[Path] = []

    async def edit(_app: object, file: Path, _line: int) -> str:
        edited.append(file)
        if file.parent.name != "own":
            await asyncio.to_thread(file.write_text, "Be brief")
        return ""

    async def memory(pilot: Pilot[int], *keys: str) -> None:
        await say(pilot, driven, "/memory")
        await picker(pilot)
        await choose(pilot, *keys)

    monkeypatch.setattr("ccq_tui.screens.editor.edit_file", edit)
    async with driven.app.run_test(size=(120, 24)) as pilot:
        driven.told.replies["get_memory_dialog"] = {"files": [], "folders": []}
        await say(pilot, driven, "/memory")
        await until(pilot, lambda: "No instruction files are loaded" in driven.screen.dock.notices.text)
        driven.told.replies["get_memory_dialog"] = {"files": files, "folders": folders}
        await say(pilot, driven, "/memory")
        shown = await picker(pilot)
        assert [(row.label, row.description, row.right) for row in shown.state.rows] == [
            ("Project instructions", str(tmp_path / "CLAUDE.md"), ""),
            ("User instructions", str(tmp_path / "own/CLAUDE.md"), "new"),
            ("m.md", str(tmp_path / "m.md"), "@-imported"),
            ("auto-memory folder", str(kept), ""),
        ]
        await choose(pilot, "enter")
        await until(pilot, lambda: "takes effect after /clear" in driven.screen.dock.notices.text)
        await memory(pilot, "down", "enter")
        await until(pilot, lambda: "Nothing was saved" in driven.screen.dock.notices.text)
        assert edited == [tmp_path / "CLAUDE.md", tmp_path / "own/CLAUDE.md"]
        assert (tmp_path / "own").is_dir()
        await memory(pilot, "up", "enter")
        await until(pilot, lambda: "Claude has saved no memories yet" in driven.screen.dock.notices.text)
        (kept / "a").mkdir(parents=True)
        (kept / "a/[b].md").write_text("")
        await memory(pilot, "up", "enter")
        await until(pilot, lambda: getattr(driven.app.screen, "heading", "").startswith("Memories in"))
        await choose(pilot, "enter")
        await until(pilot, lambda: edited[2:] == [kept / "a/[b].md"])


async def test_memory_that_cannot_be_made_is_said(driven: Driven, tmp_path: Path) -> None:
    (tmp_path / "own").write_text("")
    path = str(tmp_path / "own/CLAUDE.md")
    async with driven.app.run_test(size=(120, 24)) as pilot:
        driven.told.replies["get_memory_dialog"] = {"files": [{"path": path, "label": "User"}]}
        await say(pilot, driven, "/memory")
        await picker(pilot)
        await choose(pilot, "enter")
        await until(pilot, lambda: "cannot be created" in notices(driven))

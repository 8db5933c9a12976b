"""Lists of commands and their picker: rules, memory and questions, by keys that a person chose."""

import asyncio
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from ccq_tui.agent.controls import CommandError
from ccq_tui.agent.events import BlockFinished, BlockKey, BlockKind
from ccq_tui.commands.command import PickRow
from ccq_tui.config.launch import Launch
from ccq_tui.config.settings import Settings
from ccq_tui.inbox.store.rows import RequestState
from ccq_tui.input.gate import QUIET
from ccq_tui.screens.picker import Picker
from ccq_tui.screens.session import SessionScreen
from ccq_tui.screens.sessions.screen import SessionsScreen
from tests.ui.cases import in_one_program
from tests.ui.drawn import screen_text
from tests.ui.host import Clock, Host, press_later
from tests.ui.inboxed import Many, left_behind, state_of
from tests.ui.session import Driven, idle, press, running, until
from tests.ui.test_commands import choose, choosing, closed, models_known, notices, say

T = TypeVar("T")
FLAG = {"behavior": "allow", "source": "cliArg", "rule": "Read"}


@pytest.fixture
def driven(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Driven:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "own"))
    return Driven(Launch(settings=Settings(cwd=tmp_path)))


@pytest.fixture
def edited(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    edited: list[Path] = []

    async def edit(_app: object, file: Path) -> str:
        edited.append(file)
        return ""

    monkeypatch.setattr("ccq_tui.screens.session.screen.edit_file", edit)
    return edited


async def test_the_file_of_a_rule_or_one_for_a_new_rule_is_edited(
    driven: Driven, tmp_path: Path, edited: list[Path]
) -> None:
    rule = {"behavior": "deny", "source": "localSettings", "rule": "Bash(npm [test] *)"}
    local, own = tmp_path / ".claude/settings.local.json", tmp_path / "own/settings.json"
    async with driven.app.run_test(size=(100, 24)) as pilot:
        driven.fake.replies["list_permission_rules"] = {"state": {"rules": [FLAG, rule]}}
        shown = await choosing(pilot, driven, "/permissions")
        assert [(row.label, row.description, row.right) for row in shown.state.rows] == [
            ("Bash(npm [test] *)", "local", "deny"),
            ("Read", "flag", "allow"),
            (".claude/settings.local.json", "this project, only for you", ""),
            (".claude/settings.json", "this project, for everyone", ""),
            ("settings.json", "all your projects", ""),
        ]
        await choose(pilot, "enter")
        await until(pilot, lambda: edited == [local])
        await choosing(pilot, driven, "/permissions")
        await choose(pilot, "end", "enter")
        await until(pilot, lambda: edited == [local, own] and own.parent.is_dir())
        await choosing(pilot, driven, "/permissions")
        await choose(pilot, "down", "enter")
        await until(pilot, lambda: "from flag, not from a settings file of yours" in notices(driven))


async def test_a_question_beside_the_conversation_is_no_prompt(driven: Driven) -> None:
    async with driven.app.run_test() as pilot:
        driven.fake.replies["side_question"] = {"response": "Because [b]so[/b]."}
        await say(pilot, driven, "/btw why so?", then=lambda: "Because [b]so[/b]." in notices(driven))
        assert driven.fake.asked == [("side_question", {"question": "why so?"})]
        assert driven.fake.sent == []
        driven.fake.replies["side_question"] = CommandError("overloaded")
        await say(pilot, driven, "/btw again?", then=lambda: "/btw failed: overloaded" in notices(driven))
        await say(pilot, driven, "/btw", then=lambda: "needs a question" in driven.screen.dock.notices.text)
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

    async def edit(_app: object, file: Path) -> str:
        edited.append(file)
        if file.parent.name != "own":
            await asyncio.to_thread(file.write_text, "Be brief")
        return ""

    async def memory(pilot: Pilot[int], *keys: str) -> None:
        await choosing(pilot, driven, "/memory")
        await choose(pilot, *keys)

    monkeypatch.setattr("ccq_tui.screens.session.screen.edit_file", edit)
    async with driven.app.run_test(size=(120, 24)) as pilot:
        driven.fake.replies["get_memory_dialog"] = {"files": [], "folders": []}
        await say(pilot, driven, "/memory")
        await until(pilot, lambda: "No instruction files are loaded" in driven.screen.dock.notices.text)
        driven.fake.replies["get_memory_dialog"] = {"files": files, "folders": folders}
        shown = await choosing(pilot, driven, "/memory")
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
        await until(pilot, lambda: f"memories in {kept}" in driven.screen.dock.notices.text)
        (tmp_path / "file").write_text("")
        path = str(tmp_path / "file/CLAUDE.md")
        driven.fake.replies["get_memory_dialog"] = {"files": [{"path": path, "label": "User"}]}
        await memory(pilot, "enter")
        await until(pilot, lambda: "cannot be created" in notices(driven))


MODELS = (
    PickRow("default", "Default", "Opus 5.5, for most things", current=False),
    PickRow("opus", "Opus", "Best for everyday, complex tasks", current=True),
    PickRow("haiku", "Haiku", "Fastest for quick answers"),
)
MANY = tuple(PickRow(f"v{n}", f"/command-{n}", f"Does thing {n}", right=f"Ctrl+{n}") for n in range(12))


class Picking(Host):
    """A page with a picker over it."""

    clock: Callable[[], float] = staticmethod(time.monotonic)

    def __init__(self, rows: Sequence[PickRow], **options: Any) -> None:
        super().__init__(Static("● The transcript stays in sight above the list."), theme="ccq-dark")
        self.seen: list[str] = []
        self.results: list[str | None] = []
        self.picker = Picker("Model", rows, preview=self.seen.append, **options)

    def on_mount(self) -> None:
        self.push_screen(self.picker, self.results.append)


async def test_enter_chooses_what_the_cursor_is_on_which_begins_on_what_holds_now() -> None:
    async with running(Picking(MODELS)) as (app, pilot):
        assert "● Opus" in screen_text(app)
        assert app.picker.state.cursor == 1
        await pilot.press("down", "enter")
        assert app.results == ["haiku"]
        assert app.seen == ["haiku"]


async def test_letters_find_and_escape_empties_the_field_first() -> None:
    async with running(Picking((*MODELS, *MANY))) as (app, pilot):
        await pilot.press(*"thing 1")
        assert [row.value for row in app.picker.state.shown] == ["v1", "v10", "v11"]
        assert "3 of 15" in screen_text(app)
        await pilot.press(*"zzz", "enter", "down", "enter")
        assert app.results == []
        assert "No match" in screen_text(app)
        await pilot.press("escape")
        assert len(app.picker.state.shown) == 15
        app.seen.clear()
        await pilot.press("home", "escape")
        assert app.results == [None]
        assert app.seen == ["default"]


async def test_a_list_gives_no_row_right_after_what_covered_it() -> None:
    app = Picking(MODELS)
    app.clock = Clock()
    async with app.run_test() as pilot:
        await pilot.press("down")
        app.push_screen(Picker("Theme", MODELS))
        await pilot.pause()
        await pilot.press("escape")
        assert app.screen is app.picker
        await pilot.press("enter")
        assert app.results == []
        assert "Enter again chooses “Haiku”" in screen_text(app)
        await press_later(pilot, "up", "enter", seconds=QUIET / 2)
        assert app.results == []
        await pilot.press("enter")
        assert app.results == ["opus"]


async def test_a_click_moves_and_a_second_one_chooses() -> None:
    async with running(Picking(MODELS), size=(80, 24)) as (app, pilot):
        y = next(y for y, line in enumerate(screen_text(app).splitlines()) if "Haiku" in line)
        await pilot.click(offset=(10, y))
        assert app.results == []
        await pilot.click(offset=(10, y))
        assert app.results == ["haiku"]


@pytest.mark.parametrize("size", [(80, 24), (40, 12)])
def test_pictures(snap_compare: Any, size: tuple[int, int]) -> None:
    rows = (*MODELS, *MANY[:5])
    assert snap_compare(Picking(rows, about="The model answers from the next prompt on."), terminal_size=size)


KEYS: dict[str, str] = {"preset": "vim", "panel": "f9", "overview": "f7"}


async def test_what_shows_and_declines_in_the_list_has_the_keys_that_were_chosen(tmp_path: Path) -> None:
    clock = Clock()
    async with idle(Many(tmp_path, settings=Settings(cwd=tmp_path, keys=KEYS), clock=clock)) as (run, pilot):
        request = await left_behind(run, tmp_path, "old")
        for key in ("f9", "f9", "f9"):  # shown, left by its own key, shown
            before = run.app.screen
            await press_later(pilot, key, seconds=2.0)
            await until(pilot, lambda before=before: run.app.screen is not before)
        await until(pilot, lambda: len(run.waiting) == 1)
        await until(pilot, lambda: "Ctrl+X decline" in run.hints())
        await pilot.press("ctrl+d")  # half a page down
        assert run.list.question is None
        await pilot.press("f4", "ctrl+x")
        assert run.list.question is not None
        await press_later(pilot, "ctrl+x", then=lambda: run.waiting == [])
        assert await state_of(run, request.id) is RequestState.DECLINED


@pytest.mark.parametrize("key", ["f7", "ctrl+k"])
async def test_a_key_that_was_chosen_does_not_edit_the_prompt(tmp_path: Path, key: str) -> None:
    async with idle(Many(tmp_path, settings=Settings(cwd=tmp_path, keys={"overview": key}))) as (run, pilot):
        await press(pilot, "h", "i", "left", key, then=lambda: isinstance(run.app.screen, SessionsScreen))
        await press(pilot, key, then=lambda: isinstance(run.app.screen, SessionScreen))
        await pilot.press("!")
        assert run.screen.dock.prompt.text == "h!i"


LINES = "\n\n".join(f"Line {number}" for number in range(60))


@in_one_program(((80, 24),), ((40, 16),), ((160, 50),))
async def test_a_list_lifts_the_end_of_the_transcript_and_gives_the_lines_back(
    size: tuple[int, int], driven: Driven, pilot: Pilot[int]
) -> None:
    await pilot.resize_terminal(*size)
    driven.fake.tell(BlockFinished(BlockKey("m", 0), BlockKind.TEXT, LINES))
    await models_known(pilot, driven)
    screen = driven.screen
    await until(pilot, lambda: "Line 59" in screen.transcript.text())
    before = screen.transcript.region
    shown = await choosing(pilot, driven, "/theme")
    body = shown.query_one("#picker")
    await until(pilot, lambda: body.region.height and screen.transcript.region.bottom <= body.region.y)
    lifted = screen.transcript.region
    await press(pilot, *"zzz", then=lambda: not shown.state.shown)
    assert screen.transcript.region == lifted, "it does not move with each letter"
    await pilot.resize_terminal(size[0], size[1] - 4)
    await until(pilot, lambda: screen.transcript.region.bottom <= body.region.y)
    await pilot.resize_terminal(*size)
    await pilot.press("escape", "escape")
    await closed(pilot)
    await until(pilot, lambda: screen.transcript.region == before)

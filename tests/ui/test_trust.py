"""Before a session starts: whether its directory is trusted, and which stored session is resumed."""

import asyncio
import json
import os
import re
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import pytest
from textual import events
from textual.pilot import Pilot

from ccq_tui.agent.reader import EarlierSession, ReaderError
from ccq_tui.config.carried import CarriedFile
from ccq_tui.config.keymap import with_keys
from ccq_tui.config.launch import Launch, ProgramArguments, Trusted, launch_with
from ccq_tui.config.load import Loaded
from ccq_tui.config.settings import Settings
from ccq_tui.config.trust import Carried, TrustAnswer, answer_labels
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.requests import QuestionRequest
from ccq_tui.inbox.store.store import Store
from ccq_tui.processes import Owner, this_process
from ccq_tui.prompts.unread import PromptDraft, Sent, directory_key
from ccq_tui.questions import Option, Question, QuestionSet
from ccq_tui.screens.help import HelpScreen
from ccq_tui.screens.picker import Picker
from ccq_tui.screens.session import SessionScreen
from ccq_tui.screens.sessions import listing
from ccq_tui.screens.sessions.model import ListHeading
from ccq_tui.screens.sessions.screen import SessionsScreen
from ccq_tui.screens.sessions.session_manager import UNOPENED
from ccq_tui.screens.sessions.trust import SETTINGS_QUESTION, TRUST_QUESTION, TrustScreen
from ccq_tui.widgets.hints import HintBar
from tests.ui.drawn import screen_text
from tests.ui.host import Clock, press_later
from tests.ui.session import Driven, press, prompt_kept, running, until
from tests.unit.input.hands import NAMES

SERVERS = '{"mcpServers": {"db": {"command": "npx", "args": ["-y", "db"]}}}'


@dataclass
class Asking:
    """The program, asking about a directory."""

    driven: Driven
    clock: Clock
    project: Path

    @property
    def text(self) -> str:
        return screen_text(self.driven.app)


@pytest.fixture
def asking(tmp_path: Path) -> Asking:
    (tmp_path / ".mcp.json").write_text(SERVERS)
    clock = Clock()
    (tmp_path / ".ccq-tui.toml").write_text('theme = "ccq-light"\nmax_live_sessions = 3\n')
    asks = launch_with({"cwd": tmp_path})
    launch = replace(
        asks, settings=Settings(cwd=Path("/")), program=ProgramArguments(state=tmp_path / "state")
    )
    return Asking(Driven(launch, clock=clock), clock, tmp_path)


@pytest.fixture
async def pilot(asking: Asking) -> AsyncIterator[Pilot[int]]:
    async with asking.driven.app.run_test() as pilot:
        yield pilot


def carried_by(directory: Path) -> Carried | None:
    return launch_with({"cwd": directory}).trusted.carried


ROW = {"n": (), "d": ("down",), "y": ("down", "down")}


async def begun(asking: Asking, pilot: Pilot[int], answer: str) -> Launch:
    await pilot.pause()  # it is drawn
    await press_later(pilot, *ROW[answer], "enter")
    await until(pilot, lambda: isinstance(asking.driven.app.screen, SessionScreen))
    return asking.driven.launches[-1]


async def test_nothing_starts_before_it_is_answered(asking: Asking, pilot: Pilot[int]) -> None:
    app = asking.driven.app
    assert isinstance(app.screen, TrustScreen)
    assert (app.theme, app.runtime.most_live) == ("ccq-dark", 8)
    await pilot.press("y", "enter", "space", "escape", "x")
    assert asking.driven.session is None
    assert "runs npx -y db (MCP server db)" in asking.text
    assert "❯ Do not trust it: quit" in asking.text
    launch = await begun(asking, pilot, "y")
    assert (app.theme, app.runtime.most_live) == ("ccq-light", 3), "it holds for the whole program, too"
    assert launch.trusted.project_settings
    assert launch.settings.directory == asking.project
    assert carried_by(asking.project) is None


async def test_help_over_the_question_leaves_it_fresh(asking: Asking, pilot: Pilot[int]) -> None:
    await press_later(pilot, "down", "down", "f1")
    await until(pilot, lambda: isinstance(asking.driven.app.screen, HelpScreen))
    await press_later(pilot, "escape", seconds=5.0)
    await until(pilot, lambda: isinstance(asking.driven.app.screen, TrustScreen))
    await press_later(pilot, "enter", seconds=0.1)
    assert asking.driven.session is None
    assert carried_by(asking.project) is not None
    await press_later(pilot, "enter", then=lambda: isinstance(asking.driven.app.screen, SessionScreen))
    assert carried_by(asking.project) is None


async def test_quitting_starts_and_keeps_nothing(asking: Asking) -> None:
    async with asking.driven.app.run_test() as pilot:
        await pilot.press(*"later")
        asking.clock.skip_grace()
        await pilot.press("enter")  # ends what is typed
        await press_later(pilot, "n")
        asking.clock.skip_grace()
        assert not asking.driven.app._exit
        await press(pilot, "up", "enter", then=lambda: asking.driven.app._exit)
        assert asking.driven.session is None
    assert asking.driven.app.return_code == 0
    left = prompt_kept(asking.project / "state", directory_key(Path("/")))
    assert left == PromptDraft("later\nn")
    assert carried_by(asking.project) is not None


async def played(app: Any, pilot: Pilot[int], keys: str) -> str:
    """Press the keys of a row of the table at a question of its own; return what it came to."""
    clock, screen = app.clock, TrustScreen(Carried(Path("/p"), Path("/p"), (), LOADED))
    clock.now += 20.0
    await app.push_screen(screen)
    await pilot.pause()
    began = clock.now
    for token in keys.split():
        name, count, apart = (
            (*token.partition("×")[::2], "0") if "×" not in token else re.split("[×/]", token)
        )
        for _ in range(int(count or 1)):
            clock.now += float(apart)
            if token[0] in "@+":
                clock.now = float(token[1:]) + (began if token[0] == "@" else clock.now)
            elif name.startswith("click"):
                screen.clicked(screen.state.rows[int(name[5:]) - 1].key, cast("events.Click", None))
            elif name == "paste":
                screen.field.post_message(events.Paste("y\nd"))
            else:
                await pilot.press(NAMES.get(name, name))
            await pilot.pause()
    screen.hands.run_due()
    answered = screen.answer.done()
    row = screen.answer.result() if answered else TrustAnswer(screen.state.rows[screen.state.cursor].value)
    await screen.dismiss()
    typed = screen.field.text.replace("\n", "\\n")
    return f"{'answer' if answered else 'at'} {row.name}" + (f" “{typed}”" if typed else "")


@pytest.mark.words
async def test_it_is_answered_only_as_the_table_says(asking: Asking, pilot: Pilot[int]) -> None:
    lines = Path(__file__).with_name("trust.txt").read_text(encoding="utf-8").splitlines()[1:]
    rows = [[part.strip() for part in line.split("|")] for line in lines]
    came = [[keys, await played(asking.driven.app, pilot, keys)] for keys, _ in rows]
    assert came == rows


async def asked_beside(asking: Asking, pilot: Pilot[int], prompt: str) -> None:
    """Open a session in an untrusted directory beside one without its files, with a first prompt."""
    app = asking.driven.app
    launch = await begun(asking, pilot, "d")
    assert (app.theme, app.runtime.most_live) == ("ccq-dark", 8)
    assert "left out, as you chose" in asking.driven.screen.transcript.text()
    elsewhere = Settings(cwd=asking.project)
    wanted = replace(launch, settings=elsewhere, trusted=Trusted(carried_by(asking.project)), prompt=prompt)
    await app.manager.open(wanted)
    await until(pilot, lambda: isinstance(app.screen, TrustScreen) and "not now" in asking.text)


def left_behind(asking: Asking) -> PromptDraft | None:
    """Return what is on disk for the next session of the directory, even if a program has it."""
    return prompt_kept(asking.project / "state", directory_key(asking.project))


async def test_the_first_prompt_of_a_session_refused_beside_another_is_copied(
    asking: Asking, pilot: Pilot[int]
) -> None:
    app = asking.driven.app
    await asked_beside(asking, pilot, "a long\nfirst prompt")
    # A kill leaves it.
    await until(pilot, lambda: left_behind(asking) == PromptDraft("a long\nfirst prompt"))
    await pilot.press("x")
    await press_later(pilot, "down", "up", "enter")
    await until(pilot, lambda: asking.driven.screen.dock.notices.text == with_keys(UNOPENED))
    await press(pilot, "f8", then=lambda: app.clipboard == "a long\nfirst prompt")
    assert asking.driven.screen.dock.prompt.text == "x"
    assert (len(app.sessions), app._exit) == (1, False)


async def test_the_first_prompt_of_a_trusted_session_is_sent_once(asking: Asking, pilot: Pilot[int]) -> None:
    app = asking.driven.app
    await asked_beside(asking, pilot, "first prompt")
    await begun(asking, pilot, "y")
    await until(pilot, lambda: len(app.sessions) == 2)
    assert asking.driven.launches[-1].prompt == "first prompt"
    await until(pilot, lambda: left_behind(asking) == PromptDraft(sent=(Sent("p1", "first prompt", "id-1"),)))
    assert asking.driven.screen.dock.prompt.text == ""


async def test_quitting_at_the_question_keeps_the_first_prompt_once(asking: Asking) -> None:
    async with asking.driven.app.run_test() as pilot:
        await asked_beside(asking, pilot, "first prompt")
        await press(pilot, *"more", "ctrl+q", then=lambda: asking.driven.app._exit)
    assert left_behind(asking) == PromptDraft("first prompt\nmore")


LOADED = Loaded(Settings(), {}, ())
HOSTILE = "runs \x1b[2J[bold]x[/bold]\n\u202e (hook, Stop)"


async def test_what_a_file_says_cannot_draw_or_hide_anything() -> None:
    files = (CarriedFile(Path("/p/.mcp.json"), (HOSTILE, *[f"runs {n}" for n in range(60)])),)
    carried = Carried(Path("/p"), Path("/\x1b[2Jroot"), files, LOADED, before=True)
    driven = Driven(Launch(trusted=Trusted(carried)), clock=(clock := Clock()))
    async with driven.app.run_test(size=(60, 16)) as pilot:
        shown = Asking(driven, clock, Path("/p"))
        assert SETTINGS_QUESTION in " ".join(shown.text.split())
        assert "Trust covers all of /" in shown.text
        assert "[bold]x[/bold]" in shown.text
        assert "\u202e" not in shown.text
        assert "\x1b" not in shown.text
        assert "Trust it" in shown.text
        await pilot.press("end")
        assert "runs 59" in shown.text


_, WITHOUT_FILES, TRUST_IT = answer_labels().values()
ROW_WORDS = ("❯ Do not trust it: quit", "Start without these files", TRUST_IT)


@pytest.mark.parametrize("size", [(40, 12), (80, 24), (160, 50)])
async def test_all_but_the_files_is_in_view_at_every_size(asking: Asking, size: tuple[int, int]) -> None:
    servers = {f"db{n}": {"command": "npx", "args": ["-y", f"database-{n}"]} for n in range(60)}
    (asking.project / ".mcp.json").write_text(json.dumps({"mcpServers": servers}))
    (asking.project / ".ccq-tui.toml").unlink()
    launch = replace(asking.driven.app._launch, trusted=Trusted(carried_by(asking.project)))
    driven = Driven(launch, clock=asking.clock)
    shown = Asking(driven, asking.clock, asking.project)
    async with driven.app.run_test(size=size) as pilot:
        await until(pilot, lambda: "more lines · PgDn" in shown.text)
        for words in (TRUST_QUESTION, ".mcp.json", *ROW_WORDS, "Enter answer"):
            assert words in shown.text
        assert "database-49" not in shown.text or size[1] == 50
        await press_later(pilot, *"typed on")
        assert "for the prompt: typed on" in shown.text
        assert WITHOUT_FILES in shown.text
        await press(pilot, "end", then=lambda: " above · PgUp" in shown.text)
        assert "… and 10 more" in shown.text or "database-49" in shown.text
        assert TRUST_IT in shown.text


def row_offset(asking: Asking, words: str) -> tuple[int, int]:
    return next((line.index(words), y) for y, line in enumerate(asking.text.splitlines()) if words in line)


@pytest.mark.words
async def test_a_row_is_answered_by_two_clicks_on_it_and_by_no_stray_one(
    asking: Asking, pilot: Pilot[int]
) -> None:
    await until(pilot, lambda: "Trust it" in asking.text)
    trust, without = row_offset(asking, "Trust it"), row_offset(asking, "Start without")
    await pilot.click(offset=trust)
    assert "❯ Trust it" in asking.text
    asking.clock.now += 1.0
    await pilot.click(offset=trust, button=3)
    await pilot.mouse_down(offset=without)
    await pilot.mouse_up(offset=trust)
    assert asking.driven.session is None
    await pilot.click(offset=trust)
    await until(pilot, lambda: isinstance(asking.driven.app.screen, SessionScreen))
    assert carried_by(asking.project) is None


async def test_what_is_typed_then_is_the_first_sessions_alone(asking: Asking, pilot: Pilot[int]) -> None:
    app = asking.driven.app
    await pilot.press(*"later")
    app.screen.post_message(events.Paste("from\nelsewhere"))
    await until(pilot, lambda: "elsewhere" in asking.text)
    assert "for the prompt: later" in asking.text
    asking.clock.skip_grace()
    await pilot.press("enter")  # ends what is typed
    launch = await begun(asking, pilot, "y")
    await until(pilot, lambda: asking.driven.screen.dock.prompt.text == "laterfrom\nelsewhere")
    store = Store(asking.project / "state" / "inbox.db")
    store.sessions.upsert("id-1", str(asking.project), name="api")
    assert store.sessions.claim("id-1", Owner(os.getppid())) is None
    store.close()
    opening = asyncio.ensure_future(
        app.manager.open(replace(launch, trusted=Trusted(None), draft="", resume="id-1"))
    )
    await until(pilot, lambda: isinstance(app.screen, Picker))
    await pilot.press("down", "enter")
    await until(pilot, lambda: len(app.sessions) == 2 and isinstance(app.screen, SessionScreen))
    await opening
    await until(pilot, lambda: asking.driven.screen.view.session_id)
    assert asking.driven.screen.dock.prompt.text == ""


def test_picture(snap_compare: Callable[..., bool]) -> None:
    effects = ("runs ./scripts/check.sh (hook, PreToolUse)", "allows Bash(npm *) unasked")
    files: tuple[Any, ...] = (
        CarriedFile(Path("/work/shop/.claude/settings.json"), effects),
        CarriedFile(Path("/work/shop/.mcp.json"), ("runs npx -y db (MCP server db)",)),
    )
    driven = Driven(Launch(trusted=Trusted(Carried(Path("/work/shop"), Path("/work/shop"), files, LOADED))))

    async def wake(pilot: Pilot[int]) -> None:
        await until(pilot, lambda: driven.app.screen.query(HintBar))
        await pilot.pause()

    assert snap_compare(driven.app, terminal_size=(80, 18), run_before=wake)


DOCS = EarlierSession(
    "bbbb-2", "Write the docs", 0.0, "docs", "", (("user", "Write them"), ("assistant", "Which tone?"))
)
LOGIN = EarlierSession("aaaa-1", "Fix the login", 0.0, "main", "", (("user", "It is broken"),))


class Kept:
    """Claude Code's sessions as a test has them, and what was done with them."""

    def __init__(self, *here: EarlierSession) -> None:
        self.here = list(here)
        self.elsewhere: list[EarlierSession] = []
        self.deleted: list[str] = []
        self.broken = False

    async def list(self, _options: Launch, *, everywhere: bool = False) -> tuple[EarlierSession, ...]:
        if self.broken:
            raise ReaderError("it took longer than 30 seconds")
        return (*self.here, *(self.elsewhere if everywhere else ()))

    async def rename(self, _options: Launch, session_id: str, title: str) -> None:
        self.here = [
            EarlierSession(one.session_id, title, one.modified, one.branch)
            if one.session_id == session_id
            else one
            for one in self.here
        ]

    async def delete(self, _options: Launch, session_id: str) -> Path:
        self.deleted.append(session_id)
        self.here = [one for one in self.here if one.session_id != session_id]
        return Path(f"{session_id}.jsonl")


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> Kept:
    kept = Kept(LOGIN, DOCS)
    monkeypatch.setattr(listing, "earlier_sessions", kept.list)
    monkeypatch.setattr(listing, "rename_earlier", kept.rename)
    monkeypatch.setattr(listing, "delete_earlier", kept.delete)
    return kept


def started(tmp_path: Path, **more: Any) -> Driven:
    return Driven(
        Launch(
            settings=Settings(cwd=tmp_path),
            program=ProgramArguments(choose=True, state=tmp_path / "state"),
            **more,
        )
    )


async def listed(pilot: Pilot[int], run: Driven) -> SessionsScreen:
    await until(pilot, lambda: isinstance(run.app.screen, SessionsScreen) and names(run.app.screen))
    await until(pilot, lambda: run.app.screen.listing.all_read)
    run.clock.skip(1.0)  # its rows came just now
    return run.app.screen


def names(shown: SessionsScreen) -> list[str]:
    return [row.session for row in shown.state.sessions]


def notice(shown: SessionsScreen) -> str:
    return shown.notices.text


async def stock(path: Path) -> None:
    """Leave a question waiting in the docs' session, and the other session running here."""
    inbox = Inbox.begin(path)
    question = Question("Which tone?", "Tone", (Option("Dry", "a"), Option("Warm", "b")))
    request = QuestionRequest("toolu_1", "bbbb-2", QuestionSet("toolu_1", (question,)))
    await inbox.run(lambda store: store.requests.add(request))
    await inbox.run(lambda store: store.sessions.claim("aaaa-1", this_process()))
    await inbox.close()


async def test_a_session_is_found_by_typing_and_gone_on_with_and_one_that_runs_is_not_deleted(
    kept: Kept, tmp_path: Path
) -> None:
    run = started(tmp_path, prompt="Go on")
    await asyncio.to_thread(lambda: asyncio.run(stock(tmp_path / "state" / "inbox.db")))
    async with run.app.run_test(size=(80, 24)) as pilot:
        shown = await listed(pilot, run)
        runs = next(row for row in shown.state.sessions if row.session_id == "aaaa-1")
        assert (runs.session, runs.heading) == ("Fix the login", ListHeading.WORKING)
        await press(pilot, "home", "ctrl+d", then=lambda: "It runs" in notice(shown))
        assert (run.launches, kept.deleted) == ([], [])
        await pilot.press(*"docs")
        assert [row.key for row in shown.state.shown] == ["bbbb-2", "toolu_1@bbbb-2"]
        await until(pilot, lambda: "● Which tone?" in screen_text(run.app))
        await press(pilot, "enter", then=lambda: run.launches)
        launch = run.launches[0]
        assert (launch.resume, launch.fork, launch.prompt) == ("bbbb-2", False, "Go on")


async def test_deleting_asks_and_keeps_at_first(kept: Kept, tmp_path: Path) -> None:
    async with running(started(tmp_path)) as (run, pilot):
        shown = await listed(pilot, run)
        for key, left in (("escape", 2), ("y", 1)):
            await press(pilot, "ctrl+d", then=lambda: "“Fix the login”?" in notice(shown))
            run.clock.skip(1.0)
            await press(pilot, key, then=lambda: "Fix the login" not in notice(shown))
            await until(pilot, lambda left=left: len(names(shown)) == left)
        assert kept.deleted == ["aaaa-1"]
        assert names(shown) == ["Write the docs"]


async def test_a_session_gets_another_title_and_esc_keeps_the_old_one(kept: Kept, tmp_path: Path) -> None:
    async with running(started(tmp_path)) as (run, pilot):
        shown = await listed(pilot, run)
        await pilot.press("ctrl+r", *" x", "escape")
        assert names(shown) == ["Fix the login", "Write the docs"]
        await pilot.press("ctrl+r", "ctrl+u", *"Login", "enter")
        await until(pilot, lambda: names(shown) == ["Login", "Write the docs"])
        assert shown.state.filter == ""


async def test_the_end_of_an_earlier_session_stays_where_it_was_scrolled_to(
    kept: Kept, tmp_path: Path
) -> None:
    line = "\n\n".join(f"line {number}" for number in range(40))
    kept.here = [replace(DOCS, last=(("assistant", line),))]
    async with running(started(tmp_path), size=(80, 24)) as (run, pilot):
        text = (await listed(pilot, run)).details.view
        await until(pilot, lambda: text.above and not text.below)
        await press(pilot, "ctrl+up", "ctrl+up", then=lambda: text.below > 1)
        below = text.below
        await pilot.resize_terminal(90, 24)
        await pilot.pause()
        assert text.below == below


async def test_a_session_of_another_directory_is_forked_there(kept: Kept, tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.mkdir()
    kept.elsewhere = [EarlierSession("cccc-3", "Elsewhere", 0.0, "", str(there))]
    async with running(started(tmp_path), size=(100, 24)) as (run, pilot):
        shown = await listed(pilot, run)
        await press(pilot, "ctrl+a", then=lambda: len(names(shown)) == 3)
        await press(pilot, *"else", "ctrl+f", then=lambda: run.app.screen.question is not None)
        assert "Fork “Elsewhere”? The original stays as it is" in run.app.screen.notices.text
        assert run.launches == []
        await press_later(pilot, "ctrl+f", then=lambda: run.launches)
        launch = run.launches[0]
        assert (launch.resume, launch.fork, launch.settings.directory) == ("cccc-3", True, there)


async def test_leaving_the_first_list_ends_the_program(kept: Kept, tmp_path: Path) -> None:
    kept.here = []
    async with running(started(tmp_path)) as (run, pilot):
        await until(
            pilot, lambda: isinstance(run.app.screen, SessionsScreen) and run.app.screen.listing.all_read
        )
        await press(pilot, "ctrl+d", "ctrl+f", "ctrl+r", "escape", then=lambda: run.app.return_code == 0)
        assert run.launches == []


async def test_sessions_that_cannot_be_read_are_said_so(kept: Kept, tmp_path: Path) -> None:
    kept.broken = True
    async with running(started(tmp_path)) as (run, pilot):
        await until(pilot, lambda: "longer than 30 seconds" in screen_text(run.app))

"""Keys that a hand knows from shells and from Claude Code, and commands that nobody knows."""

import asyncio
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
from textual import events
from textual.pilot import Pilot

from ccq_tui import app as program
from ccq_tui.agent import events as ev
from ccq_tui.agent.events import CommandsListed, PromptAccepted, SessionState, SlashCommand, StateChanged
from ccq_tui.commands.listings import NO_TASKS
from ccq_tui.commands.workspace import NO_PROMPT
from ccq_tui.config.launch import Launch, ProgramArguments
from ccq_tui.config.settings import Settings
from ccq_tui.inbox.store.store import Store
from ccq_tui.input.gate import HELD
from ccq_tui.prompts.command_names import ALTERNATIVES
from ccq_tui.questions import Option, Question
from ccq_tui.screens.help import HelpScreen
from ccq_tui.screens.session.prompts import GIVEN_BACK
from ccq_tui.screens.session.screen import SLASH_COMMANDS
from ccq_tui.widgets.hints import HintBar
from tests.ui.asked import SINGLE
from tests.ui.cases import in_one_program
from tests.ui.host import Clock, PanelHost, press_later
from tests.ui.session import Driven, asked, burst, idle, keys_work, permission, press, running, until
from tests.ui.test_commands import notices, picker, say

PAUSE = 0.2


@pytest.fixture
def run() -> Driven:
    """The program with a clock that goes only when a test moves it: real presses take as long as they do."""
    return Driven(clock=Clock())


async def press_apart(pilot: Pilot[int], run: Driven, *keys: str, seconds: float = PAUSE) -> None:
    for key in keys:
        await pilot.press(key)
        run.clock.skip(seconds)


async def settled(pilot: Pilot[int]) -> None:
    """Let what waits for a key's repeats come to its end."""
    await pilot.pause(0.2)


async def test_two_escapes_clear_the_prompt_and_undo_and_up_bring_it_back(
    run: Driven, pilot: Pilot[int]
) -> None:
    prompt = run.prompt
    await pilot.press(*"words")
    run.clock.skip(1.0)
    await press_apart(pilot, run, "escape")
    assert "Esc again clears" in run.dock.notices.text
    await press_apart(pilot, run, "escape")
    await until(pilot, lambda: prompt.text == "")
    await pilot.press("ctrl+underscore")
    assert prompt.text == "words"
    await pilot.press("ctrl+u", "up")
    assert prompt.text == "words", "it is the newest of the earlier prompts"


async def test_two_escapes_in_an_empty_prompt_open_rewind(run: Driven, pilot: Pilot[int]) -> None:
    run.clock.skip(1.0)
    await press_apart(pilot, run, "escape", "escape")
    await until(pilot, lambda: NO_PROMPT in run.dock.notices.text)


async def test_ctrl_c_interrupts_then_clears_then_quits(run: Driven, pilot: Pilot[int]) -> None:
    prompt = run.prompt
    await pilot.press(*"words")
    await run.tell(pilot, ev.StateChanged(ev.SessionState.WORKING), then=lambda: run.screen.view.busy)
    await pilot.press("ctrl+c")
    assert run.fake.interrupts == 1
    assert prompt.text == "words"
    await run.tell(pilot, ev.StateChanged(ev.SessionState.IDLE), then=lambda: not run.screen.view.busy)
    await press_later(pilot, "ctrl+c", seconds=3.0)
    assert prompt.text == ""
    assert "brings it back · Ctrl+C again quits" in run.dock.notices.text
    await pilot.press("ctrl+underscore")
    assert prompt.text == "words"
    run.clock.skip(3.0)
    await press_apart(pilot, run, "ctrl+c", "ctrl+c")
    await until(pilot, lambda: run.fake.closed)


async def silent_turn(pilot: Pilot[int], run: Driven) -> None:
    """Send a prompt that Claude reads and says nothing to yet."""
    await press(pilot, *"words", "enter", then=lambda: run.fake.sent)
    run.fake.tell(ev.PromptAccepted("words", prompt_id="p1"), ev.StateChanged(ev.SessionState.WORKING))
    await run.tell(pilot, ev.PromptDelivered("p1"), then=lambda: run.screen.view.busy)
    run.clock.skip(3.0)
    run.fake.replies["rewind_conversation"] = {"rewound": True}


def interrupted(run: Driven) -> None:
    """Tell that the turn ended as an interrupted one does."""
    assert run.fake.interrupts == 1
    run.fake.tell(ev.TurnEnded("aborted_streaming", True, 1.0, None, 0, 0))
    run.fake.tell(ev.StateChanged(ev.SessionState.IDLE))


async def test_an_interrupt_before_claude_says_anything_gives_the_prompt_back(
    run: Driven, pilot: Pilot[int]
) -> None:
    await silent_turn(pilot, run)
    await pilot.press("ctrl+c")
    interrupted(run)
    await until(pilot, lambda: run.prompt.text == "words")
    assert GIVEN_BACK in notices(run)
    assert [fields for name, fields in run.fake.asked if name == "rewind_conversation"] == [
        {"target_message_uuid": "p1"}
    ]
    await press(pilot, "enter", then=lambda: run.fake.sent == ["words", "words"])


@in_one_program("said", "typed", "refused", "by itself", "queued")
async def test_an_interrupted_prompt_stays_where_something_follows_on_it(
    case: str, run: Driven, pilot: Pilot[int]
) -> None:
    await silent_turn(pilot, run)
    match case:
        case "said":
            run.fake.tell(ev.BlockGrew(ev.BlockKey("m", 0), ev.BlockKind.TEXT, "Well"))
        case "typed":
            await pilot.press(*"other")
        case "queued":
            run.fake.tell(ev.PromptAccepted("next", queued=True, prompt_id="p2"))
            await until(pilot, lambda: run.prompt.queued)
        case "refused":
            run.fake.replies["rewind_conversation"] = {"rewound": False, "reason": "stale_target"}
    if case == "by itself":
        run.fake.interrupts = 1
    else:
        await pilot.press("ctrl+c")
    interrupted(run)
    await until(pilot, lambda: not run.screen.view.busy)
    await settled(pilot)
    assert run.prompt.text == ("other" if case == "typed" else "")
    assert GIVEN_BACK not in notices(run)
    assert bool(run.fake.asked) == (case == "refused")


async def test_ctrl_d_deletes_and_pressed_twice_in_an_empty_prompt_quits(
    run: Driven, pilot: Pilot[int]
) -> None:
    await pilot.press(*"ab", "home")
    await press_apart(pilot, run, "ctrl+d", seconds=0.5)
    assert run.prompt.text == "b"
    assert "quits" not in run.dock.notices.text
    await press_apart(pilot, run, *["ctrl+d"] * 3)
    await until(pilot, lambda: run.fake.closed)


async def test_ctrl_d_twice_quits_though_both_come_before_the_first_is_handled(
    run: Driven, pilot: Pilot[int]
) -> None:
    for _ in range(2):
        await run.app.on_event(events.Key("ctrl+d", "\x04"))
        run.clock.skip(PAUSE)
    await until(pilot, lambda: run.fake.closed)


async def test_ctrl_c_withdraws_no_question_and_ctrl_d_in_a_panel_does_not_quit(
    run: Driven, pilot: Pilot[int]
) -> None:
    run.fake.tell(asked())
    run.clock.skip(2.0)
    await keys_work(run, pilot)
    await pilot.press("ctrl+c")
    assert run.fake.interrupts == 0
    assert "Ctrl+C again quits" in run.dock.notices.text
    await press_apart(pilot, run, "ctrl+f", "ctrl+c", "escape", seconds=0.5)
    assert not run.fake.closed, "another key came between"
    run.clock.skip(5.0)
    await press_apart(pilot, run, "ctrl+d")
    assert "Ctrl+D again" not in run.dock.notices.text
    assert not run.fake.closed


async def test_what_was_killed_is_yanked_in_its_order_and_a_backslash_and_enter_begin_a_line(
    run: Driven, pilot: Pilot[int]
) -> None:
    prompt = run.prompt
    await pilot.press(*"one", "space", *"two", "space", *"three", "ctrl+w", "ctrl+w", "ctrl+y")
    assert prompt.text == "one two three"
    await pilot.press("ctrl+left", "ctrl+k", "home", "ctrl+y")
    assert prompt.text == "threeone two "
    await pilot.press("ctrl+underscore", "alt+z")
    assert prompt.text == "threeone two ", "undone and done again"
    await pilot.press("ctrl+u", "x", "end", "ctrl+k", "ctrl+u", "ctrl+y")
    assert prompt.text == "xone two ", "a key that killed nothing joins nothing to what was killed before"
    prompt.put("")
    paste = "\n".join(f"line {number}" for number in range(30))
    prompt.field.paste(paste)
    assert prompt.field.text == "[pasted 30 lines]"
    await pilot.press("ctrl+u", "x", "enter", "ctrl+y")
    assert prompt.text == paste, "a folded paste is yanked whole into another prompt"
    await press(pilot, "enter", then=lambda: run.fake.sent == ["x", paste])
    run.fake.sent.clear()
    await pilot.press("a", "backslash", "enter", "b")
    assert prompt.text == "a\nb"
    await pilot.press("up", "backslash", "backslash", "left", "left", "enter", "enter")
    assert run.fake.sent == ["a\\\\\nb"], "a backslash and Enter begin a new line only right before the caret"


def on_disk(state: Path) -> str:
    with closing(Store(state / "inbox.db")) as store:
        return "".join(row[0] for row in store.database.rows("SELECT body FROM prompts"))


async def test_ctrl_z_stops_once_what_was_typed_is_on_disk(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    stops: list[str] = []
    run = Driven(
        Launch(settings=Settings(cwd=Path("/")), program=ProgramArguments(state=tmp_path)), clock=Clock()
    )

    def stop() -> None:
        stops.append(on_disk(tmp_path))

    async with idle(run) as (run, pilot):
        monkeypatch.setattr(program, "shell_may_resume", lambda: False)
        await pilot.press("ctrl+z")
        assert "No shell here could resume" in run.dock.notices.text
        monkeypatch.setattr(program, "shell_may_resume", lambda: True)
        monkeypatch.setattr(run.app, "action_suspend_process", stop)
        await press(pilot, *"precious", "ctrl+z", "ctrl+z", then=lambda: stops)
        assert "precious" in stops[0]
        assert len(stops) == 1


async def test_a_prompt_is_put_aside_and_exchanged_and_is_on_disk_all_the_while(tmp_path: Path) -> None:
    run = Driven(
        Launch(settings=Settings(cwd=Path("/")), program=ProgramArguments(state=tmp_path)), clock=Clock()
    )

    async with idle(run) as (run, pilot):
        prompt = run.prompt
        await pilot.press("ctrl+s")
        assert "No prompt is put aside" in run.dock.notices.text
        await pilot.press(*"first", "ctrl+s")
        assert prompt.text == ""
        await press(pilot, *"other", then=lambda: "first\\nother" in on_disk(tmp_path))
        await pilot.press("enter")
        assert run.fake.sent == ["other"], "what is put aside is not sent"
        await until(pilot, lambda: "first\\nother" not in on_disk(tmp_path) and "first" in on_disk(tmp_path))
        await pilot.press(*"next", "ctrl+s")
        assert prompt.text == "first", "exchanged"
        await pilot.press("ctrl+u", "ctrl+s")
        assert prompt.text == "next"


async def test_a_question_mark_alone_shows_the_keys_and_one_that_begins_a_text_is_text() -> None:
    async with idle(Driven()) as (run, pilot):
        prompt = run.prompt
        await pilot.press("?", "x")
        await pilot.pause(0.4)
        assert prompt.text == "?x"
        await press(pilot, "ctrl+u", "?", then=lambda: isinstance(run.app.screen, HelpScreen))
        assert prompt.text == ""


async def test_keys_reach_model_thinking_tasks_and_background_from_the_prompt_alone() -> None:
    async with idle(Driven()) as (run, pilot):
        await press(pilot, "alt+t", then=lambda: "Thinking is off" in run.dock.notices.text)
        await press(pilot, "alt+t", then=lambda: "Thinking is on" in run.dock.notices.text)
        sent = [fields["max_thinking_tokens"] for name, fields in run.fake.asked if "thinking" in name]
        assert sent == [0, None]
        await press(pilot, "alt+p", then=lambda: "Claude is still starting" in run.dock.notices.text)
        await press(pilot, "ctrl+t", then=lambda: NO_TASKS in run.dock.notices.text)
        await press(pilot, "ctrl+b", then=lambda: "nothing can go" in run.dock.notices.text)
        await run.tell(pilot, ev.StateChanged(ev.SessionState.WORKING), then=lambda: run.screen.view.busy)
        await press(pilot, "ctrl+b", then=lambda: ("background_tasks", {}) in run.fake.asked)
        before = len(run.fake.asked)
        run.fake.tell(ev.RequestAsked(permission()))
        run.clock.skip(2.0)
        await keys_work(run, pilot)
        await pilot.press("alt+t", "ctrl+t", "ctrl+b")
        assert len(run.fake.asked) == before
        assert run.app.screen is run.session_screen
        assert run.fake.answers == []


async def test_the_workspace_commands_show_what_the_cli_says(tmp_path: Path) -> None:
    run = Driven(Launch(settings=Settings(cwd=tmp_path)))
    (tmp_path / "lib").mkdir()
    (tmp_path / "file").touch()
    async with idle(run) as (run, pilot):
        run.fake.replies["get_status"] = {
            "sections": [
                {"title": "Session", "rows": [{"label": "Model", "value": "x\x1b[31m"}, {"value": "Plain"}]}
            ]
        }
        await say(pilot, run, "/status", then=lambda: "Session\n  Model: x" in notices(run))
        assert "  Plain" in notices(run)
        assert "\x1b" not in run.screen.transcript.text()
        run.fake.replies["get_workspace_diff"] = {
            "diff": {
                "perFileStats": [{"path": "a.txt", "added": 2, "removed": 1}],
                "hunks": [{"path": "a.txt", "hunks": [{"oldStart": 1, "lines": [" one", "-two", "+TWO"]}]}],
            }
        }
        await say(pilot, run, "/diff")
        assert [row.label for row in (await picker(pilot)).state.rows] == ["a.txt"]
        await press_later(pilot, "enter", then=lambda: "-two\n+TWO" in notices(run))
        await asyncio.to_thread(subprocess.run, ["git", "init", "-q"], cwd=tmp_path, check=True)
        (tmp_path / "new.txt").write_text("first\nlast\n")
        (tmp_path / "new.bin").write_bytes(b"a\0b")
        stats = {"perFileStats": [{"path": "new.txt", "status": "added", "added": 0, "removed": 0}]}
        run.fake.replies["get_workspace_diff"] = {"diff": stats}
        await say(pilot, run, "/diff")
        rows = (await picker(pilot)).state.rows
        assert [(row.label, row.description) for row in rows if row.label.startswith("new")] == [
            ("new.bin", "not in git"),
            ("new.txt", "not in git"),
        ]
        await press_later(pilot, *"new.txt", "enter")
        await until(pilot, lambda: "new.txt · not in git · +2 −0\n+first\n+last" in notices(run))
        await say(pilot, run, "/copy")
        await until(pilot, lambda: "/copy failed: the transcript has 0 answers" in notices(run))
        for number, words in enumerate(("Older.", "Newest.")):
            run.fake.tell(ev.BlockFinished(ev.BlockKey(f"m{number}", 0), ev.BlockKind.TEXT, words))
        await until(pilot, lambda: "Newest." in run.screen.transcript.text())
        await say(pilot, run, "/copy 2", then=lambda: run.app.clipboard == "Older.")
        await say(pilot, run, "/copy", then=lambda: run.app.clipboard == "Newest.")
        for path in ("nowhere", "file"):
            await say(pilot, run, f"/add-dir {path}", then=lambda: "/add-dir failed" in notices(run))
        await say(pilot, run, "/add-dir lib", then=lambda: "may work in" in notices(run))
        assert run.fake.asked[-1][1] == {
            "settings": {"permissions": {"additionalDirectories": [str(tmp_path / "lib")]}}
        }
        run.session_screen.session.reconnect()
        await run.tell(pilot, ev.SessionLost("", expected=True), then=lambda: len(run.launches) == 2)
        assert run.launches[1].settings.add_dirs == (tmp_path / "lib",), "the next process knows it, too"
        await until(pilot, lambda: run.screen.view.state is ev.SessionState.IDLE)
        await say(pilot, run, "/plan look around")
        assert run.fake.set[-1] == ("mode", "plan")
        assert run.fake.sent == ["look around"]


LISTED = CommandsListed(
    (
        SlashCommand("compact", "Summarize"),
        SlashCommand("code-review", "Review", aliases=("review",)),
        SlashCommand("list-agents", "List subagents"),
    )
)


async def listed(pilot: Pilot[int], driven: Driven) -> None:
    await driven.tell(pilot, LISTED, then=lambda: driven.screen.completions.listed)


async def put(pilot: Pilot[int], driven: Driven, text: str) -> None:
    driven.prompt.put(text)
    await pilot.pause()


async def test_an_unknown_command_stays_and_a_second_enter_sends_it_as_text(
    run: Driven, pilot: Pilot[int]
) -> None:
    await listed(pilot, run)
    prompt = run.prompt
    await put(pilot, run, "/comapct now")
    await pilot.press("enter")
    assert prompt.text == "/comapct now"
    assert "Unknown command /comapct · did you mean /compact?" in run.dock.notices.text
    burst(run, "\r\r\r")  # held down, the key is no second press
    await pilot.pause()
    assert run.fake.sent == []
    run.clock.skip(0.66)  # the delay of a key that begins to repeat
    await pilot.press("enter")
    assert run.fake.sent == []
    await press_later(pilot, "enter", seconds=HELD + 0.01)
    assert run.fake.sent == ["/comapct now"]
    assert prompt.text == ""
    await put(pilot, run, "/nothing")
    await pilot.press("enter")
    await press_later(pilot, "x", "enter", seconds=HELD + 0.01)
    assert run.fake.sent == ["/comapct now"], "another text is asked about anew"
    assert run.prompt.text == "/nothingx"


async def test_what_the_cli_knows_and_what_is_no_command_is_sent_and_for_its_own_screens_the_way_is_said(
    run: Driven, pilot: Pilot[int]
) -> None:
    await listed(pilot, run)
    await put(pilot, run, "/upgrade")
    await pilot.press("enter")
    assert "claude in a terminal has it" in run.dock.notices.text
    await pilot.press("ctrl+u", *"/agents", "enter")  # which reads like /list-agents
    assert "ask Claude to write a subagent" in run.dock.notices.text
    assert run.fake.sent == []
    for text in ("/compact", "/review 12", "/etc/hosts is wrong", "hello /nothing", "/ x"):
        await put(pilot, run, text)
        await press_later(pilot, "enter")
        assert run.fake.sent[-1:] == [text]


def test_no_way_is_said_for_a_command_that_is_there() -> None:
    assert not {one.name for one in SLASH_COMMANDS} & set(ALTERNATIVES)
    assert all(len(way) < 80 for way in ALTERNATIVES.values())


@pytest.mark.parametrize("text", ["/exit", "/quit", " exit "])
async def test_a_word_quits(text: str, caplog: pytest.LogCaptureFixture) -> None:
    async with running(Driven(clock=Clock())) as (driven, pilot):
        await listed(pilot, driven)
        await put(pilot, driven, text)
        await press(pilot, "enter", then=lambda: driven.app.return_code == 0)
    assert driven.fake.closed
    assert driven.fake.sent == []
    assert caplog.messages == []


async def test_the_keys_under_the_prompt_are_those_that_hold() -> None:
    async with running(Driven(clock=Clock())) as (run, pilot):
        await until(pilot, lambda: run.session and run.prompt.field.has_focus)
        bar = run.dock.query_one(HintBar)

        def keys() -> str:
            return bar.render().plain

        run.fake.tell(StateChanged(SessionState.WORKING))
        run.fake.tell(PromptAccepted("later", queued=True, prompt_id="p1"))
        await until(pilot, lambda: "↑ withdraw" in keys())
        await press(pilot, "ctrl+f", then=lambda: "Esc close" in keys())
        assert "interrupt" not in keys()
        await press(pilot, "escape", then=lambda: "Esc interrupt" in keys())
        assert run.fake.interrupts == 0


async def test_the_question_stays_in_sight_while_one_answers_in_own_words_beside_previews() -> None:
    code = Question(
        "How should amounts be rounded?",
        "Rounding",
        tuple(Option(name, "a way", f"def {name}(x):\n    return x\n") for name in ("up", "even", "never")),
    )
    async with PanelHost(code, SINGLE).shown() as (app, pilot):
        height = app.panel.region.height
        await pilot.press("o", "x")
        shown = "\n".join(app.screen_lines)
        assert "How should amounts be rounded?" in shown
        assert app.panel.region.height == height
        await pilot.press("escape", "up")
        assert "def never" in "\n".join(app.screen_lines)

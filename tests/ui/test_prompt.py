"""The prompt: completion, earlier prompts, folded pastes, queued prompts."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from textual import events
from textual.pilot import Pilot

from ccq_tui.agent import events as ev
from ccq_tui.config.launch import Launch
from ccq_tui.config.paths import state_dir
from ccq_tui.config.settings import Settings
from ccq_tui.prompts.completion_list import SEEN_AFTER
from ccq_tui.prompts.history import PromptHistory
from ccq_tui.questions.input_guard import HELD_SECONDS
from ccq_tui.widgets.choices import ChoiceList, height_of
from ccq_tui.widgets.prompt import Prompt
from tests.ui.host import Clock, press_later
from tests.ui.running import running
from tests.ui.session import Driven, until

PASTE = "".join(f"line {number}\n" for number in range(57))
CLIS = (
    ev.SlashCommand("compact", "Make the conversation shorter", "[what to keep]"),
    ev.SlashCommand("model", "x"),
)


class Running(Driven):
    """The program with a clock of its own, in a directory."""

    def __init__(self, directory: Path = Path("/")) -> None:
        super().__init__(Launch(settings=Settings(cwd=directory)), clock=Clock())

    @property
    def prompt(self) -> Prompt:
        return self.screen.dock.prompt

    @property
    def offered(self) -> list[str]:
        """The rows on the screen."""
        return [row.value for row in self.prompt.choices.rows] if self.prompt.choices else []

    async def told_commands(self, pilot: Pilot[int]) -> None:
        """Let the CLI tell its commands."""
        self.told.tell(ev.CommandsListed(CLIS))
        await until(pilot, lambda: any(one.name == "compact" for one in self.screen.completions.commands))

    async def listed(self, pilot: Pilot[int], first: str) -> None:
        """Wait until the list that is ready begins with a row, and was seen."""
        await until(
            pilot, lambda: self.offered[:1] == [first] and self.prompt.choices and self.prompt.choices.ready
        )
        self.clock.skip(2 * SEEN_AFTER)

    async def laid_out(self, pilot: Pilot[int]) -> None:
        """Wait until the list has the lines of its rows: before that a row is in another place."""
        shown = self.screen.query_one(ChoiceList)
        await until(
            pilot,
            lambda: (
                self.prompt.choices
                and shown.content_region.height == height_of(self.prompt.choices, shown.most)
            ),
        )

    def paste(self, text: str) -> None:
        self.app.post_message(events.Paste(text))


@pytest.fixture
def run() -> Running:
    return Running()


async def test_commands_are_offered_completed_and_sent(run: Running, pilot: Pilot[int]) -> None:
    await run.told_commands(pilot)
    await pilot.press("slash")
    await run.listed(pilot, "model")
    assert run.offered.count("model") == 1, "a name stands once"
    assert run.offered[-1] == "compact", "the program's own come first"
    await pilot.press(*"comp")
    await run.listed(pilot, "compact")
    await pilot.press("enter")
    await until(pilot, lambda: run.prompt.text == "/compact ")
    assert run.told.sent == [], "what is not whole is completed"
    await pilot.press(*"all", "enter")
    await until(pilot, lambda: run.told.sent == ["/compact all"])

    for text in ("/compact", "/home/me/file is there"):
        run.told.sent.clear()
        await pilot.press("slash")
        await run.listed(pilot, "model")
        await pilot.press(*(" " if key == " " else key for key in text[1:]))
        await until(pilot, lambda text=text: run.prompt.text == text)
        run.clock.skip(2 * SEEN_AFTER)
        await pilot.pause()
        await pilot.press("enter")
        await until(pilot, lambda text=text: run.told.sent == [text])

    run.told.sent.clear()
    await pilot.press("slash", *"comp")
    await until(pilot, lambda: run.offered)
    await pilot.press("enter")
    await until(pilot, lambda: "did you mean /compact" in run.screen.dock.notices.text)
    assert run.prompt.text == "/comp", "what was typed faster than anybody reads is not completed"
    assert run.told.sent == []
    await pilot.press("ctrl+u")


async def test_arrows_choose_tab_completes_and_escape_closes_the_list_and_interrupts_nothing(
    run: Running, pilot: Pilot[int]
) -> None:
    await run.told_commands(pilot)
    run.told.tell(ev.StateChanged(ev.SessionState.WORKING))
    await pilot.press("slash", "m", "o")
    await run.listed(pilot, "model")
    assert run.offered[:2] == ["model", "mode"]
    await pilot.press("down", "tab")
    await until(pilot, lambda: run.prompt.text == "/mode ")
    await pilot.press("ctrl+u", "slash", "m")
    await until(pilot, lambda: run.offered)
    await pilot.press("escape")
    assert not run.offered
    await pilot.press("o")
    await pilot.pause()
    assert not run.offered, "it stays closed for the word it was closed for"
    assert run.told.interrupts == 0
    await press_later(pilot, "escape", seconds=HELD_SECONDS)
    await until(pilot, lambda: run.told.interrupts == 1)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    for name in ("src/prompt.py", "src/my notes.txt", "out/prompt.o"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    (tmp_path / ".gitignore").write_text("out/\n")
    return tmp_path


async def test_files_are_completed_within_the_text(repository: Path) -> None:
    async with running(Running(repository)) as (run, pilot):
        await pilot.press(*"see ", "@", *"prom")
        await run.listed(pilot, "src/prompt.py")
        assert run.offered == ["src/prompt.py"], "what git ignores is left out"
        await pilot.press("enter")
        await until(pilot, lambda: run.prompt.text == "see @src/prompt.py ")
        await pilot.press(*"and ", "@", *"src")
        await run.listed(pilot, "src/")
        await pilot.press("tab", *"no")
        await run.listed(pilot, "src/my notes.txt")
        await pilot.press("tab", *"now", "enter")
        await until(pilot, lambda: run.told.sent)
        assert run.told.sent == ['see @src/prompt.py and @"src/my notes.txt" now']


async def test_commands_of_claude_are_completed_within_the_text(run: Running, pilot: Pilot[int]) -> None:
    await run.told_commands(pilot)
    await pilot.press(*"then ", "slash", *"mo")
    await pilot.pause()
    assert "model" not in run.offered, "the program's own would be text to Claude"
    await pilot.press("ctrl+u", *"then ", "slash", *"comp")
    await run.listed(pilot, "compact")
    await pilot.press("tab", "enter")
    await until(pilot, lambda: run.told.sent == ["then /compact"])


async def test_up_and_down_walk_through_earlier_prompts_and_lose_nothing() -> None:
    PromptHistory(state_dir() / "history.jsonl", Path("/")).add("from before")
    async with running(Running()) as (run, pilot):
        await until(pilot, lambda: run.screen.queue.earlier)
        await pilot.press(*"one", "ctrl+j", *"two", "enter", *"draft", "up")
        await until(pilot, lambda: run.prompt.text == "one\ntwo")
        await pilot.press("up")
        assert run.prompt.text == "from before"
        await pilot.press("up")
        assert run.prompt.text == "from before"
        await pilot.press("down", "down")
        assert run.prompt.text == "draft"
        await pilot.press("up", "up", "enter")
        await until(pilot, lambda: run.told.sent == ["one\ntwo", "from before"])
        assert run.prompt.text == "draft", "what was being typed is back"
        await until(
            pilot,
            lambda: PromptHistory(state_dir() / "history.jsonl", Path("/")).load()[:1] == ("from before",),
        )


async def test_searching_earlier_prompts() -> None:
    for text in ("fix the parser", "write tests", "fix the printer"):
        PromptHistory(state_dir() / "history.jsonl", Path("/")).add(text)
    async with running(Running()) as (run, pilot):
        await until(pilot, lambda: run.screen.queue.earlier)
        await pilot.press(*"draft", "ctrl+r")
        await until(pilot, lambda: run.offered == ["fix the printer", "write tests", "fix the parser"])
        await pilot.press(*"fix")
        await until(pilot, lambda: run.offered == ["fix the printer", "fix the parser"])
        assert run.prompt.text == "draft", "what is typed to search is not the prompt"
        await pilot.press("escape")
        assert (run.prompt.text, run.prompt.field.text) == ("draft", "draft")
        await pilot.press("ctrl+r", *"nothing")
        await until(pilot, lambda: run.prompt.choices and run.prompt.choices.note)
        await pilot.press("enter")
        assert run.told.sent == []
        await pilot.press("escape", "ctrl+r", *"fix")
        await run.listed(pilot, "fix the printer")
        await pilot.press("ctrl+r", "enter")
        await until(pilot, lambda: run.prompt.text == "fix the parser")
        await pilot.press("enter")
        await until(pilot, lambda: run.told.sent == ["fix the parser"])
        assert run.prompt.text == "draft"


async def test_a_long_paste_is_one_piece_and_is_sent_whole(run: Running, pilot: Pilot[int]) -> None:
    await pilot.press(*"see ")
    run.paste(PASTE)
    await until(pilot, lambda: run.prompt.field.text == "see [pasted 57 lines]")
    await pilot.press("space", *"now", *["left"] * 5, "x")
    assert run.prompt.field.text == "see x[pasted 57 lines] now"
    await pilot.press("backspace", "right", "backspace")
    assert run.prompt.field.text == "see  now"
    await pilot.press("ctrl+underscore")
    assert run.prompt.field.text == "see [pasted 57 lines] now"
    assert run.prompt.text == f"see {PASTE} now"
    await pilot.press("enter")
    await until(pilot, lambda: run.told.sent == [f"see {PASTE} now"])
    run.paste("short\npaste")
    await until(pilot, lambda: run.prompt.field.text == "short\npaste")
    await pilot.press("enter")
    await until(pilot, lambda: len(run.told.sent) == 2)
    run.paste(PASTE)
    await until(pilot, lambda: run.prompt.text)
    await pilot.click(run.prompt.field, offset=(5, 0))
    await pilot.press("x")
    assert run.prompt.field.text in ("x[pasted 57 lines]", "[pasted 57 lines]x"), "a click does not part it"


async def test_up_in_an_empty_prompt_takes_the_last_queued_one_back(run: Running, pilot: Pilot[int]) -> None:
    run.told.tell(ev.StateChanged(ev.SessionState.WORKING))
    await pilot.press(*"one", "enter", *"two", "enter")
    await until(pilot, lambda: len(run.told.sent) == 2)
    for name in ("one", "two"):
        run.told.tell(ev.PromptAccepted(name, queued=True, prompt_id=name))
    await until(pilot, lambda: run.prompt.has_queued)
    await pilot.press("up")
    await until(pilot, lambda: run.told.withdrawn == ["two"])
    run.told.tell(ev.PromptReturned("two", "you withdrew it", "two", wanted=True))
    await until(pilot, lambda: run.prompt.text == "two")
    assert "two" not in run.screen.transcript.text()
    await pilot.press("ctrl+u", "x", "up")
    assert run.told.withdrawn == ["two"], "with something typed, Up is for earlier prompts"
    assert run.prompt.text == "two"
    run.told.tell(ev.PromptDelivered("one"))
    await until(pilot, lambda: not run.prompt.has_queued)


async def test_an_answer_that_comes_back_goes_to_the_inbox_and_not_into_the_field(
    run: Running, pilot: Pilot[int]
) -> None:
    run.told.tell(ev.StateChanged(ev.SessionState.WORKING))
    run.told.tell(ev.PromptAccepted("1. Which? [x] A", queued=True, prompt_id="answer"))
    await until(pilot, lambda: run.prompt.has_queued)
    run.told.tell(ev.PromptReturned("1. Which? [x] A", "it ends", "answer", kept=True))
    await until(pilot, lambda: not run.prompt.has_queued)
    assert run.prompt.text == ""
    assert "Which?" not in run.screen.transcript.text()


async def test_the_prompt_of_the_command_line_is_an_earlier_prompt_too() -> None:
    async with running(Driven(Launch(settings=Settings(cwd=Path("/")), prompt="do it"))) as (run, pilot):
        await until(pilot, lambda: run.told.sent == ["do it"])
        await pilot.press(*"x", "up")
        assert run.screen.dock.prompt.text == "do it", "known at once, whatever is on disk"
        await until(
            pilot, lambda: PromptHistory(state_dir() / "history.jsonl", Path("/")).load() == ("do it",)
        )


def row_place(run: Running, number: int) -> tuple[int, int]:
    """Return where a row of the list is, on the screen."""
    listed = run.screen.query_one(ChoiceList)
    title = int(run.prompt.searching)
    return listed.content_region.x + 5, listed.content_region.y + title + number - listed.shown.start


async def test_rows_of_the_list_take_clicks(run: Running, pilot: Pilot[int]) -> None:
    await run.told_commands(pilot)
    await pilot.press("slash")
    await run.listed(pilot, "model")
    await run.laid_out(pilot)
    sixth, third = run.offered[6], row_place(run, 3)
    assert run.prompt.choices
    await pilot.click(offset=row_place(run, 6), button=3)
    await pilot.mouse_down(offset=row_place(run, 5))
    await pilot.mouse_up(offset=row_place(run, 6))
    assert run.prompt.choices.cursor == 0, "neither another button nor a drag is a click"
    await pilot.click(offset=row_place(run, 6))
    await until(pilot, lambda: run.prompt.choices and run.prompt.choices.cursor == 6)
    assert row_place(run, 3) == third, "the rows stay where they are"
    assert run.prompt.text == "/"
    await pilot.click(offset=row_place(run, 6))
    await until(pilot, lambda: run.prompt.text == f"/{sixth} ")
    assert run.prompt.field.has_focus


async def test_the_caret_of_a_long_prompt_is_in_sight_at_every_size() -> None:
    run = Running()
    app = run.app

    def caret_line() -> str:
        field, strips = run.prompt.field, app.screen._compositor.render_strips()
        y = field.cursor_screen_offset.y
        return strips[y].text if app.cursor_position == field.cursor_screen_offset and y < len(strips) else ""

    async with app.run_test(size=(80, 24)) as pilot:
        run.prompt.put("\n".join(f"line {number}" for number in range(14)))
        for size in [(40, 12), (160, 50), (30, 6), (80, 24), (40, 11)]:
            await pilot.resize_terminal(*size)
            await until(pilot, lambda: "line 13" in caret_line())
            await pilot.press("x")
            await until(pilot, lambda: "line 13x" in caret_line())
            await pilot.press("backspace")
        await pilot.press(*["up"] * 13)
        await until(pilot, lambda: "line 0" in caret_line())
        assert run.prompt.text.endswith("line 12\nline 13")


async def test_what_is_typed_right_behind_ctrl_r_and_ctrl_s_is_meant_for_what_they_bring() -> None:
    async with running(Driven()) as (run, pilot):
        prompt = run.screen.dock.prompt
        prompt.remember(["Fix the login", "Write the docs"])
        for character in "one\x12log":
            run.app.post_message(events.Key("ctrl+r" if character == "\x12" else character, character))
        await until(pilot, lambda: prompt.searching and prompt.field.text == "log")
        assert prompt.text == "one"
        await pilot.press("escape")
        for character in "\x13two":
            run.app.post_message(events.Key("ctrl+s" if character == "\x13" else character, character))
        await until(pilot, lambda: prompt.field.text == "two")
        await pilot.press("ctrl+s")
        assert prompt.field.text == "one"


async def test_an_earlier_prompt_shows_its_pastes_folded_and_is_sent_whole() -> None:
    run = Driven()
    long, other = "line\n" * 30, "other\n" * 25
    async with run.app.run_test() as pilot:
        field = run.screen.dock.prompt.field
        await pilot.press(*"see ")
        run.app.post_message(events.Paste(long))
        await until(pilot, lambda: field.text == "see [pasted 30 lines]")
        await pilot.press(*" now", "enter")
        run.app.post_message(events.Paste(other))
        await until(pilot, lambda: "[pasted 25 lines]" in field.text)
        await pilot.press("enter")
        await until(pilot, lambda: len(run.told.sent) == 2)
        await pilot.press("up")
        assert field.text == "[pasted 25 lines]"
        await pilot.press("up")
        assert field.text == "see [pasted 30 lines] now"
        await pilot.press("enter")
        await until(pilot, lambda: len(run.told.sent) == 3)
        assert run.told.sent == [f"see {long} now", other.rstrip(), f"see {long} now"]
        await pilot.press("ctrl+r", *"see", "enter")
        await until(pilot, lambda: field.text == "see [pasted 30 lines] now")

"""The prompt: completion, earlier and queued prompts, folded pastes, drafts that survive the program."""

import asyncio
import subprocess
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot

from ccq_tui.agent import events as ev
from ccq_tui.config.launch import Launch
from ccq_tui.config.paths import inbox_path, state_dir
from ccq_tui.config.settings import Settings
from ccq_tui.inbox.store.store import PromptTable, Store
from ccq_tui.input.gate import AGAIN
from ccq_tui.prompts.completion_list import SEEN_AFTER
from ccq_tui.prompts.history import PromptHistory
from ccq_tui.prompts.unread import PromptDraft, Sent
from ccq_tui.widgets.completer import ChoiceList, height_of
from tests.ui.host import Clock, press_later
from tests.ui.session import Driven, FakeSession, idle, press, prompt_kept, running, until

PASTE = "".join(f"line {number}\n" for number in range(57))
CLIS = (
    ev.SlashCommand("compact", "Make the conversation shorter", "[what to keep]"),
    ev.SlashCommand("model", "x"),
)


def history() -> PromptHistory:
    return PromptHistory(state_dir() / "history.jsonl", Path("/"))


class Running(Driven):
    """The program with a clock of its own, in a directory."""

    def __init__(self, directory: Path = Path("/")) -> None:
        super().__init__(Launch(settings=Settings(cwd=directory)), clock=Clock())

    @property
    def offered(self) -> list[str]:
        """The rows on the screen."""
        return [row.value for row in self.prompt.choices.rows] if self.prompt.choices else []

    async def list_commands(self, pilot: Pilot[int]) -> None:
        """Let the CLI tell its commands."""
        self.fake.tell(ev.CommandsListed(CLIS))
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
    await run.list_commands(pilot)
    await pilot.press("slash")
    await run.listed(pilot, "model")
    assert run.offered.count("model") == 1, "a name stands once"
    assert run.offered[-1] == "compact", "the program's own come first"
    await pilot.press(*"comp")
    await run.listed(pilot, "compact")
    await press(pilot, "tab", then=lambda: run.prompt.text == "/compact ")
    await press(pilot, *"all", "enter", then=lambda: run.fake.sent == ["/compact all"])
    await pilot.press("slash", *"comp")
    await run.listed(pilot, "compact")
    await press(pilot, "enter", then=lambda: run.fake.sent[1:] == ["/compact"])

    for text in ("/compact", "/home/me/file is there"):
        run.fake.sent.clear()
        await pilot.press("slash")
        await run.listed(pilot, "model")
        await pilot.press(*(" " if key == " " else key for key in text[1:]))
        await until(pilot, lambda text=text: run.prompt.text == text)
        run.clock.skip(2 * SEEN_AFTER)
        await pilot.pause()
        await press(pilot, "enter", then=lambda text=text: run.fake.sent == [text])

    run.fake.sent.clear()
    await press(pilot, "slash", *"comp", then=lambda: run.offered)
    await press(pilot, "enter", then=lambda: "did you mean /compact" in run.dock.notices.text)
    assert run.prompt.text == "/comp", "what was typed faster than anybody reads is not completed"
    assert run.fake.sent == []
    await pilot.press("ctrl+u", *"then ", "slash", *"mo")
    await pilot.pause()
    assert "model" not in run.offered, "the program's own would be text to Claude"
    await pilot.press("ctrl+u", *"then ", "slash", *"comp")
    await run.listed(pilot, "compact")
    await press(pilot, "tab", "enter", then=lambda: run.fake.sent == ["then /compact"])


async def test_arrows_choose_tab_completes_and_escape_closes_the_list_and_interrupts_nothing(
    run: Running, pilot: Pilot[int]
) -> None:
    await run.list_commands(pilot)
    run.fake.tell(ev.StateChanged(ev.SessionState.WORKING))
    await pilot.press("slash", "m", "o")
    await run.listed(pilot, "model")
    assert run.offered[:2] == ["model", "mode"]
    await press(pilot, "down", "tab", then=lambda: run.prompt.text == "/mode ")
    await press(pilot, "ctrl+u", "slash", "m", then=lambda: run.offered)
    await pilot.press("escape")
    assert not run.offered
    await pilot.press("o")
    await pilot.pause()
    assert not run.offered, "it stays closed for the word it was closed for"
    assert run.fake.interrupts == 0
    await press_later(pilot, "escape", seconds=AGAIN, then=lambda: run.fake.interrupts == 1)


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
        await press(pilot, "enter", then=lambda: run.prompt.text == "see @src/prompt.py ")
        await pilot.press(*"and ", "@", *"src")
        await run.listed(pilot, "src/")
        await pilot.press("tab", *"no")
        await run.listed(pilot, "src/my notes.txt")
        await press(pilot, "tab", *"now", "enter", then=lambda: run.fake.sent)
        assert run.fake.sent == ['see @src/prompt.py and @"src/my notes.txt" now']


async def test_up_and_down_walk_through_earlier_prompts_and_lose_nothing() -> None:
    history().add("from before")
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
        await press(pilot, "up", "up", "enter", then=lambda: run.fake.sent == ["one\ntwo", "from before"])
        assert run.prompt.text == "draft", "what was being typed is back"
        await until(pilot, lambda: history().load()[:1] == ("from before",))


async def test_searching_earlier_prompts() -> None:
    for text in ("fix the parser", "write tests", "fix the printer"):
        history().add(text)
    async with running(Running()) as (run, pilot):
        await until(pilot, lambda: run.screen.queue.earlier)
        await pilot.press(*"draft", "ctrl+r")
        await until(pilot, lambda: run.offered == ["fix the printer", "write tests", "fix the parser"])
        await press(pilot, *"fix", then=lambda: run.offered == ["fix the printer", "fix the parser"])
        assert run.prompt.text == "draft", "what is typed to search is not the prompt"
        await pilot.press("escape")
        assert (run.prompt.text, run.prompt.field.text) == ("draft", "draft")
        await press(pilot, "ctrl+r", *"nothing", then=lambda: run.prompt.choices and run.prompt.choices.note)
        await pilot.press("enter")
        assert run.fake.sent == []
        await pilot.press("escape", "ctrl+r", *"fix")
        await run.listed(pilot, "fix the printer")
        await press(pilot, "ctrl+r", "enter", then=lambda: run.prompt.text == "fix the parser")
        await press(pilot, "enter", then=lambda: run.fake.sent == ["fix the parser"])
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
    await press(pilot, "enter", then=lambda: run.fake.sent == [f"see {PASTE} now"])
    run.paste("short\npaste")
    await until(pilot, lambda: run.prompt.field.text == "short\npaste")
    await press(pilot, "enter", then=lambda: len(run.fake.sent) == 2)
    run.paste(PASTE)
    await until(pilot, lambda: run.prompt.text)
    await pilot.click(run.prompt.field, offset=(5, 0))
    await pilot.press("x")
    assert run.prompt.field.text in ("x[pasted 57 lines]", "[pasted 57 lines]x"), "a click does not part it"
    run.prompt.put("")
    run.fake.sent.clear()
    field, long, other = run.prompt.field, "line\n" * 30, "other\n" * 25
    await pilot.press(*"see ")
    run.paste(long)
    await until(pilot, lambda: field.text == "see [pasted 30 lines]")
    await pilot.press(*" now", "enter")
    run.paste(other)
    await until(pilot, lambda: "[pasted 25 lines]" in field.text)
    await press(pilot, "enter", then=lambda: len(run.fake.sent) == 2)
    await pilot.press("up")
    assert field.text == "[pasted 25 lines]", "an earlier prompt shows its pastes folded"
    await pilot.press("up")
    assert field.text == "see [pasted 30 lines] now"
    await press(pilot, "enter", then=lambda: len(run.fake.sent) == 3)
    assert run.fake.sent == [f"see {long} now", other.rstrip(), f"see {long} now"]
    await press(pilot, "ctrl+r", *"see", "enter", then=lambda: field.text == "see [pasted 30 lines] now")


async def test_up_in_an_empty_prompt_takes_the_last_queued_one_back(run: Running, pilot: Pilot[int]) -> None:
    run.fake.tell(ev.StateChanged(ev.SessionState.WORKING))
    await press(pilot, *"one", "enter", *"two", "enter", then=lambda: len(run.fake.sent) == 2)
    for name in ("one", "two"):
        run.fake.tell(ev.PromptAccepted(name, queued=True, prompt_id=name))
    await until(pilot, lambda: run.prompt.queued)
    await press(pilot, "up", then=lambda: run.fake.withdrawn == ["two"])
    run.fake.tell(ev.PromptReturned("two", "you withdrew it", "two", wanted=True))
    await until(pilot, lambda: run.prompt.text == "two")
    assert "two" not in run.screen.transcript.text()
    await pilot.press("ctrl+u", "x", "up")
    assert run.fake.withdrawn == ["two"], "with something typed, Up is for earlier prompts"
    assert run.prompt.text == "two"
    run.prompt.put("")
    await press(pilot, "up", then=lambda: run.fake.withdrawn == ["two", "one"])
    await run.tell(pilot, ev.PromptDelivered("one"), then=lambda: not run.prompt.queued)
    run.prompt.put("")
    run.prompt.put_back("two")
    await pilot.press("s")
    run.prompt.put_back("three")
    assert run.prompt.text == "three\ntwos", "what came back and was gone on with stays in one piece"
    run.prompt.put("")
    run.fake.tell(ev.PromptAccepted("1. Which? [x] A", queued=True, prompt_id="answer"))
    await until(pilot, lambda: run.prompt.queued)
    run.fake.tell(ev.PromptReturned("1. Which? [x] A", "it ends", "answer", kept=True))
    await until(pilot, lambda: not run.prompt.queued)
    assert run.prompt.text == "", "an answer that comes back goes to the inbox"
    assert "Which?" not in run.screen.transcript.text()


async def test_the_prompt_of_the_command_line_is_an_earlier_prompt_too() -> None:
    async with running(Driven(Launch(settings=Settings(cwd=Path("/")), prompt="do it"))) as (run, pilot):
        await until(pilot, lambda: run.fake.sent == ["do it"])
        await pilot.press(*"x", "up")
        assert run.prompt.text == "do it", "known at once, whatever is on disk"
        await until(pilot, lambda: history().load() == ("do it",))


def row_place(run: Running, number: int) -> tuple[int, int]:
    """Return where a row of the list is, on the screen."""
    listed = run.screen.query_one(ChoiceList)
    title = int(run.prompt.searching)
    return listed.content_region.x + 5, listed.content_region.y + title + number - listed.shown.start


async def test_rows_of_the_list_take_clicks(run: Running, pilot: Pilot[int]) -> None:
    await run.list_commands(pilot)
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
            await press(pilot, "x", then=lambda: "line 13x" in caret_line())
            await pilot.press("backspace")
        await press(pilot, *["up"] * 13, then=lambda: "line 0" in caret_line())
        assert run.prompt.text.endswith("line 12\nline 13")


async def test_what_is_typed_right_behind_ctrl_r_and_ctrl_s_is_meant_for_what_they_bring() -> None:
    async with running(Driven()) as (run, pilot):
        prompt = run.prompt
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


PASTE_OF_30 = "x\n" * 30
NEW = Settings(cwd=Path("/"))


def kept(key: str = "id-1") -> PromptDraft | None:
    return prompt_kept(state_dir(), key)


def on_disk() -> int:
    with closing(Store(inbox_path())) as store:
        return len(store.database.rows("SELECT 1 FROM prompts"))


async def written(run: Driven) -> None:
    """Wait for the thread of a program that is over: it writes what was typed last, and lets go of it."""
    await run.app.runtime.inbox.close()


def save(key: str, draft: PromptDraft) -> None:
    """Keep a draft, as a program did that has ended."""
    with closing(Store(inbox_path())) as store:
        store.prompts.leave(key, draft)


async def test_a_prompt_that_comes_back_as_its_session_ends_is_left_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with running(Driven(Launch(settings=NEW, resume="id-1"))) as (run, pilot):
        await press(pilot, *"words", "enter", then=lambda: run.fake.sent)
        (name,) = run.screen.queue.sent
        end = run.screen.session.end

        async def returned() -> None:
            await end()
            run.fake.tell(ev.PromptReturned("words", "the session ended", name))

        monkeypatch.setattr(run.screen.session, "end", returned)
        await run.screen.end()
        with closing(Store(inbox_path())) as store:
            left = store.prompts.take("another program", "id-1")
        assert left == PromptDraft("words")


async def test_it_is_on_disk_soon_and_comes_back_when_the_session_is_resumed() -> None:
    async with running(Driven(Launch(settings=NEW, resume="id-1"))) as (run, pilot):
        await pilot.press(*"half a ")
        run.prompt.field.pastes["[pasted 30 lines]"] = PASTE_OF_30
        run.prompt.field.type("[pasted 30 lines]")
        await until(
            pilot,
            lambda: kept() == PromptDraft("half a [pasted 30 lines]", {"[pasted 30 lines]": PASTE_OF_30}),
        )
    await written(run)
    async with running(Driven(Launch(settings=NEW, resume="id-1"))) as (run, pilot):
        await until(pilot, lambda: run.prompt.text == f"half a {PASTE_OF_30}")
        await press(pilot, "enter", then=lambda: run.fake.sent == [f"half a {PASTE_OF_30}".rstrip()])
        sent = Sent("p1", f"half a {PASTE_OF_30}".rstrip(), "id-1")
        await until(pilot, lambda: kept() == PromptDraft(sent=(sent,)))
        await run.tell(pilot, ev.PromptRecorded("p1"), then=lambda: kept() is None)


async def test_what_was_typed_last_is_written_at_the_end() -> None:
    async with running(Driven(Launch(settings=NEW, resume="id-1"))) as (run, pilot):
        await pilot.press(*"quick")
    await written(run)
    async with running(Driven(Launch(settings=NEW, continue_last=True))) as (run, pilot):
        await until(pilot, lambda: run.prompt.text == "quick")


async def test_a_new_session_keeps_it_for_the_directory_until_a_prompt_was_sent() -> None:
    async with running(Driven(Launch(settings=NEW))) as (run, pilot):
        await press(pilot, *"first", then=lambda: on_disk() == 1)
    await written(run)
    async with running(Driven(Launch(settings=NEW))) as (run, pilot):
        await until(pilot, lambda: run.prompt.text == "first")
        await pilot.press("enter", *"next")
        run.fake.tell(ev.PromptDelivered("p1"))
        await run.tell(pilot, ev.PromptRecorded("p1"), then=lambda: kept() == PromptDraft("next"))
        assert on_disk() == 1
        await run.tell(pilot, ev.ConversationReset("id-2"), then=lambda: kept("id-2") == PromptDraft("next"))
        assert on_disk() == 1


async def test_what_is_typed_before_the_draft_is_back_stands_after_it() -> None:
    save("id-1", PromptDraft("old"))
    async with running(Driven(Launch(settings=NEW, continue_last=True), make=Waiting)) as (run, pilot):
        await press(pilot, *"new", then=lambda: on_disk() == 2)
        run.fake.tell(ev.Connected("id-1", "claude-x", "default", "/work"))
        run.fake.tell(ev.StateChanged(ev.SessionState.IDLE))
        await until(pilot, lambda: run.prompt.text == "old\nnew")
        await until(pilot, lambda: kept() == PromptDraft("old\nnew"))


async def test_what_is_written_while_a_draft_is_looked_for_comes_back_to_nobody() -> None:
    async with idle(Driven(Launch(settings=NEW, continue_last=True))) as (run, pilot):
        await press(pilot, *"more", then=lambda: run.prompt.text == "more")
        # The time to write comes right after the session got another id.
        run.fake.tell(ev.Connected("id-2", "claude-x", "default", "/work"))
        await until(pilot, lambda: run.screen.view.session_id == "id-2")
        run.screen.queue.save()
        await until(pilot, lambda: kept("id-2") == PromptDraft("more"))  # a thread writes it
        assert run.prompt.text == "more"


class Waiting(FakeSession):
    """A session that waits for a free process, and has no name before it has one."""

    async def run(self) -> None:
        pass


async def test_prompts_that_claude_has_not_read_come_back_in_the_prompt_and_are_sent_once() -> None:
    async with running(Driven(Launch(settings=NEW, prompt="first prompt"), make=Waiting)) as (run, pilot):
        await until(pilot, lambda: run.fake.sent == ["first prompt"])
        await pilot.press(*"second", "enter", *"third")
        sent = (Sent("p1", "first prompt", "id-1"), Sent("p2", "second", "id-1"))
        await until(pilot, lambda: kept("directory /") == PromptDraft("third", sent=sent))
        assert on_disk() == 1
    await written(run)
    with closing(Store(inbox_path())) as store:
        other = PromptDraft(sent=(Sent("p3", "of another session", "id-3"),))
        store.prompts.save("another", "directory /", other)
        store.prompts.release("another")
    async with running(Driven(Launch(settings=NEW))) as (run, pilot):
        prompt = run.prompt
        whole = "first prompt\nsecond\nof another session\nthird"
        await until(pilot, lambda: prompt.text == whole)
        await until(pilot, lambda: kept("directory /") == PromptDraft(whole) and on_disk() == 1)
        assert "before Claude read these prompts" in run.screen.transcript.text()
        await press(pilot, "enter", then=lambda: run.fake.sent == [whole])
        await run.tell(pilot, ev.PromptDelivered("p1"), then=lambda: on_disk() == 1)
        await run.tell(pilot, ev.PromptRecorded("p1"), then=lambda: on_disk() == 0)


async def test_a_prompt_is_on_disk_before_it_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    writing, go_on = threading.Event(), threading.Event()
    save = PromptTable.save

    def slowly(table: PromptTable, keeper: str, key: str, draft: PromptDraft) -> None:
        if draft.sent:
            writing.set()
            go_on.wait(30)
        save(table, keeper, key, draft)

    monkeypatch.setattr(PromptTable, "save", slowly)
    given: list[asyncio.Future[None]] = []

    class Asking(Waiting):
        def send(self, text: str, kept: asyncio.Future[None] | None = None, *_: Any, **more: Any) -> str:
            assert kept is not None
            assert more.get("answer", True)
            given.append(kept)
            return super().send(text)

    async with running(Driven(Launch(settings=NEW, resume="id-1"), make=Asking)) as (run, pilot):
        await press(pilot, *"now", "enter", then=writing.is_set)
        assert not given[0].done()
        assert not run.prompt.queued
        go_on.set()
        await until(pilot, lambda: given[0].done() and run.prompt.queued)
        assert kept() == PromptDraft(sent=(Sent("p1", "now", "id-1"),))


async def test_a_prompt_that_returns_is_never_in_two_places() -> None:
    async with running(Driven(Launch(settings=NEW, prompt="begin"))) as (run, pilot):
        sent = PromptDraft(sent=(Sent("p1", "begin", "id-1"),))
        await until(pilot, lambda: kept("directory /") == sent)
        assert on_disk() == 1
        run.fake.tell(ev.ConversationReset("id-2"), ev.PromptReturned("begin", "it ended", "p1"))
        await until(pilot, lambda: kept("directory /") == PromptDraft("begin"))
        assert on_disk() == 1

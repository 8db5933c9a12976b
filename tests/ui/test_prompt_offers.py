"""The list above the prompt, its keys and how it is drawn; and Vim's keys in the prompt."""

from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual import events
from textual.pilot import Pilot
from textual.widgets import Static

from ccq_tui.agent import events as ev
from ccq_tui.config.launch import Launch
from ccq_tui.config.settings import Settings
from ccq_tui.prompts.completion_context import CompletionKind, WantedCompletion
from ccq_tui.prompts.completion_list import Completion, CompletionList
from ccq_tui.widgets.completer import ChoiceList, drawn, height_of
from ccq_tui.widgets.hints import HintBar
from tests.tables import each_row
from tests.ui.asked import PLAIN
from tests.ui.host import Clock, Host, press_later
from tests.ui.pictures import Pictures
from tests.ui.session import Driven, asked, panel_drawn, press, running, until
from tests.ui.test_commands import say

COMMANDS = ev.CommandsListed((ev.SlashCommand("moderate", "x"), ev.SlashCommand("more", "x")))


def driven(preset: str = "default", directory: str = "/") -> Driven:
    return Driven(Launch(settings=Settings(cwd=Path(directory), keys={"preset": preset})))


def offered(run: Driven) -> list[str]:
    choices = run.prompt.choices
    return [row.value for row in choices.rows] if choices and choices.ready else []


def chosen(run: Driven) -> str:
    choices = run.prompt.choices
    return choices.chosen.value if choices and choices.chosen else ""


async def typed(run: Driven, pilot: Pilot[int], *keys: str) -> None:
    await press(pilot, "slash", *keys, then=lambda: offered(run))


async def test_commands_told_while_the_list_is_open_come_into_it() -> None:
    async with running(driven()) as (run, pilot):
        await typed(run, pilot, "m", "o")
        await pilot.press("down")
        assert chosen(run) == "mode"
        await run.tell(pilot, COMMANDS, then=lambda: "more" in offered(run))
        assert {"model", "mode", "moderate", "more"} <= set(offered(run))
        assert chosen(run) == "mode", "the row under the cursor stays"
        await press(pilot, "ctrl+u", "slash", *"morex", then=lambda: run.prompt.choices is None)
        run.fake.tell(ev.CommandsListed((ev.SlashCommand("morex", "x"),)))
        await until(pilot, lambda: offered(run) == ["morex"])


async def test_ctrl_n_and_ctrl_p_move_in_the_list_and_call_the_palette_outside_it() -> None:
    async with running(driven()) as (run, pilot):
        await typed(run, pilot)
        rows = offered(run)
        await pilot.press("ctrl+n", "ctrl+n", "ctrl+p")
        assert chosen(run) == rows[1]
        assert pilot.app.screen is run.session_screen
        keys = run.screen.query_one("Dock > HintBar", HintBar)
        await until(pilot, lambda: "Enter run · Tab complete · ↑ ↓ choose · Esc close" in str(keys.render()))
        await press(pilot, "escape", then=lambda: "Enter send" in str(keys.render()))


async def test_keys_of_a_preset_move_in_the_list_and_letters_stay_letters() -> None:
    async with running(driven("vim")) as (run, pilot):
        await typed(run, pilot)
        rows = offered(run)
        await pilot.press("ctrl+d")
        assert chosen(run) == rows[8]
        await pilot.press("ctrl+u")
        assert chosen(run) == rows[0]
        await press(pilot, "j", "g", then=lambda: run.prompt.text == "/jg")
    async with running(driven("emacs", "/usr")) as (run, pilot):
        await typed(run, pilot)
        rows = offered(run)
        await pilot.press("alt+greater_than_sign")
        assert chosen(run) == rows[-1]
        await pilot.press("alt+less_than_sign")
        assert chosen(run) == rows[0]
        assert run.prompt.text == "/"


async def test_tab_waits_for_the_rows_of_what_is_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "app.py").touch()
    async with running(driven(directory=str(tmp_path))) as (run, pilot):
        await press(pilot, "@", then=lambda: offered(run)[:1] == ["src/"])
        found: list[WantedCompletion] = []
        with monkeypatch.context() as late:
            late.setattr(run.prompt.completer, "offer", lambda wanted, *_, **__: found.append(wanted))
            await press(pilot, "a", "p", "p", "tab", then=lambda: any(one.query == "app" for one in found))
        assert run.prompt.text == "@app", "the row above is one of the text before"
        run.prompt.completer.offer(found[-1], (Completion("src/app.py", "src/app.py"),))
        assert run.prompt.text == "@src/app.py "


async def test_picture_of_what_is_offered(pictures: Pictures) -> None:
    run = Driven(Launch(settings=Settings(cwd=Path("/usr"))), clock=Clock())
    async with run.app.run_test(size=(80, 24)) as pilot:
        await run.tell(pilot, COMMANDS, then=lambda: run.screen.completions.listed)
        await typed(run, pilot, "m", "o")
        await pictures.keep(pilot, "commands")


PATHS = (
    "src/a/very/long/way/down/to/the/file/that/is/meant.py",
    "表/表表表表表表表表表表表表.md",
    "\x1b[31mx",
)


def shown(kind: CompletionKind, width: int, *values: str) -> list[str]:
    rows = tuple(Completion(value, value, "[hint]", "what it does") for value in values)
    return drawn(CompletionList(WantedCompletion(kind, "e")).found(rows), width, 8, PLAIN).plain.split("\n")


@each_row(*product(list(CompletionKind), [0, 1, 2, 3, 5, 10, 40, 200]))
def test_it_fits_any_width(kind: CompletionKind, width: int) -> None:
    lines = shown(kind, width, *PATHS)
    assert all(cell_len(line) <= max(width, 1) for line in lines)
    assert "\x1b" not in "".join(lines)


def test_of_a_long_path_the_end_is_shown() -> None:
    (line,) = shown(CompletionKind.FILES, 30, PATHS[0])
    assert line.startswith(" ❯ …")
    assert line.rstrip().endswith("that/is/meant.py")


def test_commands_stand_with_their_arguments_beside_what_they_do() -> None:
    first, second = shown(CompletionKind.COMMANDS, 60, "/compact", "/mode")
    assert first.rstrip() == " ❯ /compact [hint]  what it does"
    assert second.index("what") == first.index("what")


def test_long_arguments_do_not_push_what_a_command_does_out_of_its_column() -> None:
    rows = tuple(
        Completion(name, name, hint, "what it does")
        for name, hint in [("/auto-mode-setup", "[--request-id <uuid>] (--wizard)"), ("/mode", "[name]")]
    )
    first, second = (
        drawn(CompletionList(WantedCompletion(CompletionKind.COMMANDS, "mo")).found(rows), 60, 8, PLAIN)
    ).plain.split("\n")
    assert first.index("what") == second.index("what")
    assert "…" in first


@given(st.integers(0, 12), st.sampled_from([CompletionKind.COMMANDS, CompletionKind.HISTORY]))
def test_the_height_is_that_of_the_lines(rows: int, kind: CompletionKind) -> None:
    choices = CompletionList(WantedCompletion(kind, "")).found(
        tuple(Completion(str(row), str(row)) for row in range(rows)), "none"
    )
    assert height_of(choices, 8) == len(drawn(choices, 80, 8, PLAIN).plain.split("\n"))


async def test_a_list_that_is_whole_at_once_has_room_for_all_its_rows() -> None:
    shown = ChoiceList()
    async with running(Host(Static(id="page"), shown)) as (app, pilot):
        rows = tuple(Completion(str(number), str(number)) for number in range(5))
        shown.show(CompletionList(WantedCompletion(CompletionKind.COMMANDS, "")).found(rows))
        # In the first layout already, in which it has no width yet: there may be no second one.
        assert shown.get_content_height(app.size, app.size, 80) == 5
        await pilot.pause()
        assert shown.size.height == 5
        shown.show(None)
        await pilot.pause()
        assert not shown.display


def test_a_list_says_how_many_rows_lie_beyond_its_lines() -> None:
    rows = tuple(Completion(name := f"command-{number}", name, detail="x" * 80) for number in range(12))
    choices = CompletionList(WantedCompletion(CompletionKind.COMMANDS, "")).found(rows)
    for width in (20, 80):
        lines = drawn(choices, width, 8, PLAIN).plain.split("\n")
        assert "↑" not in lines[0]
        assert lines[-1].endswith(" ↓ 4 more" + " commands" * (width > 60))
        lines = drawn(choices.to(6), width, 8, PLAIN).plain.split("\n")
        assert (lines[0].count(" ↑ 2 more"), lines[-1].count(" ↓ 2 more")) == (1, 1)
        lines = drawn(choices.to(11), width, 8, PLAIN).plain.split("\n")
        assert " ↑ 4 more" in lines[0]
        assert "↓" not in lines[-1]
        assert {len(line) for line in lines[:1]} == {width}


def test_a_list_counts_what_it_does_not_offer_and_says_how_to_reach_it() -> None:
    rows = tuple(Completion(name := f"src/{number}.py", name) for number in range(12))
    choices = CompletionList(WantedCompletion(CompletionKind.FILES, "s")).found(rows, more=1_234)
    for width in (20, 80):
        lines = drawn(choices, width, 8, PLAIN).plain.split("\n")
        assert " ↓ 1,238 more" in lines[-1]
        lines = drawn(choices.to(11), width, 8, PLAIN).plain.split("\n")
        assert lines[-1].endswith(" 1,234 more files · type on" if width > 60 else "1,234 more · type on")


@pytest.fixture
def run(tmp_path: Path) -> Driven:
    return Driven(Launch(settings=Settings(cwd=tmp_path, vim_prompt=True)))


@pytest.fixture
def still(tmp_path: Path) -> Driven:
    """The same, with a clock that stands still: a fresh panel stays fresh on a busy machine, too."""
    return Driven(Launch(settings=Settings(cwd=tmp_path, vim_prompt=True)), clock=Clock())


def standing(run: Driven) -> tuple[str, int, str]:
    """Return text, caret and mode of the prompt."""
    text = run.prompt.field
    return text.text, text.caret, text.vim.mode


async def test_commands_edit_what_was_typed_and_undo_takes_each_back(run: Driven, pilot: Pilot[int]) -> None:
    await pilot.press(*"fix the login")
    assert standing(run) == ("fix the login", 13, "INSERT")
    await pilot.press("escape", "b", "c", "w", *"logout", "escape")
    assert standing(run) == ("fix the logout", 13, "NORMAL")
    await pilot.press("0", "x", "x", "u")
    assert standing(run)[:2] == ("ix the logout", 0)
    await pilot.press("u", "d", "d")
    assert standing(run) == ("", 0, "NORMAL")
    await press(pilot, "u", "A", *" now", "enter", then=lambda: run.fake.sent)
    assert run.fake.sent == ["fix the logout now"]
    assert standing(run) == ("", 0, "INSERT"), "the next prompt is typed"
    await pilot.press(*"first", "enter", *"second", "ctrl+j", *"line", "escape")
    await pilot.press("k")
    assert standing(run)[0] == "second\nline"
    await pilot.press("k")
    assert standing(run) == ("first", 4, "NORMAL"), "there is no other line: another prompt"
    await pilot.press("j")
    assert standing(run)[0] == "second\nline"
    await pilot.press("d", "d", "d", "d", "i", *"see ")
    run.app.post_message(events.Paste("line\n" * 40))
    await until(pilot, lambda: "pasted 4" in run.prompt.field.text)
    await pilot.press(*" now", "escape", "0", "w", "x")
    assert run.prompt.field.text == "see  now", "a folded paste is one piece"
    await pilot.press("u")
    assert run.prompt.text == "see " + "line\n" * 40 + " now"


async def test_escape_leaves_typing_then_a_command_and_then_means_what_it_means(
    run: Driven, pilot: Pilot[int]
) -> None:
    run.fake.tell(ev.StateChanged(ev.SessionState.WORKING))
    await until(pilot, lambda: run.screen.view.state is ev.SessionState.WORKING)
    await pilot.press(*"one", "escape", "2", "d", "escape")
    assert not run.fake.interrupts
    await press_later(pilot, "w", "escape", seconds=5.0, then=lambda: run.fake.interrupts)
    assert standing(run)[0] == "one"


async def test_a_search_is_typed_into_and_the_mode_stays(run: Driven, pilot: Pilot[int]) -> None:
    await pilot.press(*"one", "escape")
    run.fake.tell(ev.PromptReturned("old", "the session ended"))
    await until(pilot, lambda: run.prompt.field.text == "old\none")
    assert standing(run) == ("old\none", 7, "NORMAL"), "commands stay commands under the hands"
    await pilot.press("d", "d", "d", "d", "i")
    await pilot.press(*"fix it", "enter", *"x", "escape", "ctrl+r", *"fix")
    prompt = run.prompt
    assert prompt.searching
    assert run.prompt.field.text == "fix"
    await pilot.press("escape")
    assert not prompt.searching
    assert run.prompt.field.text == "x"


async def test_commands_meant_for_the_prompt_are_commands_when_a_panel_opened(still: Driven) -> None:
    async with still.app.run_test() as pilot:
        await pilot.press(*"one two", "escape")
        still.fake.tell(asked())
        still.clock.skip(5.0)
        await until(pilot, lambda: panel_drawn(still.screen))
        await pilot.press("d", "b")
        assert standing(still) == ("one o", 4, "NORMAL")


async def test_the_command_turns_them_on_and_off(run: Driven, pilot: Pilot[int]) -> None:
    await say(pilot, run, "/vim", then=lambda: "Vim's keys are off" in run.dock.notices.text)
    await pilot.press("x", "escape", "i")
    assert standing(run) == ("xi", 2, "")
    await pilot.press("ctrl+u")
    await say(pilot, run, "/vim", then=lambda: "Vim's keys are on" in run.dock.notices.text)
    assert standing(run)[2] == "INSERT"


async def test_a_paste_of_one_character_is_no_command_when_a_panel_gives_it_back(still: Driven) -> None:
    async with still.app.run_test() as pilot:
        await pilot.press(*"one two", "escape")
        still.fake.tell(asked())
        still.clock.skip(5.0)
        await until(pilot, lambda: panel_drawn(still.screen))
        still.app.post_message(events.Paste("x"))
        await until(pilot, lambda: "x" in still.prompt.field.text)
        assert still.prompt.field.text == "one twxo"


@pytest.mark.parametrize("between", ["left", "ctrl+j", "f1", "f5"])
async def test_a_command_that_is_not_whole_does_not_outlive_what_comes_between(
    between: str, run: Driven, pilot: Pilot[int]
) -> None:
    await pilot.press(*"one two", "escape", "0", "w", "d", between)
    if between in ("f1", "f5"):
        session = run.session_screen
        await until(pilot, lambda: run.app.screen is not session)
        await press(pilot, "escape", then=lambda: run.app.screen is session)
    await pilot.press("w")
    assert run.prompt.field.text.replace("\n", "") == "one two"


async def test_k_goes_to_an_earlier_prompt_from_anywhere_in_a_long_line_and_keeps_the_mode(
    run: Driven,
) -> None:
    async with run.app.run_test(size=(60, 24)) as pilot:
        await pilot.press(*"first", "enter")
        run.fake.tell(ev.PromptAccepted("later", queued=True, prompt_id="p1"))
        await until(pilot, lambda: run.prompt.queued)
        await pilot.press("escape", "k")
        assert standing(run) == ("first", 4, "NORMAL")
        assert not run.fake.withdrawn, "only the arrow takes back what is queued"
        await pilot.press("j", "i", *"word " * 30, "escape", "k")
        assert standing(run) == ("first", 4, "NORMAL")


async def test_picture_of_a_prompt_that_takes_commands(pictures: Pictures) -> None:
    driven = Driven(Launch(settings=Settings(cwd=Path("/usr"), vim_prompt=True)))
    async with driven.app.run_test(size=(60, 20)) as pilot:
        await pilot.press(*"fix the login", "escape", "b")
        await pictures.keep(pilot, "normal")

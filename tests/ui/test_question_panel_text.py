"""The text fields of a panel: nothing typed is lost, and files are completed."""

import re
from collections.abc import AsyncIterator
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from ccq_tui.config.launch import Launch
from ccq_tui.config.settings import Settings
from ccq_tui.prompts.completion_list import SEEN_AFTER
from ccq_tui.questions import Answer, Answered, Discussed, QuestionSet
from ccq_tui.questions.events import Pressed
from ccq_tui.questions.moves import set_text
from ccq_tui.questions.prose import length_notice
from ccq_tui.questions.state import Focus, opened
from ccq_tui.widgets.completer import ChoiceList
from ccq_tui.widgets.field import AnswerField
from ccq_tui.widgets.question.parts import decline_words, placeholder, who_asks
from tests.tables import each_row
from tests.ui.asked import MULTI, NAME, SINGLE
from tests.ui.drawn import terminal_of
from tests.ui.host import Clock, PanelHost, QuickPilot, type_text
from tests.ui.session import Driven, asked, press, running, until
from tests.ui.test_panels_in_session import settled


@pytest.fixture
def app() -> PanelHost:
    return PanelHost(SINGLE)


@pytest.fixture
async def pilot(app: PanelHost) -> AsyncIterator[QuickPilot]:
    async with app.run_test() as pilot:
        yield pilot


def caret(app: PanelHost) -> tuple[int, int]:
    return app.panel.query_one(AnswerField).cursor_location


@each_row("ctrl+j", "shift+enter", "\\ enter")
async def test_new_lines(keys: str, *, app: PanelHost, pilot: QuickPilot) -> None:
    for question, opens in ((SINGLE, "o"), (SINGLE, "n"), (SINGLE, "c"), (NAME, "")):
        await pilot.put(question)
        await pilot.press(*opens, "a", *keys.split(), "b")
        assert app.state.text == "a\nb", opens
        assert not app.outcomes


async def test_a_text_of_one_line_may_end_in_a_backslash() -> None:
    app = PanelHost(opened(QuestionSet("p", (SINGLE,), is_prompt=True)))
    async with app.run_test() as pilot:
        await pilot.press("o", *"C:\\", "ctrl+j", "enter")
        assert app.outcomes == [Answered((Answer(other="C:\\"),))]


async def test_bursts_through_texts_and_list_stay_in_order(app: PanelHost, pilot: QuickPilot) -> None:
    text = "データベース ist café 123 jk."
    app.burst("!", *("space" if character == " " else character for character in text))
    await pilot.pause()
    assert app.state.text == f"!{text}", "an input method types a whole word at once"
    await pilot.put(SINGLE)
    app.burst("X", "y", "z", "backspace", "home", "left", "1", "end", "2", "ctrl+j", "3")
    await pilot.pause()
    assert app.state.text == "1Xy2\n3"
    await pilot.put(SINGLE, MULTI)
    await pilot.press("o", "a", "b", "enter", "up", "n", "c", "enter", "tab")
    await pilot.press("1", "o", "d", "enter", "up", "3", "enter")
    assert app.state.pages[0].as_answer() == Answer(other="ab", note="c")
    assert app.state.pages[1].as_answer() == Answer(selected=("Auth", "Logs"), other="d")
    assert app.state.in_review


async def test_text_and_a_click_or_f2_at_once_lose_nothing(app: PanelHost, pilot: QuickPilot) -> None:
    await pilot.press("o")
    app.panel.query_one(AnswerField).insert("typed just now")
    app.panel.dispatch(Pressed("f2"))
    assert app.state.hidden
    assert app.state.page.draft.other == "typed just now"


async def test_a_paste_is_taken_whole_and_once(app: PanelHost, pilot: QuickPilot) -> None:
    app.paste("first line\r\nsecond\tline\x1b[31m")
    await pilot.pause()
    assert app.state.text == "first line\nsecond\tline[31m", "on the list it opens Other"
    await pilot.press("home")
    app.paste("> ")
    await pilot.pause()
    assert app.state.text == "first line\n> second\tline[31m", "in a text it goes to the caret"
    await pilot.press("enter", "up")
    app.burst("n")
    app.paste("1 2 3")
    app.burst("4")
    await pilot.pause()
    assert app.state.text == "1 2 34", "keys and pastes at once stay in order"


async def test_editing_keys_of_a_text_field(app: PanelHost, pilot: QuickPilot) -> None:
    await pilot.press("o")
    await type_text(pilot, "one two three")
    await pilot.press("ctrl+w", "ctrl+left", "ctrl+k")
    assert app.state.text == "one "
    await pilot.press("ctrl+underscore")
    assert app.state.text == "one two "
    await pilot.press("shift+home", "x")
    assert app.state.text.startswith("x")
    await pilot.press("end", "ctrl+u", "b", "c", "home", "a", "end", "d", "left", "left", "x")
    assert app.state.text == "abxcd"
    assert " 4  " in app.cursor_line, "the list's cursor did not move"


async def test_hide_and_show_keep_text_and_caret(app: PanelHost, pilot: QuickPilot) -> None:
    await pilot.press("o", "a", "b", "c", "left", "f2")
    assert app.state.hidden
    app.panel.display = False
    await pilot.pause()
    await pilot.press("enter", "1", "z")
    assert app.state.text == "abc", "a hidden panel hears nothing"
    app.panel.dispatch(Pressed("f2"))
    app.panel.display = True
    await pilot.pause()
    assert app.focused is app.panel, "the focus is back in it"
    assert caret(app) == (0, 2)
    await pilot.press("X")
    assert app.state.text == "abXc"
    assert "abXc" in app.panel_text


async def test_resize_while_a_text_is_open_and_one_that_is_not_selected_is_seen() -> None:
    async with PanelHost(SINGLE, MULTI).shown() as (app, pilot):
        await pilot.press("1", "tab", "2", "o")
        await type_text(pilot, "half a thought that is longer than a narrow screen is wide")
        await pilot.press("left", "left")
        before, place = app.state, caret(app)
        for size in ((40, 12), (160, 50), (20, 8), (80, 24)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            assert app.state == before
            assert caret(app) == place
            assert app.focused is app.panel
            assert "wide" in app.panel_text, "the caret is in sight"
            assert "Enter" in app.panel_lines[-1] or "Ctrl" in app.panel_lines[-1]
            assert app.panel.region.height <= -(-size[1] * 8 // 10)
        await pilot.press("!")
        assert app.state.text.endswith("wi!de")
        await pilot.put(SINGLE, MULTI)
        await pilot.press("2", "x", "y", "escape", "tab", "tab")
        assert "→ SQLite" in app.panel_text
        assert "typed, not selected: xy" in app.panel_text


async def test_the_focus_comes_back_when_something_drops_it(app: PanelHost, pilot: QuickPilot) -> None:
    app.screen.set_focus(None)
    await pilot.pause()
    await pilot.press("2")
    assert app.state.page.draft.selected == (1,)
    app.panel.dispatch(Pressed("f2"))
    app.screen.set_focus(None)
    await pilot.pause()
    assert app.focused is None, "a hidden panel leaves it to others"


async def test_a_text_longer_than_the_field_counts_its_lines_out_of_sight(
    app: PanelHost, pilot: QuickPilot
) -> None:
    await pilot.press("o")
    app.paste("\n".join(f"line {number}" for number in range(8)))
    await pilot.pause()
    assert re.findall(r"line (\d)|([↑↓] \d)", app.panel_text) == [
        ("3", ""), ("", "↑ 3"), ("4", ""), ("5", ""), ("6", ""), ("7", "")
    ]  # fmt: skip
    await pilot.press(*["up"] * 5)
    assert re.findall("[↑↓] .", app.panel_text) == ["↑ 2", "↓ 1"]
    await pilot.press("up", "up")
    assert re.findall("[↑↓] .", app.panel_text) == ["↓ 3"]


LONG = "my half typed other text that is long enough to wrap on a narrow screen"
SIZES = ((40, 12), (160, 50), (40, 12), (30, 6), (80, 24), (57, 7), (58, 11), (46, 9), (60, 13), (41, 13))


async def test_a_text_is_drawn_as_it_is_wrapped_at_every_size(app: PanelHost, pilot: QuickPilot) -> None:
    await pilot.press("o")
    app.paste(LONG)
    for before_caret, size in product((("end",), ("home",), ("up", "up")), SIZES):
        await pilot.resize_terminal(*size)
        await pilot.press(*before_caret)
        await pilot.resize_terminal(size[0] + 3, size[1])
        await pilot.resize_terminal(*size)
        await pilot.pause()
        field = app.panel.query_one(AnswerField)
        drawn = app.screen_lines
        field.refresh()
        await pilot.pause()
        assert app.screen_lines == drawn, f"at {size} after {before_caret}"
        assert app.cursor_position == field.cursor_screen_offset, "an input method's window is there"
        assert field.content_region.contains_point(app.cursor_position), f"at {size} after {before_caret}"
    assert app.state.text == LONG


def test_whoever_asks_is_named_where_claude_would_be() -> None:
    state = opened(QuestionSet("q", (SINGLE,)), "Codex")
    assert who_asks(state) == "Codex asks"
    titled = opened(QuestionSet("q", (SINGLE,), "Before the release"), "Codex")
    assert who_asks(titled) == "Codex: Before the release"
    discussing = replace(state, focus=Focus.DISCUSS)
    assert placeholder(discussing) == "goes to Codex instead of answers"
    chosen = discussing.with_draft(selected=(0,))
    assert placeholder(chosen) == "goes to Codex with your draft, not as answers"
    assert decline_words(state, short=False) == (
        "Decline the question? Codex learns that you do not want to answer."
    )
    long = length_notice(set_text(discussing, "x" * 50_000))
    assert "Claude" not in long
    assert "45,000 characters may be cut" in long
    assert who_asks(opened(QuestionSet("q", (SINGLE,)), "\x1b[2J\u202e[b]" + "y" * 500)).startswith("␛[2J")
    assert len(who_asks(opened(QuestionSet("q", (SINGLE,)), "y" * 500))) < 50


FILE = "@src/prompt.py"


async def test_a_file_is_completed_in_answers_notes_and_discussions(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "prompt.py").touch()
    run = Driven(Launch(settings=Settings(cwd=tmp_path)), clock=Clock())
    outcomes = {
        "o": Answered((Answer(other=f"{FILE} too"),)),
        "n": Answered((Answer(selected=("PostgreSQL",), note=f"{FILE} too"),)),
        "c": Discussed(f"{FILE} too"),
    }
    async with run.app.run_test() as pilot:
        for size, (opens, outcome) in product(((80, 24), (40, 12), (40, 10)), outcomes.items()):
            await pilot.resize_terminal(*size)
            await run.ask(pilot, asked(f"{opens}{size}", SINGLE))
            panel = run.dock.panel
            listed = panel.query_one(ChoiceList)
            await pilot.press(opens, "@", *"prom")
            await until(pilot, lambda listed=listed: "src/prompt.py" in str(listed.render()))
            run.clock.skip(2 * SEEN_AFTER)
            lines = terminal_of(run.app).lines
            assert any("@prom" in line for line in lines), "the text stays in sight"
            assert any("❯ src/prompt.py" in line for line in lines)
            await press(pilot, "enter", then=lambda panel=panel: panel.state.text == f"{FILE} ")
            assert not listed.display
            await pilot.press(*"too", "enter")
            if opens == "n":
                await pilot.press("enter")
            assert await settled(run, pilot) == outcome, size
            run.clock.skip(60.0)


async def test_escape_closes_the_list_alone(tmp_path: Path) -> None:
    (tmp_path / "a.py").touch()
    async with running(Driven(Launch(settings=Settings(cwd=tmp_path)), clock=Clock())) as (run, pilot):
        await run.ask(pilot, asked("q", SINGLE))
        panel = run.dock.panel
        await press(pilot, "o", "@", "a", then=lambda: "a.py" in str(panel.query_one(ChoiceList).render()))
        await pilot.press("escape", "b")
        assert not panel.query_one(ChoiceList).display
        assert (panel.state.text, panel.state.hidden) == ("@ab", False)

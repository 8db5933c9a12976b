"""Clicks and typed text: a left click does what its key does, and every character that is text is typed."""

from pathlib import Path

import pytest
from textual import events
from textual.app import App
from textual.pilot import Pilot

from ccq_tui.commands.command import PickRow
from ccq_tui.inbox.requests import Denied
from ccq_tui.input.keynames import shown_keys
from ccq_tui.questions import Answer, Answered
from ccq_tui.questions.state import is_text
from ccq_tui.screens.picker import Picker
from ccq_tui.screens.sessions.model import PROMPT
from ccq_tui.screens.sessions.screen import SessionsScreen
from ccq_tui.widgets.field import AnswerField
from ccq_tui.widgets.panel import RequestPanel
from ccq_tui.widgets.search_bar import SearchField
from tests.tables import each_row, table
from tests.ui.asked import MULTI, SINGLE
from tests.ui.drawn import screen_lines
from tests.ui.host import PanelHost
from tests.ui.session import Driven, asked, keys_work, permission, press, running, until


def place_of(app: App[object], text: str) -> tuple[int, int]:
    """Return where a text begins on the screen, from below: keys stand at the foot."""
    found = [(line.index(text), y) for y, line in enumerate(screen_lines(app)) if text in line]
    assert found, (text, screen_lines(app))
    return found[-1]


async def click(pilot: Pilot[object], text: str, button: int = 1) -> None:
    await pilot.click(offset=place_of(pilot.app, text), button=button)


async def drag(pilot: Pilot[object], start: str, end: str) -> None:
    await pilot.mouse_down(offset=place_of(pilot.app, start))
    await pilot.mouse_up(offset=place_of(pilot.app, end))


@pytest.mark.parametrize("button", [2, 3])
async def test_other_buttons_and_drags_select_and_submit_nothing(button: int) -> None:
    async with PanelHost(SINGLE, MULTI).shown() as (app, pilot):
        before = app.state
        for text in ("DuckDB", "Features", "Enter"):
            await click(pilot, text, button)
        await drag(pilot, "PostgreSQL", "DuckDB")
        await drag(pilot, "Approach" if "Approach" in app.panel_text else SINGLE.header, "Features")
        assert app.state == before
        await click(pilot, "Review")
        await click(pilot, "→    Submit", button)
        await drag(pilot, SINGLE.text, "→    Submit")
        assert app.state.outcome is None
        await click(pilot, "→    Submit")
        assert app.state.outcome is not None


async def test_a_press_that_began_on_another_request_decides_nothing(run: Driven, pilot: Pilot[int]) -> None:
    for name in ("r1", "r2"):
        run.fake.tell(asked(name))
    await keys_work(run, pilot)
    panel = run.dock.panel
    assert isinstance(panel, RequestPanel)
    x, y = place_of(run.app, "First")
    await pilot.mouse_down(offset=(x, y))
    await press(pilot, "enter", then=lambda: run.fake.answers)
    await until(pilot, lambda: panel.turn > 1 and not panel._rests)
    await pilot.mouse_up(offset=(x, y))
    assert not any(page.draft.selected for page in panel.state.pages)


async def test_the_mouse_alone_answers_a_permission_with_a_text() -> None:
    async with PanelHost(permission("toolu_1")).shown(size=(100, 30)) as (app, pilot):
        await click(pilot, "Deny, and")
        await click(pilot, "Deny, and")
        await pilot.press("x")
        await click(pilot, "Enter")
        assert app.outcomes == [Denied("x")]


async def test_the_mouse_alone_answers_a_set() -> None:
    async with PanelHost(SINGLE, MULTI).shown(size=(100, 30)) as (app, pilot):
        await click(pilot, "Enter choose")
        await click(pilot, "a all")
        await click(pilot, "Enter choose 3 options")
        await click(pilot, "Enter submit")
        outcome = app.state.outcome
        assert isinstance(outcome, Answered)
        first, second = outcome.answers
        assert first == Answer(selected=(SINGLE.options[0].label,))
        assert second.selected == tuple(option.label for option in MULTI.options)


async def test_the_line_that_says_what_waits_opens_it_and_the_keys_of_the_prompt_work() -> None:
    async with running(Driven(), size=(100, 30)) as (run, pilot):
        await run.ask(pilot, asked("r1"))
        await click(pilot, "Esc hide")
        await until(pilot, lambda: run.prompt.display)
        await click(pilot, "1 question waiting")
        panel = run.dock.panel
        await until(pilot, lambda: not panel.state.hidden)
        await click(pilot, "Esc hide")
        await until(pilot, lambda: run.prompt.display)
        await click(pilot, "F1 keys")
        await until(pilot, lambda: "   Keys" in "\n".join(screen_lines(run.app)))
        await click(pilot, "Esc leave")
        await until(pilot, lambda: run.app.screen is run.screen)


@each_row(*table(__file__, "clicks.json")["keys_are_read_as_they_are_shown"])
def test_keys_are_read_as_they_are_shown(shown: str, keys: list[str]) -> None:
    pieces = list(shown_keys(shown))
    assert "".join(piece for piece, _ in pieces) == shown
    assert [key for _, key in pieces if key] == keys


JOINED = "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"
"""A Persian word with a zero-width non-joiner."""
FAMILY = "\U0001f469\u200d\U0001f467"
"""An emoji of two, joined."""
TYPED = f"{JOINED} {FAMILY}\u00a0\u00ab"
"""Also a no-break space, as French keyboards have it."""


async def typed(pilot: Pilot[int]) -> None:
    """Type the text as keys, character by character, as the terminal's driver tells them."""
    for character in TYPED:
        pilot.app.post_message(events.Key("space" if character == " " else f"u{ord(character):x}", character))
    await pilot.pause()


@each_row("\r", "\n", "\t", "\x1b", "\x7f", "\x01", "\x9b", "\ud800", "\u2028", "")
def test_controls_are_no_text(character: str) -> None:
    assert not is_text(character)
    assert all(map(is_text, TYPED))


async def test_the_prompt_and_the_fields_of_a_form_take_it(
    tmp_path: Path, run: Driven, pilot: Pilot[int]
) -> None:
    await typed(pilot)
    await until(pilot, lambda: run.prompt.field.text == TYPED)
    run.prompt.field.load_text("")
    await press(pilot, "ctrl+f", then=lambda: run.app.screen.query(SearchField))
    await typed(pilot)
    await until(pilot, lambda: run.app.screen.query_one(SearchField).text == TYPED)
    await press(pilot, "escape", "ctrl+n", then=lambda: isinstance(run.app.screen, SessionsScreen))
    await typed(pilot)
    await until(pilot, lambda: run.app.manager.new.texts[PROMPT] == TYPED)
    await pilot.press("escape", "escape")
    picker = Picker("Which?", (PickRow("a", TYPED), PickRow("b", "another")))
    await run.app.push_screen(picker)
    await typed(pilot)
    await until(pilot, lambda: picker.query_one(AnswerField).text == TYPED)

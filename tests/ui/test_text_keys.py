"""Every character that is text is text, in every field, when it is typed as a key."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import Input

from ccq_tui.agent.events import QuestionAsked
from ccq_tui.commands.command import PickRow
from ccq_tui.inbox.requests import QuestionRequest
from ccq_tui.questions import QuestionSet
from ccq_tui.questions.state import is_text
from ccq_tui.screens.pickers import Picker
from ccq_tui.screens.sessions.new_session import NewSessionScreen
from ccq_tui.widgets.panel.field import AnswerField
from ccq_tui.widgets.search_bar import SearchField
from tests.ui.asked import SINGLE
from tests.ui.session import Driven, keys_work, until

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


@pytest.mark.parametrize(
    "character", ["\r", "\n", "\t", "\x1b", "\x7f", "\x01", "\x9b", "\ud800", "\u2028", ""]
)
def test_controls_are_no_text(character: str) -> None:
    assert not is_text(character)
    assert all(map(is_text, TYPED))


async def test_the_prompt_and_the_fields_of_a_form_take_it(
    tmp_path: Path, run: Driven, pilot: Pilot[int]
) -> None:
    await until(pilot, lambda: run.screen.view.session_id)
    await typed(pilot)
    await until(pilot, lambda: run.screen.dock.prompt.field.text == TYPED)
    run.screen.dock.prompt.field.load_text("")
    await pilot.press("ctrl+f")
    await until(pilot, lambda: run.app.screen.query(SearchField))
    await typed(pilot)
    await until(pilot, lambda: run.app.screen.query_one(SearchField).value == TYPED)
    await pilot.press("escape", "ctrl+n")
    await until(pilot, lambda: isinstance(run.app.screen, NewSessionScreen))
    await typed(pilot)
    await until(pilot, lambda: run.app.screen.query_one("#new-prompt", Input).value == TYPED)
    await pilot.press("escape")
    picker = Picker("Which?", (PickRow("a", TYPED), PickRow("b", "another")))
    await run.app.push_screen(picker)
    await typed(pilot)
    await until(pilot, lambda: picker.query_one(AnswerField).text == TYPED)


async def test_the_field_of_a_question_takes_it(run: Driven, pilot: Pilot[int]) -> None:
    await until(pilot, lambda: run.screen.view.session_id)
    run.told.tell(QuestionAsked(QuestionRequest("t1", "id-1", QuestionSet("t1", (SINGLE,)))))
    await until(pilot, lambda: run.screen.dock.panel is not None)
    await keys_work(run, pilot)
    await pilot.press("o")
    await typed(pilot)
    panel = run.screen.dock.panel
    await until(pilot, lambda: panel.state.text == TYPED)

"""Searching the transcript on the screen."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from rich.style import Style
from textual.pilot import Pilot

from ccq_tui.agent import events as ev
from ccq_tui.transcript.blocks import ToolBlock
from tests.ui.session import Driven, asked, until


async def filled(run: Driven, pilot: Pilot[int]) -> None:
    await until(pilot, lambda: run.session is not None)
    run.told.tell(ev.BlockFinished(ev.BlockKey("m", 0), ev.BlockKind.TEXT, "a needle\n\n" + "hay\n\n" * 60))
    run.told.tell(ev.ToolStarted("t", "Bash", {"command": "make"}))
    output = "\n".join("a needle in it" if number == 30 else f"line {number}" for number in range(60))
    run.told.tell(ev.ToolFinished("t", "Bash", output))
    run.told.tell(ev.BlockFinished(ev.BlockKey("m", 1), ev.BlockKind.TEXT, "the last needle"))
    pane = run.screen.transcript
    await until(
        pilot, lambda: any("last needle" in pane.render_line(y).text for y in range(pane.size.height))
    )


def marked(run: Driven, *, current: bool) -> list[str]:
    """What is drawn as the current match, or as another one."""
    found = []
    transcript = run.screen.transcript
    for y in range(transcript.size.height):
        for segment in transcript.render_line(y):
            style = segment.style or Style.null()
            if style.reverse if current else style.underline and style.bold and not style.reverse:
                found.append(segment.text)
    return found


@pytest.fixture
async def pilot(run: Driven) -> AsyncIterator[Pilot[int]]:
    async with run.app.run_test(size=(90, 24)) as pilot:
        yield pilot


async def test_what_is_typed_is_found_counted_and_gone_through(run: Driven, pilot: Pilot[int]) -> None:
    await filled(run, pilot)
    bar, transcript = run.screen.search_bar, run.screen.transcript
    await pilot.press("ctrl+f", *"needle")
    await until(pilot, lambda: bar.found_text == "2/3")
    tool = transcript.model.blocks[1]
    assert isinstance(tool, ToolBlock)
    await until(pilot, lambda: marked(run, current=True) == ["needle"])
    await pilot.press("enter")
    await until(pilot, lambda: bar.found_text == "3/3")
    assert tool.folded
    await until(pilot, lambda: marked(run, current=True) == ["needle"])
    await pilot.press("up")
    await until(pilot, lambda: bar.found_text == "2/3")
    assert not tool.folded, "what is folded away is unfolded to be seen"
    await until(pilot, lambda: marked(run, current=True) == ["needle"])
    await pilot.press("up")
    await until(pilot, lambda: bar.found_text == "1/3")
    assert tool.folded, "and folded again"
    await until(pilot, lambda: transcript.render_line(0).text.startswith("● a needle"))
    await pilot.press("shift+enter", "down", "enter")
    await until(pilot, lambda: bar.found_text == "2/3")
    await pilot.press("escape")
    assert not bar.is_open
    assert not tool.folded, "the place stays as it is seen"
    assert not marked(run, current=True)
    assert run.screen.focused is run.screen.dock.prompt.field
    assert not run.told.interrupts


async def test_another_query_begins_where_the_search_began_and_the_old_one_is_kept_for_next_time(
    run: Driven, pilot: Pilot[int]
) -> None:
    await filled(run, pilot)
    bar = run.screen.search_bar
    await pilot.press("ctrl+f", *"needlex")
    await until(pilot, lambda: bar.found_text == "not found")
    await pilot.press("backspace")
    await until(pilot, lambda: bar.found_text == "2/3")
    await pilot.press("escape", "ctrl+f")
    await until(pilot, lambda: bar.found_text == "2/3")
    await pilot.press(*"hay")
    await until(pilot, lambda: bar.found_text.endswith("/60"))


async def test_a_search_goes_on_while_text_streams_and_the_place_stays(
    run: Driven, pilot: Pilot[int]
) -> None:
    await filled(run, pilot)
    bar = run.screen.search_bar
    await pilot.press("ctrl+f", *"needle")
    await until(pilot, lambda: bar.found_text == "2/3")
    await pilot.press("down")
    for _ in range(5):
        run.told.tell(ev.BlockGrew(ev.BlockKey("n", 0), ev.BlockKind.TEXT, "one more needle\n\n" * 10))
    await until(pilot, lambda: bar.found_text == "3/53")
    await until(pilot, lambda: marked(run, current=True) == ["needle"])
    await until(pilot, lambda: run.screen.transcript.unseen)


async def test_a_question_that_comes_meanwhile_gets_the_focus_when_the_search_is_over(
    run: Driven, pilot: Pilot[int]
) -> None:
    await filled(run, pilot)
    await pilot.press("ctrl+f", *"need")
    run.told.tell(asked())
    await until(pilot, lambda: run.screen.dock.panel is not None)
    panel = run.screen.dock.panel
    await until(pilot, lambda: panel.is_mounted)
    await pilot.press(*"le")
    assert run.screen.search_bar.field.value == "needle"
    await until(pilot, lambda: run.screen.search_bar.found_text == "2/3")
    await pilot.press("enter", "escape")
    assert not run.told.answers
    await until(pilot, lambda: run.screen.focused is panel)
    assert not panel.state.hidden
    await pilot.press("ctrl+f", "escape")
    assert run.screen.focused is panel


async def test_a_click_into_the_prompt_ends_the_search(run: Driven, pilot: Pilot[int]) -> None:
    await filled(run, pilot)
    await pilot.press("ctrl+f", *"need")
    await pilot.click(run.screen.dock.prompt.field)
    await until(pilot, lambda: not run.screen.search_bar.is_open)
    await pilot.press("x")
    assert run.screen.dock.prompt.text == "x"

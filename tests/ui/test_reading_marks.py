"""Moving through the transcript by block, and what can be done with the block that is marked."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot

from ccq_tui.agent import events as ev
from ccq_tui.config.keymap import with_keys
from ccq_tui.config.launch import Launch
from ccq_tui.config.settings import Settings
from ccq_tui.questions.input_guard import HELD_SECONDS
from ccq_tui.screens.session import base
from ccq_tui.screens.session.base import BlockBar
from ccq_tui.transcript.blocks import PromptBlock, ToolBlock
from tests.ui.host import press_later
from tests.ui.running import running
from tests.ui.session import Driven, asked, panel_drawn, until

PROSE = "See https://example.org/a and `notes.txt:3`.\n\n```python\nprint(1)\n```\n\n```\nsecond\n```\n"


def tell_some(run: Driven) -> None:
    """Two prompts with an answer and a tool call each."""
    for turn in range(2):
        run.told.tell(ev.PromptAccepted(f"prompt {turn}"))
        run.told.tell(ev.BlockFinished(ev.BlockKey(f"m{turn}", 0), ev.BlockKind.TEXT, PROSE))
        run.told.tell(ev.ToolStarted(f"t{turn}", "Bash", {"command": f"make {turn}"}))
        run.told.tell(ev.ToolFinished(f"t{turn}", "Bash", "\n".join(f"line {n}" for n in range(60))))


async def filled(run: Driven, pilot: Pilot[int]) -> None:
    await until(pilot, lambda: run.session is not None)
    tell_some(run)
    pane = run.screen.transcript
    await until(pilot, lambda: any("make 1" in pane.render_line(y).text for y in range(pane.size.height)))
    await pilot.pause()


def margin(run: Driven) -> list[str]:
    """The first column of the transcript, as it stands on the screen."""
    region = run.screen.transcript.region
    strips = run.screen._compositor.render_strips()
    return [strip.text[:1] for strip in strips[region.y : region.bottom]]


async def test_the_mark_moves_by_block_and_by_prompt_and_stands_in_the_margin(
    run: Driven, pilot: Pilot[int]
) -> None:
    await filled(run, pilot)
    transcript = run.screen.transcript
    assert "▌" not in margin(run)
    await pilot.press("alt+up")
    assert transcript.mark is transcript.model.blocks[5]
    await until(pilot, lambda: "▌" in margin(run))
    assert run.screen.query_one(BlockBar).display
    await pilot.press("alt+up")
    assert transcript.mark is transcript.model.blocks[4]
    await pilot.press("alt+pageup", "alt+pageup")
    assert transcript.mark is transcript.model.blocks[0]
    assert isinstance(transcript.mark, PromptBlock)
    await until(pilot, lambda: margin(run)[0] == "▌")
    await pilot.press("alt+up")
    assert transcript.mark is transcript.model.blocks[0], "there is none further up"
    await pilot.press("alt+pagedown", "alt+down")
    assert transcript.mark is transcript.model.blocks[4]


async def test_escape_leaves_the_mark_before_it_interrupts(run: Driven, pilot: Pilot[int]) -> None:
    await filled(run, pilot)
    run.told.tell(ev.StateChanged(ev.SessionState.WORKING))
    await until(pilot, lambda: run.screen.view.busy)
    await pilot.press("alt+up", "escape")
    assert run.screen.transcript.mark is None
    assert run.told.interrupts == 0
    await until(pilot, lambda: not run.screen.query_one(BlockBar).display)
    await press_later(pilot, "escape", seconds=HELD_SECONDS)
    assert run.told.interrupts == 1


async def test_a_marked_place_stays_while_text_streams_below_and_the_end_is_followed_after(
    run: Driven, pilot: Pilot[int]
) -> None:
    await filled(run, pilot)
    transcript = run.screen.transcript
    await pilot.press("alt+up")
    await until(pilot, lambda: "▌" in margin(run))
    run.told.tell(ev.BlockGrew(ev.BlockKey("n", 0), ev.BlockKind.TEXT, "more\n\n" * 40))
    await until(pilot, lambda: transcript.unseen > 20)
    assert "▌" in margin(run)[:-1], "beside the line that says what came below"
    await pilot.press("ctrl+end")
    assert transcript.mark is None
    assert transcript.following


async def test_one_block_is_unfolded_and_folded_again(run: Driven, pilot: Pilot[int]) -> None:
    await filled(run, pilot)
    transcript = run.screen.transcript
    await pilot.press("alt+up", "alt+u")
    mark = transcript.mark
    assert isinstance(mark, ToolBlock)
    assert not mark.folded
    assert transcript.model.blocks[2].folded, "the others stay as they are"
    await pilot.press("alt+u")
    assert mark.folded
    await pilot.press("alt+up", "alt+u")
    await until(pilot, lambda: "shown already" in run.screen.dock.notices.text)


async def test_a_block_and_its_pieces_of_code_are_copied(
    monkeypatch: pytest.MonkeyPatch, run: Driven, pilot: Pilot[int]
) -> None:
    await filled(run, pilot)
    await pilot.press("alt+c")
    await until(pilot, lambda: with_keys(base.HOW) in run.screen.dock.notices.text)
    await pilot.press("alt+up", "alt+c")
    await until(pilot, lambda: run.app.clipboard.startswith("line 0\nline 1\n"))
    await pilot.press("alt+k")
    await until(pilot, lambda: run.app.clipboard == "make 1")
    await pilot.press("alt+up", "alt+c")
    await until(pilot, lambda: run.app.clipboard == PROSE.strip("\n"))
    for expected in ("print(1)", "second", "print(1)"):
        await pilot.press("alt+k")
        await until(pilot, lambda expected=expected: run.app.clipboard == expected)


async def test_links_and_files_that_exist_are_opened_in_turn(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "notes.txt").write_text("notes\n")
    opened: list[tuple[str, str, int]] = []

    async def note(_app: object, target: base.Target) -> str:
        opened.append((target.url, target.path.name if target.path else "", target.line))
        return "Opened"

    monkeypatch.setattr(base, "open_target", note)
    async with running(Driven(Launch(settings=Settings(cwd=tmp_path)))) as (run, pilot):
        await filled(run, pilot)
        assert not opened, "a text opens nothing by itself"
        await pilot.press("alt+up", "alt+up")
        for count in (1, 2, 3):
            await pilot.press("alt+o")
            await until(pilot, lambda count=count: len(opened) == count)
        link, file = ("https://example.org/a", "", 0), ("", "notes.txt", 3)
        assert opened == [link, file, link]
        await until(pilot, lambda: "1 of 2" in run.screen.dock.notices.text)


async def test_the_keys_work_while_a_question_is_open(run: Driven, pilot: Pilot[int]) -> None:
    await filled(run, pilot)
    run.told.tell(asked())
    await until(pilot, lambda: panel_drawn(run.screen))
    await pilot.press("alt+up", "alt+c", "escape")
    assert run.screen.transcript.mark is None
    panel = run.screen.dock.panel
    assert not panel.state.hidden
    assert run.screen.focused is panel

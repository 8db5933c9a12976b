"""What a reader finds, copies and opens in the transcript, without a trace of how it was drawn."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.segment import Segment
from textual.pilot import Pilot
from textual.strip import Strip

from ccq_tui.agent import events as ev
from ccq_tui.config.launch import Launch
from ccq_tui.config.settings import Settings
from ccq_tui.screens.link_opener import Target
from ccq_tui.screens.session import base
from ccq_tui.transcript.blocks import ProseBlock
from ccq_tui.transcript.document import Document
from ccq_tui.widgets.transcript.contents import targets_at
from tests.ui.host import Clock
from tests.ui.running import running
from tests.ui.session import Driven, until


def errand(name: str, found: str) -> tuple[ev.AgentEvent, ...]:
    """The work of a subagent that is over, folded away under its card."""
    return (
        ev.ToolStarted(name, "Agent", {"description": name, "prompt": "look"}),
        ev.ToolStarted(f"{name}-in", "Bash", {"command": f"echo {found}"}, parent=name),
        ev.ToolFinished(f"{name}-in", "Bash", found, parent=name),
        ev.ToolFinished(name, "Agent", "Done."),
    )


async def told(run: Driven, pilot: Pilot[int], *events: ev.AgentEvent) -> None:
    await until(pilot, lambda: run.session is not None)
    for event in (*events, ev.BlockFinished(ev.BlockKey("z", 0), ev.BlockKind.TEXT, "That is all.")):
        run.told.tell(event)
    pane = run.screen.transcript
    await until(pilot, lambda: any("That is" in pane.render_line(y).text for y in range(pane.size.height)))


async def test_an_agents_work_is_folded_away_again_when_the_search_goes_on(
    run: Driven, pilot: Pilot[int]
) -> None:
    await told(run, pilot, *errand("first", "a needle"), *errand("second", "another needle"))
    bar, blocks = run.screen.search_bar, run.screen.transcript.model.blocks

    def unfolded() -> list[str]:
        return [getattr(block, "id", "") for block in blocks if not block.folded]

    assert unfolded() == []
    await pilot.press("ctrl+f", *"needle")
    await until(pilot, lambda: "first" in unfolded())
    opened = []
    while "second" not in opened:
        place = bar.found_text
        await pilot.press("enter")
        await until(pilot, lambda place=place: bar.found_text != place)  # type: ignore[misc]
        opened = unfolded()
    assert "first" not in opened, "it was unfolded only for what was found in it"
    await pilot.press(*"xyz")
    await until(pilot, lambda: unfolded() == [])
    await pilot.press("escape")
    assert unfolded() == []


async def test_prose_selected_with_the_mouse_has_the_line_breaks_of_its_source() -> None:
    async with running(Driven(), size=(40, 24)) as (run, pilot):
        text = "Every **bookmark** that has no tag stands first in the list.\nThe others follow."
        await told(run, pilot, ev.BlockFinished(ev.BlockKey("m", 0), ev.BlockKind.TEXT, text))
        pane = run.screen.transcript
        await pilot.mouse_down(pane, offset=(8, 0))
        await pilot.hover(pane, offset=(5, 2))
        await pilot.mouse_up(pane, offset=(5, 2))
        assert run.screen.get_selected_text() == "bookmark that has no tag stands first in the list.\nThe"


async def test_a_click_on_a_path_or_link_opens_it_and_a_second_one_selects(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "store.py").write_text("")
    opened: list[str] = []

    async def note(_app: object, target: Target) -> str:
        opened.append(f"{target.url}{target.path and target.path.relative_to(tmp_path)}:{target.line}")
        return "Opened"

    monkeypatch.setattr(base, "open_target", note)
    run = Driven(Launch(settings=Settings(cwd=tmp_path)), clock=Clock())
    async with run.app.run_test(size=(40, 24)) as pilot:
        text = "It is wrong [here](https://example.org), and in src/store.py:12 and gone.py too."
        await told(run, pilot, ev.BlockFinished(ev.BlockKey("m", 0), ev.BlockKind.TEXT, text))
        pane = run.screen.transcript

        def place(word: str) -> tuple[int, int]:
            lines = [pane.render_line(y).text for y in range(pane.size.height)]
            return next((line.index(word) + 1, y) for y, line in enumerate(lines) if word in line)

        await pilot.click(pane, offset=place("store"))
        await until(pilot, lambda: opened == ["src/store.py:12"])
        await pilot.click(pane, offset=place("here"))
        await until(pilot, lambda: opened[1:] == ["https://example.orgNone:0"])
        monkeypatch.setattr(base, "DOUBLE_CLICK", 60.0)  # the pilot takes its time between two clicks
        await pilot.click(pane, offset=place("store"), times=2)
        await pilot.pause()
        assert "store.py" in (run.screen.get_selected_text() or "")
        assert run.screen.blocks._opening is None
        run.screen.blocks.terminal_focused()
        await pilot.click(pane, offset=place("store"))
        await pilot.pause()
        assert run.screen.blocks._opening is None, "a click that came to the terminal"
        run.clock.skip(1)
        monkeypatch.setattr(base, "DOUBLE_CLICK", 0.0)
        await pilot.click(pane, offset=place("here"))
        await until(pilot, lambda: len(opened) == 3)
        assert opened[2] == opened[1]


def test_what_is_pointed_at_is_found_across_the_ends_of_lines() -> None:
    block = ProseBlock(Document("see src/api/store.py and /srv/src/api/store.py", finished=True))
    strips = [
        Strip([Segment(line)]) for line in ("  see src/api/", "  store.py and", "  /srv/src/api/store.py")
    ]
    whole = ["src/api/store.py", "/srv/src/api/store.py"]
    assert targets_at(block, strips, 0, 6)[:2] == whole
    assert targets_at(block, strips, 1, 3)[:2] == whole
    assert targets_at(block, strips, 2, 4)[0] == whole[1]
    for line, cell in ((0, 3), (1, 12), (5, 0), (0, 90)):
        assert targets_at(block, strips, line, cell) == []

"""The mouse in the transcript: selecting, copying, opening, going to the end."""

from __future__ import annotations

from textual.pilot import Pilot

from ccq_tui.agent import events as ev
from ccq_tui.widgets.transcript.text_selection import LinePlace
from tests.ui.running import running
from tests.ui.session import Driven, until


async def filled(run: Driven, pilot: Pilot[int], text: str) -> None:
    await until(pilot, lambda: run.session is not None)
    run.told.tell(ev.BlockFinished(ev.BlockKey("m", 0), ev.BlockKind.TEXT, text))
    run.told.tell(ev.ToolStarted("t", "Bash", {"command": "make"}))
    run.told.tell(ev.ToolFinished("t", "Bash", "one\ntwo\nthree"))
    pane = run.screen.transcript
    await until(pilot, lambda: any("three" in pane.render_line(y).text for y in range(pane.size.height)))
    await pilot.pause()


async def drag(run: Driven, pilot: Pilot[int], start: tuple[int, int], end: tuple[int, int]) -> None:
    pane = run.screen.transcript
    await pilot.mouse_down(pane, offset=start)
    await pilot.hover(pane, offset=end)
    await pilot.mouse_up(pane, offset=end)


async def test_what_is_selected_with_the_mouse_is_copied_without_margins() -> None:
    async with running(Driven(), size=(60, 24)) as (run, pilot):
        await filled(run, pilot, "first line\n\nsecond 日本 line")
        await drag(run, pilot, (6, 0), (10, 2))
        assert run.screen.get_selected_text() == "st line\n\nsecond 日"
        style = run.screen.get_component_rich_style("screen--selection")
        line = run.screen.transcript.render_line(2)
        selected = [segment for segment in line if segment.style and segment.style.bgcolor == style.bgcolor]
        assert "".join(segment.text for segment in selected) == "  second 日"
        await pilot.press("ctrl+c")
        await until(pilot, lambda: run.app.clipboard == "st line\n\nsecond 日")
        await drag(run, pilot, (0, 7), (1, 5))
        assert run.screen.get_selected_text() == "one\ntwo", "the margin belongs to its line"
        await pilot.click(run.screen.transcript, offset=(20, 5), times=2)
        assert "make" in (run.screen.get_selected_text() or ""), "twice selects the block"


async def test_a_command_selected_with_the_mouse_is_copied_as_its_source() -> None:
    run = Driven()
    command = "docker run --rm  --volume /data:/data --network host registry.example.org/tools/backup:4"
    async with run.app.run_test(size=(40, 24)) as pilot:
        await filled(run, pilot, f"run this:\n\n```sh\n{command}\n  --verbose\n```")
        drawn = [run.screen.transcript.render_line(y).text for y in range(10)]
        first = next(y for y, line in enumerate(drawn) if "docker" in line)
        last = next(y for y, line in enumerate(drawn) if "--verbose" in line)
        assert last - first > 2
        assert all(line.lstrip().startswith("↳ ") for line in drawn[first + 1 : last])
        await drag(run, pilot, (0, first), (drawn[last].index("bose") + 4, last))
        assert run.screen.get_selected_text() == f"{command}\n  --verbose"
        await drag(run, pilot, (drawn[first].index("run"), first), (0, last))
        assert run.screen.get_selected_text() == command.removeprefix("docker ")


async def test_a_selection_stays_on_its_text_while_more_comes() -> None:
    async with running(Driven(), size=(60, 16)) as (run, pilot):
        await filled(run, pilot, "first line\n\nsecond line")
        await drag(run, pilot, (3, 0), (8, 0))
        run.told.tell(ev.BlockGrew(ev.BlockKey("n", 0), ev.BlockKind.TEXT, "more\n\n" * 30))
        await until(pilot, lambda: any("more" in run.screen.transcript.render_line(y).text for y in (3, 4)))
        assert run.screen.get_selected_text() == "first"


async def test_a_click_on_the_line_that_counts_what_came_below_goes_there() -> None:
    async with running(Driven(), size=(60, 16)) as (run, pilot):
        await filled(run, pilot, "hay\n\n" * 30)
        pane = run.screen.transcript
        await pilot.press("pageup")
        run.told.tell(ev.BlockGrew(ev.BlockKey("n", 0), ev.BlockKind.TEXT, "more\n\n" * 30))
        await until(pilot, lambda: pane.unseen)
        last = pane.size.height - 1
        assert "below" in pane.render_line(last).text
        await pilot.click(pane, offset=(5, last - 1))
        assert not pane.following
        await pilot.click(pane, offset=(5, last))
        assert pane.following


def test_lines_keep_their_order_as_numbers() -> None:
    lines = [
        LinePlace(0, 0, 0),
        LinePlace(0, 0, 1),
        LinePlace(0, 1, 0),
        LinePlace(1, 0, 0),
        LinePlace(9_999, 7, 3),
    ]
    assert [LinePlace.of(line.code) for line in lines] == lines
    assert [line.code for line in lines] == sorted(line.code for line in lines)
    assert lines[0].code > 100_000, "no line of a screen"

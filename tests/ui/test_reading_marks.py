"""Reading the transcript: moving by block, searching, selecting by mouse, copying, opening, exporting."""

from pathlib import Path

import pytest
from rich.segment import Segment
from rich.style import Style
from textual.pilot import Pilot
from textual.strip import Strip

from ccq_tui.agent import events as ev
from ccq_tui.config.keymap import with_keys
from ccq_tui.config.launch import Launch
from ccq_tui.config.settings import Settings
from ccq_tui.input.gate import AGAIN
from ccq_tui.screens.link_opener import Target
from ccq_tui.screens.session import blocks
from ccq_tui.screens.session.blocks import BlockBar
from ccq_tui.transcript.blocks import PromptBlock, ProseBlock, ToolBlock
from ccq_tui.transcript.document import Document
from ccq_tui.widgets.hints import HintBar
from ccq_tui.widgets.transcript.reading import LinePlace, targets_at
from tests.ui.host import Clock, press_later
from tests.ui.session import Driven, asked, panel_drawn, press, running, until

PROSE = "See https://example.org/a and `notes.txt:3`.\n\n```python\nprint(1)\n```\n\n```\nsecond\n```\n"


async def happens(run: Driven, pilot: Pilot[int], last: str, *events: ev.AgentEvent) -> None:
    """Tell what happens, and wait until the last text of it is drawn."""
    await until(pilot, lambda: run.session is not None)
    run.fake.tell(*events)
    pane = run.screen.transcript
    await until(pilot, lambda: any(last in pane.render_line(y).text for y in range(pane.size.height)))
    await pilot.pause()


def block(text: str, index: int = 0) -> ev.BlockFinished:
    return ev.BlockFinished(ev.BlockKey("m", index), ev.BlockKind.TEXT, text)


def ran(name: str, command: str, output: str) -> tuple[ev.AgentEvent, ...]:
    return ev.ToolStarted(name, "Bash", {"command": command}), ev.ToolFinished(name, "Bash", output)


async def filled(run: Driven, pilot: Pilot[int]) -> None:
    """Tell two prompts with an answer and a tool call each."""
    output = "\n".join(f"line {n}" for n in range(60))
    turns = (
        (ev.PromptAccepted(f"prompt {turn}"), block(PROSE, turn), *ran(f"t{turn}", f"make {turn}", output))
        for turn in range(2)
    )
    await happens(run, pilot, "make 1", *(event for turn in turns for event in turn))


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
    await pilot.press("escape", "alt+up", "alt+u")
    mark = transcript.mark
    assert isinstance(mark, ToolBlock)
    assert not mark.folded
    assert transcript.model.blocks[2].folded, "the others stay as they are"
    await pilot.press("alt+u")
    assert mark.folded
    await press(pilot, "alt+up", "alt+u", then=lambda: "shown already" in run.screen.dock.notices.text)


async def test_escape_leaves_the_mark_before_it_interrupts_and_its_place_stays_while_text_streams(
    run: Driven, pilot: Pilot[int]
) -> None:
    await filled(run, pilot)
    transcript = run.screen.transcript
    await run.tell(pilot, ev.StateChanged(ev.SessionState.WORKING), then=lambda: run.screen.view.busy)
    await pilot.press("alt+up", "escape")
    assert run.screen.transcript.mark is None
    assert run.fake.interrupts == 0
    await until(pilot, lambda: not run.screen.query_one(BlockBar).display)
    await press_later(pilot, "escape", seconds=AGAIN)
    assert run.fake.interrupts == 1
    await press(pilot, "alt+up", then=lambda: "▌" in margin(run))
    run.fake.tell(ev.BlockGrew(ev.BlockKey("n", 0), ev.BlockKind.TEXT, "more\n\n" * 40))
    await until(pilot, lambda: transcript.viewport.unseen > 20)
    assert "▌" in margin(run)[:-1], "beside the line that says what came below"
    await pilot.press("ctrl+end")
    assert transcript.mark is None
    assert transcript.viewport.following
    await run.tell(pilot, asked(), then=lambda: panel_drawn(run.screen))
    await pilot.press("alt+up", "alt+c", "escape")
    assert run.screen.transcript.mark is None
    panel = run.screen.dock.panel
    assert not panel.state.hidden
    assert run.screen.focused is panel


async def test_a_block_and_its_pieces_of_code_are_copied(
    monkeypatch: pytest.MonkeyPatch, run: Driven, pilot: Pilot[int]
) -> None:
    await filled(run, pilot)
    await press(pilot, "alt+c", then=lambda: with_keys(blocks.HOW) in run.screen.dock.notices.text)
    await press(pilot, "alt+up", "alt+c", then=lambda: run.app.clipboard.startswith("line 0\nline 1\n"))
    await press(pilot, "alt+k", then=lambda: run.app.clipboard == "make 1")
    await press(pilot, "alt+up", "alt+c", then=lambda: run.app.clipboard == PROSE.strip("\n"))
    for expected in ("print(1)", "second", "print(1)"):
        await press(pilot, "alt+k", then=lambda expected=expected: run.app.clipboard == expected)


async def test_links_and_files_that_exist_are_opened_in_turn(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "notes.txt").write_text("notes\n")
    opened: list[tuple[str, str, int]] = []

    async def note(_app: object, target: blocks.Target) -> str:
        opened.append((target.url, target.path.name if target.path else "", target.line))
        return "Opened"

    monkeypatch.setattr(blocks, "open_target", note)
    async with running(Driven(Launch(settings=Settings(cwd=tmp_path)))) as (run, pilot):
        await filled(run, pilot)
        assert not opened, "a text opens nothing by itself"
        await pilot.press("alt+up", "alt+up")
        for count in (1, 2, 3):
            await press(pilot, "alt+o", then=lambda count=count: len(opened) == count)
        link, file = ("https://example.org/a", "", 0), ("", "notes.txt", 3)
        assert opened == [link, file, link]
        await until(pilot, lambda: "1 of 2" in run.screen.dock.notices.text)


async def shows_text(run: Driven, pilot: Pilot[int], text: str) -> None:
    await happens(run, pilot, "three", block(text), *ran("t", "make", "one\ntwo\nthree"))


async def drag(run: Driven, pilot: Pilot[int], start: tuple[int, int], end: tuple[int, int]) -> None:
    pane = run.screen.transcript
    await pilot.mouse_down(pane, offset=start)
    await pilot.hover(pane, offset=end)
    await pilot.mouse_up(pane, offset=end)


async def test_what_is_selected_with_the_mouse_is_copied_without_margins() -> None:
    async with running(Driven(), size=(60, 24)) as (run, pilot):
        await shows_text(run, pilot, "first line\n\nsecond 日本 line")
        await drag(run, pilot, (6, 0), (10, 2))
        assert run.screen.get_selected_text() == "st line\n\nsecond 日"
        style = run.screen.get_component_rich_style("screen--selection")
        line = run.screen.transcript.render_line(2)
        selected = [segment for segment in line if segment.style and segment.style.bgcolor == style.bgcolor]
        assert "".join(segment.text for segment in selected) == "  second 日"
        await press(pilot, "ctrl+c", then=lambda: run.app.clipboard == "st line\n\nsecond 日")
        await drag(run, pilot, (0, 7), (1, 5))
        assert run.screen.get_selected_text() == "one\ntwo", "the margin belongs to its line"
        await pilot.click(run.screen.transcript, offset=(20, 5), times=2)
        assert "make" in (run.screen.get_selected_text() or ""), "twice selects the block"


async def test_a_command_selected_with_the_mouse_is_copied_as_its_source() -> None:
    run = Driven()
    command = "docker run --rm  --volume /data:/data --network host registry.example.org/tools/backup:4"
    async with run.app.run_test(size=(40, 24)) as pilot:
        await shows_text(run, pilot, f"run this:\n\n```sh\n{command}\n  --verbose\n```")
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
        await shows_text(run, pilot, "first line\n\nsecond line")
        await drag(run, pilot, (3, 0), (8, 0))
        run.fake.tell(ev.BlockGrew(ev.BlockKey("n", 0), ev.BlockKind.TEXT, "more\n\n" * 30))
        await until(pilot, lambda: any("more" in run.screen.transcript.render_line(y).text for y in (3, 4)))
        assert run.screen.get_selected_text() == "first"


async def test_a_click_on_the_line_that_counts_what_came_below_goes_there() -> None:
    async with running(Driven(), size=(60, 16)) as (run, pilot):
        await shows_text(run, pilot, "hay\n\n" * 30)
        pane = run.screen.transcript
        await pilot.press("pageup")
        run.fake.tell(ev.BlockGrew(ev.BlockKey("n", 0), ev.BlockKind.TEXT, "more\n\n" * 30))
        await until(pilot, lambda: pane.viewport.unseen)
        last = pane.size.height - 1
        assert "below" in pane.render_line(last).text
        await pilot.click(pane, offset=(5, last - 1))
        assert not pane.viewport.following
        await pilot.click(pane, offset=(5, last))
        assert pane.viewport.following


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


async def test_prose_selected_with_the_mouse_has_the_line_breaks_of_its_source() -> None:
    async with running(Driven(), size=(40, 24)) as (run, pilot):
        text = "Every **bookmark** that has no tag stands first in the list.\nThe others follow."
        await happens(run, pilot, "That is", block(text), block("That is all.", 1))
        await drag(run, pilot, (9, 0), (5, 2))
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

    monkeypatch.setattr(blocks, "open_target", note)
    run = Driven(Launch(settings=Settings(cwd=tmp_path)), clock=Clock())
    async with run.app.run_test(size=(40, 24)) as pilot:
        text = "It is wrong [here](https://example.org), and in src/store.py:12 and gone.py too."
        await happens(run, pilot, "That is", block(text), block("That is all.", 1))
        pane = run.screen.transcript

        def place(word: str) -> tuple[int, int]:
            lines = [pane.render_line(y).text for y in range(pane.size.height)]
            return next((line.index(word) + 1, y) for y, line in enumerate(lines) if word in line)

        await pilot.click(pane, offset=place("store"))
        await until(pilot, lambda: opened == ["src/store.py:12"])
        await pilot.click(pane, offset=place("here"))
        await until(pilot, lambda: opened[1:] == ["https://example.orgNone:0"])
        monkeypatch.setattr(blocks, "DOUBLE_CLICK", 60.0)  # the pilot takes its time between two clicks
        await pilot.click(pane, offset=place("store"), times=2)
        await pilot.pause()
        assert "store.py" in (run.screen.get_selected_text() or "")
        assert run.screen.blocks._opening.cancelled()
        run.app.focused_at = run.clock()
        await pilot.click(pane, offset=place("store"))
        await pilot.pause()
        assert run.screen.blocks._opening.cancelled(), "a click that came to the terminal"
        run.clock.skip(1)
        monkeypatch.setattr(blocks, "DOUBLE_CLICK", 0.0)
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


async def shows_needles(run: Driven, pilot: Pilot[int]) -> None:
    output = "\n".join("a needle in it" if number == 30 else f"line {number}" for number in range(60))
    text = "a needle\n\n" + "hay\n\n" * 60
    await happens(
        run, pilot, "last needle", block(text), *ran("t", "make", output), block("the last needle", 1)
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


async def test_what_is_typed_is_found_counted_and_gone_through(run: Driven, pilot: Pilot[int]) -> None:
    await shows_needles(run, pilot)
    bar, transcript = run.screen.search_bar, run.screen.transcript
    await press(pilot, "ctrl+f", *"needle", then=lambda: bar.found_text == "2/3")
    tool = transcript.model.blocks[1]
    assert isinstance(tool, ToolBlock)
    await until(pilot, lambda: marked(run, current=True) == ["needle"])
    await press(pilot, "enter", then=lambda: bar.found_text == "3/3")
    assert tool.folded
    await until(pilot, lambda: marked(run, current=True) == ["needle"])
    await press(pilot, "up", then=lambda: bar.found_text == "2/3")
    assert not tool.folded, "what is folded away is unfolded to be seen"
    await until(pilot, lambda: marked(run, current=True) == ["needle"])
    await press(pilot, "up", then=lambda: bar.found_text == "1/3")
    assert tool.folded, "and folded again"
    await until(pilot, lambda: transcript.render_line(0).text.startswith("● a needle"))
    await press(pilot, "shift+enter", "down", "enter", then=lambda: bar.found_text == "2/3")
    await pilot.press("escape")
    assert not bar.is_open
    assert not tool.folded, "the place stays as it is seen"
    assert not marked(run, current=True)
    assert run.screen.focused is run.screen.dock.prompt.field
    assert not run.fake.interrupts


async def test_a_query_begins_where_the_search_began_is_kept_and_goes_on_while_text_streams(
    run: Driven, pilot: Pilot[int]
) -> None:
    await shows_needles(run, pilot)
    bar = run.screen.search_bar
    await press(pilot, "ctrl+f", *"needlex", then=lambda: bar.found_text == "not found")
    await press(pilot, "backspace", then=lambda: bar.found_text == "2/3")
    await press(pilot, "escape", "ctrl+f", then=lambda: bar.found_text == "2/3")
    await pilot.press("down")
    for _ in range(5):
        run.fake.tell(ev.BlockGrew(ev.BlockKey("n", 0), ev.BlockKind.TEXT, "one more needle\n\n" * 10))
    await until(pilot, lambda: bar.found_text == "3/53")
    await until(pilot, lambda: marked(run, current=True) == ["needle"])
    await until(pilot, lambda: run.screen.transcript.viewport.unseen)
    await press(pilot, "escape", "ctrl+f", *"hay", then=lambda: bar.found_text.endswith("/60"))
    await pilot.click(run.screen.dock.prompt.field)
    await until(pilot, lambda: not bar.is_open)
    await pilot.press("x")
    assert run.screen.dock.prompt.text == "x"


async def test_a_question_that_comes_meanwhile_gets_the_focus_when_the_search_is_over(
    run: Driven, pilot: Pilot[int]
) -> None:
    await shows_needles(run, pilot)
    await pilot.press("ctrl+f", *"need")
    await run.tell(pilot, asked(), then=lambda: run.screen.dock.panel is not None)
    panel = run.screen.dock.panel
    await until(pilot, lambda: panel.is_mounted)
    await pilot.press(*"le")
    assert run.screen.search_bar.field.text == "needle"
    await until(pilot, lambda: run.screen.search_bar.found_text == "2/3")
    keys = panel.query_one(HintBar)
    assert "Enter next · ↑ previous · Esc close" in str(keys.render())
    await pilot.press("enter", "escape")
    assert not run.fake.answers
    await until(pilot, lambda: run.screen.focused is panel)
    await until(pilot, lambda: "Esc hide" in str(keys.render()))
    assert not panel.state.hidden
    await pilot.press("ctrl+f", "escape")
    assert run.screen.focused is panel

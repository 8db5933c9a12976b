"""The parts of a transcript without a screen: the mark, the search, the selection, a plan in sight."""

from __future__ import annotations

from rich.style import Style
from textual.geometry import Offset
from textual.selection import Selection
from textual.strip import Strip

from ccq_tui.agent import events as ev
from ccq_tui.inbox.requests import PlanRequest
from ccq_tui.widgets.transcript.block_mark import BlockMark, Step
from ccq_tui.widgets.transcript.plan_sight import PlanSight
from ccq_tui.widgets.transcript.text_selection import TextSelection
from tests.unit.transcript.test_viewport import HEIGHT, Pane, paragraphs


def spoken(count: int = 40) -> Pane:
    """A pane with prompts and answers of a line each."""
    pane = Pane()
    for number in range(count):
        if number % 10 == 0:
            pane.sync(pane.model.add_prompt(f"prompt {number}"))
        pane.say(f"line {number}", number)
    pane.viewport.settle()
    return pane


def test_the_mark_is_gone_with_its_block_and_the_end_is_followed_again() -> None:
    pane = spoken()
    mark = BlockMark(pane.viewport, pane, lambda: None)
    pane.apply(ev.BlockGrew(ev.BlockKey("last", 0), ev.BlockKind.TEXT, "to be dropped"))
    pane.viewport.settle()
    mark.move(-1, Step.BLOCK)
    assert not pane.viewport.following
    pane.apply(ev.BlockDropped(ev.BlockKey("last", 0)))
    mark.follow()
    assert mark.block is None
    assert pane.viewport.following


def test_a_selection_has_the_text_of_its_lines_wherever_they_are_by_then() -> None:
    pane = spoken()
    selection = TextSelection(pane.viewport)
    lines = pane.lines()
    first, last = lines.index("● line 37"), lines.index("● line 39")
    places = [Offset(2, selection.place(first).code), Offset(5, selection.place(last).code)]
    selected = Selection.from_offsets(*places)
    assert selection.text(selected) == "line 37\n\nline 38\n\nlin"
    pane.viewport.home()
    pane.say("more", 1_000)
    assert selection.text(selected) == "line 37\n\nline 38\n\nlin"
    style = Style(bold=True)
    drawn = selection.drawn(Strip.blank(3), selection.place(0), selected, style)
    assert not any(segment.style and segment.style.bold for segment in drawn), "another line"
    assert selection.block_at(HEIGHT) is not None
    assert Pane().layout.total == 0
    assert TextSelection(Pane().viewport).block_at(0) is None


def test_a_plan_is_seen_line_by_line_and_anew_after_another_width() -> None:
    pane, looks = spoken(), []
    plan = "\n\n".join(f"{number}. step" for number in range(40))
    request = PlanRequest("r", "s-1", plan)
    pane.apply(ev.PlanProposed(request))
    pane.say(paragraphs(0, 30), 2_000)
    pane.viewport.settle()
    sight = PlanSight(pane.viewport, pane, lambda: looks.append(None))
    assert sight.unseen == 0
    sight.show("another")
    assert (pane.viewport.following, sight.unseen) == (True, 0)
    sight.show(request.id)
    assert not pane.viewport.following
    first = sight.unseen
    assert first > 0
    assert looks
    pane.viewport.move(pane.viewport.top + 5)
    sight.look()
    assert sight.unseen == first - 5
    pane.viewport.resize(40, HEIGHT)
    sight.look()
    assert sight.unseen >= first


def test_a_plans_head_stays_in_view_as_the_panel_takes_its_lines_and_no_longer_at_the_end() -> None:
    for goes_to_end in (False, True):
        pane = Pane()
        request = PlanRequest("r", "s-1", "\n\n".join(f"{number}. step" for number in range(HEIGHT // 2 - 2)))
        pane.apply(ev.PlanProposed(request))
        pane.viewport.settle()
        sight = PlanSight(pane.viewport, pane, lambda: None)
        sight.show(request.id)
        assert pane.viewport.following, "all of it is in view"
        if goes_to_end:
            sight.leave()
        for _ in range(2):
            pane.viewport.resize(pane.viewport.layout.width, HEIGHT // 3)
            sight.resized()
            assert (pane.viewport.top == 0) is not goes_to_end

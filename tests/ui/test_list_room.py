"""A list of a command covers no end of the transcript."""

from __future__ import annotations

import pytest

from ccq_tui.agent.events import BlockFinished, BlockKey, BlockKind
from ccq_tui.screens.pickers.picker import PickerBody
from tests.ui.running import running
from tests.ui.session import Driven, until
from tests.ui.test_commands import closed, models_known, picker, say

LINES = "\n\n".join(f"Line {number}" for number in range(60))


@pytest.mark.parametrize("size", [(80, 24), (40, 16), (160, 50)])
async def test_a_list_lifts_the_end_of_the_transcript_and_gives_the_lines_back(size: tuple[int, int]) -> None:
    async with running(Driven(), size=size) as (driven, pilot):
        driven.told.tell(BlockFinished(BlockKey("m", 0), BlockKind.TEXT, LINES))
        await models_known(pilot, driven)
        screen = driven.screen
        await until(pilot, lambda: "Line 59" in screen.transcript.text())
        before = screen.transcript.region
        await say(pilot, driven, "/theme")
        shown = await picker(pilot)
        body = shown.query_one(PickerBody)
        await until(pilot, lambda: body.region.height and screen.transcript.region.bottom <= body.region.y)
        lifted = screen.transcript.region
        await pilot.press(*"zzz")
        await until(pilot, lambda: not shown.state.shown)
        assert screen.transcript.region == lifted, "it does not move with each letter"
        await pilot.resize_terminal(size[0], size[1] - 4)
        await until(pilot, lambda: screen.transcript.region.bottom <= body.region.y)
        await pilot.resize_terminal(*size)
        await pilot.press("escape", "escape")
        await closed(pilot)
        await until(pilot, lambda: screen.transcript.region == before)

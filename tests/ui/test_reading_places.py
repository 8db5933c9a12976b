"""What a reader finds, copies and opens in the transcript, without a trace of how it was drawn."""

from __future__ import annotations

from textual.pilot import Pilot

from ccq_tui.agent import events as ev
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
    await until(pilot, lambda: "That is all." in run.screen.transcript.text())


async def test_an_agents_work_is_folded_away_again_when_the_search_goes_on() -> None:
    run = Driven()
    async with run.app.run_test(size=(80, 24)) as pilot:
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

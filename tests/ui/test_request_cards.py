"""The card of a request in the transcript says where it is answered, and then what came of it."""

from __future__ import annotations

from datetime import datetime

import pytest

from ccq_tui.agent.events import PermissionAsked, PlanProposed, RequestSettled, ToolStarted
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.requests import Allowed, Denied, PlanRequest
from ccq_tui.questions import Answer, Answered, Declined, Option, Question
from tests.ui.drawn import terminal_of
from tests.ui.session import Driven, asked, keys_work, permission, until

HERE = Actor.here(Surface.PANEL)
NOON = datetime(2025, 1, 2, 12, 5)
PICK = Question("Which library?", "Library", (Option("Luxon"), Option("Day.js")))
MANY = Question("Which features?", "Features", (Option("Zones"), Option("Locale")), multi_select=True)


@pytest.mark.parametrize("size", [(80, 24), (40, 12)])
async def test_a_card_is_one_line_that_says_where_its_request_is_answered(size: tuple[int, int]) -> None:
    run = Driven()

    def drawn(*cards: str) -> bool:
        lines = [line.strip() for line in terminal_of(run.app).lines]
        return all(card in lines for card in cards)

    async with run.app.run_test(size=size) as pilot:
        await pilot.press("x")  # a panel waits for a pause
        run.told.tell(asked("q", PICK, MANY))
        await until(pilot, lambda: drawn("◆ Claude asks 2 questions · F2 answers"))
        await pilot.press("f2")
        await until(pilot, lambda: drawn("◆ Claude asks 2 questions · below"))
        run.told.tell(ToolStarted("p", "Bash", {"command": "make all"}))
        run.told.tell(PermissionAsked(permission("p")))
        run.told.tell(PlanProposed(PlanRequest("plan", "s", "1. Split\n2. Test")))
        await until(pilot, lambda: run.screen.transcript.following and len(run.screen.dock.line.items) == 3)
        await until(pilot, lambda: "▸ Bash make all · waits its turn" in run.screen.transcript.text())
        await keys_work(run, pilot)
        before = run.screen.transcript.counters.drawn
        await pilot.press("escape")
        await until(
            pilot, lambda: drawn("▸ Bash make all · waits its turn", "▤ Plan · 2 lines · waits its turn")
        )
        assert "◆ Claude asks 2 questions · F2 answers" in run.screen.transcript.text()
        assert run.screen.transcript.counters.drawn - before <= 3, "and nothing else is drawn again"
        answers = Answered((Answer(("Luxon",), note="small"), Answer(("Zones",))))
        run.told.tell(RequestSettled("q@id-1", answers, HERE, NOON))
        await keys_work(run, pilot)
        await until(pilot, lambda: "▸ Bash make all · asks below" in run.screen.transcript.text())
        run.told.tell(RequestSettled("p@id-1", Denied("use ninja"), HERE, NOON))
        run.told.tell(RequestSettled("plan@id-1", Allowed(mode="default"), HERE, NOON))
        await until(pilot, lambda: "you approved" in run.screen.transcript.text())
        text = run.screen.transcript.text()
        assert "■ Bash make all · denied: “use ninja”" in text
        assert "▤ Plan · 2 lines · you approved 12:05 · default mode" in text
        assert (
            "◆ Claude asked 2 questions · you answered 12:05\n  Which library?\n    ● Luxon  ○ Day.js" in text
        )
        run.told.tell(asked("d", PICK))
        run.told.tell(RequestSettled("d@id-1", Declined(), HERE, NOON))
        await pilot.press("ctrl+end")  # where a plan was shown, the end is not followed
        declined = "◆ Claude asked · Library · you declined 12:05 · Ctrl+O"
        await until(pilot, lambda: drawn(declined if size[0] > 60 else "declined 12:05 · Ctrl+O"))
        await pilot.press("ctrl+o")
        await until(pilot, lambda: drawn("○ Luxon · Day.js"))

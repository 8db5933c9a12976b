"""What the agent wrote before a question is kept with it, for whoever answers it elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ccq_tui.agent.events import QuestionAsked
from ccq_tui.inbox.durable import DurableInbox
from ccq_tui.questions import Answer, Answered, Option, Question
from ccq_tui.testing.scenario import Scenario
from tests.agent.running import Running

DATABASE = Question(
    "Which database?", "Database", (Option("SQLite", "A file"), Option("PostgreSQL", "A server"))
)


async def test_what_was_written_before_a_question_is_stored_with_it(
    play: Callable[..., Any], tmp_path: Path
) -> None:
    _, home = play(Scenario("q").says("I looked around.").asks(DATABASE).says("Thanks."))
    inbox = await DurableInbox.open(tmp_path / "inbox.db")
    async with Running(home, inbox=inbox) as run:
        run.session.send("Build it")
        asked = await run.until(QuestionAsked)
        stored = await inbox.run(lambda store: store.request(asked.request.id))
        assert stored is not None
        assert stored.context == "I looked around."
        run.answer(asked.request.id, Answered((Answer(("SQLite",)),)))
        await run.idle()
    assert await inbox.close()

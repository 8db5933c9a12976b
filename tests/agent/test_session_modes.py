"""Questions are asked, answered, discussed and declined in every permission mode."""

from ccq_tui.agent.events import Connected, ModeChanged, NoticeGiven, ToolFinished
from ccq_tui.inbox.agent_texts import DECLINED
from ccq_tui.inbox.requests import QuestionRequest
from ccq_tui.questions import Answer, Declined, Discussed
from ccq_tui.testing.scenario import Scenario
from tests.agent.row import Row
from tests.agent.running import DATABASE, SQLITE, Play, Running
from tests.results import answered, replied

MODES = ["bypassPermissions", "acceptEdits", "plan", "auto", "default", "dontAsk"]
OUTCOMES = [
    SQLITE,
    Discussed("Hm?", (Answer(("SQLite",), note="if small", unselected="Oracle"),)),
    Declined(),
]
DISCUSSION = """Hm?

What I had selected, typed and noted until then, not submitted as answers:

1. Which database?
   Selected: SQLite
   Typed, not selected: Oracle
   Note: if small"""
ANSWERED = answered('"Which database?"="SQLite"')
# dontAsk takes nothing but answers: prose goes as a note.
REMARK = replied('"Which database?"=(no option selected) notes: {}')


async def test_a_session_keeps_its_mode_when_another_process_resumes_it(row: Row) -> None:
    run = await row.start(permission_mode=None)
    row.model.begin(Scenario("q").says("Done."))
    await run.send("Go").idle()
    for change, given, kept in [
        (None, None, "auto"),  # with which a session begins where no mode is set
        ("acceptEdits", None, "acceptEdits"),
        ("plan", None, "plan"),
        (None, "dontAsk", "dontAsk"),
        (None, None, "dontAsk"),
    ]:
        if change is not None:
            run.session.set_option("mode", change)
            await run.until(ModeChanged)
        run = await row.start(run.session.session_id, permission_mode=given)
        assert (await run.until(Connected)).mode == kept


async def test_every_mode_asks(play: Play) -> None:
    scenario = Scenario("q")
    for _ in MODES:
        scenario = scenario.asks(DATABASE).asks(DATABASE).asks(DATABASE).says("Thanks.").ends_turn()
    # Only a session that began in bypassPermissions may go there; the CLI wants a sandbox for it under root.
    _, home = play(scenario, env={"IS_SANDBOX": "1"})
    async with Running(home, permission_mode=MODES[0]) as run:
        for turn, mode in enumerate(MODES):
            run.session.set_option("mode", mode)
            run.session.send(f"In mode {mode}")
            for number, outcome in enumerate(OUTCOMES, 3 * turn + 1):
                await run.until(QuestionRequest, count=number)
                run.answer(f"toolu_q_{number}", outcome)
            await run.idle(turn + 1)
        results = [(event.output, event.is_error) for event in run.all(ToolFinished)]
        assert [event.mode for event in run.all(ModeChanged)] == MODES[1:]
        assert not [event for event in run.all(NoticeGiven) if "denied" in event.text]
    asked = [(ANSWERED, False), (f"The user responded: {DISCUSSION}", False), (DECLINED, True)]
    assert results[:-3] == asked * 5
    assert results[-3:] == [
        (ANSWERED, False),
        (REMARK.format(DISCUSSION), False),
        (REMARK.format(DECLINED), False),
    ]

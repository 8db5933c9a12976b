"""Every way to settle a question set, and the exact tool result the model received."""

from dataclasses import replace

from ccq_tui.agent import events as ev
from ccq_tui.inbox.agent_texts import DECLINED, EXPIRED
from ccq_tui.inbox.requests import QuestionRequest
from ccq_tui.inbox.verdicts import Accepted
from ccq_tui.questions import Answer, Answered, Declined, Discussed, Expired, Kind, Option, Outcome, Question
from ccq_tui.questions.events import Pressed
from ccq_tui.questions.machine import step as pressed
from ccq_tui.questions.model import Recalled
from ccq_tui.questions.state import opened
from ccq_tui.testing.model import ScriptedModel
from ccq_tui.testing.scenario import Scenario, ask
from tests.actors import PHONE
from tests.agent.running import DATABASE, SQLITE, Running, stored
from tests.agent.stage import Stage
from tests.results import answered, replied
from tests.steps import step

FEATURES = Question(
    "Which features?",
    "Features",
    (Option("Auth", "x"), Option("Logs", "x"), Option("Cache", "x")),
    multi_select=True,
)
STORE = Question("Which store?", "Store", (Option("SQLite", "A file"), Option("MySQL", "A server")))
LAYOUT = Question(
    "Which layout?", "Layout", (Option("Tabs", "x", "[a][b]\n----"), Option("List", "x", "- a\n- b"))
)
NAME = Question("What name?", "Name", kind=Kind.TEXT, placeholder="my-app")
WORKERS = Question("How many?", "Workers", kind=Kind.NUMBER, minimum=1, maximum=8, default="2")


ROUNDS: list[tuple[list[Question], Outcome, str]] = [
    ([DATABASE], Answered((Answer(("PostgreSQL",)),)), answered('"Which database?"="PostgreSQL"')),
    ([DATABASE], Answered((Answer(other="my own, db"),)), replied('"Which database?"="my own, db"')),
    (
        [FEATURES],
        Answered((Answer(("Auth", "Logs"), other="other, thing 5"),)),
        replied('"Which features?"="Auth, Logs, "other, thing 5""'),
    ),
    ([FEATURES], Answered((Answer(empty=True),)), replied('"Which features?"="(none of these)"')),
    (
        [LAYOUT, DATABASE],
        Answered((Answer(("Tabs",), note="small", preview="[a][b]\n----"), Answer(note="later"))),
        replied(
            '"Which layout?"="Tabs" selected preview:\n[a][b]\n---- notes: small, '
            '"Which database?"=(no option selected) notes: later'
        ),
    ),
    (
        [NAME, WORKERS],
        Answered((Answer(other="shop"), Answer(other="4"))),
        replied('"What name?"="shop", "How many?"="4"'),
    ),
    ([WORKERS], Answered((Answer(other="4"),)), answered('"How many?"="4"')),
    ([DATABASE], Answered((Answer(),)), "The user did not answer the questions."),
    (
        [DATABASE, FEATURES],
        Discussed("Neither.\nWhat about files?"),
        "The user responded: Neither.\nWhat about files?",
    ),
    ([DATABASE, FEATURES], Declined(), DECLINED),
    ([DATABASE], Expired(), EXPIRED),
]


EITHER_ORDER = [("toolu_q_1", "toolu_q_2"), ("toolu_q_2", "toolu_q_1")]


async def scenes(stage: Stage) -> None:
    """Play what this module tests."""
    one_question = Scenario("q").asks(DATABASE).says("Thanks.")
    async with stage.scene("a request follows its tool call and its state", one_question) as run:
        await a_request_follows_its_tool_call_and_its_state(run)
        (offered,) = (t for t in stage.model.requests()[0].body["tools"] if t["name"] == "AskUserQuestion")
        assert "Preview feature" in str(offered)
        assert "defaultValue" in str(offered)
    async with stage.scene("the first answer wins", one_question) as run:
        await the_first_answer_wins(run, stage.model)
    for order in EITHER_ORDER:
        two_sets = Scenario("q").together(ask(DATABASE), ask(FEATURES)).says("Thanks.")
        async with stage.scene(f"two sets at once, answered in the order {order}", two_sets) as run:
            await two_sets_at_once(run, stage.model, order)
    twice = Scenario("q").asks(STORE).says("One.").ends_turn().asks(STORE).says("Two.")
    async with stage.scene("an earlier answer is taken over by a key", twice) as run:
        await an_earlier_answer_is_taken_over(run, stage.model)
    rounds = Scenario("q")
    for questions, _, _ in ROUNDS:
        rounds = rounds.says("Next.").asks(*questions)
    async with stage.scene("exactly what was confirmed", rounds.says("Thanks.")) as run:
        await the_model_receives_exactly_what_was_confirmed(run, stage.model)


async def a_request_follows_its_tool_call_and_its_state(run: Running) -> None:
    await run.send("Build it").until(QuestionRequest)
    await run.answer("toolu_q_1", Declined()).idle()
    kinds = [
        type(e)
        for e in run.events
        if isinstance(e, ev.ToolStarted | ev.RequestAsked | ev.RequestSettled | ev.ToolFinished)
    ]
    assert kinds == [ev.ToolStarted, ev.RequestAsked, ev.RequestSettled, ev.ToolFinished]
    ended = run.one(ev.TurnEnded)
    assert 0 < ended.waited < ended.duration
    assert ended.worked == ended.duration - ended.waited
    states = [e.state.value for e in run.all(ev.StateChanged)]
    assert states[-4:] == ["working", "awaiting", "working", "idle"]


async def the_first_answer_wins(run: Running, model: ScriptedModel) -> None:
    await run.send("Build it").until(QuestionRequest)
    accepted = await run.inbox.settle(run.request("toolu_q_1"), SQLITE, PHONE)
    assert accepted == Accepted()
    await run.answer("toolu_q_1", Declined()).idle()
    assert '"Which database?"="SQLite"' in model.result("toolu_q_1").text


async def two_sets_at_once(run: Running, model: ScriptedModel, order: tuple[str, str]) -> None:
    outcomes = {"toolu_q_1": SQLITE, "toolu_q_2": Answered((Answer(("Cache",)),))}
    await run.send("Build it").until(QuestionRequest, count=2)
    assert [request.tool_use_id for request in run.inbox.pending] == ["toolu_q_1", "toolu_q_2"]
    for request_id in order:
        run.answer(request_id, outcomes[request_id])
        wanted = run.request(request_id)
        await run.until(ev.RequestSettled, lambda e, wanted=wanted: e.request_id == wanted)
    await run.idle()
    assert model.result("toolu_q_1").text == (answered('"Which database?"="SQLite"'))
    assert model.result("toolu_q_2").text == (answered('"Which features?"="Cache"'))


def recalled_in(run: Running, asked: ev.RequestAsked) -> tuple[Recalled | None, ...]:
    opened = run.inbox.known(asked.request.id)
    return opened.recalled


async def an_earlier_answer_is_taken_over(run: Running, model: ScriptedModel) -> None:
    chosen = Answered((Answer(("MySQL",), note="as elsewhere"),))
    first = await run.send("Ask me.").until(QuestionRequest)
    assert recalled_in(run, first) == ()
    await run.answer(first.request.id, chosen).idle()
    again = await run.send("Ask me again.").until(QuestionRequest, count=2)
    state = replace(opened(again.request.questions), recalled=recalled_in(run, again))
    for key in ("r", "enter"):
        state = pressed(state, Pressed(key, key if key == "r" else ""))
    assert state.outcome == chosen
    await run.answer(again.request.id, state.outcome).idle(2)
    replies = replied('"Which store?"="MySQL" notes: as elsewhere')
    assert [result.text for result in model.tool_results()] == [replies] * 2


async def the_model_receives_exactly_what_was_confirmed(run: Running, model: ScriptedModel) -> None:
    run.session.send("Build it")
    for number, (questions, outcome, result) in enumerate(ROUNDS, 1):
        with step(result):
            asked = await run.until(QuestionRequest, count=number)
            assert asked.request.tool_use_id == f"toolu_q_{number}"
            assert asked.request.questions.questions == tuple(questions)
            assert asked.request.session_id == run.session.session_id
            assert run.state is ev.SessionState.AWAITING
            assert (await stored(run.inbox, asked.request.id)).context == "Next."
            run.answer(asked.request.id, outcome)
    await run.idle()
    results = model.tool_results()
    assert [result.text for result in results] == [result for _, _, result in ROUNDS]
    assert [result.is_error for result in results] == [
        isinstance(outcome, Declined | Expired) for _, outcome, _ in ROUNDS
    ]
    assert [event.output for event in run.all(ev.ToolFinished)] == [result for _, _, result in ROUNDS]
    assert [event.outcome for event in run.all(ev.RequestSettled)] == [outcome for _, outcome, _ in ROUNDS]

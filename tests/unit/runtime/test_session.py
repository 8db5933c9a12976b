"""A supervised session starts its agent again when there is a reason to, once, and says why it ended."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from ccq_tui.agent import events as ev
from ccq_tui.agent.problems import Problem
from ccq_tui.config.launch import Launch
from ccq_tui.config.settings import Settings
from ccq_tui.inbox.port import Settled
from ccq_tui.inbox.requests import Cancelled, QuestionRequest, RequestOutcome
from ccq_tui.questions import Answer, Answered, Option, Question, QuestionSet
from ccq_tui.runtime.limits import LimitReached
from ccq_tui.runtime.session import FAILED, SupervisedSession
from tests.actors import PANEL, SCRIPT
from tests.steps import until_true
from tests.ui.session import FakeRequests, LastingSession

LETTER = Question("Which?", "Letter", (Option("A", "x"), Option("B", "y")))
ANSWER = Answered((Answer(("A",)),))
REQUEST = QuestionRequest("t", "s", QuestionSet("t", (LETTER,)))
PARKED = (
    ev.StateChanged(ev.SessionState.PARKED),
    ev.SessionLost("parked", expected=True, kind=ev.PARKED_KIND),
)


class Agent(LastingSession):
    """An agent's session that runs until it is told to end."""

    async def run(self) -> None:
        self._tell(ev.Connected("s", "claude-x", "default", "/work"))
        await self.over.wait()


class Life:
    """A supervised session, its agents so far, and what it told."""

    def __init__(
        self, make: type[Agent] = Agent, *, slots: asyncio.Semaphore | None = None, **launched: Any
    ) -> None:
        self.agents: list[Agent] = []
        self.launches: list[Launch] = []
        self.events: list[ev.AgentEvent] = []
        self.now = 1000.0

        def made(tell: Callable[[ev.AgentEvent], None], launch: Launch) -> Agent:
            self.launches.append(launch)
            self.agents.append(make(tell))
            return self.agents[-1]

        launch = Launch(settings=Settings(cwd=Path("/"), park_after="10m"), **launched)
        self.requests = FakeRequests()
        self.session = SupervisedSession(launch, made, self.requests, clock=lambda: self.now, slots=slots)
        self.session.subscribe(self.events.append)

    async def begun(self) -> "Life":
        """Run it until its agent is connected and asks."""
        self.session.start()
        await asyncio.sleep(0)
        self.tell(
            ev.PromptAccepted("Build it"), ev.HistoryLoaded(()), ev.StateChanged(ev.SessionState.AWAITING)
        )
        self.requests.ask(REQUEST)
        self.tell(ev.RequestAsked(REQUEST))
        return self

    def tell(self, *events: ev.AgentEvent) -> None:
        """Have the agent of the moment tell something; it is over with its loss."""
        agent = self.agents[-1]
        for event in events:
            agent._tell(event)
            if isinstance(event, ev.SessionLost):
                agent.over.set()

    def settled(self, outcome: RequestOutcome = ANSWER) -> None:
        """Have somebody settle what is asked, as the inbox reports it."""
        change = Settled(REQUEST, outcome, SCRIPT)
        self.requests.opened[REQUEST.id].end(change)
        self.session.take_settled(change)


@pytest.fixture
async def life() -> AsyncIterator[Life]:
    """One whose agent is connected and asks."""
    life = await Life().begun()
    yield life
    await life.session.end()


async def test_an_answer_wakes_a_parked_session_once(life: Life) -> None:
    life.tell(ev.RequestParked(REQUEST.id, deferred=True), *PARKED)
    life.settled()
    life.session.wake(answered=True)
    life.session.send("and this")
    assert len(life.agents) == 2
    assert (life.launches[1].resume, life.launches[1].prompt) == ("s", "")
    assert life.agents[1].sent == ["and this"]


async def test_a_parked_session_is_not_woken_by_what_is_withdrawn(life: Life) -> None:
    life.tell(ev.RequestParked(REQUEST.id, deferred=True), *PARKED)
    life.settled(Cancelled("rewound"))
    assert len(life.agents) == 1
    assert not life.session.waiting


async def test_an_answer_during_the_parking_starts_the_next_process_at_its_end(life: Life) -> None:
    life.tell(ev.RequestParked(REQUEST.id, deferred=True))
    life.settled()
    assert len(life.agents) == 1, "the process that cannot take it is still there"
    texts = [one for one in life.events if isinstance(one, ev.RequestSettled)]
    assert [one.outcome for one in texts] == [ANSWER]
    life.tell(*PARKED)
    assert len(life.agents) == 2
    assert life.session.facts.state is ev.SessionState.STARTING


async def test_what_was_said_before_is_told_once(life: Life) -> None:
    life.tell(*PARKED)
    life.session.wake()
    before = len(life.events)
    life.tell(ev.HistoryLoaded(()), ev.Connected("s", "claude-x", "default", "/work"))
    assert not any(isinstance(one, ev.HistoryLoaded) for one in life.events[before:])


@pytest.mark.parametrize(
    "events", [(), (ev.StateChanged(ev.SessionState.FAILED), ev.SessionLost("The program failed: surprise"))]
)
async def test_a_failure_in_the_agent_ends_the_session_once_with_a_way_back(
    events: tuple[ev.AgentEvent, ...],
) -> None:
    class Failing(Agent):
        async def run(self) -> None:
            for event in events:
                self._tell(event)
            raise RuntimeError("surprise")

    life = Life(Failing)
    life.session.start()
    await asyncio.wait(life.session._tasks)
    assert life.events == [*(events or [ev.SessionLost(FAILED)])]
    assert life.session.facts.state is ev.SessionState.FAILED
    assert life.session.recovery.words == "F6 reconnect"


@pytest.mark.parametrize("waits", [True, False])
async def test_a_session_is_ended_that_waits_for_room_or_has_not_come_to_it(waits: bool) -> None:
    slots = asyncio.Semaphore(1)
    first, second = Life(slots=slots), Life(slots=slots)
    first.session.start()
    await asyncio.sleep(0)
    second.session.start()
    if waits:
        await asyncio.sleep(0)
    assert (second.session.facts.state is ev.SessionState.QUEUED) == waits
    async with asyncio.timeout(10):
        await second.session.end()
        assert all(task.done() for task in second.session._tasks)
        await first.session.end()
    assert not slots.locked()


@pytest.mark.parametrize("between", [(), (ev.SessionState.WORKING,)])
async def test_the_limit_that_parked_it_is_named_whatever_the_turn_did_at_its_end(
    life: Life, between: tuple[ev.SessionState, ...]
) -> None:
    life.now += 601
    life.session.check_limits()
    assert life.agents[0].cause == "no answer for 10 min (park_after)"
    life.tell(*(ev.StateChanged(state) for state in between), *PARKED)
    assert len([one for one in life.events if isinstance(one, LimitReached)]) == 1


@pytest.mark.parametrize("asks", [False, True])
async def test_a_limit_that_ended_nothing_is_not_named_at_a_later_park(life: Life, asks: bool) -> None:
    life.now += 601
    life.session.check_limits()
    assert life.agents[0].parked
    life.tell(ev.RequestSettled(REQUEST.id, ANSWER, PANEL), ev.StateChanged(ev.SessionState.WORKING))
    other = QuestionRequest("u", "s", QuestionSet("u", (LETTER,)))
    if asks:
        life.requests.ask(other)
        life.tell(ev.StateChanged(ev.SessionState.AWAITING), ev.RequestAsked(other), *PARKED)
    else:
        life.tell(ev.StateChanged(ev.SessionState.IDLE), *PARKED)
    assert not [one for one in life.events if isinstance(one, LimitReached)]


async def test_nothing_starts_a_session_that_has_ended(life: Life) -> None:
    await life.session.end()
    life.tell(*PARKED)
    life.session.wake(answered=True)
    life.settled()
    life.session.restart()
    assert life.session.start_again() == 0
    assert len(life.agents) == 1


@pytest.mark.parametrize("state", [ev.SessionState.STARTING, ev.SessionState.QUEUED, ev.SessionState.WORKING])
async def test_a_session_that_has_an_agent_is_not_started_beside_it(
    life: Life, state: ev.SessionState
) -> None:
    life.tell(ev.StateChanged(state))
    life.session.restart()
    life.session.start_again()
    assert len(life.agents) == 1


async def test_reconnecting_ends_the_process_that_is_there_first() -> None:
    life = await Life(slots=asyncio.Semaphore(1)).begun()
    life.tell(ev.RequestSettled(REQUEST.id, ANSWER, PANEL))
    life.tell(ev.ErrorReported(Problem.KEY_REFUSED, "401"), ev.StateChanged(ev.SessionState.IDLE))
    assert life.session.recovery.words == "F6 sign in"
    life.session.take_offer()
    life.session.reconnect()
    assert (life.agents[0].closed, len(life.agents)) == (True, 1)
    life.tell(ev.StateChanged(ev.SessionState.ENDED), ev.SessionLost("closed", expected=True))
    assert len(life.agents) == 2
    assert life.launches[1].resume == "s"
    await until_true(lambda: life.session.facts.state is ev.SessionState.STARTING, 5)
    await until_true(lambda: ev.Reconnected() in life.events, 5)
    await life.session.end()


async def test_a_listener_that_fails_disturbs_neither_the_agent_nor_the_others() -> None:
    life = Life()

    def fails(_event: ev.AgentEvent) -> None:
        raise RuntimeError("surprise")

    life.session.subscribe(fails)
    await life.begun()
    assert [one for one in life.events if isinstance(one, ev.RequestAsked)]
    assert life.session.facts.state is ev.SessionState.AWAITING
    await life.session.end()


@pytest.mark.parametrize("state", [ev.SessionState.STARTING, ev.SessionState.QUEUED])
async def test_a_session_that_is_being_started_says_that_it_cannot_be_parked_yet(
    life: Life, state: ev.SessionState
) -> None:
    assert life.session.why_not_parkable == ""
    life.tell(ev.StateChanged(state))
    assert "it is starting" in life.session.why_not_parkable


@pytest.mark.parametrize(
    "launched", [{}, {"resume": "x", "fork": True}, {"continue_last": True, "fork": True}]
)
async def test_a_chosen_id_that_another_process_has_begun_is_resumed_from_then_on(
    launched: dict[str, Any],
) -> None:
    life = Life(chosen_id="u", **launched)
    life.session.start()
    life.tell(ev.StateChanged(ev.SessionState.PARKED))
    life.tell(ev.SessionLost("process 7 runs it", expected=True, kind=Problem.RUNS_ELSEWHERE))
    life.session.restart()
    again = life.launches[1]
    assert (again.resume, again.fork, again.continue_last, again.chosen_id) == ("u", False, False, "")
    await life.session.end()


async def test_a_copy_of_a_session_with_a_chosen_id_has_another_id() -> None:
    life = await Life(chosen_id="s").begun()
    life.tell(ev.RequestParked(REQUEST.id, deferred=True), *PARKED)
    life.session.restart(fork=True)
    again = life.launches[1]
    assert (again.resume, again.fork, again.chosen_id) == ("s", True, "")
    await life.session.end()

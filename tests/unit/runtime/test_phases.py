"""The table of phases, driven by whatever may happen to a session, in any order."""

from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.agent.events import SessionState
from ccq_tui.runtime.phases import Input, Phase, Reason, Stage, step
from tests.tables import each_row

ENDS = (SessionState.PARKED, SessionState.ENDED, SessionState.FAILED)
STATED = (*SessionState,)
happens = st.one_of(st.sampled_from(Input), st.sampled_from(Reason), st.sampled_from(STATED))
TO_REST = {Phase.PARKED, Phase.RESTING}


def after(*happened: Input | Reason | SessionState, stage: Stage = Stage()) -> Stage:  # noqa: B008
    for one in happened:
        stage = step(stage, one)
    return stage


def starts(before: Stage, now: Stage) -> bool:
    return now.phase is Phase.STARTING and before.phase not in (Phase.STARTING, Phase.QUEUED)


@given(st.lists(happens, max_size=30))
def test_a_process_starts_only_where_none_is_and_never_after_the_end(happened: list[Input]) -> None:
    stage, processes, over = Stage(), 0, False
    for one in happened:
        before, stage = stage, step(stage, one)
        if one is Input.ENDED or before.phase in (Phase.NEW, Phase.PARKED, Phase.RESTING):
            processes = 0
        if starts(before, stage):
            processes += 1
            assert not over
        assert processes <= 1
        over = over or stage.is_over
        assert stage.is_over == over, "an end is for good"


@given(st.lists(happens, max_size=30))
def test_a_rest_has_a_reason_and_is_left_by_one_start(happened: list[Input]) -> None:
    stage = Stage()
    for one in happened:
        before, stage = stage, step(stage, one)
        if stage.phase in TO_REST:
            assert stage.reason is not None
        if before.phase in TO_REST and stage.phase not in TO_REST:
            assert stage.phase in (Phase.STARTING, Phase.RUNNING, Phase.CLOSED)


@given(st.lists(st.sampled_from((Input.PUT_OFF, Input.ANSWER, Input.PROMPT, Input.QUESTION)), max_size=9))
def test_an_answer_while_parking_starts_the_next_process_without_a_further_input(inputs: list[Input]) -> None:
    parking = after(Input.START, SessionState.AWAITING, Input.PUT_OFF, Input.ANSWER, *inputs)
    assert after(SessionState.PARKED, Input.ENDED, stage=parking) == Stage(Phase.STARTING)


@each_row(*ENDS)
def test_a_restart_starts_once_its_process_is_gone_whatever_it_ended_with(end: SessionState) -> None:
    stopping = after(Input.START, SessionState.IDLE, Reason.RESTART)
    assert after(end, stage=stopping) == stopping
    assert after(end, Input.ENDED, stage=stopping) == Stage(Phase.STARTING)


@each_row(
    (Reason.LIMIT, SessionState.ENDED, Reason.LIMIT, True),
    (Reason.LIMIT, SessionState.FAILED, Reason.FAILED, False),
    (Reason.ROOM, SessionState.ENDED, Reason.ROOM, True),
    (None, SessionState.ENDED, Reason.LOST, False),
    (None, SessionState.FAILED, Reason.FAILED, False),
)
def test_a_prompt_starts_what_ended_by_itself_and_an_answer_starts_whatever_rests(
    stop: Reason | None, end: SessionState, reason: Reason, roused: bool
) -> None:
    running = after(Input.START, SessionState.IDLE)
    rests = after(*([stop] if stop else []), end, Input.ENDED, stage=running)
    assert rests == Stage(Phase.RESTING, reason)
    assert (after(Input.PROMPT, stage=rests).phase is Phase.STARTING) is roused
    assert after(Input.ANSWER, stage=rests) == Stage(Phase.STARTING)


def test_the_stronger_of_two_reasons_counts() -> None:
    stopping = after(Input.START, SessionState.IDLE, Reason.ROOM)
    assert after(Reason.QUIT, stage=stopping).is_over
    assert after(Reason.QUIT, Reason.ROOM, stage=stopping).is_over
    assert after(Reason.LIMIT, stage=stopping).reason is Reason.LIMIT

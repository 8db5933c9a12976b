"""When limits end: from given times alone."""

from dataclasses import replace

from hypothesis import example, given
from hypothesis import strategies as st

from ccq_tui.agent.events import SessionState
from ccq_tui.config.settings import Settings
from ccq_tui.runtime.limits import COUNTDOWN, Due, Limit, Standing, cause, next_limit
from ccq_tui.words import spoken
from tests.tables import each_row

ASKED = Standing(
    SessionState.AWAITING, touched=10.0, event=100.0, question="t", turn=100.0, parkable=True, stopped=False
)


def limits(park: float | None = None, question: float | None = None, *, no_answer: bool = False) -> Settings:
    outcome = "no_answer" if no_answer else "park"
    return Settings.model_construct(park_after=park, question_timeout=question, on_question_timeout=outcome)


ALL, ALL_END = limits(600.0, 300.0), limits(600.0, 300.0, no_answer=True)


def ends(settings: Settings, now: Standing) -> tuple[Due, float] | None:
    limit = next_limit(settings, now)
    return None if limit is None else (limit.due, limit.at)


def test_each_limit_is_counted_from_the_last_key() -> None:
    assert ends(limits(600.0), ASKED) == (Due.PARK, 700.0)
    assert ends(limits(600.0), replace(ASKED, touched=400.0)) == (Due.PARK, 1000.0)
    assert ends(ALL, ASKED) == (Due.PARK_QUESTION, 400.0)
    assert ends(ALL, replace(ASKED, touched=350.0)) == (Due.PARK_QUESTION, 650.0)
    assert ends(ALL, replace(ASKED, stopped=True)) == (Due.PARK, 700.0)


def test_a_session_in_which_a_permission_waits_is_not_parked() -> None:
    mixed = replace(ASKED, parkable=False)
    assert next_limit(ALL, mixed) is None
    # That question may end all the same: the permission is not touched by it.
    assert ends(ALL_END, mixed) == (Due.NO_ANSWER, 400.0)
    assert next_limit(ALL_END, replace(mixed, question="")) is None


def test_a_question_that_is_to_end_is_not_parked_before() -> None:
    both = limits(60.0, 300.0, no_answer=True)
    assert ends(both, ASKED) == (Due.NO_ANSWER, 400.0)
    assert ends(both, replace(ASKED, stopped=True)) == (Due.PARK, 160.0)


UNTIMED = sorted(set(SessionState) - {SessionState.AWAITING})


@given(st.sampled_from(UNTIMED), st.sampled_from([ALL, ALL_END]))
def test_what_is_worked_on_parked_or_over_has_no_limit(state: SessionState, settings: Settings) -> None:
    assert next_limit(settings, replace(ASKED, state=state)) is None


times = st.floats(0, 10_000)
lengths = st.none() | st.floats(1, 10_000)


@given(
    st.builds(limits, lengths, lengths, no_answer=st.booleans()),
    st.builds(
        Standing,
        st.sampled_from(list(SessionState)),
        times,
        times,
        st.sampled_from(["", "t"]),
        times,
        st.booleans(),
        st.booleans(),
    ),
)
@example(
    limits(None, 1.0, no_answer=True),
    Standing(SessionState.AWAITING, 2.2e-313, 0.0, "t", 0.0, parkable=False, stopped=False),
)
def test_nothing_ends_under_somebodys_hands(settings: Settings, now: Standing) -> None:
    limit = next_limit(settings, now)
    if limit is None:
        return
    assert limit.at >= now.touched + limit.seconds
    assert limit.question in ("", now.question)
    assert not (limit.due is Due.NO_ANSWER and settings.on_question_timeout != "no_answer")
    # What was there before the countdown did not stop it.
    assert not limit.stopped_by(now.touched)
    assert limit.counts_from >= limit.at - COUNTDOWN


def test_the_last_minute_is_counted_down_and_any_key_in_it_stops_it() -> None:
    limit = Limit(Due.NO_ANSWER, since=100.0, seconds=300.0, question="t")
    assert limit.words(339.9) == ""
    assert limit.words(340.0) == "Ends as “no answer” in 60 s · any key stops it"
    assert limit.words(399.2) == "Ends as “no answer” in 1 s · any key stops it"
    assert not limit.stopped_by(339.0)
    assert limit.stopped_by(341.0)
    short = Limit(Due.PARK_QUESTION, since=100.0, seconds=30.0, question="t")
    assert short.words(100.0) == "Pauses in 30 s · any key stops it"
    assert short.stopped_by(101.0)
    # Parking after a while loses nothing, and says nothing before.
    assert Limit(Due.PARK, 100.0, 300.0).words(399.0) == ""


def test_a_session_is_parked_after_ten_minutes_unless_something_else_was_set() -> None:
    assert ends(Settings(), ASKED) == (Due.PARK, 700.0)


@each_row((600.0, "10 min"), (7200.0, "2 h"), (90.0, "90 s"), (1.5, "1.5 s"))
def test_durations_are_said_shortly(seconds: float, words: str) -> None:
    assert spoken(seconds) == words
    assert cause(Limit(Due.PARK, 0.0, seconds)) == f"no answer for {words} (park_after)"

"""What one key can do about what went wrong, event by event."""

from pathlib import Path

from ccq_tui.agent import events as ev
from ccq_tui.agent.problems import Problem, Remedy
from ccq_tui.config.launch import Launch
from ccq_tui.config.settings import Settings
from ccq_tui.runtime.facts import SessionFacts
from ccq_tui.runtime.recovery import Recovery, noted, relaunched, taken
from tests.tables import each_row

ASKED = (ev.PromptAccepted("Build it", prompt_id="1"), ev.PromptDelivered("1"))
FAILED_TURN = ev.TurnEnded("api_error", True, 1.0, None, 0, 0)
GOOD_TURN = ev.TurnEnded("completed", False, 1.0, None, 1, 1)
CONNECTED = ev.Connected("id-1", "m", "default", "/work")
LOST = ev.SessionLost("", kind=Problem.CLI_KILLED)


def after(*events: ev.AgentEvent, recovery: Recovery | None = None) -> Recovery:
    recovery = recovery or Recovery()
    for event in events:
        recovery = noted(recovery, event)
    return recovery


@each_row(
    (Problem.RATE_LIMIT, Remedy.RETRY),
    (Problem.NO_NETWORK, Remedy.RETRY),
    (Problem.CONTEXT_FULL, Remedy.COMPACT),
    (Problem.MODEL_MISSING, Remedy.MODEL),
    (Problem.KEY_REFUSED, Remedy.SIGN_IN),
    (Problem.TURNS_SPENT, Remedy.GO_ON),
    (Problem.BUDGET_SPENT, None),
    (Problem.MCP_FAILED, Remedy.SERVERS),
    ("interrupt", None),
)
def test_an_error_offers_its_remedy_until_the_next_prompt(kind: str, remedy: Remedy | None) -> None:
    failed = after(*ASKED, ev.ErrorReported(kind, ""), FAILED_TURN)
    assert failed.offer is remedy
    assert failed.words == (f"F6 {remedy}" if remedy else "")
    assert after(ev.PromptAccepted("Another"), recovery=failed).offer is None


def test_what_can_be_sent_again_is_what_the_agent_was_told_last() -> None:
    failed = after(*ASKED, ev.ErrorReported(Problem.OVERLOADED, ""), FAILED_TURN)
    assert failed.prompt == "Build it"
    assert taken(failed, 1.0).prompt == "Build it"
    assert taken(failed, 1.0).offer is None
    out = taken(after(*ASKED, ev.ErrorReported(Problem.NOT_SIGNED_IN, ""), FAILED_TURN), 1.0)
    assert (out.offer, after(CONNECTED, recovery=out).offer) == (Remedy.SIGN_IN, Remedy.RETRY), (
        "if it is left"
    )
    assert after(*ASKED, GOOD_TURN, ev.ErrorReported(Problem.OVERLOADED, "")).offer is None


def test_compacting_is_followed_by_the_prompt_that_did_not_fit() -> None:
    full = taken(after(*ASKED, ev.ErrorReported(Problem.CONTEXT_FULL, ""), FAILED_TURN), 1.0)
    assert full.doing is Remedy.COMPACT
    compacting = after(ev.PromptAccepted("/compact"), recovery=full)
    done = after(ev.Compacted(), GOOD_TURN, recovery=compacting)
    assert (done.offer, done.because, done.prompt) == (
        *(Remedy.RETRY, "The conversation is compacted."),
        "Build it",
    )
    failed = after(GOOD_TURN, recovery=compacting)
    assert (failed.offer, failed.because) == (Remedy.COMPACT, "The conversation was not compacted.")
    again = after(ev.PromptAccepted("/compact"), ev.Compacted(), GOOD_TURN, recovery=taken(failed, 2.0))
    assert (again.offer, again.prompt) == (Remedy.RETRY, "Build it")


def test_another_model_is_followed_by_the_prompt() -> None:
    missing = after(*ASKED, ev.ErrorReported(Problem.MODEL_MISSING, ""), FAILED_TURN)
    for recovery in (missing, taken(missing, 1.0)):
        assert after(ev.ModelChanged("opus"), recovery=recovery).offer is Remedy.RETRY


def test_reconnecting_is_followed_by_going_on_from_the_prompt_that_was_not_answered() -> None:
    lost = after(CONNECTED, *ASKED, LOST)
    assert lost.offer is Remedy.RECONNECT
    again = after(CONNECTED, recovery=taken(lost, 1.0))
    assert (again.offer, again.unsure) == (Remedy.GO_ON, True)
    idle = after(CONNECTED, *ASKED, GOOD_TURN, LOST)
    assert after(CONNECTED, recovery=taken(idle, 1.0)).offer is None


def test_a_prompt_that_is_back_in_its_field_is_not_offered_twice() -> None:
    sent = ev.PromptAccepted("Build it", prompt_id="1")
    lost = after(CONNECTED, sent, ev.PromptReturned("Build it", "gone"), LOST)
    assert after(CONNECTED, recovery=taken(lost, 1.0)).offer is None


def test_a_queued_prompt_counts_once_it_reached_the_agent() -> None:
    queued = after(*ASKED, ev.PromptAccepted("And this", queued=True, prompt_id="2"))
    assert queued.prompt == "Build it"
    assert after(ev.PromptDelivered("2"), recovery=queued).prompt == "And this"


def test_of_equal_queued_prompts_only_the_returned_one_is_forgotten() -> None:
    queued = (ev.PromptAccepted("continue", queued=True, prompt_id=name) for name in ("2", "3"))
    withdrawn = after(*ASKED, *queued, ev.PromptReturned("continue", "you withdrew it", "3", wanted=True))
    read = after(ev.PromptDelivered("2"), recovery=withdrawn)
    assert (read.prompt, read.prompt_id, read.queued) == ("continue", "2", ())


def test_a_queued_prompt_that_returns_leaves_an_equal_one_that_was_not_answered() -> None:
    asked = (ev.PromptAccepted("continue", prompt_id="1"), ev.PromptDelivered("1"))
    queued = ev.PromptAccepted("continue", queued=True, prompt_id="2")
    lost = after(CONNECTED, *asked, queued, ev.PromptReturned("continue", "gone", "2"), LOST)
    assert (lost.prompt, lost.prompt_id, lost.queued) == ("continue", "1", ())
    assert after(CONNECTED, recovery=taken(lost, 1.0)).offer is Remedy.GO_ON


def test_a_prompt_sent_again_that_returns_is_not_offered_once_more() -> None:
    failed = taken(after(CONNECTED, *ASKED, ev.ErrorReported(Problem.OVERLOADED, ""), FAILED_TURN), 1.0)
    lost = after(ev.PromptReturned("Build it", "gone", "2"), LOST, recovery=failed)
    assert after(CONNECTED, recovery=taken(lost, 1.0)).offer is None


def test_an_interrupted_prompt_is_not_offered_again() -> None:
    stopped = after(*ASKED, ev.TurnEnded("aborted_streaming", True, 1.0, None, 0, 0), LOST)
    assert after(CONNECTED, recovery=taken(stopped, 1.0)).offer is None


def test_a_server_that_failed_hides_no_other_remedy() -> None:
    both = after(*ASKED, ev.ErrorReported(Problem.OVERLOADED, ""), ev.ErrorReported(Problem.MCP_FAILED, "x"))
    assert both.offer is Remedy.RETRY
    assert after(*ASKED, ev.ErrorReported(Problem.MCP_FAILED, "x"), GOOD_TURN).offer is Remedy.SERVERS


def test_starting_in_vain_has_to_wait_longer_each_time() -> None:
    recovery, waits = after(LOST), []
    for _ in range(8):
        waits.append(recovery.seconds_to_wait(100.0))
        recovery = after(LOST, recovery=taken(recovery, 100.0))
    assert waits == [0.0, 0.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0]
    assert recovery.seconds_to_wait(131.0) == 0.0
    assert after(CONNECTED, LOST, recovery=taken(recovery, 131.0)).seconds_to_wait(131.0) == 0.0


START = Launch(settings=Settings(cwd=Path("/work")), prompt="Build it", resume="old", fork=True)


def again(recovery: Recovery) -> Launch:
    return relaunched(START, recovery, SessionFacts(Path("/"), session_id="id-1", mode="plan", effort="high"))


def test_the_conversation_that_was_begun_goes_on() -> None:
    launch = again(taken(after(CONNECTED, *ASKED, ev.ModelChanged("opus"), LOST), 1.0))
    assert (launch.resume, launch.fork, launch.prompt) == ("id-1", False, "")
    settings = launch.settings
    assert (settings.permission_mode, settings.model, settings.effort) == ("plan", "opus", "high")


def test_a_new_sign_in_offers_the_prompt_that_failed_without_it() -> None:
    refused = ev.ErrorReported(Problem.NOT_SIGNED_IN, "")
    signing_in = taken(after(CONNECTED, *ASKED, refused), 1.0)
    assert signing_in.doing is Remedy.SIGN_IN
    recovery = after(CONNECTED, recovery=signing_in)
    assert (recovery.offer, recovery.because) == (Remedy.RETRY, "Connected again.")


def test_before_anything_was_said_it_is_started_as_it_was() -> None:
    launch = again(taken(after(CONNECTED, LOST), 1.0))
    assert (launch.resume, launch.fork) == ("old", True)
    assert again(taken(after(ev.HistoryLoaded(()), CONNECTED, LOST), 1.0)).resume == "id-1"


def test_what_was_cleared_or_never_there_does_not_come_back() -> None:
    for recovery in (
        after(CONNECTED, *ASKED, GOOD_TURN, ev.ConversationReset("id-2"), LOST),
        after(ev.SessionLost("", kind=Problem.NO_CONVERSATION)),
    ):
        assert again(taken(recovery, 1.0)).resume == ""

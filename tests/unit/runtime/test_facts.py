"""The facts of a session, and what is kept of them."""

from dataclasses import fields, replace
from pathlib import Path

from ccq_tui.agent import events as ev
from ccq_tui.agent.session_name import title_of
from ccq_tui.inbox.port import SessionFact
from ccq_tui.runtime.facts import SessionFacts, folded, to_store
from tests.tables import each_row, table

NEW = SessionFacts(Path("/work"), labels={"ticket": "ABC-1"})
RESUMED = replace(NEW, begun=True, named=False)
CONNECTED = ev.Connected("s", "m", "default", "/work", "2")


def kept(facts: SessionFacts, *events: ev.AgentEvent) -> dict[str, SessionFact]:
    """Return what is kept of each session once all events have come."""
    found: dict[str, SessionFact] = {}
    for event in events:
        before, facts = facts, folded(facts, event, 0.0)
        if (fact := to_store(before, facts, "")) is not None:
            new = {
                one.name: value
                for one in fields(fact)
                if (value := getattr(fact, one.name)) not in (None, "")
            }
            found[facts.session_id] = replace(found.get(facts.session_id, SessionFact()), **new)
    return found


def test_a_session_is_kept_from_its_first_prompt_on() -> None:
    assert kept(NEW, CONNECTED, ev.StateChanged(ev.SessionState.IDLE)) == {}
    begun = kept(NEW, CONNECTED, ev.StateChanged(ev.SessionState.WORKING), ev.PromptAccepted("Build it"))
    state = str(ev.SessionState.WORKING)
    assert begun == {"s": SessionFact(name="Build it", state=state, cause="it began", labels=NEW.labels)}


@each_row(
    ((), None),
    ((ev.TitleChanged("api"),), "api"),
    ((ev.HistoryLoaded((), title="", first_prompt="Build it"),), "Build it · Go on"),
    ((ev.HistoryLoaded((), title="The API", first_prompt="Build it"),), "The API"),
)
def test_a_resumed_session_is_named_by_its_past_once_that_is_read(
    events: tuple[ev.AgentEvent, ...], name: str | None
) -> None:
    assert kept(RESUMED, CONNECTED, *events, ev.PromptAccepted("Go on"))["s"].name == name
    assert kept(RESUMED, CONNECTED, ev.PromptAccepted("Go on"), *events)["s"].name == name


@each_row(False, True)
def test_a_conversation_that_replaces_another_is_kept_from_its_own_first_prompt_on(queued: bool) -> None:
    waits = [ev.PromptAccepted("Go on", queued=True, prompt_id="p")] if queued else []
    events = [
        CONNECTED,
        ev.PromptAccepted("Build it"),
        ev.PromptAccepted("/clear"),
        *waits,
        ev.ConversationReset("t"),
    ]
    read = [ev.PromptDelivered("p")] if queued else []
    found = kept(NEW, *events, ev.StateChanged(ev.SessionState.IDLE), *read)
    assert {name: one.name for name, one in found.items()} == {"s": "Build it"} | (
        {"t": "Go on"} if queued else {}
    )


@each_row(*table(__file__, "facts.json")["a_command_calls_nothing"])
def test_a_command_calls_nothing(prompt: str, name: str) -> None:
    assert title_of(prompt) == name

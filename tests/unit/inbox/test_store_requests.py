"""What the store keeps of requests and sessions, and that every change is a row of history."""

import os
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from ccq_tui.inbox.actors import WITHDRAWN, Actor, Surface
from ccq_tui.inbox.draft import first_draft
from ccq_tui.inbox.place import Place, ResumeChecks, place_of, taking_words
from ccq_tui.inbox.port import Notified
from ccq_tui.inbox.requests import (
    Allowed,
    Asker,
    Cancelled,
    Denied,
    Origin,
    PermissionRequest,
    PlanRequest,
    QuestionRequest,
    RequestOutcome,
)
from ccq_tui.inbox.store.requests import PROCESS_ENDED
from ccq_tui.inbox.store.rows import Presence, RequestState, SessionState
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.store.worker import ChangeFeed
from ccq_tui.inbox.verdicts import Accepted, AlreadySettled, InboxUnavailable, Unknown
from ccq_tui.processes import Owner, alive, this_process
from ccq_tui.questions import Answer, Answered, Declined, Discussed, Expired, Option, Question, QuestionSet
from ccq_tui.questions.events import Pressed
from ccq_tui.questions.machine import step
from tests.actors import PANEL, PHONE
from tests.unit.inbox.made import START, known, load_draft, save_draft

LETTERS = Question("Which?", "Letter", (Option("A"), Option("B")))


def asked(name: str, session: str = "s") -> PermissionRequest:
    return PermissionRequest(name, session, "Bash", {"command": "ls"})


def changes(store: Store, request_id: str) -> list[tuple[str, str, str, Actor | None]]:
    of = (change for change in store.history.changes() if change.request_id == request_id)
    return [(change.was, change.became, change.cause, change.actor) for change in of]


def test_every_change_of_a_request_is_a_row_of_history(store: Store) -> None:
    assert store.requests.add(asked("a"), "why").state is RequestState.PENDING
    assert store.requests.defer("a@s")
    assert store.requests.add(asked("a")).context == "why"
    assert store.requests.settle("a@s", Denied("no"), PANEL) == Accepted()
    assert not store.requests.defer("a@s")
    assert store.requests.mark_delivered("a@s", "result")
    assert not store.requests.mark_delivered("a@s", "message")
    assert store.requests.settle("a@s", Allowed(), PHONE) == AlreadySettled(
        PANEL, START + timedelta(seconds=4), Denied("no")
    )
    assert changes(store, "a@s") == [
        ("", "pending", "asked", None),
        ("pending", "pending", "deferred", None),
        ("pending", "pending", "asked again", None),
        ("pending", "declined", "declined", PANEL),
        ("declined", "delivered", "seen as result", None),
    ]
    stored = known(store.requests.get("a@s"))
    assert (stored.outcome, stored.way, stored.state) == (Denied("no"), "result", RequestState.DELIVERED)
    assert stored.delivered_at == store.history.changes()[-1].at
    assert store.requests.settle("nobody@s", Allowed(), PHONE) == Unknown()
    assert not store.requests.mark_delivered("nobody@s", "result")


@pytest.mark.parametrize(
    ("outcome", "state"),
    [
        (Answered((Answer(("A",)),)), "answered"), (Discussed("x"), "discussed"), (Declined(), "declined"),
        (Expired(), "expired"),
        (Allowed(), "answered"), (Denied(), "declined"),
    ],
)  # fmt: skip
def test_what_a_person_decided_is_to_be_delivered(store: Store, outcome: RequestOutcome, state: str) -> None:
    decision = isinstance(outcome, Allowed | Denied)
    request = asked("a") if decision else QuestionRequest("a", "s", QuestionSet("a", (LETTERS,)))
    store.requests.add(request)
    store.requests.add(asked("b", "other"))
    store.requests.settle("a@s", outcome, PANEL)
    (stored,) = store.requests.undelivered("s")
    assert (stored.state, stored.outcome) == (state, outcome)
    assert store.requests.add(request).outcome == outcome, "asked again, it is decided already"
    store.requests.mark_delivered("a@s", "message")
    assert store.requests.undelivered("s") == store.requests.undelivered("other") == []


def test_what_was_cancelled_is_not_delivered_and_waits_again_when_it_is_asked_again(store: Store) -> None:
    store.requests.add(asked("a"))
    draft = first_draft(asked("a"))
    save_draft(store, asked("a"), draft)
    assert store.requests.settle("a@s", Cancelled("interrupted"), WITHDRAWN) == Accepted()
    assert store.requests.undelivered("s") == []
    assert store.requests.settle("a@s", Cancelled("again"), WITHDRAWN) == AlreadySettled(
        WITHDRAWN, START + timedelta(seconds=3), Cancelled("interrupted")
    )
    again = store.requests.add(asked("a"))
    assert (again.state, again.outcome, again.has_draft) == (RequestState.PENDING, None, True)
    assert load_draft(store, asked("a")) == draft
    assert changes(store, "a@s")[1:] == [
        ("pending", "cancelled", "interrupted", WITHDRAWN),
        ("cancelled", "pending", "asked again", None),
    ]


@pytest.mark.parametrize("change", ["delivered", "another call"])
def test_an_id_that_comes_back_with_another_call_is_not_answered_by_the_old_one(
    store: Store, change: str
) -> None:
    store.requests.add(asked("a"))
    save_draft(store, asked("a"), first_draft(asked("a")))
    store.requests.settle("a@s", Allowed("old"), PANEL)
    request = asked("a")
    if change == "delivered":
        store.requests.mark_delivered("a@s", "result")
    else:
        request = PermissionRequest("a", "s", "Bash", {"command": "rm -r ."})
    again = store.requests.add(request)
    assert (again.state, again.outcome, again.has_draft) == (RequestState.PENDING, None, False)
    assert again.request == request
    old = known(store.requests.get("a#1@s"))
    assert (old.request, old.outcome, old.has_draft) == (asked("a#1"), Allowed("old"), True)
    assert store.requests.settle("a@s", Denied(), PANEL) == Accepted()
    assert [c[1] for c in changes(store, "a@s")] == ["pending", "declined"]
    assert [c[1] for c in changes(store, "a#1@s")][:2] == ["pending", "answered"]


def test_a_call_of_a_copied_session_is_a_request_of_its_own(store: Store) -> None:
    """A copy of a session makes the calls of its original again, under the same ids."""
    first, copy = asked("a", "s"), asked("a", "copy")
    store.requests.add(first)
    save_draft(store, first, step(first_draft(first), Pressed("down")))
    store.requests.defer(first.id)
    own = store.requests.add(copy)
    assert (own.request, own.state) == (copy, RequestState.PENDING)
    assert (own.deferred, own.has_draft) == (False, False)
    assert [w.request.id for w in store.requests.waiting()] == ["a@s", "a@copy"]
    assert store.requests.settle(copy.id, Denied("no"), PANEL) == Accepted()
    (waits,) = store.requests.waiting("s")
    assert (waits.request, waits.deferred, waits.has_draft) == (first, True, True)
    assert store.requests.undelivered("s") == []
    assert store.requests.settle(first.id, Allowed(), PANEL) == Accepted()
    assert [one.outcome for one in store.requests.undelivered("copy")] == [Denied("no")]
    later = store.requests.add(asked("a", "later"))
    assert (later.state, later.outcome, later.has_draft) == (RequestState.PENDING, None, False)
    assert store.ids.name_of(first) == "a@s"
    assert [c[1] for c in changes(store, "a@copy")] == ["pending", "declined"]


def test_an_id_that_another_one_begins_with_is_its_own(store: Store) -> None:
    long = "x" * 600
    for call, session in (("a", "s"), ("ab", "s"), (long, "s"), ("y" + long, "s"), ("a", "t")):
        store.requests.add(asked(call, session))
    assert len(store.requests.waiting()) == 5
    assert store.ids.requests_of("a") == ["a@s", "a@t"]
    assert (store.ids.name_of(asked("a")), store.ids.name_of(asked("ab"))) == ("a@s", "ab")
    assert store.requests.settle(asked(long).id, Denied(), PANEL) == Accepted()


def test_only_what_is_over_and_old_is_deleted_with_its_history(store: Store) -> None:
    for name in ("over", "waits", "decided", "withdrawn"):
        store.requests.add(asked(name))
    for name, outcome in (("over", Allowed()), ("decided", Allowed()), ("withdrawn", Cancelled("gone"))):
        store.requests.settle(f"{name}@s", outcome, PANEL)
    store.requests.mark_delivered("over@s", "result")
    later = START + timedelta(days=1)
    assert [store.requests.prune(before, limit=1) for before in (START, later, later, later)] == [0, 1, 1, 0]
    assert store.ids.requests() == ["decided@s", "waits@s"]
    assert {change.request_id for change in store.history.changes()} == {"decided@s", "waits@s"}


def test_what_waits_is_given_in_order_and_in_pages(store: Store) -> None:
    for number in range(7):
        store.requests.add(asked(f"r{number}", f"s{number % 2}"))
    store.requests.settle("r3@s1", Allowed(), PANEL)
    assert [w.request.tool_use_id for w in store.requests.waiting()] == ["r0", "r1", "r2", "r4", "r5", "r6"]
    first = store.requests.waiting(limit=4)
    assert [w.request.tool_use_id for w in store.requests.waiting(after=first[-1].number)] == ["r5", "r6"]
    assert [w.request.tool_use_id for w in store.requests.waiting("s1")] == ["r1", "r5"]
    assert store.requests.waiting_counts() == {"s0": 4, "s1": 2}
    page = store.history.changes(limit=3)
    assert [c.request_id for c in store.history.changes(after=page[-1].number, limit=2)] == ["r3@s1", "r4@s0"]
    assert [c.became for c in store.history.changes(since=store.history.changes()[-1].at)] == ["answered"]
    assert len(store.history.changes(session_id="s1")) == 4


def test_a_draft_for_nobody_is_passed_over_and_one_that_is_too_late_is_kept(store: Store) -> None:
    store.requests.add(asked("a"))
    store.requests.settle("a@s", Cancelled("gone"), WITHDRAWN)
    typed = first_draft(asked("a"))
    save_draft(store, asked("nobody"), typed)
    save_draft(store, asked("a"), typed)
    assert load_draft(store, asked("a")) == typed
    assert load_draft(store, asked("nobody")) is None


def test_text_with_halves_of_characters_is_kept(store: Store) -> None:
    store.requests.add(asked("a\ud800"), "said \udfff")
    actor = Actor(Surface.PROGRAM, "panel\ud800")
    assert store.requests.settle("a\ud800@s", Denied("\ud800"), actor) == Accepted()
    (stored,) = store.requests.undelivered("s")
    assert stored.outcome == Denied("\ud800")
    assert stored.context == "said ?"


def test_sessions_keep_what_is_not_changed_and_note_each_state(store: Store) -> None:
    first = store.sessions.upsert("s", "/work", name="api", launch={"model": "opus"}, cost=1.5)
    assert (first.state, first.launch, first.done) == ("starting", {"model": "opus"}, False)
    assert store.sessions.set_state("s", SessionState.WORKING, "a prompt")
    assert not store.sessions.set_state("s", SessionState.WORKING, "a prompt")
    assert store.sessions.set_state("s", SessionState.PARKED, "quit")
    second = store.sessions.upsert("s", last_line="x" * 9999, done=True)
    assert (second.directory, second.name, second.cost, second.done) == ("/work", "api", 1.5, True)
    assert len(second.last_line) == 500
    assert second.started_at == first.started_at < second.changed_at
    assert [(c.was, c.became, c.cause, c.actor) for c in store.history.changes(session_id="s")] == [
        ("", "starting", "first seen", None),
        ("starting", "working", "a prompt", None),
        ("working", "parked", "quit", None),
    ]
    store.sessions.upsert("t", "/other")
    assert [s.id for s in store.sessions.page()] == ["t", "s"]
    assert [s.id for s in store.sessions.page("/work")] == ["s"]
    assert store.sessions.get("nobody") is None


def test_a_session_has_one_owner_that_lives(store: Store) -> None:
    me = this_process()
    parent = Owner(os.getppid())
    reused = Owner(me.pid, "another start")
    assert alive(me)
    assert alive(parent)
    assert not alive(reused), "a number used again is another process"
    assert not any(map(alive, (None, Owner(0), Owner(-1), Owner(2**40))))
    assert store.sessions.claim("s", reused) is None
    assert store.sessions.claim("s", me) is None
    assert store.sessions.claim("s", me) is None
    assert store.sessions.claim("s", parent) == me
    store.sessions.release("s", parent)
    assert store.sessions.claim("s", parent) == me, "only the owner gives it up"
    store.sessions.release("s", me)
    assert store.sessions.claim("s", parent) is None


def test_a_session_of_which_no_more_than_its_claim_is_known_is_forgotten(store: Store) -> None:
    me = this_process()
    for name in ("claimed", "asks", "begun"):
        assert store.sessions.claim(name, me) is None
    store.requests.add(PermissionRequest("a", "asks", "Bash", {}))
    store.sessions.upsert("begun", "/work")
    store.sessions.release("claimed", Owner(os.getppid()))
    assert store.sessions.get("claimed") is not None, "it runs"
    for name in ("claimed", "asks", "begun"):
        store.sessions.release(name, me)
    assert [one.id for one in store.sessions.page()] == ["begun", "asks"]


def test_a_closed_store_is_an_error_for_a_person(store: Store) -> None:
    store.close()
    with pytest.raises(InboxUnavailable):
        store.requests.waiting()


def test_a_permission_ends_with_its_process_wherever_that_is_looked_at(store: Store) -> None:
    assert store.sessions.claim("gone", Owner(2**22 + 1)) is None
    assert store.sessions.claim("lives", this_process()) is None
    permission, plan = PermissionRequest("a", "gone", "Bash", {}), PlanRequest("b", "gone", "# Plan")
    others = [PermissionRequest("c", "lives", "Bash", {}), PermissionRequest("d", "unknown", "Bash", {})]
    living = PlanRequest("e", "lives", "# Plan")
    for request in (permission, plan, *others, living):
        store.requests.add(request)
    # Settling is the first look: the decision is not taken, and it is said why.
    verdict = store.requests.settle(permission.id, Allowed(), PANEL)
    assert isinstance(verdict, AlreadySettled)
    assert verdict.outcome == Cancelled(PROCESS_ENDED)
    assert store.requests.withdraw_orphans() == 1
    assert store.requests.withdraw_orphans() == 0
    assert [one.request for one in store.requests.waiting()] == [*others, living]
    assert [c[1] for c in changes(store, plan.id)] == ["pending", "cancelled"]
    assert store.requests.settle(living.id, Allowed(), PANEL) == Accepted()
    # What was decided and not taken in time is given up, once.
    assert store.requests.give_up(living.id, "too late")
    assert not store.requests.give_up(living.id, "too late")
    stored = known(store.requests.get(living.id))
    assert (stored.state, stored.outcome) == (RequestState.CANCELLED, Cancelled("too late"))
    assert store.requests.undelivered("lives") == []


@pytest.mark.parametrize(
    "body",
    [
        "5", '{"kind": "question", "id": "a", "session_id": "s", "questions": {"id": 1, "questions": []}}',
        '{"kind": "permission", "id": "a", "session_id": "s", "tool": "B", "input": {}, "suggestions": 1}',
    ],
)  # fmt: skip
def test_a_row_of_wrong_types_is_left_out_alone_and_counted(
    store: Store, body: str, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("a", "b", "c"):
        store.requests.add(asked(name))
    assert len(store.requests.waiting()) == 3
    store.database.do("UPDATE requests SET body = ? WHERE number = 1", (body,))
    store.database.do("UPDATE requests SET state = 'of another version' WHERE number = 3")
    # An unreadable page is not the end.
    assert [w.request.id for w in store.requests.waiting(limit=1)] == ["b@s"]
    assert store.requests.unreadable == {1}
    assert "Request 1, a@s, cannot be read" in caplog.text
    store.database.do("UPDATE requests SET body = x'00ff', context = 5 WHERE number = 2")
    assert store.requests.waiting() == []
    assert store.ids.requests() == ["a@s", "b@s", "c@s"], "they stay"
    assert store.requests.unreadable == {1, 2}


def test_what_no_session_asked_is_never_a_sessions_to_deliver_or_to_lose(store: Store) -> None:
    form = Origin(Asker.FORM, "release")
    questions = QuestionSet("q", (LETTERS,))
    store.requests.add(QuestionRequest("q", "asker", questions, origin=form))
    store.requests.add(PermissionRequest("p", "asker", "Bash", {}, origin=form))
    store.sessions.upsert("asker")  # an id that a session has, too, and no process runs it
    store.sessions.set_state("asker", SessionState.ENDED, "over")
    assert store.requests.withdraw_orphans() == 0
    assert [one.request.origin for one in store.requests.waiting()] == [form, form]
    assert store.requests.waiting("asker") == []
    assert store.requests.settle("q@form:asker", Answered((Answer(("A",)),)), PANEL) == Accepted()
    assert store.requests.settle("p@form:asker", Allowed(), PANEL) == Accepted()
    assert store.requests.undelivered_counts() == {}
    assert store.requests.undelivered("asker") == []
    assert len(store.requests.undelivered("form:asker")) == 2
    look = ResumeChecks(lambda _: False, recorded=())
    assert [place_of(None, look, origin) for origin in (form, Origin())] == [Place.FOREIGN, Place.UNKNOWN]
    session = store.sessions.get("asker")
    assert session
    assert place_of(session, look) is Place.NO_RECORD
    assert place_of(session, look._replace(at=session.changed_at)) is Place.RESTS, "recorded since then"


@pytest.mark.parametrize("asker", [Asker.HOOK, Asker.TERMINAL])
def test_what_a_hook_or_a_terminal_program_asked_ends_with_its_process(store: Store, asker: Asker) -> None:
    session = "one"
    ended, here = (Origin(asker, "it", "/work", process) for process in (Owner(2**22 + 1), this_process()))
    questions = QuestionSet("q", (LETTERS,))
    left = QuestionRequest("left", session, questions, origin=ended)
    living = QuestionRequest("living", session, questions, origin=here)
    unknown = QuestionRequest("unknown", session, questions, origin=replace(ended, process=None))
    client = QuestionRequest("client", session, questions, origin=replace(ended, asker=Asker.MCP))
    for request in (left, living, unknown, client):
        store.requests.add(request)
    verdict = store.requests.settle(left.id, Answered((Answer(("A",)),)), PANEL)
    assert isinstance(verdict, AlreadySettled)
    assert verdict.outcome == Cancelled(PROCESS_ENDED)
    assert store.requests.withdraw_orphans() == 0
    assert [one.request for one in store.requests.waiting()] == [living, unknown, client]


def test_who_shows_requests_is_known_while_its_process_runs(store: Store) -> None:
    assert not store.listeners.any()
    store.listeners.add(Owner(2**22 + 1), Presence(True, 1.0))
    assert not store.listeners.any()
    assert store.listeners.presences() == [], "of no process that runs"
    for person in (None, Presence(None, 2.0), Presence(False, 3.0)):
        store.listeners.add(this_process(), person)
        assert store.listeners.presences() == ([person] if person else [])
    assert store.listeners.any()
    store.listeners.remove(this_process())
    assert not store.listeners.any()


def client_call(name: str, process: Owner | None, title: str = "") -> QuestionRequest:
    origin = Origin(Asker.MCP, "Codex", "/work", process)
    return QuestionRequest(name, "codex", QuestionSet(name, (LETTERS,), title), origin=origin)


@pytest.mark.parametrize("outcome", [Answered((Answer(("A",)),)), Declined(), Discussed("why?")])
def test_what_a_client_that_is_gone_asked_is_the_next_ones_with_its_outcome(
    store: Store, outcome: RequestOutcome
) -> None:
    here, ended = this_process(), Owner(2**22 + 1)
    store.requests.add(client_call("ask", ended))
    waiting = store.requests.add(client_call("ask", here))
    assert (waiting.state, waiting.request.origin.process) == (RequestState.PENDING, here)
    store.requests.settle(waiting.request.id, outcome, PANEL)
    assert store.requests.add(client_call("ask", here)).outcome == outcome
    store.requests.mark_delivered(waiting.request.id, "result")
    again = store.requests.add(client_call("ask", here))
    assert (again.state, again.outcome) == (RequestState.PENDING, None), "asked anew once it was delivered"


def test_it_is_said_whether_a_client_is_there_to_take_an_answer() -> None:
    here, ended = (client_call("ask", process).origin for process in (this_process(), Owner(2**22 + 1)))
    assert taking_words(here) == "Codex collects it from the inbox"
    assert taking_words(ended) == "Codex has ended; it gets the answer when it asks the same again"
    program = Origin(Asker.TERMINAL, "setup", "/work", this_process())
    assert taking_words(program) == "setup gets it typed at its prompt"
    assert taking_words(replace(program, process=ended.process)) == "setup has ended and does not get it"


def test_what_a_person_is_told_is_a_row_of_history_and_news(store: Store, tmp_path: Path) -> None:
    feed = ChangeFeed(store)
    feed.news()
    store.history.notify("mcp:codex", Actor(Surface.ASKER, "Codex"), "done " + "x" * 5_000)
    (news,) = feed.news()
    assert isinstance(news, Notified)
    assert news.name == "Codex"
    assert len(news.message) <= 2_000
    (change,) = store.history.changes()
    assert (change.request_id, change.became, change.session_id) == ("", "notified", "mcp:codex")


def test_a_claim_takes_the_draft_that_nobody_waits_for_before_an_empty_place(store: Store) -> None:
    ended = Origin(Asker.FORM, process=Owner(2**22 + 1, "long ago"))
    first = QuestionRequest("form", "form", QuestionSet("form", (LETTERS,)), origin=ended)
    second = replace(first, tool_use_id="form-2")
    for one in (first, second):
        store.requests.add(one)
    save_draft(store, second, first_draft(second))
    mine = replace(first, origin=Origin(Asker.FORM, process=this_process()))
    assert store.requests.claim(mine).request.id == second.id
    assert store.requests.claim(mine, {second.id}).request.id == first.id

"""Public JSON of an inbox that never changes: what readers of version 1 rely on."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.records import change_record, session_record, whole_record
from ccq_tui.inbox.requests import Allowed, Denied, FormRequest, Request, RequestOutcome
from ccq_tui.inbox.store.rows import StoredRequest
from ccq_tui.processes import Owner
from ccq_tui.questions import Answer, Answered, Discussed, QuestionSet
from ccq_tui.remote.pairings import Pairing
from ccq_tui.remote.publication import Channel
from tests.e2e import asked as pages
from tests.unit.questions.drive import RELEASE
from tests.unit.remote.publishing import ALWAYS, permission, plan, question
from tests.unit.stocked import CACHE, FEATURES, PERMISSION, PLAN, asked, id_of, stock

AT = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)
RELEASED = QuestionSet("release", RELEASE, "Release notes", intro="For everybody", is_form=True)
OTHERS: dict[str, Request] = {
    "edit": pages.EDIT,
    "form": pages.FORM,
    "link": pages.LINK,
    "unusable": replace(pages.LINK, trouble="its link is none"),
    "release": FormRequest("f1", "s", RELEASED, context={"version": "1.0"}),
    "prompt": replace(question(), questions=QuestionSet("p", (pages.CACHE,), is_prompt=True)),
    "number": pages.asks(pages.REPLICAS, pages.NAME),
}
ENDS: dict[str, tuple[Request, RequestOutcome]] = {
    "answered": (pages.asks(pages.CACHE), Answered((Answer(("SQLite",), note="now", unselected="x"),))),
    "discussed": (question(), Discussed("Why?", (Answer(other="hm"),))),
    "allowed": (permission(), Allowed("go", ALWAYS)),
    "approved": (plan(), Allowed(mode="acceptEdits", plan="# Edited")),
    "denied": (permission(), Denied("no")),
}


def documents() -> dict[str, Any]:
    """Return each document by its name."""
    stock(AT)
    made: dict[str, Any] = {}
    with asked(AT) as store:
        for name in (CACHE, FEATURES, PERMISSION, PLAN):
            if (found := store.requests.get(id_of(name))) is not None:
                made[name] = whole_record(found)
        made["sessions"] = [session_record(item, 1) for item in store.sessions.page()]
        made["changes"] = [change_record(item) for item in store.history.changes()]
    actor = Actor(Surface.DEVICE, "Anna's phone", Owner(7, "x"), "4a0a6edd")
    for name, (request, outcome) in ENDS.items():
        settled = {"actor": actor, "settled_at": AT, "delivered_at": AT, "way": "result"}
        made[name] = whole_record(
            StoredRequest(1, request, "Before.", "answered", AT, outcome=outcome, **settled)
        )  # type: ignore[arg-type]
    channel = Channel(
        Pairing("6b0c7e5e-5a44-4f7a-9d2f-0d2f6a3b1c11", "https://relay", "https://relay", "token")
    )
    for name, request in OTHERS.items():
        stored = StoredRequest(1, request, "Before.", "pending", AT)  # type: ignore[arg-type]
        made[name] = channel.publication(stored, None).body | {"machine": "here"}
    return made

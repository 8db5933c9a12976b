"""What the board shows of runs: which questions wait, who is done with them, and what a person may not do."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.requests import AnsweredRequest
from ccq_tui.inbox.store.rows import StoredRequest, stamp
from ccq_tui.inbox.store.store import Store
from ccq_tui.service.people import LINK, Participant, RunAct
from ccq_tui.service.run import OVER, Happened, Run, RunEvent
from ccq_tui.service.service import Service
from ccq_tui.text import one_line

FILES = Path(__file__).with_name("page")
MOST_EVENTS = 500
MOST_TEXT = 300


async def with_questions(service: Service, runs: Sequence[Run]) -> list[dict[str, Any]]:
    """Return what waits in each run, and whether the person is done with it.

    The questions of another machine's run are known by what its ticket was asked.
    """
    here = [run for run in runs if run.machine == service.machine]

    def look(store: Store) -> tuple[dict[str, list[StoredRequest]], set[str]]:
        waiting = {one.id: store.requests.waiting(one.session) for one in here if one.state not in OVER}
        sessions = {one.id: store.sessions.get(one.session) for one in here if one.state in OVER}
        return waiting, {name for name, session in sessions.items() if session and session.done}

    waiting, done = await service.inbox.run(look)
    found = {name: [each for one in stored for each in _questions(one)] for name, stored in waiting.items()}
    others = [one.id for one in runs if one not in here and one.state not in OVER]
    for event in await asyncio.to_thread(service.store.asked, others):
        body, kind = event.body, "permission" if event.body.get("decides") else "question"
        head = {"request": body["request"], "kind": kind, "asked_at": stamp(event.at)}
        each = {**head, "text": one_line(str(body["text"]), MOST_TEXT)}
        found[event.run] = [each] * (body["of"] - body["number"] + 1)
    entries: list[dict[str, Any]] = [
        {"waiting": found.get(one.id, []), "done": one.id in done} for one in runs
    ]
    return [{**one, "questions": len(one["waiting"])} for one in entries]


def _questions(stored: StoredRequest) -> list[dict[str, str]]:
    """Return the questions of a request; a permission or a plan is one."""
    request, kind = stored.request, kind_of(stored.request)
    texts = [kind.summary(request)]
    if isinstance(request, AnsweredRequest) and request.questions.questions:
        texts = [one.text or one.header for one in request.questions.questions]
    head = {"request": request.id, "kind": kind.WORD, "asked_at": stamp(stored.asked_at)}
    return [{**head, "text": one_line(text, MOST_TEXT)} for text in texts]


async def whole(service: Service, run: Run, person: Participant, after: int) -> dict[str, Any]:
    """Return what the page of a run shows beside what waits: what happened, from the newest event on."""
    events = await asyncio.to_thread(partial(service.store.events, run.id, after, MOST_EVENTS, newest=True))
    if person.id.startswith(LINK):  # who did what is for the audit
        events = [one for one in events if one.kind is not Happened.ACTED]
    asked = await asyncio.to_thread(service.store.asked, [run.id])
    return {
        "here": run.machine in ("", service.machine),
        "asked": {**asked[0].body, "meant": meant_by(asked[0]), "event": asked[0].id} if asked else None,
        "refused": refusals(service, run, person),
        "events": [event_record(one) for one in events],
    }


def refusals(service: Service, run: Run, person: Participant) -> dict[str, str]:
    """Return what a person may not do in a run, with the reasons."""
    reasons = {act: service.policy.refusal(person, act, run.repository, run.people) for act in RunAct}
    if person.id.startswith(LINK) and run.state in OVER:
        reasons[RunAct.PROMPT] = "The run is over, and its page continues nothing. Write in its ticket."
    return {act: why for act, why in reasons.items() if why}


def meant_by(question: RunEvent) -> str:
    """Return what `TicketMessage.meant` is for an answer to a question."""
    return f"{question.body['request']}:{question.body['number']}"


def event_record(event: RunEvent) -> Mapping[str, Any]:
    """Return an event in JSON."""
    return {**asdict(event), "at": stamp(event.at)}

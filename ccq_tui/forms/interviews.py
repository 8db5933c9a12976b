"""Interviews: forms that a program has answered one question at a time, requests announced to no person.

Each function is work for the inbox's thread; `InterviewError` says why a call cannot be served.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from ccq_tui.answering.grammar import read_value
from ccq_tui.answering.interview import Interview
from ccq_tui.forms.reading import form_of
from ccq_tui.forms.record import record_of
from ccq_tui.inbox.actors import Actor
from ccq_tui.inbox.requests import AskedCall, Asker, FormRequest, Origin
from ccq_tui.inbox.store.rows import RequestState, StoredRequest
from ccq_tui.inbox.store.store import Store, StoredDraft
from ccq_tui.questions import Answered
from ccq_tui.questions.asked import Asked
from ccq_tui.questions.state import PanelState

INACTIVE = timedelta(minutes=30)
"""The time without an answer after which an interview is over."""
CLOSED = "no open form has this id: it ended, or got no answer for 30 minutes; start it again"
MOST_OPEN = 200


class InterviewError(Exception):
    """A call that cannot be served; the message says why, and what to do."""


@dataclass(frozen=True, slots=True)
class ClientForm:
    """A form on its way.

    Attributes:
        request: Its request.
        form: The form.
        interview: Its answers so far.
        stored: The request as it is stored, with an outcome once it is complete.
    """

    request: FormRequest
    form: Asked
    interview: Interview
    stored: StoredRequest


def begin(store: Store, request: FormRequest) -> ClientForm:
    """Start an interview; the id of the form is that of the call, and of the asker."""
    if len(_open(store)) >= MOST_OPEN:
        raise InterviewError(f"{MOST_OPEN} forms are open: complete or cancel one of them first")
    store.requests.begin_interview(request)
    return read(store, request.tool_use_id)


def under_way(store: Store) -> list[ClientForm]:
    """Return the interviews that are not complete, oldest first."""
    return [one for one in (_found(store, stored) for stored in _open(store)) if one is not None]


def read(store: Store, form_id: str) -> ClientForm:
    """Return an interview as it stands."""
    store.requests.forget_interviews(datetime.now(UTC) - INACTIVE)
    one = _found(store, store.requests.get(AskedCall(form_id, form_id, origin=Origin(Asker.MCP)).id))
    if one is None:
        raise InterviewError(CLOSED)
    return one


def _open(store: Store) -> list[StoredRequest]:
    store.requests.forget_interviews(datetime.now(UTC) - INACTIVE)
    found = store.requests.page(RequestState.INTERVIEW, limit=-1)
    return [one for one in found if one.outcome is None]


def _found(store: Store, stored: StoredRequest | None) -> ClientForm | None:
    request = stored.request if stored is not None and stored.state is RequestState.INTERVIEW else None
    if stored is None or not isinstance(request, FormRequest):
        return None
    draft = store.drafts.get(request)
    known = draft.draft if draft is not None and isinstance(draft.draft, PanelState) else None
    interview = Interview.of(request.questions, known, reviews=False)
    return ClientForm(request, form_of(request.form), interview, stored)


def answer(store: Store, form_id: str, value: Any, question: str, actor: Actor) -> ClientForm:
    """Answer the question of an id, maybe again; raises `TypedError` for what it does not take."""
    one = read(store, form_id)
    if one.stored.outcome is not None:
        raise InterviewError("it is complete: start the form again for another record")
    shown = {one.form.names[place]: place for place in one.interview.state.asked_tabs}
    if (place := shown.get(question)) is None:
        raise InterviewError(f"question: must be one of {', '.join(shown)}, not “{question}”")
    given = read_value(one.request.questions.questions[place], value, one.form.values[place])
    then = one.interview.at(place).answer(given)
    store.drafts.save_all([StoredDraft(-1, one.request.id, actor, then.state)])
    return replace(one, interview=then)


def complete(store: Store, form_id: str, actor: Actor) -> tuple[str, dict[str, Any]]:
    """End an interview, and return its file and its record; the same again if that is repeated."""
    one = read(store, form_id)
    if one.stored.outcome is None:
        for place in one.interview.state.gaps:
            raise InterviewError(f"the question “{one.form.names[place]}” has no answer yet")
        store.requests.end_interview(one.request, Answered(one.interview.state.answers), actor)
        one = read(store, form_id)
    finished = one.stored.settled_at or one.stored.asked_at
    return one.request.output, record_of(
        one.request, one.interview.state.answers, one.stored.asked_at, finished, form_id
    )


def cancel(store: Store, form_id: str) -> None:
    """Forget an interview."""
    one = read(store, form_id)
    if one.stored.outcome is not None:
        raise InterviewError("it is complete: its record stands, and there is nothing to cancel")
    store.requests.forget_interviews(datetime.now(UTC) - INACTIVE, one.request.id)

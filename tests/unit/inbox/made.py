"""Requests and outcomes of every kind, made up."""

from datetime import UTC, datetime
from typing import TypeVar

from hypothesis import strategies as st

from ccq_tui.inbox.actors import Actor
from ccq_tui.inbox.draft import Draft
from ccq_tui.inbox.requests import (
    Allowed,
    Asker,
    Cancelled,
    Denied,
    ElicitationRequest,
    Origin,
    PermissionRequest,
    PlanRequest,
    QuestionRequest,
    Request,
)
from ccq_tui.inbox.store.rows import StoredDraft
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.suggestions import Rule, Suggestion
from ccq_tui.processes import Owner
from ccq_tui.questions.model import Answer, Kind, Option, Question, QuestionSet
from ccq_tui.questions.outcome import Answered, Declined, Discussed, Dismissed, Expired

T = TypeVar("T")
START = datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=UTC)

# Halves of characters too: a model's JSON may hold them.
texts = st.text(st.characters(), max_size=8)
names = st.text("abcdefghij_0123456789", min_size=1, max_size=8)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
inputs = st.dictionaries(texts, values, max_size=3)
options = st.builds(Option, texts, texts, st.none() | texts)
numbers = st.none() | st.integers(-9, 9) | st.floats(-9, 9)
questions = st.one_of(
    st.builds(
        Question, texts, texts, st.lists(options, min_size=1, max_size=4).map(tuple), st.booleans(),
        description=texts, default=texts,
    ),
    st.builds(
        Question, texts, texts, kind=st.sampled_from([Kind.TEXT, Kind.NUMBER]), placeholder=texts,
        minimum=numbers, maximum=numbers, step=numbers, default=texts, unit=texts,
    ),
)  # fmt: skip
processes = st.none() | st.builds(Owner, st.integers(1, 10**6), texts)
origins = st.builds(Origin, st.sampled_from(Asker), texts, texts, processes)
sets = st.builds(QuestionSet, names, st.lists(questions, min_size=1, max_size=3).map(tuple), texts, inputs)
suggestions = st.builds(
    Suggestion, texts, texts, st.lists(st.builds(Rule, texts, texts), max_size=2).map(tuple),
    texts, texts, st.lists(texts, max_size=2).map(tuple),
)  # fmt: skip
to_decide = st.one_of(
    st.builds(
        PermissionRequest, names, names, texts, inputs, texts, texts, texts, texts, texts,
        st.lists(suggestions, max_size=2).map(tuple), origin=origins,
    ),
    st.builds(PlanRequest, names, names, texts, origin=origins),
)  # fmt: skip
requests = st.one_of(
    st.builds(QuestionRequest, names, names, sets, origin=origins),
    to_decide,
    st.builds(
        ElicitationRequest, names, names, texts, texts, inputs, st.lists(texts, max_size=2).map(tuple), texts,
        texts, texts, origin=origins,
    ),
)  # fmt: skip
answers = st.builds(
    Answer, st.lists(texts, max_size=3).map(tuple), texts, texts, st.none() | texts, st.booleans()
)
outcomes = st.one_of(
    st.builds(Answered, st.lists(answers, max_size=3).map(tuple)),
    st.builds(Discussed, texts),
    st.just(Declined()),
    st.just(Dismissed()),
    st.just(Expired()),
    st.builds(Allowed, texts, st.none() | suggestions, texts, texts),
    st.builds(Denied, texts),
    st.builds(Cancelled, texts),
)


def save_draft(store: Store, request: Request, draft: Draft, actor: Actor | None = None) -> None:
    """Save a draft, whatever is there."""
    store.drafts.save_all([StoredDraft(request, draft, actor, -1)])


def load_draft(store: Store, request: Request) -> Draft | None:
    """Return the draft of a request on disk."""
    found = store.drafts.get(request)
    return found.draft if found is not None else None


def known(found: T | None) -> T:
    """Return what must be there."""
    assert found is not None
    return found

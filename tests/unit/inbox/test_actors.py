"""Who answered: one name for it, as seen from this process and from a reader elsewhere."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.inbox.actors import WITHDRAWN, Actor, Surface
from ccq_tui.inbox.store.encoding import MOST_NAME, actor_from_json, actor_to_json
from ccq_tui.processes import Owner
from tests.actors import COMMAND, ELSEWHERE, INBOX, LIMIT, PANEL, PHONE
from tests.hostile import FORBIDDEN

texts = st.text(st.characters(), max_size=12)
owners = st.builds(Owner, st.integers(1, 10**6), texts)
actors = st.builds(Actor, st.sampled_from(Surface), texts, st.none() | owners, texts)


@pytest.mark.parametrize(
    ("actor", "here", "anywhere"),
    [
        (PANEL, "in its session", "in its session"),
        (INBOX, "in the inbox", "in the inbox"),
        (ELSEWHERE, "in another terminal", "in its session"),
        (Actor(Surface.INBOX, process=Owner(1, "x")), "in another terminal", "in the inbox"),
        (Actor(Surface.PANEL), "in its session", "in its session"),
        (COMMAND, "by ccq-tui answer", "by ccq-tui answer"),
        (PHONE, "on phone", "on phone"),
        (Actor(Surface.DEVICE), "on another device", "on another device"),
        (Actor(Surface.HOOK, "format"), "by the hook format", "by the hook format"),
        (Actor(Surface.ASKER, "Claude Code"), "in Claude Code", "in Claude Code"),
        (Actor(Surface.ASKER), "where it was asked", "where it was asked"),
        (Actor(Surface.PROGRAM), "by another program", "by another program"),
        (LIMIT, "by its time limit", "by its time limit"),
        (WITHDRAWN, "by its session", "by its session"),
    ],
)
def test_where_it_was_answered(actor: Actor, here: str, anywhere: str) -> None:
    assert (actor.where_from_here, actor.where) == (here, anywhere)


@given(actors)
def test_any_actor_is_kept_and_its_words_are_harmless(actor: Actor) -> None:
    assert actor_from_json(actor_to_json(actor)) == actor
    assert not FORBIDDEN.search(actor.where)
    assert "\n" not in actor.where


def test_nobody_a_newer_surface_and_nonsense_are_read_too() -> None:
    assert actor_from_json(actor_to_json(None)) is None
    newer = {"v": 2, "surface": "watch", "name": "wrist", "pulse": 60}
    assert actor_from_json(json.dumps(newer)) == Actor(Surface.PROGRAM, "wrist")
    for nonsense in ("panel", "[]", '{"surface": "panel", "name": 5}', '{"process": "7"}'):
        assert actor_from_json(nonsense) == Actor(Surface.PROGRAM)
    long = actor_from_json(actor_to_json(Actor(Surface.DEVICE, "x" * 1000)))
    assert long == Actor(Surface.DEVICE, "x" * MOST_NAME)

"""One draft on two surfaces: both show the newest of each question, and no text typed is lost."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from shutil import rmtree

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from ccq_tui.inbox import DraftUpdated, PlanRequest, QuestionRequest
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.decision import decide
from ccq_tui.inbox.retry_queue import RetryQueue
from ccq_tui.inbox.shared_draft import draft_words, followed, replaced
from ccq_tui.inbox.store import Store
from ccq_tui.inbox.store.change_feed import ChangeFeed
from ccq_tui.inbox.waiting_line import first_draft
from ccq_tui.processes import Owner
from ccq_tui.questions import Option, Question, QuestionSet
from ccq_tui.questions.events import Pressed
from ccq_tui.questions.input_guard import GRACE
from ccq_tui.questions.machine import JUST_CHANGED, step
from ccq_tui.questions.state import Focus, PanelState, opened
from tests.actors import ELSEWHERE

QUESTIONS = tuple(Question(text, text, (Option("A"), Option("B"))) for text in ("Which?", "Why?"))
REQUEST = QuestionRequest("q", "s", QuestionSet("q", QUESTIONS))
surfaces = st.integers(0, 1)
places = st.integers(0, 1)


def noted(state: PanelState, place: int, note: str) -> PanelState:
    page = state.pages[place]
    page = replace(page, draft=replace(page.draft, note=note))
    return replace(state, pages=(*state.pages[:place], page, *state.pages[place + 1 :]))


def notes(state: PanelState) -> list[str]:
    return [page.draft.note for page in state.pages]


def change(theirs: PanelState, *known: PanelState) -> DraftUpdated:
    return DraftUpdated(REQUEST, theirs, ELSEWHERE, known)


def test_an_open_text_and_what_is_not_on_disk_yet_stay_as_they_are_here() -> None:
    first = opened(REQUEST.questions)
    theirs = noted(noted(first, 0, "theirs"), 1, "theirs")
    writes = replace(first, focus=Focus.NOTE)
    assert notes(as_panel(followed(writes, change(theirs), 5.0))) == ["", "theirs"]
    newer = noted(first, 0, "newer")
    assert notes(as_panel(followed(newer, change(theirs, first), 5.0))) == ["newer", "theirs"]
    assert notes(as_panel(followed(newer, change(theirs, newer), 5.0))) == ["theirs", "theirs"]
    assert followed(first, change(first), 5.0) is first
    prose = replace(first, discussion="why")
    assert as_panel(followed(first, change(prose), 5.0)).discussion == "why"
    assert followed(replace(first, focus=Focus.DISCUSS), change(prose), 5.0).text == ""


def as_panel(draft: object) -> PanelState:
    assert isinstance(draft, PanelState)
    return draft


def test_nothing_is_confirmed_that_changed_in_this_very_moment() -> None:
    one = QuestionRequest("q", "s", QuestionSet("q", QUESTIONS[:1]))
    first = opened(one.questions)
    theirs = noted(step(first, Pressed("2", "2", 1.0)), 0, "theirs")
    shown = as_panel(followed(first, DraftUpdated(one, theirs, None), 5.0))
    held = step(shown, Pressed("enter", "", 5.0 + GRACE / 2))
    assert (held.outcome, held.aside) == (None, JUST_CHANGED)
    assert step(held, Pressed("enter", "", 6.0)).outcome is not None
    plan = PlanRequest("p", "s", "# A plan")
    edited = replace(first_draft(plan), plan="# Theirs")
    decided = followed(first_draft(plan), DraftUpdated(plan, edited, None), 5.0)
    assert not isinstance(decided, PanelState)
    assert decided.current_plan == "# Theirs"
    assert decide(decided, Pressed("enter", "", 5.0 + GRACE / 2)).outcome is None


def test_what_was_typed_here_and_replaced_is_returned_once() -> None:
    first = opened(REQUEST.questions)
    mine, theirs = noted(first, 0, "mine"), noted(first, 0, "theirs")
    assert replaced(mine, theirs, change(theirs, mine)) == "mine"
    assert replaced(mine, noted(first, 0, "mine and more"), change(theirs, mine)) == ""
    assert replaced(theirs, noted(first, 0, "the"), change(theirs, first)) == "", "that was not typed here"
    assert draft_words(ELSEWHERE) == "The draft was changed in another terminal"
    assert draft_words(None) == "The draft was changed on another surface"


class Shared(RuleBasedStateMachine):
    """What two programs do to one draft, each with a panel of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.directory = Path(tempfile.mkdtemp())
        self.stores = [Store(self.directory / "inbox.db") for _ in range(2)]
        self.stores[0].add_request(REQUEST)
        self.owners = [Owner(number, "test") for number in (1, 2)]
        self.owed = [RetryQueue(self.fail) for _ in range(2)]
        self.tails = [ChangeFeed(store) for store in self.stores]
        for tail, owner in zip(self.tails, self.owners, strict=True):
            tail._here = owner
        self.panels = [opened(REQUEST.questions)] * 2
        self.kept: list[list[str]] = [[], []]
        """What F8 copies on each."""
        self.typed: list[list[str]] = [["", ""], ["", ""]]
        """The newest note that was typed into each question, by surface."""
        self.serial = 0

    def fail(self, error: Exception) -> None:
        raise error

    def teardown(self) -> None:
        self.settle()
        for store in self.stores:
            store.close()
        rmtree(self.directory)

    @rule(at=surfaces, place=places)
    def type(self, at: int, place: int) -> None:
        """Type a note; it is not on disk before `save`."""
        self.serial += 1
        note = self.typed[at][place] = f"n{self.serial}."
        self.panels[at] = replace(noted(self.panels[at], place, note), tab=place)
        self.owed[at].draft(REQUEST.id, self.panels[at], Actor(Surface.PANEL, process=self.owners[at]))

    @rule(at=surfaces, focus=st.sampled_from([Focus.LIST, Focus.NOTE]))
    def focus(self, at: int, focus: Focus) -> None:
        self.panels[at] = replace(self.panels[at], focus=focus)

    @rule(at=surfaces)
    def save(self, at: int) -> None:
        self.owed[at].write(self.stores[at])

    @rule(at=surfaces)
    def look(self, at: int) -> None:
        self.hears(at)

    def hears(self, at: int) -> bool:
        """Hear what is new; whether there was anything."""
        shared = [self.tails[at].draft(*one) for one in self.owed[at].shared().items()]
        told = [one for one in (*self.tails[at].news(), *shared) if isinstance(one, DraftUpdated)]
        for one in told:
            before, heard = self.panels[at], self.owed[at].heard(one)
            self.panels[at] = as_panel(followed(before, heard, 1.0))
            self.kept[at].append(replaced(before, self.panels[at], heard))
        return bool(told)

    @rule()
    def settle(self) -> None:
        """Let both save and hear until nothing is new: they show the same, and no note is gone."""
        for at in (0, 1):
            self.focus(at, Focus.LIST)
        for _ in range(6):
            for at in (0, 1):
                self.save(at)
                self.tails[at]._version = (-1, -1)
            if not any([self.hears(0), self.hears(1)]):
                break
        else:
            raise AssertionError("they never come to an end")
        on_disk = as_panel(self.stores[0].load_draft(REQUEST) or opened(REQUEST.questions))
        for at in (0, 1):
            for place in (0, 1):
                own, shown = self.typed[at][place], notes(self.panels[at])[place]
                assert own in (shown, "") or any(own in text for text in self.kept[at]), "typed and lost"
                assert shown in (notes(on_disk)[place], own)


def test_two_programs_on_one_draft_at_random() -> None:
    run_state_machine_as_test(  # type: ignore[no-untyped-call]
        Shared, settings=settings(max_examples=40, stateful_step_count=25, deadline=None)
    )

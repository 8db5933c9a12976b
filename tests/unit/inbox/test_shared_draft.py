"""One draft on two surfaces: both show the newest of each field, and no text typed is lost."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from shutil import rmtree
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.decision import decide
from ccq_tui.inbox.draft_fields import DraftField, fields_of, untouched
from ccq_tui.inbox.port import DraftUpdated
from ccq_tui.inbox.requests import PlanRequest, QuestionRequest
from ccq_tui.inbox.retry_queue import RetryQueue
from ccq_tui.inbox.shared_draft import draft_words, followed, replaced
from ccq_tui.inbox.store.change_feed import ChangeFeed
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.waiting_line import first_draft
from ccq_tui.processes import Owner
from ccq_tui.questions import Option, Question, QuestionSet
from ccq_tui.questions.events import Pressed
from ccq_tui.questions.input_guard import GRACE
from ccq_tui.questions.machine import JUST_CHANGED, step
from ccq_tui.questions.state import Focus, PanelState, opened
from tests.actors import ELSEWHERE

OPTIONS = (Option("A"), Option("B"))
QUESTIONS = (Question("Which?", "Which?", OPTIONS), Question("Why?", "Why?", OPTIONS, multi_select=True))
REQUEST = QuestionRequest("q", "s", QuestionSet("q", QUESTIONS))
FIRST = opened(REQUEST.questions)
surfaces = st.integers(0, 1)
places = st.integers(0, 1)


def edited(state: PanelState, place: int, **changes: Any) -> PanelState:
    page = state.pages[place]
    page = replace(page, draft=replace(page.draft, **changes))
    return replace(state, pages=(*state.pages[:place], page, *state.pages[place + 1 :]))


def noted(state: PanelState, place: int, note: str) -> PanelState:
    return edited(state, place, note=note)


def notes(state: PanelState) -> list[str]:
    return [page.draft.note for page in state.pages]


def change(
    theirs: PanelState, *known: PanelState, typed: Mapping[DraftField, str] | None = None
) -> DraftUpdated:
    """Return news of a draft; ``known`` are the drafts that surfaces here had, if any."""
    fields = [fields_of(draft) for draft in known] or [fields_of(untouched(theirs))]
    values = {name: tuple(each[name] for each in fields) for name in fields[0]}
    return DraftUpdated(REQUEST, theirs, ELSEWHERE, values, typed or {})


def test_an_open_text_and_what_is_not_on_disk_yet_stay_as_they_are_here() -> None:
    theirs = noted(noted(FIRST, 0, "theirs"), 1, "theirs")
    writes = replace(FIRST, focus=Focus.NOTE)
    assert notes(as_panel(followed(writes, change(theirs), 5.0))) == ["", "theirs"]
    newer = noted(FIRST, 0, "newer")
    assert notes(as_panel(followed(newer, change(theirs, FIRST), 5.0))) == ["newer", "theirs"]
    assert notes(as_panel(followed(newer, change(theirs, newer), 5.0))) == ["theirs", "theirs"]
    assert followed(FIRST, change(FIRST), 5.0) is FIRST
    prose = replace(FIRST, discussion="why")
    assert as_panel(followed(FIRST, change(prose), 5.0)).discussion == "why"
    assert followed(replace(FIRST, focus=Focus.DISCUSS), change(prose), 5.0).text == ""


def test_what_is_selected_elsewhere_is_shown_while_a_note_is_typed_here() -> None:
    theirs = edited(FIRST, 0, selected=(1,))
    shown = as_panel(followed(replace(noted(FIRST, 0, "ke"), focus=Focus.NOTE), change(theirs), 5.0))
    assert (shown.pages[0].draft.selected, shown.text, shown.focus) == ((1,), "ke", Focus.NOTE)


@pytest.mark.parametrize("place", [0, 1])
def test_of_an_option_and_an_own_text_selected_at_once_a_single_select_keeps_the_newer(place: int) -> None:
    own, option = edited(FIRST, place, other="mine", other_on=True), edited(FIRST, place, selected=(1,))
    both = ((1,), "mine", True)
    typed = as_panel(followed(own, change(option), 5.0)).pages[place].draft
    chosen = as_panel(followed(option, change(own), 5.0)).pages[place].draft
    assert (typed.selected, typed.other, typed.other_on) == (both if place else ((), "mine", True))
    assert (chosen.selected, chosen.other, chosen.other_on) == (both if place else ((1,), "mine", False))


def as_panel(draft: object) -> PanelState:
    assert isinstance(draft, PanelState)
    return draft


def test_nothing_is_confirmed_that_changed_in_this_very_moment() -> None:
    one = QuestionRequest("q", "s", QuestionSet("q", QUESTIONS[:1]))
    first = opened(one.questions)
    theirs = noted(step(first, Pressed("1", "1", 1.0)), 0, "theirs")
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


def test_a_text_that_is_open_takes_every_letter_as_the_plan_changes_elsewhere() -> None:
    """Although the prompt behind the panel holds text, too."""
    plan = PlanRequest("p", "s", "# A plan")
    mine = decide(first_draft(plan), Pressed("e", "e", 1.0))
    theirs = DraftUpdated(plan, replace(first_draft(plan), plan="# Theirs"), None)
    shown = followed(mine, theirs, 5.0)
    after = decide(shown, Pressed("x", "x", 5.1, drafting=True))
    assert not isinstance(after, PanelState)
    assert (after.guard.returned, after.typing, after.current_plan) == ((), True, "# Theirs")


def test_what_was_typed_here_and_replaced_is_returned_once() -> None:
    mine, theirs = noted(FIRST, 0, "mine"), noted(FIRST, 0, "theirs")
    typed = change(theirs, mine, typed={(0, "note"): "mine"})
    assert replaced(mine, theirs, typed) == "mine"
    assert replaced(mine, noted(FIRST, 0, "mine and more"), typed) == ""
    assert replaced(theirs, noted(FIRST, 0, "the"), change(theirs, FIRST)) == "", "that was not typed here"
    assert draft_words(ELSEWHERE) == "The draft was changed in another terminal"
    assert draft_words(None) == "The draft was changed on another surface"


def test_a_panel_behind_the_inbox_takes_over_what_is_new_and_gives_back_nothing_old(tmp_path: Path) -> None:
    """Both show one request in one terminal; another terminal changes it."""
    store, other = (Store(tmp_path / "inbox.db") for _ in range(2))
    store.requests.add(REQUEST)
    here, tail = RetryQueue(fail), ChangeFeed(store)
    tail._here = Owner(1, "test")
    panel, inbox = Actor(Surface.PANEL, process=tail._here), Actor(Surface.INBOX, process=tail._here)
    try:
        behind = noted(FIRST, 0, "first")
        here.draft(REQUEST.id, behind, panel)
        front = noted(noted(behind, 0, "newer"), 1, "typed in the inbox")
        here.draft(REQUEST.id, front, inbox)
        here.write(store)
        other.drafts.save_all({REQUEST.id: edited(front, 0, selected=(1,))}, {REQUEST.id: [(0, "selected")]})
        (told,) = (here.heard(one) for one in tail.news() if isinstance(one, DraftUpdated))
        front = as_panel(followed(front, told, 1.0))
        here.draft(REQUEST.id, front, inbox)
        here.draft(REQUEST.id, noted(front, 0, "newest"), inbox)
        here.draft(REQUEST.id, followed(behind, told, 1.0), panel)
        here.write(store)
        kept = as_panel(other.drafts.load(REQUEST))
        assert (notes(kept), kept.pages[0].draft.selected) == (["newest", "typed in the inbox"], (1,))
    finally:
        store.close()
        other.close()


class Side:
    """A program with a store of its own, which may have a panel and an inbox over it."""

    def __init__(self, path: Path, number: int) -> None:
        self.store, self.owed, self.owner = Store(path), RetryQueue(fail), Owner(number, "test")
        self.tail = ChangeFeed(self.store)
        self.tail._here = self.owner

    def keep(self, draft: object, surface: Surface = Surface.PANEL) -> None:
        self.owed.draft(REQUEST.id, as_panel(draft), Actor(surface, process=self.owner))

    def write(self, draft: object, surface: Surface = Surface.PANEL) -> None:
        self.keep(draft, surface)
        self.owed.write(self.store)

    def hear(self) -> DraftUpdated:
        self.tail._version = (-1, -1)
        shared = [self.tail.draft(*one) for one in self.owed.shared().items()]
        told = [one for one in (*self.tail.news(), *shared) if isinstance(one, DraftUpdated)]
        return [self.owed.heard(one) for one in told][-1]


@pytest.fixture
def sides(tmp_path: Path) -> Iterator[tuple[Side, Side]]:
    store = Store(tmp_path / "inbox.db")
    store.requests.add(REQUEST)
    store.close()
    here, there = (Side(tmp_path / "inbox.db", number) for number in (1, 2))
    yield here, there
    here.store.close()
    there.store.close()


@pytest.mark.parametrize("focus", [Focus.NOTE, Focus.FILTER])
def test_what_another_terminal_wrote_is_shown_once_the_text_that_was_open_here_is_left(
    sides: tuple[Side, Side], focus: Focus
) -> None:
    here, there = sides
    what = "note" if focus is Focus.NOTE else "other"
    writes = replace(FIRST, focus=focus)
    here.write(writes)
    there.write(edited(FIRST, 0, **{what: "theirs"}))
    shown = followed(writes, here.hear(), 1.0)
    if focus is Focus.NOTE:
        assert shown is writes
        here.write(FIRST)
        shown = followed(FIRST, here.hear(), 2.0)
    assert getattr(as_panel(shown).pages[0].draft, what) == "theirs"


def test_a_panel_that_nobody_has_touched_erases_nothing_that_is_typed_in_the_inbox_over_it(
    sides: tuple[Side, Side],
) -> None:
    here, there = sides
    here.owed.shown(REQUEST.id, FIRST, Surface.INBOX)
    front = noted(FIRST, 0, "typed in the inbox")
    here.write(front, Surface.INBOX)
    there.write(edited(FIRST, 1, selected=(1,)))
    told = here.hear()
    here.keep(followed(front, told, 1.0), Surface.INBOX)
    here.write(followed(FIRST, told, 1.0))
    kept = as_panel(there.store.drafts.load(REQUEST))
    assert (notes(kept), kept.pages[1].draft.selected) == (["typed in the inbox", ""], (1,))


def test_what_the_panel_changes_after_the_inbox_closed_is_a_change_of_what_the_inbox_left(
    sides: tuple[Side, Side],
) -> None:
    here, there = sides
    here.owed.shown(REQUEST.id, FIRST, Surface.INBOX)
    left = noted(FIRST, 0, "typed in the inbox")
    here.write(left, Surface.INBOX)
    here.owed.shown(REQUEST.id, left, Surface.PANEL)
    here.write(noted(left, 0, ""))
    assert notes(as_panel(there.store.drafts.load(REQUEST))) == ["", ""]


def test_what_was_typed_in_the_inbox_is_kept_for_f8_although_the_panel_behind_it_took_it_over(
    sides: tuple[Side, Side],
) -> None:
    here, there = sides
    here.write(FIRST)
    here.owed.shown(REQUEST.id, FIRST, Surface.INBOX)
    front = noted(FIRST, 0, "typed in the inbox")
    here.write(front, Surface.INBOX)
    there.write(edited(FIRST, 1, selected=(1,)))
    told = here.hear()
    front, behind = as_panel(followed(front, told, 1.0)), followed(FIRST, told, 1.0)
    here.keep(front, Surface.INBOX)
    here.write(behind)
    theirs = as_panel(there.store.drafts.load(REQUEST))
    there.owed.read(REQUEST.id, theirs)
    there.write(noted(theirs, 0, "theirs"))
    told = here.hear()
    after = followed(front, told, 2.0)
    assert (notes(as_panel(after)), replaced(front, after, told)) == (["theirs", ""], "typed in the inbox")


def fail(error: Exception) -> None:
    raise error


class Shared(RuleBasedStateMachine):
    """What two programs do to one draft, each with a panel of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.directory = Path(tempfile.mkdtemp())
        self.stores = [Store(self.directory / "inbox.db") for _ in range(2)]
        self.stores[0].requests.add(REQUEST)
        self.owners = [Owner(number, "test") for number in (1, 2)]
        self.owed = [RetryQueue(fail) for _ in range(2)]
        self.tails = [ChangeFeed(store) for store in self.stores]
        for tail, owner in zip(self.tails, self.owners, strict=True):
            tail._here = owner
        self.panels = [FIRST] * 2
        self.kept: list[list[str]] = [[], []]
        """What F8 copies on each."""
        self.typed: list[dict[DraftField, str]] = [{}, {}]
        """The newest text that was typed into each field, by surface."""
        self.serial = 0

    def teardown(self) -> None:
        self.settle()
        for store in self.stores:
            store.close()
        rmtree(self.directory)

    def keep(self, at: int) -> None:
        """Keep the draft that is shown; it is not on disk before `save`."""
        self.owed[at].draft(REQUEST.id, self.panels[at], Actor(Surface.PANEL, process=self.owners[at]))

    @rule(at=surfaces, place=places, note=st.booleans())
    def type(self, at: int, place: int, note: bool) -> None:
        """Type a note, or a text of one's own, which selects it."""
        self.serial += 1
        text = self.typed[at][place, "note" if note else "other"] = f"n{self.serial}."
        if note:
            self.change(at, place, note=text)
        else:
            page = self.panels[at].pages[place]
            selected = page.draft.selected if page.question.multi_select else ()
            self.change(at, place, other=text, other_on=True, selected=selected)

    @rule(at=surfaces, place=places)
    def erase(self, at: int, place: int) -> None:
        """Go back to what an earlier draft had: that is a change like any other."""
        if self.panels[at].pages[place].draft.note:
            self.typed[at].pop((place, "note"), None)
            self.change(at, place, note="")

    @rule(at=surfaces, place=places, option=st.integers(0, 1))
    def choose(self, at: int, place: int, option: int) -> None:
        page = self.panels[at].pages[place]
        if page.question.multi_select:
            self.change(at, place, selected=tuple(sorted({option} ^ set(page.draft.selected))))
        else:
            self.change(at, place, selected=(option,), other_on=False)

    def change(self, at: int, place: int, **changes: Any) -> None:
        self.panels[at] = replace(edited(self.panels[at], place, **changes), tab=place)
        self.keep(at)

    @rule(at=surfaces, focus=st.sampled_from([Focus.LIST, Focus.NOTE, Focus.OTHER]))
    def focus(self, at: int, focus: Focus) -> None:
        self.panels[at] = replace(self.panels[at], focus=focus)
        self.keep(at)

    @rule(at=surfaces)
    def save(self, at: int) -> None:
        self.owed[at].write(self.stores[at])

    @rule(at=surfaces)
    def look(self, at: int) -> None:
        self.hears(at)

    def hears(self, at: int) -> bool:
        """Hear what is new; whether there was anything."""
        self.tails[at]._version = (-1, -1)
        shared = [self.tails[at].draft(*one) for one in self.owed[at].shared().items()]
        told = [one for one in (*self.tails[at].news(), *shared) if isinstance(one, DraftUpdated)]
        for one in told:
            before, heard = self.panels[at], self.owed[at].heard(one)
            after = self.panels[at] = as_panel(followed(before, heard, 1.0))
            self.kept[at].append(replaced(before, after, heard))
            if after is not before:
                self.keep(at)
        return bool(told)

    @rule()
    def settle(self) -> None:
        """Let both save and hear until nothing is new: they show the same, and no text is gone."""
        for at in (0, 1):
            self.focus(at, Focus.LIST)
        for _ in range(6):
            for at in (0, 1):
                self.save(at)
            if not any([self.hears(0), self.hears(1)]):
                break
        else:
            raise AssertionError("they never come to an end")
        on_disk = fields_of(self.stores[0].drafts.load(REQUEST) or FIRST)
        for at in (0, 1):
            shown = fields_of(self.panels[at])
            assert shown == on_disk
            for name, own in self.typed[at].items():
                text = shown[name][0] if name[1] == "other" else shown[name]  # type: ignore[index]
                assert own == text or any(own in kept for kept in self.kept[at]), "typed and lost"

    @rule(first=surfaces, texts=st.permutations([(0, "note"), (0, "other"), (1, "note")]))
    def meet(self, first: int, texts: list[DraftField]) -> None:
        """Both change another field of one draft before either hears of it: both changes stay."""
        self.settle()
        for at, (place, what) in zip((first, 1 - first), texts[:2], strict=True):
            self.type(at, place, what == "note")
        own = [self.typed[at][name] for at, name in zip((first, 1 - first), texts[:2], strict=True)]
        self.settle()
        shown = fields_of(self.panels[0])
        assert all(text in str(shown[name]) for text, name in zip(own, texts[:2], strict=True))

    @rule(at=surfaces, place=places)
    def undo(self, at: int, place: int) -> None:
        """Undo at once what another surface changed: it stays undone."""
        self.settle()
        before = self.panels[at].pages[place].draft.selected
        self.choose(1 - at, place, 1 - before[0] if before and not place else 1)
        self.settle()
        self.change(at, place, selected=before)
        self.settle()
        assert self.panels[1 - at].pages[place].draft.selected == before


def test_a_choice_is_made_again_that_another_surface_undid_after_writing_beside_it() -> None:
    shared = Shared()
    shared.focus(at=0, focus=Focus.LIST)
    shared.choose(at=1, place=1, option=1)
    shared.save(at=0)
    shared.choose(at=0, place=0, option=0)
    shared.choose(at=0, place=0, option=0)
    shared.look(at=1)
    shared.undo(at=1, place=1)
    shared.teardown()


def test_two_programs_on_one_draft_at_random() -> None:
    run_state_machine_as_test(  # type: ignore[no-untyped-call]
        Shared, settings=settings(max_examples=40, stateful_step_count=25, deadline=None)
    )

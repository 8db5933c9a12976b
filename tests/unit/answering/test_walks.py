"""One walk through a set: keys, lines and messages to a ticket ask the same next, and end the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.answering.interview import Interview
from ccq_tui.inbox.requests import FormRequest, QuestionRequest
from ccq_tui.questions import Answer, Answered, Kind, Question, QuestionSet
from ccq_tui.questions.events import TextChanged
from ccq_tui.questions.flow import turn_to
from ccq_tui.questions.keys import hints
from ccq_tui.questions.machine import step
from ccq_tui.questions.state import PanelState, opened
from ccq_tui.service.run import Happened
from tests.memory_inbox import MemoryInbox
from tests.unit.answering.test_grammar import said
from tests.unit.plain.talking import talk
from tests.unit.questions.drive import field, keys, number_question, question
from tests.unit.service.desks import SESSION, Served

ROWS = Path(__file__).with_name("walks.txt").read_text(encoding="utf-8").splitlines()[1:]
PROPOSING = (field("n", kind=Kind.NUMBER, required=True, preset=("3",)), field("z", preset=("zz",)))
SETS = {
    "defaults": (field("a", "one", "two", required=True, closed=True), *PROPOSING),
    "optional": (field("a", "one", "two", closed=True), *PROPOSING),
    "number": (number_question(default="5"), question("Which?", "A", "B")),
    "none": (question("Which?", "A", "B", multi=True),),
    "skipped": (field("a", "A", "B", multi_select=True), field("b", "B", required=True)),
    "skip": (field("a", "skip", "go"),),
    "name": (field("name", required=True),),
}


def asked(name: str) -> QuestionRequest | FormRequest:
    questions = QuestionSet("toolu_1", SETS[name], is_form=SETS[name][0].field is not None)
    if questions.is_form:
        return FormRequest("toolu_1", SESSION, questions)
    return QuestionRequest("toolu_1", SESSION, questions)


def came(state: PanelState, *, on_panel: bool = False) -> str:
    """Return what is asked, or what the review shows."""
    if not state.in_review:
        return f"→ {state.page.question.header}{f' ({hints(state)[0][1]})' * on_panel}"
    rows = [said(page.answer()) + " proposed" * page.proposed for page in state.asked_pages]
    return "→ review: " + "; ".join(rows).replace("= ", "").replace("“", "").replace("”", "")


async def walked(name: str, by: str, typed: str, tmp_path: Path, printed: pytest.CaptureFixture[str]) -> str:
    request, lines = asked(name), typed.split(";")
    if by == "K":
        state = keys(opened(request.questions), typed)
        outcome, left = state.outcome, came(state, on_panel=True)
    elif by == "L":
        done = await talk(MemoryInbox(), request, "".join(f"{line}\n" for line in lines), printed)
        draft = done.opened.draft or opened(request.questions)
        outcome, left = done.outcome, came(draft) if isinstance(draft, PanelState) else ""
    else:
        served = Served(tmp_path)
        await served.ask(request)
        for line in lines:
            await served.say(line)
        stored = await served.inbox.open(request.id)
        number = served.recorded(Happened.ASKED)[-1]["number"]
        outcome, left = stored and stored.stored.outcome, came(turn_to(opened(request.questions), number - 1))
        served.store.close()
    if not isinstance(outcome, Answered):
        return left
    return "; ".join(said(one) for one in outcome.answers).replace("= ", "").replace("“", "").replace("”", "")


@pytest.mark.parametrize("row", ROWS)
async def test_a_walk_asks_and_ends_as_the_table_says(
    row: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name, said_by, wanted = (one.strip() for one in row.split("|"))
    assert await walked(name, said_by[0], said_by[2:], tmp_path, capsys) == wanted


CHOICES = st.builds(
    field,
    st.just("Which?"),
    st.just("A"),
    st.just("B"),
    multi_select=st.booleans(),
    required=st.booleans(),
    preset=st.sampled_from([(), ("B",)]),
    closed=st.just(True),
)
TEXTS = st.builds(field, st.just("What?"), required=st.booleans(), preset=st.sampled_from([(), ("x",)]))
ANY = st.lists(CHOICES | TEXTS | st.just(question("Which?", "A", "B", multi=True)), min_size=1, max_size=4)


@given(ANY, st.data())
def test_keys_and_verbs_ask_and_end_the_same(asked: list[Question], data: st.DataObject) -> None:
    questions = QuestionSet("q", tuple(asked), is_form=asked[0].field is not None)
    panel, interview = opened(questions), Interview.of(questions)
    while not panel.in_review and panel.outcome is None:
        assert interview.state.tab == panel.tab
        page = panel.page
        if page.is_field:
            text = data.draw(st.sampled_from(["", "x", "y"][page.question.required :]))
            panel = keys(step(panel, TextChanged(text)), "enter")
            interview = interview.answer(Answer(other=text))
            continue
        rows = data.draw(st.sets(st.integers(0, 1), min_size=1, max_size=1 + page.question.multi_select))
        toggled = rows ^ set(page.draft.selected) if page.question.multi_select else rows
        for row in toggled:
            panel = keys(panel, f"home {'down ' * row}space")
        panel = keys(panel, "enter")
        interview = interview.answer(Answer(tuple("AB"[row] for row in sorted(rows))))
    if panel.in_review:
        assert interview.question is None
        panel, interview = keys(panel, "end enter"), interview.settle()
    assert interview.outcome == panel.outcome
    assert isinstance(panel.outcome, Answered)

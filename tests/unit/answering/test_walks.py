"""One walk through a set: keys, lines and messages to a ticket ask the same next, and end the same."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given as for_all
from hypothesis import strategies as st

from ccq_tui.answering.interview import Interview
from ccq_tui.inbox import requests
from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.suggestions import Rule, Suggestion
from ccq_tui.questions import Answer, Answered, Dismissed, FieldRules, Kind, Option, Question, QuestionSet
from ccq_tui.questions.events import TextChanged
from ccq_tui.questions.flow import turn_to
from ccq_tui.questions.keys import hints
from ccq_tui.questions.machine import step
from ccq_tui.questions.state import PanelState, opened
from ccq_tui.service.run import Happened
from tests.memory_inbox import MemoryInbox
from tests.steps import step as named
from tests.unit.answering.test_grammar import row_text
from tests.unit.plain.talking import talk
from tests.unit.questions.drive import RELEASE, field, keys, number_question, question, text_question, typed
from tests.unit.service.desks import SESSION, Served

ROWS = Path(__file__).with_name("walks.txt").read_text(encoding="utf-8").splitlines()[1:]
PROPOSING = (field("n", kind=Kind.NUMBER, required=True, preset=("3",)), field("z", preset=("zz",)))
ONE = field("one", "a", "b", "c", required=True, closed=True)
SETS = {
    "defaults": (field("a", "one", "two", required=True, closed=True), *PROPOSING),
    "optional": (field("a", "one", "two", closed=True), *PROPOSING),
    "presets": (
        field("name", preset=("Ada",), required=True),
        field("count", kind=Kind.NUMBER, preset=("3",), required=True),
        field("sure", "Yes", "No", preset=("No",), required=True, closed=True),
        field("tags", "x", "y", preset=("y",), required=True, closed=True, multi_select=True),
    ),
    "number": (number_question(default="5"), question("Which?", "A", "B")),
    "wrong": (number_question(default="99", maximum=3), question("Which?", "A", "B")),
    "none": (question("Which?", "A", "B", multi=True),),
    "skipped": (field("a", "A", "B", multi_select=True), field("b", "B", required=True)),
    "skip": (field("a", "skip", "go"),),
    "name": (field("name", required=True),),
    "library": (question("Which?", "date-fns", "Day.js"),),
    "letters": (question("Which?", "b", "n", "note"),),
    "named": (question("Which?", "Day.js", "Luxon"), text_question()),
    "three": tuple(question(text, "A", "B") for text in ("One?", "Two?", "Three?")),
    "choice": (ONE,),
    "open": (field("one", "a", "b", "c", closed=True),),
    "text": (field("name", required=True, fewest=2), ONE),
    "tags": (field("tags", "x", "y", "z", multi_select=True, closed=True, required=True, fewest=2, most=2),),
    "note": (Question("note", "note", kind=Kind.TEXT, field=FieldRules()),),
    "nodes": (number_question("How many?", minimum=1, maximum=10, step=1, unit="nodes"),),
    "most": (number_question("How many?", maximum=3), question("Which?", "A")),
    "proposing": (text_question(default="api"),),
    "alone": (text_question(options=(Option("Enter alone"),)),),
    "count": (field("many", kind=Kind.NUMBER, required=True),),
    "blockers": (field("Blockers", "a", "b", multi_select=True, fewest=2), field("Next")),
    "release": RELEASE,
}
RULES = [Rule("Bash", f"npm {name} *") for name in "abcdefghijk"]
LASTING = tuple(Suggestion("addRules", "session", (rule,), "allow") for rule in RULES)
DECISIONS = {
    "run": requests.PermissionRequest(
        "toolu_1", SESSION, "Bash", {"command": "npm test"}, suggestions=LASTING
    ),
    "foreign": requests.PermissionRequest(
        "toolu_1", SESSION, "Read", {}, origin=requests.Origin(requests.Asker.MCP, "bot")
    ),
    "plan": requests.PlanRequest("toolu_1", SESSION, "# Move"),
}


def asked(name: str) -> requests.Request:
    if name in DECISIONS:
        return DECISIONS[name]
    questions = QuestionSet("toolu_1", SETS[name], is_form=SETS[name][0].field is not None)
    kind = requests.FormRequest if questions.is_form else requests.QuestionRequest
    return kind("toolu_1", SESSION, questions)


def ended(outcome: requests.RequestOutcome | Dismissed) -> str:
    match outcome:
        case Answered(answers):
            rows = "; ".join(row_text(one) for one in answers)
            return rows.replace("= ", "").replace("“", "").replace("”", "")
        case requests.Allowed(text, suggestion, mode):
            rule = suggestion.rules[0].content if suggestion else ""
            return " ".join(filter(None, ("allowed", rule, mode, text)))
        case _:
            return f"{type(outcome).__name__.lower()} {getattr(outcome, 'text', '')}".strip()


def came(state: PanelState, *, on_panel: bool = False) -> str:
    """Return what is asked, or what the review shows."""
    key, does = hints(state)[0]
    enter = f" ({does})" if on_panel and key == "Enter" else ""
    if state.in_review:
        rows = (
            ended(Answered((page.as_answer(),))) + " proposed" * page.proposed for page in state.asked_pages
        )
        return f"→ review{enter}: {'; '.join(rows)}"
    wrong = state.notice or state.aside
    return f"→ {state.page.question.header}{enter}{' ! ' * bool(wrong)}{wrong}"


def pressed(state: PanelState, given: str) -> PanelState:
    """Press keys, and type what stands in quotation marks."""
    for at, part in enumerate(given.split('"')):
        state = typed(state, part) if at % 2 else keys(state, part)
    return state


async def walked(name: str, by: str, given: str, tmp_path: Path, printed: pytest.CaptureFixture[str]) -> str:
    request, lines = asked(name), given.split(";")
    questions = kind_of(request).asked(request).questions
    if by == "K":
        state = pressed(opened(questions), given)
        return ended(state.outcome) if state.outcome else came(state, on_panel=True)
    if by == "L":
        done = await talk(MemoryInbox(), request, "".join(f"{line}\n" for line in lines), printed)
        draft = done.opened.draft or opened(questions)
        assert isinstance(draft, PanelState)
        assert "draft is here" not in " ".join(done.printed), "nobody has typed one"
        return ended(done.outcome) if done.outcome else came(replace(draft, notice="", aside=""))
    served = Served(tmp_path)
    await served.ask(request)
    for line in lines:
        await served.say(line)
    stored = await served.inbox.open(request.id)
    number = served.recorded(Happened.ASKED)[-1]["number"]
    served.store.close()
    outcome = stored and stored.stored.outcome
    return ended(outcome) if outcome else came(turn_to(opened(questions), number - 1))


async def test_a_walk_asks_and_ends_as_the_table_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [tuple(one.strip() for one in row.split("|")) for row in ROWS]
    came = []
    for number, (name, given, _) in enumerate(rows):
        with named(f"{name} {given}"):
            (place := tmp_path / str(number)).mkdir()
            came.append((name, given, await walked(name, given[0], given[2:], place, capsys)))
    assert came == rows


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


@for_all(ANY, st.data())
def test_keys_and_verbs_ask_and_end_the_same(asked: list[Question], data: st.DataObject) -> None:
    questions = QuestionSet("q", tuple(asked), is_form=asked[0].field is not None)
    panel, interview = opened(questions), Interview.of(questions)
    while not panel.in_review and panel.outcome is None:
        assert interview.state.tab == panel.tab
        page = panel.page
        if page.is_field:
            text = data.draw(st.sampled_from(["", "x", "y"][page.question.required :]))
            panel = keys(step(panel, TextChanged(text)), "enter")
            interview = interview.answer_question(Answer(other=text))
            continue
        rows = data.draw(st.sets(st.integers(0, 1), min_size=1, max_size=1 + page.question.multi_select))
        toggled = rows ^ set(page.draft.selected) if page.question.multi_select else rows
        for row in toggled:
            panel = keys(panel, f"home {'down ' * row}space")
        panel = keys(panel, "enter")
        interview = interview.answer_question(Answer(tuple("AB"[row] for row in sorted(rows))))
    if panel.in_review:
        assert interview.question is None
        panel, interview = keys(panel, "end enter"), interview.confirm()
    assert interview.state.outcome == panel.outcome
    assert isinstance(panel.outcome, Answered)

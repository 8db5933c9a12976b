"""Deciding on permissions and plans: what each key does, and that nothing else decides."""

from dataclasses import replace
from pathlib import Path

from ccq_tui.inbox.draft import first_draft
from ccq_tui.inbox.kinds import kind_of, outcome_of
from ccq_tui.inbox.requests import Allowed, DecidedRequest, Denied, PermissionRequest, PlanRequest
from ccq_tui.inbox.suggestions import Rule, Suggestion
from ccq_tui.questions import Answer, Answered
from ccq_tui.questions import events as ev
from ccq_tui.questions.keys import hints
from ccq_tui.questions.machine import step
from ccq_tui.questions.state import NO_ROW, PanelState
from ccq_tui.widgets.question.parts import unseen_words
from tests.tables import each_row
from tests.unit.questions.drive import events_of

ALWAYS = Suggestion("addRules", "localSettings", (Rule("Bash", "make *"),), "allow")
ACCEPT = Suggestion("setMode", mode="acceptEdits")
RUN = PermissionRequest("toolu_1", "s", "Bash", {"command": "make"}, suggestions=(ALWAYS, ACCEPT))
PLAN = PlanRequest("toolu_2", "s", "# Plan")
ASKED: dict[str, DecidedRequest] = {
    "P": RUN,
    "B": replace(RUN, suggestions=()),
    "D": replace(RUN, danger="deletes whole directories"),
    "L": PLAN,
    "A": replace(PLAN, auto=True),
}
ROWS = Path(__file__).with_name("acts.txt").read_text(encoding="utf-8").splitlines()[1:]


def came(state: PanelState) -> str:
    """Return what came of some events, as rows have it."""
    acts, draft, text = state.page.question.acts, state.page.draft, state.page.draft.other
    plan = [f"plan “{state.edited}”"] * bool(state.edited)
    if isinstance(state.outcome, Answered):
        (answer,) = state.outcome.answers
        act = state.page.question.act_of(answer)
        return " · ".join([f"= {act.key}" + f" “{answer.other}”" * bool(answer.other), *plan])
    at = "-" if state.page.cursor == NO_ROW else acts[state.page.cursor].key
    parts = [f"writes {at} “{text}”" if state.typing else f"at {at}"]
    if text and not state.typing and draft.text_row is not None:
        parts.append(f"for {acts[draft.text_row].key} “{text}”")
    parts += plan + ["hidden"] * state.hidden + ["large"] * state.large
    parts += [f"{state.warned[1]} again, {state.unseen} unseen"] if state.warned else []
    return " · ".join([*parts, *([f"says {state.aside}"] if state.aside else [])])


def play(request: DecidedRequest, script: str) -> PanelState:
    state = first_draft(request)
    for event in events_of(script):
        state = step(state, event)
    return state


@each_row(*ROWS)
def test_keys_do_what_the_table_says(row: str) -> None:
    what, script, wanted = row.split(" | ")
    state = play(ASKED[what], script)
    hints(state)
    assert came(state) == wanted


def test_each_way_to_decide_has_its_outcome_and_nothing_lasts_that_was_not_suggested() -> None:
    always = tuple(replace(ALWAYS, rules=(Rule("Bash", f"make {n} *"),)) for n in range(11))
    many = kind_of(RUN).asked(replace(RUN, suggestions=always)).acts
    assert [act.key for act in many] == ["y", "n", *map(str, range(1, 12)), "a", "e"]
    once, lasts, plan = Allowed(), Allowed(suggestion=ALWAYS), Allowed(mode="default", plan="# Mine")
    accepts, auto = replace(plan, mode="acceptEdits"), replace(plan, mode="auto")
    for request, wanted in (
        (RUN, [once, Denied(), lasts, Allowed(suggestion=ACCEPT), replace(once, text="x"), Denied("x")]),
        (ASKED["A"], [plan, Denied(), accepts, auto, replace(plan, text="x"), Denied("x")]),
    ):
        question, edited = kind_of(request).asked(request).question, "# Mine" if request is not RUN else ""
        ways = zip(question.options, question.acts, strict=True)
        answers = [Answer((option.label,), "x" * act.takes_words) for option, act in ways]
        assert [outcome_of(request, Answered((one,)), edited) for one in answers] == wanted


def test_what_enter_does_is_said() -> None:
    assert hints(play(RUN, "e"))[0] == ("Enter", "back")
    assert hints(play(ASKED["D"], ""))[:3] == (("↑↓", "choose"), ("y", "allow"), ("n", "deny"))
    warned = "were never on the screen · Space shows them"
    for script, words in {
        "seen:all+41 enter": f"41 lines {warned} · Enter again allows",
        "seen:all+9 enter seen:all+1": "1 line was never on the screen · Space shows it · Enter again allows",
    }.items():
        assert unseen_words(play(RUN, script)) == words
    more = step(play(RUN, ""), ev.Seen(frozenset(range(9)), 120, at_least=True))
    assert unseen_words(step(more, ev.Clicked(0))) == f"over 120 lines {warned} · a click again allows"
    plan = unseen_words(play(PLAN, "seen:all+3 y"))
    assert plan == "3 lines were never on the screen · PgDn shows them · y again approves"


def test_text_has_no_control_characters() -> None:
    assert step(first_draft(PLAN), ev.Words("\x1b[31mred\r\nline\x07")).text == "[31mred\nline"
    assert step(first_draft(PLAN), ev.Words("\x1b\x07")) == first_draft(PLAN), "nothing is left of it"
    assert step(play(PLAN, "e"), ev.TextChanged("a\x9b\tb")).text == "a\tb"
    assert step(first_draft(PLAN), ev.TextChanged("# Mine\x07")).edited == "# Mine"

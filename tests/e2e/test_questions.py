"""Questions and decisions answered by keys alone, and the exact tool result that the model received.

A run of the program asks one set after the other; the words before a set say that its panel is on screen.
"""

from pathlib import Path

from ccq_tui.input.gate import QUIET, SEEN
from ccq_tui.questions import Kind, Option, Question
from ccq_tui.questions.state import Focus
from ccq_tui.testing import Scenario, ask
from ccq_tui.widgets.question.parts import PLACEHOLDERS
from tests.e2e.conftest import Running, Start
from tests.e2e.deciding import decisions, with_permissions, with_plans
from tests.e2e.terminal import KEYS
from tests.results import answered, replied
from tests.steps import step

DATABASE = Question(
    "Which database?",
    "Database",
    (Option("Postgres", "a server"), Option("SQLite", "a file"), Option("DuckDB", "columns")),
)
FEATURES = Question(
    "Which features?",
    "Features",
    (Option("Auth", "login"), Option("Cache", "speed"), Option("Logs", "traces")),
    multi_select=True,
)
LAYOUT = Question(
    "Which layout?",
    "Layout",
    (
        Option("Sidebar", "left", preview="+-+---+\n|n| b |"),
        Option("Tabs", "top", preview="+--+--+\n|a |b |"),
    ),
)
SURE = Question("Proceed?", "Proceed", (Option("Yes", "now"), Option("No", "later")))
NAME = Question("What name?", "Name", kind=Kind.TEXT)
COUNT = Question("How many?", "Count", kind=Kind.NUMBER, minimum=1, maximum=10)
DONE = "Thank you, all clear."


def opened(run: Running, number: int, text: str, seconds: float = QUIET) -> None:
    """Wait until the panel of a set is there, and its keys work."""
    run.terminal.wait_panel(text, f"Set {number}.", seconds)


SETS = ((DATABASE, FEATURES, LAYOUT, SURE), (NAME, COUNT), (DATABASE, FEATURES))


def test_every_way_to_answer_to_keep_an_answer_and_to_decide(start: Start, tmp_path: Path) -> None:
    editor = tmp_path / "editor"
    scenario = Scenario("e2e")
    for number, questions in enumerate(SETS, 1):
        scenario = scenario.says(f"Set {number}.").asks(*questions)
    scenario = with_what_is_kept(scenario.says("That is known.").ends_turn())
    scenario = with_plans(with_permissions(scenario))
    run = start(scenario, "--theme", "ccq-light", variables={"VISUAL": str(editor)})
    each_kind_of_answer_reaches_the_model_exactly(run)
    run.terminal.wait("ready")
    run.rest()
    run.terminal.type("go on\r")
    an_answer_is_kept_in_a_queue_in_an_editor_and_while_hidden(run, editor)
    editor.write_text('#!/bin/sh\nsed -i "s/End/Rest/" "$1"\n')
    run.terminal.wait("ready")
    run.rest()
    run.terminal.press("enter")
    decisions(run)


def each_kind_of_answer_reaches_the_model_exactly(run: Running) -> None:
    terminal = run.terminal
    with step("four questions, back navigation and a changed answer"):
        opened(run, 1, "Which database?")
        terminal.press("1 enter").wait_in_panel("Which features?")
        terminal.press("2 enter").wait_in_panel("Which layout?")
        terminal.press("down space shift+tab shift+tab").wait_in_panel("Which database?")
        terminal.press("3 tab tab tab").wait_in_panel("Proceed?")
        terminal.press("enter").wait_in_panel("→    Submit")
        terminal.press("enter")
        assert run.result("toolu_e2e_1") == answered(
            '"Which database?"="DuckDB", "Which features?"="Cache", "Which layout?"="Tabs" selected '
            'preview:\n+--+--+\n|a |b |, "Proceed?"="Yes"'
        )
    with step("text, and a number that is out of range at first"):
        opened(run, 2, "What name?", SEEN)
        terminal.type("billing j1").press("enter").wait_in_panel("How many?")
        terminal.press("1 2 enter").wait_in_panel("out of range")
        terminal.press("backspace enter").wait_in_panel("→    Submit")
        terminal.press("enter")
        assert run.result("toolu_e2e_2") == replied('"What name?"="billing j1", "How many?"="1"')
    with step("discuss"):
        opened(run, 3, "Which database?")
        terminal.press("c").wait_in_panel("discuss")
        terminal.type("Neither: we have Oracle.").press("ctrl+j").type("Look at docs/db.md.").press("enter")
        assert run.result("toolu_e2e_3") == (
            "The user responded: Neither: we have Oracle.\nLook at docs/db.md."
        )
    screen = terminal.wait("That is known.").text
    assert "Look at docs/db.md." in screen, "the transcript keeps the answer"


def with_what_is_kept(scenario: Scenario) -> Scenario:
    return (
        scenario.together(ask(DATABASE), ask(SURE))
        .says("Set 4.")
        .asks(DATABASE)
        .says("\n\n".join(f"Paragraph {n} of a long explanation." for n in range(1, 60)))
        .asks(DATABASE, FEATURES)
        .says(DONE)
        .ends_turn()
    )


def an_answer_is_kept_in_a_queue_in_an_editor_and_while_hidden(run: Running, editor: Path) -> None:
    terminal = run.terminal
    with step("two sets at once queue in order"):
        terminal.wait("1 of 2").wait_panel("Which database?").press("3 enter").wait_panel("Proceed?")
        terminal.press("end up enter")
        assert '"Which database?"="DuckDB"' in run.result("toolu_e2e_4")
        assert '"Proceed?"="No"' in run.result("toolu_e2e_5")
    with step("the text is edited in the person's editor"):
        editor.write_text('#!/bin/sh\necho started >> "$0.log"\nsleep 0.3\nsed -i "s/$/ by hand/" "$1"\n')
        editor.chmod(0o755)
        opened(run, 4, "Which database?")
        terminal.press("o").wait_in_panel(PLACEHOLDERS[Focus.OTHER])
        terminal.type("chosen" + 2 * KEYS["ctrl+g"]).wait_in_panel("chosen by hand")
        assert editor.with_name("editor.log").read_text() == "started\n", "one editor at a time"
        terminal.press("enter enter")
        assert '"Which database?"="chosen by hand"' in run.result("toolu_e2e_6")
    with step("hide, scroll, show, resize and answer"):
        terminal.wait_panel("Which database?", after="Paragraph 59 ")
        terminal.press("2 o").wait_in_panel(PLACEHOLDERS[Focus.OTHER])
        terminal.type("half a thou").press("pageup pageup").wait("Paragraph 45 ")
        terminal.press("f2").wait("draft 1/2, nothing sent")
        terminal.type("a draft prompt").wait("❯ a draft prompt")
        terminal.resize((40, 12))
        terminal.wait("F2").press("f2").wait("half a thou")
        terminal.resize((80, 24))
        terminal.wait_in_panel("keep these words")
        terminal.type("ght").press("enter enter").wait_in_panel("Which features?")
        terminal.press("a enter").wait_in_panel("→    Submit")
        terminal.press("enter")
        assert run.result("toolu_e2e_7") == replied(
            '"Which database?"="half a thought", "Which features?"="Auth, Cache, Logs"'
        )
        terminal.wait("❯ a draft prompt")

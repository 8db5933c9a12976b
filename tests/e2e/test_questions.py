"""Questions answered by keys alone, and the exact tool result that the model received.

A run of the program asks one set after the other; the words before a set say that its panel is on screen.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from ccq_tui.questions import Kind, Option, Question
from ccq_tui.questions.state import Focus
from ccq_tui.testing import Scenario, ask
from ccq_tui.widgets.question.parts import PLACEHOLDERS
from tests.e2e.conftest import Running, Start
from tests.e2e.terminal import KEYS
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
SLOWLY = Question(
    DATABASE.text, DATABASE.header, (*DATABASE.options[:2], Option("DuckDB", "columns, " * 250))
)
"""Long enough that its end is not written by the time its beginning is seen, however slow the machine."""
SURE = Question("Proceed?", "Proceed", (Option("Yes", "now"), Option("No", "later")))
NAME = Question("What name?", "Name", kind=Kind.TEXT)
COUNT = Question("How many?", "Count", kind=Kind.NUMBER, minimum=1, maximum=10)
DONE = "Thank you, all clear."
READ = (
    " Read the answers carefully — they may request clarification, changes, or that you not proceed"
    " — and follow what they actually say."
)
GO_ON = " You can now continue with these answers in mind."


def opened(run: Running, number: int, text: str) -> None:
    """Wait until the panel of a set is there, and its keys work."""
    run.terminal.wait_panel(text, after=f"Set {number}.")


SETS = (
    (FEATURES,),
    (DATABASE, FEATURES, LAYOUT, SURE),
    (LAYOUT,),
    (NAME, COUNT),
    (DATABASE, FEATURES),
    (DATABASE,),
    (FEATURES,),
    (DATABASE,),
    (SLOWLY, FEATURES),
)


@pytest.mark.timeout(300)
def test_every_way_to_answer_and_to_keep_an_answer(start: Start, tmp_path: Path) -> None:
    editor = tmp_path / "editor"
    scenario = Scenario("e2e")
    for number, questions in enumerate(SETS, 1):
        scenario = scenario.says(f"Set {number}.").asks(*questions)
    scenario = with_what_is_kept(scenario.says("That is known.").ends_turn())
    run = start(scenario, variables={"VISUAL": str(editor)})
    each_kind_of_answer_reaches_the_model_exactly(run)
    run.terminal.wait("ready")
    run.rest()
    run.terminal.type("go on\r")
    an_answer_is_kept_in_a_queue_in_an_editor_and_while_hidden(run, editor)


def each_kind_of_answer_reaches_the_model_exactly(run: Running) -> None:
    terminal = run.terminal
    with step("two labels and a custom text with a comma"):
        opened(run, 1, "Which features?")
        terminal.press("1 3 o")
        terminal.wait_in_panel(PLACEHOLDERS[Focus.OTHER])
        terminal.type("mail, fax")
        terminal.press("enter enter")
        terminal.wait_in_panel("✔    Submit")
        terminal.press("enter")
        assert run.result("toolu_e2e_1") == (
            f'The user answered: "Which features?"="Auth, Logs, "mail, fax"".{READ}'
        )
    with step("four questions, back navigation and a changed answer"):
        opened(run, 2, "Which database?")
        terminal.press("1 enter")
        terminal.wait_in_panel("Which features?")
        terminal.press("2 enter")
        terminal.wait_in_panel("Which layout?")
        terminal.press("down space shift+tab shift+tab")
        terminal.wait_in_panel("Which database?")
        terminal.press("3 tab tab tab")
        terminal.wait_in_panel("Proceed?")
        terminal.press("enter")
        terminal.wait_in_panel("✔    Submit")
        terminal.press("enter")
        assert run.result("toolu_e2e_2") == (
            'Your questions have been answered: "Which database?"="DuckDB", "Which features?"="Cache", '
            f'"Which layout?"="Tabs" selected preview:\n+--+--+\n|a |b |, "Proceed?"="Yes".{GO_ON}'
        )
    with step("preview and note, on a large screen"):
        terminal.resize((120, 40))
        opened(run, 3, "Which layout?")
        terminal.press("down n")
        terminal.wait_in_panel(PLACEHOLDERS[Focus.NOTE])
        terminal.type("keep it small")
        terminal.press("enter enter")
        assert run.result("toolu_e2e_3") == (
            'The user answered: "Which layout?"="Tabs" selected preview:\n+--+--+\n|a |b | '
            f"notes: keep it small.{READ}"
        )
        terminal.resize((80, 24))
    with step("text, and a number that is out of range at first"):
        opened(run, 4, "What name?")
        terminal.type("billing j1")
        terminal.press("enter")
        terminal.wait_in_panel("How many?")
        terminal.press("1 2 enter")
        terminal.wait_in_panel("out of range")
        terminal.press("backspace enter")
        terminal.wait_in_panel("✔    Submit")
        terminal.press("enter")
        assert run.result("toolu_e2e_4") == (
            f'The user answered: "What name?"="billing j1", "How many?"="1".{READ}'
        )
    with step("discuss"):
        opened(run, 5, "Which database?")
        terminal.press("c")
        terminal.wait_in_panel("discuss")
        terminal.type("Neither: we have Oracle.")
        terminal.press("ctrl+j")
        terminal.type("Look at docs/db.md.")
        terminal.press("enter")
        assert run.result("toolu_e2e_5") == (
            "The user responded: Neither: we have Oracle.\nLook at docs/db.md."
        )
    with step("declining asks once"):
        opened(run, 6, "Which database?")
        terminal.press("ctrl+d")
        terminal.wait_panel("keep the question")
        terminal.press("ctrl+d")
        assert run.result("toolu_e2e_6") == (
            "The user read these questions and declined to answer them. Nothing was chosen. "
            "Go on without the answers where that is possible, and say what you assumed."
        )
        assert run.model.result("toolu_e2e_6").is_error
    with step("an empty multi-select is confirmed in so many words"):
        opened(run, 7, "Which features?")
        terminal.press("enter")
        terminal.wait_in_panel("→ none of these")
        terminal.press("end enter")
        assert '"Which features?"="(none of these)"' in run.result("toolu_e2e_7")
    with step("single select"):
        opened(run, 8, "Which database?")
        run.model.speed, run.model.delta_size = 200.0, 4
        terminal.press("down enter")
        assert run.result("toolu_e2e_8") == (
            f'Your questions have been answered: "Which database?"="SQLite".{GO_ON}'
        )
    with step("a set that is answered while it is written"):
        terminal.wait(lambda terminal: "SQLite" in terminal.panel and "still arriving" in terminal.panel)
        terminal.wait(lambda terminal: terminal.hints_awake)
        run.model.speed = 10.0
        terminal.press("n")
        terminal.wait_in_panel(PLACEHOLDERS[Focus.NOTE])
        terminal.type("early")
        # Before, Enter would have been meant for what was there before the panel.
        terminal.wait(lambda terminal: "✎ note early" in terminal.panel and terminal.hints_awake)
        terminal.press("enter down space enter")
        terminal.wait_in_panel("arriving: confirm once")
        assert len(run.model.requests()) == 9
        run.model.speed = 0.0
        terminal.wait_panel("The question is complete now")
        terminal.press("tab 3 enter")
        terminal.wait_in_panel("✔    Submit")
        terminal.press("enter")
        assert run.result("toolu_e2e_9") == (
            f'The user answered: "Which database?"="SQLite" notes: early, "Which features?"="Logs".{READ}'
        )
        screen = terminal.wait("That is known.")
        assert "● SQLite" in screen, "the transcript keeps the answer"
        run.model.delta_size = 24


def with_what_is_kept(scenario: Scenario) -> Scenario:
    words = "\n\n".join(f"Paragraph {n} of a long explanation." for n in range(1, 60))
    scenario = scenario.together(ask(DATABASE), ask(SURE))
    for number in range(12, 15):
        scenario = scenario.says(f"Set {number}.").asks(DATABASE)
    return scenario.says(words).asks(DATABASE, FEATURES).says(DONE).ends_turn().asks(SURE)


def an_answer_is_kept_in_a_queue_in_an_editor_and_while_hidden(run: Running, editor: Path) -> None:
    terminal = run.terminal
    with step("two sets at once queue in order"):
        terminal.wait("1 of 2")
        terminal.wait_panel("Which database?")
        terminal.press("3 enter")
        terminal.wait_panel("Proceed?")
        terminal.press("end up enter")
        assert '"Which database?"="DuckDB"' in run.result("toolu_e2e_10")
        assert '"Proceed?"="No"' in run.result("toolu_e2e_11")
    with step("the text is edited in the person's editor"):
        editor.write_text('#!/bin/sh\necho started >> "$0.log"\nsleep 0.3\nsed -i "s/$/ by hand/" "$1"\n')
        editor.chmod(0o755)
        types_in_the_editor(run, 12, "ctrl+g ctrl+g")
        terminal.wait_in_panel("chosen by hand")
        assert editor.with_name("editor.log").read_text() == "started\n", "one editor at a time"
        terminal.press("enter enter")
        assert '"Which database?"="chosen by hand"' in run.result("toolu_e2e_12")
    with step("an editor that fails loses nothing"):
        editor.write_text("#!/bin/sh\nexit 1\n")
        types_in_the_editor(run, 13)
        terminal.wait(lambda terminal: "The editor failed (exit code 1) and saved nothing" in terminal.prose)
        editor.write_text('#!/bin/sh\necho saved >> "$1"\nexit 1\n')
        terminal.press("ctrl+g")
        terminal.wait_in_panel("saved")
        terminal.wait(lambda terminal: "the text it saved is kept" in terminal.prose)
        terminal.type(" by me")
        terminal.press("enter enter")
        assert '"Which database?"="chosen\nsaved by me"' in run.result("toolu_e2e_13")
    with step("an editor that is not there loses nothing"):
        editor.unlink()
        types_in_the_editor(run, 14)
        said = ("No such file or directory", "set VISUAL or EDITOR")
        terminal.wait(lambda terminal: all(words in terminal.prose for words in said))
        terminal.type(" by me too")
        terminal.press("enter enter")
        assert '"Which database?"="chosen by me too"' in run.result("toolu_e2e_14")
    with step("hide, scroll, show, resize and answer"):
        terminal.wait_panel("Which database?", after="Paragraph 59 ")
        # The notice takes lines of the transcript, so that a page would be less.
        terminal.wait(lambda terminal: "set VISUAL" not in terminal.prose)
        terminal.press("2 o")
        terminal.wait_in_panel(PLACEHOLDERS[Focus.OTHER])
        terminal.type("half a thou")
        terminal.press("pageup pageup")
        terminal.wait("Paragraph 45 ")
        terminal.press("f2")
        terminal.wait("draft 1/2, nothing sent")
        terminal.type("a draft prompt")
        terminal.wait("❯ a draft prompt")
        terminal.resize((40, 12))
        terminal.wait("F2")
        terminal.press("f2")
        terminal.wait("half a thou")
        terminal.resize((80, 24))
        terminal.wait_in_panel("keep these words")
        terminal.type("ght")
        terminal.press("enter enter")
        terminal.wait_in_panel("Which features?")
        terminal.press("a enter")
        terminal.wait_in_panel("✔    Submit")
        terminal.press("enter")
        assert run.result("toolu_e2e_15") == (
            'The user answered: "Which database?"="half a thought", "Which features?"="Auth, Cache, Logs".'
            f"{READ}"
        )
        terminal.wait("❯ a draft prompt")
    with step("Ctrl+Q while a question is open"):
        terminal.wait("ready")
        run.rest()
        terminal.press("enter")
        terminal.wait_panel("Proceed?")
        run.end("ctrl+q", 0)


def types_in_the_editor(run: Running, number: int, keys: str = "ctrl+g") -> None:
    """Open Other of a set, type into it, and go to the editor with it."""
    opened(run, number, "Which database?")
    run.terminal.press("o")
    run.terminal.wait_in_panel(PLACEHOLDERS[Focus.OTHER])
    run.terminal.type("chosen" + "".join(KEYS[key] for key in keys.split()))

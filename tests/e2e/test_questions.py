"""Questions answered by keys alone, and the exact tool result that the model received."""

from __future__ import annotations

from pathlib import Path

import pytest

from ccq_tui.questions import Kind, Option, Question
from ccq_tui.testing import Scenario, ask
from tests.e2e.conftest import Start

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
DONE = "Thank you, all clear."


def asking(*questions: Question) -> Scenario:
    return Scenario("e2e").says("One moment.").asks(*questions).says(DONE)


def test_single_select(start: Start) -> None:
    run = start(asking(DATABASE))
    run.terminal.wait_panel("Which database?")
    run.terminal.press("down enter")
    assert run.result("toolu_e2e_1") == (
        'Your questions have been answered: "Which database?"="SQLite". '
        "You can now continue with these answers in mind."
    )
    screen = run.terminal.wait(DONE)
    assert "● SQLite" in screen, "the transcript keeps the answer"
    run.terminal.press("ctrl+q")
    assert run.terminal.wait_end() == 0
    assert run.terminal.restored


def test_multi_select_with_two_labels_and_a_custom_text_with_a_comma(start: Start) -> None:
    run = start(asking(FEATURES))
    run.terminal.wait_panel("Which features?")
    run.terminal.press("1 3 o")
    run.terminal.wait("Other, in your own words")
    run.terminal.type("mail, fax")
    run.terminal.press("enter enter")
    run.terminal.wait("Submit answers")
    run.terminal.press("enter")
    assert run.result("toolu_e2e_1") == (
        'The user answered: "Which features?"="Auth, Logs, "mail, fax"". '
        "Read the answers carefully — they may request clarification, changes, or that you not proceed"
        " — and follow what they actually say."
    )


def test_four_questions_with_back_navigation_and_a_changed_answer(start: Start) -> None:
    run = start(asking(DATABASE, FEATURES, LAYOUT, SURE))
    run.terminal.wait_panel("Which database?")
    run.terminal.press("1 enter")
    run.terminal.wait("Which features?")
    run.terminal.press("2 enter")
    run.terminal.wait("Which layout?")
    run.terminal.press("down space shift+tab shift+tab")
    run.terminal.wait("Which database?")
    run.terminal.press("3 tab tab tab")
    run.terminal.wait("Proceed?")
    run.terminal.press("enter")
    run.terminal.wait("Submit answers")
    run.terminal.press("enter")
    assert run.result("toolu_e2e_1") == (
        'Your questions have been answered: "Which database?"="DuckDB", "Which features?"="Cache", '
        '"Which layout?"="Tabs" selected preview:\n+--+--+\n|a |b |, "Proceed?"="Yes". '
        "You can now continue with these answers in mind."
    )


def test_preview_and_note(start: Start) -> None:
    run = start(asking(LAYOUT), size=(120, 40))
    run.terminal.wait_panel("Which layout?")
    run.terminal.press("down n")
    run.terminal.wait("Note beside the answer")
    run.terminal.type("keep it small")
    run.terminal.press("enter enter")
    assert run.result("toolu_e2e_1") == (
        'The user answered: "Which layout?"="Tabs" selected preview:\n+--+--+\n|a |b | notes: keep it small. '
        "Read the answers carefully — they may request clarification, changes, or that you not proceed"
        " — and follow what they actually say."
    )


def test_text_and_number(start: Start) -> None:
    run = start(
        asking(
            Question("What name?", "Name", kind=Kind.TEXT),
            Question("How many?", "Count", kind=Kind.NUMBER, minimum=1, maximum=10),
        )
    )
    run.terminal.wait_panel("What name?")
    run.terminal.type("billing j1")
    run.terminal.press("enter")
    run.terminal.wait("How many?")
    run.terminal.press("1 2 enter")
    run.terminal.wait("out of range")
    run.terminal.press("backspace enter")
    run.terminal.wait("Submit answers")
    run.terminal.press("enter")
    assert run.result("toolu_e2e_1") == (
        'The user answered: "What name?"="billing j1", "How many?"="1". '
        "Read the answers carefully — they may request clarification, changes, or that you not proceed"
        " — and follow what they actually say."
    )


def test_discuss(start: Start) -> None:
    run = start(asking(DATABASE, FEATURES))
    run.terminal.wait_panel("Which database?")
    run.terminal.press("c")
    run.terminal.wait("Discuss")
    run.terminal.type("Neither: we have Oracle.")
    run.terminal.press("ctrl+j")
    run.terminal.type("Look at docs/db.md.")
    run.terminal.press("enter")
    assert run.result("toolu_e2e_1") == "The user responded: Neither: we have Oracle.\nLook at docs/db.md."
    run.terminal.wait(DONE)


def test_decline_asks_once(start: Start) -> None:
    run = start(asking(DATABASE))
    run.terminal.wait_panel("Which database?")
    run.terminal.press("ctrl+d")
    run.terminal.wait_panel("keep the question")
    run.terminal.press("ctrl+d")
    result = run.model.wait_for_result_sync("toolu_e2e_1", limit=40.0)
    assert result.is_error
    assert result.text == (
        "The user read these questions and declined to answer them. Nothing was chosen. "
        "Go on without the answers where that is possible, and say what you assumed."
    )
    run.terminal.wait(DONE)


def test_hide_scroll_show_resize_and_answer(start: Start) -> None:
    words = "\n\n".join(f"Paragraph {n} of a long explanation." for n in range(1, 60))
    run = start(Scenario("e2e").says(words).asks(DATABASE, FEATURES).says(DONE))
    run.terminal.wait_panel("Which database?")
    run.terminal.press("2 o")
    run.terminal.wait("Other, in your own words")
    run.terminal.type("half a thou")
    run.terminal.press("pageup pageup")
    run.terminal.wait("Paragraph 51 ")
    run.terminal.press("f2")
    run.terminal.wait("1 question waiting · 1/2 answered")
    run.terminal.type("a draft prompt")
    run.terminal.wait("❯ a draft prompt")
    run.terminal.resize((40, 12))
    run.terminal.wait("F2")
    run.terminal.press("f2")
    run.terminal.wait("half a thou")
    run.terminal.resize((80, 24))
    run.terminal.wait("Other, in your own words")
    run.terminal.type("ght")
    run.terminal.press("enter enter")
    run.terminal.wait("Which features?")
    run.terminal.press("a enter")
    run.terminal.wait("Submit answers")
    run.terminal.press("enter")
    assert run.result("toolu_e2e_1") == (
        'The user answered: "Which database?"="half a thought", "Which features?"="Auth, Cache, Logs". '
        "Read the answers carefully — they may request clarification, changes, or that you not proceed"
        " — and follow what they actually say."
    )
    run.terminal.wait("❯ a draft prompt")


def test_an_empty_multi_select_is_confirmed_in_so_many_words(start: Start) -> None:
    run = start(asking(FEATURES))
    run.terminal.wait_panel("Which features?")
    run.terminal.press("enter")
    run.terminal.wait("nothing selected")
    run.terminal.press("end enter")
    assert '"Which features?"="(none of these)"' in run.result("toolu_e2e_1")


def test_two_sets_at_once_queue_in_order(start: Start) -> None:
    run = start(Scenario("e2e").together(ask(DATABASE), ask(SURE)).says(DONE))
    run.terminal.wait("1 of 2")
    run.terminal.wait_panel("Which database?")
    run.terminal.press("3 enter")
    run.terminal.wait_panel("Proceed?")
    run.terminal.press("end up enter")
    assert '"Which database?"="DuckDB"' in run.result("toolu_e2e_1")
    assert '"Proceed?"="No"' in run.result("toolu_e2e_2")
    run.terminal.wait(DONE)


def test_the_text_is_edited_in_the_persons_editor(start: Start, tmp_path: Path) -> None:
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nsed -i "s/$/ by hand/" "$1"\n')
    editor.chmod(0o755)
    run = start(asking(DATABASE), variables={"VISUAL": str(editor)})
    run.terminal.wait_panel("Which database?")
    run.terminal.press("o")
    run.terminal.wait("Other, in your own words")
    run.terminal.type("chosen")
    run.terminal.press("ctrl+g")
    run.terminal.wait("chosen by hand")
    run.terminal.press("enter enter")
    assert '"Which database?"="chosen by hand"' in run.result("toolu_e2e_1")


@pytest.mark.parametrize("editor", ["/nonexistent/editor", "/bin/false"])
def test_an_editor_that_fails_loses_nothing(start: Start, editor: str) -> None:
    run = start(asking(DATABASE), variables={"VISUAL": editor})
    run.terminal.wait_panel("Which database?")
    run.terminal.press("o")
    run.terminal.wait("Other, in your own words")
    run.terminal.type("chosen")
    run.terminal.press("ctrl+g")
    run.terminal.wait("set VISUAL or EDITOR")
    run.terminal.type(" by me")
    run.terminal.press("enter enter")
    assert '"Which database?"="chosen by me"' in run.result("toolu_e2e_1")

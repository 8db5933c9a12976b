"""Prompts as questions, and what was answered at the terminal."""

from __future__ import annotations

import pytest

from ccq_tui.bridges.terminal.detect import FoundPrompt, Reads, find
from ccq_tui.bridges.terminal.prompt_request import Wanted, context_of, read_off, request_for, wanted
from ccq_tui.bridges.terminal.rules import load_rules
from ccq_tui.inbox.kinds import check_outcome
from ccq_tui.inbox.requests import Asker, Origin, QuestionRequest
from ccq_tui.inbox.verdicts import InvalidOutcome
from ccq_tui.questions import Answer, Answered, Declined, Discussed, Kind
from ccq_tui.questions.events import OpenOther, PanelCommand, TextChanged
from ccq_tui.questions.keys import hints
from ccq_tui.questions.machine import step
from ccq_tui.questions.state import opened
from tests.unit.bridges.terminal.test_detect import drawn

RULES, _ = load_rules(None)
ORIGIN = Origin(Asker.TERMINAL, "setup", "/home/ada")
LIST = "? Which framework?\n❯ Vite\n  Next.js\n"
CHECKS = "? Which features?\n❯◯ Auth\n ◉ Logs\n"


def prompt_of(text: str, *, keys: bool = False) -> FoundPrompt:
    reads = Reads(echo=not keys, lines=not keys, waits=True)
    found = find(drawn(text, hidden="❯" in text), reads, RULES).prompt
    assert found is not None
    return found


def asked(prompt: FoundPrompt) -> QuestionRequest:
    return request_for(prompt, "prompt-1", "terminal:1", ORIGIN)


def test_a_list_is_a_choice_and_boxes_are_several() -> None:
    (question,) = asked(prompt_of(LIST, keys=True)).questions.questions
    assert (question.text, question.kind, question.multi_select) == ("Which framework?", Kind.CHOICE, False)
    assert [option.label for option in question.options] == ["Vite", "Next.js"]
    request = asked(prompt_of(CHECKS, keys=True))
    (question,) = request.questions.questions
    assert question.multi_select
    assert [(option.label, option.description) for option in question.options] == [
        ("Auth", ""),
        ("Logs", "checked at the terminal"),
    ]
    assert (request.origin.called, request.questions.title) == ("setup", "")


def test_a_line_is_a_text_with_what_it_proposes() -> None:
    (question,) = asked(prompt_of("Your name [Ada]: ")).questions.questions
    assert (question.text, question.kind, question.default) == ("Your name", Kind.TEXT, "Ada")


@pytest.mark.parametrize(("text", "keys"), [("Your name [Ada]: ", False), (LIST, True), (CHECKS, True)])
def test_the_panel_of_a_prompt_offers_no_notes_and_no_prose(text: str, keys: bool) -> None:
    request = asked(prompt_of(text, keys=keys))
    state = opened(request.questions)
    assert {shown for shown, _ in hints(state)}.isdisjoint({"n", "c"})
    assert step(state, PanelCommand.DISCUSS) == step(state, PanelCommand.NOTE) == state


def test_a_text_for_a_prompt_stays_one_line() -> None:
    state = step(opened(asked(prompt_of("Your name: ")).questions), OpenOther())
    assert "Ctrl+J" not in {shown for shown, _ in hints(state)}
    assert step(state, TextChanged("Ada\n\tLovelace\n")).text == "Ada  Lovelace"


@pytest.mark.parametrize(
    ("text", "keys", "outcome", "field", "reason"),
    [
        ("Name: ", False, Answered((Answer(other="a\nb"),)), "answers[0].other", "one line of plain text"),
        ("Name: ", False, Answered((Answer(other="a\x1b[A"),)), "answers[0].other", "one line of plain text"),
        ("Name: ", False, Answered((Answer(other="a", note="b"),)), "answers[0].note", "takes no note"),
        ("Go on? [y/n] ", False, Discussed("well"), "", "setup's prompt takes an answer or nothing"),
        (
            "Go on? [y/n] ",
            False,
            Answered((Answer(other="maybe"),)),
            "answers[0].other",
            "no text of your own",
        ),
        (CHECKS, True, Answered((Answer(other="More"),)), "answers[0].other", "no text of your own"),
    ],
)
def test_what_cannot_be_typed_at_a_prompt_is_refused(
    text: str, keys: bool, outcome: Answered | Discussed, field: str, reason: str
) -> None:
    with pytest.raises(InvalidOutcome) as caught:
        check_outcome(asked(prompt_of(text, keys=keys)), outcome)
    assert caught.value.field == field
    assert reason in caught.value.reason


def test_what_can_be_typed_is_taken() -> None:
    check_outcome(asked(prompt_of(LIST, keys=True)), Answered((Answer(other="a row below"),)))
    check_outcome(asked(prompt_of("Pick [a,b,?] ")), Answered((Answer(other="s"),)))
    check_outcome(asked(prompt_of("Go on? [y/n] ")), Declined())
    check_outcome(asked(prompt_of("Name: ")), Answered((Answer(("Enter alone",)),)))


def test_an_answer_is_what_is_typed() -> None:
    assert wanted(prompt_of("Sure? (yes/no) "), Answer(selected=("Yes",))) == Wanted(text="yes")
    numbered = prompt_of(" 1) red\n 2) green\nColour: ")
    assert wanted(numbered, Answer(selected=("green",))) == Wanted(text="2")
    assert wanted(numbered, Answer(other="7")) == Wanted(text="7")
    assert wanted(prompt_of("Name [Ada]: "), Answer(("Enter alone",))) == Wanted()
    assert wanted(prompt_of(LIST, keys=True), Answer(selected=("Vite",))) == Wanted(("Vite",))


@pytest.mark.parametrize(
    ("text", "keys", "left", "answer"),
    [
        ("Go on? [y/N] ", False, "Go on? [y/N] y\nDone.\n", Answer(selected=("Yes",))),
        ("Go on? [y/N] ", False, "Go on? [y/N] what\nDone.\n", None),
        ("Your name [Ada]: ", False, "Your name [Ada]: Bob\n", Answer(other="Bob")),
        ("Your name [Ada]: ", False, "Your name [Ada]: \n", None),
        (" 1) red\n 2) green\n#? ", False, " 1) red\n 2) green\n#? 2\n", Answer(selected=("green",))),
        (LIST, True, "✔ Which framework? Next.js\nInstalling\n", Answer(selected=("Next.js",))),
        (LIST, True, "✔ Which framework? › Vite\n", Answer(selected=("Vite",))),
        (LIST, True, "Installing\n", None),
        (CHECKS, True, "✔ Which features? Auth, Logs\n", Answer(selected=("Auth", "Logs"))),
        (CHECKS, True, "? Which features? done (2 selections)\n", None),
        (CHECKS, True, "  ⎿  · Which features? → Logs\n", Answer(selected=("Logs",))),
    ],
)
def test_what_was_answered_at_the_terminal_is_read_off(
    text: str, keys: bool, left: str, answer: Answer | None
) -> None:
    assert read_off(prompt_of(text, keys=keys), drawn(left)) == answer


def test_lines_above_a_prompt_go_along() -> None:
    picture = drawn("Removing 3 files\nfrom the disk\nGo on? [y/N] ")
    prompt = find(picture, Reads(waits=True), RULES).prompt
    assert prompt is not None
    assert context_of(picture, prompt) == "Removing 3 files\nfrom the disk"

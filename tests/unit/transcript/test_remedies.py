"""Error cards: cause, what more is known, remedy, and the key for it."""

from __future__ import annotations

from ccq_tui.agent import events as ev
from ccq_tui.agent.problems import Problem
from tests.unit.transcript.test_drawing import model, shown


def test_a_card_says_cause_detail_remedy_and_key() -> None:
    data = model()
    data.apply(ev.ErrorReported(Problem.OVERLOADED, "529 Overloaded."))
    data.offer("F6 send it again")
    assert shown(data) == (
        "✘ The API is overloaded.\n  529 Overloaded.\n"
        "  → Wait a moment, then send the prompt again.\n  F6 send it again"
    )
    data.offer("")
    assert "F6" not in shown(data)


def test_only_the_newest_error_that_has_a_remedy_shows_a_key() -> None:
    data = model()
    data.apply(ev.ErrorReported(Problem.OVERLOADED, ""))
    data.offer("F6 send it again")
    data.apply(ev.ErrorReported(Problem.MODEL_MISSING, ""))
    data.offer("F6 choose another model")
    data.apply(ev.ErrorReported("interrupt", "The turn was not interrupted."))
    text = shown(data)
    assert "again.\n\n✘ This model" in text
    assert "F6 choose another model\n\n✘ Interrupt\n  The turn was not interrupted." in text


def test_an_error_that_happens_again_is_counted() -> None:
    data = model()
    for _ in range(3):
        data.apply(ev.SessionLost("/bin/false is not Claude Code.", kind=Problem.CLI_UNUSABLE))
    assert "✘ Claude Code did not start. · 3 times\n" in shown(data)
    assert shown(data).count("✘") == 1

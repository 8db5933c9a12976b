"""Slow question sets: read and answered while the model still writes them."""

from __future__ import annotations

from ccq_tui.questions.model import Question
from ccq_tui.testing.scenario import Scenario
from ccq_tui.testing.scenarios.ready import choice, unless_refused
from ccq_tui.testing.tool_input import question_set_input

STORE = """\
bookmarks.db
├── bookmarks   id, url, title, note
├── tags        id, name
└── tagged      bookmark, tag
"""
FILES = """\
bookmarks/
├── 2026-11-20-a-page.md
└── 2026-11-21-another.md
"""


def release_questions() -> tuple[Question, ...]:
    """Return three questions with much to read."""
    return (
        choice(
            "Where should the bookmarks be kept?",
            "Storage",
            (
                "One database file (Recommended)",
                "Quick to search, simple to back up, and nothing to install; one writer at a time",
                STORE,
            ),
            (
                "One text file each",
                "Readable without the program and easy to keep in git; searching reads all of them",
                FILES,
            ),
            ("A server", "Many writers and full-text search, and somebody who looks after it"),
        ),
        choice(
            "What should the first version be able to do?",
            "Features",
            ("Import", "Reads what browsers export, with its folders as tags"),
            ("Full-text search", "Also finds words of the saved pages, not of their titles alone"),
            ("Sharing", "A read-only page for each tag, under an address that cannot be guessed"),
            ("Reminders", "Brings back what was saved and never opened, once a week"),
            multi=True,
        ),
        choice(
            "Who will use it at first?",
            "Audience",
            ("Only me", "No accounts, no permissions; it listens on this machine alone"),
            ("My team", "Personal tokens, and everybody sees everything"),
        ),
    )


def arriving() -> Scenario:
    """A long set, and one that Claude Code rejects and the model then repeats."""
    questions = release_questions()
    alone = {
        "question": "How often is it backed up?",
        "header": "Backups",
        "options": [{"label": "Every night", "description": "While nobody uses it"}],
        "multiSelect": False,
    }
    again = choice(
        "How often is it backed up?",
        "Backups",
        ("Every night", "While nobody uses it"),
        ("After each change", "Nothing is lost, and more is written"),
    )
    return (
        Scenario("arriving", title="A plan for the bookmarks")
        .says("Three things decide the rest. You can read and answer while I still write.")
        .asks(*questions)
        .then(
            unless_refused(
                lambda a: (
                    Scenario()
                    .says(
                        f"Noted: {a.answers(1)}.\n\nOne more question; my first try at it will be rejected."
                    )
                    .asks(raw=question_set_input([questions[2], alone]))
                    .asks(questions[2], again)
                    .then(unless_refused(lambda a: f"That is all I need: {a.answers(3)}."))
                )
            )
        )
    )

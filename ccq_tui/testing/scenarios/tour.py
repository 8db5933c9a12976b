"""The default of the demo: a tour of the program, as the design of a small service."""

from __future__ import annotations

from ccq_tui.questions.model import Question
from ccq_tui.testing.replies import Replies
from ccq_tui.testing.scenario import Scenario
from ccq_tui.testing.scenarios.design import design_questions
from ccq_tui.testing.scenarios.ready import DATABASE, NAME, RETENTION, choice, first_line

_WELCOME = """\
# Welcome

This is a **real session** with the real command line tool; only the model is scripted, so nothing leaves \
your machine and no account is needed. Together we design a small *bookmark service*.

1. You answer my questions with the keyboard; every key is shown where it applies.
2. You can scroll with `PageUp` and `PageDown` at any time, also while a question is open.
3. `Esc` hides a question, `F2` brings it back. Nothing you typed is lost.

```python
@dataclass
class Bookmark:
    url: str
    title: str
    tags: list[str]
```

First I have a look at the directory.
"""
_PLAN = """\
# Build the bookmark service

1. **Storage** behind one small interface, with the database you chose.
2. **API** as decided: paging, sign-in and errors first, the extras after them.
3. **Release** with a version file and a change log.

Each step is one commit, and each has a test that failed before it.
"""


def tour() -> Scenario:
    """Markdown, thinking, tools, every kind of question, a permission, a plan, and a summary."""
    return (
        Scenario("tour", title="Bookmark service")
        .thinks(
            "A new project. I look at what is there, then ask for the decisions that are not mine to make."
        )
        .says(_WELCOME)
        .runs("Bash", command="ls -la", description="Look at the project directory")
        .says("The directory is empty, so we start from nothing. One decision shapes the rest.")
        .asks(DATABASE)
        .says(_after_database)
        .asks(_layout(), _extras())
        .says(
            "Now four at once. Go back and forth between them with `Tab`; a review comes before I get them."
        )
        .asks(*design_questions())
        .says("Two facts I cannot guess.")
        .asks(NAME, RETENTION, title="The package")
        .says("I write the first file. You decide whether I may.")
        .runs(
            "Bash",
            command="mkdir -p bookmarks && echo 0.1.0 > bookmarks/VERSION && cat bookmarks/VERSION",
            description="Create the package directory with its version",
        )
        .says(_after_permission)
        .plans(_PLAN, revised=lambda a: f"{_PLAN}\n## Your remark\n\n> {first_line(a)}\n")
        .says(_closing)
        # No further turn: after an interrupt the tour continues where it was.
        .afterwards("The tour is over. `ccq-tui demo --list` shows the other scenarios.")
    )


def _layout() -> Question:
    flat = "bookmarks/\n├── api.py\n├── store.py\n└── search.py\ntests/\n└── test_api.py\n"
    layered = (
        "bookmarks/\n├── api/\n│   ├── routes.py\n│   └── errors.py\n├── core/\n│   └── bookmark.py\n"
        "└── store/\n    └── database.py\ntests/\n"
    )
    return choice(
        "How should the code be laid out?",
        "Layout",
        ("Flat", "Three modules; easy to read in one sitting", flat),
        ("Layered", "Room to grow; imports go one way", layered),
    )


def _extras() -> Question:
    return choice(
        "Which parts should the first version have?",
        "Parts",
        ("Command line", "Add and find bookmarks from a shell"),
        ("Web page", "A list with a search field"),
        ("Browser extension", "One key adds the present page"),
        multi=True,
    )


def _after_database(a: Replies) -> str:
    if a.failed:
        return "You would rather not decide that now, which is fine: I keep the storage replaceable."
    chosen = a.picked("SQLite", "PostgreSQL", "DuckDB")
    reasons = {
        "SQLite": "One file it is: backups are a copy, and tests need no server.",
        "PostgreSQL": "A server it is: I add a container for the tests.",
        "DuckDB": "Unusual, and good for reports: I batch the writes.",
    }
    opening = reasons.get(chosen, f"That is a choice of your own: {a.answers(2)}.")
    return f"{opening} Next, how the code is laid out (with previews), and which parts you want."


def _after_permission(a: Replies) -> str:
    if a.failed:
        return f"I left the disk alone, as you said:\n\n> {first_line(a)}\n\nOn to the plan."
    return "The file is there. Before I write the rest, here is my plan."


def _closing(a: Replies) -> str:
    rows = "\n".join(f"- {a.answers(number) or '(not answered)'}" for number in range(2, 6))
    return f"## What we decided\n\n{rows}\n\nThe plan is approved. Thank you for taking the tour."

"""The scenarios that the demo offers: one question, four of them, and a tour of the program."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from ccq_tui.questions.model import Kind, Option, Question
from ccq_tui.testing.replies import Replies
from ccq_tui.testing.scenario import Scenario


class Ready(NamedTuple):
    """A scenario that comes with the package.

    Attributes:
        prompt: A first prompt that fits it.
        build: Makes it anew.
    """

    prompt: str
    build: Callable[[], Scenario]


def choice(
    text: str, header: str, *options: tuple[str, str] | tuple[str, str, str], multi: bool = False
) -> Question:
    """Make a question from plain tuples: label, description, and optionally a preview."""
    made = tuple(Option(row[0], row[1], row[2] if len(row) > 2 else None) for row in options)
    return Question(text, header, made, multi_select=multi)


DATABASE = choice(
    "Which database should the bookmark service use?",
    "Database",
    ("SQLite (Recommended)", "One file, no server to run"),
    ("PostgreSQL", "Many writers at once, needs a server"),
    ("DuckDB", "Made for reports over many rows"),
)
NAME = Question(
    "What should the package be called?",
    "Name",
    kind=Kind.TEXT,
    description="Lower case with dashes; it becomes the name on the package index.",
    placeholder="for example tidy-bookmarks",
)
RETENTION = Question(
    "For how many days are deleted bookmarks kept?",
    "Retention",
    kind=Kind.NUMBER,
    description="They can be restored during that time.",
    minimum=1,
    maximum=365,
    step=1,
    default="30",
    unit="days",
)


def refused(replies: Replies) -> str:
    """Return the words that repeat a refusal, or "" if the newest tool call was not refused."""
    return (
        f"All right, I leave it at that. You told me:\n\n> {first_line(replies)}\n" if replies.failed else ""
    )


def first_line(replies: Replies) -> str:
    """Return the first line of the newest tool result."""
    return replies.last.strip().split("\n", 1)[0] or "(nothing)"


CURSOR_PREVIEW = """\
GET /v1/bookmarks?after=bkm_81f2&limit=50

{
  "data": [ { "id": "bkm_81f3", "url": "https://…" } ],
  "next": "/v1/bookmarks?after=bkm_8231&limit=50"
}
"""
OFFSET_PREVIEW = """\
GET /v1/bookmarks?page=3&per_page=50

{
  "data": [ { "id": "bkm_81f3", "url": "https://…" } ],
  "page": 3, "pages": 18, "total": 871
}
"""
DESIGN_QUESTIONS = (
    choice(
        "How should long lists be paged?",
        "Paging",
        ("Cursor (Recommended)", "Stable while rows are added; no page numbers", CURSOR_PREVIEW),
        ("Page number", "Easy to link to; rows shift while people write", OFFSET_PREVIEW),
    ),
    choice(
        "Which extras should the first version have?",
        "Extras",
        ("Full-text search", "Over title, notes and tags"),
        ("Tags", "Many to a bookmark, shared by the team"),
        ("Import", "From a browser's HTML export"),
        ("Rate limits", "Per token, with clear headers"),
        multi=True,
    ),
    choice(
        "How do clients sign in?",
        "Sign-in",
        ("Personal tokens (Recommended)", "Created in the settings, sent as a header"),
        ("OAuth 2", "For third-party applications; two weeks more work"),
        ("Session cookie", "Only the web client"),
    ),
    choice(
        "What should an error look like?",
        "Errors",
        ("Problem JSON", "RFC 9457: type, title, status, detail"),
        ("Code and message", "Two fields, nothing else"),
    ),
)
"""Questions about an API: previews, several choices, a recommendation, a plain one."""
_FLAT = "bookmarks/\n├── api.py\n├── store.py\n└── search.py\ntests/\n└── test_api.py\n"
_LAYERED = (
    "bookmarks/\n├── api/\n│   ├── routes.py\n│   └── errors.py\n├── core/\n│   └── bookmark.py\n"
    "└── store/\n    └── database.py\ntests/\n"
)
LAYOUT = choice(
    "How should the code be laid out?",
    "Layout",
    ("Flat", "Three modules; easy to read in one sitting", _FLAT),
    ("Layered", "Room to grow; imports go one way", _LAYERED),
)
PARTS = choice(
    "Which parts should the first version have?",
    "Parts",
    ("Command line", "Add and find bookmarks from a shell"),
    ("Web page", "A list with a search field"),
    ("Browser extension", "One key adds the present page"),
    multi=True,
)


def four() -> Scenario:
    """Four questions in one set: previews, a multi select, recommendations."""
    return (
        Scenario("four", title="Bookmark API design")
        .thinks("Paging shapes every client; the rest can change later. Ask all of it in one go.")
        .says("Before I write the OpenAPI document I need four decisions from you.")
        .asks(*DESIGN_QUESTIONS)
        .says(
            lambda a: (
                refused(a)
                or f"### Decisions\n\n{a.answers(1)}\n\n"
                "I turn these into `openapi.yaml`, with an example for every response."
            )
        )
    )


def single() -> Scenario:
    """One single-select question with a recommendation."""
    return (
        Scenario("single", title="Database for bookmarks")
        .says(
            "The service stores bookmarks for a few hundred people. One thing decides the rest of the design."
        )
        .asks(DATABASE)
        .says(
            lambda a: (
                refused(a)
                or f"Noted: {a.answers(1)}.\n\nI keep the storage behind one small interface, "
                "so that this can change later without touching the handlers."
            )
        )
    )


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
        .asks(LAYOUT, PARTS)
        .says(
            "Now four at once. Go back and forth between them with `Tab`; a review comes before I get them."
        )
        .asks(*DESIGN_QUESTIONS)
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
        .afterwards("The tour is over. `ccq-tui` alone starts a session of your own.")
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


READY: Mapping[str, Ready] = {
    "tour": Ready("Design a small bookmark service with me", tour),
    "single": Ready("Choose a database for the bookmarks", single),
    "four": Ready("Design the bookmark API", four),
}
"""The scenarios by their names on the command line."""

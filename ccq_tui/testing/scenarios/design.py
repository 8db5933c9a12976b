"""Designing something together: four questions in one set, and five rounds that build on each other."""

from __future__ import annotations

from ccq_tui.questions.model import Question
from ccq_tui.testing.replies import Replies
from ccq_tui.testing.scenario import Scenario
from ccq_tui.testing.scenarios.ready import choice, unless_refused

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


def design_questions() -> tuple[Question, ...]:
    """Four questions about an API: previews, several choices, a recommendation, a plain one."""
    return (
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


def mixed_four() -> Scenario:
    """Four questions in one set: previews, a multi select, recommendations."""
    return (
        Scenario("mixed_four", title="Bookmark API design")
        .thinks("Paging shapes every client; the rest can change later. Ask all of it in one go.")
        .says("Before I write the OpenAPI document I need four decisions from you.")
        .asks(*design_questions())
        .then(
            unless_refused(
                lambda a: (
                    f"### Decisions\n\n{a.answers(1)}\n\n"
                    "I turn these into `openapi.yaml`, with an example for every response."
                )
            )
        )
    )


_STORES = ("SQLite", "PostgreSQL")


def multi_round() -> Scenario:
    """Five rounds; each question depends on the answers before it."""
    opening = choice(
        "Where should the bookmarks be stored?",
        "Store",
        ("SQLite", "A file beside the service"),
        ("PostgreSQL", "A database server"),
    )
    return (
        Scenario("multi_round", title="Storage in five steps")
        .says("Let us settle the storage step by step; every answer decides what I ask next.")
        .asks(opening)
        .then(unless_refused(_second))
    )


def _second(a: Replies) -> Scenario:
    store = a.picked(*_STORES, otherwise="your own choice")
    question = {
        "SQLite": choice(
            "Where does the SQLite file live?",
            "File",
            ("Local disk", "Fastest; one machine"),
            ("Network volume", "Survives the machine; slower commits"),
        ),
        "PostgreSQL": choice(
            "Who runs PostgreSQL?",
            "Operation",
            ("Managed service", "Backups and updates included"),
            ("Ourselves", "Full control, our own on-call"),
        ),
    }.get(
        store,
        choice(
            "Does the store you named run on a machine of its own?",
            "Operation",
            ("Yes", "A separate host"),
            ("No", "Beside the service"),
        ),
    )
    return Scenario().says(f"**1 of 5** {store}.").asks(question).then(unless_refused(_third))


def _third(a: Replies) -> Scenario:
    local = a.picked("Local disk", "Ourselves", "No", otherwise="")
    question = choice(
        "How often is it backed up?" if local else "Is a second copy wanted in another region?",
        "Backup",
        ("Every hour" if local else "Yes, in another region", "The safest choice here"),
        ("Every night" if local else "No, one region", "Cheaper, and enough for bookmarks"),
    )
    return Scenario().says(f"**2 of 5** {a.answers(2)}.").asks(question).then(unless_refused(_fourth))


def _fourth(a: Replies) -> Scenario:
    backup = a.picked("Every hour", "Every night", "in another region", "one region", otherwise="your choice")
    question = choice(
        f"With the backup as decided ({backup.lower()}), what may be lost in the worst case?",
        "Loss",
        ("Nothing", "Every commit waits for the copy"),
        ("A few minutes", "Commits are fast, the copy follows"),
        ("A day", "Fine for this data"),
    )
    return Scenario().says(f"**3 of 5** {a.answers(3)}.").asks(question).then(unless_refused(_fifth))


def _fifth(a: Replies) -> Scenario:
    question = choice(
        "Shall I write this down as a decision record?",
        "Record",
        ("Yes, in docs/decisions", "One page with the reasons"),
        ("No", "The commit message is enough"),
    )
    return Scenario().says(f"**4 of 5** {a.answers(4)}.").asks(question).then(unless_refused(_summary))


def _summary(a: Replies) -> str:
    rows = "\n".join(f"{number}. {a.answers(number)}" for number in range(1, 6))
    return f"**5 of 5** That settles it:\n\n{rows}\n"

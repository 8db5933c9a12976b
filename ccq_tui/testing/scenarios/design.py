"""Designing something together: four questions in one set."""

from __future__ import annotations

from ccq_tui.questions.model import Question
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

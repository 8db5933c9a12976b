"""A working agent: permissions, and a plan to approve."""

from __future__ import annotations

from ccq_tui.testing.replies import Replies
from ccq_tui.testing.scenario import Scenario
from ccq_tui.testing.scenarios.ready import first_line

CHANGELOG = """\
# Changelog

## 1.4.0

- Bookmarks can be imported from a browser's HTML export.
- Search finds words in notes as well.
- Deleted bookmarks can be restored for 30 days.
"""
PLAN = """\
# Import bookmarks from a browser

## Context

People ask for a way to bring their bookmarks along. Every browser exports the same HTML format.

## Steps

1. `importer/html.py`: parse the export with the standard library, folders become tags.
2. `api/imports.py`: `POST /v1/imports`, at most 5 MB, answers with the number of bookmarks added.
3. `tests/data/`: one export of each browser; the result is compared as JSON.

## Verification

- `pytest tests/importer` is green.
- Importing the same file twice adds nothing the second time.
"""
REVISED_PLAN = (
    PLAN
    + """
## After your remarks

- The limit of 5 MB becomes a setting.
- A dry run reports what would be added.
"""
)


def with_permission() -> Scenario:
    """A command that needs permission, then a file written with permission."""
    return (
        Scenario("with_permission", title="Release 1.4.0")
        .says("I prepare the release: first the version file, then the change log.")
        .runs(
            "Bash",
            command="mkdir -p dist && echo 1.4.0 > dist/VERSION && cat dist/VERSION",
            description="Write the version of the release",
        )
        .says(lambda a: _refused(a, "the version file") or "The version file is there. Now the change log.")
        .runs("Write", file_path=lambda a: f"{a.directory}/CHANGELOG.md", content=CHANGELOG)
        .says(
            lambda a: (
                _refused(a, "the change log")
                or "Both are written. Tag the commit with `v1.4.0` when you are happy with the text."
            )
        )
    )


def _refused(a: Replies, what: str) -> str:
    return f"I left {what} alone: {first_line(a)}\n\n" if a.failed else ""


def with_plan() -> Scenario:
    """Plan mode, a plan to approve, and a better one for as long as it is rejected."""
    return (
        Scenario("with_plan", title="Bookmark import")
        .says("This touches three places, so I plan before I write.")
        .plans(PLAN, revised=REVISED_PLAN)
        .says("The plan is approved. I start with the parser and its test data.")
    )

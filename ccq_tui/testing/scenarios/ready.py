"""The form of a ready scenario, and helpers that several scenarios share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ccq_tui.questions.model import Kind, Option, Question
from ccq_tui.testing.replies import Replies
from ccq_tui.testing.scenario import Scenario


@dataclass(frozen=True)
class Ready:
    """A scenario that comes with the package.

    Attributes:
        name: Its name on the command line.
        description: One line about it.
        prompt: A first prompt that fits it.
        build: Makes the scenario; large texts are made only then.
    """

    name: str
    description: str
    prompt: str
    build: Callable[[], Scenario]

    @property
    def scenario(self) -> Scenario:
        """A new build of the scenario."""
        return self.build()


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


def unless_refused(go_on: Callable[[Replies], Scenario | str]) -> Callable[[Replies], Scenario]:
    """Make a callable for ``Scenario.then`` that continues only if the newest tool call was not refused.

    Args:
        go_on: Chooses the steps to play, or the words to say, where there was no refusal.

    Returns:
        A callable that repeats the refusal, where there was one, and stops there.
    """

    def choose(replies: Replies) -> Scenario:
        refused = f"All right, I leave it at that. You told me:\n\n> {first_line(replies)}\n"
        went = refused if replies.failed else go_on(replies)
        return Scenario().says(went) if isinstance(went, str) else went

    return choose


def first_line(replies: Replies) -> str:
    """Return the first line of the newest tool result."""
    return replies.last.strip().split("\n", 1)[0] or "(nothing)"

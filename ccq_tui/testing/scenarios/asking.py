"""Questions of one kind each: none, single, multi, text and number, and two sets at once."""

from __future__ import annotations

from ccq_tui.testing.scenario import Scenario, ask
from ccq_tui.testing.scenarios.ready import DATABASE, NAME, RETENTION, choice, unless_refused

_EXPLANATION = """\
`functools.cache` keeps **every** result for the life of the process; `lru_cache(maxsize=n)` drops the one \
that was not used for longest once `n` are kept.

| | `cache` | `lru_cache(maxsize=128)` |
|---|---|---|
| memory | grows without limit | bounded |
| a lookup costs | a dictionary access | that, and moving a list entry |
| thread-safe | yes | yes |

Use `cache` for a handful of pure functions with few arguments, such as parsing the same settings:

```python
from functools import cache

@cache
def settings() -> Settings:
    return Settings.load("app.toml")
```

For anything keyed by a person's input, take the bounded one. Both have `cache_clear()`, which tests need.
"""


def no_questions() -> Scenario:
    """Thinking, then an explanation in Markdown; nothing to answer."""
    return (
        Scenario("no_questions", title="Caching in functools")
        .thinks(
            "Two decorators, one difference that matters: whether the cache is bounded. A table is enough."
        )
        .says(_EXPLANATION)
        .ends_turn()
        .says("Glad to. `cache_info()` on either of them tells hits, misses and the present size.")
    )


def single() -> Scenario:
    """One single-select question with a recommendation."""
    return (
        Scenario("single", title="Database for bookmarks")
        .says(
            "The service stores bookmarks for a few hundred people. One thing decides the rest of the design."
        )
        .asks(DATABASE)
        .then(
            unless_refused(
                lambda a: (
                    f"Noted: {a.answers(1)}.\n\nI keep the storage behind one small interface, "
                    "so that this can change later without touching the handlers."
                )
            )
        )
    )


def multi() -> Scenario:
    """One multi-select question."""
    checks = choice(
        "Which checks should run before every merge?",
        "Checks",
        ("Unit tests", "About 40 seconds"),
        ("Type check", "mypy in strict mode, 12 seconds"),
        ("Lint and format", "ruff, under a second"),
        ("End to end", "Against a real browser, about 6 minutes"),
        multi=True,
    )
    return (
        Scenario("multi", title="Checks before a merge")
        .says("I can set up the pipeline. Pick everything that must be green before a merge.")
        .asks(checks)
        .then(
            unless_refused(
                lambda a: (
                    f"The pipeline will run: {a.answers(1)}.\n\n"
                    "Everything else stays available as a manual job, and runs each night on `main`."
                )
            )
        )
    )


def text_and_number() -> Scenario:
    """A text, a number and a choice in one set; needs the extended question kinds."""
    licence = choice(
        "Under which licence is it published?",
        "Licence",
        ("MIT", "Short and permissive"),
        ("Apache-2.0", "Permissive, with a patent grant"),
    )
    return (
        Scenario("text_and_number", title="A new package")
        .says("Three facts, and I can create the package.")
        .asks(NAME, RETENTION, licence, title="The new package")
        .then(
            unless_refused(lambda a: f"I write this into `pyproject.toml` and `settings.py`: {a.answers(1)}.")
        )
    )


def two_at_once() -> Scenario:
    """Two question sets in one message, asked one after the other."""
    where = choice(
        "Where should the service run?",
        "Hosting",
        ("One virtual machine", "Simple, you look after it"),
        ("Containers", "Rolling updates, more to set up"),
    )
    who = choice(
        "Who is told when it is down?",
        "Alerts",
        ("E-mail to the team", "Read in the morning"),
        ("Chat channel", "Read within minutes"),
        ("Pager", "Wakes somebody up"),
        multi=True,
    )
    return (
        Scenario("two_at_once", title="Hosting and alerts")
        .says("Two independent things, so I ask about both at once.")
        .together(ask(where), ask(who))
        .says(
            lambda a: (
                f"- hosting: {a.answers(1)}\n- alerts: {a.answers(2)}\n\n"
                "I prepare the deployment script for the first and the monitoring rules for the second."
            )
        )
    )

"""An inbox with one request of each kind, where the commands look for it."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from ccq_tui.config.paths import inbox_path
from ccq_tui.inbox.requests import PermissionRequest, PlanRequest, QuestionRequest
from ccq_tui.inbox.store.rows import SessionState
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.suggestions import Rule, Suggestion
from ccq_tui.processes import this_process
from ccq_tui.questions import Kind, Option, Question, QuestionSet

SESSION = "8f14e45f-ceea-467f-a8f5-1b3a0d0a0001"
RUNNING = "c9f0f895-fb98-4bb9-9c1a-2d4b0e0b0002"
CACHE = "toolu_01Cache7Rk2PqX"
FEATURES = "toolu_01Feat4mZ8LwTy"
PERMISSION = "toolu_01Perm9dQ1VbNs"
PLAN = "toolu_01Plan3xT5GhJk"
FULL = ["--choose", "1=1,3", "--other", "2=4", "--other", "3=api"]
"""What answers `FEATURES`."""

_CACHE = Question(
    "Which cache should the API use?",
    "Cache",
    (
        Option("Redis (Recommended)", "Fast, and one more service to run"),
        Option("SQLite", "No service", preview="a = 1\n   b = 2"),
        Option("None"),
    ),
)
_FEATURES = (
    Question(
        "Which features should it have?",
        "Features",
        (Option("Auth"), Option("Logs"), Option("Search")),
        multi_select=True,
    ),
    Question("How many workers?", "Workers", kind=Kind.NUMBER, minimum=1, maximum=8, step=1),
    Question("What is it called?", "Name", kind=Kind.TEXT),
)
_RULE = Suggestion("addRules", "localSettings", (Rule("Bash", "npm test *"),), "allow")


def id_of(call: str) -> str:
    """Return the id of the request that a call made."""
    return f"{call}@{RUNNING if call in (PERMISSION, PLAN) else SESSION}"


@contextmanager
def asked(at: datetime | None = None) -> Iterator[Store]:
    """Open the inbox for a while, at a fixed time if one is given."""
    store = Store(inbox_path(), now=lambda: at or datetime.now(UTC))
    try:
        yield store
    finally:
        store.close()


def record(session_id: str) -> Path:
    """Return where Claude Code keeps the record of a session; its directory is there."""
    directory = Path.home() / ".claude" / "projects" / "-home-me-api"
    directory.mkdir(parents=True, exist_ok=True)
    return directory / f"{session_id}.jsonl"


def stock(at: datetime | None = None) -> None:
    """Fill the inbox: the questions of a parked session, and the decisions that a running one waits for."""
    record(SESSION).touch()
    record(RUNNING).touch()
    with asked(at) as store:
        store.sessions.upsert(
            SESSION, "/home/me/api", name="api-refactor", last_line="Which cache?", cost=0.12
        )
        store.sessions.set_state(SESSION, SessionState.PARKED, "waited")
        store.sessions.upsert(RUNNING, "/home/me/api", name="api-tests", last_line="I run them.", cost=0.03)
        store.sessions.claim(RUNNING, this_process())
        store.sessions.set_state(RUNNING, SessionState.AWAITING, "asks")
        store.requests.add(
            QuestionRequest(CACHE, SESSION, QuestionSet(CACHE, (_CACHE,))), "I looked at the code."
        )
        store.requests.add(QuestionRequest(FEATURES, SESSION, QuestionSet(FEATURES, _FEATURES)))
        store.requests.add(
            PermissionRequest(
                PERMISSION, RUNNING, "Bash", {"command": "npm test"}, "Run the tests", suggestions=(_RULE,)
            )
        )
        store.requests.add(PlanRequest(PLAN, RUNNING, "# Move to Postgres\n\n1. Dump\n2. Load"))

"""Requests of every kind, which a page shows."""

from ccq_tui.inbox.requests import ElicitationRequest, PermissionRequest, PlanRequest, QuestionRequest
from ccq_tui.questions import Kind, Option, Question, QuestionSet
from tests.unit.remote.publishing import SESSION


def asks(*questions: Question) -> QuestionRequest:
    return QuestionRequest("toolu_1", SESSION, QuestionSet("toolu_1", questions))


CACHE = Question(
    "Which cache should the API use?",
    "Cache",
    (
        Option("Redis (Recommended)", "Fast, and one more service to run"),
        Option("SQLite", "No service, slower under load", "CREATE TABLE cache (\n    key TEXT\n);"),
        Option("None", "Every call asks the database"),
    ),
)
PARTS = (Option("Auth"), Option("Search"), Option("Export"))
FEATURES = Question("Which features should it have?", "Features", PARTS, multi_select=True)
REPLICAS = Question("How many replicas?", "Replicas", kind=Kind.NUMBER, minimum=1, maximum=8, unit="pods")
NAME = Question("What is the service called?", "Name", kind=Kind.TEXT)
COMMAND = {"command": "make test && ./deploy.sh staging", "description": "Run the tests"}
BASH = PermissionRequest("toolu_1", SESSION, "Bash", COMMAND, "Run the tests")
LINES = [" def get(key):", "-    return None", "+    value = a(key)", "+    return value", " "]
PATCH = {"oldStart": 12, "oldLines": 4, "newStart": 12, "newLines": 5, "lines": LINES}
CHANGE = {"type": "update", "added": 2, "removed": 1, "lines": 40, "places": 1, "structuredPatch": [PATCH]}
FILE = {"file_path": "/home/anna/src/api/cache.py", "old_string": "a", "new_string": "b"}
EDIT = PermissionRequest("toolu_1", SESSION, "Edit", FILE, change=CHANGE)
PLAN = PlanRequest(
    "toolu_1",
    SESSION,
    "# Move to Postgres\n\nThe cache **stays** where it is.\n\n1. Add `psycopg`\n2. Move the data:\n"
    "   one table at a time\n3. Remove SQLite\n\n```sh\nmake migrate\n```\n\n> Takes about an hour.",
)
FIELDS = {
    "Region": {"type": "string", "enum": ["eu-west", "us-east"]},
    "mail": {"type": "string", "format": "email", "description": "For the report"},
    "sure": {"type": "boolean"},
}
SCHEMA = {"type": "object", "required": ["Region"], "properties": FIELDS}
FORM = ElicitationRequest("e1", SESSION, "deployer", "Where should it run?", SCHEMA)
ADDRESS = "https://accounts.example.com/device?code=1234"
LINK = ElicitationRequest("e1", SESSION, "deployer", "Sign in to go on", url=ADDRESS)

"""A day's work with one session: what the person does, what the agent does, and what is to be seen then."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from dataclasses import dataclass

from ccq_tui.commands.workspace import WHICH_PROMPT
from ccq_tui.testing import Replies, Scenario, run
from tests.e2e.conftest import Running

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
GREETING = 'def greet(name):\n    return "Hello, " + name\n\n\nprint(greet("you"))\n'
CELL = {"cell_type": "code", "id": "one", "source": "1 + 1", "metadata": {}, "outputs": []}
NOTEBOOK = {"cells": [CELL | {"execution_count": None}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
SERVICE = """
import json, sys

TOOL = {"name": "stock", "description": "How many there are of a part.", "inputSchema": {
    "type": "object", "properties": {"part": {"type": "string"}}, "required": ["part"]}}

def reply(method, given):
    if method == "initialize":
        return {"protocolVersion": given["protocolVersion"], "capabilities": {"tools": {}},
            "serverInfo": {"name": "depot", "version": "1"}}
    if method == "tools/list":
        return {"tools": [TOOL]}
    if method == "tools/call":
        text = f"There are 7 of {given['arguments']['part']}."
        return {"content": [{"type": "text", "text": text}]}
    return {}

for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked:
        result = reply(asked["method"], asked.get("params", {}))
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""
"""A server of MCP by hand: the package's own takes as long to import as the program to start."""


@dataclass(frozen=True)
class Step:
    """One prompt of the day.

    Attributes:
        prompt: What is typed; what follows a "/" the program or the CLI does.
        plays: What the agent does; None where the model is not asked.
        sees: Texts that come on the screen, one after the other.
        does: What the person does before the last of them can come.
    """

    prompt: str
    plays: Callable[[Scenario], Scenario] | None = None
    sees: tuple[str, ...] = ()
    does: Callable[[Running], None] | None = None


def path(name: str) -> Callable[[Replies], str]:
    return lambda a: f"{a.directory}/{name}"


def says(words: str) -> Callable[[Scenario], Scenario]:
    return lambda s: s.says(words)


def allows(asked: str) -> Callable[[Running], None]:
    def do(run: Running) -> None:
        run.terminal.wait_panel(asked)
        run.decide("y")

    return do


def rewinds(run: Running) -> None:
    run.terminal.wait(WHICH_PROMPT)
    run.terminal.press("enter")
    run.terminal.wait("Rewind to before: turn 3")
    run.rest()
    run.terminal.press("enter")
    run.terminal.wait(lambda terminal: terminal.lines[-3] == " ❯ turn 3")
    run.terminal.press("ctrl+u")
    run.terminal.wait("Ask Claude to do something")


SCOUT = (
    Scenario("scout")
    .says("I look around.")
    .runs("Bash", command="ls", description="List the files")
    .says("I saw one greeting.")
)

DAY = (
    Step("good morning", says("Good morning. What shall we build?"), ("What shall we build?",)),
    Step(
        "write a greeting",
        lambda s: s.runs("Write", file_path=path("greet.py"), content=GREETING).says("It greets."),
        ("greet.py", "It greets."),
    ),
    Step(
        "read it to me",
        lambda s: s.runs("Read", file_path=path("greet.py")).says("It has five lines."),
        ("Read", "It has five lines."),
    ),
    Step(
        "greet better",
        lambda s: s.runs(
            "Edit", file_path=path("greet.py"), old_string='"Hello, "', new_string='"Good day, "'
        ).says("It is politer now."),
        ("Edit", "It is politer now."),
    ),
    Step(
        "run it",
        lambda s: s.runs("Bash", command="cat greet.py", description="Show it").says("That is all of it."),
        ("That is all of it.",),
    ),
    Step(
        "make a notebook",
        lambda s: (
            s.runs("Write", file_path=path("sums.ipynb"), content=json.dumps(NOTEBOOK))
            .runs("Read", file_path=path("sums.ipynb"))
            .runs("NotebookEdit", notebook_path=path("sums.ipynb"), cell_id="one", new_source="2 + 2")
            .says("Four, I believe.")
        ),
        ("NotebookEdit", "Four, I believe."),
    ),
    Step(
        "explain it",
        lambda s: s.thinks("How do I put it?").says(
            "## In short\n\n| word | meaning |\n|---|---|\n| hello | a greeting |\n\n"
            "```python\ngreet('you')\n```\n\nThat is it."
        ),
        ("Thought", "a greeting", "That is it."),
    ),
    Step(
        "send someone to look",
        lambda s: s.agent("Look around and report.", SCOUT, description="Look around").says(
            "One greeting found."
        ),
        ("Look around", "One greeting found."),
    ),
    Step(
        "do it in the background",
        lambda s: (
            s.runs("Bash", command="sleep 1; echo done", description="Wait a little", run_in_background=True)
            .says("It runs by itself.")
            .noted("The background work is over.")
        ),
        ("It runs by itself.", "The background work is over."),
    ),
    Step(
        "how many bolts are there",
        lambda s: s.runs("mcp__depot__stock", part="bolts").says("Seven bolts."),
        ("There are 7 of bolts", "Seven bolts."),
        allows("bolts"),
    ),
    Step(
        "use the hammer",
        lambda s: s.runs("Hammer", nail="long").says("I have no hammer."),
        ("I have no hammer.",),
    ),
    Step(
        "look at the picture",
        lambda s: s.runs("Read", file_path=path("dot.png")).says("One grey dot."),
        ("dot.png", "One grey dot."),
    ),
    Step(
        "is it busy there",
        lambda s: s.fails(529, "Overloaded").says("Not any more."),
        ("Retried", "Not any more."),
    ),
    Step(
        "do two things at once",
        lambda s: s.together(
            run("Read", file_path=path("greet.py")), run("Bash", command="ls", description="List")
        ).says("Both done."),
        ("Both done.",),
    ),
    *(Step(f"turn {n}", says(f"This was answer {n}."), (f"This was answer {n}.",)) for n in range(1, 4)),
    Step("/rewind", None, ("Claude no longer knows",), rewinds),
    Step("turn 3 in other words", says("This was another answer."), ("This was another answer.",)),
    Step("/compact", None, ("compacted",)),
    Step("still there", says("Still here."), ("Still here.",)),
    Step("/clear", None, ("conversation cleared",)),
)


def script() -> Scenario:
    """Return what the agent does all day."""
    scenario = Scenario("day", title="A day's work")
    played = [step.plays for step in DAY if step.plays]
    for plays in played[:-1]:
        scenario = plays(scenario).ends_turn()
    return played[-1](scenario)


PICTURE = base64.b64decode(PIXEL)

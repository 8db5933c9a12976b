"""A day's work with one session: what the person does, what the agent does, and what is to be seen then."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from dataclasses import dataclass, field

from ccq_tui.inbox.agent_texts import rejection
from ccq_tui.questions import Option, Question
from ccq_tui.screens.session.rewind_command import WHICH_PROMPT
from ccq_tui.testing import Replies, Scenario, run
from ccq_tui.widgets.decision.details import PLAN_TITLE
from tests.e2e.conftest import Running

PLAN = "# Say hello in two languages\n\n1. Add a flag `--lang`.\n2. Test both."
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
GREETING = 'def greet(name):\n    return "Hello, " + name\n\n\nprint(greet("you"))\n'
NOTEBOOK = {
    "cells": [
        {
            "cell_type": "code",
            "id": "one",
            "source": "1 + 1",
            "metadata": {},
            "outputs": [],
            "execution_count": None,
        }
    ],
    "metadata": {},
    "nbformat": 4,
    "nbformat_minor": 5,
}
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
WHICH = Question("Which greeting?", "Greeting", (Option("Hello", "plain"), Option("Ahoy", "for sailors")))
WHERE = Question(
    "Where should it be said?", "Where", (Option("Terminal", "a"), Option("Browser", "b")), multi_select=True
)


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
    does: Callable[[Running], None] | None = field(default=None)


def path(name: str) -> Callable[[Replies], str]:
    return lambda a: f"{a.directory}/{name}"


def says(words: str) -> Callable[[Scenario], Scenario]:
    return lambda s: s.says(words)


def allows(asked: str) -> Callable[[Running], None]:
    def do(run: Running) -> None:
        run.terminal.wait_panel(asked)
        run.decide("y")

    return do


def denies(asked: str) -> Callable[[Running], None]:
    def do(run: Running) -> None:
        run.terminal.wait_panel(asked)
        run.decide("n")

    return do


def denies_with_words(run: Running) -> None:
    run.terminal.wait_panel("python3 -m this third")
    run.terminal.press("e")
    run.terminal.wait("say what to do instead")
    run.terminal.type("Call it drei.txt.")
    run.terminal.wait("Call it drei.txt.")
    run.terminal.press("enter")


def chooses_ahoy(run: Running) -> None:
    run.terminal.wait_panel("Which greeting?")
    run.terminal.press("down enter")


def chooses_both(run: Running) -> None:
    run.terminal.wait_panel("Where should it be said?")
    run.terminal.press("1 2 enter")
    run.terminal.wait_panel("✔    Submit")
    run.terminal.press("enter")


def approves(run: Running) -> None:
    run.terminal.wait_panel(PLAN_TITLE)
    run.decide("y")


def interrupts(run: Running) -> None:
    run.terminal.wait("Counting to a million")
    run.terminal.press("escape")


def sends_another(run: Running) -> None:
    run.terminal.wait("working")
    run.terminal.type("and be quick")
    run.terminal.press("enter")
    run.terminal.wait("queued")
    run.model.release("queue")


def rewinds(run: Running) -> None:
    run.terminal.wait(WHICH_PROMPT)
    run.terminal.press("enter")
    run.terminal.wait("Rewind to before: turn 15")
    run.rest()
    run.terminal.press("enter")
    run.terminal.wait(lambda terminal: terminal.lines[-3] == " ❯ turn 15")
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
        "mark it",
        lambda s: s.runs("Bash", command="python3 -m this first", description="Mark it").says("Marked."),
        ("Marked.",),
        allows("python3 -m this first"),
    ),
    Step(
        "mark it again",
        lambda s: s.runs("Bash", command="python3 -m this second", description="Mark it").says("Then not."),
        ("Then not.",),
        denies("python3 -m this second"),
    ),
    Step(
        "mark it once more",
        lambda s: s.runs("Bash", command="python3 -m this third", description="Mark it").says("As you like."),
        ("As you like.",),
        denies_with_words,
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
    Step("which one", lambda s: s.asks(WHICH).says("Ahoy it is."), ("Ahoy it is.",), chooses_ahoy),
    Step("and where", lambda s: s.asks(WHERE).says("In both places."), ("In both places.",), chooses_both),
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
        None,
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
        "count to a million",
        lambda s: s.says("Counting to a million: one,").hangs(gate="count").says(" two"),
        ("interrupted",),
        interrupts,
    ),
    Step(
        "do two things at once",
        lambda s: s.together(
            run("Read", file_path=path("greet.py")), run("Bash", command="ls", description="List")
        ).says("Both done."),
        ("Both done.",),
    ),
    Step(
        "take your time",
        lambda s: s.hangs(gate="queue").says("Here I am.").ends_turn().says("Quick enough?"),
        ("Quick enough?",),
        sends_another,
    ),
    Step(
        "plan the next thing",
        lambda s: s.plans(PLAN).says("I begin with the flag."),
        ("I begin with the flag.",),
        approves,
    ),
    *(Step(f"turn {n}", says(f"This was answer {n}."), (f"This was answer {n}.",)) for n in range(1, 16)),
    Step("/rewind", None, ("Claude no longer knows",), rewinds),
    Step("turn 15 in other words", says("This was another answer."), ("This was another answer.",)),
    Step("/compact", None, ("compacted",)),
    Step("still there", says("Still here."), ("Still here.",)),
    Step("/clear", None, ("conversation cleared",)),
)
RESULTS = (
    rejection("Call it drei.txt."),
    'Your questions have been answered: "Which greeting?"="Ahoy". '
    "You can now continue with these answers in mind.",
    'Your questions have been answered: "Where should it be said?"="Terminal, Browser". '
    "You can now continue with these answers in mind.",
)
"""What the model was told, each as the whole of one tool's result."""


def script() -> Scenario:
    """Return what the agent does all day."""
    scenario = Scenario("day", title="A day's work")
    played = [step.plays for step in DAY if step.plays]
    for plays in played[:-1]:
        scenario = plays(scenario).ends_turn()
    return played[-1](scenario)


PICTURE = base64.b64decode(PIXEL)

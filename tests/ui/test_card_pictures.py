"""Pictures of the transcript: a card of each kind, documents; and what the card of a request says."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

import pytest
from textual.pilot import Pilot

from ccq_tui.agent import events as ev
from ccq_tui.agent.events import RequestAsked, RequestSettled, ToolStarted
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.requests import Allowed, Denied, PermissionRequest, PlanRequest
from ccq_tui.questions import Answer, Answered, Declined, Option, Question
from ccq_tui.transcript.model import TranscriptModel
from ccq_tui.widgets.transcript import Transcript
from ccq_tui.widgets.transcript.painter import Painter
from tests.tables import table
from tests.ui.drawn import terminal_of
from tests.ui.host import Clock, Host, counted
from tests.ui.pictures import rests
from tests.ui.session import Driven, asked, keys_work, permission, press, until
from tests.unit.transcript.test_markdown_corpus import CORPUS

Compare = Callable[..., bool]
NOON = datetime(2025, 1, 2, 12, 5)
PATCH = table(__file__, "card_patch.json")
EDIT = (
    ev.ToolStarted("e", "Edit", {"file_path": "/srv/api/store.py"}),
    ev.ToolFinished("e", "Edit", "updated", structured={"structuredPatch": PATCH}),
)
LONG = "\n".join(f"tests/test_{name}.py ....." for name in "abcdefghijklmnop")
TODO = [
    {"content": "Read the schema", "status": "completed"},
    {"content": "Write the migration", "status": "in_progress", "activeForm": "Writing the migration"},
    {"content": "Run the tests", "status": "pending"},
]


def run(
    name: str, tool: str, output: str = "", *, failed: bool = False, **arguments: Any
) -> list[ev.AgentEvent]:
    return [ev.ToolStarted(name, tool, arguments), ev.ToolFinished(name, tool, output, is_error=failed)]


def found(name: str, tool: str, structured: Any, **arguments: Any) -> list[ev.AgentEvent]:
    return [
        ev.ToolStarted(name, tool, arguments),
        ev.ToolFinished(name, tool, "some\nlines", structured=structured),
    ]


BASH = (
    *run("1", "Bash", "main", command="git branch --show-current"),
    *run("2", "Bash", f"{LONG}\n80 passed in 2.31s", command="pytest -q"),
    *run("3", "Bash", "Exit code 2\nmake: *** no rule to make 'al'.\nStop.", failed=True, command="make al"),
    ev.ToolStarted("4", "Bash", {"command": "rm -rf dist"}),
    ev.RequestAsked(PermissionRequest("4", "s", "Bash", {"command": "rm -rf dist"})),
    ev.RequestSettled("4@s", Denied("keep the wheel")),
    ev.ToolFinished("4", "Bash", "The user doesn't want to proceed\nwith this", is_error=True),
    ev.ToolStarted("5", "Bash", {"command": "npm run build"}),
    ev.RequestAsked(PermissionRequest("5", "s", "Bash", {"command": "npm run build"})),
    ev.RequestSettled("5@s", Allowed()),
)
LOOKED = (
    *found("1", "Read", {"file": {"numLines": 1200}}, file_path="/srv/api/store.py"),
    *found("2", "Glob", {"numFiles": 12}, pattern="**/*.py"),
    *found("3", "Grep", {"mode": "files_with_matches", "numFiles": 3}, pattern="def close", path="src"),
    *found(
        "4", "WebFetch", {"code": 200, "codeText": "OK", "bytes": 48_213}, url="https://docs.python.org/3/"
    ),
    *found("5", "WebSearch", {"results": [{"content": [{}, {}]}]}, query="sqlite upsert"),
    *found("6", "mcp__github__create_issue", None, title="Sort bookmarks", labels=["bug"]),
)
LISTS = (
    *run("1", "TodoWrite", "ok", todos=TODO),
    *run("2", "TaskCreate", "Task #1 created", subject="Read the schema"),
    *run("3", "TaskCreate", "Task #2 created", subject="Write the migration"),
    *run("4", "TaskUpdate", "Updated task #1", taskId="1", status="completed"),
)
AGENTS = (
    ev.ToolStarted("a", "Agent", {"description": "Look for dead code"}),
    ev.TaskStarted("t", "a", "Look for dead code", agent=True),
    *(
        ev.ToolStarted(f"a{number}", "Bash", {"command": f"grep -rn old{number} src"}, "a")
        for number in range(3)
    ),
    *(ev.ToolFinished(f"a{number}", "Bash", "none", parent="a") for number in range(3)),
    ev.TaskEnded("t", "completed", "Nothing is dead.", 3, 8_961),
    ev.ToolFinished("a", "Agent", "Nothing is dead."),
    ev.ToolStarted("b", "Agent", {"description": "Read the tests"}),
    ev.TaskStarted("u", "b", "Read the tests", agent=True),
    ev.ToolStarted("b1", "Read", {"file_path": "tests/test_store.py"}, "b"),
    ev.TaskProgressed("u", "Reading tests/test_store.py", 1, 2_310),
    ev.ToolStarted("c", "Bash", {"command": "npm run dev", "description": "Start the server"}),
    ev.TaskStarted("v", "c", "Start the server", background=True),
    ev.ToolFinished("c", "Bash", "Command running in background with ID: v"),
    ev.ToolStarted("d", "Bash", {"command": "make watch", "description": "Watch"}),
    ev.TaskStarted("w", "d", "Watch", background=True),
    ev.ToolFinished("d", "Bash", "Command running in background with ID: w"),
    ev.TaskEnded("w", "failed", "Background command “Watch” failed with exit code 2"),
)
LINES = (
    ev.ConversationReset("s2"),
    ev.Compacted(182_340, 21_007),
    ev.TurnEnded("completed", False, 93.0, 2.1, 51_302, 2_210, turn_cost=0.4131, waited=61.0),
    ev.TurnEnded("aborted_tools", True, 12.0, None, 0, 0),
    ev.Retrying(3, 10, 7.2, 529, "overloaded"),
)
COLOURS = (
    ev.ToolStarted("c", "Bash", {"command": "make check", "description": "Check"}),
    ev.ToolFinished(
        "c",
        "Bash",
        "\x1b[32m✓\x1b[0m unit \x1b[2m(0.4 s)\x1b[0m\n\x1b[1;31mFAILED\x1b[0m tests/test_store.py\n"
        "\x1b[33mwarning\x1b[39m: 2 deprecated calls\n\x1b[38;5;39msee\x1b[0m \x1b[4mdocs/checks.md\x1b[24m\n"
        "\x1b[38;2;255;0;255mmagenta\x1b[m \x1b[36mcyan\x1b[0m \x1b[7m inverse \x1b[0m \x1b[5;99mplain",
    ),
)
CARDS: dict[str, Sequence[ev.AgentEvent]] = {
    "edit": EDIT,
    "bash": BASH,
    "looked": LOOKED,
    "lists": LISTS,
    "agents": AGENTS,
    "lines": LINES,
    "colours": COLOURS,
}


def compare(
    snap_compare: Compare, events: Sequence[ev.AgentEvent], size: tuple[int, int], theme: str = "ccq-dark"
) -> bool:
    clock = Clock()
    transcript = Transcript(TranscriptModel(clock, lambda: NOON))

    async def before(pilot: Pilot[Any]) -> None:
        for event in events:
            transcript.apply(event)
            clock.now += 0.5 if isinstance(event, ev.ToolStarted) else 0
        # The second in which this happens may be over before the picture is taken, or not.
        transcript._changed(transcript.model.tick())
        await until(pilot, lambda: transcript.virtual_size.height > 1)
        await until(pilot, lambda: rests(transcript))

    return snap_compare(Host(transcript, theme=theme), terminal_size=size, run_before=before)


@pytest.mark.parametrize("card", CARDS)
def test_cards(snap_compare: Compare, card: str) -> None:
    assert compare(snap_compare, CARDS[card], (80, 20))


@pytest.mark.parametrize("card", ["edit", "bash"])
def test_light_cards(snap_compare: Compare, card: str) -> None:
    assert compare(snap_compare, CARDS[card], (80, 20), "ccq-light")


def test_an_edit_on_a_wide_screen(snap_compare: Compare) -> None:
    assert compare(snap_compare, EDIT, (160, 14))


HERE = Actor.here(Surface.PANEL)
PICK = Question("Which library?", "Library", (Option("Luxon"), Option("Day.js")))
MANY = Question("Which features?", "Features", (Option("Zones"), Option("Locale")), multi_select=True)


@pytest.mark.parametrize("size", [(80, 24), (40, 12)])
async def test_a_card_is_one_line_that_says_where_its_request_is_answered(
    size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Driven()

    def drawn(*cards: str) -> bool:
        lines = [line.strip() for line in terminal_of(run.app).lines]
        return all(card in lines for card in cards)

    async with run.app.run_test(size=size) as pilot:
        await pilot.press("x")  # a panel waits for a pause
        run.fake.tell(asked("q", PICK, MANY))
        await until(pilot, lambda: drawn("◆ Claude asks 2 questions · F2 answers"))
        await press(pilot, "f2", then=lambda: drawn("◆ Claude asks 2 questions · below"))
        run.fake.tell(ToolStarted("p", "Bash", {"command": "make all"}), RequestAsked(permission("p")))
        run.fake.tell(RequestAsked(PlanRequest("plan", "s", "1. Split\n2. Test")))
        await until(
            pilot, lambda: run.screen.transcript.viewport.following and run.screen.dock.line.items[2:]
        )
        await until(pilot, lambda: "▸ Bash make all · waits its turn" in run.screen.transcript.text())
        await keys_work(run, pilot)
        redrawn = counted(monkeypatch, Painter, "draw")
        await pilot.press("escape")
        await until(
            pilot, lambda: drawn("▸ Bash make all · waits its turn", "◆ Plan · 2 lines · waits its turn")
        )
        assert "◆ Claude asks 2 questions · F2 answers" in run.screen.transcript.text()
        assert len(redrawn) <= 3, "and nothing else is drawn again"
        answers = Answered((Answer(("Luxon",), note="small"), Answer(("Zones",))))
        run.fake.tell(RequestSettled("q@id-1", answers, HERE, NOON))
        await keys_work(run, pilot)
        await until(pilot, lambda: "▸ Bash make all · asks below" in run.screen.transcript.text())
        run.fake.tell(RequestSettled("p@id-1", Denied("use ninja"), HERE, NOON))
        run.fake.tell(RequestSettled("plan@id-1", Allowed(mode="default"), HERE, NOON))
        await until(pilot, lambda: "you approved" in run.screen.transcript.text())
        text = run.screen.transcript.text()
        assert "■ Bash make all · denied: “use ninja”" in text
        assert "✔ Plan · 2 lines · you approved 12:05 · default mode" in text
        assert (
            "✔ Claude asked 2 questions · you answered 12:05\n  Which library?\n    ● Luxon  ○ Day.js" in text
        )
        run.fake.tell(asked("d", PICK), RequestSettled("d@id-1", Declined(), HERE, NOON))
        await pilot.press("ctrl+end")  # where a plan was shown, the end is not followed
        declined = "■ Claude asked · Library · you declined 12:05 · Ctrl+O"
        await until(pilot, lambda: drawn(declined if size[0] > 60 else "declined 12:05 · Ctrl+O"))
        await press(pilot, "ctrl+o", then=lambda: drawn("○ Luxon · Day.js"))


NARROW = (40, 20)
USUAL = (80, 20)
SHOWN = {
    "headings": USUAL,
    "list-loose-nested": NARROW,
    "list-mixed": NARROW,
    "tasks-nested": NARROW,
    "code-in-list": USUAL,
    "quote-nested": NARROW,
    "table-wide": USUAL,
    "footnotes": NARROW,
    "broken-mixture": NARROW,
    "model-answer": (80, 16),
}


@pytest.mark.parametrize("name", SHOWN)
def test_documents(snap_compare: Compare, name: str) -> None:
    (path,) = (path for path in CORPUS if path.stem.partition("-")[2] == name)
    text = path.read_text(encoding="utf-8")
    block = ev.BlockFinished(ev.BlockKey("m", 0), ev.BlockKind.TEXT, text)
    assert compare(snap_compare, [block], SHOWN[name])

"""Tool calls: their words, what their cards show folded and unfolded, their lists, tasks and permissions."""

from pathlib import Path
from typing import Any

import pytest

from ccq_tui.agent import events as ev
from ccq_tui.inbox.agent_texts import INTERRUPTED
from ccq_tui.inbox.requests import Allowed, Denied, PermissionRequest
from ccq_tui.transcript import blocks as bl
from ccq_tui.transcript.model import TranscriptModel
from ccq_tui.transcript.outcomes import outcome
from ccq_tui.transcript.tools import TOOLS, main_argument, short_argument, tool_title
from ccq_tui.widgets.transcript.painter import plain_text
from ccq_tui.words import duration
from tests.tables import each_row, table
from tests.ui.host import Clock
from tests.unit.transcript.test_drawing import shown


def call(
    model: TranscriptModel,
    tool: str,
    output: str,
    structured: Any = None,
    *,
    failed: bool = False,
    **given: Any,
) -> bl.ToolBlock:
    name = str(len(model.blocks))
    model.apply(ev.ToolStarted(name, tool, given))
    model.apply(ev.ToolFinished(name, tool, output, failed, structured))
    block = model.blocks[-1]
    assert isinstance(block, bl.ToolBlock)
    return block


def lines(count: int) -> str:
    return "\n".join(f"line {number}" for number in range(count))


@pytest.mark.parametrize(
    ("output", "drawn"),
    [
        ("one line", ["✔ Bash x · one line"]),
        ("a\nb", ["✔ Bash x", "  │ a", "  │ b"]),
        (lines(7), ["✔ Bash x", *(f"  │ line {number}" for number in range(7))]),
        (
            lines(30),
            ["✔ Bash x", "  │ … 24 more lines · Ctrl+O", *(f"  │ line {number}" for number in range(24, 30))],
        ),
        ("\x1b[31mred\x1b[0m\n10%\r50%\r100%\r\nend", ["✔ Bash x", "  │ red", "  │ 100%", "  │ end"]),
    ],
)
def test_a_command_shows_the_end_of_its_output(model: TranscriptModel, output: str, drawn: list[str]) -> None:
    call(model, "Bash", output, command="x")
    assert shown(model).split("\n") == drawn


def test_a_refused_input_says_what_was_wrong() -> None:
    refused = '<tool_use_error>InputValidationError: [\n{"path": ["questions"], "message": "Too big"}\n]'
    result = outcome("AskUserQuestion", f"{refused}</tool_use_error>", None, failed=True)
    assert result == "invalid input: Too big"
    assert outcome("AskUserQuestion", refused[:40], None, failed=True) == "invalid input"


def test_a_failed_command_shows_its_exit_code_and_output(model: TranscriptModel) -> None:
    call(model, "Bash", f"Exit code 3\n{lines(25)}", failed=True, command="x")
    text = shown(model)
    assert text.startswith("✖ Bash x · exit code 3\n  │ … 5 more lines · Ctrl+O\n  │ line 5\n")
    assert text.endswith("line 24")
    model.set_folds(folded=False)
    assert "line 0" in shown(model)
    assert "more lines" not in shown(model)


@pytest.mark.parametrize(
    ("tool", "given", "output", "structured", "drawn"),
    [
        ("Read", {"file_path": "a"}, lines(9), {"file": {"numLines": 9}}, "✔ Read a · 9 lines"),
        ("WebFetch", {"url": "u"}, "text", {"code": 404, "bytes": 70}, "✔ WebFetch u · 404, 70 bytes"),
        ("WebSearch", {"query": "q"}, "t", {"results": [{"content": [1]}, "x"]}, "✔ WebSearch q · 1 result"),
        ("Write", {"file_path": "a", "content": "x\n"}, "", None, "✔ Write a · new, 1 line\n  1 + x"),
        ("Edit", {"file_path": "a"}, "ok", None, "✔ Edit a · nothing changed"),
        ("mcp__db__query", {"sql": "s"}, '{"a": 1}', None, '✔ db: query {"sql": "s"} · {"a": 1}'),
    ],
)
def test_what_other_tools_show(
    model: TranscriptModel, tool: str, given: dict[str, Any], output: str, structured: Any, drawn: str
) -> None:
    call(model, tool, output, structured, **given)
    assert shown(model) == drawn


def test_an_unknown_tool_unfolds_to_its_input_and_output(model: TranscriptModel) -> None:
    block = call(model, "mcp__db__query", '{"rows":[1]}', sql="select", limit=5)
    change = model.set_fold(block, folded=False)
    assert change.changed == (0,)
    assert shown(model).split("\n")[1:] == [
        "  │ {",
        '  │   "sql": "select",',
        '  │   "limit": 5',
        "  │ }",
        "  │",
        "  │ {",
        '  │   "rows": [',
        "  │     1",
        "  │   ]",
        "  │ }",
    ]


def test_a_refused_call_shows_what_was_said(model: TranscriptModel) -> None:
    model.apply(ev.ToolStarted("t", "Bash", {"command": "x"}))
    model.apply(ev.RequestAsked(PermissionRequest("t", "s", "Bash", {})))
    model.apply(ev.RequestSettled("t@s", Denied("use y\nor z")))
    model.apply(ev.ToolFinished("t", "Bash", "The user doesn't want\nto proceed", is_error=True))
    assert shown(model) == "■ Bash x · denied: “use y or z”"
    model.set_folds(folded=False)
    assert "use y\n" in shown(model)


def test_a_persons_time_is_not_the_tools(model: TranscriptModel, clock: Clock) -> None:
    model.apply(ev.ToolStarted("t", "Bash", {"command": "x"}))
    clock.now = 2.0
    model.tick()
    model.apply(ev.RequestAsked(PermissionRequest("t", "s", "Bash", {})))
    clock.now = 60.0
    assert model.tick().changed == ()
    assert shown(model) == "▸ Bash x · waiting for you"
    model.apply(ev.RequestSettled("t@s", Allowed()))
    clock.now = 63.0
    model.apply(ev.ToolFinished("t", "Bash", "ok"))
    assert shown(model).startswith("✔ Bash x · ok · 3.0 s · allowed once")


def test_todos_are_a_check_list(model: TranscriptModel) -> None:
    todos = [
        {"content": "A", "status": "completed"},
        {"content": "B", "status": "in_progress", "activeForm": "Doing B"},
        {"content": "C", "status": "odd"},
        "odd",
    ]
    call(model, "TodoWrite", "ok", todos=todos)
    assert shown(model).split("\n") == ["✔ TodoWrite 1 of 3 done", "  ✔ A", "  ✻ Doing B", "  ☐ C"]


def test_a_task_list_stands_on_its_newest_call(model: TranscriptModel) -> None:
    call(model, "TaskCreate", "Task #1 created successfully: A", subject="A")
    call(model, "TaskCreate", "", {"task": {"id": "2", "subject": "B"}}, subject="B")
    call(model, "TaskUpdate", "ok", taskId="1", status="in_progress")
    assert shown(model).split("\n") == [
        "✔ TaskCreate A · to do",
        "✔ TaskCreate B · to do",
        "",
        "✔ TaskUpdate A · begun",
        "  ✻ A",
        "  ☐ B",
    ]
    call(model, "TaskUpdate", "ok", taskId="2", status="deleted")
    call(model, "TaskUpdate", "ok", taskId="9", status="completed")
    call(model, "TaskList", "ok", {"tasks": [{"id": "1", "subject": "A", "status": "completed"}]})
    assert shown(model).split("\n")[-1] == "  ✔ A"


def agent(model: TranscriptModel) -> None:
    model.apply(ev.ToolStarted("a", "Agent", {"description": "Look"}))
    model.apply(ev.TaskStarted("t", "a", "Look", agent=True))
    model.apply(ev.ToolStarted("a1", "Read", {"file_path": "x"}, "a"))
    model.apply(ev.TaskProgressed("t", "Reading x", 1, 1_500))


def end(model: TranscriptModel) -> None:
    model.apply(ev.ToolFinished("a1", "Read", "x", parent="a"))
    model.apply(ev.TaskEnded("t", "completed", "Found it", 2, 2_000))
    model.apply(ev.ToolFinished("a", "Agent", "Found it"))


def test_an_agent_shows_its_progress_then_folds_what_it_did(model: TranscriptModel) -> None:
    agent(model)
    assert shown(model).split("\n") == ["✻ Agent Look", "  ⎿ Reading x · 1 tool · 1,500 tokens", "│ ✻ Read x"]
    end(model)
    assert shown(model).split("\n") == ["✔ Agent Look", "  ⎿ 2 tools · 2,000 tokens · Ctrl+O shows its work"]
    model.apply(ev.BlockFinished(ev.BlockKey("m", 0), ev.BlockKind.TEXT, "Done"))
    model.set_fold(model.blocks[0], folded=False)
    assert [getattr(block, "id", "text") for block in model.blocks] == ["a", "a1", "text"]
    assert [block.at for block in model.blocks] == [0, 1, 2]
    model.set_fold(model.blocks[0], folded=True)
    assert [getattr(block, "id", "text") for block in model.blocks] == ["a", "text"]


def test_agents_within_agents_fold_and_unfold_whole(model: TranscriptModel) -> None:
    model.apply(ev.ToolStarted("o", "Agent", {}))
    model.apply(ev.ToolStarted("i", "Agent", {}, "o"))
    model.apply(ev.ToolStarted("i1", "Read", {}, "i"))
    model.apply(ev.ToolFinished("i1", "Read", "x", parent="i"))
    model.apply(ev.ToolFinished("i", "Agent", "x", parent="o"))
    model.apply(ev.ToolStarted("o1", "Read", {}, "o"))
    model.apply(ev.ToolFinished("o1", "Read", "x", parent="o"))
    model.apply(ev.ToolFinished("o", "Agent", "x"))
    assert len(model.blocks) == 1
    model.apply(ev.ToolStarted("late", "Read", {}, "i"))
    assert [getattr(block, "id", "") for block in model.blocks] == ["o", "late"]
    model.set_folds(folded=False)
    assert [getattr(block, "id", "") for block in model.blocks] == ["o", "i", "i1", "o1", "late"]
    assert [block.depth for block in model.blocks] == [0, 1, 2, 1, 1]
    model.set_folds(folded=True)
    assert [getattr(block, "id", "") for block in model.blocks] == ["o"]
    model.set_folds(folded=False)
    assert [getattr(block, "id", "") for block in model.blocks] == ["o", "i", "i1", "o1", "late"]


def test_unfolded_agents_stay_open(model: TranscriptModel) -> None:
    model.set_folds(folded=False)
    agent(model)
    end(model)
    assert len(model.blocks) == 2


def test_the_report_of_an_agent_is_what_it_said(model: TranscriptModel) -> None:
    frame = "[Subagent hand-back] The text. The report follows:\n  All\n    found.\nagentId: x\n<usage>"
    block = call(model, "Agent", frame, description="Look")
    model.set_fold(block, folded=False)
    assert shown(model) == "✔ Agent Look\n  │ All\n  │   found."


def background(model: TranscriptModel) -> bl.ToolBlock:
    model.apply(ev.ToolStarted("b", "Bash", {"command": "make", "description": "Build"}))
    model.apply(ev.TaskStarted("t", "b", "Build", background=True))
    model.apply(ev.ToolFinished("b", "Bash", "Command running in background with ID: t"))
    block = model.blocks[0]
    assert isinstance(block, bl.ToolBlock)
    return block


def test_a_background_task_outlives_its_turn_and_tells_its_end(model: TranscriptModel, clock: Clock) -> None:
    block = background(model)
    model.apply(ev.TurnEnded("completed", False, 1.0, None, 0, 0))
    clock.now = 20.0
    assert model.ticking
    model.tick()
    assert shown(model).startswith("✻ Bash make · in the background · 20 s")
    model.apply(ev.TaskEnded("t", "failed"))
    assert not model.ticking
    assert "“Build” in the background: failed" in shown(model)
    model.apply(ev.TaskEnded("t", "failed", "Background command “Build” failed with exit code 2"))
    text = shown(model)
    assert text.startswith("✖ Bash make · failed in the background · 20 s")
    assert text.endswith("\n✖ Background command “Build” failed with exit code 2")
    assert block.state is bl.ToolState.FAILED


def test_a_command_that_is_sent_to_the_background_goes_on_there(model: TranscriptModel, clock: Clock) -> None:
    model.apply(ev.ToolStarted("b", "Bash", {"command": "make", "description": "Build"}))
    model.apply(ev.TaskStarted("t", "b", "Build"))
    model.apply(ev.TaskBackgrounded("t"))
    model.apply(ev.ToolFinished("b", "Bash", "Command was manually backgrounded by user with ID: t"))
    clock.now += 20
    model.tick()
    assert shown(model).startswith("✻ Bash make · in the background · 20 s")
    model.apply(ev.TaskEnded("t", "completed"))
    assert shown(model).startswith("✔ Bash make · done in the background · 20 s")


def test_the_calls_of_a_background_agent_outlive_the_turn(model: TranscriptModel, clock: Clock) -> None:
    model.apply(ev.ToolStarted("a", "Agent", {"description": "Fetch it"}))
    model.apply(ev.TaskStarted("t", "a", "Fetch it", background=True, agent=True))
    model.apply(ev.ToolFinished("a", "Agent", "Async agent launched successfully.\nagentId: t"))
    for name in ("waits", "runs"):
        model.apply(ev.ToolStarted(name, "Bash", {"command": name}, parent="a"))
    request = PermissionRequest("waits", "", "Bash", {"command": "waits"})
    model.apply(ev.RequestAsked(request))
    key = ev.BlockKey("m", 0, "a")
    model.apply(ev.BlockGrew(key, ev.BlockKind.TEXT, "I look "))
    model.apply(ev.ToolStarted("own", "Bash", {"command": "own"}))
    model.apply(ev.TurnEnded("completed", False, 1.0, None, 0, 0))
    clock.now = 5
    model.tick()
    drawn = shown(model)
    assert "■ Bash own · stopped" in drawn
    assert "▸ Bash waits · waiting for you\n" in drawn
    assert "✻ Bash runs · 5.0 s" in drawn
    model.apply(ev.BlockGrew(key, ev.BlockKind.TEXT, "around"))
    assert "I look around" in shown(model)
    model.apply(ev.TaskEnded("t", "stopped"))
    assert not [b for b in model.blocks if isinstance(b, bl.ToolBlock) and b.state is bl.ToolState.RUNNING]
    assert not model.ticking


def test_a_lost_session_stops_what_is_in_the_background(model: TranscriptModel) -> None:
    block = background(model)
    model.apply(ev.SessionLost("", kind="session_lost"))
    assert block.state is bl.ToolState.STOPPED
    assert not model.ticking


def test_a_slow_command_is_no_task_of_its_own(model: TranscriptModel) -> None:
    model.apply(ev.ToolStarted("b", "Bash", {"command": "sleep 9"}))
    model.apply(ev.TaskStarted("t", "b", "Sleep"))
    assert shown(model) == "✻ Bash sleep 9"
    model.apply(ev.TaskEnded("t", "completed", "Sleep"))
    assert len(model.blocks) == 1


@pytest.mark.parametrize("hook", ["[/srv/api/check.sh]: ", ""])
def test_a_call_that_a_hook_refused_says_so_in_words(model: TranscriptModel, hook: str) -> None:
    for name, tool, given in (("b", "Bash", {"command": "make"}), ("r", "Read", {"file_path": "/srv/a.py"})):
        model.apply(ev.ToolStarted(name, tool, given))
        more = "It is Friday.\nGo home.\n" if tool == "Bash" else ""
        output = f"PreToolUse:{tool} hook error: {hook}No builds on Fridays\n{more}"
        model.apply(ev.ToolFinished(name, tool, output, is_error=True))
    text = shown(model)
    assert "✖ Bash make · refused by a hook\n" in text
    assert "No builds on Fridays" in text.splitlines()[1]
    assert "Go home." in text
    assert "✖ Read /srv/a.py · refused by a hook: No builds on Fridays" in text
    assert "hook error" not in text


def test_a_retry_counts_down(model: TranscriptModel, clock: Clock) -> None:
    model.apply(ev.Retrying(2, 10, 7.2, 529, "overloaded"))
    assert shown(model) == "↻ Retrying in 8 s, attempt 2 of 10 · the API is overloaded\n  (529)"
    clock.now = 3.0
    assert model.ticking
    assert model.tick().changed == (0,)
    assert "Retrying in 5 s" in shown(model)
    clock.now = 8.0
    model.tick()
    assert "Retrying now, attempt 2" in shown(model)
    assert not model.ticking
    assert model.tick().changed == ()


def test_paths_in_the_sessions_directory_are_short(model: TranscriptModel) -> None:
    call(model, "Read", "[image, image/png, 70 bytes]", file_path="/srv/api/docs/a.png")
    assert model.apply(ev.Connected("s", "m", "default", "/srv/api")).changed == (0,)
    call(model, "TaskList", "none")
    call(model, "Read", "x", file_path="/srv/api2/b")
    assert shown(model).split("\n") == [
        "✔ Read docs/a.png · image, image/png, 70 bytes",
        "✔ TaskList · none",
        "✔ Read /srv/api2/b · x",
    ]


def test_a_silent_command_has_nothing_to_unfold(model: TranscriptModel) -> None:
    block = call(model, "Bash", "(Bash completed with no output)", command="true")
    assert not block.foldable
    model.set_folds(folded=False)
    assert shown(model) == "✔ Bash true · no output"


def test_an_interrupted_call_says_so(model: TranscriptModel) -> None:
    block = call(model, "Bash", f"{INTERRUPTED} and wait for the user.", failed=True, command="make")
    assert block.state is bl.ToolState.STOPPED
    assert shown(model) == "■ Bash make · interrupted"
    model.set_folds(folded=False)
    assert shown(model) == "■ Bash make · interrupted"


def test_a_command_of_several_lines_shows_the_first_and_counts_the_others() -> None:
    model = TranscriptModel()
    call(model, "Bash", "", command="set -e\nmkdir out\nls out\n")
    assert shown(model).startswith("✔ Bash set -e … 2 more lines")
    model = TranscriptModel()
    call(model, "Bash", "Exit code 3", failed=True, command=f"{'x' * 200}\nls")
    head = shown(model).split("\n")[0]
    assert "xx… 1 more line · exit code 3" in head


def test_reads_and_searches_in_a_row_fold_to_one_line() -> None:
    now = [0.0]
    model = TranscriptModel(clock=lambda: now[0])

    def start(name: str, tool: str, **arguments: str) -> None:
        model.apply(ev.ToolStarted(name, tool, arguments))

    def end(name: str, tool: str, *, error: bool = False) -> None:
        now[0] += 0.1
        model.apply(ev.ToolFinished(name, tool, "a\nb", is_error=error))

    def read(name: str, tool: str = "Read", **arguments: str) -> None:
        start(name, tool, **arguments)
        end(name, tool)

    read("a", file_path="/p/a")
    assert shown(model, 60).strip().startswith("✔ Read /p/a · 2 lines")
    read("b", file_path="/p/b")
    # Two at once, the second over first; one file once more.
    start("c", "Grep", pattern="x")
    start("d", "Read", file_path="/p/a")
    end("d", "Read")
    assert "✔ Read 2 files · " in shown(model, 60)
    end("c", "Grep")
    assert [line for line in shown(model, 60).splitlines() if line.strip()] == [
        "✔ Read 2 files, 1 search · 0.4 s"
    ]
    read("e", "Glob", pattern="*.py")
    start("f", "Read", file_path="/gone")
    end("f", "Read", error=True)
    read("g", "Bash", command="ls")
    read("h", file_path="/p/h")
    folded = [line.strip() for line in shown(model, 60).splitlines() if line.strip()]
    assert folded[0].startswith("✔ Read 2 files, 2 searches · ")
    assert [line.split()[1] for line in folded if line[0] in "✔✖"] == ["Read", "Read", "Bash", "Read"]
    whole = plain_text(model.blocks)
    assert [name in whole for name in ("/p/a", "/p/b", "Grep x", "*.py")] == [True] * 4
    model.set_folds(folded=False)
    assert [block.id for block in model.blocks] == list("abcdefgh")  # type: ignore[attr-defined]
    model.set_folds(folded=True)
    assert [line.strip() for line in shown(model, 60).splitlines() if line.strip()] == folded


@each_row(*table(__file__, "calls.json")["the_directory_of_the_session_goes_without_saying"])
def test_the_directory_of_the_session_goes_without_saying(tool: str, argument: str, shown: str) -> None:
    assert short_argument(tool, argument, "/work/api/") == shown


def test_without_a_known_directory_all_is_said() -> None:
    assert short_argument("Grep", "x in /work", "") == "x in /work"


ROOT = Path(__file__).parents[3]


@each_row(*table(__file__, "calls.json")["main_argument"])
def test_main_argument(tool: str, arguments: dict[str, Any], shown: str) -> None:
    assert main_argument(tool, arguments) == shown


@each_row(*table(__file__, "calls.json")["outcome"])
def test_outcome(tool: str, output: str, structured: Any, failed: bool, shown: str) -> None:
    assert outcome(tool, output, structured, failed=failed) == shown


def test_titles_and_durations() -> None:
    assert tool_title("mcp__github__search") == "github: search"
    assert tool_title("Bash") == "Bash"
    assert [duration(s) for s in (0.44, 12.2, 185, 3720)] == ["0.4 s", "12 s", "3 min 5 s", "1 h 2 min"]


def test_the_names_of_tools_with_a_card_stand_in_one_table() -> None:
    """But for what the calls that change the task list do to it."""
    elsewhere = [
        (path.name, name)
        for path in (ROOT / "ccq_tui" / "widgets").rglob("*.py")
        if path.name not in ("tools.py", "bodies.py")
        for name in TOOLS
        if f'"{name}"' in path.read_text(encoding="utf-8")
    ]
    assert elsewhere == []

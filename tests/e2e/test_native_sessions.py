"""Claude Code's own screen asks: answered there, in the inbox or by a script, the first answer counts."""

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.programs import NATIVE, PROGRAMS
from bench.talking import FRESH
from bench.terminal import Terminal as NativeTerminal
from ccq_tui.bridges.claude_code.waiting_hook import DECIDED_THERE
from ccq_tui.inbox.requests import Allowed, Cancelled, Denied
from ccq_tui.inbox.store.rows import RequestState, StoredRequest
from ccq_tui.inbox.store.store import Store
from ccq_tui.questions import Answer, Answered, Option, Question
from ccq_tui.testing import CleanHome, Scenario
from tests.agent.test_session_elicitations import ASK, ONE, SERVER
from tests.e2e.conftest import Running, Start
from tests.processes import command
from tests.results import answered, replied
from tests.steps import step, until

LIMIT = 60.0
DATABASE = Question(
    "Which database?", "Database", (Option("SQLite", "one file"), Option("Postgres", "a server"))
)
FEATURES = Question(
    "Which features?",
    "Features",
    (Option("Auth", "a"), Option("Cache", "b"), Option("Logs", "c")),
    multi_select=True,
)
LAYOUT = Question("Which layout?", "Layout", (Option("Tabs", "t", "[a][b]"), Option("Panes", "p", "a|b")))
REGIONS = Question("Which regions?", "Regions", (Option("EU", "e"), Option("US", "u")), multi_select=True)


SETS = ((DATABASE, FEATURES, LAYOUT), (FEATURES, LAYOUT), (DATABASE, FEATURES, LAYOUT, REGIONS), (DATABASE,))


def everything() -> Scenario:
    """Ask four sets, run four commands, show a plan and have three forms filled in, each in a turn."""
    scenario = Scenario().says("Let me ask.")
    for number, asked in enumerate(SETS, 1):
        scenario = scenario.asks(*asked).says(f"Had {number}.").ends_turn()
    for number in range(1, 5):
        scenario = scenario.runs("Bash", command=f"touch made{number}", description=f"Make {number}")
        scenario = scenario.says(f"Ran {number}.").ends_turn()
    scenario = scenario.plans("# The plan\n\n1. Do it\n").says("Planned.").ends_turn()
    for number in range(1, 4):
        scenario = scenario.runs(ASK, schema="one").says(f"Filled in {number}.").ends_turn()
    return scenario


class Natives:
    """A home in which ccq-tui runs, its hooks are installed, and Claude Code is started in its own screen."""

    def __init__(self, run: Running) -> None:
        self.run = run
        self.home: CleanHome = run.home
        self.ccq = run.ccq
        # Its animations take a sixth of the time that all of this takes.
        (self.home.config / "settings.json").write_text(json.dumps({"prefersReducedMotion": True}))
        self.ccq("hooks", "install", "--permissions", "--elicitation", "--yes")
        inbox = Path(self.home.env["XDG_STATE_HOME"]) / "ccq-tui" / "inbox.db"
        until(inbox.exists)
        self.store = Store(inbox)

    @contextmanager
    def native(self, prompt: str, *flags: str, mode: str = "default") -> Iterator[NativeTerminal]:
        """Start Claude Code with a prompt."""
        # Its screen moves for a minute: of that the garbage is to be collected.
        env = {**self.home.env, "ANTHROPIC_BASE_URL": self.run.model.url, "BUN_JSC_useGC": "1"}
        command = [PROGRAMS[NATIVE].command[0], "--permission-mode", mode, prompt, *flags]
        with NativeTerminal(command, env, self.home.project) as terminal:
            yield terminal

    def asked(self, count: int = 1) -> list[StoredRequest]:
        """Wait until so many requests wait."""
        return until(lambda: (found := self.store.requests.waiting()) and len(found) == count and found)

    def next(self, native: NativeTerminal, words: str = "") -> StoredRequest:
        """Have the next thing asked, and wait until its dialog with some words takes keys."""
        native.press("more\r")
        (asked,) = self.asked()
        if words:
            shown(native, words)
        return asked

    def ended(self, request: StoredRequest) -> StoredRequest:
        """Wait until a request is over, and the hook that asked it has left nothing behind."""
        began = time.monotonic()
        until(lambda: self.now(request).state is not RequestState.PENDING)
        closed = time.monotonic() - began
        until(lambda: not self.hooks())
        until(lambda: self.now(request).state in (RequestState.DELIVERED, RequestState.CANCELLED))
        print(f"closed within {closed:.2f} s, hooks gone within {time.monotonic() - began:.2f} s")  # noqa: T201
        return self.now(request)

    def now(self, request: StoredRequest) -> StoredRequest:
        found = self.store.requests.get(request.request.id)
        assert found is not None
        return found

    def hooks(self) -> list[int]:
        """Return the processes of hooks that run in this home."""
        return [pid for pid in self.run.processes() if command(pid).rstrip().endswith(" hook")]

    def result(self, request: StoredRequest) -> Any:
        """Wait for the tool result that the model had."""
        return self.run.model.wait_for_result_sync(request.request.tool_use_id, LIMIT)


def open_in_inbox(run: Running, words: str) -> None:
    """Open the one request that waits, whose panel has some words, in the inbox on the screen."""
    run.terminal.wait("─ Sessions ─ 1 waits")
    run.terminal.wait("❯   ")
    run.terminal.press("right").wait(lambda seen: words in seen.text and seen.panel and seen.keys_work)


def shown(native: NativeTerminal, words: str) -> None:
    """Wait until Claude Code shows a dialog, and takes its keys: those of the first moment it passes over."""
    native.wait(words)
    native.rest(FRESH)


def closes(place: str, began: float, at: float) -> None:
    """Print how long after an answer another place closed: it is 1 s, on a machine with nothing else to do.

    `test_hook.test_the_other_place_sees_an_answer_at_its_next_look` counts the looks of which it consists.
    """
    print(f"{place} closed {at - began:.2f} s after the answer")  # noqa: T201


def pair(questions: str, answer: str) -> str:
    return f'"{questions}"="{answer}"'


def test_a_native_session_is_answered_here_there_and_by_a_script(start: Start, tmp_path: Path) -> None:
    scenario = Scenario("natives").then(lambda _: everything())
    run = start(scenario, prompt="", size=(100, 30), variables={"MCP_PROTOCOL_NEGOTIATION": "legacy"})
    ours, natives = run.terminal, Natives(run)
    ours.wait("○ ready")
    schemas, log = tmp_path / "schemas.json", tmp_path / "told"
    schemas.write_text(json.dumps({"one": ONE}))
    server = {"command": sys.executable, "args": [str(SERVER), str(schemas), str(log)]}
    servers = json.dumps({"mcpServers": {"forms": server}})
    flags = ("--name", "Release notes", "--allowed-tools", ASK, "--mcp-config", servers)
    with natives.native("go", *flags) as native:
        questions(natives, native)
        permissions_and_plans(natives, native)
        forms(natives, native, log)
    natives.store.close()
    run.end("ctrl+q", 0)


def questions(natives: Natives, native: NativeTerminal) -> None:
    run, ours = natives.run, natives.run.terminal
    with step("it is announced, and answered in the inbox by keys"):
        (first,) = natives.asked()
        shown(native, "❯ 1. SQLite")
        ours.wait("Release notes · Claude Code asks: Which database?")
        assert (first.context, first.request.origin.directory) == ("Let me ask.", str(run.home.project))
        ours.press("f2")
        open_in_inbox(run, "Which database?")
        for keys, words in (
            ("2", "● 2  Postgres"), ("enter", "Which features?"), ("1", "◼ 1  Auth"), ("3", "◼ 3  Logs"),
            ("enter", "Which layout?"), ("1", "● 1  Tabs"), ("enter", "Submit 3 answers"),
        ):  # fmt: skip
            ours.press(keys).wait_panel(words)
        began = time.monotonic()
        ours.press("enter")
        tabs = f"{pair('Which layout?', 'Tabs')} selected preview:\n[a][b]"
        both = f"{pair('Which database?', 'Postgres')}, {pair('Which features?', 'Auth, Logs')}"
        result = natives.result(first)
        assert (result.text, result.is_error) == (answered(f"{both}, {tabs}"), False)
        closes("the dialog", began, native.wait("Allowed by PermissionRequest hook"))
        assert natives.ended(first).state is RequestState.DELIVERED
    with step("answered in its own dialog, it closes in the inbox, whose history has the answer"):
        native.wait("Had 1.")
        second = natives.next(native, "Which features?")
        open_in_inbox(run, "Which features?")
        for keys, words in (
            ("1", "[✔] Auth"), ("3", "[✔] Logs"), ("\x1b[B\x1b[B\x1b[B", "❯ 4."), ("x, y", "x, y"),
            ("\t", "❯    Next"), ("\r", "Notes: press n"), ("\r", "Submit answers"), ("\r", "Had 2."),
        ):  # fmt: skip
            began = native.press(keys)
            native.wait(words)
        there = 'Auth, Logs, "x, y"'
        assert natives.result(second).text == replied(f"{pair('Which features?', there)}, {tabs}")
        ours.wait(lambda seen: "was answered in Claude Code" in seen.text and not seen.panel)
        closes("the panel", began, time.monotonic())
        assert natives.ended(second).outcome == Answered(
            (Answer(("Auth", "Logs"), other="x, y"), Answer(("Tabs",)))
        )
    with step("answered by a script, the dialog closes"):
        third = natives.next(native, "❯ 1. SQLite")
        name = third.request.tool_use_id
        assert "--choose 1=NUMBER\n             --choose 2=NUMBER,NUMBER\n" in natives.ccq("show", name)
        one = ("--other", "1=a text file", "--note", "1=for now")
        two = ("--choose", "2=1,3", "--other", "2=x, y")
        natives.ccq("answer", name, *one, *two, "--choose", "3=1", "--choose", "4=2,1")
        began = time.monotonic()
        file = f"{pair('Which database?', 'a text file')} notes: for now"
        features, regions = pair("Which features?", there), pair("Which regions?", "EU, US")
        assert natives.result(third).text == replied(f"{file}, {features}, {tabs}, {regions}")
        closes("the dialog", began, native.wait("Which regions? →"))
        native.wait("Had 3.")
        natives.ended(third)
    with step("interrupted there, nothing was answered"):
        fourth = natives.next(native, "❯ 1. SQLite")
        native.press("\x1b")
        native.wait("Declined to answer")
        assert natives.ended(fourth).outcome == Cancelled("interrupted in Claude Code")
    changes = json.loads(natives.ccq("history", "--json"))["changes"]
    assert [one["to"] for one in changes if one["request"] == fourth.request.id] == ["pending", "cancelled"]


# A call whose result is not recorded while the hook looks for it is known only as decided.
def permissions_and_plans(natives: Natives, native: NativeTerminal) -> None:
    run, ours = natives.run, natives.run.terminal
    made = [run.home.project / f"made{number}" for number in range(1, 5)]
    with step("allowed in the inbox"):
        first = natives.next(native, "Do you want to proceed?")
        open_in_inbox(run, "touch made1")
        run.decide("y")
        assert natives.result(first).text == "(Bash completed with no output)"
        native.wait("Ran 1.")
        assert natives.ended(first).state is RequestState.DELIVERED
    with step("allowed there"):
        second = natives.next(native)
        ours.wait("─ Sessions ─ 1 waits")
        shown(native, "Do you want to proceed?")
        native.press("1")
        native.wait("Ran 2.")
        ended = natives.ended(second)
        assert ended.outcome in (Allowed(), DECIDED_THERE)
        assert (ended.actor and ended.actor.where) == "in Claude Code"
        ours.wait("─ nothing waits")
    with step("denied by a script with words for the agent"):
        third = natives.next(native)
        natives.ccq("answer", third.request.tool_use_id, "--choose", "4", "--note", "Use make.")
        result = natives.result(third)
        assert result.is_error
        assert result.text.endswith("To tell you how to proceed, the user said:\nUse make.")
        native.wait("Ran 3.")
        natives.ended(third)
    with step("denied there"):
        fourth = natives.next(native, "Do you want to proceed?")
        native.press("\x1b")
        native.wait("Interrupted")
        assert natives.ended(fourth).outcome in (Denied(), DECIDED_THERE)
    assert [path.exists() for path in made] == [True, True, False, False]
    with step("a plan is approved by a script"):
        plan = natives.next(native)
        assert plan.request.plan == "# The plan\n\n1. Do it\n"  # type: ignore[union-attr]
        natives.ccq("answer", plan.request.tool_use_id, "--choose", "3")
        assert natives.result(plan).text.startswith("User has approved your plan.")
        native.wait("accept edits on")
        natives.ended(plan)
        native.wait("Planned.")


def forms(natives: Natives, native: NativeTerminal, log: Path) -> None:
    run = natives.run
    with step("filled in in the inbox"):
        first = natives.next(native)
        native.wait("running Elicitation hook")
        open_in_inbox(run, "your answer")
        run.terminal.type("hello").press("enter")
        native.wait("Filled in 1.")
        assert logged(log) == [{"action": "accept", "content": {"word": "hello"}}]
        assert natives.ended(first).state is RequestState.DELIVERED
    with step("dismissed by a script"):
        second = natives.next(native)
        natives.ccq("decline", second.request.id, "--dismiss")
        native.wait("Filled in 2.")
        assert logged(log)[-1] == {"action": "cancel", "content": None}
        natives.ended(second)
    with step("interrupted there"):
        third = natives.next(native)
        native.wait("running Elicitation hook")
        native.press("\x1b")
        native.wait("Interrupted")
        assert natives.ended(third).outcome == Cancelled("Claude Code no longer waits for it")
        assert len(logged(log)) == 2


def logged(log: Path) -> list[dict[str, Any]]:
    """Return what the server was told."""
    return [json.loads(line) for line in log.read_text().splitlines()]

"""Sessions and the inbox line by line, with the real CLI, and exactly what the model gets."""

import json
import os
import pty
import re
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from signal import SIGTERM

import pytest

from ccq_tui.inbox.agent_texts import PROCEED
from ccq_tui.inbox.store.store import Store
from ccq_tui.questions import Answer, Answered, Option, Question
from ccq_tui.testing import CleanHome, Scenario, ScriptedModel, clean_environment
from tests.actors import PANEL
from tests.e2e.conftest import Running, Start, program
from tests.e2e.terminal import Terminal
from tests.results import REMARK, answered, replied
from tests.steps import allowed, step
from tests.unit.stocked import CACHE, FEATURES, PERMISSION, PLAN, asked, id_of, stock

WHICH = Question("Which one?", "Which", (Option("First", "a"), Option("Second", "b")))
PARTS = Question(
    "Which parts?", "Parts", (Option("Docs"), Option("Tests"), Option("Code")), multi_select=True
)
WHY = Question("Why?", "Why", (Option("Speed"), Option("Size")))
TABLE = "| Name | Size |\n|---|---|\n| Day.js | 2 kB |\n"
CHANGING = (
    (re.compile(r"\d\d:\d\d"), "HH:MM"),
    (re.compile(r"is over, .*"), "is over"),
    (re.compile(r"resume [0-9a-f]{8}"), "resume ID"),
    (re.compile(r"\x1b\]133;[ACD]\x1b\\|\a|\r"), ""),
)
"""What no two runs print alike, and signs for a terminal."""
PASSING = ("note: Claude is working.", "note: Answered", "note: Decided", "note: Discussed")
"""Lines from the agent and from the dialog that ends, in any order."""


def lines_of(text: str) -> list[str]:
    """Return lines that were printed, without what changes from run to run."""
    for pattern, word in CHANGING:
        text = pattern.sub(word, text)
    return [line for line in text.splitlines() if not line.startswith(PASSING)]


@dataclass
class Talk:
    """A program in a terminal; what it prints is waited for in its order."""

    running: Running
    read_to: int = 0

    def wait(self, text: str) -> None:
        """Wait until a text was printed, after the one that was waited for last."""
        terminal = self.running.terminal
        terminal.wait(lambda _: terminal.written.find(text, self.read_to) >= 0)
        self.read_to = terminal.written.index(text, self.read_to) + len(text)

    def say(self, after: str, line: str) -> None:
        """Wait for a text, then type a line."""
        self.wait(after)
        self.running.terminal.type(f"{line}\n")


@dataclass
class Piped:
    """Runs the program between two pipes, in a home of its own, with a model that plays a scenario."""

    make_model: Callable[..., ScriptedModel]
    make_home: Callable[..., CleanHome]

    def __call__(self, scenario: Scenario, typed: str, *words: str, code: int = 0, **options: str) -> str:
        """Give it all its lines at once; return what it prints."""
        self.model = self.make_model(scenario)
        self.home = self.make_home(self.model)
        return self.run(typed, "--plain", *words, code=code, **options)

    def run(self, typed: str, *words: str, code: int = 0, **options: str) -> str:
        """Run the program once more in the same home."""
        fixed = {"ANTHROPIC_BASE_URL": self.model.url, "CCQ_PERMISSION_MODE": "default"}
        done = subprocess.run(
            [program(), *words], env=self.home.env | fixed | options, cwd=self.home.project,
            input=typed, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=100,
        )  # fmt: skip
        assert done.returncode == code, done.stdout
        return done.stdout


@pytest.fixture
def piped(scripted_model: Callable[..., ScriptedModel], claude_env: Callable[..., CleanHome]) -> Piped:
    return Piped(scripted_model, claude_env)


CONVERSATION = Path(__file__).with_name("plain_conversation.txt").read_text(encoding="utf-8")


SAID = (
    *(("Choose 1 to 2", "2"), ("Choose 1 to 2", "first"), ("Choose some", "n soon"), ("Choose some", "1,3")),
    *(("y confirms", "y"), ("Choose 1 to 2", "9"), ("Choose 1 to 2", "o neither")),
    *(("Choose 1 to 2", "c Tell me more first"), ("y, n,", "a with care")),
)
"""What each line is typed after."""


@pytest.mark.parametrize("terminal", [False, True], ids=["pipe", "terminal"])
def test_a_whole_conversation(piped: Piped, start: Start, *, terminal: bool) -> None:
    scenario = (
        Scenario("e2e")
        .says(f"Two of them:\n\n{TABLE}\nOne is *smaller*.")
        .asks(WHICH)
        .asks(WHICH, PARTS)
        .asks(WHY)
        .asks(WHY)
        .runs("Bash", command="touch made", description="Make a file")
        .says("Done.")
    )
    if terminal:
        run = start(scenario, "--plain", prompt="", size=(200, 24), wrapper=("env", "TERM=dumb"))
        talk = Talk(run)
        for after, line in (("you:", "go"), *SAID):
            talk.say(after, line)
        talk.wait("is over")
        talk.wait("Claude is ready.")
        run.terminal.press("ctrl+d")
        assert run.terminal.wait_end() == 0
        run.terminal.wait(lambda now: "--plain continues it.\r\n" in now.written)
        model, project, printed = run.model, run.home.project, run.terminal.written
    else:
        printed = piped(scenario, "go\n" + "".join(f"{line}\n" for _, line in SAID))
        model, project = piped.model, piped.home.project
    results = [model.wait_for_result_sync(f"toolu_e2e_{number}").text for number in range(1, 5)]
    assert results == [
        answered('"Which one?"="Second"'),
        replied('"Which one?"="First", "Which parts?"="Docs, Code" notes: soon'),
        replied('"Why?"="neither"'),
        "The user responded: Tell me more first",
    ]
    sent = json.dumps(model.requests()[-1].body, ensure_ascii=False)
    assert json.dumps(REMARK.format("Bash", "with care"))[1:-1] in sent
    expected = CONVERSATION.replace("PROJECT", str(project))
    if terminal:
        expected = re.sub(r"(help:)\nyou: ", r"\1 ", expected).replace(
            "note: session", "you: \nnote: session"
        )
    assert ("\a" in printed) == terminal, "it rings when something waits"
    assert lines_of(printed) == expected.splitlines()


def test_a_question_outlives_the_program_with_what_was_typed(start: Start) -> None:
    first = start(Scenario("e2e").asks(WHICH, PARTS).says("Thanks."), "--plain")
    talk = Talk(first)
    talk.say("Choose 1 to 2", "2")
    talk.wait("question 2 of 2")
    with closing(Store(next(first.home.home.rglob("inbox.db")))) as store:
        first.terminal.wait(lambda _: any(one.has_draft for one in store.requests.waiting()))
    first.terminal.process.kill()
    first.terminal.wait_end()

    def goes_on(scenario: Scenario) -> Talk:
        return Talk(start(scenario, "--plain", "--continue", prompt="", home=first.home))

    again = goes_on(Scenario("again").says("Thanks.").ends_turn().asks(WHY).says("Then not."))
    again.wait("you: go")
    again.wait("question 2 of 2: Which parts?")
    again.say("Choose some", "1")
    again.wait("Second")
    again.say("y confirms", "y")
    again.wait("claude: Thanks.")
    again.say("you:", "and why?")
    again.wait("Choose 1 to 2")
    again.running.terminal.press("ctrl+d")
    again.wait("1 question waits in the session. ccq-tui resume")
    assert again.running.terminal.wait_end() == 0
    asked = [one for one in json.loads(first.ccq("inbox", "--json"))["requests"] if one["state"] == "pending"]
    assert [one["kind"] for one in asked] == ["question"], "the end of the input parks it"
    for code in (143, 129):
        ended = goes_on(Scenario("none"))
        ended.wait("Choose 1 to 2")
        if code == 143:
            ended.running.terminal.process.send_signal(SIGTERM)
        else:
            ended.running.terminal.hang_up()
        assert ended.running.terminal.wait_end() == code
    then = Scenario("last").says("Fine.").ends_turn().says("A moment.").hangs(gate="on", limit=30.0)
    parked = goes_on(then.asks(WHICH).says("Done."))
    parked.wait("Choose 1 to 2")
    first.ccq("answer", asked[0]["id"], "--choose", "1=2")
    parked.wait("note: Already answered by ccq-tui answer")
    parked.wait("claude: Fine.")
    assert "questions: answered by ccq-tui answer HH:MM" in lines_of(parked.running.terminal.written)
    parked.say("you:", "go on")
    with step("what is typed while Claude works answers nothing"):
        parked.say("Claude is working.", "2")
        parked.wait("you: 2")
        parked.running.model.release("on")
        parked.say("Choose 1 to 2", "1")
        assert parked.running.result("toolu_last_1") == answered('"Which one?"="First"')
    parked.running.terminal.press("ctrl+c")
    parked.wait("Ctrl+C again quits")
    parked.running.terminal.press("ctrl+c")
    assert parked.running.terminal.wait_end() == 130


def test_commands(piped: Piped) -> None:
    typed = "/mode\n7\nplan\n/theme\n/model\n\n/help\n! echo from the shell\n/nosuch\n/bug\n/quit\n"
    printed = piped(Scenario("e2e").says("Hello."), typed)
    assert not any("/nosuch" in json.dumps(one.body) for one in piped.model.requests())
    assert "<bash-input>" not in printed, "what a command of the shell printed is no prompt"
    for line in (
        "choose: Permission mode\n  1. default; now; asks before it changes or runs anything\n",
        "note: 7 is not in the list: choose 1 to 5.",
        "note: Plan mode; Claude looks and plans, changes nothing\n",
        "note: /theme needs the screen: start ccq-tui without --plain, at a terminal.",
        "note: Unknown command /nosuch; /help lists the commands; the same line again sends it as text\n",
        "note: /bug is not available here: report it with claude in a terminal\n",
        "choose: Model\n",
        "/add-dir PATH: Let Claude work in another directory too\n",
        "tool: from the shell",
    ):
        assert line in printed


def test_the_demo_as_the_docs_show_it_without_a_screen(piped: Piped) -> None:
    page = (Path(__file__).parents[2] / "docs" / "plain.md").read_text(encoding="utf-8")
    shown = page.partition("$ printf '2\\n' | ccq-tui demo single --plain\n")[2].partition("```")[0]
    printed = piped(Scenario("none"), "2\n", "demo", "single", "--speed", "0", PYTHONPROFILEIMPORTTIME="1")
    times = [line for line in printed.splitlines() if line.startswith("import time:")]
    assert [line for line in lines_of(printed) if line not in times] == lines_of(shown)
    loaded = {line.rpartition("|")[2].strip() for line in times}
    assert "ccq_tui.plain.session" in loaded
    assert not [name for name in loaded if name.partition(".")[0] in ("textual", "rich")]


def test_lines_behind_a_question_left_for_later_are_read(piped: Piped) -> None:
    printed = piped(Scenario("none"), "back\ny\n/answer\n2\n", "demo", "single", "--speed", "0")
    assert "It waits for you. /answer opens it again." in printed
    assert "Answered: PostgreSQL." in printed


def test_a_directory_is_trusted_first_and_at_a_terminal_alone(piped: Piped, start: Start) -> None:
    make_home = piped.make_home

    def distrusted(model: ScriptedModel) -> CleanHome:
        home = make_home(model)
        settings = home.project / ".claude" / "settings.json"
        settings.parent.mkdir(exist_ok=True)
        settings.write_text(json.dumps({"env": {"HARM": "1"}}))
        (home.config / ".claude.json").unlink(missing_ok=True)
        return home

    piped.make_home = distrusted
    printed = piped(Scenario("e2e").says("Hello."), "3\n", "go", code=2)
    ended = "choose: Do you trust this directory?\n  Start ccq-tui at a terminal to answer this.\n"
    assert "settings.json\n" in printed.partition(ended)[0]
    assert "is not trusted." in printed.partition(ended)[2], "what a script answers is no trust"
    assert piped.model.requests() == []
    talk = Talk(start(Scenario("e2e").says("Hello."), "--plain", home=piped.home))
    talk.say("Choose 1 to 3", "3")
    talk.wait("claude: Hello.")


def test_a_script_gets_through_two_rounds_and_its_limit_outlives_them(piped: Piped) -> None:
    scenario = Scenario("e2e")
    for number in range(1, 4):
        scenario = scenario.asks(replace(WHICH, text=f"Which one of {number}?"))
    piped(scenario.says("Done."), "", "--questions", "adaptive", "--max-question-rounds", "2", "go")
    (session,) = json.loads(piped.run("", "sessions", "--json"))["sessions"]
    for number, typed in enumerate(("", "2\n"), 1):
        if not typed:  # by a command, while nobody is at it
            assert "paused until you answer" in piped.run("", "resume", session["id"], "--plain")
            piped.run("", "answer", f"toolu_e2e_{number}", "--choose", "2")
        printed = piped.run(typed, "resume", session["id"], "--plain")
        result = piped.model.result(f"toolu_e2e_{number}").text
        assert result == answered(f'"Which one of {number}?"="Second"')
        assert ("claude: Done." in printed) == (number == 2)
    assert PROCEED in piped.model.result("toolu_e2e_3").text, "a parked set that is asked again is one round"
    assert len(piped.model.requests()) == 4
    assert "note: ccq-tui resume " in printed
    (session,) = json.loads(piped.run("", "sessions", "--json"))["sessions"]
    assert session["question_rounds"] == 2


def walking(place: Path) -> Terminal:
    return Terminal(["env", "TERM=dumb", program(), "inbox"], os.environ, place, (200, 60))


def saw(terminal: Terminal, text: str) -> None:
    terminal.wait(lambda now: text in now.written)


def test_lines_answer_what_waits_across_an_end(tmp_path: Path) -> None:
    stock()
    with asked() as store:
        with walking(tmp_path) as terminal:
            with step("answered elsewhere while a line was begun"):
                saw(terminal, "Kind: question. Asked: ")
                saw(terminal, "request 1 of 4: question from session api-refactor")
                saw(terminal, "Choose 1 to 3, o TEXT for your own words, ? for help: ")
                terminal.type("2")
                saw(terminal, "? for help: 2")
                store.requests.settle(id_of(CACHE), Answered((Answer(("None",)),)), PANEL)
                saw(terminal, "note: The line you had begun is not used: 2")
                saw(terminal, "note: Already answered in another terminal at ")
            with step("Ctrl+C asks"):
                saw(terminal, "question 1 of 3: Which features should it have?")
                terminal.press("ctrl+c")
                saw(terminal, "Continue with the next request? The draft is kept. y leaves")
                terminal.type("no\n").type("1,3\n")
                saw(terminal, "question 2 of 3: How many workers?")
            terminal.wait(lambda _: any(one.has_draft for one in store.requests.waiting()))
            os.killpg(terminal.process.pid, signal.SIGKILL)
            first = terminal.written
        with walking(tmp_path) as terminal:
            saw(terminal, "note: A draft is here: 1 of 3 answered, nothing sent.")
            terminal.type("9\n4\napi\ny\n")
            saw(terminal, "note: out of range; 1 to 8.")
            saw(terminal, "permission: Claude wants to use Bash")
            terminal.type("e use pnpm\n")
            saw(terminal, "plan: Claude proposes a plan")
            terminal.press("ctrl+d")
            saw(terminal, "note: 1 request waits.")
            assert terminal.wait_end() == 0
            assert terminal.restored
            written = first + terminal.written
        assert "\x1b" not in written
        assert written.count("\a") == 5, "one for each request that was shown"
        assert not set("─│╭❯○●✔◆") & set(written)
        found = {call: store.requests.get(id_of(call)) for call in (FEATURES, PERMISSION, PLAN)}
    outcomes = [one and one.outcome for one in found.values()]
    assert outcomes[0] == Answered((Answer(("Auth", "Search")), Answer(other="4"), Answer(other="api")))
    assert (getattr(outcomes[1], "text", ""), outcomes[2]) == ("use pnpm", None)


def test_a_terminal_that_goes_before_its_signal_comes_is_hung_up(tmp_path: Path) -> None:
    home = clean_environment("http://127.0.0.1:9", root=tmp_path)
    master, slave = pty.openpty()
    with subprocess.Popen(
        [program(), "--plain"], stdin=subprocess.PIPE, stdout=slave, stderr=slave, env=home.env,
        cwd=home.project, start_new_session=True,
    ) as running:  # fmt: skip
        os.close(slave)
        printed = b""
        while b"/help lists" not in printed:
            printed += os.read(master, 5_000)
        os.close(master)
        running.communicate(b"/help\n", timeout=allowed(60))
    assert running.returncode == 129


def test_the_screen_has_words_alone(start: Start) -> None:
    scenario = Scenario("e2e").says("| a | b |\n|---|---|\n| 1 | 2 |\n").asks(WHICH, PARTS).says("Done.")
    run = start(scenario, variables={"CCQ_SCREEN_READER": "1"})
    run.terminal.wait("Enter choose First")
    run.rest(1.0)  # its keys wake up
    assert "Claude asks" in run.terminal.text
    assert "1  First" in run.terminal.text
    before = len(run.terminal.raw)
    since = time.monotonic()
    run.terminal.wait(lambda _: time.monotonic() - since > 2.5)
    assert len(run.terminal.raw) == before, "what waits for a person writes nothing"
    run.terminal.press("1").wait("● 1  First")
    assert not [one for one in run.terminal.text if "\u2500" <= one < "\u25a0"]

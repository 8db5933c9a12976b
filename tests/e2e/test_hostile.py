"""Every screen among hostile text: names, settings, hooks, a branch and all that a model and people say."""

import json
import re
from contextlib import closing
from pathlib import Path

from ccq_tui.agent.events import SessionState
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.requests import Asker, Origin, QuestionRequest, asker_name
from ccq_tui.inbox.store.store import Store
from ccq_tui.processes import this_process
from ccq_tui.questions import Declined, Option, Question, QuestionSet
from ccq_tui.screens.sessions.trust import TRUST_QUESTION
from ccq_tui.testing import CleanHome, Scenario, clean_environment
from ccq_tui.widgets.decision.details import PLAN_TITLE
from tests.e2e.conftest import Running, Start, program
from tests.e2e.terminal import Terminal
from tests.hostile import FORBIDDEN, MARK, SIGNS, in_toml
from tests.steps import step

NAME = re.sub("[\r\n/]", "", MARK)
"""For what no line break can be in."""
TYPED = MARK.replace("\u0301" * 6, "\u0301")
"""A field draws every mark that a person types."""
LONG = MARK * 40
IDS = [f"123e4567-e89b-42d3-a456-42661417400{number}" for number in range(3)]
QUESTION = Question(
    f"Which? {LONG}", LONG, (Option(f"One {MARK}", LONG, preview=LONG), Option(f"Two {LONG}", MARK))
)
FOCUS_OUT = "\x1b[O"
SEQUENCES = re.compile(
    r"\x1b\[[0-9;:]*m"  # colours
    r"|\x1b\[[0-9;]*[ABCDEHJKLMXr]"  # the cursor, what is erased, and lines that move
    r"|\x1b\[(?:\?[0-9;]+(?:[hl]|\$p)|[<>=]?[0-9;]*u|>[0-9;]*[mq]|[0-9;]*[cnt])"  # modes, questions
    r"|(?:\x1bPtmux;\x1b)?\x1b\](?:(?:0|777;notify);(?P<words>[^\x00-\x1f\x7f-\x9f]*)"  # title, notification
    r"|9;4;\d;\d+|22;default)(?:\x07|\x1b\\|\x1b\x1b\\\x1b\\)"  # progress and pointer; as tmux passes them on
    r"|\x1b\]52;c;[A-Za-z0-9+/=]*\x07"  # clipboard
    r"|\x1b[=>78]"  # keypad, saved cursor
)
"""Every sequence that the program and Textual's driver write."""


def hostile_place(place: Path) -> None:
    """Make a project in which whatever has a name or a text has a hostile one."""
    (place / ".git").mkdir(parents=True)
    (place / ".git" / "HEAD").write_text(f"ref: refs/heads/{NAME}\n", encoding="utf-8")
    (place / ".claude").mkdir()
    text = json.dumps({"systemMessage": MARK, "continue": True})
    (place / "said.json").write_text(text, encoding="utf-8")
    hook = [{"hooks": [{"type": "command", "command": "cat said.json"}]}]
    events = ("SessionStart", "UserPromptSubmit", "PostToolUse")
    settings = {"hooks": dict.fromkeys(events, hook) | {MARK: hook}, "env": {MARK: MARK}, MARK: MARK}
    (place / ".claude" / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    servers = {MARK: {"command": "/bin/false", "args": [MARK]}, f"b{MARK}": {"url": f"http://{MARK}"}}
    (place / ".mcp.json").write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")
    (place / ".ccq-tui.toml").write_text(f"theme = {in_toml(MARK)}\n", encoding="utf-8")
    (place / NAME).write_text("a file\n", encoding="utf-8")


def scenario() -> Scenario:
    options = (Option(f"One {MARK}", MARK, preview=MARK), Option(f"Two {MARK}", MARK))
    return (
        Scenario("hostile", title=MARK)
        .thinks(MARK)
        .says(f"Hello {MARK}")
        .runs("Bash", command="touch x; printf '\\033]0;OWNED\\007\\302\\233'", description=MARK)
        .asks(Question(f"Which? {MARK}", MARK, options), title=f"Claude asks {MARK}")
        .plans(f"# A plan {MARK}\n\n1. {MARK}")
        .says("That is all.")
        .ends_turn()
    )


def checked(terminal: Terminal) -> str:
    """Look at every byte that the terminal was sent; return the words of its titles and notifications."""
    raw = terminal.written
    assert SIGNS[0] in raw, "what is hostile was drawn"
    rest = SEQUENCES.sub("", raw).replace("\r\n", "\n")
    bad = FORBIDDEN.search(rest)
    assert not bad, f"{rest[max(0, bad.start() - 60) : bad.start() + 60]!r}"
    acting = [found[0] for found in SEQUENCES.finditer(raw) if found["words"] is None]
    assert not [sequence for sequence in acting if "7777" in sequence or "OWNED" in sequence]
    words = "\n".join(found["words"] or "" for found in SEQUENCES.finditer(raw))
    assert not FORBIDDEN.search(words)
    return words


def stock(home: CleanHome, place: Path) -> Path:
    """Put sessions and questions into the inbox, and a conversation into Claude Code's; return the inbox."""
    inbox = home.home / ".local" / "state" / "ccq-tui" / "inbox.db"
    inbox.parent.mkdir(parents=True)
    lines = {"user": MARK, "assistant": [{"type": "text", "text": f"{MARK}\n\n| {MARK} |\n|--|\n"}]}
    kept = {"sessionId": IDS[0], "cwd": str(place), "gitBranch": MARK, "timestamp": "2026-01-31T12:00:00Z"}
    record = home.config / "projects" / "x" / f"{IDS[0]}.jsonl"
    record.parent.mkdir(parents=True)
    record.write_text(
        "".join(
            json.dumps(kept | {"type": who, "uuid": who, "message": {"role": who, "content": content}}) + "\n"
            for who, content in lines.items()
        )
    )
    with closing(Store(inbox)) as store:
        for number, directory in enumerate((place, f"{place}\n{MARK}", MARK)):
            facts = {"name": LONG, "last_line": LONG, "labels": {MARK: LONG}} if number else {}
            store.sessions.upsert(IDS[number], str(directory), **facts)
            store.sessions.set_state(IDS[number], SessionState.PARKED, MARK)
            asked = QuestionSet(f"call{number}", (QUESTION, QUESTION), LONG, intro=LONG)
            store.requests.add(QuestionRequest(f"call{number}", IDS[number], asked), LONG)
        asker = Origin(Asker.MCP, MARK, MARK, this_process())
        call, name = QuestionSet("foreign", (QUESTION,)), asker_name(Asker.MCP, MARK)
        store.requests.add(QuestionRequest("foreign", name, call, origin=asker), LONG)
    return inbox


def test_no_screen_sends_hostile_text_to_the_terminal(start: Start, tmp_path: Path) -> None:
    root = tmp_path / NAME
    root.mkdir()
    home = clean_environment("http://127.0.0.1:9", root=root)
    hostile_place(home.project / NAME)
    texts = {
        "CCQ_NOTIFY": "osc777",
        "CCQ_PROGRESS": "on",
        "CCQ_BELL": "false",
        f"CCQ_{NAME}": NAME,
        "TMUX": "x,1,0",
    }
    place = str(home.project / NAME)
    inbox = stock(home, home.project / NAME)
    run = start(scenario(), "--cwd", place, prompt=f"go {MARK}", home=home, variables=texts, size=(110, 50))
    terminal = run.terminal
    with step("the question about trust names the files and what they do"):
        terminal.wait(TRUST_QUESTION)
        terminal.wait(lambda screen: "cat said.json" in screen.text).press("pagedown pagedown")
        checked(terminal)
        run.rest()
        terminal.press("down down").wait("❯ Trust it, and remember that")
        terminal.press("enter")
    with step("a permission"):
        allow(run, "Claude wants to run a command")
    with step("a set of questions, and a notification for who looks elsewhere"):
        terminal.wait_panel("❯ ○ 1")
        run.rest()
        terminal.press("p p down up")
        # The row was there before these keys, too: Enter takes it where it is drawn again.
        run.rest()
        terminal.wait_panel("❯ ○ 1")
        # In one write: the plan must not be there before the focus has gone.
        terminal.type("\r" + FOCUS_OUT)
    with step("a plan"):
        allow(run, PLAN_TITLE)
        terminal.wait("That is all.")
        terminal.wait("○ ready")
    with step("the lists of commands, files, prompts and keys"):
        run.rest()
        lists = ("/mcp\r", "/theme\r", "/memory\r", "/permissions\r", "\x10", "\x12")
        for command, leaves in zip(lists, [*["Esc leave"] * 5, "Esc back"], strict=True):
            terminal.type(command).wait(leaves)
            run.rest()
            terminal.press("escape").wait_absent(leaves)
        terminal.type("@")
        run.rest()
        terminal.type("\x15").press("f1").wait("Esc leave")
        terminal.press("escape").wait_absent("Esc leave")
        terminal.paste(TYPED).type("\x15")
    with step("all sessions and their details, at every size"):
        terminal.press("f5").wait("─ Sessions")
        terminal.press("ctrl+a")
        for size in ((40, 12), (160, 50), (80, 24)):
            terminal.resize(size)
            for key in ("end", *["up"] * 9, "home"):
                terminal.press(key)
                run.rest(0.1)
    with step("what is typed there: a filter, the fields of a new session, a title"):
        terminal.press("/").paste(TYPED)
        run.rest()
        terminal.press("escape n").wait("Directory")
        terminal.paste(TYPED).press("tab").paste(TYPED)
        run.rest()
        terminal.press("enter").wait(lambda screen: "does not exist" in screen.prose)
        terminal.press("escape").wait_absent("Directory")
    with step("a question of another program, which another device declines"):
        terminal.press("f4").press("enter").wait_panel("Which?")
        with closing(Store(inbox)) as store:
            for one in store.requests.waiting():
                store.requests.settle(one.request.id, Declined(), Actor(Surface.DEVICE, MARK, device=MARK))
        terminal.wait("nothing waits").press("escape")
    run.end("ctrl+q", 0)
    words = checked(terminal)
    assert "OWNED" in words, "the session's title is that of the model"
    assert re.search(rb"\x1bPtmux;\x1b\x1b\]777;notify;", bytes(terminal.raw))
    options = [{"label": f"One {LONG}", "description": LONG, "value": MARK}, {"label": f"Two {LONG}"}]
    asked = {"id": "parts", "text": f"Which? {LONG}", "kind": "multi", "help": LONG, "options": options}
    texts = {"id": "why", "text": f"Why? {LONG}", "kind": "text", "header": MARK, "placeholder": LONG}
    form = {"id": "form", "title": LONG, "description": LONG, "context": [MARK], "questions": [asked, texts]}
    (tmp_path / "form.json").write_text(json.dumps(form), encoding="utf-8")
    command = [program(), "ask", str(tmp_path / "form.json"), "--context", f"{NAME}={MARK}"]
    with step("a form"), Terminal(command, home.env, home.project) as terminal:
        terminal.wait_panel("Which?")
        for size in ((40, 12), (160, 50), (80, 24)):
            terminal.resize(size)
            terminal.press("p p down tab").paste(TYPED).press("tab shift+tab shift+tab").wait_panel("Which?")
        checked(terminal)
    with step("a form, line by line"), Terminal([*command, "--plain"], home.env, home.project) as terminal:
        for count, answer in enumerate(("1", "9", "?", ""), 1):
            terminal.wait(lambda one, count=count: one.written.count("for help:") >= count)  # type: ignore[misc]
            terminal.type(f"{answer}\n")
        checked(terminal)


def allow(run: Running, head: str) -> None:
    """Take the first row of a decision; a second Enter says so where not all of it was in sight."""
    run.terminal.wait_panel(head)
    run.rest()
    run.terminal.press("enter")
    run.rest()
    if head in run.terminal.panel:
        run.terminal.press("enter")
    run.terminal.wait(lambda screen: head not in screen.panel)

"""``ccq-tui wrap`` around real programs: their prompts in the inbox, and everything else as without it."""

import os
import signal
import sqlite3
import sys
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from ccq_tui.config.paths import inbox_path
from ccq_tui.inbox.actors import Surface
from ccq_tui.inbox.requests import Asker, Cancelled, QuestionRequest
from ccq_tui.inbox.store.rows import RequestState
from ccq_tui.inbox.store.store import Store
from ccq_tui.questions import Answer, Answered
from tests.e2e.conftest import program
from tests.e2e.terminal import Terminal
from tests.e2e.wrapped import BY_COMMAND, Wrapped

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it ends processes that it finds in /proc")

LINES = """
read -p 'Continue? [y/N] ' a; echo "continue=$a"
select c in red green blue; do echo "colour=$c"; break; done
read -p '[1/1] Project name: ' n; echo "name=$n"
read -s -p 'Value: ' s; echo; echo "length=${#s}"
yes 'a line of a build that says a lot' | head -40000
read -p 'After a flood? (yes/no) ' f; echo "flood=$f"
printf '\\033[2J\\033[H'
read -p 'On a clear screen? [y/n] ' k; echo "clear=$k"
exit 7
"""


def test_prompts_of_a_shell_are_answered_from_the_inbox(tmp_path: Path) -> None:
    with Wrapped(["bash", "-c", LINES], tmp_path, options=("--name", "setup")) as wrapped:
        stored = wrapped.answer("Continue?", "Yes")
        assert (stored.request.origin.asker, stored.request.origin.name) == (Asker.TERMINAL, "setup")
        assert stored.request.origin.directory == str(tmp_path)
        assert stored.way == "result"
        wrapped.answer("Which one?", "green")
        wrapped.answer("Project name", other="a shop, small")
        wrapped.wait("Value:").type("not shown\r").wait(lambda terminal: b"length=9" in terminal.raw)
        wrapped.answer("After a flood?", "No")
        wrapped.answer("On a clear screen?", "Yes")
        assert wrapped.wait_end() == 7
        assert wrapped.restored
        for line in ("continue=y", "colour=green", "name=a shop, small", "flood=no", "clear=y"):
            wrapped.wait(lambda terminal, line=line: f"\r\n{line}\r\n".encode() in terminal.raw)  # type: ignore[misc]
        assert len([one for one in wrapped.store.history.changes() if one.cause == "asked"]) == 5
        assert wrapped.processes() == []


QUESTIONARY = """
import os
os.environ["PROMPT_TOOLKIT_NO_CPR"] = "1"  # else it writes a warning while a prompt stands
import questionary as q
print("one", q.select("Which framework?", ["Vite", "Next.js", "Remix"]).ask())
print("raw", q.rawselect("Which shortcut?", ["Vite", "Next.js", "Remix"]).ask())
print("several", q.checkbox("Which features?", ["Auth", "Cache", "Logs"]).ask())
print("sure", q.confirm("Sure?").ask())
print("name", q.text("Name?", default="demo", validate=lambda name: len(name) > 3 or "too short").ask())
print("secret", len(q.password("Secret?").ask()))
"""


def test_questionary_is_answered_from_the_inbox(tmp_path: Path) -> None:
    with Wrapped([sys.executable, "-c", QUESTIONARY], tmp_path) as wrapped:
        wrapped.answer("Which framework?", "Remix")
        wrapped.answer("Which shortcut?", "Next.js")
        wrapped.answer("Which features?", "Auth", "Logs")
        wrapped.answer("Sure?", "No")
        rejected = wrapped.asked("Name?")
        wrapped.store.requests.settle(rejected.request.id, Answered((Answer(other="abc"),)), BY_COMMAND)
        wrapped.state(rejected, RequestState.CANCELLED)
        again = wrapped.asked("Name?").request
        assert isinstance(again, QuestionRequest)
        (question,) = again.questions.questions
        message = "Your answer was not entered: the program says “too short”."
        assert (question.default, question.description) == ("abc", message)
        wrapped.answer("Name?", other="a shop")
        wrapped.wait("Secret?").type("abc\r")
        assert wrapped.wait_end() == 0
        wrapped.wait("secret 3")
        for line in ("one Remix", "raw Next.js", "several ['Auth', 'Logs']", "sure False", "name a shop"):
            wrapped.wait(lambda _, line=line: line in wrapped.lines)  # type: ignore[misc]
        assert [one.cause for one in wrapped.store.history.changes()].count("asked") == 6


AT_TERMINAL = """
read -p 'Quick? [y/n] ' a; echo "quick=$a"
read -t 4 -p 'Too late? [y/n] ' c || exit 3
"""


def test_what_is_answered_at_the_terminal_is_withdrawn(tmp_path: Path) -> None:
    with Wrapped(["bash", "-c", AT_TERMINAL], tmp_path) as wrapped:
        quick = wrapped.asked("Quick?")
        wrapped.type("y")
        quick = wrapped.state(quick, RequestState.CANCELLED)
        assert quick.outcome == Cancelled("keys were typed at its terminal")
        assert (quick.actor.surface, quick.actor.where) == (Surface.ASKER, "in bash")
        wrapped.type("\r")
        late = wrapped.asked("Too late?")
        assert wrapped.wait_end() == 3
        late = wrapped.state(late, RequestState.CANCELLED)
        assert late.outcome == Cancelled("bash ended with exit code 3")


EARLY = "read -t 0.5 -p 'Early? [y/n] ' a; echo gone; sleep 1; read -p 'Later? [y/n] ' b; echo \"later=$b\""


def test_a_prompt_gone_before_the_inbox_is_open_is_not_asked(tmp_path: Path) -> None:
    inbox_path().parent.mkdir(parents=True)
    Store(inbox_path()).close()
    with closing(sqlite3.connect(inbox_path(), isolation_level=None)) as busy, ExitStack() as ending:
        busy.execute("PRAGMA locking_mode = EXCLUSIVE")
        busy.execute("BEGIN IMMEDIATE")
        wrapped = ending.enter_context(Wrapped(["bash", "-c", EARLY], tmp_path))
        wrapped.wait("Later?")
        busy.close()
        wrapped.answer("Later?", "Yes")
        assert wrapped.wait_end() == 0
        asked = [one.request_id for one in wrapped.store.history.changes() if one.cause == "asked"]
        assert len(asked) == 1


def test_a_killed_wrap_leaves_nothing_behind(tmp_path: Path) -> None:
    with Wrapped(["bash", "-c", "read -p 'Go on? [y/n] ' a"], tmp_path) as wrapped:
        stored = wrapped.asked("Go on?")
        wrapped.process.send_signal(signal.SIGKILL)
        assert wrapped.wait_end() == -signal.SIGKILL
        wrapped.state(stored, RequestState.CANCELLED)
        wrapped.until(lambda: wrapped.processes() == [], "the end of all processes")


def test_a_wrap_goes_on_without_its_watcher_and_says_so(tmp_path: Path) -> None:
    with Wrapped(["bash", "-c", "read -p 'Go on? [y/n] ' a; exit 3"], tmp_path) as wrapped:
        stored = wrapped.asked("Go on?")
        os.kill(stored.request.origin.process.pid, signal.SIGKILL)
        wrapped.type("y\r")
        assert wrapped.wait_end() == 3
        wrapped.wait(lambda _: "its prompts were not in the inbox to the end" in wrapped.prose)
        assert wrapped.processes() == []


BUSY = """
import os, select, sys, tty
tty.setcbreak(0)
rows, at, ticks = ["One", "Two"], 0, 0
out = sys.stdout
out.write("\\x1b[?25l\\x1b[2J")
while True:
    ticks += 1
    out.write(f"\\x1b[Htick {ticks}\\r\\n\\r\\n? Which one?\\r\\n")
    for row in rows:
        out.write(f"{'❯' if rows[at] == row else ' '} {row}\\r\\n")
    out.flush()
    if select.select([0], [], [], 0.02)[0]:
        key = os.read(0, 10)
        if key in (b"\\r", b"\\n"):
            break
        at = (at + (key[-1:] in b"AB")) % 2
out.write(f"\\x1b[?25hchosen {rows[at]}\\r\\n")
"""


def test_a_list_on_a_screen_that_never_rests_is_answered(tmp_path: Path) -> None:
    with Wrapped([sys.executable, "-c", BUSY], tmp_path) as wrapped:
        wrapped.answer("Which one?", "Two")
        assert wrapped.wait_end() == 0
        wrapped.wait("chosen Two")


def test_a_program_that_floods_passes_keys_and_asks_nothing(tmp_path: Path) -> None:
    with Wrapped(["bash", "-c", "yes 'Continue? [y/n]'"], tmp_path) as wrapped:
        wrapped.wait(lambda terminal: len(terminal.raw) > 500_000).type("\x03")
        assert wrapped.wait_end() == 128 + signal.SIGINT
        assert wrapped.store.history.changes() == []
        assert wrapped.processes() == []


AT_WORK = """
printf 'Continue? [y/n] '; end=$((SECONDS + 2)); while [ $SECONDS -lt $end ]; do :; done
printf '\r\033[K'; read -p 'Go on? [y/n] ' a
"""


def test_what_a_program_writes_before_it_works_on_is_no_prompt(tmp_path: Path) -> None:
    with Wrapped(["bash", "-c", AT_WORK], tmp_path) as wrapped:
        wrapped.answer("Go on?", "Yes")
        assert wrapped.wait_end() == 0
        assert [one.cause for one in wrapped.store.history.changes()].count("asked") == 1


HALF = """
import os, signal, sys, time, tty
def draw(text):
    sys.stdout.write("\\x1b[2J\\x1b[H" + text)
    sys.stdout.flush()
tty.setcbreak(0)
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
whole = "? Which one?\\r\\n❯ One\\r\\n  Two\\r\\n"
draw(whole)
signal.sigwait({signal.SIGUSR1})
draw("? Which")
end = time.monotonic() + 1
while time.monotonic() < end:
    pass
draw(whole)
os.read(0, 10)
draw("chosen\\r\\n")
"""


def test_a_half_drawn_prompt_is_still_the_same(tmp_path: Path) -> None:
    with Wrapped([sys.executable, "-c", HALF], tmp_path) as wrapped:
        wrapped.asked("Which one?")
        wrapped.process.send_signal(signal.SIGUSR1)
        wrapped.wait(lambda terminal: terminal.raw.count(b"Which one?") == 2)
        wrapped.answer("Which one?", "One")
        assert wrapped.wait_end() == 0
        assert [one.cause for one in wrapped.store.history.changes()].count("asked") == 1


class Shell(Terminal):
    """An interactive shell in a terminal, as a person has it."""

    def __init__(self, directory: Path) -> None:
        env = dict(os.environ) | {"PS1": "shell> ", "WRAP": f"{program()} wrap"}
        super().__init__(["bash", "--norc", "--noprofile", "-i"], env, directory)
        self._runs = 0
        self.wait("shell>")

    def run(self, line: str, *wanted: str) -> None:
        """Run a line on a clear screen, and wait for lines that it prints and for its end."""
        self._runs += 1
        self.type(f"clear; {line}; echo code=$?; echo run={self._runs}\r")
        last = [f"run={self._runs}", "shell>"]
        self.wait(
            lambda _: set(wanted) <= set(self.lines) and [line for line in self.lines if line][-2:] == last
        )


def test_a_shell_sees_no_difference(tmp_path: Path) -> None:
    with Shell(tmp_path) as shell:
        shell.run("$WRAP -- sh -c 'exit 9'", "code=9")
        shell.run("$WRAP -- sh -c 'kill -9 $$'", "code=137")
        missing = "ccq-tui wrap: no-such-program cannot be started: No such file or directory"
        shell.run("$WRAP -- no-such-program", missing, "code=127")
        refused = "ccq-tui wrap: /etc/passwd cannot be started: Permission denied"
        shell.run("$WRAP -- /etc/passwd", refused, "code=126")
        # Streams that are no terminal are the program's own, to the byte.
        shell.run("printf 'a\\0b\\r\\n' | $WRAP -- cat | od -c -An", "   a  \\0   b  \\r  \\n", "code=0")
        shell.run("echo in | $WRAP -- sh -c 'read x; test -t 1 && ! test -t 0 && echo $x'", "in", "code=0")
        shell.run("(mkdir gone && cd gone && rmdir ../gone && $WRAP -- sh -c 'exit 9')", "code=9")
        shell.run("$WRAP -- sh -c 'test -e /dev/fd/0 || exit 4' <&- >&- 2>&-", "code=4")
        shell.run("(trap '' CHLD; exec $WRAP -- sh -c 'exit 6')", "code=6")
        # A wrap in a wrap asks once.
        shell.run("$WRAP -- $WRAP -- sh -c 'test $(tty) = $CCQ_WRAPPED && echo once'", "once", "code=0")
        shell.run("$WRAP -- sh -c 'sleep 100 & echo $! > child'", "code=0")
        os.kill(int((tmp_path / "child").read_text()), signal.SIGKILL)  # it lived on, as it does without
        shell.type("clear; $WRAP -- sh -c 'stty size; read x; stty size'; echo code=$?\r").wait("24 80")
        shell.resize((100, 30))
        shell.type("\r").wait("30 100")


JOB = """$WRAP -- bash -c 'read -p "[1/1] First: " a; read -p "Second? [y/n] " b; echo "got $a $b"'"""


def test_a_wrapped_program_is_stopped_and_continued_like_any_other(tmp_path: Path) -> None:
    inbox_path().parent.mkdir(parents=True)
    store = Store(inbox_path())
    with closing(store), Shell(tmp_path) as shell:
        shell.type(f"clear; {JOB}; echo code=$?\r").wait("First:")
        shell.wait(lambda _: len(store.requests.waiting()) == 1).press("ctrl+z").wait("Stopped")
        shell.wait(lambda _: not store.requests.waiting())
        assert [one.cause for one in store.history.changes()] == ["asked", "keys were typed at its terminal"]
        shell.type("stty -a | grep -o -w icanon\r")
        shell.wait(lambda _: "icanon" in shell.lines)  # the shell has its modes back
        shell.type("fg\r").wait(lambda _: shell.text.count("$WRAP") == 2)  # the shell names what it continues
        shell.type("one\r").wait("Second?")
        shell.wait(lambda _: len(store.requests.waiting()) == 1)
        (stored,) = store.requests.waiting()
        store.requests.settle(stored.request.id, Answered((Answer(selected=("Yes",)),)), BY_COMMAND)
        shell.wait("got one y")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_signals_reach_the_program(tmp_path: Path, number: signal.Signals) -> None:
    name = number.name.removeprefix("SIG")
    script = f"trap 'echo heard; exit 5' {name}; echo ready; while :; do read -t 1 x; done"
    with Wrapped(["bash", "-c", script], tmp_path) as wrapped:
        wrapped.wait("ready")
        wrapped.process.send_signal(number)
        assert wrapped.wait_end() == 5
        wrapped.wait("heard")
        assert wrapped.processes() == []


def test_a_closed_window_ends_the_program(tmp_path: Path) -> None:
    with Wrapped(["bash", "-c", "read -p 'Go on? [y/n] ' a"], tmp_path) as wrapped:
        stored = wrapped.asked("Go on?")
        wrapped.hang_up()
        assert wrapped.wait_end() == 128 + signal.SIGHUP
        wrapped.state(stored, RequestState.CANCELLED)
        assert wrapped.processes() == []


STUBBORN = """
import os, sys, tty
tty.setcbreak(0)
sys.stdout.write("\\x1b[?25l? Which one?\\r\\n❯ One\\r\\n  Two\\r\\n")
sys.stdout.flush()
while os.read(0, 10) != b"q":
    pass
sys.stdout.write("\\x1b[?25hended by hand\\r\\n")
"""


def test_an_answer_that_cannot_be_typed_comes_back(tmp_path: Path) -> None:
    with Wrapped([sys.executable, "-c", STUBBORN], tmp_path, options=("--name", "menu")) as wrapped:
        stored = wrapped.asked("Which one?")
        wrapped.store.requests.settle(stored.request.id, Answered((Answer(selected=("Two",)),)), BY_COMMAND)
        stored = wrapped.state(stored, RequestState.CANCELLED)
        reason = "it could not be typed to the end at menu's prompt: the mark did not move"
        assert stored.outcome == Cancelled(reason)
        again = wrapped.asked("Which one?").request
        assert isinstance(again, QuestionRequest)
        assert (
            again.questions.questions[0].description == "Your answer was not entered: the mark did not move."
        )
        wrapped.type("q")
        assert wrapped.wait_end() == 0
        wrapped.wait("ended by hand")

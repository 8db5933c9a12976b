"""Each line that names a key names the one that a person chose, and the key leads where the line says."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

import ccq_tui
from ccq_tui.agent import events as ev
from ccq_tui.agent.problems import Problem
from ccq_tui.config.actions import BY_NAME
from ccq_tui.config.keymap import keymap_of, use_keys
from ccq_tui.config.keynames import shown_key
from ccq_tui.config.launch import Launch
from ccq_tui.config.settings import Settings
from ccq_tui.inbox.decision import DecisionState, unseen_words
from ccq_tui.inbox.kinds.plan import choices
from ccq_tui.inbox.requests import Cancelled, PlanRequest
from ccq_tui.questions.input_guard import REPEAT_DELAY
from ccq_tui.runtime.notices import undelivered_words
from ccq_tui.runtime.recovery import Recovery, Remedy
from ccq_tui.screens.help import HelpScreen
from ccq_tui.screens.inbox.screen import InboxScreen
from ccq_tui.screens.overview.screen import OverviewScreen
from ccq_tui.screens.sessions.new_session import NewSessionScreen
from ccq_tui.widgets.decision.details import plan_above
from tests.ui.drawn import terminal_of
from tests.ui.host import press_later
from tests.ui.session import Driven, asked, keys_work, until

NAMES = (
    *("help", "panel", "copy_draft", "recover", "overview", "interrupt", "stash", "new_session"),
    *("unfold", "bottom", "block_up", "fold_block", "copy_block", "session_next", "waiting", "tasks"),
)
CHOSEN = {name: f"f{number}" for number, name in enumerate(NAMES, 9)}
USUAL_KEYS = [shown_key(BY_NAME[name].keys[0]) for name in NAMES if name != "interrupt"]
USUAL = re.compile(rf"(?<![\w+])({'|'.join(map(re.escape, USUAL_KEYS))})\b")
MANY = "\n".join(f"line {number}" for number in range(40))


def key(words: str) -> str:
    """Put the chosen keys into words, as a person sees them."""
    return words.format(**{name: chosen.upper() for name, chosen in CHOSEN.items()})


async def says(run: Driven, pilot: Pilot[Any], words: str) -> None:
    """Wait until a line is on the screen, and look for keys that are no longer what they were."""
    await until(pilot, lambda: key(words) in re.sub(r"\s+", " ", " ".join(terminal_of(run.app).lines)))
    stale = [line for line in terminal_of(run.app).lines if USUAL.search(line)]
    assert stale == [], words


async def test_the_lines_of_a_session_name_the_chosen_keys_which_lead_where_they_say() -> None:
    run = Driven(Launch(settings=Settings(cwd=Path("/"), keys=CHOSEN)))
    copied: list[str] = []
    run.app.copy_to_clipboard = copied.append  # type: ignore[method-assign]
    async with run.app.run_test(size=(90, 30)) as pilot:

        async def leads(words: str, name: str, there: Callable[[], object]) -> None:
            await says(run, pilot, words)
            await pilot.press(CHOSEN[name])
            await until(pilot, there)

        def text() -> str:
            return run.screen.transcript.text()

        await until(pilot, lambda: run.screen.view.state is ev.SessionState.IDLE)
        await leads("@ files · {help} all keys", "help", lambda: isinstance(run.app.screen, HelpScreen))
        await pilot.press("escape", CHOSEN["session_next"])
        only = "only session here · {new_session} in the prompt opens"
        await leads(only, "new_session", lambda: isinstance(run.app.screen, NewSessionScreen))
        await pilot.press("escape", CHOSEN["copy_block"])
        for event in (ev.PromptAccepted("Go", prompt_id="1"), ev.PromptDelivered("1")):
            run.told.tell(event)
        await until(pilot, lambda: "Go" in text())
        await leads("marked · {block_up} marks one", "block_up", lambda: run.screen.transcript.mark)
        await says(run, pilot, "{copy_block} copy")
        await pilot.press("escape", "x", CHOSEN["stash"])
        await leads("aside · {stash} brings it back", "stash", lambda: run.screen.dock.prompt.text == "x")
        await pilot.press("backspace", CHOSEN["recover"])
        await says(run, pilot, "{recover} works after one")

        for event in (ev.ToolStarted("t", "Bash", {"command": "make"}), ev.ToolFinished("t", "Bash", MANY)):
            run.told.tell(event)
        run.told.tell(ev.Compacted(9_000, 1_000, "What was said"))
        folded = run.screen.transcript
        await says(run, pilot, "more lines · {unfold}")
        await leads("tokens · {unfold} shows the summary", "unfold", lambda: not folded.model.folded)
        await pilot.press("pageup")
        run.told.tell(ev.ToolStarted("u", "Bash", {"command": "new"}))
        await leads("below · {bottom}", "bottom", lambda: folded.following)

        run.told.tell(asked("q"))
        await keys_work(run, pilot)
        await says(run, pilot, "{help} keys")
        await pilot.press("2", "escape")
        await says(run, pilot, "{panel} answers")
        await leads("sent · {panel} opens", "panel", lambda: not run.screen.dock.prompt.display)
        await pilot.press("escape")
        run.told.tell(ev.StateChanged(ev.SessionState.WORKING))
        await until(pilot, lambda: run.screen.view.busy)
        await press_later(pilot, CHOSEN["interrupt"], seconds=REPEAT_DELAY)
        run.clock.skip(REPEAT_DELAY)
        again = "{interrupt} again interrupts Claude and withdraws what waits · {panel} shows it"
        await leads(again, "interrupt", lambda: run.told.interrupts == 1)
        run.told.tell(ev.RequestSettled("q", Cancelled("interrupted")))
        await leads("{copy_draft} copies your draft", "copy_draft", lambda: copied)
        run.told.tell(ev.TurnEnded("aborted_tools", True, 1.0, None, 0, 0))

        for event in (ev.PromptAccepted("Build", prompt_id="2"), ev.PromptDelivered("2")):
            run.told.tell(event)
        run.told.tell(ev.ErrorReported(Problem.OVERLOADED, "529"))
        run.told.tell(ev.TurnEnded("error", True, 1.0, None, 0, 0))
        run.told.tell(ev.StateChanged(ev.SessionState.IDLE))
        await leads("{recover} send it again", "recover", lambda: run.told.sent == ["Build"])
        await pilot.press(CHOSEN["overview"])
        await until(pilot, lambda: isinstance(run.app.screen, OverviewScreen))
        await leads("{panel} inbox", "panel", lambda: isinstance(run.app.screen, InboxScreen))


def test_words_of_pure_parts_name_the_chosen_keys() -> None:
    use_keys(keymap_of({**CHOSEN, "page_down": "alt+j"}))
    plan = PlanRequest("p", "s", "1. Split\n2. Test")
    assert plan_above(plan, 1, 80).endswith("unseen · Alt+J")
    state = DecisionState(plan, choices(plan), unseen=3, warned=0, warned_by="y")
    assert "Alt+J shows them" in unseen_words(state)
    assert Recovery(offer=Remedy.RETRY).words.startswith(CHOSEN["recover"].upper())
    assert undelivered_words([("one", "a", 1)]).endswith(key("{overview} shows all"))


def test_no_sentence_has_a_key_that_a_person_can_choose() -> None:
    fixed = re.compile(r"\bF\d+\b|\bEsc (again|interrupts|stops)\b|\bEsc Esc\b")
    root = Path(ccq_tui.__file__).parent
    written: list[tuple[str, str]] = []
    for path in root.rglob("*.py"):
        nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
        docstrings = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        constants = [one for one in nodes if isinstance(one, ast.Constant) and id(one) not in docstrings]
        words = [one.value for one in constants if isinstance(one.value, str) and fixed.search(one.value)]
        written += [(path.relative_to(root).as_posix(), one) for one in words]
    # A line of keys puts the chosen key in place of the usual one; the tour is a prompt for a demo's keys.
    lines_of_keys = [("questions/keys.py", "F2"), ("screens/overview/screen.py", "F2")]
    assert sorted(one for one in written if one[0] != "testing/scenarios/tour.py") == lines_of_keys

"""Where keys are told: F1, the line of keys, and lines that name the key that a person chose."""

import importlib
import pkgutil
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.binding import Binding
from textual.dom import DOMNode
from textual.geometry import Offset
from textual.pilot import Pilot

from ccq_tui import screens, widgets
from ccq_tui.agent import events as ev
from ccq_tui.agent.events import RequestAsked, SessionState
from ccq_tui.agent.problems import Problem
from ccq_tui.config.keymap import DEFAULT_KEYS, TEXT_PLACES, keymap_of, use_keys
from ccq_tui.config.launch import Launch, launch_with
from ccq_tui.config.settings import Settings
from ccq_tui.inbox.draft import first_draft
from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.requests import Cancelled, PlanRequest
from ccq_tui.input.gate import HELD
from ccq_tui.input.keynames import shown_key
from ccq_tui.input.keys import SETTINGS, TABLE, Does, KeyPlace, actions_at, listed_at, rows_at
from ccq_tui.questions.keys import EFFECTS, action_for
from ccq_tui.questions.moves import open_words
from ccq_tui.runtime.notices import undelivered_words
from ccq_tui.runtime.recovery import Recovery, Remedy
from ccq_tui.screens.help import HelpScreen, key_rows
from ccq_tui.screens.session import SessionScreen
from ccq_tui.screens.sessions.screen import SessionsScreen
from ccq_tui.screens.sessions.trust import TrustScreen
from ccq_tui.widgets.decision.details import plan_above
from ccq_tui.widgets.hints import HintRow
from ccq_tui.widgets.lines import LineView
from ccq_tui.widgets.question.parts import unseen_words
from tests.tables import each_row
from tests.ui.asked import PLAIN
from tests.ui.drawn import terminal_of
from tests.ui.host import press_later
from tests.ui.session import Driven, asked, idle, keys_work, permission, press, until

Compare = Callable[..., bool]


def started(**settings: Any) -> Driven:
    return Driven(Launch(settings=Settings(**{"cwd": Path("/usr"), **settings})))


@pytest.fixture
def run() -> Driven:
    return started()


def shown(run: Driven) -> str:
    return "\n".join(line.text.plain for line in run.app.screen.query_one(LineView).lines).strip()


async def test_f1_opens_on_the_keys_of_the_place_it_was_pressed_in(run: Driven, pilot: Pilot[int]) -> None:
    for keys, place in (([], "Prompt"), (["ctrl+f"], KeyPlace.SEARCH), (["escape"], "Prompt")):
        await pilot.press(*keys)
        assert run.screen.help_place == place


async def test_f1_begins_with_the_keys_of_the_question_about_trust(tmp_path: Path) -> None:
    (tmp_path / ".mcp.json").write_text('{"mcpServers": {"a": {"command": "true"}}}')
    async with idle(started(cwd=tmp_path)) as (run, pilot):
        carried = launch_with({"cwd": tmp_path}).trusted.carried
        assert carried is not None
        run.app.push_screen(screen := TrustScreen(carried))
        await until(pilot, lambda: run.app.screen is screen)
        await press(pilot, "f1", then=lambda: isinstance(run.app.screen, HelpScreen) and shown(run))
        assert shown(run).startswith(screen.help_place)


def test_every_binding_of_the_program_is_a_row_of_the_table_of_keys() -> None:
    for package in (screens, widgets):  # with the app, all that may import Textual
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    rows = {(",".join(row.keys), f"do('{row.action}')", row.does, row.setting) for row in TABLE}
    rows |= {(",".join(row.keys), f"do('{name}')", row.does, name) for name, row in SETTINGS.items()}
    named: set[str] = set()
    for cls in subclasses(DOMNode):
        own = vars(cls).get("BINDINGS", []) if cls.__module__.startswith("ccq_tui.") else []
        for binding in (one for one in own if isinstance(one, Binding) and "go_to_session" not in one.action):
            assert (binding.key, binding.action, binding.description, binding.id or "") in rows, cls
            named |= {binding.id} if binding.id else set()
    assert named == {name for name, row in SETTINGS.items() if row.place in TEXT_PLACES}


def subclasses(cls: type[DOMNode]) -> set[type[DOMNode]]:
    return {cls}.union(*map(subclasses, cls.__subclasses__()))


@each_row(*list(KeyPlace))
def test_every_key_of_a_place_is_listed_once(place: KeyPlace) -> None:
    rows = key_rows(DEFAULT_KEYS, [place])
    own = {key for row in TABLE if row.place is place and row.does for key in row.keys}
    assert own <= {key for keys in listed_at(place).values() for key in keys}
    assert len({row.description for row in rows}) == len(rows)


def test_the_keys_of_the_decision_panel_mean_something_there_and_no_letter_is_missing() -> None:
    state = first_draft(permission())
    for row in rows_at(KeyPlace.DECISION):
        there = open_words(state, 3) if "text" in row.when else state
        means = row.does and row.action in EFFECTS and row.place is KeyPlace.DECISION
        for key in row.keys if means else ():
            assert action_for(there, key, key if len(key) == 1 else ""), key
    listed = actions_at(KeyPlace.DECISION)
    assert {act.key for act in kind_of(permission()).asked(permission()).acts} <= listed.keys()


def test_chosen_keys_are_listed_in_place_of_the_defaults() -> None:
    mine = key_rows(keymap_of({"preset": "vim", "unfold": "f7", "other": "z"}))
    rows = {row.description: row.label for row in mine}
    assert rows["Unfold or fold thinking and long outputs"] == "F7"
    assert rows["Answer in your own words"] == "z"
    assert rows["Decline the questions (asks once)"] == "Ctrl+X"
    assert rows["Scroll the preview down"] == "Shift+↓ Ctrl+D"


async def test_it_opens_over_a_prompt_and_gives_it_back_as_it_was(run: Driven, pilot: Pilot[int]) -> None:
    await press(pilot, "h", "i", "left", "f1", then=lambda: isinstance(run.app.screen, HelpScreen))
    assert "Interrupt Claude" in shown(run)
    await press(pilot, "f", "8", then=lambda: "Interrupt Claude" not in shown(run))
    assert "Copy the draft" in shown(run)
    await press(pilot, "x", then=lambda: shown(run) == "No match · Esc clears the filter")
    await press(pilot, "escape", "escape", then=lambda: isinstance(run.app.screen, SessionScreen))
    await pilot.press("x")
    assert run.screen.dock.prompt.text == "hxi"


async def test_chosen_keys_work_and_the_old_ones_do_not() -> None:
    run = started(keys={"preset": "vim", "help": "f12", "other": "z", "unfold": "f7", "leave": "f11"})
    async with idle(run) as (run, pilot):
        await pilot.press("f1")
        await pilot.pause()
        assert isinstance(run.app.screen, SessionScreen)
        await press(pilot, "f12", then=lambda: isinstance(run.app.screen, HelpScreen))
        await press(pilot, "f12", then=lambda: isinstance(run.app.screen, SessionScreen))
        await press(pilot, "f11", then=lambda: "F11 again quits" in run.screen.dock.notices.text)
        await run.ask(pilot, asked())
        panel = run.screen.dock.panel
        await pilot.press("G", "g", "j", "z", "w", "escape", "ctrl+x")
        assert "w" in str(panel.state)
        await until(pilot, lambda: "DECLINE" in str(panel.state))
        assert run.fake.answers == []


@pytest.mark.parametrize("place", [KeyPlace.DECISION, KeyPlace.QUESTION])
async def test_the_keys_of_an_open_panel_come_first(place: KeyPlace, run: Driven, pilot: Pilot[int]) -> None:
    await run.ask(pilot, RequestAsked(permission()) if place is KeyPlace.DECISION else asked())
    await press(pilot, "f1", then=lambda: isinstance(run.app.screen, HelpScreen))
    await until(pilot, lambda: shown(run).lstrip().startswith(place))
    await pilot.press("f1")
    await keys_work(run, pilot)
    await pilot.press("f2")  # hidden, it has no keys
    await press(pilot, "f1", then=lambda: isinstance(run.app.screen, HelpScreen))
    await until(pilot, lambda: shown(run).lstrip().startswith(KeyPlace.PROMPT))


async def test_nothing_moves_by_itself_where_motion_is_reduced() -> None:
    async with idle(started(reduce_motion=True)) as (run, _):
        assert run.app.animation_level == "none"
        assert not run.screen.dock.prompt.field.cursor_blink


def test_picture_of_the_keys(snap_compare: Compare) -> None:
    run = started()

    async def before(pilot: Pilot[Any]) -> None:
        await until(pilot, lambda: run.screen.view.state is SessionState.IDLE)
        await press(pilot, "f1", then=lambda: isinstance(run.app.screen, HelpScreen))
        await pilot.pause(0.1)

    assert snap_compare(run.app, run_before=before)


NAMES = (
    *("help", "panel", "copy_draft", "recover", "overview", "interrupt", "stash", "new_session"),
    *("unfold", "bottom", "block_up", "fold_block", "copy_block", "session_next", "waiting", "tasks"),
)
CHOSEN = {name: f"f{number}" for number, name in enumerate(NAMES, 9)}
USUAL_KEYS = [shown_key(SETTINGS[name].keys[0]) for name in NAMES if name != "interrupt"]
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
            await press(pilot, CHOSEN[name], then=there)

        def text() -> str:
            return run.screen.transcript.text()

        await until(pilot, lambda: run.screen.view.state is ev.SessionState.IDLE)
        await leads("{help} keys", "help", lambda: isinstance(run.app.screen, HelpScreen))
        await pilot.press("escape", CHOSEN["session_next"])
        only = "only session here · {new_session} in the prompt opens"
        await leads(only, "new_session", lambda: isinstance(run.app.screen, SessionsScreen))
        await pilot.press("escape", "escape", CHOSEN["copy_block"])
        run.fake.tell(ev.PromptAccepted("Go", prompt_id="1"), ev.PromptDelivered("1"))
        await until(pilot, lambda: "Go" in text())
        await leads("marked · {block_up} marks one", "block_up", lambda: run.screen.transcript.mark)
        await says(run, pilot, "{copy_block} copy")
        await pilot.press("escape", "x", CHOSEN["stash"])
        await leads("aside · {stash} brings it back", "stash", lambda: run.screen.dock.prompt.text == "x")
        await pilot.press("backspace", CHOSEN["recover"])
        await says(run, pilot, "{recover} works after one")

        run.fake.tell(ev.ToolStarted("t", "Bash", {"command": "make"}), ev.ToolFinished("t", "Bash", MANY))
        run.fake.tell(ev.Compacted(9_000, 1_000, "What was said"))
        folded = run.screen.transcript
        await says(run, pilot, "more lines · {unfold}")
        await leads("tokens · {unfold} shows the summary", "unfold", lambda: not folded.model.folded)
        await pilot.press("pageup")
        run.fake.tell(ev.ToolStarted("u", "Bash", {"command": "new"}))
        await leads("below · {bottom}", "bottom", lambda: folded.viewport.following)

        await run.ask(pilot, asked("q"))
        await says(run, pilot, "{help} keys")
        await pilot.press("2", "escape")
        await says(run, pilot, "{panel} answers")
        await leads("sent · {panel} opens", "panel", lambda: not run.screen.dock.prompt.display)
        await pilot.press("escape")
        await run.tell(pilot, ev.StateChanged(ev.SessionState.WORKING), then=lambda: run.screen.view.busy)
        await press_later(pilot, CHOSEN["interrupt"], seconds=HELD)
        run.clock.skip(HELD)
        again = "{interrupt} again interrupts Claude and withdraws what waits · {panel} shows it"
        await leads(again, "interrupt", lambda: run.fake.interrupts == 1)
        run.fake.tell(ev.RequestSettled("q", Cancelled("interrupted")))
        await leads("{copy_draft} copies your draft", "copy_draft", lambda: copied)
        run.fake.tell(ev.TurnEnded("aborted_tools", True, 1.0, None, 0, 0))

        run.fake.tell(ev.PromptAccepted("Build", prompt_id="2"), ev.PromptDelivered("2"))
        run.fake.tell(ev.ErrorReported(Problem.OVERLOADED, "529"))
        run.fake.tell(ev.TurnEnded("error", True, 1.0, None, 0, 0), ev.StateChanged(ev.SessionState.IDLE))
        await leads("{recover} send it again", "recover", lambda: run.fake.sent == ["Build"])
        await press(pilot, CHOSEN["overview"], then=lambda: isinstance(run.app.screen, SessionsScreen))
        await press(pilot, CHOSEN["panel"], then=lambda: isinstance(run.app.screen, SessionScreen))


def test_words_of_pure_parts_name_the_chosen_keys() -> None:
    use_keys(keymap_of({**CHOSEN, "page_down": "alt+j"}))
    plan = PlanRequest("p", "s", "1. Split\n2. Test")
    assert plan_above(plan.plan, 1, 80).endswith("unseen · Alt+J")
    state = replace(first_draft(plan), unseen=3, warned=(0, "y"))
    assert "Alt+J shows them" in unseen_words(state)
    assert Recovery(offer=Remedy.RETRY).words.startswith(CHOSEN["recover"].upper())
    assert undelivered_words([("one", "a", 1)]).endswith(key("{overview} shows all"))


EVERY, OTHER, HIDE, SPACE = ("p", "all"), ("o", "other"), ("Esc", "hide"), ("Space", "select")
KEYS = (("Space", "select"), ("Enter", "next"), ("Esc", "hide"), ("a", "all/none"))


@given(st.integers(1, 120))
@example(len(" Space select · Enter next · Esc hide 1/2 "))
@example(len(" Space select · Enter next · Esc hide  1/2 "))
def test_the_word_at_the_right_never_touches_the_keys(width: int) -> None:
    line = HintRow(KEYS, ("", "1/2")).text(width, PLAIN).plain
    assert cell_len(line) <= width
    if line.endswith("1/2"):
        assert line.removesuffix("1/2").endswith("  ")
        assert cell_len(line) == width - 1


@each_row(
    (
        40,
        (("Enter", Does("send", "OAuth 2.0 with PKCE")), EVERY, OTHER, HIDE),
        "Enter send OAuth 2… · p all · Esc · F1",
    ),
    (
        40,
        (("Enter", Does("take", "pydantic-settings")), ("p", "▤"), HIDE),
        "Enter take pydantic-… · p ▤ · Esc · F1",
    ),
    (
        40,
        (("Enter", Does("none", link=" of these")), SPACE, EVERY, HIDE),
        "Enter none · Space · p all · Esc · F1",
    ),
    (40, (("Enter", Does("accept every file edit")), HIDE), "Enter accept every file edit · Esc · F1"),
    (
        40,
        (("Enter", Does("ask again", link=", 14 lines unseen")), ("Esc", "small again")),
        "Enter ask again · Esc small again · F1",
    ),
    (80, (("Enter", Does("send", "x" * 90)), OTHER, HIDE), f"Enter send {'x' * 31}… · o other · Esc hide"),
    (
        80,
        (("Enter", Does("select", "A", " instead of ", "B")), OTHER, HIDE),
        "Enter select A instead of B · o other · Esc hide",
    ),
)
def test_the_verb_and_the_keys_that_leave_stay_and_the_object_is_cut(
    width: int, keys: tuple[tuple[str, str], ...], line: str
) -> None:
    shown = HintRow(keys, end=("F1", "keys")).text(width, PLAIN).plain
    if width < 60:
        assert shown == f" {line}"
    else:
        assert shown == f" {line}".ljust(width - 8) + "F1 keys"


@given(st.integers(40, 120), st.integers(0, 200))
def test_a_click_presses_the_key_under_it(width: int, x: int) -> None:
    hints = HintRow((("Enter", Does("send", "PostgreSQL")), OTHER, HIDE), end=("F1", "keys"))
    line, key = hints.text(width, PLAIN).plain, hints.key_at(width, Offset(x, 0))
    shown = {"enter": "Enter", "o": "o", "escape": "Esc", "f1": "F1", None: ""}[key]
    assert shown in line
    if key is not None:
        assert line[x] not in "·"

"""F1: all keys, found by typing, over whatever is on the screen."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual.binding import Binding
from textual.dom import DOMNode
from textual.pilot import Pilot

import ccq_tui
from ccq_tui.agent.events import PermissionAsked, SessionState
from ccq_tui.app import CcqApp
from ccq_tui.config.actions import ACTIONS, KeyPlace
from ccq_tui.config.keymap import DEFAULT_KEYS, keymap_of
from ccq_tui.config.keynames import shown_key
from ccq_tui.config.launch import Launch, launch_with
from ccq_tui.config.settings import Settings
from ccq_tui.inbox.choices import NUMBERS
from ccq_tui.inbox.decision import DECISION, DECISION_KEYS, IN_TEXT, means_something
from ccq_tui.inbox.draft import first_draft
from ccq_tui.inbox.kinds import kind_of
from ccq_tui.questions.keys import KEY_TABLE
from ccq_tui.screens.help import ALT_NUMBERS, HelpScreen, joined, key_rows, own_bindings
from ccq_tui.screens.replay import ReplayScreen
from ccq_tui.screens.session import SessionScreen
from ccq_tui.screens.sessions.new_session import NEW, NewSessionScreen
from ccq_tui.screens.trust import TRUST, TrustScreen
from ccq_tui.widgets.lines import LineView
from ccq_tui.widgets.search_bar import SEARCH, SearchField
from tests.ui.running import running
from tests.ui.session import Driven, asked, keys_work, permission, until

Compare = Callable[..., bool]
BOUND = list(own_bindings(SessionScreen, CcqApp))
ALL = key_rows(BOUND, DEFAULT_KEYS)


def started(**settings: Any) -> Driven:
    return Driven(Launch(settings=Settings(**{"cwd": Path("/usr"), **settings})))


@pytest.fixture
def run() -> Driven:
    return started()


async def idle(run: Driven, pilot: Pilot[Any]) -> None:
    await until(pilot, lambda: run.screen.view.state is SessionState.IDLE)


def shown(run: Driven) -> str:
    return "\n".join(line.text.plain for line in run.app.screen.query_one(LineView).lines).strip()


async def test_f1_opens_on_the_keys_of_the_place_it_was_pressed_in(run: Driven, pilot: Pilot[int]) -> None:
    await idle(run, pilot)
    for keys, place in (([], "Prompt"), (["ctrl+f"], SEARCH), (["escape"], "Prompt")):
        await pilot.press(*keys)
        assert run.screen.help_place == place


async def test_f1_begins_with_the_keys_of_a_form_and_of_the_question_about_trust(tmp_path: Path) -> None:
    (tmp_path / ".mcp.json").write_text('{"mcpServers": {"a": {"command": "true"}}}')
    async with running(started(cwd=tmp_path)) as (run, pilot):
        await idle(run, pilot)
        carried = launch_with({"cwd": tmp_path}).trusted.carried
        assert carried is not None
        for screen, place in ((NewSessionScreen(tmp_path), NEW), (TrustScreen(carried), TRUST)):
            run.app.push_screen(screen)
            await until(pilot, lambda screen=screen: run.app.screen is screen)  # type: ignore[misc]
            await pilot.press("f1")
            await until(pilot, lambda: isinstance(run.app.screen, HelpScreen) and shown(run))
            assert shown(run).startswith(place)
            await pilot.press("f1")


# -- the list ---------------------------------------------------------------------------------------------


def test_every_binding_is_listed_with_its_keys_and_says_what_it_does() -> None:
    rows = {(row.label, row.description) for row in ALL}
    for binding in [*joined(BOUND), *joined(own_bindings(SearchField))]:
        assert binding.description, binding.action
        keys = " ".join(map(shown_key, binding.key.split(",")))
        assert (keys.replace(ALT_NUMBERS, "Alt+1-9"), binding.description) in rows


def test_no_class_of_the_program_has_bindings_that_are_not_listed() -> None:
    for module in pkgutil.walk_packages(ccq_tui.__path__, "ccq_tui."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    listed = {id(binding) for binding in [*BOUND, *own_bindings(SearchField), *own_bindings(ReplayScreen)]}
    for cls in subclasses(DOMNode):
        if cls.__module__.startswith("ccq_tui."):
            own = [binding for binding in vars(cls).get("BINDINGS", []) if isinstance(binding, Binding)]
            assert all(id(binding) in listed or covered(binding) for binding in own), cls


def covered(binding: Binding) -> bool:
    """Whether a copy of it is listed: a binding for several keys is listed as one for each."""
    return any(
        binding.action.partition("(")[0] == other.action.partition("(")[0]
        and set(binding.key.split(",")) <= set(other.key.split(","))
        for other in joined([*BOUND, *own_bindings(SearchField), *own_bindings(ReplayScreen)])
    )


def subclasses(cls: type[DOMNode]) -> set[type[DOMNode]]:
    return {cls}.union(*map(subclasses, cls.__subclasses__()))


def test_the_actions_of_the_configuration_are_the_bindings_that_have_a_name() -> None:
    named = {binding.id: tuple(binding.key.split(",")) for binding in joined(BOUND) if binding.id}
    on_screens = (KeyPlace.EVERYWHERE, KeyPlace.PROMPT, KeyPlace.TRANSCRIPT)
    assert named == {action.name: action.keys for action in ACTIONS if action.place in on_screens}


def test_every_key_of_the_question_panel_is_listed_once() -> None:
    rows = [row for row in ALL if row.group == KeyPlace.QUESTION.value]
    keys = " ".join(row.label for row in rows).replace("1-9", " ".join(NUMBERS)).split()
    assert sorted(keys) == sorted(shown_key(key) for row in KEY_TABLE for key in row.keys)
    assert len({row.description for row in rows}) == len(rows)


def test_the_keys_of_the_decision_panel_mean_something_there_and_no_letter_is_missing() -> None:
    state = first_draft(permission())
    handled_by_the_panel = {"scroll_up", "scroll_down", "page_up", "page_down", "edit"}
    for use in DECISION_KEYS:
        there = replace(state, typing=use.action == "leave_text")
        for key in use.keys if use.action not in handled_by_the_panel else ():
            assert means_something(there, key, key if len(key) == 1 else "")
    assert {use.action for use in DECISION_KEYS} >= IN_TEXT
    listed = {key for use in DECISION_KEYS for key in use.keys}
    assert {choice.key for choice in kind_of(permission()).choices(permission())} <= listed
    assert any(row.group == DECISION for row in ALL)


def test_chosen_keys_are_listed_in_place_of_the_defaults() -> None:
    mine = key_rows(BOUND, keymap_of({"preset": "vim", "unfold": "f7", "other": "x"}))
    rows = {row.description: row.label for row in mine}
    assert rows["Unfold or fold thinking and long outputs"] == "F7"
    assert rows["Answer in your own words"] == "x"
    assert rows["Decline the questions (asks once)"] == "Ctrl+X"
    assert rows["Scroll the preview down"] == "Shift+↓ Ctrl+D"


# -- the screen -------------------------------------------------------------------------------------------


async def test_it_opens_over_a_prompt_and_gives_it_back_as_it_was(run: Driven, pilot: Pilot[int]) -> None:
    await idle(run, pilot)
    await pilot.press("h", "i", "left", "f1")
    await until(pilot, lambda: isinstance(run.app.screen, HelpScreen))
    assert "Interrupt Claude" in shown(run)
    await pilot.press("f", "8")
    await until(pilot, lambda: "Interrupt Claude" not in shown(run))
    assert "Copy the draft" in shown(run)
    await pilot.press("x")
    await until(pilot, lambda: shown(run) == "No match · Esc clears the filter")
    await pilot.press("escape", "escape")
    await until(pilot, lambda: isinstance(run.app.screen, SessionScreen))
    await pilot.press("x")
    assert run.screen.dock.prompt.text == "hxi"


async def test_chosen_keys_work_and_the_old_ones_do_not() -> None:
    run = started(keys={"preset": "vim", "help": "f12", "other": "x", "unfold": "f7"})
    async with run.app.run_test() as pilot:
        await idle(run, pilot)
        await pilot.press("f1")
        await pilot.pause()
        assert isinstance(run.app.screen, SessionScreen)
        await pilot.press("f12")
        await until(pilot, lambda: isinstance(run.app.screen, HelpScreen))
        await pilot.press("f12")
        await until(pilot, lambda: isinstance(run.app.screen, SessionScreen))
        run.told.tell(asked())
        await keys_work(run, pilot)
        panel = run.screen.dock.panel
        await pilot.press("G", "g", "j", "x", "w", "escape", "ctrl+x")
        assert "w" in str(panel.state)
        await until(pilot, lambda: "DECLINE" in str(panel.state))
        assert run.told.answers == []


@pytest.mark.parametrize("place", [DECISION, KeyPlace.QUESTION.value])
async def test_the_keys_of_an_open_panel_come_first(place: str, run: Driven, pilot: Pilot[int]) -> None:
    await idle(run, pilot)
    run.told.tell(PermissionAsked(permission()) if place == DECISION else asked())
    await keys_work(run, pilot)
    await pilot.press("f1")
    await until(pilot, lambda: isinstance(run.app.screen, HelpScreen))
    await until(pilot, lambda: shown(run).lstrip().startswith(place))
    await pilot.press("f1")
    await keys_work(run, pilot)
    await pilot.press("f2")  # hidden, it has no keys
    await pilot.press("f1")
    await until(pilot, lambda: isinstance(run.app.screen, HelpScreen))
    await until(pilot, lambda: shown(run).lstrip().startswith(KeyPlace.PROMPT.value))


async def test_nothing_moves_by_itself_where_motion_is_reduced() -> None:
    async with running(started(reduce_motion=True)) as (run, pilot):
        await idle(run, pilot)
        assert run.app.animation_level == "none"
        assert not run.screen.dock.prompt.field.cursor_blink


# -- pictures ---------------------------------------------------------------------------------------------


def test_picture_of_the_keys(snap_compare: Compare) -> None:
    run = started()

    async def before(pilot: Pilot[Any]) -> None:
        await idle(run, pilot)
        await pilot.press("f1")
        await until(pilot, lambda: isinstance(run.app.screen, HelpScreen))
        await pilot.pause(0.1)

    assert snap_compare(run.app, run_before=before)

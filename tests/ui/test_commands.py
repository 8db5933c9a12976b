"""The program's own commands on the screen: what each shows, what is looked after by keys, and Ctrl+P."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot

from ccq_tui.agent import events as ev
from ccq_tui.agent.controls import CommandError
from ccq_tui.agent.reader import EarlierSession
from ccq_tui.commands.listings import NO_TASKS
from ccq_tui.commands.workspace import WAITS
from ccq_tui.config.launch import Launch
from ccq_tui.config.settings import Settings
from ccq_tui.input.gate import PAUSE
from ccq_tui.questions.state import PanelState
from ccq_tui.screens.picker import Picker
from ccq_tui.screens.session import screen as session_screen
from ccq_tui.screens.sessions import listing
from ccq_tui.screens.sessions.screen import SessionsScreen
from tests.ui.host import Clock, press_later
from tests.ui.session import Driven, LastingSession, asked, idle, press, running, until

MODELS = ev.ModelsListed(
    (
        ev.ModelChoice("default", "Default", "for most", "claude-x", ("low", "high")),
        ev.ModelChoice("opus", "Opus", "for much", "claude-o", ("low", "high", "max")),
    )
)


def notices(driven: Driven) -> str:
    return "\n".join(getattr(block, "text", "") for block in driven.session_screen.transcript.model.blocks)


async def say(
    pilot: Pilot[int], driven: Driven, text: str, then: Callable[[], object] = lambda: True
) -> None:
    """Send a prompt, and wait until something holds then."""
    driven.session_screen.dock.prompt.put(text)
    await press(pilot, "enter", then=then)


async def choosing(pilot: Pilot[int], driven: Driven, text: str) -> Picker:
    """Give a command that lets choose; return its picker."""
    await say(pilot, driven, text)
    return await picker(pilot)


async def models_known(pilot: Pilot[int], driven: Driven) -> None:
    """Tell which models there are, and wait until that was heard: what comes in a burst is heard together."""
    await driven.tell(pilot, MODELS, then=lambda: driven.session_screen.models.models)


async def picker(pilot: Pilot[int]) -> Picker:
    """Wait for a list."""
    await until(pilot, lambda: isinstance(pilot.app.screen, Picker) and pilot.app.screen.is_mounted)
    await pilot.pause()
    return pilot.app.screen


async def choose(pilot: Pilot[int], *keys: str, to: str = "", about: str = "") -> None:
    """Press keys in a list that has been there for a moment, and see what they lead to."""
    await press_later(pilot, *keys, then=lambda: not to or getattr(pilot.app.screen, "heading", "") == to)
    await until(pilot, lambda: about in getattr(pilot.app.screen, "about", about))


async def closed(pilot: Pilot[int]) -> None:
    """Wait until no list is open."""
    await until(pilot, lambda: not isinstance(pilot.app.screen, Picker))


async def test_a_model_is_chosen_from_a_list_or_by_name(run: Driven, pilot: Pilot[int]) -> None:
    await say(pilot, run, "/model", then=lambda: "still starting" in run.screen.dock.notices.text)
    await models_known(pilot, run)
    shown = await choosing(pilot, run, "/model")
    assert shown.state.under.value == "default"
    await pilot.press("down", "enter")
    await closed(pilot)
    assert run.fake.set == [("model", "opus")]
    assert "Model: Opus (claude-o), from the next prompt" in run.screen.dock.notices.text
    await say(pilot, run, "/model default")
    await say(pilot, run, "/model something-else")
    assert run.fake.set[1:] == [("model", None), ("model", "something-else")]
    assert run.fake.sent == []


async def test_a_mode_without_checks_is_there_only_where_it_was_started_with() -> None:
    async with running(Driven()) as (driven, pilot):
        await driven.tell(pilot, ev.ModeChanged("plan"), then=lambda: driven.screen.view.mode == "plan")
        shown = await choosing(pilot, driven, "/mode")
        assert "bypassPermissions" not in [row.value for row in shown.state.rows]
        assert shown.state.under.value == "plan"
        await pilot.press(*"accept", "enter")
        await closed(pilot)
        await say(pilot, driven, "/mode bypasspermissions")
        assert driven.fake.set == [("mode", "acceptEdits")]
        assert "edits files unasked" in driven.screen.dock.notices.text
        assert "edits files unasked" not in notices(driven)  # the CLI has not agreed yet
        assert "only when ccq-tui starts with" in notices(driven)
    settings = Settings(cwd=Path("/"), permission_mode="bypassPermissions")
    async with running(Driven(Launch(settings=settings))) as (driven, pilot):
        await say(pilot, driven, "/mode bypassPermissions")
        assert driven.fake.set == [("mode", "bypassPermissions")]


async def test_effort_context_and_cost_are_shown_and_a_refusal_is_said(
    run: Driven, pilot: Pilot[int]
) -> None:
    await models_known(pilot, run)
    await say(pilot, run, "/effort max")
    assert "Unknown effort max; choose low, high" in notices(run)
    run.fake.replies["get_settings"] = {"applied": {"effort": "low"}}
    shown = await choosing(pilot, run, "/effort")
    assert [row.value for row in shown.state.rows if row.current] == ["low"], "the CLI says which one holds"
    await choose(pilot, "down", "enter")
    await closed(pilot)
    assert run.fake.set == [("effort", "high")]
    await run.tell(pilot, ev.EffortChanged("high"), then=lambda: "Effort: high" in notices(run))
    run.fake.replies["get_session_cost"] = {"text": "Estimated cost: $1"}
    await say(pilot, run, "/cost")
    await until(
        pilot, lambda: "0 turns ended in this terminal, 0s of work\nEstimated cost: $1" in notices(run)
    )
    run.fake.replies["get_session_cost"] = CommandError("The session is over.")
    await say(pilot, run, "/cost", then=lambda: "/cost failed: The session is over." in notices(run))
    assert run.fake.sent == []


def rewound(driven: Driven) -> list[tuple[str, Any]]:
    return [
        entry for entry in driven.fake.asked if entry[0].startswith("rewind") and "dry_run" not in entry[1]
    ]


async def rewind_to_the_last(pilot: Pilot[int], run: Driven) -> None:
    """Choose the last prompt, and take what is offered first."""
    await choosing(pilot, run, "/rewind")
    await press(pilot, "enter", then=lambda: "before: Prompt" in getattr(pilot.app.screen, "heading", ""))
    await choose(pilot, "enter")


async def test_a_rewind_shows_what_changes_and_changes_only_what_was_chosen(
    run: Driven, pilot: Pilot[int]
) -> None:
    for number in (1, 2, 3):
        run.fake.tell(ev.PromptAccepted(f"Prompt {number}", prompt_id=f"p{number}"))
    await until(pilot, lambda: len(run.screen.rewind.given) == 3)
    run.fake.replies["rewind_files"] = {"canRewind": True, "filesChanged": ["/a.txt"], "deletions": 4}
    run.fake.replies["rewind_conversation"] = {"rewound": True, "prefillText": "Prompt 2"}
    await choosing(pilot, run, "/rewind")
    await pilot.press("down", "enter")
    await until(pilot, lambda: "before: Prompt 2" in getattr(pilot.app.screen, "heading", ""))
    run.clock.skip(1.0)
    assert "Restores 1 file: +0 −4 lines." in (await picker(pilot)).about
    await press(pilot, "escape", then=lambda: "which prompt" in getattr(pilot.app.screen, "heading", ""))
    await pilot.press("escape")
    await closed(pilot)
    assert rewound(run) == []
    await choosing(pilot, run, "/rewind")
    await pilot.press("down", "enter")
    await until(pilot, lambda: "before: Prompt 2" in getattr(pilot.app.screen, "heading", ""))
    await choose(pilot, "enter")
    await until(pilot, lambda: "the last 2 prompts" in notices(run))
    assert [name for name, _ in rewound(run)] == ["rewind_conversation", "rewind_files"]
    assert run.session_screen.dock.prompt.text == "Prompt 2"
    run.session_screen.dock.prompt.put("/rewind")
    await pilot.press("enter")
    assert [row.label for row in (await picker(pilot)).state.rows] == ["Prompt 1"]


async def test_a_rewind_names_the_files_that_did_not_follow_and_a_refused_one_leaves_all_as_it_is(
    run: Driven, pilot: Pilot[int]
) -> None:
    run.fake.tell(ev.PromptAccepted("Prompt", prompt_id="p1"))
    await until(pilot, lambda: len(run.screen.rewind.given) == 1)
    run.fake.replies["rewind_files"] = {"canRewind": True, "filesChanged": ["/a.txt", "/b.txt"]}
    run.fake.replies["rewind_conversation"] = {"rewound": True, "prefillText": "Prompt"}
    run.fake.unmoved = ["/b.txt"]
    await rewind_to_the_last(pilot, run)
    await until(pilot, lambda: "Not restored: b.txt · " in notices(run))
    assert not any(word in notices(run) for word in ("Files are as", "· files are as"))
    run.fake.asked.clear()
    run.fake.tell(ev.PromptAccepted("Prompt", prompt_id="p2"))
    await until(pilot, lambda: [one.prompt_id for one in run.screen.rewind.given] == ["p2"])
    run.fake.replies["rewind_files"] = {"canRewind": True, "filesChanged": ["/a.txt"], "deletions": 4}
    refused = {"rewound": False, "error": "stale target", "reason": "stale_target"}
    run.fake.replies["rewind_conversation"] = refused
    await rewind_to_the_last(pilot, run)
    await until(pilot, lambda: "Nothing was rewound: the conversation has newer messages" in notices(run))
    assert [name for name, _ in rewound(run)] == ["rewind_conversation"]
    assert run.session_screen.dock.prompt.text == ""


async def test_only_prompts_that_stay_are_rewound_to_after_a_turn(run: Driven, pilot: Pilot[int]) -> None:
    run.fake.tell(ev.PromptAccepted("Go on", prompt_id="p1"))
    run.fake.tell(ev.PromptAccepted("Go on", queued=True, prompt_id="p2"))
    run.fake.tell(ev.PromptReturned("Go on", "you withdrew it", "p2", wanted=True))
    await until(pilot, lambda: run.session_screen.dock.prompt.text == "Go on")
    assert [one.prompt_id for one in run.screen.rewind.given] == ["p1"], "not one that came back"
    await say(pilot, run, "/rewind")
    assert len((await picker(pilot)).state.rows) == 1
    await choose(pilot, "escape")
    await closed(pilot)
    await run.tell(pilot, ev.StateChanged(ev.SessionState.WORKING), then=lambda: run.screen.view.busy)
    await say(pilot, run, "/rewind")
    await until(pilot, lambda: "working · Esc interrupts it" in run.screen.dock.notices.text)
    run.fake.tell(ev.StateChanged(ev.SessionState.AWAITING))
    await until(pilot, lambda: run.screen.view.state is ev.SessionState.AWAITING)
    await say(pilot, run, "/rewind", then=lambda: WAITS in run.screen.dock.notices.text)
    run.fake.tell(ev.StateChanged(ev.SessionState.PARKED))
    await until(pilot, lambda: run.screen.view.state is ev.SessionState.PARKED)
    for command in ("rewind", "cost"):
        await say(pilot, run, f"/{command}")
        text = f"/{command} failed: the session is paused without a Claude process"
        await until(pilot, lambda text=text: text in notices(run))
    assert run.fake.asked == []


async def test_a_question_behind_a_list_is_said_and_has_its_grace_when_it_is_seen() -> None:
    clock = Clock()
    async with running(Driven(clock=clock)) as (driven, pilot):
        await models_known(pilot, driven)
        shown = await choosing(pilot, driven, "/model")
        clock.skip(PAUSE + 0.1)
        await driven.tell(pilot, asked(), then=lambda: "question" in shown.notice)
        await keys_would_work(driven, pilot)
        clock.skip_grace()
        for key in ("escape", "enter"):  # in one burst: nobody has seen the panel in between
            driven.app.post_message(events.Key(key, None))
        await closed(pilot)
        await pilot.pause()
        panel = driven.session_screen.dock.panel
        assert isinstance(panel.state, PanelState)
        assert driven.fake.answers == []
        await press_later(pilot, "enter", then=lambda: driven.fake.answers)


async def keys_would_work(driven: Driven, pilot: Pilot[int]) -> None:
    """Wait until the grace of a panel that nobody sees has begun."""

    def begun() -> bool:
        panel = driven.session_screen.dock.panel
        return panel is not None and panel.keys.face.shown_at is not None

    await until(pilot, begun)


async def test_a_title_is_told_to_the_cli_and_shown() -> None:
    async with running(Driven(), size=(120, 24)) as (driven, pilot):
        await say(pilot, driven, "/rename", then=lambda: driven.screen.dock.prompt.text == "/rename ")
        await say(pilot, driven, "/rename The API", then=lambda: driven.screen.view.title == "The API")
        assert driven.fake.asked == [("rename_session", {"title": "The API"})]
        assert "Title: The API" in notices(driven)
        assert driven.screen.view.name == "The API"


EARLIER = (
    EarlierSession("aaaa-1", "Fix the login", 0.0, "main"),
    EarlierSession("id-1", "This one", 0.0, ""),
    EarlierSession("bbbb-2", "Write the docs", 0.0, ""),
)


async def test_an_earlier_session_opens_beside_this_one_by_its_id_or_from_the_list(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def listed(_options: Launch, *, everywhere: bool = False) -> tuple[EarlierSession, ...]:
        return EARLIER

    monkeypatch.setattr(listing, "earlier_sessions", listed)
    monkeypatch.setattr(session_screen, "earlier_sessions", listed)
    async with idle(Driven(make=LastingSession)) as (driven, pilot):
        first = driven.fake
        first.tell(ev.PromptAccepted("Begin"), ev.StateChanged(ev.SessionState.WORKING))
        await until(pilot, lambda: driven.screen.view.busy)
        await say(pilot, driven, "/resume bbbb", then=lambda: len(driven.launches) == 2)
        assert driven.launches[1].resume == "bbbb-2"
        await until(pilot, lambda: driven.app.sessions.front is driven.app.sessions[1])
        assert not first.closed
        await driven.app.sessions.show(driven.app.sessions[0])
        await say(pilot, driven, "/resume", then=lambda: isinstance(driven.app.screen, SessionsScreen))
        shown = driven.app.screen
        await until(
            pilot, lambda: shown.listing.all_read and "Fix the login" in shown.state.session_under.session
        )
        await press(pilot, *"fix", "enter", then=lambda: len(driven.launches) == 3)
        assert driven.launches[2].resume == "aaaa-1"


class LostSession(LastingSession):
    """A session that says that it is over once it was closed."""

    async def run(self) -> None:
        await super().run()
        self.tell(ev.StateChanged(ev.SessionState.ENDED))
        self.tell(ev.SessionLost(self.cause, expected=True))


def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> Driven:
    """Return the program with a stand-in for Claude Code, in a terminal that can be lent."""
    program = tmp_path / "claude"
    program.write_text(f"#!/bin/sh\nprintf '%s ' \"$@\" >> {tmp_path}/called\n{script}\n")
    program.chmod(0o755)
    driven = Driven(Launch(settings=Settings(cwd=tmp_path, cli_path=program)), LostSession)

    @contextmanager
    def suspend() -> Iterator[None]:
        yield

    monkeypatch.setattr(driven.app, "suspend", suspend)
    return driven


async def test_an_idle_session_starts_again_with_the_account_and_one_at_work_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with idle(made(tmp_path, monkeypatch, "exit 0")) as (driven, pilot):
        await say(pilot, driven, "/login", then=lambda: len(driven.launches) == 2)
        assert "Signed in · the session restarts" in notices(driven)
        await until(pilot, lambda: driven.screen.view.state is ev.SessionState.IDLE)
        driven.fake.tell(ev.TaskStarted("t1", "", "npm run dev", background=True))
        await until(pilot, lambda: driven.screen.view.tasks)
        await say(pilot, driven, "/login")
        await until(pilot, lambda: notices(driven).count("uses the account from its next start on") == 1)
        driven.fake.tell(ev.StateChanged(ev.SessionState.WORKING))
        await until(pilot, lambda: driven.screen.view.state is ev.SessionState.WORKING)
        await say(pilot, driven, "/login")
        await until(pilot, lambda: notices(driven).count("uses the account from its next start on") == 2)
        await say(pilot, driven, "/logout", then=lambda: "Signed out" in notices(driven))
        assert len(driven.launches) == 2
    assert (tmp_path / "called").read_text() == "auth login " * 3 + "auth logout "


CANCELLED = "/login was cancelled · nothing changed"


@pytest.mark.parametrize(
    ("end", "text"),
    [
        ("exit 3", "Claude Code ended with exit code 3"),
        ("", "cannot be started: No such file"),
        ("exit 130", CANCELLED),
        ("kill -INT $$", CANCELLED),
    ],
)
async def test_a_failure_is_said_and_ctrl_c_cancels_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str, text: str
) -> None:
    async with idle(made(tmp_path, monkeypatch, end)) as (driven, pilot):
        if not end:
            (tmp_path / "claude").unlink()
        await say(pilot, driven, "/login")
        await until(pilot, lambda: text in notices(driven) + driven.screen.dock.notices.text)
        assert ("failed" in notices(driven)) == (text != CANCELLED)
        assert len(driven.launches) == 1


FAILED = {"name": "files", "status": "failed", "error": "ENOENT", "scope": "project"}
GOOD = {"name": "git", "status": "connected", "tools": [{"name": "log"}, {"name": "diff"}], "scope": "user"}


async def test_servers_are_shown_with_their_state_and_changed() -> None:
    async with running(Driven(), size=(100, 24)) as (driven, pilot):
        driven.fake.replies["mcp_status"] = {"mcpServers": [FAILED, GOOD]}
        shown = await choosing(pilot, driven, "/mcp")
        assert [(row.label, row.description, row.right) for row in shown.state.rows] == [
            ("files", "project · ENOENT", "✖ failed"),
            ("git", "2 tools · user", "✔ connected"),
        ]
        driven.fake.replies["mcp_reconnect"] = CommandError("it did not start")
        await choose(pilot, "enter", to="files")
        await choose(pilot, "enter", about="files: it did not start")
        await choose(pilot, "down", "enter", to="git")
        await choose(pilot, "down", "enter", about="git was turned off")
        assert ("mcp_toggle", {"serverName": "git", "enabled": False}) in driven.fake.asked
        await choose(pilot, "escape")
        await closed(pilot)
        driven.fake.replies["mcp_status"] = {}
        await say(pilot, driven, "/mcp", then=lambda: "No MCP servers here" in notices(driven))


async def test_a_task_is_stopped_only_when_that_is_confirmed(tmp_path: Path) -> None:
    driven = Driven()
    output = tmp_path / "t1.output"
    output.write_text("".join(f"line {number}\n" for number in range(9000)))
    async with driven.app.run_test() as pilot:
        driven.fake.tell(ev.TaskStarted("t0", "", "npm test"))
        driven.fake.tell(ev.ToolStarted("call", "Bash", {"command": "npm run dev -- --port 1"}))
        driven.fake.tell(ev.TaskStarted("t1", "call", "npm run dev", background=True))
        driven.fake.tell(ev.ToolFinished("call", "Bash", f"Output is being written to: {output}. Go on."))
        driven.fake.tell(ev.TaskStarted("t2", "", "Look around", agent=True), ev.TaskEnded("t0", "completed"))
        await until(pilot, lambda: len(driven.screen.view.tasks) == 2)
        await say(pilot, driven, "/tasks")
        assert [row.label for row in (await picker(pilot)).state.rows] == ["npm run dev", "Look around"]
        await choose(pilot, "enter", to="Stop: npm run dev")
        about = (await picker(pilot)).about.splitlines()
        assert about[0].startswith("npm run dev -- --port 1 · ")
        assert about[1:] == [f"line {number}" for number in range(8995, 9000)]
        await choose(pilot, "enter", to="Running tasks")
        assert driven.fake.asked == []
        await choose(pilot, "enter", to="Stop: npm run dev")
        await choose(pilot, "down", "enter")
        await until(pilot, lambda: "Stopped: npm run dev" in notices(driven))
        assert driven.fake.asked == [("stop_task", {"task_id": "t1"})]
        await until(pilot, lambda: getattr(pilot.app.screen, "heading", "") == "Running tasks")
        for ended in ("t1", "t2"):
            driven.fake.tell(ev.TaskEnded(ended, "completed"))
        await until(pilot, lambda: not driven.session_screen.view.tasks)
        await choose(pilot, "escape")
        await closed(pilot)
        await say(pilot, driven, "/tasks", then=lambda: NO_TASKS in driven.screen.dock.notices.text)


LISTED = ev.CommandsListed(
    (
        ev.SlashCommand("compact", "Make the conversation shorter", "[instructions]"),
        ev.SlashCommand("init", "Write CLAUDE.md"),
        ev.SlashCommand("model", "The CLI's own"),
    )
)


async def test_commands_of_both_and_actions_with_their_keys_are_listed_once_and_done(
    run: Driven, pilot: Pilot[int]
) -> None:
    await run.tell(pilot, LISTED, then=lambda: run.screen.completions.others)
    await pilot.press("ctrl+p")
    rows = (await picker(pilot)).state.rows
    labels = [row.label for row in rows]
    assert labels.count("/model") == 1
    assert {"/init", "/compact", "/rewind"} <= set(labels)
    assert next(row.right for row in rows if row.label == "Edit the prompt in $EDITOR") == "Ctrl+G"
    assert len(set(labels)) == len(labels)
    await press(pilot, *"mcp", "enter", then=lambda: "No MCP servers here" in notices(run))
    await press(pilot, "ctrl+p", *"/init", "enter", then=lambda: run.fake.sent == ["/init"])
    await pilot.press(*"keep names", "ctrl+p", *"/compact", "enter")
    await closed(pilot)
    await until(pilot, lambda: run.screen.dock.prompt.text == "/compact keep names")
    assert run.fake.sent == ["/init"], "one that takes more is begun before what is typed"
    await say(pilot, run, "/help", then=lambda: type(pilot.app.screen).__name__ == "HelpScreen")
    await press(pilot, "escape", then=lambda: run.app.screen is run.session_screen)
    await pilot.press("ctrl+p")
    await picker(pilot)
    await press(pilot, *"all keys", "enter", then=lambda: type(pilot.app.screen).__name__ == "HelpScreen")


async def test_in_a_panel_the_key_moves_up(run: Driven, pilot: Pilot[int]) -> None:
    await run.tell(pilot, asked(), then=lambda: run.screen.dock.panel is not None)
    await pilot.press("ctrl+p")
    await pilot.pause()
    assert pilot.app.screen is run.session_screen

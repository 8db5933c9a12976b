"""Controllers of a session's screen, without a screen."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ccq_tui.agent import events as ev
from ccq_tui.agent.problems import Remedy
from ccq_tui.commands.command import CommandRunner
from ccq_tui.commands.models import MODE_ERROR, ModelCommands
from ccq_tui.commands.shell import ShellCommands
from ccq_tui.commands.workspace import RewindCommand
from ccq_tui.config.keymap import with_keys
from ccq_tui.config.launch import ProgramArguments
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.prompts.unread import Sent
from ccq_tui.runtime.prompt_queue import PromptQueue
from ccq_tui.screens.session.prompts import NO_ERROR, Prompts, Remedies
from tests.unit.screens.ui import NoScreen


def test_the_key_for_the_mode_leaves_out_what_was_refused_and_what_is_not_offered() -> None:
    wanted: list[str] = []
    chosen: list[tuple[str, str | None]] = []
    ui = NoScreen(session=SimpleNamespace(agent=SimpleNamespace(set_mode=wanted.append)))
    mode = ModelCommands(CommandRunner(ui), lambda *one: chosen.append(one))
    mode.next_mode()
    mode.next_mode()
    mode.next_mode()
    assert wanted == ["default", "acceptEdits", "plan"], "each press goes on from the mode on its way"
    mode.take(ev.ModelsListed((ev.ModelChoice("m", "M", "", auto_mode=True),)))
    mode.next_mode()
    assert wanted[-1] == "auto"
    mode.take(ev.ErrorReported(MODE_ERROR, "no"))
    ui.view = SimpleNamespace(mode="plan")  # type: ignore[assignment]
    mode.next_mode()
    assert wanted[-1] == "default", "the refused mode is passed over"
    mode.take(ev.ModeChanged("default"))
    assert chosen[-1] == ("mode", "default")
    assert ui.said[-1].startswith("Default mode")


def test_the_newest_prompt_that_claude_has_not_read_is_taken_back_first() -> None:
    withdrawn: list[str] = []
    ui = NoScreen(session=SimpleNamespace(agent=SimpleNamespace(withdraw=withdrawn.append)))
    settled: list[str] = []
    queue: Any = SimpleNamespace(settle=settled.extend, sent={})
    prompts = Prompts(ui, queue, RewindCommand(CommandRunner(ui)), ShellCommands(ui))
    for name in ("p1", "p2"):
        prompts.take(ev.PromptAccepted(name, queued=True, prompt_id=name))
    prompts.take_back()
    assert withdrawn == ["p2"]
    prompts.take(ev.PromptReturned("p2", "wanted", "p2", wanted=True))
    assert (ui.dock.prompt.text, settled) == ("p2", ["p2"])
    prompts.take_back()
    assert withdrawn == ["p2", "p1"]


def test_a_remedy_is_done_once_and_not_again_too_soon() -> None:
    recovery = SimpleNamespace(offer=None, words="", because="", prompt="again", seconds_to_wait=lambda _: 0)
    session = SimpleNamespace(recovery=recovery, take_offer=lambda: None, reconnect=lambda: None)
    ui = NoScreen(session=session)
    ui.dock.offer = ui.said.append
    sent: list[str] = []
    remedies = Remedies(ui, sent.append, sent.append)
    remedies.do()
    assert ui.said == [with_keys(NO_ERROR)]
    recovery.offer = Remedy.RETRY
    remedies.do()
    assert sent == ["again"]
    recovery.seconds_to_wait = lambda _: 2.4
    remedies.do()
    assert (sent, ui.said[-1]) == (["again"], "It has just failed · F6 works again in 3 s")
    recovery.seconds_to_wait, recovery.offer = lambda _: 0, Remedy.ELSEWHERE
    remedies.do()
    assert ui.told == ["elsewhere"]


# -- prompts on disk --------------------------------------------------------------------------------------


async def kept(inbox: Inbox) -> list[dict[str, Any]]:
    rows = await inbox.run(lambda store: store.database.rows("SELECT body FROM prompts"))
    return [json.loads(row[0]) for row in rows]


@pytest.fixture
async def inbox(tmp_path: Path) -> AsyncIterator[Inbox]:
    made = Inbox.begin(tmp_path / "state/inbox.db")
    yield made
    await made.close()


async def test_a_prompt_is_on_disk_from_the_field_until_claude_has_written_it_down(
    tmp_path: Path, inbox: Inbox
) -> None:
    ui = NoScreen(tmp_path, program=ProgramArguments(state=tmp_path / "state"))
    queue = PromptQueue(ui, inbox)
    queue.begin()
    await ui.work()
    ui.dock.prompt.text = "half a thought"
    queue.edited()
    ui.later.pop()()
    ui.dock.prompt.text = ""
    await asyncio.wrap_future(queue.keep(Sent("p1", "a whole one", "id-1")))
    (draft,) = await kept(inbox)
    assert "a whole one" in str(draft["sent"])
    assert draft["text"] == "", "it left the field in the same write"
    queue.take(ev.PromptRecorded("p1"))
    await queue.release()
    assert not [one for draft in await kept(inbox) for one in draft["sent"]]
    queue.close()


async def test_what_an_earlier_process_sent_and_nobody_read_is_back_in_the_field(
    tmp_path: Path, inbox: Inbox
) -> None:
    program = ProgramArguments(state=tmp_path / "state")
    first = PromptQueue(NoScreen(tmp_path, program=program), inbox)
    first.begin()
    await first._surface.work()  # type: ignore[attr-defined]
    await asyncio.wrap_future(first.keep(Sent("p1", "read", "id-1")))
    await asyncio.wrap_future(first.keep(Sent("p2", "not read", "id-1")))
    await first.release()

    async def taken(prompts: dict[str, str]) -> frozenset[str]:
        assert prompts == {"p1": "id-1", "p2": "id-1"}
        return frozenset({"p1"})

    agent = SimpleNamespace(record_id="id-1", taken=taken)
    ui = NoScreen(
        tmp_path, session=SimpleNamespace(agent=agent, record_id="id-1"), program=program, session_id="id-1"
    )
    again = PromptQueue(ui, inbox)
    again.begin()
    await ui.work()
    assert ui.dock.prompt.text == "not read"
    assert ui.noted[0][1] == "warning"
    assert not again.sent
    for queue in (first, again):
        queue.close()


async def test_a_disk_that_refuses_is_said_once(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("no directory")
    ui = NoScreen(tmp_path, program=ProgramArguments(state=tmp_path / "state"))
    inbox = Inbox.begin(tmp_path / "state/inbox.db")
    queue = PromptQueue(ui, inbox)
    queue.begin()
    await ui.work()
    for text in ("one", "two"):
        queue.remember(text, {})
    await queue.release()
    assert len([words for words, _ in ui.noted if "cannot be saved for the next start" in words]) == 1
    queue.close()
    await inbox.close()

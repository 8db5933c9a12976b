"""The draft of a session survives the end of the program."""

from __future__ import annotations

import asyncio
import threading
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ccq_tui.agent import events as ev
from ccq_tui.agent.commands import ImageFile
from ccq_tui.config.launch import Launch
from ccq_tui.config.paths import inbox_path, state_dir
from ccq_tui.config.settings import Settings
from ccq_tui.inbox.store.prompts import PromptTable
from ccq_tui.inbox.store.store import Store
from ccq_tui.prompts.unread import PromptDraft, Sent, Unbegun
from tests.ui.running import running
from tests.ui.session import Driven, ToldSession, prompt_kept, until

PASTE = "x\n" * 30
NEW = Settings(cwd=Path("/"))


def kept(key: str = "id-1") -> PromptDraft | None:
    return prompt_kept(state_dir(), key)


def on_disk() -> int:
    with closing(Store(inbox_path())) as store:
        return len(store.database.rows("SELECT 1 FROM prompts"))


async def written(run: Driven) -> None:
    """Wait for the thread of a program that is over: it writes what was typed last, and lets go of it."""
    await run.app.runtime.inbox.close()


def save(key: str, draft: PromptDraft) -> None:
    """Keep a draft, as a program did that has ended."""
    with closing(Store(inbox_path())) as store:
        store.prompts.leave(key, draft)


async def test_it_is_on_disk_soon_and_comes_back_when_the_session_is_resumed() -> None:
    async with running(Driven(Launch(settings=NEW, resume="id-1"))) as (run, pilot):
        await pilot.press(*"half a ")
        run.screen.dock.prompt.field.pastes["[pasted 30 lines]"] = PASTE
        run.screen.dock.prompt.field.type("[pasted 30 lines]")
        await until(
            pilot, lambda: kept() == PromptDraft("half a [pasted 30 lines]", {"[pasted 30 lines]": PASTE})
        )
    await written(run)
    run = Driven(Launch(settings=NEW, resume="id-1"))
    async with run.app.run_test() as pilot:
        await until(pilot, lambda: run.screen.dock.prompt.text == f"half a {PASTE}")
        await pilot.press("enter")
        await until(pilot, lambda: run.told.sent == [f"half a {PASTE}".rstrip()])
        sent = Sent("p1", f"half a {PASTE}".rstrip(), "id-1")
        await until(pilot, lambda: kept() == PromptDraft(sent=(sent,)))
        run.told.tell(ev.PromptRecorded("p1"))
        await until(pilot, lambda: kept() is None)


async def test_what_was_typed_last_is_written_at_the_end() -> None:
    async with running(Driven(Launch(settings=NEW, resume="id-1"))) as (run, pilot):
        await pilot.press(*"quick")
    await written(run)
    run = Driven(Launch(settings=NEW, continue_last=True))
    async with run.app.run_test() as pilot:
        await until(pilot, lambda: run.screen.dock.prompt.text == "quick")


async def test_a_new_session_keeps_it_for_the_directory_until_a_prompt_was_sent() -> None:
    async with running(Driven(Launch(settings=NEW))) as (run, pilot):
        await pilot.press(*"first")
        await until(pilot, lambda: on_disk() == 1)
    await written(run)
    run = Driven(Launch(settings=NEW))
    async with run.app.run_test() as pilot:
        await until(pilot, lambda: run.screen.dock.prompt.text == "first")
        await pilot.press("enter", *"next")
        run.told.tell(ev.PromptDelivered("p1"))
        run.told.tell(ev.PromptRecorded("p1"))
        await until(pilot, lambda: kept() == PromptDraft("next"))
        assert on_disk() == 1
        run.told.tell(ev.ConversationReset("id-2"))
        await until(pilot, lambda: kept("id-2") == PromptDraft("next"))
        assert on_disk() == 1


async def test_what_is_typed_before_the_draft_is_back_stands_after_it() -> None:
    class Late(ToldSession):
        async def run(self) -> None:
            pass

    save("id-1", PromptDraft("old"))
    async with running(Driven(Launch(settings=NEW, continue_last=True), make=Late)) as (run, pilot):
        await pilot.press(*"new")
        await until(pilot, lambda: on_disk() == 2)
        run.told.tell(ev.Connected("id-1", "claude-x", "default", "/work"))
        run.told.tell(ev.StateChanged(ev.SessionState.IDLE))
        await until(pilot, lambda: run.screen.dock.prompt.text == "old\nnew")
        await until(pilot, lambda: kept() == PromptDraft("old\nnew"))


async def test_what_is_written_while_a_draft_is_looked_for_comes_back_to_nobody() -> None:
    async with running(Driven(Launch(settings=NEW, continue_last=True))) as (run, pilot):
        await until(pilot, lambda: run.screen.view.state is ev.SessionState.IDLE)
        await pilot.press(*"more")
        await until(pilot, lambda: run.screen.dock.prompt.text == "more")
        # The time to write comes right after the session got another id.
        run.told.tell(ev.Connected("id-2", "claude-x", "default", "/work"))
        await until(pilot, lambda: run.screen.view.session_id == "id-2")
        run.screen.queue.save()
        await until(pilot, lambda: kept("id-2") == PromptDraft("more"))  # a thread writes it
        assert run.screen.dock.prompt.text == "more"


class Waiting(ToldSession):
    """A session that waits for a free process, and has no name before it has one."""

    async def run(self) -> None:
        pass


def unbegun(**changes: Any) -> Unbegun:
    """What is kept of a session, but for the moment in which it was opened."""
    return replace(Unbegun("id-1", "/", "/"), **changes)


def timeless(draft: PromptDraft | None) -> PromptDraft | None:
    if draft is None or draft.session is None:
        return draft
    return replace(draft, session=replace(draft.session, opened_at=0.0))


async def test_a_prompt_of_a_session_without_a_process_comes_back_in_one_like_it_and_is_sent_once() -> None:
    async with running(Driven(Launch(settings=NEW, prompt="first prompt"), make=Waiting)) as (run, pilot):
        await until(pilot, lambda: run.told.sent == ["first prompt"])
        await pilot.press(*"second", "enter", *"third")
        sent = (Sent("p1", "first prompt", "id-1"), Sent("p2", "second", "id-1"))
        wanted = PromptDraft("third", sent=sent, session=unbegun(title="first prompt"))
        await until(pilot, lambda: timeless(kept()) == wanted)
        assert on_disk() == 1
    await written(run)
    run = Driven(Launch(settings=NEW))
    async with run.app.run_test() as pilot:
        prompt = run.screen.dock.prompt
        await until(pilot, lambda: prompt.text == "first prompt\nsecond\nthird")
        await until(pilot, lambda: timeless(kept()) == PromptDraft(prompt.text, session=unbegun()))
        assert "before Claude read these prompts" in run.screen.transcript.text()
        assert len(run.app.sessions) == 1
        await pilot.press("enter")
        await until(pilot, lambda: run.told.sent == ["first prompt\nsecond\nthird"])
        run.told.tell(ev.PromptDelivered("p1"))
        run.told.tell(ev.PromptRecorded("p1"))
        await until(pilot, lambda: on_disk() == 0)


async def test_sessions_that_had_not_begun_come_back_side_by_side_as_they_were() -> None:
    one = Unbegun("a-1", "/", "/", 1.0, "alpha", "model-a", "plan", "high")
    two = Unbegun("b-2", "/", "/", 2.0, "", None, None, None)
    save("a-1", PromptDraft("typed", sent=(Sent("p", "alpha", "a-1"), Sent("q", "beta", "a-1")), session=one))
    save("b-2", PromptDraft("gamma", session=two))
    async with running(Driven(Launch(settings=NEW, prompt="another"), make=Waiting)) as (run, pilot):
        await until(pilot, lambda: len(run.app.sessions) == 3)
        _, first, second = run.app.sessions
        await until(pilot, lambda: first.dock.prompt.text == "alpha\nbeta\ntyped")
        await until(pilot, lambda: second.dock.prompt.text == "gamma")
        settings = first.launch.settings
        assert (settings.model, settings.permission_mode, settings.effort) == ("model-a", "plan", "high")
        assert (first.launch.session_id, second.launch.session_id) == ("a-1", "b-2")
        assert first.view.title == "alpha"
        said = run.screen.transcript.text()
        assert "2 queued sessions are back" in said
        assert "Alt+2" in said
        await until(pilot, lambda: (timeless(kept("a-1")) or PromptDraft()).text == "alpha\nbeta\ntyped")
        assert (kept("a-1") or PromptDraft()).sent == ()


async def test_a_draft_that_cannot_be_read_is_named_and_left() -> None:
    place = state_dir() / "drafts"
    place.mkdir(parents=True)
    (place / "broken-1.json").write_text('{"text": "half')
    async with running(Driven(Launch(settings=NEW)), size=(200, 30)) as (run, pilot):
        await until(pilot, lambda: "1 draft cannot be read" in run.screen.transcript.text())
        said = run.screen.transcript.text()
        assert said.count("cannot be read") == 1
        assert "broken-1.json" in said
    assert (place / "broken-1.json").read_text() == '{"text": "half'


async def test_what_is_chosen_before_a_session_begins_is_kept_with_its_prompts() -> None:
    async with running(Driven(Launch(settings=NEW, prompt="go"), make=Waiting)) as (run, pilot):
        await until(pilot, lambda: run.told.sent == ["go"])
        await pilot.press(*"/model model-b", "enter")
        await pilot.press(*"/effort low", "enter")
        await pilot.press("shift+tab")
        wanted = unbegun(title="go", model="model-b", effort="low", mode="default")
        await until(pilot, lambda: (timeless(kept()) or PromptDraft()).session == wanted)


async def test_a_prompt_is_on_disk_before_it_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    writing, go_on = threading.Event(), threading.Event()
    save = PromptTable.save

    def slowly(table: PromptTable, keeper: str, key: str, draft: PromptDraft) -> None:
        if draft.sent:
            writing.set()
            go_on.wait(30)
        save(table, keeper, key, draft)

    monkeypatch.setattr(PromptTable, "save", slowly)
    given: list[asyncio.Future[None]] = []

    class Asking(Waiting):
        def send(
            self,
            text: str,
            kept: asyncio.Future[None] | None = None,
            images: tuple[ImageFile, ...] = (),
            *,
            answer: bool = True,
        ) -> str:
            assert kept is not None
            assert answer
            given.append(kept)
            return super().send(text)

    async with running(Driven(Launch(settings=NEW, resume="id-1"), make=Asking)) as (run, pilot):
        await pilot.press(*"now", "enter")
        await until(pilot, writing.is_set)
        assert not given[0].done()
        assert not run.screen.dock.prompt.has_queued
        go_on.set()
        await until(pilot, lambda: given[0].done() and run.screen.dock.prompt.has_queued)
        assert kept() == PromptDraft(sent=(Sent("p1", "now", "id-1"),))


async def test_a_prompt_moves_with_its_session_and_is_never_in_two_places() -> None:
    async with running(Driven(Launch(settings=NEW, prompt="begin"))) as (run, pilot):
        sent = PromptDraft(sent=(Sent("p1", "begin", "id-1"),), session=unbegun(title="begin"))
        await until(pilot, lambda: timeless(kept()) == sent)
        assert on_disk() == 1
        run.told.tell(ev.ConversationReset("id-2"))
        run.told.tell(ev.PromptReturned("begin", "it ended", "p1"))
        await until(pilot, lambda: (kept() or PromptDraft()).text == "begin")
        assert on_disk() == 1

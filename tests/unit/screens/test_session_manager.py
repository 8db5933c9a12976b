"""What is asked before a session is opened, and in which order, without a screen."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ccq_tui.config.launch import Launch, ProgramArguments, Trusted
from ccq_tui.config.load import Loaded
from ccq_tui.config.settings import Settings
from ccq_tui.config.trust import Carried
from ccq_tui.inbox.actors import Surface
from ccq_tui.processes import Owner
from ccq_tui.prompts.unread import PromptDraft, directory_key
from ccq_tui.runtime.person import Configured
from ccq_tui.runtime.runtime import Runtime
from ccq_tui.screens.sessions.session_manager import SessionManager
from tests.actors import PANEL


@dataclass
class Around:
    """The program, its sessions and the questions, which note what they are asked."""

    here: Path
    steps: list[str] = field(default_factory=list)
    works: list[Callable[[], Awaitable[None]]] = field(default_factory=list)
    open: dict[str, Any] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)
    front: Any = None
    trusted: bool = True
    leaves: bool = False

    def __len__(self) -> int:
        return len(self.open)

    def __getitem__(self, at: int) -> Any:
        return list(self.open.values())[at]

    def run_worker(self, work: Callable[[], Awaitable[None]], **_: object) -> None:
        self.works.append(work)

    async def action_quit(self) -> None:
        self.steps.append("quit")

    async def alone(self, launch: Launch) -> Launch | None:
        self.steps.append("ownership")
        return None if self.leaves else launch

    async def let_in(self, launch: Launch, leave: str = "") -> Launch | None:
        self.steps.append(f"trust {launch.draft}".rstrip())
        return launch if self.trusted else None

    async def add(self, launch: Launch) -> None:
        self.steps.append(f"shown {launch.resume}".rstrip())

    async def add_behind(self, launch: Launch) -> None:
        self.steps.append(f"behind {launch.resume}".rstrip())

    async def show(self, screen: Any) -> None:
        self.steps.append(f"front {screen.name}")

    def take_typed(self) -> str:
        return "typed"

    def by_mode(self, mode: str) -> Any:
        return self.open.get(mode)

    def known(self, session_id: str) -> Any:
        return self.open.get(session_id)

    def own(self, session: Any) -> Any:
        return next((one for one in self.open.values() if one.session is session), None)

    def say(self, text: str, seconds: float = 6.0) -> None:
        self.said.append(text)

    def __post_init__(self) -> None:
        self.runtime = Runtime(self.launch, Configured([]))

    @property
    def manager(self) -> SessionManager:
        fake: Any = self
        return SessionManager(fake, self.runtime, fake, fake)

    @property
    def launch(self) -> Launch:
        return Launch(settings=Settings(cwd=self.here), program=ProgramArguments(state=self.here))

    def rests(self, name: str) -> Any:
        return SimpleNamespace(session_id=name, session=f"named {name}", directory=str(self.here))


@pytest.fixture
async def around(tmp_path: Path) -> AsyncIterator[Around]:
    around = Around(tmp_path)
    yield around
    await around.runtime.close()


CARRIED = Carried(Path("/"), Path("/"), (), Loaded(Settings(), {}, ()))


async def test_a_session_that_needs_no_question_opens_at_once(around: Around) -> None:
    await around.manager.open(around.launch)
    assert (around.steps, around.works) == (["shown"], [])


async def test_ownership_is_asked_about_first_then_trust_with_what_was_typed(around: Around) -> None:
    await around.manager.open(replace(around.launch, trusted=Trusted(CARRIED), resume="old"))
    assert around.steps == []
    await around.works[0]()
    assert around.steps == ["ownership", "trust typed", "shown old"]


async def test_the_program_ends_where_its_only_session_is_left_to_another_process(around: Around) -> None:
    around.leaves = True
    await around.manager.open(replace(around.launch, trusted=Trusted(CARRIED), prompt="go on"))
    await around.works[0]()
    assert around.steps == ["ownership", "quit"]
    kept = await around.runtime.inbox.run(lambda store: store.prompts.get(directory_key(around.here)))
    assert kept == PromptDraft("go on\ntyped")


async def test_nothing_opens_once_the_program_ends(around: Around) -> None:
    manager = around.manager
    manager.ending = True
    await manager.open(around.launch)
    assert around.steps == []


@pytest.mark.parametrize("surface", [Surface.INBOX, Surface.OVERVIEW])
async def test_a_session_that_is_opened_again_is_no_longer_done(around: Around, surface: Surface) -> None:
    await around.runtime.inbox.run(lambda store: store.sessions.upsert("old", str(around.here)))
    done = await around.manager.resume(around.rests("unknown"), surface, behind=True)
    assert (done, around.steps) == ("", ["trust", "behind unknown"])
    await around.runtime.inbox.run(lambda store: store.sessions.set_done("old", True, PANEL))
    assert await around.manager.go_to(around.rests("old"), surface) == ""
    stored = await around.runtime.inbox.run(lambda store: store.sessions.get("old"))
    assert stored is not None
    assert not stored.done
    assert around.steps[-1] == "shown old"


async def test_why_a_session_is_not_resumed_is_said(around: Around) -> None:
    around.trusted = False
    rests = around.rests("old")
    refused = "named old was not started: you did not trust its directory"
    assert await around.manager.resume(rests, Surface.INBOX, behind=True) == refused
    await around.runtime.inbox.run(lambda store: store.sessions.upsert("old", str(around.here)))
    await around.runtime.inbox.run(lambda store: store.sessions.claim("old", Owner(os.getppid())))
    taken = "named old runs in another ccq-tui now"
    assert await around.manager.resume(rests, Surface.INBOX, behind=True) == taken
    assert around.steps == ["trust"]


async def test_a_session_that_is_open_is_shown_with_what_waits_in_it(around: Around) -> None:
    unfolded: list[str] = []
    waits = SimpleNamespace(items=(SimpleNamespace(request=SimpleNamespace(id="first")),))
    screen = SimpleNamespace(name="docs", waiting=waits, dock=SimpleNamespace(unfold=unfolded.append))
    around.open["session 1"] = around.open["s1"] = screen
    await around.manager.go_to(around.rests(""), Surface.OVERVIEW, mode="session 1")
    await around.manager.go_to(around.rests("s1"), Surface.INBOX, request_id="asked")
    assert around.steps == ["front docs", "front docs"]
    assert unfolded == ["first", "asked"]


async def test_closing_the_only_session_ends_the_program_and_one_that_is_gone_does_nothing(
    around: Around,
) -> None:
    screen = SimpleNamespace(session=object())
    around.open["session 1"] = screen
    await around.manager.close(object())  # type: ignore[arg-type]
    assert around.steps == []
    await around.manager.close(screen.session)
    assert around.steps == ["quit"]

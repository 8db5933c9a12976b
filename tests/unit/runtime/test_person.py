"""What a person's answers do before a session starts, without a screen."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from ccq_tui.config.launch import Launch, launch_with
from ccq_tui.config.trust import Carried, TrustAnswer
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.processes import Owner
from ccq_tui.runtime.launches import LEFT_OUT
from ccq_tui.runtime.person import Configured, ElsewhereAnswer, ElsewhereQuestion, alone, let_in

HERE = Actor.here(Surface.PROGRAM)


class Says:
    """A person who answers one thing, and what was asked."""

    def __init__(self, trust: TrustAnswer, elsewhere: ElsewhereAnswer = ElsewhereAnswer.LEAVE) -> None:
        self.answers = trust, elsewhere
        self.actor = HERE
        self.asked: list[Carried | ElsewhereQuestion] = []

    async def trusts(self, carried: Carried, _launch: Launch) -> TrustAnswer:
        self.asked.append(carried)
        return self.answers[0]

    async def elsewhere(self, asked: ElsewhereQuestion) -> ElsewhereAnswer:
        self.asked.append(asked)
        return self.answers[1]


@pytest.fixture
def launch(tmp_path: Path) -> Launch:
    project = tmp_path / "project"
    project.mkdir()
    (project / ".mcp.json").write_text('{"mcpServers": {"db": {"command": "npx"}}}', encoding="utf-8")
    (project / ".ccq-tui.toml").write_text('theme = "ccq-light"\n', encoding="utf-8")
    return launch_with({"cwd": project})


async def test_a_service_trusts_the_directories_that_it_is_configured_with(launch: Launch) -> None:
    assert await let_in(Configured([launch.settings.directory.parent]), launch) is None
    trusted = await let_in(Configured([launch.settings.directory]), launch)
    assert (trusted.trusted.carried, trusted.settings.theme) == (None, "ccq-light")
    person = Says(TrustAnswer.LEAVE)
    assert await let_in(person, launch_with({"cwd": launch.settings.directory})) is not None
    assert person.asked == [], "the answer is remembered"


async def test_without_its_files_a_session_starts_and_says_so(launch: Launch) -> None:
    without = await let_in(Says(TrustAnswer.WITHOUT), launch)
    assert not without.trusted.project_settings
    assert (without.settings.theme, without.notices) == ("ccq-dark", (LEFT_OUT,))


async def test_a_session_that_runs_elsewhere_is_left_there_or_copied(launch: Launch, tmp_path: Path) -> None:
    inbox = await Inbox.connect(tmp_path / "inbox.db")
    directory, other = str(launch.settings.directory), Owner(os.getppid())
    await inbox.run(lambda store: store.sessions.upsert("id-1", directory))
    await inbox.run(lambda store: store.sessions.claim("id-1", other))
    wanted = replace(launch, resume="id-1")
    assert await alone(Configured([]), wanted, inbox) is None
    person = Says(TrustAnswer.LEAVE, ElsewhereAnswer.FORK)
    assert await alone(person, wanted, inbox) == replace(wanted, fork=True)
    (asked,) = person.asked
    assert isinstance(asked, ElsewhereQuestion)
    assert (asked.session_id, asked.owner.pid, asked.refusal) == ("id-1", other.pid, "")
    assert await alone(person, replace(launch, resume="id-2"), inbox) == replace(launch, resume="id-2")
    await inbox.close()

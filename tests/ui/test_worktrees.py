"""Where a session works: in a git worktree that is opened and cleared away by keys."""

from dataclasses import replace
from pathlib import Path

from textual.pilot import Pilot

from ccq_tui.agent.events import PromptAccepted
from ccq_tui.config.launch import Launch, launch_with
from ccq_tui.config.paths import inbox_path
from ccq_tui.config.settings import Settings
from ccq_tui.inbox.requests import QuestionRequest
from ccq_tui.inbox.store.store import Store
from ccq_tui.questions import QuestionSet
from ccq_tui.screens.session import SessionScreen
from ccq_tui.screens.sessions.model import WORKTREE
from ccq_tui.screens.sessions.screen import SessionsScreen
from ccq_tui.screens.sessions.trust import TrustScreen
from ccq_tui.worktrees.creation import make, planned
from tests.ui.asked import SINGLE
from tests.ui.host import Clock, press_later
from tests.ui.inboxed import keep_record
from tests.ui.session import idle, press, running, until
from tests.ui.test_sessions import Several
from tests.unit.worktrees.repositories import commit, run


def text_of(screen: SessionScreen) -> str:
    return "\n".join(str(block) for block in screen.transcript.model.blocks)


async def test_a_worktree_is_opened_by_keys_and_goes_or_stays_with_its_session(repo: Path) -> None:
    clean = make(planned(repo, "clean"))
    run_ = Several(Launch(settings=Settings(cwd=clean.path), worktree=clean))
    async with idle(run_, size=(100, 30)) as (run_, pilot):
        assert "on branch worktree-clean, from main." in text_of(run_.session_screen)
        first = run_.session_screen

        # A wrong name is said in its own field; Space makes up one where there is none.
        await press(pilot, "ctrl+n", then=lambda: isinstance(run_.app.screen, SessionsScreen))
        await pilot.press("shift+tab", *"a..b", "enter")
        new = run_.app.manager.new
        await until(pilot, lambda: "takes no" in new.faults.get(WORKTREE, ""))
        await press(pilot, "ctrl+u", "space", then=lambda: new.texts[WORKTREE].strip())
        name = new.texts[WORKTREE]
        await press(pilot, "enter", then=lambda: len(run_.all) == 2 and run_.number() == 2)
        second = run_.session_screen
        path = second.launch.settings.directory
        assert path == repo / ".claude/worktrees" / name
        await until(pilot, lambda: second.around.branch == f"worktree-{name}")
        commit(path, "b.txt")
        Store(inbox_path()).sessions.upsert("id-2", str(path))

        # Closed, the one that holds a commit stays, and it is said how to go back.
        second.dock.prompt.put("/close")
        await press(pilot, "enter", then=lambda: f"The worktree {name} is kept" in text_of(first))
        assert "1 commit on no other branch" in text_of(first)
        assert "ccq-tui resume id-2" in text_of(first)
        assert path.is_dir()
        opened = run_.all[0]
        opened.tell(PromptAccepted("hello"))

        # A question of a session whose worktree was removed by hand: it is made anew, with what it had.
        run(repo, "worktree", "remove", str(path))
        keep_record("id-old")
        waiting = QuestionRequest("toolu_old", "id-old", QuestionSet("toolu_old", (SINGLE,)))
        await run_.app.runtime.inbox.run(lambda store: store.sessions.upsert("id-old", str(path)))
        await run_.app.runtime.inbox.run(lambda store: store.requests.add(waiting))
        await pilot.press("f2")
        await until(
            pilot, lambda: isinstance(run_.app.screen, SessionsScreen) and run_.app.screen.listing.all_read
        )
        await press(pilot, "left", "enter", then=lambda: len(run_.all) == 3 and run_.number() == 2)
        assert (run_.launches[2].resume, run_.launches[2].settings.directory) == ("id-old", path)
        assert (path / "b.txt").is_file()

        # With the program the one goes that holds nothing; the other one is needed.
        await press(pilot, "ctrl+q", then=lambda: len(run_.app.runtime.cleanup.parting) == 3)
    assert run_.app.runtime.cleanup.parting[0] == (
        "The worktree clean had no changes of its own and was removed with its branch."
    )
    assert "is kept" in run_.app.runtime.cleanup.parting[1]
    assert "a question" in run_.app.runtime.cleanup.parting[1]
    assert path.is_dir()
    assert not clean.path.exists()
    assert "worktree-clean" not in run(repo, "branch")


async def test_a_prompt_that_was_not_read_comes_back_though_its_worktree_goes(repo: Path) -> None:
    clean = make(planned(repo, "clean"))
    run_ = Several(Launch(settings=Settings(cwd=clean.path), worktree=clean, prompt="not read"))
    async with run_.app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: run_.all[0].sent == ["not read"])
        await press(pilot, "ctrl+q", then=lambda: not clean.path.exists())
    async with running(Several(Launch(settings=Settings(cwd=repo))), size=(100, 30)) as (run_, pilot):
        await until(pilot, lambda: run_.session_screen.dock.prompt.text == "not read")


SERVERS = '{"mcpServers": {"db": {"command": "/bin/false"}}}'


def waiting(repo: Path) -> tuple[Several, Clock]:
    """The program that is to begin in a worktree of a repository that is to be trusted first."""
    (repo / ".mcp.json").write_text(SERVERS)
    launch = replace(launch_with({"cwd": repo}), plan=planned(repo, "later"))
    assert launch.trusted.carried is not None
    run_ = Several(launch, clock=(clock := Clock()))
    return run_, clock


async def answered(pilot: Pilot[int], clock: Clock, *keys: str) -> None:
    await until(pilot, lambda: isinstance(pilot.app.screen, TrustScreen))
    await press_later(pilot, *keys, "enter")


async def test_a_worktree_is_made_once_its_repository_is_trusted(repo: Path) -> None:
    run_, clock = waiting(repo)
    async with run_.app.run_test(size=(100, 30)) as pilot:
        assert not (repo / ".claude").exists()
        await answered(pilot, clock, "down", "down")
        await until(pilot, lambda: run_.app.sessions)
        launch = run_.session_screen.launch
        assert launch.settings.directory == repo / ".claude/worktrees/later"
        assert launch.worktree is not None
        assert launch.trusted.project_settings
        await press(pilot, "ctrl+q", then=lambda: run_.app._exit)
    # The branch has no such file, so that nothing more was asked.
    assert "later had no changes of its own and was removed" in "".join(run_.app.runtime.cleanup.parting)


async def test_where_nobody_trusts_nothing_is_made_and_nothing_said_of_it(repo: Path) -> None:
    run_, clock = waiting(repo)
    async with run_.app.run_test(size=(100, 30)) as pilot:
        await answered(pilot, clock)
        await until(pilot, lambda: run_.app._exit)
    assert run_.app.runtime.cleanup.parting == ()
    assert not (repo / ".claude").exists()
    assert "later" not in run(repo, "branch")


async def test_what_the_branch_carries_besides_is_asked_about_as_well(repo: Path) -> None:
    (repo / ".ccq-tui.toml").write_text('model = "opus"\n')
    run(repo, "add", "-A")
    run(repo, "commit", "--quiet", "-m", "Serve")
    (repo / ".ccq-tui.toml").unlink()
    run_, clock = waiting(repo)
    async with run_.app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: isinstance(pilot.app.screen, TrustScreen))
        first = pilot.app.screen
        await answered(pilot, clock, "down", "down")
        await until(
            pilot, lambda: isinstance(pilot.app.screen, TrustScreen) and pilot.app.screen is not first
        )
        assert (repo / ".claude/worktrees/later").is_dir()
        await answered(pilot, clock)
        await until(pilot, lambda: run_.app._exit)
    (line,) = run_.app.runtime.cleanup.parting
    assert "later had no changes of its own and was removed" in line
    assert not (repo / ".claude").exists()


async def test_a_worktree_that_cannot_be_made_then_ends_the_program_with_its_reason(repo: Path) -> None:
    run_, clock = waiting(repo)
    run(repo, "branch", "worktree-later")
    async with run_.app.run_test(size=(100, 30)) as pilot:
        await answered(pilot, clock, "down", "down")
        await until(pilot, lambda: run_.app._exit)
    assert "the worktree later cannot be created" in run_.app.manager.problem
    assert run_.app.runtime.cleanup.parting == ()

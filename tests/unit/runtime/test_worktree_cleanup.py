"""What becomes of the worktrees of sessions that have ended."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from ccq_tui.config.launch import Launch
from ccq_tui.config.settings import Settings
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.requests import QuestionRequest
from ccq_tui.questions import Option, Question, QuestionSet
from ccq_tui.runtime import worktree_cleanup
from ccq_tui.runtime.worktree_cleanup import UNSEEN, EndedSession, WorktreeCleanup
from ccq_tui.worktrees.creation import make, planned
from ccq_tui.worktrees.model import Worktree
from ccq_tui.worktrees.removal import kept, removed
from tests.unit.worktrees.repositories import commit

LETTER = Question("Which?", "Letter", (Option("A", "x"), Option("B", "y")))


@pytest.fixture
async def inbox(tmp_path: Path) -> AsyncIterator[Inbox]:
    inbox = await Inbox.connect(tmp_path / "state" / "inbox.db")
    yield inbox
    await inbox.close()


@pytest.fixture
def worktree(repo: Path) -> Worktree:
    return make(planned(repo, "later"))


def ended(worktree: Worktree) -> EndedSession:
    launch = Launch(settings=Settings(cwd=worktree.path), worktree=worktree)
    return EndedSession(launch, "s1")


async def test_one_that_holds_nothing_goes(inbox: Inbox, worktree: Worktree) -> None:
    (line,) = await WorktreeCleanup(lambda: inbox).clear(ended(worktree))
    assert "had no changes of its own and was removed" in line
    assert not worktree.path.exists()


@pytest.mark.parametrize("needed", ["beside", "asked", "committed"])
async def test_one_that_is_needed_stays_and_it_is_said_why(
    inbox: Inbox, worktree: Worktree, needed: str
) -> None:
    match needed:
        case "asked":
            request = QuestionRequest("t1", "s1", QuestionSet("t1", (LETTER,)))
            await inbox.run(lambda store: store.sessions.upsert("s1", str(worktree.path)))
            await inbox.run(lambda store: store.requests.add(request, ""))
        case "committed":
            commit(worktree.path, "b.txt")
    beside = {worktree.path} if needed == "beside" else ()
    lines = await WorktreeCleanup(lambda: inbox).clear(ended(worktree), beside)
    why = {
        "beside": "another session works in it",
        "asked": "a question waits in its session",
        "committed": "1 commit on no other branch",
    }
    assert lines[0].endswith(f"{why[needed]}.")
    assert worktree.path.is_dir()


async def test_a_session_without_a_worktree_opens_no_inbox(tmp_path: Path) -> None:
    launch = Launch(settings=Settings(cwd=tmp_path))
    assert await WorktreeCleanup(lambda: pytest.fail("opened")).clear(EndedSession(launch)) == ()


async def test_at_the_end_what_was_not_looked_at_is_named(
    inbox: Inbox, worktree: Worktree, monkeypatch: pytest.MonkeyPatch
) -> None:
    cleanup = WorktreeCleanup(lambda: inbox)
    await cleanup.clear_all([ended(worktree)], ended=False)
    assert cleanup.parting[0].endswith(f"{UNSEEN}.")

    async def never(*_: object) -> tuple[str, ...]:
        await asyncio.Event().wait()
        return ()

    with monkeypatch.context() as patch:
        patch.setattr(cleanup, "clear", never)
        patch.setattr(worktree_cleanup, "CLEAR_SECONDS", 0.01)
        await cleanup.clear_all([ended(worktree)], ended=True)
    assert cleanup.parting[0].endswith(f"{UNSEEN}.")
    assert worktree.path.is_dir()
    await cleanup.clear_all([ended(worktree)], ended=True)
    assert "was removed" in cleanup.parting[0]


async def test_what_was_removed_before_the_time_ran_out_is_not_named_as_kept(
    inbox: Inbox, repo: Path, worktree: Worktree, monkeypatch: pytest.MonkeyPatch
) -> None:
    cleanup = WorktreeCleanup(lambda: inbox)
    quick, slow = ended(worktree), ended(make(planned(repo, "slow")))
    lines = await cleanup.clear(quick)

    async def clear(one: EndedSession) -> tuple[str, ...]:
        if one is slow:
            await asyncio.Event().wait()
        return lines

    monkeypatch.setattr(cleanup, "clear", clear)
    monkeypatch.setattr(worktree_cleanup, "CLEAR_SECONDS", 0.01)
    await cleanup.clear_all([quick, slow], ended=True)
    assert not worktree.path.exists()
    assert slow.launch.worktree is not None
    assert cleanup.parting == (removed(worktree), *kept(slow.launch.worktree, UNSEEN))

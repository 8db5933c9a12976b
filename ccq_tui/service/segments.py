"""The steps of a segment: take the run, prepare its worktree, converse, conclude."""

import asyncio
import logging
import re
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, ParamSpec, TypeVar
from urllib.parse import quote, urlencode
from uuid import NAMESPACE_OID, uuid5

from ccq_tui.config.errors import SettingsError
from ccq_tui.config.launch import Launch
from ccq_tui.config.load import load_settings
from ccq_tui.inbox.actors import Surface
from ccq_tui.inbox.verdicts import InboxError
from ccq_tui.runtime.launches import launch_in
from ccq_tui.runtime.worktree_cleanup import EndedSession
from ccq_tui.service.isolation import Isolation
from ccq_tui.service.policy import Repository
from ccq_tui.service.port import TicketMessage
from ccq_tui.service.run import QUESTION, Happened, Run, RunState
from ccq_tui.service.runs import Runs
from ccq_tui.service.store import RunStoreError
from ccq_tui.service.stretch import End, Happenings, Stretch, prompts_of
from ccq_tui.text import one_line
from ccq_tui.worktrees.creation import back_in, has_branch, make, planned, root_of
from ccq_tui.worktrees.git import CHECKOUT_SECONDS, GitError, asked, by_user, git
from ccq_tui.worktrees.model import Worktree, WorktreeError, is_ours, worktree_at

_logger = logging.getLogger(__name__)
P = ParamSpec("P")
T = TypeVar("T")

FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0
"""Seconds between the first two tries of a database that is away, and most between two."""
MOST_NAME = 300
FLAGS = ("permission_mode", "allowed_tools")
READS: dict[str, Any] = {
    "tools": ("Read", "Glob", "Grep", "AskUserQuestion"),
    "strict_mcp_config": True,
    "append_system_prompt": "You can only read here: answer what is asked. "
    "If it asks for work, say that nothing is changed in this thread: delegate the issue for that.",
}
"""The flags of a session that only answers a question."""
STOPPED = "Stopped. A message here continues it."


async def lasting(work: Callable[P, T], *values: P.args, **named: P.kwargs) -> T:
    """Call the store in a thread; while its database is away, again until it is back."""
    pause = FIRST_PAUSE
    while True:
        try:
            return await asyncio.to_thread(partial(work, *values, **named))
        except RunStoreError as error:
            _logger.warning("%s It is tried again in %.1f s.", error, pause)
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)


class Segments:
    """The steps of the segments of this machine, and the conversations that run in them.

    Args:
        runs: The service.
        launch: The launch of its sessions, without a repository's flags.
        isolation: What they run as.

    Attributes:
        live: The conversations, by run.
    """

    def __init__(self, runs: Runs, launch: Launch, isolation: Isolation) -> None:
        self.live: dict[str, Stretch] = {}
        self._runs = runs
        self._launch = launch
        self._isolation = isolation
        repositories = runs.policy.repositories.items()
        self._slots = {name: asyncio.Semaphore(one.most_runs) for name, one in repositories}

    async def take(self, run_id: str, segment: int) -> bool:
        """Take the run for this machine; return whether it is this machine's turn."""
        store, machine = self._runs.store, self._runs.machine
        run = await lasting(store.get, run_id)
        if run.segment == segment and run.machine in ("", machine):
            session = run.session or str(uuid5(NAMESPACE_OID, f"ccq-tui run {run.id}"))
            changes = {"machine": machine, "session": session}
            await lasting(store.move, run_id, [RunState.QUEUED], RunState.WORKING, **changes)
        return await self._mine(run_id, segment) is not None

    async def _mine(self, run_id: str, segment: int) -> Run | None:
        """Return a run that works at a segment here; one of another machine is given back to that."""
        run = await lasting(self._runs.store.get, run_id)
        if run.segment != segment or run.state is not RunState.WORKING:
            return None
        if run.machine == self._runs.machine:
            return run
        await self._runs.begin_next(run)
        return None

    async def prepare(self, run_id: str, segment: int) -> str:
        """Make the worktree; return why there can be none, or ""."""
        if (run := await self._mine(run_id, segment)) is None:
            return ""
        if (repository := self._runs.policy.repositories.get(run.repository)) is None:
            problem = f"The repository {run.repository} is no longer configured on {run.machine}."
            return problem if run.repository else run.result
        try:
            worktree = await asyncio.to_thread(check_out, repository, run_id)
        except WorktreeError as error:
            return f"No worktree for this ticket: {error}. A message here tries again."
        branch = "" if self._only_reads(run) else worktree.branch  # it goes with the worktree
        await lasting(self._runs.store.update, run_id, directory=str(worktree.path), branch=branch)
        return ""

    def _only_reads(self, run: Run) -> bool:
        """Return whether a run only answers a question: its ticket asks one, and its repository allows it."""
        repository = self._runs.policy.repositories.get(run.repository)
        return run.kind == QUESTION and repository is not None and repository.question

    async def converse(self, run_id: str, segment: int) -> End | None:
        """Run a stretch of the session; return how it ended, or None if the run was taken away."""
        if (run := await self._mine(run_id, segment)) is None:
            return None
        happenings = Happenings()
        recording = asyncio.create_task(self._record(run_id, happenings))
        try:
            async with self._slots[run.repository]:
                end = await self._run_stretch(run, happenings)
                while end["end"] == "again":
                    run = await lasting(self._runs.store.update, run_id, session=end["text"])
                    end = await self._run_stretch(run, happenings)
            await happenings.join()
        except (SettingsError, WorktreeError, InboxError, OSError) as error:
            _logger.exception("The session of run %s was not started", run_id)
            return {"end": RunState.FAILED, "text": f"The session was not started: {error}"}
        else:
            return end
        finally:
            recording.cancel()

    async def _run_stretch(self, run: Run, happenings: Happenings) -> End:
        stretch = Stretch(self._runs.runtime, run, self._runs.policy.limits, happenings)
        self.live[run.id] = stretch
        try:
            if why := why_stopped(await lasting(self._runs.store.kept, run)):
                return {"end": RunState.STOPPED, "text": why}
            kept = await self._runs.route(run)
            repository = self._runs.policy.repositories[run.repository]
            launch = await asyncio.to_thread(self._launched, run, repository)
            end = await stretch.run(launch, prompts_of(run, kept))
            left = await lasting(self._runs.store.kept, run)  # also what came meanwhile
            for prompt, message in zip(prompts_of(run, left)[1:], left, strict=True):
                if prompt.prompt_id in stretch.read:
                    await lasting(self._runs.store.taken, message)
            return end
        finally:
            del self.live[run.id]

    def _launched(self, run: Run, repository: Repository) -> Launch:
        """Return the launch of a run's session; reads files."""
        flags: dict[str, Any] = {name: getattr(repository, name) for name in FLAGS}
        flags = {**READS} if self._only_reads(run) else flags
        if self._isolation.program is not None:
            flags["cli_path"] = self._isolation.program
        base = replace(self._launch, program=replace(self._launch.program, flags=flags))
        if self._isolation.apart:  # no file is read here, by the service, that the agent may write
            own = load_settings(flags | {"cwd": run.directory}, project=False)
            launch = Launch(settings=own.settings, program=base.program)
        else:
            launch = launch_in(Path(run.directory), "", base, asked=False)
        return replace(launch, name=one_line(run.title, MOST_NAME), labels=run.labels)

    async def _record(self, run_id: str, happenings: Happenings) -> None:
        while True:
            await self._runs.record(run_id, *await happenings.get())
            happenings.task_done()

    async def conclude(self, run_id: str, segment: int, end: End) -> None:
        """Record the end, and leave the run in the state that follows from it."""
        if (run := await self._mine(run_id, segment)) is not None:
            text, changes = end["text"] or STOPPED, {}
            if end["end"] == RunState.STOPPED:
                with suppress(InboxError):  # else once it has ended
                    await self._runs.withdraw(run, text)
            text = await self.clear(run, end["end"], text)
            if end["end"] != RunState.WAITING:
                kind = "error" if end["end"] == RunState.FAILED else "response"
                body = {"end": kind, "text": text, "branch": run.branch}
                await self._runs.record(run_id, Happened.ENDED, str(segment), body)
                changes = {"result": text}
            await lasting(self._runs.store.move, run_id, [RunState.WORKING], RunState(end["end"]), **changes)
        run = await lasting(self._runs.store.get, run_id)
        if run.segment == segment:
            await self._runs.advance(run)

    async def clear(self, run: Run, end: str, words: str) -> str:
        """Push what a run made, and remove a worktree that holds nothing.

        Args:
            run: The run.
            end: What it is after this; one that waits keeps its worktree.
            words: The words of its end.

        Returns:
            The words of its end, with its branch.
        """
        directory, repository = Path(run.directory), self._runs.policy.repositories.get(run.repository)
        if repository is None or not run.directory:
            return words
        if repository.push and run.branch and (more := await asyncio.to_thread(push, repository, run, words)):
            words = f"{words}\n\n{more}"
        if end == RunState.WAITING:
            return words
        settings = self._launch.settings.model_copy(update={"cwd": directory})
        over = EndedSession(Launch(settings=settings, worktree=worktree_at(directory)), run.session)
        await self._runs.runtime.cleanup.clear(over)
        if await asyncio.to_thread(directory.is_dir) and run.branch not in words:
            words += f"\n\nBranch: `{run.branch}`"
        return words


def why_stopped(kept: Sequence[TicketMessage]) -> str:
    """Return the words of a stop among messages, "" if there is none; a ticket that closed has its own."""
    stops = [one for one in kept if one.stop]
    return next((one.text for one in stops if one.surface is Surface.LIMIT), STOPPED if stops else "")


_GITHUB = re.compile(r"[/@]github\.com[:/]([\w.-]+/[\w.-]+?)(\.git)?/?$", re.ASCII)


def check_out(repository: Repository, run_id: str) -> Worktree:
    """Return the worktree of a run; make it if it is not there, from what was pushed or from the base.

    Raises `WorktreeError`, whose message says what is wrong: the repository cannot be fetched, for example.
    """
    try:
        return _check_out(repository, run_id)
    except WorktreeError:
        if not _mend(repository.path):
            raise
        return _check_out(repository, run_id)


def _check_out(repository: Repository, run_id: str) -> Worktree:
    try:
        worktree = Worktree(root_of(repository.path), f"run-{run_id}")
        if worktree.path.is_dir():
            if is_ours(worktree):
                return worktree
            # It was being made when the program was killed, before any work in it.
            words = ("worktree", "remove", "--force", "--force", "--", str(worktree.path))
            with suppress(GitError):
                git(worktree.root, *words, seconds=CHECKOUT_SECONDS)
        if has_branch(worktree.root, worktree.branch):
            return back_in(worktree.path, trusts=lambda _root: True) or worktree
        remote = _fetched(repository)
        base, pushed = repository.base, f"{remote}/{worktree.branch}"
        if remote and asked(repository.path, "rev-parse", "--verify", "--quiet", f"refs/remotes/{pushed}"):
            base = worktree.branch
        return make(planned(worktree.root, worktree.name, f"{remote}/{base}" if remote and base else base))
    except GitError as error:
        raise WorktreeError(str(error)) from error


def _mend(root: Path) -> bool:
    """Remove what a killed git left of worktrees that it was making, and makes no other beside."""
    late = time.time() - 5.0
    stats = {one.parent: one.stat() for one in (root / ".git" / "worktrees").glob("run-*/commondir")}
    broken = [place for place, found in stats.items() if not found.st_size and found.st_mtime < late]
    for place in broken:
        with suppress(GitError):
            by_user("rm", "-rf", "--", str(place))
    return bool(broken)


def push(repository: Repository, run: Run, words: str) -> str:
    """Push the commits of a run's branch, if it has any.

    Args:
        repository: The repository.
        run: The run.
        words: The words of its end, which are the text of a pull request.

    Returns:
        Where they are, in Markdown, with a link that opens a pull request at GitHub; or why they are not.
    """
    directory, remote, branch = Path(run.directory), repository.remote, run.branch
    here = directory if directory.is_dir() else repository.path
    try:
        if asked(here, "rev-list", "--max-count=1", branch, "--not", f"--remotes={remote}"):
            git(here, "push", "--quiet", "--", remote, f"{branch}:{branch}", seconds=CHECKOUT_SECONDS)
    except GitError as error:
        return f"The branch {branch} could not be pushed: {error}"
    if not asked(here, "rev-parse", "--verify", "--quiet", f"refs/remotes/{remote}/{branch}"):
        return ""
    place = f"Branch: `{branch}` at {remote}"
    if found := _GITHUB.search(asked(here, "remote", "get-url", "--", remote) or ""):
        # Most characters of a pull request's text: it is part of an address.
        text = f"{words[:2_000]}\n\n{run.url}".strip()
        query = urlencode({"quick_pull": "1", "title": run.title, "body": text})
        place += f" · [open a pull request](https://github.com/{found[1]}/compare/{quote(branch)}?{query})"
    return place


def _fetched(repository: Repository) -> str:
    """Return the remote, whose branches were fetched, or "" if the repository has none by that name."""
    if asked(repository.path, "remote", "get-url", "--", repository.remote) is None:
        return ""
    try:
        git(repository.path, "fetch", "--quiet", "--", repository.remote, seconds=CHECKOUT_SECONDS)
    except GitError as error:
        raise WorktreeError(f"{repository.remote} cannot be fetched: {error}") from error
    return repository.remote

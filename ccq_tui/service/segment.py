"""A segment of a run: its session works until it asks, ends, fails, is stopped, or takes too long."""

import asyncio
import logging
import re
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode
from uuid import NAMESPACE_OID, uuid4, uuid5

from ccq_tui.agent import events as ev
from ccq_tui.agent.claude.orphans import end_leftovers
from ccq_tui.agent.claude.records import Recorded, last_words, recorded, taken
from ccq_tui.agent.controls import Send
from ccq_tui.config.errors import SettingsError
from ccq_tui.config.launch import Launch
from ccq_tui.config.load import load_settings
from ccq_tui.inbox.actors import Surface
from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.requests import PermissionRequest
from ccq_tui.inbox.verdicts import InboxError
from ccq_tui.runtime.launches import launch_in
from ccq_tui.runtime.phases import Phase
from ccq_tui.runtime.runtime import NotOpenedError
from ccq_tui.runtime.session import SupervisedSession
from ccq_tui.runtime.worktree_cleanup import EndedSession
from ccq_tui.service.policy import Repository
from ccq_tui.service.port import TicketMessage
from ccq_tui.service.run import QUESTION, Happened, Run, RunState
from ccq_tui.service.runs import Runs
from ccq_tui.service.store import lasting
from ccq_tui.text import one_line
from ccq_tui.timeouts import set_within
from ccq_tui.words import spoken
from ccq_tui.worktrees.creation import back_in, has_branch, make, planned, root_of
from ccq_tui.worktrees.git import CHECKOUT_SECONDS, GitError, asked, by_user, git
from ccq_tui.worktrees.model import Worktree, WorktreeError, is_ours, worktree_at

_logger = logging.getLogger(__name__)

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
CONTINUE = (
    "The process that you worked in was ended by accident. Go on where you were interrupted. "
    "If everything was done already, give your final message again."
)
TRIES = 3
"""Starts of the session's process before a run fails with it."""
PARK_SECONDS = 15.0
"""Seconds between two tries to park; one may come to nothing, and takes less."""


class SegmentEnd(NamedTuple):
    """How a segment ended.

    Attributes:
        state: The state of the run after it.
        text: The words.
    """

    state: RunState
    text: str = ""


class Segment:
    """A segment of a run. It continues what an earlier process of the service left of it.

    Args:
        service: The service.
        run: The run, which this machine has taken.

    Attributes:
        run: The run, as it was read last.
    """

    def __init__(self, service: Runs, run: Run) -> None:
        self.run = run
        self._service = service
        self._store = service.store
        self._limits = service.policy.limits
        self._session: SupervisedSession | None = None
        self._news = asyncio.Event()
        self._happened: asyncio.Queue[tuple[Happened, str, Mapping[str, Any]]] = asyncio.Queue()
        """What is to be recorded: the kind, what distinguishes it from others, the details."""
        self._end: SegmentEnd | None = None
        """How it ends at once: it is to stop, or its session's record shows that its work was done before."""
        self._read: set[str] = set()
        """The prompts that the session has read."""
        self._sent: set[str] = set()
        self._unread: set[str] = set()
        """The prompts that were sent, or are to be, and have not reached Claude."""
        self._returned = False
        """Whether a prompt came back unread, as the session was parked."""
        self._met: set[str] = set()
        """The requests that the session's process has come to."""
        self._text: tuple[str, str] = ("", "")
        """The last text of Claude, with its key: recorded once something follows, else it is the result."""
        self._ended: ev.TurnEnded | None = None
        self._lost: ev.SessionLost | None = None
        self._ready = False

    def stop(self, why: str) -> None:
        """End at once, with these words."""
        self._end = SegmentEnd(RunState.STOPPED, why)
        self._news.set()

    def send(self, prompts: Sequence[Send]) -> None:
        """Give the session, where it runs, the prompts that it was not given yet."""
        new = [one for one in prompts if one.prompt_id not in self._sent]
        if self._session is not None and self._ready and new:
            # In one message: the record then shows by the last id that all were read.
            self._sent |= {one.prompt_id for one in new}
            self._unread = self._unread - self._sent | {new[-1].prompt_id}
            self._ended = None
            self._session.agent.put(Send("\n\n".join(one.text for one in new), new[-1].prompt_id))

    async def work(self) -> Run | None:
        """Do all of it; return the run in the state that follows from it, as long as it is this machine's."""
        if not self.run.segment:  # a service that was killed before it could say so says it now
            await self._service.record(self.run.id, Happened.STARTED, "", {})
        return await self.conclude(await self.prepare() or await self.converse())

    @property
    def _repository(self) -> Repository | None:
        return self._service.policy.repositories.get(self.run.repository)

    @property
    def _only_reads(self) -> bool:
        """Whether the run only answers a question: its ticket asks one, and its repository allows it."""
        return self.run.kind == QUESTION and self._repository is not None and self._repository.question

    async def prepare(self) -> SegmentEnd | None:
        """Make the worktree; return the end of a run that can have none."""
        run = self.run
        if (repository := self._repository) is None:
            problem = f"The repository {run.repository} is no longer configured on {run.machine}."
            return SegmentEnd(RunState.FAILED, problem if run.repository else run.result)
        try:
            worktree = await asyncio.to_thread(check_out, repository, run.id)
        except WorktreeError as error:
            return SegmentEnd(
                RunState.FAILED, f"No worktree for this ticket: {error}. A message here tries again."
            )
        branch = "" if self._only_reads else worktree.branch  # it goes with the worktree
        directory = str(worktree.path)
        self.run = await lasting(self._store.update, run.id, directory=directory, branch=branch)
        return None

    async def converse(self) -> SegmentEnd:
        """Let the session work until it ends or waits; return how."""
        recording = asyncio.create_task(self._record())
        try:
            end = await self._go_on()
            while isinstance(end, str):
                self.run = await lasting(self._store.update, self.run.id, session=end)
                end = await self._go_on()
            await self._happened.join()
        except (SettingsError, WorktreeError, InboxError, OSError) as error:
            _logger.exception("The session of run %s was not started", self.run.id)
            return SegmentEnd(RunState.FAILED, f"The session was not started: {error}")
        else:
            return end
        finally:
            recording.cancel()

    async def _record(self) -> None:
        while True:
            await self._service.record(self.run.id, *await self._happened.get())
            self._happened.task_done()

    async def conclude(self, end: SegmentEnd) -> Run | None:
        """Record the end, and move the run on; return it, or None if another machine has it."""
        run = await lasting(self._store.get, self.run.id)
        if (run.machine, run.segment, run.state) != (self.run.machine, self.run.segment, self.run.state):
            return None
        text, changes = end.text or STOPPED, {}
        if end.state is RunState.STOPPED:
            with suppress(InboxError):  # else once it has ended
                await self._service.withdraw(run, text)
        text = await clear(self._service, run, end.state, text)
        if end.state is not RunState.WAITING:
            kind = "error" if end.state is RunState.FAILED else "response"
            body = {"end": kind, "text": text, "branch": run.branch}
            await self._service.record(run.id, Happened.ENDED, str(run.segment), body)
            changes = {"result": text}
        await lasting(self._store.move, run, end.state, **changes)
        return await lasting(self._store.get, run.id)

    # -- the session ----------------------------------------------------------------------------------------

    async def _go_on(self) -> SegmentEnd | str:
        """Run the session until it ends or waits for a person.

        Returns:
            How it ended, or the session to go on in: a new one, as Claude cannot begin under the run's, or
            the same, as a prompt came back unread.
        """
        if why := why_stopped(await lasting(self._store.kept, self.run)):
            return SegmentEnd(RunState.STOPPED, why)
        kept = await self._service.route(self.run)
        launch = await asyncio.to_thread(self._launched)
        end = await self._try(launch, prompts_of(self.run, kept))
        left = await lasting(self._store.kept, self.run)  # also what came meanwhile
        for prompt, message in zip(prompts_of(self.run, left)[1:], left, strict=True):
            if prompt.prompt_id in self._read:
                await lasting(self._store.taken, message)
        return end

    def _launched(self) -> Launch:
        """Return the launch of the run's session; reads files."""
        flags = {name: getattr(self._repository, name) for name in FLAGS}
        flags = {**READS} if self._only_reads else flags
        isolation, base = self._service.isolation, self._service.runtime.launch
        if isolation.program is not None:
            flags["cli_path"] = isolation.program
        base = replace(base, program=replace(base.program, flags=flags))
        if isolation.apart:  # no file is read here, by the service, that the agent may write
            own = load_settings(flags | {"cwd": self.run.directory}, project=False)
            launch = Launch(settings=own.settings, program=base.program)
        else:
            launch = launch_in(Path(self.run.directory), "", base, asked=False)
        return replace(launch, name=one_line(self.run.title, MOST_NAME), labels=self.run.labels)

    async def _try(self, launch: Launch, prompts: Sequence[Send]) -> SegmentEnd | str:
        """Run the session, in another process of Claude where one is lost."""
        tries = 0
        while tries < TRIES:
            if self._end is not None:
                return self._end
            try:
                if (end := await self._once(launch, prompts)) is not None:
                    return end
                tries += 1
            except NotOpenedError as error:
                if "another ccq-tui" not in str(error):
                    return SegmentEnd(RunState.FAILED, f"The session {error}.")
                # Seconds after which it is looked again whether a person still has the session open.
                await asyncio.sleep(2.0)  # a person continues it
        return SegmentEnd(RunState.FAILED, f"The session ended: {self._lost.reason if self._lost else ''}")

    async def _once(self, launch: Launch, prompts: Sequence[Send]) -> SegmentEnd | str | None:
        """Run the session in one process of Claude; None if that was lost."""
        name, inbox, runtime = self.run.session, self._service.inbox, self._service.runtime
        launch = await begun_or_new(launch, name)
        waiting = await inbox.run(lambda store: store.requests.waiting(name))
        if any(kind_of(one.request).OUTLIVES for one in waiting):
            return SegmentEnd(RunState.WAITING)
        left = await inbox.run(lambda store: store.requests.undelivered(name))
        expected = frozenset(one.request.id for one in left if kind_of(one.request).OUTLIVES)
        read = await asyncio.to_thread(taken, launch, {one.prompt_id: name for one in prompts})
        found = (number for number, one in enumerate(prompts) if one.prompt_id in read)
        last = max(found, default=0 if launch.resume else -1)  # the first one is part of any message
        self._read |= {one.prompt_id for one in prompts[: last + 1]}
        unread = prompts[last + 1 :]
        if not (expected or unread) and (words := await asyncio.to_thread(last_words, launch, name)):
            return SegmentEnd(RunState.ENDED, words)
        if launch.chosen_id not in ("", name):
            return launch.chosen_id
        session = await runtime.begin(launch)
        self._session, self._lost, self._ended, self._ready = session, None, None, False
        self._sent, self._met, self._returned = set(self._read), set(), False
        self._unread = {one.prompt_id for one in unread}
        session.subscribe(self._handle)
        supplying = asyncio.create_task(self._supply(launch, expected, unread))
        try:
            return await self._watch(session)
        finally:
            supplying.cancel()
            self._session = None
            await session.end("its run waits or has ended")
            runtime.forget(session)

    async def _supply(self, launch: Launch, expected: frozenset[str], unread: Sequence[Send]) -> None:
        """Give a session what it waits for: an answer that it expects comes by itself."""
        while not self._ready:  # by then it is known what earlier processes left to ask
            self._news.clear()
            await self._news.wait()
        try:
            # Seconds in which a resumed session must come to the question whose answer it expects.
            async with asyncio.timeout(30.0):
                while not expected <= self._met:
                    self._news.clear()
                    await self._news.wait()
            # What the record shows to have come before is marked by now.
            name = self.run.session
            left = await self._service.inbox.run(lambda store: store.requests.undelivered(name))
            came = expected.isdisjoint(one.request.id for one in left)
        except TimeoutError:
            came = True
        if unread:
            self.send(unread)
        elif came and (words := await asyncio.to_thread(last_words, launch, self.run.session)):
            self._end = SegmentEnd(RunState.ENDED, words)
            self._news.set()
        elif came:
            self.send([Send(CONTINUE)])

    async def _watch(self, session: SupervisedSession) -> SegmentEnd | str | None:
        """Wait for what the session comes to, within its limits."""
        clock = asyncio.get_running_loop().time
        worked = waited = parked_at = 0.0
        while True:
            self._news.clear()
            # The inbox has a request a moment before the session can be parked for it.
            waits = any(one.request.id in self._met for one in session.waiting)
            if self._end is not None:
                return self._end
            if session.stage.phase in {Phase.PARKED, Phase.RESTING, Phase.CLOSED}:
                return self._rested(session)
            if self._ended and session.can_give_way and not self._unread:
                if not self._returned:
                    return self._responded(self._ended)
                self._record_text()
                return self.run.session
            if waits and not session.why_not_parkable and clock() - parked_at >= PARK_SECONDS:
                parked_at = clock()
                session.agent.park("its ticket is asked")
            waited = waited if waits else 0.0
            left = self._limits.permission - waited if waits else self._limits.work - worked
            if left <= 0:
                return self._too_long(waits)
            before = clock()
            await set_within(self._news, min(left, PARK_SECONDS))  # it is looked above what that means
            passed = clock() - before
            worked, waited = (worked, waited + passed) if waits else (worked + passed, 0.0)

    def _rested(self, session: SupervisedSession) -> SegmentEnd | None:
        if session.facts.state is ev.SessionState.PARKED:
            return SegmentEnd(RunState.WAITING)
        text = f"The session was ended: {self._lost.reason}" if self._lost and self._lost.reason else ""
        is_over = session.facts.state is ev.SessionState.ENDED
        return SegmentEnd(RunState.STOPPED, text) if is_over else None

    def _responded(self, turn: ev.TurnEnded) -> SegmentEnd:
        if turn.is_error:
            return SegmentEnd(RunState.FAILED, turn.text or f"The turn was interrupted ({turn.reason}).")
        return SegmentEnd(RunState.ENDED, self._text[1] or "Done.")

    def _too_long(self, waits: bool) -> SegmentEnd:
        text = f"The session worked for {spoken(self._limits.work)}, the limit, and was ended."
        if waits:
            time = spoken(self._limits.permission)
            text = f"Nobody decided within {time}, so the session was ended, and nothing was allowed."
        return SegmentEnd(RunState.FAILED, f"{text} A message here continues it.")

    # -- what the session does ------------------------------------------------------------------------------

    def _handle(self, event: ev.AgentEvent) -> None:
        match event:
            case ev.BlockFinished():
                self._record_text()
                if event.kind is ev.BlockKind.TEXT and not event.key.parent and event.text.strip():
                    self._text = f"{event.key.message_id}:{event.key.index}", event.text.strip()
            case ev.ToolStarted(parent=""):
                self._record_text()
                self._record_call(event)
            case ev.RequestAsked(request, by_message=by_message):
                self._record_text()
                self._met.add(request.id)
                if by_message:  # an earlier process asked it, and no call of this one waits for it
                    self._end = self._end or SegmentEnd(RunState.WAITING)
            case ev.RequestSettled(request_id=name):
                self._met.add(name)
            case _:
                self._note(event)
        self._news.set()

    def _note(self, event: ev.AgentEvent) -> None:
        match event:
            case ev.PromptDelivered(prompt_id=name):
                self._unread.discard(name)
                self._read |= self._sent
            case ev.PromptReturned(prompt_id=name):
                self._unread.discard(name)
                self._returned = True
            case ev.TurnEnded():
                self._ended = event
            case ev.StateChanged(ev.SessionState.IDLE | ev.SessionState.WORKING | ev.SessionState.AWAITING):
                self._ready = True
                self._ended = None if event.state is ev.SessionState.WORKING else self._ended
            case ev.SessionLost():
                self._lost = event

    def _record_text(self) -> None:
        key, text = self._text
        if text:
            body = {"kind": "thought", "text": text, "parameter": ""}
            self._happened.put_nowait((Happened.REPORTED, key, body))
        self._text = ("", "")

    def _record_call(self, call: ev.ToolStarted) -> None:
        if call.tool == "AskUserQuestion":
            return  # it is asked
        asked = PermissionRequest(call.tool_use_id, "", call.tool, call.input)
        summary = kind_of(asked).summary(asked).removeprefix(call.tool).lstrip(": ")
        body = {"kind": "action", "text": call.tool, "parameter": summary}
        self._happened.put_nowait((Happened.REPORTED, call.tool_use_id, body))


def prompts_of(run: Run, kept: Sequence[TicketMessage]) -> list[Send]:
    """Return what the session of a run is to read: what its ticket asks for, and the messages to it.

    The id of each shows in the session's record whether it was read.
    """
    texts = {"prompt": run.prompt} | {f"message {one.id}": one.text for one in kept}
    return [Send(text, str(uuid5(NAMESPACE_OID, f"{run.session} {name}"))) for name, text in texts.items()]


async def begun_or_new(launch: Launch, session_id: str) -> Launch:
    """Return the launch of a session whose program ended before Claude was known to have read anything.

    A process of it that is still there is ended.

    Args:
        launch: Its launch otherwise.
        session_id: The id that was chosen for it.

    Returns:
        The launch that resumes it if its record has messages, else begins it under its id, or under
        another one if the CLI would refuse that.
    """
    await end_leftovers(session_id)
    match await asyncio.to_thread(recorded, launch, session_id):
        case Recorded.MESSAGES:
            return replace(launch, resume=session_id, chosen_id="")
        case Recorded.NOTHING:
            return replace(launch, chosen_id=session_id)
        case Recorded.NO_MESSAGE:
            return replace(launch, chosen_id=str(uuid4()))


def why_stopped(kept: Sequence[TicketMessage]) -> str:
    """Return the words of a stop among messages, "" if there is none; a ticket that closed has its own."""
    stops = [one for one in kept if one.stop]
    return next((one.text for one in stops if one.surface is Surface.LIMIT), STOPPED if stops else "")


async def clear(service: Runs, run: Run, end: RunState, words: str) -> str:
    """Push what a run made, and remove a worktree that holds nothing.

    Args:
        service: The service.
        run: The run.
        end: What it is after this; one that waits keeps its worktree.
        words: The words of its end.

    Returns:
        The words of its end, with its branch.
    """
    directory, repository = Path(run.directory), service.policy.repositories.get(run.repository)
    if repository is None or not run.directory:
        return words
    if repository.push and run.branch and (more := await asyncio.to_thread(push, repository, run, words)):
        words = f"{words}\n\n{more}"
    if end is RunState.WAITING:
        return words
    settings = service.runtime.launch.settings.model_copy(update={"cwd": directory})
    over = EndedSession(Launch(settings=settings, worktree=worktree_at(directory)), run.session)
    await service.runtime.cleanup.clear(over)
    if await asyncio.to_thread(directory.is_dir) and run.branch not in words:
        words += f"\n\nBranch: `{run.branch}`"
    return words


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

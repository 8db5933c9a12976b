"""Typed prompts on disk: the earlier ones, the unsent one, and those that Claude has not read."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, Protocol, TypeVar
from uuid import uuid4

from ccq_tui.agent import events as ev
from ccq_tui.agent.controls import Images
from ccq_tui.agent.session_name import title_of
from ccq_tui.config.launch import Launch
from ccq_tui.config.paths import state_dir
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.port import InboxChange, InboxRenewed
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.verdicts import InboxError
from ccq_tui.prompts.history import PromptHistory
from ccq_tui.prompts.images import ImageStore, PromptImage
from ccq_tui.prompts.pastes import unfolded
from ccq_tui.prompts.shell_runs import run_in
from ccq_tui.prompts.unread import PromptDraft, Sent, directory_key
from ccq_tui.runtime.session import SupervisedSession
from ccq_tui.text import one_line

_logger = logging.getLogger(__name__)

T = TypeVar("T")


class PromptText(Protocol):
    """The field in which a person types a session's prompts."""

    @property
    def draft(self) -> PromptDraft:
        """The text in the field."""

    @property
    def kept(self) -> PromptDraft:
        """The text that must not be lost: the field's, and what was put aside."""

    def adopt(self, draft: PromptDraft) -> PromptDraft:
        """Register the images of a draft; return it with the names under which they are known."""

    def images_in(self, text: str) -> dict[str, PromptImage]:
        """Return the images whose names are in a text."""

    def restore(self, draft: PromptDraft) -> None:
        """Replace the text by a draft."""

    def put_back(self, text: str) -> None:
        """Put a prompt that was not read before the text."""

    def remember(self, earlier: Iterable[str]) -> None:
        """Set the earlier prompts, the newest first."""


class PromptSurface(Protocol):
    """The surface on which a person types a session's prompts."""

    @property
    def launch(self) -> Launch:
        """The launch of the session."""

    @property
    def session(self) -> SupervisedSession:
        """The session."""

    @property
    def prompt(self) -> PromptText:
        """The field."""

    @property
    def live(self) -> bool:
        """Whether it is there and is not going away."""

    def note(self, text: str, level: str = "info") -> None:
        """Show a notice, to stay."""

    def start(self, work: Callable[[], Coroutine[Any, Any, None]], name: str) -> None:
        """Run a coroutine, for as long as the surface lives."""

    def after(self, seconds: float, call: Callable[[], object]) -> asyncio.TimerHandle:
        """Call something after a time, if the surface still lives then."""


class PromptQueue:
    """Keeps the prompts that Claude has not read in the inbox's database, and the history in its file.

    The draft of a new session is kept for its directory, and the next new session there takes it over. Once a
    prompt was sent, or the session has to wait for a process, the draft is the session's own, with what it
    takes to begin the session until Claude has read the first prompt.

    Field and sent prompts are one draft, written whole: a prompt that is sent or comes back is in one of the
    two at every moment. It stays there until Claude has read it and has written that down.

    Attributes:
        earlier: The earlier prompts, the newest first.
        images: The images of prompts.
        sent: The prompts that were sent and are not known to have been read, by their ids.
    """

    def __init__(self, surface: PromptSurface, inbox: Inbox) -> None:
        self._surface = surface
        self._inbox = inbox
        launch = surface.launch
        state = launch.program.state or state_dir()
        self.earlier: tuple[str, ...] = ()
        self.images = ImageStore(state / "images")
        self.sent: dict[str, Sent] = {}
        self._history = PromptHistory(state / "history.jsonl", launch.settings.directory)
        self._disk = ThreadPoolExecutor(max_workers=1, thread_name_prefix="prompts")
        self._name = str(uuid4())
        self._directory = directory_key(launch.settings.directory)
        self._continues = bool(launch.resume) or launch.continue_last
        # Before Claude has written down anything of it, a session may not be one that can be resumed.
        self._begun = self._continues and not launch.fork
        self._read_for: set[str] = set()
        """The sessions and directories whose drafts were read."""
        self._reading: list[asyncio.Future[None]] = []
        self._kept: tuple[tuple[str, PromptDraft], asyncio.Future[None]] | None = None
        """The last draft that was written, and its writing."""
        self._released: asyncio.Future[None] | None = None
        """The release of what was written last."""
        self._saving: asyncio.TimerHandle | None = None
        self._failure_reported = False
        self._unsubscribe = inbox.subscribe(self._inbox_changed)

    # -- its life -------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Read the draft of the session or its directory, before anything is sent."""
        launch = self._surface.launch
        if launch.resume and not launch.fork:
            self._read(launch.resume)
        elif not self._continues:
            self._read(self._directory)

    def load(self) -> None:
        """Read the history."""
        if self._surface.launch.prompt:
            self.remember(self._surface.launch.prompt, {})
        self._surface.start(self._load_history, "history")

    def close(self) -> None:
        """Write what is not written yet; then the thread ends."""
        if self._reading:
            # What was found on disk will never be in the field.
            kept_for, draft = self._kept_for, self._draft
            self._written(lambda store: store.prompts.leave(kept_for, draft, self._name))
        self._release()
        self._unsubscribe()
        self._disk.shutdown(wait=False)

    async def release(self) -> None:
        """Write the draft, and leave it to the session that comes next."""
        with suppress(InboxError):
            await self._release()

    def _release(self) -> asyncio.Future[None]:
        self.save()
        if self._released is None:
            self._released = self._written(lambda store: store.prompts.release(self._name))
        return self._released

    def take(self, event: ev.AgentEvent) -> None:
        """Learn under which id the session can be resumed, and when it begins."""
        match event:
            case ev.Connected(session_id=session_id):
                if session_id and self._continues and session_id not in self._read_for:
                    self._read(session_id)
            case ev.ConversationReset(session_id=session_id):
                self._read_for.add(session_id)
                self.save()
            case ev.SessionLost() if not self._read_for:
                self._read(self._directory)
            case ev.PromptRecorded(prompt_id=name):
                self._begun = True
                self.mark_read([name])
            case ev.PromptReturned():
                self._put_back(event)

    def _put_back(self, event: ev.PromptReturned) -> None:
        """Put a prompt back into the field, unless it is an answer or what a command of the shell printed."""
        if run := run_in(event.text):
            words = f"Claude did not receive ! {one_line(run.command, 60)}: {event.reason}"
            self._surface.note(f"{words} · run it again", "warning")
        elif not event.kept:
            if not event.wanted:
                self._surface.note(f"A prompt was not sent and is back: {event.reason}", "warning")
            self._surface.prompt.put_back(event.text)
            self.mark_read([event.prompt_id])

    # -- what is typed and sent -----------------------------------------------------------------------------

    def remember(self, text: str, images: Mapping[str, PromptImage]) -> None:
        """Keep a text that leaves the field, and its images, with the earlier prompts."""
        text = text.rstrip()
        self.earlier = (text, *(other for other in self.earlier if other != text))
        self._watched(self._disk.submit(self._history.add, text, images))
        self._surface.prompt.remember(self.earlier)

    def edited(self) -> None:
        """Save the unsent text, in a moment."""
        if self._saving is None:
            # Seconds from a change to the writing of the draft: sooner would write at every key.
            self._saving = self._surface.after(0.1, self._save_later)

    def _save_later(self) -> None:
        self.save()  # a surface may await what a callback returns, and would fail with the writing

    def send(self, text: str, images: Images = ()) -> tuple[str, asyncio.Future[None]]:
        """Give the session a prompt; return its id, and a future that is done when it is on disk.

        The agent does not get it before.
        """
        kept: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        name = self._surface.session.send(text, kept, images)
        written = self.keep(Sent(name, text, self._surface.session.agent.record_id))

        def settle(_written: asyncio.Future[None]) -> None:
            if not kept.done():
                kept.set_result(None)

        written.add_done_callback(settle)
        return name, kept

    def keep(self, sent: Sent) -> asyncio.Future[None]:
        """Write down a prompt that leaves the field, until Claude has read it.

        The future is done when it is on disk, or cannot be.
        """
        self.sent[sent.id] = sent
        return self.save()

    def mark_read(self, names: Iterable[str]) -> None:
        """Write down that prompts were read, or are in the field again."""
        for name in names:
            self.sent.pop(name, None)
        self.save()

    @property
    def first_words(self) -> str:
        """The first words that were sent, which name a session that waits."""
        return next((name for one in self.sent.values() if (name := title_of(one.text))), "")

    # -- the draft ------------------------------------------------------------------------------------------

    @property
    def _draft(self) -> PromptDraft:
        field = self._surface.prompt
        draft, sent = field.kept, tuple(self.sent.values())
        images = dict(draft.images)
        for one in sent:
            images |= field.images_in(one.text)
        return replace(draft, sent=sent, images=images)

    @property
    def _kept_for(self) -> str:
        return (self._surface.session.record_id if self._begun else "") or self._directory

    def save(self) -> asyncio.Future[None]:
        """Write the field and the sent prompts as they are, without waiting.

        A draft that is still being read is written with them, in a moment.
        """
        if self._saving is not None:
            self._saving.cancel()
            self._saving = None
        if self._reading:
            return self._reading[-1]
        kept_for, draft = kept = self._kept_for, self._draft
        if self._kept is None or self._kept[0] != kept:
            self._released = None
            self._kept = kept, self._written(lambda store: store.prompts.save(self._name, kept_for, draft))
        return self._kept[1]

    def _read(self, kept_for: str) -> None:
        """Bring back the draft of a session or directory."""
        # What was typed into a session that never began is the directory's.
        names = (kept_for,) if self._read_for or self.sent else (kept_for, self._directory)
        self._read_for.add(kept_for)
        self._reading.append(asyncio.get_running_loop().create_future())
        self._kept = self._released = None
        # Read at once: later saves are behind it in the thread's queue, and not read back.
        stored = self._inbox.submit(lambda store: store.prompts.take(self._name, *names))
        self._surface.start(partial(self._bring_back, stored), "draft")

    async def _bring_back(self, stored: Future[PromptDraft | None]) -> None:
        field = self._surface.prompt
        draft = await self._result(stored)
        if draft:
            draft = field.adopt(draft)
        left = tuple(one for one in (draft.sent if draft else ()) if one.id not in self.sent)
        self.sent = {one.id: one for one in left} | self.sent
        if draft and draft.text.strip() and self._surface.live:
            typed = field.draft
            text = f"{unfolded(draft.text, draft.pastes)}\n{typed.text}"
            whole = PromptDraft(text, typed.pastes, images={**draft.images, **typed.images})
            field.restore(whole if typed.text.strip() else replace(draft, sent=()))
        done, written = self._reading.pop(0), self.save()
        written.add_done_callback(lambda _: done.set_result(None))
        if left:
            await self._offer_again(left)

    async def _offer_again(self, left: Sequence[Sent]) -> None:
        """Put prompts that an earlier process sent back into the field, except those that a turn has read."""
        agent = self._surface.session.agent
        read = await agent.taken({one.id: one.session or agent.record_id for one in left})
        returned = [one for one in left if one.id not in read]
        if not self._surface.live:
            return  # all of it is still on disk
        for one in returned:
            self._surface.prompt.put_back(one.text)
        self.mark_read(one.id for one in left)
        if returned:
            this, it = ("this prompt", "it") if len(returned) == 1 else ("these prompts", "them")
            self._surface.note(f"ccq-tui ended before Claude read {this} · Enter sends {it}", "warning")

    def _load_earlier(self) -> tuple[PromptDraft, ...]:
        """Read the earlier prompts with those of their images that are still there."""
        texts, images = self._history.load(), self._history.images
        there = {
            text: {name: image for name, image in found.items() if self.images.has(image)}
            for text, found in images.items()
        }
        return tuple(PromptDraft(text, images=there.get(text, {})) for text in texts)

    async def _load_history(self) -> None:
        field = self._surface.prompt
        if loaded := await self._result(self._disk.submit(self._load_earlier)):
            self.earlier = tuple(dict.fromkeys((*self.earlier, *(field.adopt(one).text for one in loaded))))
            field.remember(self.earlier)

    # -- the threads ----------------------------------------------------------------------------------------

    def _inbox_changed(self, change: InboxChange) -> None:
        if isinstance(change, InboxRenewed):
            self._kept = None  # it was refused, or is in a file that is gone
            self.save()

    async def _result(self, future: Future[T]) -> T | None:
        try:
            return await asyncio.wrap_future(future)
        except (OSError, InboxError) as error:
            self._not_kept(error)
            return None

    def _written(self, work: Callable[[Store], None]) -> asyncio.Future[None]:
        return self._watched(self._inbox.submit(work))

    def _watched(self, work: Future[None]) -> asyncio.Future[None]:
        future = asyncio.wrap_future(work)
        future.add_done_callback(self._done)
        return future

    def _done(self, future: asyncio.Future[None]) -> None:
        error = None if future.cancelled() else future.exception()
        if isinstance(error, (OSError, InboxError)):
            self._not_kept(error)
        elif error is not None:
            _logger.error("The prompt could not be saved", exc_info=error)

    def _not_kept(self, error: OSError | InboxError) -> None:
        """Report once that something is not kept; each key would report it again."""
        _logger.warning("History or draft: %s", error)
        if not self._failure_reported and self._surface.live:
            self._failure_reported = True
            reason = getattr(error, "strerror", "") or str(error)
            self._surface.note(
                f"Prompts cannot be saved for the next start: {reason} · {state_dir()}", "warning"
            )

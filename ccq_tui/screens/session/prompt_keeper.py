"""Typed prompts on disk: the earlier ones, the unsent one, and those that Claude has not read."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TypeVar
from uuid import uuid4

from ccq_tui.agent.events import (
    Connected,
    ConversationReset,
    PromptDelivered,
    PromptRecorded,
    SessionLost,
    SessionState,
    StateChanged,
)
from ccq_tui.agent.session_recorder import SessionName, title_of
from ccq_tui.config.paths import state_dir
from ccq_tui.inbox.durable import DurableInbox
from ccq_tui.inbox.port import InboxChange, InboxRenewed
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.verdicts import InboxError
from ccq_tui.prompts.history import PromptHistory
from ccq_tui.prompts.image_store import ImageStore
from ccq_tui.prompts.images import PromptImage
from ccq_tui.prompts.pastes import unfolded
from ccq_tui.prompts.unread import PromptDraft, Sent, Unbegun, directory_key
from ccq_tui.runtime.events import SessionEvent
from ccq_tui.screens.session.ui import SessionUi

_logger = logging.getLogger(__name__)

UNREAD = "ccq-tui ended before Claude read this prompt · Enter sends it"
UNREAD_MANY = "ccq-tui ended before Claude read these prompts · Enter sends them"
SAVE_AFTER = 0.1
"""Seconds from a change to the writing of the draft: sooner would write at every key."""

T = TypeVar("T")


class PromptKeeper:
    """Keeps the prompts that Claude has not read in the inbox's database, and the history in its file.

    The draft of a new session is kept for its directory, and the next new session there takes it over. Once a
    prompt was sent, or the session has to wait for a process, the draft is the session's own, kept under its
    id, with what it takes to begin the session until Claude has read the first prompt.

    Field and sent prompts are one draft, written whole: a prompt that is sent or comes back is in one of the
    two at every moment. It stays there until Claude has read it and has written that down.
    """

    def __init__(self, ui: SessionUi, inbox: DurableInbox) -> None:
        self._ui = ui
        launch = ui.launch
        state = launch.program.state or state_dir()
        self.earlier: tuple[str, ...] = ()
        """The earlier prompts, the newest first."""
        self._history = PromptHistory(state / "history.jsonl", ui.view.cwd)
        self.images = ImageStore(state / "images")
        """The images of prompts."""
        self._disk = ThreadPoolExecutor(max_workers=1, thread_name_prefix="prompts")
        self._prompted = bool(launch.prompt)
        self._inbox = inbox
        self._name = str(uuid4())
        self._draft_key = ""
        self.sent: dict[str, Sent] = {}
        self._loading: list[Future[None]] = []
        self._begun = bool(launch.resume and not launch.fork) or launch.continue_last
        # A session that came back waits as it did.
        self._waits = bool(launch.session_id)
        self._opened_at = time.time()
        self._choices: dict[str, str | None] = {}
        self._unsaved_draft = PromptDraft()
        self._saved_draft: PromptDraft | None = PromptDraft()
        self._saving_draft: asyncio.TimerHandle | None = None
        self._told_failure = False
        self._unsubscribe = inbox.subscribe(self._inbox_changed)

    def _inbox_changed(self, change: InboxChange) -> None:
        if isinstance(change, InboxRenewed) and (self.sent or self._unsaved_draft):
            self._write_draft()  # what was refused, or is in a file that is gone

    @property
    def _directory_key(self) -> str:
        return directory_key(self._ui.view.cwd)

    def load(self) -> None:
        if self._ui.launch.prompt:
            self._add_to_history(self._ui.launch.prompt.rstrip())
            self._ui.dock.prompt.remember(self.earlier)
        self._ui.start(self._load_history, "history")

    def begin(self) -> None:
        """Read the draft of this directory or session, before anything is sent."""
        if self._ui.launch.session_id:
            self._begin_draft(self._ui.launch.session_id)
        elif not self._ui.launch.continue_last and not self._ui.launch.fork:
            self._begin_draft(self._ui.launch.resume or self._directory_key)

    def close(self) -> None:
        """Write what is not written yet; then the thread ends."""
        if self._loading:
            # The draft on disk was not loaded, and nobody will load it.
            key, draft = self._draft_key, self._unsaved_draft
            self._written(lambda store: store.prompts.leave(key, draft, self._name))
        self._release()
        self._unsubscribe()
        self._disk.shutdown(wait=False)

    def remember(self, text: str, images: Mapping[str, PromptImage]) -> None:
        """Keep a text that leaves the field unsent, and its images, with the earlier prompts."""
        self._add_to_history(text.rstrip(), images)
        self._ui.dock.prompt.remember(self.earlier)

    async def release(self) -> None:
        """Write the draft, and leave it to the session that comes next."""
        with suppress(InboxError):
            await asyncio.wrap_future(self._release())

    def _release(self) -> Future[None]:
        self.save()
        return self._written(lambda store: store.prompts.release(self._name))

    def take(self, event: SessionEvent) -> None:
        """Learn under which id the session can be resumed, and when it begins."""
        match event:
            case Connected(session_id=session_id):
                new = not (self._ui.launch.resume or self._ui.launch.continue_last)
                if session_id and session_id != self._draft_key and not (new and not self._prompted):
                    self._begin_draft(session_id)
            case ConversationReset(session_id=session_id):
                self._move_draft(session_id)
            case SessionLost() if not self._draft_key:
                self._begin_draft(self._directory_key)
            case StateChanged(SessionState.QUEUED) if not self._begun:
                self._be_called()
                self._be_itself()
            case PromptDelivered():
                self._begun = True
            case PromptRecorded(prompt_id=name) if name in self.sent:
                self.settle([name])
            case _:
                pass

    def _add_to_history(self, text: str, images: Mapping[str, PromptImage] | None = None) -> None:
        self.earlier = (text, *(other for other in self.earlier if other != text))
        added = self._disk.submit(self._history.add, text, images)
        added.add_done_callback(self._done(asyncio.get_running_loop()))

    def keep(self, sent: Sent) -> Future[None]:
        """Write down a prompt that leaves the field, until Claude has read it.

        The future is done when it is on disk, or cannot be.
        """
        self.sent[sent.id] = sent
        self._waits = True
        self._be_called()
        self._unsaved_draft = self._draft_of(self._ui.dock.prompt.kept)
        written = self._write_draft()
        self._be_itself()
        return written

    def settle(self, names: Iterable[str]) -> None:
        """Write down that prompts were read, or are in the field again."""
        for name in names:
            self.sent.pop(name, None)
        self._write_draft()

    def chose(self, setting: str, value: str | None) -> None:
        """Keep a setting chosen before the session begins, for a later process that begins it, too."""
        self._choices[setting] = value
        if self._waits and not self._begun:
            self._write_draft()

    async def take_over(self, other: Unbegun) -> bool:
        """Take over a session that has not begun and differs from this one only in its prompts.

        Returns whether its prompts come into the field; if not, one of the two has something of its own.
        """
        while self._loading:
            await asyncio.wrap_future(self._loading[-1])
        here, field = self._unbegun(waits=True), self._ui.dock.prompt.kept
        if here is None or self._prompted or field or self._draft_of(field) or self._ui.launch.worktree:
            return False
        same = replace(here, id=other.id, opened_in=other.opened_in, opened_at=other.opened_at)
        if replace(same, title=other.title) != other:
            return False
        self._waits = True
        self._begin_draft(other.id)
        return True

    @property
    def waits_to_begin(self) -> bool:
        """Whether a session that has not begun has sent or typed text, which comes back with it."""
        draft = self._draft_of(self._unsaved_draft)
        return bool(draft.session and draft)

    def submitted(self, text: str, images: Mapping[str, PromptImage]) -> None:
        """Remember a prompt that leaves the field, and its images."""
        self._add_to_history(text.rstrip(), images)
        self.save()
        self._prompted = True
        if self._ui.view.session_id:
            self._move_draft(self._ui.view.session_id)

    def edited(self, field: PromptDraft) -> None:
        """Save the unsent text, in a moment."""
        self._unsaved_draft = self._draft_of(field)
        if self._saving_draft is None:
            self._saving_draft = self._ui.after(SAVE_AFTER, self.save)

    # -- drafts -------------------------------------------------------------------------------------------

    def _draft_of(self, field: PromptDraft) -> PromptDraft:
        sent = tuple(self.sent.values())
        images = dict(field.images)
        for one in sent:
            images |= self._ui.dock.prompt.images_in(one.text)
        return replace(field, sent=sent, session=self._unbegun(waits=self._waits), images=images)

    def _unbegun(self, *, waits: bool) -> Unbegun | None:
        """Return what a later process needs to begin the session, or None if it must not."""
        name, launch = self._ui.session.agent.record_id, self._ui.launch
        if self._begun or not waits or not name:
            return None
        settings = launch.settings
        chosen = {"model": settings.model, "mode": settings.permission_mode, "effort": settings.effort}
        return Unbegun(
            id=name,
            directory=str(settings.directory),
            opened_in=str(launch.program.home or settings.directory),
            opened_at=self._opened_at,
            title=self._ui.view.title or self._first_words(),
            original=launch.resume,
            **chosen | self._choices,
        )

    def _first_words(self) -> str:
        return next((name for one in self.sent.values() if (name := title_of(one.text))), "")

    def _be_called(self) -> None:
        """Name a session that waits for a process after its first prompt, to tell it from others."""
        if self._ui.view.state is SessionState.QUEUED and not self._ui.view.title:
            self._ui.view = replace(self._ui.view, called=SessionName(first=self._first_words()))

    def _be_itself(self) -> None:
        """Keep the draft under the session's own id from now on, no longer for its directory."""
        self._waits = True
        if self._draft_key == self._directory_key and not self._loading and self._ui.session.agent.record_id:
            self._move_draft(self._ui.session.agent.record_id)

    def save(self) -> None:
        """Write what was typed so far, without waiting."""
        if self._saving_draft is not None:
            self._saving_draft.cancel()
            self._saving_draft = None
        if self._draft_key and not self._loading and self._unsaved_draft != self._saved_draft:
            self._saved_draft = self._unsaved_draft
            self._save(self._draft_key)

    def _save(self, key: str) -> Future[None]:
        draft = self._unsaved_draft
        return self._written(lambda store: store.prompts.save(self._name, key, draft))

    def _write_draft(self) -> Future[None]:
        """Write the field and the sent prompts as they are; for the directory while the session has no id.

        A draft that is still being read is written with them, in a moment.
        """
        if self._loading:
            return self._loading[-1]
        self._unsaved_draft = self._saved_draft = self._draft_of(self._ui.dock.prompt.kept)
        return self._save(self._draft_key or self._directory_key)

    def _move_draft(self, key: str) -> None:
        """Keep the draft under another key from now on."""
        old, self._draft_key = self._draft_key or self._directory_key, key
        if old != key:
            self._saved_draft = None
            self.save()

    def _begin_draft(self, key: str) -> None:
        """Bring back the draft of a session or directory, and keep it there from now on."""
        # In a session that was never begun, the directory's own was typed.
        names = (key,) if self._draft_key or self.sent else (key, self._directory_key)
        self._draft_key = key
        self._loading.append(Future())
        # Load at once: later saves are behind it in the thread's queue, and not read back.
        stored = self._inbox.submit(lambda store: store.prompts.take(self._name, *names))
        self._ui.start(partial(self._bring_back, stored), "draft")

    async def _bring_back(self, stored: Future[PromptDraft | None]) -> None:
        draft = await self._result(stored)
        if draft:
            draft = self._ui.dock.prompt.adopt(draft)
        left = tuple(one for one in (draft.sent if draft else ()) if one.id not in self.sent)
        self.sent = {one.id: one for one in left} | self.sent
        if draft and draft.text.strip() and self._ui.live:
            prompt = self._ui.dock.prompt
            typed = prompt.draft
            text = f"{unfolded(draft.text, draft.pastes)}\n{typed.text}"
            whole = PromptDraft(text, typed.pastes, images={**draft.images, **typed.images})
            prompt.restore(whole if typed.text.strip() else replace(draft, sent=()))
        done, written = self._loading.pop(0), self._write_draft()
        written.add_done_callback(lambda _: done.set_result(None))
        if self._waits and not self._begun:
            self._be_itself()
        if left:
            await self._offer_again(left)

    async def _offer_again(self, left: Sequence[Sent]) -> None:
        """Put prompts that an earlier process sent back into the field, except those that a turn has read."""
        sessions = {one.id: one.session or self._ui.session.agent.record_id for one in left}
        read = await self._ui.session.agent.taken(sessions)
        returned = [one for one in left if one.id not in read]
        if not self._ui.live:
            return  # all of it is still on disk
        for one in returned:
            self._ui.dock.prompt.put_back(one.text)
        self.settle(one.id for one in left)
        if returned:
            self._ui.note(UNREAD if len(returned) == 1 else UNREAD_MANY, "warning")

    def _load_earlier(self) -> tuple[PromptDraft, ...]:
        """Read the earlier prompts with those of their images that are still there."""
        texts, images = self._history.load(), self._history.images
        there = {
            text: {name: image for name, image in found.items() if self.images.has(image)}
            for text, found in images.items()
        }
        return tuple(PromptDraft(text, images=there.get(text, {})) for text in texts)

    async def _load_history(self) -> None:
        loaded = await self._result(self._disk.submit(self._load_earlier))
        if loaded:
            earlier = [self._ui.dock.prompt.adopt(one).text for one in loaded]
            self.earlier = tuple(dict.fromkeys((*self.earlier, *earlier)))
            self._ui.dock.prompt.remember(self.earlier)

    # -- the threads --------------------------------------------------------------------------------------

    async def _result(self, future: Future[T]) -> T | None:
        try:
            return await asyncio.wrap_future(future)
        except (OSError, InboxError) as error:
            self._not_kept(error)
            return None

    def _written(self, work: Callable[[Store], None]) -> Future[None]:
        future = self._inbox.submit(work)
        future.add_done_callback(self._done(asyncio.get_running_loop()))
        return future

    def _done(self, loop: asyncio.AbstractEventLoop) -> Callable[[Future[None]], None]:
        def done(future: Future[None]) -> None:
            error = future.exception()
            if isinstance(error, (OSError, InboxError)) and not loop.is_closed():
                loop.call_soon_threadsafe(self._not_kept, error)
            elif error is not None:
                _logger.error("The prompt could not be saved", exc_info=error)

        return done

    def _not_kept(self, error: OSError | InboxError) -> None:
        """Report once that something is not kept; each key would report it again."""
        _logger.warning("History or draft: %s", error)
        if not self._told_failure and self._ui.live:
            self._told_failure = True
            reason = getattr(error, "strerror", "") or str(error)
            self._ui.note(f"Prompts cannot be saved for the next start: {reason} · {state_dir()}", "warning")

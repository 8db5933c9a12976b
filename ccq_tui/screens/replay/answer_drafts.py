"""Keeps what was selected and typed for the question that a recording ends with."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from ccq_tui.inbox import QuestionRequest
from ccq_tui.inbox.store.drafts import draft_to_json, with_draft
from ccq_tui.inbox.waiting_line import Draft
from ccq_tui.prompts.drafts import PromptDrafts
from ccq_tui.prompts.unread import PromptDraft as KeptText


class AnswerDrafts:
    """Reads and writes drafts of answers as files, one after the other in one thread.

    No session runs, so they are not in the inbox, which may not know the request.

    Args:
        directory: Where they are kept.
        failed: Called in the event loop when one could not be kept.
    """

    def __init__(self, directory: Path, failed: Callable[[OSError], None]) -> None:
        self._files = PromptDrafts(directory)
        self._failed = failed
        self._disk = ThreadPoolExecutor(max_workers=1, thread_name_prefix="answers")

    async def load(self, request: QuestionRequest) -> Draft | None:
        """Return the state in which a request opens with its draft, or None when none is kept."""
        kept = await asyncio.wrap_future(self._disk.submit(self._load, request))
        return with_draft(request, kept.text) if kept else None

    def _load(self, request: QuestionRequest) -> KeptText | None:
        """Read a draft; one of an earlier version has the name of its call alone."""
        return self._files.load(_key(request.id)) or self._files.load(_key(request.tool_use_id))

    def keep(self, request_id: str, draft: Draft | None) -> None:
        """Keep a draft, soon and without waiting; None takes it away."""
        text = KeptText(draft_to_json(draft)) if draft is not None else KeptText()
        loop = asyncio.get_running_loop()

        def done(future: Future[None]) -> None:
            error = future.exception()
            if isinstance(error, OSError) and not loop.is_closed():
                loop.call_soon_threadsafe(self._failed, error)

        self._disk.submit(self._files.save, _key(request_id), text).add_done_callback(done)

    def close(self) -> None:
        """Write what is not written yet; the thread ends when it has."""
        self._disk.submit(self._files.close)
        self._disk.shutdown(wait=False)


def _key(request_id: str) -> str:
    return f"answer to {request_id}"

"""Logs that work beside the keys failed, and says so: Textual itself would tell nobody."""

from __future__ import annotations

import logging

from textual.message import Message
from textual.worker import Worker, WorkerState

_logger = logging.getLogger(__name__)


class WorkFailed(Message):
    """Work of a screen over a session failed; the session under it, if there is one, says so.

    Args:
        words: What to say.
    """

    def __init__(self, words: str) -> None:
        super().__init__()
        self.words = words


def failure(event: Worker.StateChanged) -> str:
    """Log that work failed.

    Args:
        event: What became of the work.

    Returns:
        What to say to a person, or "" where nothing failed.
    """
    if event.state is not WorkerState.ERROR:
        return ""
    _logger.error("worker %s failed", event.worker.name, exc_info=event.worker.error)
    return f"Something went wrong in ccq-tui ({event.worker.name}); the log has more."

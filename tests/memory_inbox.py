"""An inbox in a file of its own, for tests of its users; it ends with the test."""

import shutil
import tempfile
from pathlib import Path

from ccq_tui.inbox.inbox import Inbox

_OPEN: "list[MemoryInbox]" = []


class MemoryInbox(Inbox):
    """An inbox that nobody has to open or close."""

    def __init__(self) -> None:
        self._place = Path(tempfile.mkdtemp(prefix="ccq-inbox-"))
        super().__init__(self._place / "inbox.db")
        self._worker.start()
        _OPEN.append(self)

    def end(self) -> None:
        """Stop its thread, and remove its file."""
        self._worker.stop(5.0)
        shutil.rmtree(self._place, ignore_errors=True)


def end_inboxes() -> None:
    """End those that the last test has left: each holds a thread and four open files."""
    while _OPEN:
        _OPEN.pop().end()

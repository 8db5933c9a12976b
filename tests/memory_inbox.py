"""An inbox in a file of its own, gone with it: for tests of its users."""

import shutil
import tempfile
import weakref
from pathlib import Path

from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.store.worker import Worker


class MemoryInbox(Inbox):
    """An inbox that nobody has to open or close."""

    def __init__(self) -> None:
        place = Path(tempfile.mkdtemp(prefix="ccq-inbox-"))
        super().__init__(place / "inbox.db")
        self._worker.start()
        weakref.finalize(self, _end, self._worker, place)


def _end(worker: Worker, place: Path) -> None:
    worker.stop(5.0)
    shutil.rmtree(place, ignore_errors=True)

"""The program with a watch on its event loop: ``python bench/stalls.py FILE`` and its own arguments.

While the loop is stalled, no key is handled and nothing is drawn. Each stall is one line of JSON: ``at``, the
seconds since the first paint; ``ms``, its length; ``cpu``, the processor time of the loop in it, in ms; and
``where``, the innermost calls seen most often during it.
"""

import asyncio
import json
import queue
import sys
import threading
import time
import traceback
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import Any

BEAT = 0.005
"""Seconds between two beats: the precision of a stall's length."""
NOTED = 0.010
"""Shortest stall that is noted, in seconds."""
MOST = 10_000
"""Most stalls that are noted."""
CALLS = 8
"""Number of innermost calls that are named."""


class StallWatch:
    """Watches the event loop that runs in this thread."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("w", encoding="utf-8", buffering=1)
        self._loop = asyncio.get_running_loop()
        self._watched = threading.get_ident()
        self._began = self._beaten = time.monotonic()
        self._worked = time.thread_time()
        self._seen: Counter[tuple[str, ...]] = Counter()
        self._stalls: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self._timer = self._loop.call_later(BEAT, self._beat)
        # A separate thread can see where the loop is stuck, and its writing to a file cannot stall the loop.
        self._thread = threading.Thread(target=self._look, name="stalls", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop watching, and close the file."""
        self._timer.cancel()
        self._stalls.put(None)
        self._thread.join(timeout=1.0)

    def _beat(self) -> None:
        now, worked = time.monotonic(), time.thread_time()
        late = now - self._beaten - BEAT
        if late >= NOTED:
            at, spent = round(now - self._began - late, 3), worked - self._worked
            where = next((calls for calls, _times in self._seen.copy().most_common(1)), ())
            self._stalls.put({"at": at, "ms": _ms(late), "cpu": _ms(spent), "where": where})
        self._beaten, self._worked, self._seen = now, worked, Counter()
        self._timer = self._loop.call_later(BEAT, self._beat)

    def _look(self) -> None:
        left = MOST
        with self._file:
            while left:
                try:
                    stall = self._stalls.get(timeout=NOTED)
                except queue.Empty:
                    if time.monotonic() - self._beaten > BEAT + NOTED:
                        self._seen[self._calls()] += 1
                    continue
                if stall is None:
                    return
                self._file.write(json.dumps(stall) + "\n")
                left -= 1

    def _calls(self) -> tuple[str, ...]:
        walked = islice(traceback.walk_stack(sys._current_frames().get(self._watched)), CALLS)
        return tuple(f"{frame.f_code.co_filename}:{line} {frame.f_code.co_name}" for frame, line in walked)


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 1)


def main() -> None:
    """Start the program, and watch its loop from the first paint on."""
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from ccq_tui import app
    from ccq_tui.cli.main import main as start

    file = Path(sys.argv.pop(1))

    class Watched(app.CcqApp):
        """The program, which is watched."""

        def _begun(self) -> None:
            super()._begun()
            self._watch = StallWatch(file)

        def end_threads(self) -> None:
            """End the watch, too."""
            self._watch.stop()
            super().end_threads()

    app.CcqApp = Watched  # type: ignore[misc]
    start()


if __name__ == "__main__":
    main()

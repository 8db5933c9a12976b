"""A wrapped program in a pseudo-terminal, and the inbox in which it asks."""

import os
import time
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from ccq_tui.config.paths import inbox_path
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.requests import QuestionRequest
from ccq_tui.inbox.store.rows import RequestState, StoredRequest
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.verdicts import Accepted
from ccq_tui.questions import Answer, Answered
from tests.e2e.conftest import program
from tests.e2e.terminal import LIMIT, NotShownError, Terminal
from tests.processes import with_variable

BY_COMMAND = Actor(Surface.COMMAND, "ccq-tui answer")


class Wrapped(Terminal):
    """Runs ``ccq-tui wrap``.

    Args:
        command: What is wrapped.
        cwd: Its directory.
        options: Flags of ``wrap``.
    """

    def __init__(self, command: list[str], cwd: Path, options: tuple[str, ...] = ()) -> None:
        inbox_path().parent.mkdir(parents=True, exist_ok=True)
        super().__init__([program(), "wrap", *options, "--", *command], os.environ, cwd)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        super().__exit__(kind, error, trace)
        self.store.close()

    @cached_property
    def store(self) -> Store:
        """The inbox."""
        return Store(inbox_path())

    def until(self, test: Callable[[], Any], what: str, limit: float = LIMIT) -> Any:
        """Wait until something is so in the inbox; return what the test returns."""
        end = time.monotonic() + limit
        while not (found := test()):
            if time.monotonic() > end:
                raise NotShownError(f"{what} did not come within {limit} s; the screen:\n{self.text}")
            time.sleep(0.02)  # nothing tells: the file is another process's
        return found

    def asked(self, text: str) -> StoredRequest:
        """Wait until a prompt waits in the inbox."""

        def waiting() -> StoredRequest | None:
            return next((one for one in self.store.requests.waiting() if text == _question(one)), None)

        return self.until(waiting, f"a request “{text}”")  # type: ignore[no-any-return]

    def answer(self, text: str, *selected: str, other: str = "") -> StoredRequest:
        """Answer a prompt once it is asked, and wait until its program has the answer."""
        stored = self.asked(text)
        outcome = Answered((Answer(selected=selected, other=other),))
        assert isinstance(self.store.requests.settle(stored.request.id, outcome, BY_COMMAND), Accepted)
        return self.state(stored, RequestState.DELIVERED)

    def state(self, stored: StoredRequest, state: RequestState) -> StoredRequest:
        """Wait until a request is in a state."""

        def reached() -> StoredRequest | None:
            found = self.store.requests.get(stored.request.id)
            return found if found is not None and found.state is state else None

        return self.until(reached, f"{_question(stored)} {state}")  # type: ignore[no-any-return]

    def processes(self) -> list[int]:
        """Return what runs in this test's home, found by the variable."""
        return [pid for pid in with_variable(f"HOME={os.environ['HOME']}\n") if pid != os.getpid()]


def _question(stored: StoredRequest) -> str:
    assert isinstance(stored.request, QuestionRequest)
    return stored.request.questions.questions[0].text

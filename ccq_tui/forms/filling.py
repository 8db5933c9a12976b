"""The way of a form: into the inbox, before a person, and into its record."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, cast
from uuid import uuid4

from ccq_tui.answering.interview import Interview
from ccq_tui.config.paths import expanded
from ccq_tui.forms.commits import REFLECTION, replacement
from ccq_tui.forms.output import STDOUT, write_record
from ccq_tui.forms.record import record_for
from ccq_tui.inbox.actors import Actor
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.kinds import check_outcome
from ccq_tui.inbox.open_request import MEMORY_NUMBERS, OpenRequest
from ccq_tui.inbox.port import Settled
from ccq_tui.inbox.requests import Asker, FormRequest, Origin, RequestOutcome
from ccq_tui.inbox.store.rows import RequestState, StoredRequest
from ccq_tui.inbox.verdicts import Accepted, InboxUnavailable, InvalidOutcome, Unknown, Verdict
from ccq_tui.processes import this_process
from ccq_tui.questions import Answer, Answered, QuestionSet
from ccq_tui.questions.model import Asked
from ccq_tui.questions.state import PanelState

_logger = logging.getLogger(__name__)

WARNED_SECONDS, LAST_SECONDS = 300.0, 60.0
"""Seconds before a form closes in which that is announced, and in which it is counted down."""
LEFT = "left at the terminal; its draft is kept"


class FormEnd(NamedTuple):
    """What became of a form.

    Attributes:
        stored: Its request, with the outcome; if nobody decided, its draft is kept, and offered next time.
        record: The record that was written if it was answered, or None.
        in_time: Whether it ended before its time was over.
        late: Whether the answers were confirmed in an earlier run, which ended before it had written them.
    """

    stored: StoredRequest
    record: Mapping[str, Any] | None
    in_time: bool
    late: bool


class Filling:
    """A form that waits for a person, and the time left for that.

    Args:
        opened: Its request.
        inactive: Seconds without a sign of a person until it closes, or None.
        clock: Seconds since any moment.
    """

    def __init__(
        self, opened: OpenRequest, inactive: float | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.opened = opened
        self._inactive, self._clock = inactive, clock
        self._touched = clock()
        self.input_at: Callable[[], float] = lambda: 0.0
        """Returns the time of the last input where it is shown, if that does not call `touch`."""

    @property
    def kept(self) -> str:
        """What becomes of its draft."""
        return cast("FormRequest", self.opened.request).questions.kept

    def touch(self) -> None:
        """Note that a person is there."""
        self._touched = self._clock()

    @property
    def seconds_left(self) -> float | None:
        """Seconds until it closes, or None if it waits without limit."""
        if self._inactive is None:
            return None
        return max(0.0, max(self._touched, self.input_at()) + self._inactive - self._clock())

    @property
    def countdown(self) -> str:
        """What to say of the time left once that is short, or ""."""
        left = self.seconds_left
        if left is None or left > WARNED_SECONDS:
            return ""
        rest = f"{round(left)} s" if left <= LAST_SECONDS else f"{round(left / 60)} min"
        return f"closes in {rest}"

    async def warn(self, say: Callable[[str], object]) -> None:
        """Announce, each time that the time gets short, that the form closes; without end."""
        while (left := self.seconds_left) is not None:
            if left <= LAST_SECONDS:
                say(f"This form {self.countdown}; {self.kept}.")
            # What was not heard of again by then is over.
            await asyncio.sleep(left - LAST_SECONDS if left > LAST_SECONDS else left + 1)

    async def outcome(self, show: "Callable[[Filling], Awaitable[object]]") -> bool:
        """Wait until the form is settled: answered anywhere, left where it is shown, or out of time.

        Args:
            show: Shows it until it is settled, or the person leaves it.

        Returns:
            Whether that was in time.
        """
        if not self.opened.is_pending:
            return True
        settled = asyncio.ensure_future(self.opened.outcome())
        showing = asyncio.ensure_future(show(self))
        unfollow = self.opened.changed.subscribe(lambda _: self.touch())
        in_time = True
        try:
            while not settled.done():
                await asyncio.wait(
                    {settled, showing}, timeout=self.seconds_left, return_when=asyncio.FIRST_COMPLETED
                )
                in_time = settled.done() or showing.done() or self.seconds_left != 0
                if not settled.done() and (showing.done() or not in_time):
                    self.opened.withdraw(LEFT if in_time else "nobody answered in time; its draft is kept")
                    await settled
            await showing
        except asyncio.CancelledError:
            self.opened.withdraw(LEFT)
            # Seconds in which what shows a form closes when the program ends.
            await asyncio.wait({showing}, timeout=5.0)
            raise
        finally:
            unfollow()
            settled.cancel()
            showing.cancel()
        return in_time


async def fill(
    inbox: Inbox | None,
    request: FormRequest,
    show: Callable[[Filling], Awaitable[object]],
    *,
    write: Callable[[Mapping[str, Any]], object] | None = None,
    inactive: float | None = None,
) -> FormEnd:
    """Ask a form, and write its record once it is answered.

    What an earlier run asked the same way is taken up: confirmed answers are recorded, a draft is shown.

    Args:
        inbox: The inbox that asks it, or None: it is asked where it is shown alone, and nothing is kept.
        request: The form, from `request_of`.
        show: Shows it to a person until it is settled, or that person leaves it.
        write: Writes the record, before it counts as written; by default to the output that is asked for.
        inactive: Seconds without a sign of a person until it closes, or None.

    Raises:
        InboxError: The inbox cannot be read.
        OutputError: The record cannot be written; the answers are kept for the next run.
    """
    late = False
    if inbox is None:
        opened = Unkept(request).opened
        in_time = await Filling(opened, inactive).outcome(show)
    else:
        claimed = await inbox.run(lambda store: store.requests.claim(request))
        late = claimed.outcome is not None
        async with inbox.asking(claimed.request) as opened:
            await opened.added()
            in_time = await Filling(opened, inactive).outcome(show)
    stored, record = opened.stored, None
    if isinstance(stored.outcome, Answered):
        record = await asyncio.to_thread(finished_record, stored)
        await asyncio.to_thread(write or partial(write_record, request.output), record)
    if inbox is not None:
        await _taken(inbox, stored.request.id)
    return FormEnd(stored, record, in_time, late)


def finished_record(stored: StoredRequest) -> Mapping[str, Any]:
    """Return the record of an answered form; a commit is looked up now, as it may have been amended."""
    record, directory = record_for(stored), Path(stored.request.origin.directory)
    is_commit = record["form"] == REFLECTION and "hash" in record["context"]
    return {**record, "context": replacement(directory, record["context"])} if is_commit else record


async def _taken(inbox: Inbox, request_id: str) -> None:
    """Note that the outcome is used: otherwise the next run that asks the same takes it for its own."""
    # Most times that a busy inbox is asked to note that an answer is recorded.
    for left in reversed(range(5)):
        try:
            await inbox.run(lambda store: store.requests.mark_delivered(request_id, "result"))
        except InboxUnavailable as error:  # many at once keep the database busy
            if not left:
                _logger.warning("A recorded answer is not noted as recorded: %s", error)
        else:
            break


def request_of(
    form: Asked, context: Mapping[str, str], output: str, directory: Path, name: str
) -> FormRequest:
    """Return the request that asks a form; the same for the same form, output, and context or commit.

    Args:
        form: The form.
        context: What it is about.
        output: The file that gets the record, "-" for standard output, or "" for none.
        directory: The working directory.
        name: The asker's name for people.
    """
    file = "" if output in (STDOUT, "") else str(directory / expanded(output))
    # A commit stays the same when it gets into another branch.
    is_commit = form.questions.id == REFLECTION and "hash" in context
    known = {"hash": context["hash"]} if is_commit else context
    about = (part for item in sorted(known.items()) for part in item)
    parts = (form.questions.id, file or str(directory), *about)
    key = sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    origin = Origin(Asker.FORM, name, str(directory), this_process())
    return FormRequest(
        f"form-{key}", key, form.questions, form.document, context, file or output, origin=origin
    )


def filled(questions: QuestionSet, given: Sequence[Answer | None]) -> PanelState:
    """Return a form with answers that nobody is asked for; what is only proposed is none."""
    return Interview.of(questions).given([one or Answer() for one in given]).state


class Unkept:
    """The keeper of one form, which writes nothing; ``opened`` is asked and settled as any other."""

    def __init__(self, form: FormRequest) -> None:
        form = replace(form, tool_use_id=str(uuid4()))  # records of others that ask the same are others
        stored = StoredRequest(MEMORY_NUMBERS, form, "", RequestState.PENDING, datetime.now(UTC))
        self.opened = OpenRequest(self, stored)

    def settle(self, _: str, outcome: RequestOutcome, actor: Actor) -> asyncio.Future[Verdict]:
        """Settle the form."""
        verdict: asyncio.Future[Verdict] = asyncio.get_running_loop().create_future()
        try:
            check_outcome(self.opened.request, outcome)
        except InvalidOutcome as error:
            verdict.set_exception(error)
            return verdict
        verdict.set_result(Accepted() if self.opened.is_pending else Unknown())
        if self.opened.is_pending:
            change = Settled(self.opened.request, outcome, actor)
            self.opened.end(change)
            self.opened.changed.emit(change)
            self.opened.resolve()
        return verdict

    def _nothing(self, *_: Any, **__: Any) -> Any:
        """Write nothing."""

    owes_draft = save_soon = forget_draft = report = _nothing

"""A form that asks for a secret: it waits in memory alone, and no other process has it."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Any

from ccq_tui.inbox.actors import Actor
from ccq_tui.inbox.kinds import check_outcome
from ccq_tui.inbox.open_request import MEMORY_NUMBERS, OpenRequest
from ccq_tui.inbox.port import Settled
from ccq_tui.inbox.requests import FormRequest, RequestOutcome
from ccq_tui.inbox.store.rows import RequestState, StoredRequest
from ccq_tui.inbox.verdicts import InvalidOutcome, Unknown, Verdict, Won


class Unkept:
    """The keeper of one form, which writes nothing; ``opened`` is asked and settled as any other."""

    def __init__(self, form: FormRequest) -> None:
        stored = StoredRequest(MEMORY_NUMBERS, form, "", RequestState.PENDING, datetime.now(UTC))
        self.opened = OpenRequest(self, stored)

    def answer(self, _: str, outcome: RequestOutcome, actor: Actor) -> asyncio.Future[Verdict]:
        """Settle the form."""
        verdict: asyncio.Future[Verdict] = asyncio.get_running_loop().create_future()
        try:
            check_outcome(self.opened.request, outcome)
        except InvalidOutcome as error:
            verdict.set_exception(error)
            return verdict
        verdict.set_result(Won() if self.opened.is_pending else Unknown())
        if self.opened.is_pending:
            change = Settled(self.opened.request, outcome, actor)
            self.opened.end(change)
            self.opened.changed.emit(change)
            self.opened.resolve()
        return verdict

    def _nothing(self, *_: Any, **__: Any) -> Any:
        """Write nothing."""

    owes_draft = save_soon = forget_draft = report = _nothing

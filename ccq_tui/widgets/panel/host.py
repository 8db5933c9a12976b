"""Where a panel stands: what the dock, the inbox and a form do for it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.elicitations import link_to_open
from ccq_tui.inbox.kinds import outcome_of
from ccq_tui.inbox.open_request import OpenRequest
from ccq_tui.inbox.requests import RequestOutcome
from ccq_tui.inbox.verdicts import AlreadySettled, InboxError, Verdict, Won
from ccq_tui.questions import Dismissed, Outcome
from ccq_tui.widgets.keys import Typed
from ccq_tui.widgets.panel.drafts import draft_words


@dataclass(kw_only=True)
class PanelHost:
    """What one surface does for its panel, and the way of an answer from there.

    Attributes:
        surface: The surface, as the actor of each answer.
        say: Shows a text for some seconds; the second one is the request that it is about, or "".
        run: Runs work that an answer needs, also if the surface is left meanwhile.
        edit: Edits a text in the person's editor; the function takes what was saved.
        leave: Closes the panel of a request that is being settled.
        ended: Goes on after an answer that is kept, or could not be.
        folded: Shows that the panel was folded away or unfolded.
        open_link: Opens a link that the person agreed to; None where no request has one.
        keep: Keeps the draft of a closed request for copying; returns what to say of it.
        type_late: Takes what was typed, but not meant for the panel.
        typed: Notes that a person did something with a request.
        prompt: The `Prompt` under the panel, or None.
        unseen_above: Returns the lines of a plan above never on the screen, and whether there are more.
        session: The session's name, or "".
        directory: Its working directory, or "".
        hides: What Esc does to the panel.
    """

    surface: Surface
    say: Callable[[str, str], object]
    run: Callable[[Callable[[], Coroutine[Any, Any, None]]], object]
    edit: Callable[[str, Callable[[str], None]], object]
    leave: Callable[[OpenRequest, RequestOutcome], object]
    ended: Callable[[OpenRequest, RequestOutcome, InboxError | None], Awaitable[None]]
    folded: Callable[[], object]
    open_link: Callable[[str], Coroutine[Any, Any, None]] | None = None
    keep: Callable[[str], str] = lambda _: ""
    type_late: Callable[[Sequence[Typed]], object] = lambda _: None
    typed: Callable[[OpenRequest], object] = lambda _: None
    prompt: Any = None
    unseen_above: Callable[[], tuple[int, bool]] = lambda: (0, False)
    session: str = ""
    directory: str = ""
    hides: str = "back"

    def settle(self, opened: OpenRequest, end: Outcome | Dismissed) -> None:
        """Settle a request by the end of its question set, close its panel, and see the answer through."""
        outcome = outcome_of(opened.request, end, opened.shown.edited)
        # The answer goes first: drawing the screen takes longer than all that is between it and the agent.
        verdict = opened.settle(outcome, Actor.here(self.surface))
        self.leave(opened, outcome)
        self.run(partial(self._see_through, opened, outcome, verdict))
        if (url := link_to_open(opened.request, outcome)) and self.open_link is not None:
            self.run(partial(self.open_link, url))

    async def _see_through(
        self, opened: OpenRequest, outcome: RequestOutcome, settling: asyncio.Future[Verdict]
    ) -> None:
        try:
            verdict = await asyncio.shield(settling)
        except InboxError as error:
            await self.ended(opened, outcome, error)
            return
        if isinstance(verdict, Won):
            await self.ended(opened, outcome, None)
            return
        lost = verdict.words if isinstance(verdict, AlreadySettled) else "The request no longer exists"
        self.say(lost + self.keep(draft_words(opened.shown)), "")

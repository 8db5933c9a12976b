"""The host of a panel: shows an open request in it, keeps its draft, settles it, and loses nothing typed."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

from ccq_tui.config.keymap import with_keys
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.decision import DecisionState
from ccq_tui.inbox.draft import Draft
from ccq_tui.inbox.elicitations import link_to_open
from ccq_tui.inbox.open_request import OpenRequest
from ccq_tui.inbox.port import DraftUpdated, RequestChange
from ccq_tui.inbox.requests import RequestOutcome
from ccq_tui.inbox.verdicts import AlreadySettled, InboxError, Verdict, Won
from ccq_tui.questions.input_guard import InputGuard
from ccq_tui.questions.state import PanelState
from ccq_tui.widgets.decision import DecisionPanel
from ccq_tui.widgets.keys import Typed
from ccq_tui.widgets.panel.drafts import ClosedDrafts, draft_words
from ccq_tui.widgets.panel.request_panel import RequestPanel
from ccq_tui.widgets.question import QuestionPanel

DRAFT_KEPT = " · {copy_draft} copies your draft"
OWN_TEXT = "The newer draft is here · {copy_draft} copies yours"
Panel = QuestionPanel | DecisionPanel
PANELS: dict[type[Draft], type[Panel]] = {PanelState: QuestionPanel, DecisionState: DecisionPanel}
"""The panel of each kind of draft."""


class PanelPlace(Protocol):
    """The part of a screen where the panel stands."""

    def let_go(self, opened: OpenRequest) -> None:
        """Close the panel of a request that was settled in it."""

    def give_back(self, panel: Panel) -> None:
        """Take what was typed into the panel, but not meant for it."""

    def type_late(self, typed: list[Typed]) -> None:
        """Take what was typed when the panel asked nothing any more."""

    def folded(self) -> None:
        """Show that the panel was folded away or unfolded."""


class PanelHost(ABC):
    """Shows one open request at a time; each surface with a panel says what becomes of the rest.

    Args:
        surface: The surface, as the actor of each answer.
        place: The part of the screen where the panel stands.

    Attributes:
        panel: The panel that asks now, hidden or not, or None.
        opened: The request that it asks, or None.
        drafts: Drafts of requests that were closed, for copying.
    """

    def __init__(self, surface: Surface, place: PanelPlace) -> None:
        self.panel: Panel | None = None
        self.opened: OpenRequest | None = None
        self.drafts = ClosedDrafts()
        self.place = place
        self._surface = surface
        self._unfollow: Callable[[], None] = lambda: None

    # -- what a surface does --------------------------------------------------------------------------------

    @abstractmethod
    def say(self, text: str, of: str = "") -> None:
        """Show a text for some seconds; ``of`` is the request that it is about."""

    @abstractmethod
    def run(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Run work that an answer needs, also if the surface is left meanwhile."""

    @abstractmethod
    def edit(self, text: str, put: Callable[[str], None]) -> None:
        """Edit a text in the person's editor; ``put`` takes what was saved."""

    @abstractmethod
    async def open_link(self, url: str) -> None:
        """Open a link that the person agreed to."""

    @abstractmethod
    def refused(self, opened: OpenRequest, draft: Draft, error: InboxError) -> None:
        """Let a request wait again whose answer the inbox did not take."""

    async def won(self, opened: OpenRequest, draft: Draft, outcome: RequestOutcome) -> None:  # noqa: B027
        """Go on after an answer that is kept."""

    def gave(self, opened: OpenRequest, draft: Draft, outcome: RequestOutcome) -> None:  # noqa: B027 - as `typed`
        """Keep what was typed for a request that is being settled, and is not part of the outcome."""

    def typed(self, opened: OpenRequest) -> None:  # noqa: B027 - a surface may leave it out
        """Note that a person did something with a request."""

    def keep(self, draft: str) -> str:
        """Keep the draft of a closed request; return what to say of it."""
        return with_keys(DRAFT_KEPT) if self.drafts.keep(draft) else ""

    # -- one request after the other ------------------------------------------------------------------------

    def show(
        self, opened: OpenRequest, panel: Panel, *, at: tuple[int, int] = (1, 1), asked_for: bool = False
    ) -> None:
        """Ask a request in a panel that rests."""
        self.leave()
        self.opened, self.panel = opened, panel
        opened.show()
        panel.owner = self
        panel.begin(_as_opened(opened.shown), place=at, asked_for=asked_for)  # type: ignore[arg-type]  # chosen by its kind
        if opened.stale is not None:
            panel.freeze(opened.stale.words)
        self._unfollow = opened.changed.subscribe(self._follow)

    def leave(self) -> Panel | None:
        """Let the panel go, and return it; it stays as it is until it is removed or rests."""
        self._unfollow()
        panel, self.panel, self.opened = self.panel, None, None
        return panel

    def _follow(self, change: RequestChange) -> None:
        """Show what another process changed in the draft; its place sees to the rest."""
        if self.panel is None or not isinstance(change, DraftUpdated):
            return
        if change.stale:
            self.panel.freeze(change.words)
        else:
            self.panel.take_draft(change.draft)
        self.say(f"The draft was {change.words}", change.request.id)

    def refresh(self) -> bool:
        """Show what another surface of this process changed in the draft; return whether it did."""
        if self.panel is None or self.opened is None:
            return False
        shown = self.opened.shown
        changed = _as_opened(shown) != _as_opened(self.panel.state)
        if changed:
            self.panel.take_draft(shown)
        return changed

    # -- what the person does in the panel ------------------------------------------------------------------

    def changed(self, panel: RequestPanel[Any], draft: Draft) -> None:
        if panel is self.panel and self.opened is not None:
            self.opened.type(draft, Actor.here(self._surface))
            self.typed(self.opened)

    def settled(self, panel: RequestPanel[Any], outcome: RequestOutcome) -> None:
        if panel is self.panel and self.opened is not None:
            self.opened.draft = panel.state
            self.settle(self.opened, outcome)

    def folded(self, panel: RequestPanel[Any]) -> None:
        if panel is self.panel:
            self.place.folded()

    def returned(self, panel: RequestPanel[Any]) -> None:
        if self.panel is not None and panel is self.panel:
            self.changed(panel, panel.state)  # without the first letter of the words
            self.place.give_back(self.panel)

    def came_late(self, typed: Typed) -> None:
        self.place.type_late([typed])

    def wants_newer(self, panel: RequestPanel[Any]) -> None:
        opened = self.opened
        if panel is not self.panel or opened is None:
            return
        mine = opened.take_over() or panel.state
        if opened.draft is not None:
            panel.take_draft(opened.draft)
        if self.drafts.keep(draft_words(mine)):
            self.say(with_keys(OWN_TEXT), opened.request.id)

    def wants_editor(self, panel: RequestPanel[Any], text: str) -> None:
        self.edit(text, partial(self._put, panel, panel.turn))

    def _put(self, panel: RequestPanel[Any], turn: int, text: str) -> None:
        """Put a text from the editor into the panel that it came from."""
        if panel is self.panel and panel.turn == turn:
            panel.put_text(text)
        elif kept := self.keep(text):
            self.say(f"The request was closed before your answer{kept}")

    def settle(self, opened: OpenRequest, outcome: RequestOutcome) -> None:
        """Settle a request, close its panel, and see the answer through."""
        # The answer goes first: drawing the screen takes longer than all that is between it and the agent.
        verdict, draft = opened.settle(outcome, Actor.here(self._surface)), opened.shown
        self.place.let_go(opened)
        self.gave(opened, draft, outcome)
        self.run(partial(self._see_through, opened, draft, outcome, verdict))
        if url := link_to_open(opened.request, outcome):
            self.run(partial(self.open_link, url))

    async def _see_through(
        self, opened: OpenRequest, draft: Draft, outcome: RequestOutcome, settling: asyncio.Future[Verdict]
    ) -> None:
        try:
            verdict = await asyncio.shield(settling)
        except InboxError as error:
            self.refused(opened, draft, error)
            return
        match verdict:
            case Won():
                await self.won(opened, draft, outcome)
            case AlreadySettled():
                self.say(verdict.words + self.keep(draft_words(draft)))
            case _:
                self.say(f"The request no longer exists{self.keep(draft_words(draft))}")


def _as_opened(draft: Draft) -> Draft:
    """Return a draft without what belongs to the surface that it was typed on."""
    return replace(draft, hidden=False, guard=InputGuard(), outcome=None)

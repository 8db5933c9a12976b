"""Where a panel stands: what the dock, the inbox and a form do for it, and for drafts that were closed."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from ccq_tui.config.keymap import with_keys
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.draft import Draft
from ccq_tui.inbox.elicitations import link_to_open
from ccq_tui.inbox.kinds import outcome_of
from ccq_tui.inbox.open_request import OpenRequest
from ccq_tui.inbox.requests import Allowed, Denied, RequestOutcome
from ccq_tui.inbox.verdicts import Accepted, AlreadySettled, InboxError, Verdict
from ccq_tui.questions import Answered, Dismissed, Outcome
from ccq_tui.questions.moves import leave_text
from ccq_tui.questions.prose import draft_text, unselected_text
from ccq_tui.questions.state import Page
from ccq_tui.widgets.keys import Typed

KEPT = " · {copy_draft} copies your draft"
SEPARATOR = "\n\n———\n\n"


class ClosedDrafts:
    """Keeps drafts until they are copied and another one comes."""

    def __init__(self) -> None:
        self._drafts: list[str] = []
        self._copied = False

    def __len__(self) -> int:
        return len(self._drafts)

    def offer(self, text: str) -> str:
        """Keep a draft; return what to say of it, or "" where there is nothing to keep."""
        if not text.strip():
            return ""
        if self._copied:
            self._drafts, self._copied = [], False
        self._drafts.append(text)
        return with_keys(KEPT)

    def copy(self, put: Callable[[str], object]) -> str:
        """Put all drafts on the clipboard as one text, if there are any; return what to say."""
        self._copied, count = True, len(self)
        if count:
            put(SEPARATOR.join(self._drafts))
        return {0: "No draft to copy", 1: "Draft copied"}.get(count, f"{count} drafts copied")


class ClosedPages:
    """Keeps the pages of question sets that were closed, for when the same questions are asked again."""

    def __init__(self) -> None:
        self.pages: tuple[Page, ...] = ()
        """The pages, the newest last."""

    def add(self, draft: Draft) -> None:
        """Keep the draft of a set; skip other requests and untouched sets."""
        if draft.has_draft and not draft.page.question.acts:
            # An open text comes back as if the person had left it.
            self.pages = (*self.pages, *leave_text(draft).pages)[-40:]

    def forget(self, draft: Draft) -> None:
        """Forget the questions of a set that a person dealt with."""
        texts = {page.question.text for page in draft.pages}
        self.pages = tuple(page for page in self.pages if page.question.text not in texts)


def draft_words(draft: Draft) -> str:
    """Return a draft as text, or "" if it is empty."""
    if draft.page.question.acts:
        return "\n\n".join(part for part in (draft.page.draft.other, draft.edited) if part)
    return draft_text(draft) if draft.has_draft else ""


def beyond(draft: Draft, outcome: RequestOutcome) -> str:
    """Return a draft as text when its request was settled elsewhere, without answers equal to those given."""
    same = isinstance(outcome, Answered) and draft.answers == outcome.answers
    return unselected_text(draft) if same else draft_words(draft)


def left_over(draft: Draft, outcome: RequestOutcome) -> tuple[str, str, str]:
    """Return what a request's outcome does not carry of its draft, each "" where there is none.

    That is the text typed along with a decision that was then made without it, the plan that a person edited
    and then did not approve, and the part of a question set's draft that is not in its answers.
    """
    text, plan = draft.page.draft.other, draft.edited
    if not draft.page.question.acts:
        return "", plan, unselected_text(draft) if isinstance(outcome, Answered) else draft_words(draft)
    if not text.strip() or (isinstance(outcome, Allowed | Denied) and outcome.text):
        text = ""
    return text, "" if isinstance(outcome, Allowed) and outcome.plan else plan, ""


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
        alone: Whether what a set is about stands above its panel, which leaves that out.
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
    alone: bool = False

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
        if isinstance(verdict, Accepted):
            await self.ended(opened, outcome, None)
            return
        lost = verdict.words if isinstance(verdict, AlreadySettled) else "The request no longer exists"
        self.say(lost + self.keep(draft_words(opened.shown)), "")

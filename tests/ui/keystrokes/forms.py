"""The form of `ask`: it is answered, left and declined at a terminal that has no prompt."""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from ccq_tui.config.settings import Settings
from ccq_tui.forms.filling import Filling, request_of
from ccq_tui.inbox.port import Settled
from ccq_tui.inbox.requests import RequestOutcome
from ccq_tui.questions.state import PanelState
from ccq_tui.screens.form import FormApp
from ccq_tui.widgets.panel import RequestPanel
from tests.memory_inbox import MemoryInbox
from tests.ten import CONTEXT, FORM
from tests.ui.keystrokes.hands import LETTERS
from tests.ui.keystrokes.oracle import Sight
from tests.ui.keystrokes.panels import MEANT, OTHERS, Before, Panels, texts_of

MOST_KEYS = 120
"""Keys for one form; then it is left."""


def note(given: list[tuple[str, RequestOutcome, object]], change: object) -> None:
    """Note the outcome of a form."""
    if isinstance(change, Settled):
        given.append(("", change.outcome, change.actor))


class Forms(Panels):
    """One form of ten questions after the other."""

    PLACE = "form"
    interrupts, sent = 0, ()
    answers: Sequence[tuple[str, RequestOutcome, object]] = ()
    drafting = prompt_has_keys = False
    app: FormApp

    async def drive(self, count: int) -> None:
        """Press so many keys."""
        while self.counts["keys"] < count and not self.violations:
            self.trace.clear()
            self.sight, self._word, self._decides = Sight(), None, None
            given: list[tuple[str, RequestOutcome, object]] = []
            self.answers = given
            self.goal = min(count, self.counts["keys"] + MOST_KEYS)
            request = request_of(FORM, CONTEXT, "", Path("/"), "ccq-tui ask")
            async with MemoryInbox().asking(request) as opened:
                await opened.added()
                opened.changed.subscribe(partial(note, given))
                app = FormApp(Filling(opened, 1800.0, clock=self.clock), Settings(), clock=self.clock)
                await self.in_app(app, self._drive)
            self.counts["forms"] += 1

    async def _drive(self) -> None:
        while self.counts["keys"] < self.goal and not self.over:
            await self._do_something()

    async def _do_something(self) -> None:
        what = self.random.random()
        if what < 0.03:
            await self.resize()
        elif what < 0.18:
            await self._burst()
        elif what < 0.80:
            await self._press(self.random.choice(MEANT), self.random.choice((0.2, 0.45, 1.6)))
        elif what < 0.90:
            await self._press(self.random.choice(LETTERS))
        else:
            await self._press(self.random.choice([key for key in OTHERS if key != "f1"]))  # it comes late

    async def _press(self, key: str, pause: float | None = None) -> None:
        if not self.over:
            await super()._press(key, pause)

    async def _pressed(self, *keys: str) -> None:
        if self.over:
            return
        frame = self.frame()
        await super()._pressed(*keys)
        if self.over and not self.answers:
            asked = frame.shows("Leave?") and not {"escape", "ctrl+c"}.isdisjoint(keys)
            self.expect(asked, f"left by {keys} in\n" + "\n".join(frame.lines))
            self.counts["left"] += 1

    # -- what is there ---------------------------------------------------------------------------------------

    def looked(self) -> None:
        """See whether the panel came to the front: a person began it, and covers it."""
        first = self.sight.front is None and self.sight.shown_at < 0
        self._look(asked_for=first or self.trace[-1:] == ["press f2"])

    @property
    def over(self) -> bool:
        """Whether the form was left or answered."""
        return self.app._exit or not self.app._running

    @property
    def panel(self) -> RequestPanel | None:
        """The panel, unless something lies over it."""
        return self.app.panel if len(self.app.screen_stack) == 1 else None

    def texts(self) -> dict[str, Counter[str]]:
        """Every character that stands somewhere."""
        texts = {"form": "".join(texts_of(self.app.panel.state)), "prompt": "", "decided": repr(self.answers)}
        return {place: Counter(text) for place, text in texts.items()}

    def _dock_lines(self) -> list[str]:
        return self.frame().lines

    def _account(self, keys: tuple[str, ...], before: Before) -> None:
        """Look where each key is; a question may take no words, and says so."""
        states = [one for one in (before.state, self.app.panel.state) if isinstance(one, PanelState)]
        closed = [one.in_review or one.page.question.closed for one in states]
        if (keys[0] == "escape" or any(closed)) and (
            self.frame().shows("⚠") or len(keys) > 1 or self.app.panel.state.large
        ):
            self._word = None
            self.counts["keys where no words are taken"] += 1
        elif not self.over:
            super()._account(keys, before)

    def _settle_answers(self, before: Before) -> None:
        """Leave it to the form."""

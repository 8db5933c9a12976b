"""The panels of a session: questions, permissions and plans, in the place of the prompt."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import ClassVar

from ccq_tui.agent import events as ev
from ccq_tui.inbox.decision import DecisionState
from ccq_tui.inbox.draft import Draft
from ccq_tui.inbox.requests import Allowed, Cancelled, Denied, PlanRequest, QuestionRequest, RequestOutcome
from ccq_tui.questions import Answer, Answered, Declined, Discussed, Kind, Question
from ccq_tui.questions.model import Recalled
from ccq_tui.questions.state import Focus, PanelState
from ccq_tui.screens.session.dock import Dock
from ccq_tui.widgets.panel_host import Panel
from ccq_tui.widgets.search_bar import SearchBar
from tests.ui.asked import MULTI, SINGLE
from tests.ui.keystrokes.hands import LETTERS, Hands, gained
from tests.ui.keystrokes.oracle import ESCAPES_APART, Frame, typed
from tests.ui.session import Driven, asked, permission

OTHERS = ("enter", "escape", "space", "tab", "f2", "down", "up", "ctrl+d", "ctrl+f", "f1", "pagedown")
MEANT = (
    "enter",
    "enter",
    "enter",
    "space",
    "y",
    "n",
    "1",
    "2",
    "a",
    "down",
    "end",
    "ctrl+d",
    "tab",
    "j",
    "r",
)
"""Keys of somebody who has read the panel."""
FIELD = Question("Which port?", "Port", kind=Kind.TEXT)
BEFORE = (Recalled(Answer(("SQLite",), note="nb"), "on 3 Nov"), Recalled(Answer(("Cache",)), "today"))
"""How the questions were answered before: `r` takes that over."""
WALKS = frozenset("jkhl 123456789")
"""Keys that may be pressed in a row as commands."""
WORD_SECONDS = 0.3
"""Seconds in which another printable key shows a word."""
LONG = "\n".join(f"echo step {number}" for number in range(30))
PLAN = "# A plan\n\n" + "\n".join(f"{number}. Do this and that" for number in range(30))


@dataclass(frozen=True)
class Before:
    """How things stood when a key was pressed."""

    front: object
    state: Draft | None
    texts: dict[str, Counter[str]]
    frame: Frame
    passed: str
    fresh: bool
    alone: bool
    drafting: bool
    prompt_has_keys: bool
    answers: int
    interrupts: int

    @property
    def calm(self) -> bool:
        """Whether a panel had the keys that was long there."""
        return self.front is not None and not self.fresh

    @property
    def declining(self) -> bool:
        """Whether the panel asked whether to decline."""
        return isinstance(self.state, PanelState) and self.state.focus is Focus.DECLINE

    @property
    def in_text(self) -> bool:
        """Whether a text was open in the panel."""
        return self.state is not None and self.state.typing


class Panels(Hands):
    """Panels that come up while somebody types, and are hidden, covered, settled elsewhere."""

    PLACE = "panels"
    COPIES: ClassVar[tuple[int, ...]] = (1,)
    """In how many places a character that was typed may stand."""
    _names = 0
    _prior = ("", 0.0)
    _decides: tuple[str, Before] | None = None

    async def drive(self, count: int) -> None:
        """Press so many keys."""
        self.goal = count
        await self.in_program(Driven(clock=self.clock), self._drive)

    async def _drive(self) -> None:
        self.run.told.tell(ev.StateChanged(ev.SessionState.WORKING))
        while self.counts["keys"] < self.goal:
            await self._do_something()

    async def _do_something(self) -> None:
        what = self.random.random()
        if what < 0.09 and len(self.dock.line.items) < 2:
            await self._ask()
        elif what < 0.10 and self.dock.line.items:
            self.say("settled elsewhere")
            name = self.dock.line.items[0].request.id
            self.run.told.tell(ev.RequestSettled(name, Cancelled("interrupted")))
            await self.settle()
        elif what < 0.11:
            await self.resize()
        elif what < 0.29:
            await self._burst()
        elif what < 0.46:
            await self._work()
        elif what < 0.70:
            await self._press(self.random.choice(LETTERS))
        else:
            await self._press(self.random.choice(OTHERS))

    async def _work(self) -> None:
        """Do what somebody does who answers: show what waits, read it, choose."""
        await self.pass_time(self.random.choice((0.5, 1.6, 3.0)))
        if self.front is None and self.dock.line.items:
            await self._press("f2", 0.1)
        for _ in range(self.random.randint(1, 4)):
            await self._press(self.random.choice(MEANT), self.random.choice((0.2, 0.45, 1.6)))

    async def _ask(self) -> None:
        self._names += 1
        name = f"r{self._names}"
        asks = [
            asked(name, SINGLE),
            asked(name, SINGLE),
            asked(name, SINGLE, MULTI),
            asked(name, FIELD),
            ev.RequestAsked(permission(name, self.random.choice(("make all", LONG)))),
            ev.RequestAsked(PlanRequest(name, "s", self.random.choice(("# A", PLAN)))),
        ]
        event = self.random.choice(asks)
        if isinstance(event.request, QuestionRequest) and self.random.random() < 0.5:
            opened = self.run.told.wait_with(event.request)
            opened.recalled = BEFORE[: len(event.request.questions.questions)]
        self.say(f"asked {type(event.request).__name__}")
        self.run.told.tell(event)
        await self.settle()

    def looked(self) -> None:
        """See whether a panel came to the front, and whether a person asked for that."""
        self._look(asked_for=self.trace[-1:] == ["press f2"])

    def _look(self, *, asked_for: bool) -> None:
        if self.watch.looked(self.front, self.clock.now, asked_for=asked_for) and self.front is not None:
            self.counts["panels"] += 1

    # -- what is there ---------------------------------------------------------------------------------------

    @property
    def dock(self) -> Dock:
        return self.run.session_screen.dock

    @property
    def front(self) -> tuple[object, int] | None:
        """The panel that has the keys, by its turn, or None."""
        panel = self.panel
        if panel is None or panel.state.hidden or self.run.app.focused is not panel:
            return None
        return (panel, panel.turn)

    @property
    def panel(self) -> Panel | None:
        """The panel of the screen in front, hidden or not, or None."""
        return self.dock.panel if self.run.app.screen is self.run.session_screen else None

    @property
    def answers(self) -> list[tuple[str, RequestOutcome, str]]:
        """What was decided by keys, so far."""
        return self.run.told.answers

    @property
    def passed_over(self) -> str:
        """The letter that a fresh panel holds back until it knows what it was."""
        return self.panel.state.guard.passed_over if self.panel is not None else ""

    def texts(self) -> dict[str, Counter[str]]:
        """Every character that stands somewhere, by the place where it stands."""
        head, panel = self.dock.line.head, self.dock.panel
        places = {
            item.request.id: texts_of(panel.state if item is head and panel is not None else item.shown)
            for item in self.dock.line.items
        }
        places["prompt"] = [self.dock.prompt.text, *self.run.told.sent]
        places["search"] = [bar.field.value for bar in self.run.session_screen.query(SearchBar)]
        places["decided"] = [repr(outcome) for _, outcome, _ in self.run.told.answers]
        return {place: Counter("".join(texts)) for place, texts in places.items()}

    def _before(self) -> Before:
        front, panel = self.front, self.panel
        return Before(
            front,
            panel.state if front is not None and panel is not None else None,
            self.texts(),
            self.frame() if front is not None else Frame(),
            self.passed_over,
            self.watch.fresh(self.clock.now),
            self.watch.alone(self.clock.now),
            self.dock.prompt.holds_text,
            self.run.app.focused is self.dock.prompt.field,
            len(self.answers),
            self.run.told.interrupts,
        )

    async def pass_time(self, pause: float | None = None) -> None:
        """Let some time pass; a letter that nothing follows decides then."""
        answers = len(self.answers)
        await super().pass_time(pause)
        if len(self.answers) > answers and self._decides is not None:
            key, before = self._decides
            self._confirmed(key, before)
            self._settle_answers(before)
            await self.settle()

    # -- keys ------------------------------------------------------------------------------------------------

    async def _burst(self) -> None:
        """Type in one go: all of it is somewhere, whatever comes up meanwhile."""
        await self.pass_time()
        before, keys = self._before(), self.letters()
        if before.front is None and not before.prompt_has_keys:
            return
        calm = before.front is not None and not before.fresh
        if self.random.random() < 0.4:
            keys.append("enter")
        hides = calm and not before.in_text and self.random.random() < 0.3
        if hides:
            keys.insert(0, self.random.choice(("f2", "escape")))
        self.post(*keys)
        await self.settle()
        answers = self.answers[before.answers :]
        if hides and self.panel is not None and self.panel.state.hidden:
            missing = Counter("".join(map(typed, keys))) - gained(before.texts, self.texts())
            self.expect(not answers and not missing, f"{''.join(missing)!r} of {keys} is nowhere")
        elif calm and not answers and not WALKS.issuperset("".join(map(typed, keys))):
            missing = Counter("".join(map(typed, keys)).lstrip()) - gained(before.texts, self.texts())
            self.expect(before.declining or not missing, f"{''.join(missing)!r} of {keys} is nowhere")
        elif calm and answers:
            # Somebody who works fast in a panel that is long there: what was taken was in sight.
            self._confirmed(self._decisive(keys, before), before, calm=True)
        elif not calm:
            self.expect(not answers, "an outcome in a burst")
            # Blanks that begin no word are passed over, and at most one other key.
            missing = Counter("".join(map(typed, keys)).replace(" ", "") + before.passed)
            missing.subtract(gained(before.texts, self.texts()))
            left = "".join(character for character, number in missing.items() if number > 0)
            self.expect(left == self.passed_over, f"{left!r} of {keys} is nowhere")
        self._settle_answers(before)
        self.counts["bursts"] += 1

    def _decisive(self, keys: list[str], before: Before) -> str:
        """Return the key of a burst that decided: a letter alone does only as the first one typed."""
        _, outcome, _ = self.answers[-1]
        first = next(filter(typed, keys), "")
        if isinstance(outcome, Declined):
            # It was asked before the burst: within one, the question whether to passes both over.
            return "ctrl+d" if "ctrl+d" in keys else first
        bare = isinstance(outcome, Allowed | Denied) and not own_text(outcome)
        if bare and before.alone and first in ("y", "n"):
            return first
        return "enter" if "enter" in keys else keys[-1]

    async def _press(self, key: str, pause: float | None = None) -> None:
        await self.pass_time(pause)
        before, now = self._before(), self.clock.now
        if before.prompt_has_keys and key in ("up", "tab"):
            return  # they bring earlier prompts back
        if before.prompt_has_keys and key == "ctrl+d" and not self.dock.prompt.text:
            return  # twice, it quits
        escaped_at = self.watch.escaped_at
        prior, self._prior = self._prior, (typed(key).strip(), now) if before.calm else ("", now)
        word = (
            bool(prior[0]) and now - prior[1] < WORD_SECONDS and not WALKS.issuperset(prior[0] + typed(key))
        )
        self._decides = key, before
        self.post(key)
        await self.settle()
        told = self.run.told
        if not word:
            self._taken_over(key, before)
        if len(self.answers) > before.answers:
            self._confirmed(key, before)
        elif typed(key):
            self._kept(typed(key), before, prior[0] if word else "")
        if told.interrupts > before.interrupts:
            self.expect(now - escaped_at >= ESCAPES_APART, "a burst interrupted")
        self._settle_answers(before)

    def _taken_over(self, key: str, before: Before) -> None:
        """Look whether the key of an earlier answer made it a draft, and replaced nothing typed."""
        state, panel = before.state, self.panel
        if key != "r" or not isinstance(state, PanelState) or state.focus is not Focus.LIST or before.fresh:
            return
        if state.before is None or panel is None or not isinstance(panel.state, PanelState):
            return
        old, new = state.page.draft, panel.state.pages[state.tab].draft
        self.expect(len(self.answers) == before.answers, "an outcome by r")
        self.expect(
            not old.other or new.other in (old.other, f"{old.other}r"), f"{old.other!r} became {new.other!r}"
        )
        self.expect(old.note in new.note, f"{old.note!r} became {new.note!r}")
        self.counts["taken over"] += new != old

    def _kept(self, character: str, before: Before, begun: str = "") -> None:
        """Look where a printable key is now, and the one with which it makes a word."""
        added = gained(before.texts, self.texts())
        if before.prompt_has_keys or before.in_text or (begun and before.calm and not before.declining):
            whole = bool(begun) and added == Counter(begun + character)
            self.expect(whole or added[character] in self.COPIES, f"{character!r} is nowhere")
        elif before.front is not None and before.fresh:
            held = not before.drafting and self.passed_over == (before.passed or character.strip())
            back = added == Counter(before.passed + character) and self.panel is None
            quiet = f"now {self.clock.now}, quiet from {self.watch.quiet_from}, passed {before.passed!r}"
            self.expect(held or back, f"{character!r} was a command in the grace, or is nowhere: {quiet}")
            self.counts["passed over" if held else "given back"] += 1

    def _confirmed(self, key: str, before: Before, *, calm: bool = False) -> None:
        """Look whether an outcome was confirmed by somebody who saw it."""
        _, outcome, _ = self.answers[-1]
        if not self.expect(before.state is not None, "an outcome without a panel"):
            return
        assert before.state is not None
        if isinstance(outcome, Declined):
            asked_before = before.frame.shows("Decline") or before.frame.shows("decline")
            drawn = "\n".join(before.frame.lines)
            self.confirmed(key in ("ctrl+d", "y") and asked_before, f"declined by {key} in\n{drawn}")
            return
        if len(self.answers) > before.answers + 1:
            self.expect(False, "two outcomes by one key")
        # A letter that denies grants nothing: it may be out of sight.
        letter = key in ("y", "n") and isinstance(outcome, Allowed | Denied) and not before.in_text
        alone = before.alone and not before.drafting
        right = key == "enter" or (letter and (alone or key == self._asked_again(before)))
        words, sign = taken(outcome, before.state), "" if calm or letter or before.in_text else "❯"
        # A text that was opened, written and sent in one go was seen by nobody, but is what somebody wrote.
        written = calm and self._written(own_text(outcome), before.state)
        seen = key == "n" or written or any(before.frame.shows(one, sign) for one in words)
        if calm and outcome == Denied():
            # Who goes to the row that denies by its own key, and takes it in one go, has named it.
            seen |= not {"n", "ctrl+d"}.isdisjoint(self.trace[-1].split())
        self.confirmed(
            right and seen and not before.fresh,
            f"{outcome} by {key}: key {right}, in sight {seen} ({words}), fresh {before.fresh}\n"
            + "\n".join(before.frame.lines),
        )

    def _written(self, said: str, before: Draft) -> bool:
        """Whether the last burst wrote a text, or into one that was begun before."""
        keys, said = "".join(map(typed, self.trace[-1].split()[1:])).replace(" ", ""), said.replace(" ", "")
        begun = {text.replace(" ", "") for text in texts_of(before)} | {""}
        ends = [keys[start:] for start in range(len(keys))]
        return any(
            said == text[:place] + end + text[place:]
            for text in begun
            for place in range(len(text) + 1)
            for end in ends
        )

    @staticmethod
    def _asked_again(before: Before) -> str:
        """Return the letter that was asked for once more, as it stood on the screen."""
        return "y" if before.frame.shows("y again") else ""

    def _settle_answers(self, before: Before) -> None:
        for name, outcome, actor in self.run.told.answers[before.answers :]:
            self.run.told.tell(ev.RequestSettled(name, outcome, actor))

    def standing(self) -> str:
        """Say how things stand, for a violation."""
        panel = self.dock.panel
        shown = (panel.state.guard, panel.state.hidden) if panel is not None else None
        return f"prompt {self.dock.prompt.text!r}; panel {shown}{super().standing()}"


def own_text(outcome: RequestOutcome) -> str:
    """Return the text that goes to the agent with an outcome, or that alone answers; else ""."""
    match outcome:
        case Answered((Answer(selected=(), other=text),)):
            return text
        case Allowed(text) | Denied(text) | Discussed(text):
            return text
        case _:
            return ""


def taken(outcome: RequestOutcome, state: Draft) -> list[str]:
    """Return the words of the row that an outcome took: one of them was in sight."""
    if isinstance(state, PanelState):
        if state.typing:
            return parts_of(state.text)
        if state.in_review:
            return ["Submit"]
        if isinstance(outcome, Answered):
            first = outcome.answers[0]
            return [*first.selected, first.other]
        return []
    if state.typing:
        return parts_of(state.text)
    return [choice.label for choice in state.choices if choice.outcome(plan=state.plan) == outcome]


def parts_of(text: str) -> list[str]:
    """Return the end of a text, where its caret is as a rule, and its longer words, where it may be, too."""
    end = text.rstrip().rpartition("\n")[2][-6:]
    return [
        end,
        *([end.partition(" ")[2]] if " " in end else []),
        *(word for word in text.split() if len(word) > 3),
    ]


def texts_of(draft: Draft) -> list[str]:
    """What was typed into the fields of a panel."""
    if isinstance(draft, DecisionState):
        return [draft.text]
    return [draft.discussion, *(text for page in draft.pages for text in (page.draft.other, page.draft.note))]

"""The panels of a session: questions, permissions and plans, in the place of the prompt."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from ccq_tui.agent import events as ev
from ccq_tui.inbox.draft import Draft
from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.kinds.decisions import answer_to
from ccq_tui.inbox.requests import (
    Allowed,
    Cancelled,
    Denied,
    PlanRequest,
    QuestionRequest,
    Request,
    RequestOutcome,
)
from ccq_tui.questions import Answer, Answered, Declined, Discussed, Kind, Question
from ccq_tui.questions.model import Recalled
from ccq_tui.questions.state import Focus, PanelState
from ccq_tui.screens.session.dock import Dock
from ccq_tui.widgets.panel import RequestPanel
from ccq_tui.widgets.search_bar import SearchBar
from tests.ui.asked import MULTI, SINGLE
from tests.ui.keystrokes.hands import LETTERS, PAUSES, Hands, gained
from tests.ui.keystrokes.oracle import ESCAPES_APART, HELD, QUIET, REPEAT, WORD, WRITING, Frame, Sight, typed
from tests.ui.session import Driven, asked, permission

OTHERS = ("enter", "escape", "space", "tab", "f2", "down", "up", "ctrl+d", "ctrl+f", "f1", "pagedown")
MEANT = (*["enter"] * 3, "space", *"yn12ajr", "down", "end", "ctrl+d", "tab")
"""Keys of somebody who has read the panel."""
HURRIED = ("enter", "enter", "y", "n", "1", "down", "ctrl+d", "o")
FIELD = Question("Which port?", "Port", kind=Kind.TEXT)
BEFORE = (Recalled(Answer(("SQLite",), note="nb"), "on 3 Nov"), Recalled(Answer(("Cache",)), "today"))
"""How the questions were answered before: `r` takes that over."""
WALKS = frozenset("jkhl123456789")
"""Keys that may be pressed in a row as commands."""
LONG = "\n".join(f"echo step {number}" for number in range(30))
PLAN = "# A plan\n\n" + "\n".join(f"{number}. Do this and that" for number in range(30))


@dataclass(frozen=True)
class Before:
    """How things stood when keys were pressed."""

    at: float
    front: object
    state: Draft | None
    texts: dict[str, Counter[str]]
    frame: Frame
    sight: Sight
    drafting: bool
    prompt_has_keys: bool
    answers: int
    interrupts: int
    sent: int
    request: Request | None = None

    @property
    def decides(self) -> bool:
        """Whether the panel asked for a decision."""
        return self.state is not None and bool(self.state.page.question.acts)

    @property
    def in_text(self) -> bool:
        """Whether a text was open in the panel."""
        return self.state is not None and self.state.typing

    @property
    def picture(self) -> object:
        """What was to be seen."""
        return self.frame.lines


@dataclass
class Word:
    """Printable keys in a row, none of which is in a text yet.

    Attributes:
        before: How things stood before the first one.
        typed: The keys.
        acted: Whether the last one moved the picture.
        idle: Why the last one may do nothing, or "".
    """

    before: Before
    typed: str = ""
    acted: bool = True
    idle: str = ""


class Panels(Hands):
    """Panels that come up while somebody types, and are hidden, covered, settled elsewhere."""

    PLACE = "panels"
    COPIES: ClassVar[tuple[int, ...]] = (1,)
    """In how many places a character that was typed may stand."""
    _names = 0
    _word: Word | None = None
    _decides: tuple[tuple[str, ...], Before] | None = None

    async def drive(self, count: int) -> None:
        """Press so many keys."""
        self.goal = count
        await self.in_program(Driven(clock=self.clock), self._drive)

    async def _drive(self) -> None:
        self.run.fake.tell(ev.StateChanged(ev.SessionState.WORKING))
        while self.counts["keys"] < self.goal:
            await self._do_something()

    async def _do_something(self) -> None:
        what = self.random.random()
        if what < 0.12 and len(self.dock.line.items) < 2:
            await self._ask()
        elif what < 0.13 and self.dock.line.items:
            self.say("settled elsewhere")
            self._word = None  # what its keys did is gone with it
            name = self.dock.line.items[0].request.id
            self.run.fake.tell(ev.RequestSettled(name, Cancelled("interrupted")))
            await self.settle()
        elif what < 0.14:
            await self.resize()
        elif what < 0.29:
            await self._burst()
        elif what < 0.50:
            await self._work()
        elif what < 0.58:
            await self._hurry()
        elif what < 0.76:
            await self._press(self.random.choice(LETTERS))
        else:
            await self._press(self.random.choice(OTHERS))

    async def _work(self) -> None:
        """Do what somebody does who answers: show what waits, read it, choose."""
        await self.pass_time(self.random.choice((0.5, 1.6, 3.0)))
        if self.front is None and not self.prompt_has_keys:
            await self._press("escape", 0.5)  # a search lies over it
        if self.prompt_has_keys and self.dock.prompt.holds_text and self.random.random() < 0.5:
            await self._press("enter", 0.5)
        if self.front is None and self.dock.line.items:
            await self._press("f2", 0.1)
        for _ in range(self.random.randint(1, 4)):
            await self._press(self.random.choice(MEANT), self.random.choice((0.2, 0.45, 1.6)))

    async def _hurry(self) -> None:
        """Press at once what may decide, in a panel that has just come, or behind a word."""
        if not self.dock.line.items:
            await self._ask()
        if self.random.random() < 0.3:
            await self._press(self.random.choice(LETTERS), 0.0)
        await self.pass_time(self.random.choice((0.81, 1.51, 2.1)))
        for _ in range(3):
            if self.random.random() < 0.3:
                await self._pressed(
                    *self.random.choice((("down", "enter"), ("1", "enter"), ("o", "b", "enter")))
                )
            await self._press(self.random.choice(HURRIED), self.random.choice((0.0, 0.03, 0.1, 0.31, 0.41)))

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
            opened = self.run.fake.wait_with(event.request)
            opened.recalled = BEFORE[: len(event.request.questions.questions)]
        self.say(f"asked {type(event.request).__name__}")
        self.run.fake.tell(event)
        await self.settle()

    def looked(self) -> None:
        """See whether a panel came to the front, and whether a person asked for that."""
        self._look(asked_for=self.trace[-1:] == ["press f2"])

    def _look(self, *, asked_for: bool) -> None:
        if self.sight.looked(self.front, self.clock.now, asked_for=asked_for) and self.front is not None:
            self.counts["panels"] += 1

    def drawn(self) -> None:
        """Keep what is drawn while nothing is decided in the panel in front."""
        if self.app.screen_stack and self.front is not None and self.undecided:
            self.sight.frames = [*self.sight.frames[-40:], (self.clock.now, Frame.sent(self.app))]

    @property
    def undecided(self) -> bool:
        """Whether the panel in front still asks."""
        return self.panel is not None and self.panel.state.outcome is None

    # -- what is there ---------------------------------------------------------------------------------------

    @property
    def dock(self) -> Dock:
        return self.run.session_screen.dock

    @property
    def front(self) -> tuple[object, int] | None:
        """The panel that has the keys, by its turn, or None."""
        panel = self.panel
        if panel is None or panel.state.hidden or self.app.focused is not panel:
            return None
        return (panel, panel.turn)

    @property
    def panel(self) -> RequestPanel | None:
        """The panel of the screen in front, hidden or not, or None."""
        return self.dock.panel if self.run.app.screen is self.run.session_screen else None

    @property
    def answers(self) -> Sequence[tuple[str, RequestOutcome, object]]:
        """What was decided by keys, so far."""
        return self.run.fake.answers

    @property
    def over(self) -> bool:
        """Whether the program was quit."""
        return False

    def texts(self) -> dict[str, Counter[str]]:
        """Every character that stands somewhere, by the place where it stands."""
        head, panel = self.dock.line.head, self.dock.panel
        places = {
            item.request.id: texts_of(panel.state if item is head and panel is not None else item.shown)
            for item in self.dock.line.items
        }
        places["prompt"] = [self.dock.prompt.text, *self.run.fake.sent]
        places["search"] = [bar.field.text for bar in self.run.session_screen.query(SearchBar)]
        places["decided"] = [repr(outcome) for _, outcome, _ in self.run.fake.answers]
        return {place: Counter("".join(texts)) for place, texts in places.items()}

    def _before(self) -> Before:
        front, panel = self.front, self.panel
        return Before(
            self.clock.now,
            front,
            panel.state if front is not None and panel is not None else None,
            self.texts(),
            self.frame(),
            replace(self.sight),
            self.drafting,
            self.prompt_has_keys,
            len(self.answers),
            self.interrupts,
            len(self.sent),
            panel.opened.request if panel is not None and panel.opened is not None else None,
        )

    @property
    def drafting(self) -> bool:
        """Whether the prompt holds text."""
        return self.dock.prompt.holds_text

    @property
    def sent(self) -> Sequence[str]:
        """The prompts that were sent."""
        return self.run.fake.sent

    @property
    def interrupts(self) -> int:
        """How often the agent was interrupted."""
        return self.run.fake.interrupts

    @property
    def prompt_has_keys(self) -> bool:
        """Whether the prompt takes what is typed."""
        return self.app.screen is self.run.session_screen and self.app.focused is self.dock.prompt.field

    async def pass_time(self, pause: float | None = None) -> None:
        """Let some time pass; a key that nothing follows acts then."""
        answers, pause = len(self.answers), self.random.choice(PAUSES) if pause is None else pause
        lines, front = self._dock_lines(), self.front
        await super().pass_time(pause)
        if len(self.answers) > answers and self._decides is not None:
            self._confirmed(self._decides)
            self._settle_answers(self._decides[1])
            await self.settle()
        word = self._word
        if word is None:
            return
        word.acted |= len(self.answers) > answers or lines != self._dock_lines() or front != self.front
        if self.clock.now - self.sight.last[1] >= WORD:
            self._ends(word)

    def _dock_lines(self) -> list[str]:
        """Return what is drawn where nothing counts seconds."""
        return self.frame().lines[self.dock.region.y :]

    def _ends(self, word: Word) -> None:
        """Look whether the last of some keys did anything, now that it was no part of a word."""
        self._word = None
        if not word.acted and self.expect(word.idle, f"{word.typed!r} does nothing"):
            self.counts[word.idle] += 1

    # -- keys ------------------------------------------------------------------------------------------------

    async def _burst(self) -> None:
        """Type in one go: all of it is somewhere, whatever comes up meanwhile."""
        await self.pass_time()
        keys = self.letters()
        if self.random.random() < 0.4:
            keys.append("enter")
        if self.front is not None and self.random.random() < 0.15:
            keys.insert(0, self.random.choice(("f2", "escape", "down")))
        await self._pressed(*keys)
        self.counts["bursts"] += 1

    async def _press(self, key: str, pause: float | None = None) -> None:
        await self.pass_time(pause)
        if self.prompt_has_keys and key in ("up", "tab"):
            return  # they bring earlier prompts back
        if self.prompt_has_keys and key == "ctrl+d" and not self.dock.prompt.text:
            return  # twice, it quits
        await self._pressed(key)

    async def _pressed(self, *keys: str) -> None:
        """Press keys in one go, and judge what came of them."""
        before, escaped_at = self._before(), self.escaped_at
        if before.front is None and not before.prompt_has_keys:
            self._word = None
            self.post(*keys)
            await self.settle()
            return
        prior, self._decides = self._decides, (keys, before)
        self.post(*keys)
        await self.settle()
        if len(self.answers) > before.answers:
            # A key that waited for the next one decides as that comes.
            waited = [prior] if prior is not None and before.at - prior[1].at < WORD else []
            self._confirmed((keys, before), *waited)
        if self.over:
            return
        if keys == ("r",) and self._word is None:
            self._taken_over(before)
        if len(self.sent) > before.sent:
            asked_again = before.front is None or before.frame.shows("Enter again")
            waited = prior is not None and "enter" in prior[0] and before.at - prior[1].at < WORD
            right = asked_again and ("enter" in keys or waited)
            self.expect(right, f"{self.sent[before.sent :]} sent by {keys}")
        if self.interrupts > before.interrupts:
            self.expect(self.clock.now - escaped_at >= ESCAPES_APART, "a burst interrupted")
        self._account(keys, before)
        self._used(keys, before)
        self._settle_answers(before)

    def _used(self, keys: tuple[str, ...], before: Before) -> None:
        """Note where the keys went."""
        sight, last = self.sight, keys[-1]
        now = self.texts()
        sight.to_prompt = keys != ("enter",) and before.texts["prompt"] != now["prompt"]
        if sight.to_prompt:
            sight.prompt_at = self.clock.now
        if gained(before.texts, now):
            sight.wrote_at = self.clock.now
        if before.front is not None and any(not key.isdigit() for key in keys):
            moved = any(len(key) > 1 for key in keys) or before.picture != self.frame().lines
            sight.used |= moved and self.front == before.front and now["prompt"] == before.texts["prompt"]
        sight.last = (last, self.clock.now)

    def _account(self, keys: tuple[str, ...], before: Before) -> None:
        """Look where each printable key is: in a text, or in what it did to the picture."""
        word = self._word
        moved = before.picture != self.frame().lines or self.front != before.front
        if word is not None and not typed(keys[0]):
            if not word.acted and keys[0] == "escape":
                word.idle = "taken back by Esc"
            word.acted |= moved
            self._ends(word)
            word = None
        start, first = (before, "") if word is None else (word.before, word.typed)
        here = "".join(typed(key) or "\n" for key in keys)
        parts = [*(first + here).split("\n")]
        if not here.replace("\n", ""):
            return
        added = gained(before.texts | start.texts, self.texts())  # what came meanwhile may have a draft
        whole = Counter("".join(parts))
        lost = whole - added
        for at, part in enumerate(parts):
            lost -= Counter(" " * (len(part) - len(part.rstrip()))) if at + 1 < len(parts) else Counter[str]()
            lost -= may_act(part, start if at == 0 else None)
        self.expect(not lost, f"{''.join(lost.elements())!r} of {first!r} and {keys} is nowhere")
        if len(self.answers) == before.answers and "r" not in keys:  # which brings an earlier answer
            doubled = added - Counter("".join(parts) * max(self.COPIES))
            self.expect(not doubled, f"{''.join(doubled)!r} of {first!r} and {keys} is there too often")
        self._word = None
        if parts[-1] and not gained(before.texts, self.texts()) & Counter(parts[-1]):
            self._word = Word(start, parts[-1], moved or len(keys) > 1, idle_why(parts[-1], before.state))

    def _taken_over(self, before: Before) -> None:
        """Look whether the key of an earlier answer made it a draft, and replaced nothing typed."""
        state, panel = before.state, self.panel
        if not isinstance(state, PanelState) or state.focus is not Focus.LIST:
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

    def _confirmed(self, *pressed: tuple[tuple[str, ...], Before]) -> None:
        """Look whether an outcome was confirmed by a person who saw it, with one of the last keys."""
        _, outcome, _ = self.answers[-1]
        wrong = [self._wrong(outcome, *one) for one in pressed]
        self.expect(len(self.answers) == pressed[0][1].answers + 1, "two outcomes by one key")
        self.confirmed("" in wrong, f"{outcome} by {[keys for keys, _ in pressed]}: {wrong}")

    def _wrong(self, outcome: RequestOutcome, keys: tuple[str, ...], before: Before) -> str:
        """Return why keys may not come to an outcome, or ""."""
        if before.state is None:
            return "no panel"
        letter = isinstance(outcome, Allowed | Denied) and not (own_text(outcome) or before.in_text)
        declined = isinstance(outcome, Declined)
        takes = ("ctrl+d", "y") if declined else ("enter", "y", "n") if letter else ("enter",)
        key = next((one for one in keys if one in takes), "")
        return self._early(key, keys, before, outcome) if key else "not a key that decides"

    def _early(self, key: str, keys: tuple[str, ...], before: Before, outcome: RequestOutcome) -> str:
        """Return why a key may not decide, or ""."""
        at, sight = before.at, before.sight
        again = any(before.frame.shows(f"{one} again") for one in (key, key.title(), "Ctrl+D"))
        last, gap = sight.last[0] == key and not typed(key), at - sight.last[1]
        if last and len(keys) == 1 and gap < REPEAT:
            return "a repeat"
        if sight.by_itself and at - sight.shown_at < (HELD if last and gap < HELD else QUIET) and not again:
            return f"{at - sight.shown_at:.2f} s after it came"
        if typed(key) and not sight.seen(at):
            return "not seen"
        alone = [one for one in keys if one not in (" ", "space")][:2]  # a blank begins no word
        if typed(key) and (at - sight.wrote_at < WRITING or alone[0] != key or typed("".join(alone[1:]))):
            return "in a word"
        if key == keys[0] == "enter" and before.drafting and sight.by_itself and sight.to_prompt:
            return "Enter ended words for the prompt"
        return self._unseen(key, keys, before, outcome, again=again)

    def _unseen(
        self, key: str, keys: tuple[str, ...], before: Before, outcome: RequestOutcome, *, again: bool
    ) -> str:
        """Return which words were not drawn before a key, or not long enough, or ""."""
        state, at = before.state, before.at
        assert state is not None
        declined = isinstance(outcome, Declined)
        words = ["Decline", "decline"] if declined else taken(outcome, before)
        sign = "" if typed(key) or before.in_text or declined or state.large else "❯"
        frames = [before.frame, *(frame for when, frame in self.sight.left + self.sight.frames if when >= at)]
        ends = state.typing and any(frame.ends(state.text, "❯") for frame in frames)
        if not (ends or any(frame.shows(one, sign) for frame in frames for one in words)):
            named = key == "n" or (outcome == Denied() and not {"n", "ctrl+d"}.isdisjoint(keys))
            if not (named or self._written(own_text(outcome), state)):
                return f"{words} not drawn in\n" + "\n".join(before.frame.lines)
        since = before.sight.since(words, sign)
        if lasts(outcome) and not again and (since is None or at - since < WORD):
            return f"it lasts, and was drawn since {since}, now {at}"
        return ""

    def _written(self, written: str, before: Draft) -> bool:
        """Whether the last burst wrote a text, or into one that was begun before."""
        keys, written = (
            "".join(map(typed, self.trace[-1].split()[1:])).replace(" ", ""),
            written.replace(" ", ""),
        )
        begun = {text.replace(" ", "") for text in texts_of(before)} | {""}
        ends = [keys[start:] for start in range(len(keys))]
        return any(
            written == text[:place] + end + text[place:]
            for text in begun
            for place in range(len(text) + 1)
            for end in ends
        )

    def _settle_answers(self, before: Before) -> None:
        for name, outcome, actor in self.run.fake.answers[before.answers :]:
            self.run.fake.tell(ev.RequestSettled(name, outcome, actor))

    def standing(self) -> str:
        """Say how things stand, for a violation."""
        return f"{replace(self.sight, frames=[], left=[])}{super().standing()}"


def lasts(outcome: RequestOutcome) -> bool:
    """Whether an outcome decides for longer than this once, or for all that was asked."""
    return isinstance(outcome, Declined) or (isinstance(outcome, Allowed) and outcome.suggestion is not None)


def may_act(typed: str, before: Before | None) -> Counter[str]:
    """Return which of some printable keys in a row need be in no text, for what they did is to be seen."""
    rest = typed.lstrip()
    blanks = Counter(" " * (len(typed) - len(rest)))
    if before is not None and (before.front is None or before.in_text):
        return Counter()
    if WALKS.issuperset(rest.replace(" ", "")) or len(rest) == 1:
        return Counter(typed)
    opens = "oncae" if before is None else "ae" if before.decides else "onc"
    return blanks + Counter(rest[0] if rest[0] in opens else "")


def idle_why(typed: str, state: Draft | None) -> str:
    """Return why printable keys may do nothing, or ""."""
    typed = typed.strip()
    if not typed:
        return "blanks that begin no word"
    if state is not None and state.large:
        return "keys while something enlarged covers the rows"
    if state is None:
        return ""
    if acts := state.page.question.acts:
        if typed.isdigit() and all(act.key != typed for act in acts):
            return "digits that are not offered"
        there = state.page.cursor in state.page.rows and acts[state.page.cursor].key == typed
        return "keys of the choice that has the cursor" if there else ""
    if state.page.is_field and typed in "jk":
        return "keys to another row, of which a field has none"
    rows = [*state.page.draft.selected, state.page.cursor]
    if rows and all(str(row + 1) == typed for row in rows):
        return "digits of the row that is selected"
    return ""


def own_text(outcome: RequestOutcome) -> str:
    """Return the text that goes to the agent with an outcome, or that alone answers; else ""."""
    match outcome:
        case Answered((Answer(selected=(), other=text),)):
            return text
        case Allowed(text) | Denied(text) | Discussed(text):
            return text
        case _:
            return ""


def taken(outcome: RequestOutcome, before: Before) -> list[str]:
    """Return the words of the row that an outcome took: one of them was in sight."""
    state, request = before.state, before.request
    if state.typing:
        return parts_of(state.text)
    if state.in_review:
        return ["Submit"]
    if isinstance(outcome, Allowed | Denied) and request is not None:
        return list(answer_to(kind_of(request).asked(request), outcome).selected)
    if isinstance(outcome, Answered):
        first = outcome.answers[0]
        return [*first.selected, first.other]
    return []


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
    return [draft.discussion, *(text for page in draft.pages for text in (page.draft.other, page.draft.note))]

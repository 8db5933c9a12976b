"""A person's keys with their times, played through the gate and the real machines, without a screen."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from ccq_tui.inbox.draft import first_draft
from ccq_tui.inbox.requests import PermissionRequest
from ccq_tui.inbox.suggestions import Rule, Suggestion
from ccq_tui.input.gate import Stroke
from ccq_tui.questions import Answer, Answered, Declined, Discussed, Option, Question, QuestionSet
from ccq_tui.questions.events import Clicked, Pressed, Seen, TextChanged
from ccq_tui.questions.machine import step
from ccq_tui.questions.state import Focus, opened
from ccq_tui.widgets.keys import Keyboard
from ccq_tui.widgets.panel.keying import PanelKeys

FRAME = 0.03
"""Seconds from a change to the frame that shows it."""
THREE = (Option("First"), Option("Second"), Option("Third"))
ALWAYS = Suggestion("addRules", "localSettings", (Rule("Bash", "make *"),), "allow")
ASKED: dict[str, Callable[[], Any]] = {
    "Q": lambda: opened(QuestionSet("q", (Question("Which?", "Which", THREE),))),
    "M": lambda: opened(QuestionSet("m", (Question("Which?", "Which", THREE, multi_select=True),))),
    "P": lambda: first_draft(PermissionRequest("p", "s", "Bash", {"command": "make"}, suggestions=(ALWAYS,))),
    "S": lambda: opened(
        QuestionSet("s", (Question("Which?", "Which", THREE), Question("Who?", "Who", THREE)))
    ),
    "C": lambda: opened(QuestionSet("c", (Question("Which?", "Which", THREE, closed=True),))),
}
NAMES = {"⏎": "enter", "␣": "space", "↓": "down", "↑": "up", "⇥": "tab", "⎋": "escape", "⌫": "backspace"}
NAMES |= {"^D": "ctrl+d", "F2": "f2"}


@dataclass
class Timer:
    at: float
    call: Callable[[], object]
    off: bool = False

    def cancel(self) -> None:
        self.off = True


@dataclass
class Person:
    """A person at one panel, with the prompt under it.

    Attributes:
        kind: What is asked, by its name in `ASKED`.
        draft: The text of the prompt, or None where there is none.
    """

    kind: str
    draft: str | None = ""
    opened_by_key: bool = False
    now: float = 0.0
    sent: list[str] = field(default_factory=list)
    frames: list[tuple[float, object]] = field(default_factory=list)
    timers: list[Timer] = field(default_factory=list)
    late: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.state = ASKED[self.kind]()
        self.hands = Keyboard()
        self.keys = PanelKeys(cast("Any", self), lambda: self.hands)
        self.keys.begin(by_itself=not self.opened_by_key)
        self.drawn(0.0)

    # -- what the keys act on -------------------------------------------------------------------------------

    @property
    def drafting(self) -> bool | None:
        return None if self.draft is None else bool(self.draft.strip())

    def dispatch(self, event: Any) -> None:
        before, self.state = self.state, step(self.state, event)
        if before.hidden and not self.state.hidden:
            self.keys.begin(by_itself=False)
            self.keys.come()
        self.drawn(FRAME)

    def obey(self, pressed: Pressed) -> bool:
        if not self.state.page.question.acts or pressed.key != "space":
            self.dispatch(pressed)
        return True

    def to_prompt(self, typed: Sequence[Any], *, sends: bool = False) -> None:
        for key in typed:
            if key.name == "enter":
                self.sent.append(str(self.draft))
                self.draft = ""
            else:
                self.draft = str(self.draft)[:-1] if key.name == "backspace" else f"{self.draft}{key.text}"

    def later(self, seconds: float, call: Callable[[], object]) -> Timer:
        self.timers.append(timer := Timer(self.now + seconds, call))
        return timer

    # -- time -----------------------------------------------------------------------------------------------

    def drawn(self, after: float) -> None:
        if (decides := self.keys.drawn()) is not None:
            self.frames.append((self.now + after, decides))

    def go(self, at: float) -> None:
        """Let what comes due until then happen, in its order."""
        while True:
            due = [*((one.at, one) for one in self.timers if not one.off), *self.frames]
            if not due or (first := min(due, key=lambda one: one[0]))[0] > at:
                break
            self.now = first[0]
            if isinstance(first[1], Timer):
                self.timers.remove(first[1])
                first[1].call()
            else:
                self.frames.remove(first)
                self.keys.written(first[1], self.now)
        self.now = at

    def press(self, key: Stroke) -> None:
        self.go(key.at)
        self.keys.followed(key)
        if self.state.outcome is not None:
            self.late.append(key.text or key.name)
            return
        if self.state.hidden:
            self.hands.note(key)  # the prompt has the keys
            if key.name == "f2":
                self.dispatch(Pressed("f2"))
            else:
                self.to_prompt([key])
            return
        self.state = step(self.state, Seen(frozenset(range(9))))
        meant = () if key.name == "paste" else (Pressed(key.name, key.text),)
        if not self.keys.take(key, key, *meant):
            self.dispatch(TextChanged(self.state.text + key.text))

    def play(self, script: str) -> str:
        """Press the keys of a script; return what came of them.

        ``@t`` is a time, ``+d`` so much later; letters in quotes follow each other 0.15 s apart, or as ``/d``
        says; ``«…»`` is a paste, ``×n`` a key held down, ``click2`` a click on a row.
        """
        at, step = 0.0, 0.15
        for token in re.findall(r'"[^"]*"|«[^»]*»|\S+', script):
            if token[0] in "@+" and len(token) > 1:
                at = float(token[1:]) if token[0] == "@" else round(at + float(token[1:]), 6)
            elif token[0] == "/" and len(token) > 1:
                step = float(token[1:])
            elif token[0] == "«":
                self.press(Stroke("paste", token[1:-1], at))
            elif token[0] == '"':
                for index, character in enumerate(token[1:-1]):
                    at += step if index else 0.0
                    self.press(Stroke("space" if character == " " else character, character, at))
            elif "×" in token:
                key, count = token.split("×")
                for _ in range(int(count)):
                    self.press(Stroke(NAMES.get(key, key), "", at))
                    at += 0.033
            elif token.startswith("click"):
                self.go(at)
                self.keys.click(Stroke("click", "", at), Clicked(int(token[5:]) - 1))
            else:
                name = NAMES.get(token, token)
                text = token if token not in NAMES else " " if name == "space" else ""
                self.press(Stroke(name, text if len(text) == 1 else "", at))
        self.go(at + 5.0)
        return " · ".join(self.came())

    def came(self) -> list[str]:
        """Return what was sent, and what is on the screen."""
        came = [f"sent “{one}”" for one in self.sent]
        state, outcome = self.state, self.state.outcome
        match outcome:
            case Answered((Answer((label,), text),)) if state.page.question.acts:
                there = next(one for one in state.page.question.options if one.label == label).act
                did = ("granted" if there.lasts else "allowed") if there.allows else "denied"
                came.append(f"{did} “{text}”" if text else did)
            case Answered(answers):
                came += [
                    " + ".join(one.selected) or f"own “{one.other}”"
                    if one.other
                    else " + ".join(one.selected) or "none"
                    for one in answers
                ]
                came += [f"note “{one.note}”" for one in answers if one.note]
            case Discussed(text):
                came.append(f"discussed “{text}”")
            case Declined():
                came.append("declined")
        if str(self.draft or "").strip():
            came.append(f"prompt “{self.draft}”")
        if outcome is None:
            came += self.shown()
        sign = state.aside
        return came + ([f"⚠ {sign}"] if sign and outcome is None else [])

    def shown(self) -> list[str]:
        state = self.state
        if acts := state.page.question.acts:
            where = acts[state.page.cursor].key
            there = f"writes {where} “{state.text}”" if state.typing else f"at {where}"
            return [there, *(["hidden"] if state.hidden else [])]
        draft = state.page.draft
        selected = "+".join(str(one + 1) for one in draft.selected)
        shown = [f"selected {selected}"] if selected else []
        shown += [f"row {state.page.cursor + 1}"] if not state.in_review else ["review"]
        if state.typing:
            shown = [f"writes {state.focus.value} “{state.text}”"]
        elif draft.other:
            shown.append(f"own “{draft.other}”")
        if draft.note and state.focus is not Focus.NOTE:
            shown.append(f"note “{draft.note}”")
        return [
            *shown,
            *(["asks whether to decline"] if state.focus is Focus.DECLINE else []),
            *(["large"] if state.large else []),
            *(["hidden"] if state.hidden else []),
        ]

"""The gate on other surfaces: lists, what is pressed twice, interrupts, the prompt, the trust question."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.config.trust import TrustAnswer
from ccq_tui.config.trust_question import ROWS, TrustKeys, pressed
from ccq_tui.input.gate import PAUSE, Face, Hand, KeyKind, Sign, Stroke, To
from ccq_tui.widgets.keys import Keyboard
from tests.unit.input.hands import NAMES, Timer

LIST = Face(KeyKind.DECIDE, shown_at=0.0, prompts=False)
FACES = {
    "list by itself": LIST,
    "list": replace(LIST, by_itself=False),
    "list not drawn": replace(LIST, shown_at=None),
    "quit": Face(KeyKind.DECIDE, prompts=False, twice="quit"),
    "export": Face(KeyKind.DECIDE, prompts=False, twice="export", reads=True),
    "interrupt": Face(KeyKind.DECIDE, prompts=False, interrupts=True),
    "withdraw": Face(KeyKind.DECIDE, prompts=False, interrupts=True, twice="interrupt"),
    "prompt after a panel": replace(LIST, quiet=PAUSE),
}


@dataclass
class Surface:
    """A surface whose first key decides; all others are noted."""

    face: Face
    deciding: str
    hands: Keyboard = field(default_factory=Keyboard)
    timers: list[Timer] = field(default_factory=list)
    came: list[str] = field(default_factory=list)
    now: float = 0.0

    def later(self, seconds: float, call: Callable[[], object]) -> Timer:
        self.timers.append(timer := Timer(self.now + seconds, call))
        return timer

    def go(self, at: float) -> None:
        for timer in [one for one in self.timers if one.at <= at and not one.off]:
            self.timers.remove(timer)
            timer.call()
        self.now = at

    def press(self, name: str) -> None:
        key = Stroke(name, name if len(name) == 1 else "", self.now)
        self.hands.come(key, To.PROMPT)
        if name != self.deciding:
            self.face = self.face.typed_on(key.at) if key.text and self.face.quiet == PAUSE else self.face
            return
        verdict = self.hands.judge_last(self.face)
        if verdict.sign is Sign.AGAIN:
            self.came.append("again")
        elif verdict.to is To.PANEL:
            act = lambda: self.came.append("done")  # noqa: E731
            self.hands.wait(key, verdict.after, act, self.later, alone=bool(self.face.twice))


def play(surface: Any, script: str) -> None:
    """Press keys: ``@t`` and ``+d`` are times, ``key×n/d`` is a key held down."""
    for token in script.split():
        if token[0] in "@+":
            surface.go(float(token[1:]) if token[0] == "@" else round(surface.now + float(token[1:]), 6))
            continue
        held = re.fullmatch(r"(.+)×(\d+)/(.+)", token)
        name, count, apart = held.groups() if held else (token, "1", "0")
        for number in range(int(count)):
            surface.go(round(surface.now + (float(apart) if number else 0.0), 6))
            surface.press(NAMES.get(name, name))
    surface.go(surface.now + 20.0)


ROWS_OF_ALL = """
list by itself | @0.1 ⏎ | again
list by itself | @0.1 ⏎ +0.2 ⏎ | again, done
list by itself | @0.1 ⏎ +0.1 ⏎ | again
list by itself | @0.1 ⏎ +0.1 ⏎ +0.2 ⏎ | again, done
list by itself | @0.1 ⏎ ↓ +0.1 ⏎ | again, again
list by itself | @0.5 ⏎ | done
list by itself | @0.5 ↓ ⏎ | done
list by itself held | @0.02 ⏎×60/0.03 |
list by itself held | @0.6 ⏎×20/0.03 | again
list by itself held | @0.6 ⏎×20/0.03 +0.2 ⏎ | again, done
list by itself held | @0.9 ⏎ | done
list not drawn | @5 ⏎ | again
list | @0 ⏎ | done
list held | @0.02 ⏎×20/0.03 |
list held | @0.5 ⏎×20/0.03 |
list held | @0.5 ⏎ | done
quit | @1 ^C | again
quit | @1 ^C +0.2 ^C | again, done
quit | @1 ^C +1.9 ^C | again, done
quit | @1 ^C +2.1 ^C | again, again
quit | @1 ^C +0.2 a +0.2 ^C | again, again
quit | @1 ^C +0.9 ^C +0.1 a | again, done
quit | @1 ^C +0.5 ^C +0.1 a | again
quit | @1 ^C +0.25 ^C +0.1 a | again
quit | @1 ^C×40/0.03 | again
quit | @1 ^C +0.4 ^C×8/0.03 | again
quit | @1 ^C +0.5 ^C×8/0.12 | again
quit | @1 ^C +0.5 ^C×8/0.12 +0.3 ^C +0.3 ^C | again, again, done
quit | @1 ^C ^C | again
quit held | @0.05 ^C×20/0.03 |
quit held | @0.05 ^C×20/0.03 +1 ^C | again
export | @1 e +5 e | again, done
export | @1 e +11 e | again, again
export | @1 e×3/0.03 | again
interrupt | @1 ⎋ | done
interrupt held | @0.35 ⎋ |
interrupt held | @0.37 ⎋ | done
interrupt held | @0.45 ⎋×5/0.03 |
interrupt held | @0.1 x +0.1 ⎋ |
interrupt held | @0.1 x +0.3 ⎋ | done
interrupt | @1 ⎋×30/0.03 | done
interrupt | @1 ⎋ +0.5 ⎋ +0.05 x | done, done
withdraw | @1 ⎋ | again
withdraw | @1 ⎋ +0.3 ⎋ | again
withdraw | @1 ⎋ +0.5 ⎋ | again, done
withdraw | @1 ⎋ +0.5 ⎋×5/0.03 | again
withdraw | @1 ⎋ +2.5 ⎋ | again, again
prompt after a panel | @0.3 ⏎ | again
prompt after a panel | @0.3 ⏎ +0.2 ⏎ | again, done
prompt after a panel | @0.3 a +0.6 b +0.6 ⏎ | again
prompt after a panel | @0.3 a +0.6 b +0.6 ⏎ +0.3 ⏎ | again, done
prompt after a panel | @0.3 ⏎ a +0.1 ⏎ | again, again
prompt after a panel | @0.3 a +0.9 b +0.1 ⏎ | done
prompt after a panel | @0.9 ⏎ | done
"""
NAMES["^C"] = "ctrl+c"


@pytest.mark.parametrize("row", ROWS_OF_ALL.strip().splitlines())
def test_keys_come_to_what_the_table_says(row: str) -> None:
    name, keys, outcome = (one.strip() for one in row.split("|"))
    face = FACES[name.removesuffix(" held")]
    deciding = next(NAMES.get(one, one) for one in re.findall(r"⏎|\^C|⎋|\be\b", keys))
    hand = Hand(deciding, -0.03, escaped_at=-0.03) if name.endswith(" held") else Hand()
    surface = Surface(face, deciding, Keyboard(hand))
    play(surface, keys)
    assert ", ".join(surface.came) == outcome


def test_what_a_key_was_asked_for_does_not_count_for_something_else() -> None:
    surface = Surface(replace(FACES["quit"], twice="clear"), "escape")
    play(surface, "@1 ⎋")
    surface.now, surface.face = 1.5, FACES["withdraw"]
    surface.press("escape")
    assert surface.came == ["again", "again"]


@dataclass
class Trust:
    """A person at the question about trust, drawn 0.03 s after each change."""

    question: TrustKeys = field(default_factory=TrustKeys)
    now: float = 0.0

    def go(self, at: float) -> None:
        if at - self.now >= 0.03 or self.now == 0.0:
            self.question = self.question.drawn(min(at, self.now + 0.03) if self.now else 0.0)
        self.now = at
        if (due := self.question.due) and at - self.question.hand.at >= due:
            self.question = self.question.confirmed()

    def press(self, name: str) -> None:
        row = ROWS[int(name[5:]) - 1] if name.startswith("click") else None
        key = Stroke("paste", "y\nd", self.now) if name == "paste" else Stroke(
            "click" if row is not None else "space" if name == " " else name,
            name if len(name) == 1 else "",
            self.now,
        )  # fmt: skip
        self.question = pressed(self.question, key, row)

    @property
    def came(self) -> str:
        question = self.question
        answer = f"answer {question.answer.name}" if question.answer else f"at {question.row.name}"
        return f"{answer} “{question.typed}”" if question.typed else answer


OF_TRUST = """
⏎ | at LEAVE
@0.1 ⏎ +0.3 ⏎ | answer LEAVE
@0.1 ⏎ ⏎×20/0.03 | at LEAVE
@0.9 ⏎ | answer LEAVE
@1 ↓ +0.4 ⏎ | answer WITHOUT
@1 ↓ ↓ ↓ +0.4 ⏎ | answer TRUST
@1 ↓ +0.1 ⏎ | at WITHOUT
@1 ↓ +0.1 ⏎ +0.3 ⏎ | answer WITHOUT
@1 ↑ +0.4 ⏎ | answer LEAVE
@0.1 y | at LEAVE “y”
@1 y | at TRUST
@1 y +0.5 ⏎ | at TRUST
@1 y +0.9 ⏎ | answer TRUST
@1 y +0.1 ⏎ +0.3 ⏎ | answer TRUST
@1 y +0.1 e +0.1 s +0.1 ⏎ | at LEAVE “yes\\n”
@1 y +1 e +1 s +1 ⏎ +1 ⏎ | at LEAVE “yes\\n\\n”
@1 y +1 e +1 s +1 ⏎ ↓ +1 ⏎ | answer WITHOUT “yes\\n”
@1 d +1 a +1 y +1 ⏎ | at LEAVE “day\\n”
@1 y ⌫ +1 ⏎ | answer LEAVE
@1 x ⌫ +1 ⏎ | answer LEAVE
@1 y +1 ⏎ +0.1 d | answer TRUST “d”
@1 y +1 ⏎ +0.1 paste | answer TRUST “y\\nd”
@1 y +1 ⏎ +0.1 ⏎ | answer TRUST “\\n”
@1 click3 | at TRUST
@1 click3 +0.1 click3 | at TRUST
@1 click3 +1 click3 | answer TRUST
@1 click3 +1 click2 | at WITHOUT
@1 ⎋ | at LEAVE
@1 x +1 ⎋ +1 ⏎ | at LEAVE “x\\n”
"""


@pytest.mark.parametrize("row", OF_TRUST.strip().splitlines())
def test_trust_is_answered_only_as_the_table_says(row: str) -> None:
    keys, outcome = (one.strip() for one in row.split("|"))
    trust = Trust()
    trust.go(0.0)
    play(trust, keys)
    assert trust.came == outcome.replace("\\n", "\n")


def test_escape_leaves_only_where_there_is_something_to_stay_in() -> None:
    trust = Trust(TrustKeys(escapes=True))
    play(trust, "@1 later @2 ⎋")
    assert trust.question.answer is TrustAnswer.LEAVE


KEYS = st.sampled_from([*"ydnx", " ", "enter", "up", "down", "escape", "tab", "paste"])
PAUSES = st.sampled_from([0.0, 0.05, 0.3, PAUSE - 0.01, PAUSE, 1.5])


@given(st.lists(st.tuples(KEYS, PAUSES), max_size=40), st.sampled_from(["", "begun"]))
def test_only_a_deliberate_enter_trusts_and_every_key_is_kept(
    keys: list[tuple[str, float]], draft: str
) -> None:
    trust, text, last_text = Trust(TrustKeys(typed=draft)), draft, -PAUSE
    trust.go(0.0)
    for name, pause in keys:
        trust.go(trust.now + pause)
        was = trust.question
        trust.press(name)
        typed = "y\nd" if name == "paste" else name if len(name) == 1 else ""
        text += typed
        if was.answer is None and trust.question.answer is not None:
            assert name == "enter"
            assert trust.now - last_text >= PAUSE or was.sign is Sign.AGAIN
            assert trust.question.answer is was.row
        last_text = trust.now if typed else last_text
        kept = (trust.question.letters + trust.question.typed).replace("\n", "")
        assert kept == text.replace("\n", "")

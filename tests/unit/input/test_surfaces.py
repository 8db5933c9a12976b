"""The gate on other surfaces: lists, what is pressed twice, interrupts, the prompt, the trust question."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.config.trust import ROWS, TrustAnswer, TrustKeys, pressed
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


def rows(name: str) -> list[str]:
    """Return the rows of a table beside this file."""
    return Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()[1:]


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


NAMES["^C"] = "ctrl+c"


@pytest.mark.parametrize("row", rows("surfaces.txt"))
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


@pytest.mark.parametrize("row", rows("trust.txt"))
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
        kept = trust.question.typed.replace("\n", "")
        assert kept == text.replace("\n", "")

"""The gate on other surfaces: lists, what is pressed twice, interrupts, the prompt."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from ccq_tui.input.gate import NEVER, PAUSE, Face, Hand, KeyKind, Sign, Stroke, To
from ccq_tui.widgets.keys import Keyboard
from tests.tables import each_row
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


@each_row(*rows("surfaces.txt"))
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


TAPS = st.tuples(st.sampled_from(["", "x", "down"]), st.sampled_from([0.0, 0.03, 0.2, 0.3, 0.5, 1.0, 2.5]))


@settings(max_examples=400)
@given(st.sampled_from(sorted(FACES)), st.lists(TAPS, max_size=8))
def test_only_a_key_that_was_meant_for_a_surface_decides_there(
    name: str, keys: list[tuple[str, float]]
) -> None:
    """As somebody sees it who has a clock; no time is taken from the gate."""
    face = FACES[name]
    surface = Surface(
        face, {"quit": "ctrl+c", "export": "e"}.get(name, "escape" if face.interrupts else "enter")
    )
    quiet = 0.8 if face.quiet == PAUSE else 0.4
    wrong, named, last, shown = "", NEVER, ("", NEVER), face.shown_at
    for tapped, pause in [*keys, ("down", 20.0)]:
        count = len(surface.came)
        surface.go(round(surface.now + pause, 6))
        assert not (wrong and "done" in surface.came[count:]), wrong
        now, key, count = surface.now, tapped or surface.deciding, len(surface.came)
        if key == surface.deciding:
            again = now - named <= (10.0 if face.reads else 2.0 if face.twice else 99.0)
            seen = shown is not None and (not face.by_itself or now - shown >= quiet)
            repeats = last[0] == key and now - last[1] < 0.15
            wrong = "a repeat" if repeats else ""
            if not again and (face.twice or not seen):
                wrong = "neither named, nor in sight long enough"
        surface.press(key)
        assert not (wrong and "done" in surface.came[count:]), wrong
        if key == "x" and quiet == 0.8 and shown is not None and now - shown < quiet:
            shown = now  # words go on that were begun before
        named = now if surface.came[count:] == ["again"] else named if key == surface.deciding else NEVER
        last = key, now

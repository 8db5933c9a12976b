"""The question whether to trust a directory, over which somebody types a prompt ahead."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

from ccq_tui.config.launch import Launch, ProgramArguments, launch_with
from ccq_tui.prompts.unread import directory_key
from ccq_tui.screens import trust
from ccq_tui.screens.trust import TrustScreen
from tests.ui.keystrokes.hands import LETTERS, Hands
from tests.ui.keystrokes.oracle import NEVER, TRUST_QUIET, WORD, Frame, Watch, typed
from tests.ui.session import Driven, prompt_kept

ROWS = {"quit": "Do not trust", "without": "Start without", "trust": "Trust it, and"}
MOVES = ("up", "down")
OTHERS = ("enter", "escape", "space", "tab", "up", "down", "pagedown", "end", "f1", "ctrl+d")
MOST_KEYS = 80
"""Keys for one question; then it is left."""


@dataclass(frozen=True)
class Enter:
    """The last Enter that may have answered: its time, what was drawn, and how much was typed until then."""

    at: float = NEVER
    frame: Frame = field(default_factory=Frame)
    may: bool = False
    typed: int = 0
    sign: str = ""


class Trust(Hands):
    """One program after the other that asks whether to trust its directory."""

    PLACE = "trust"

    def __init__(self, seed: int, where: Path) -> None:
        super().__init__(seed, where)
        self.watch = Watch(TRUST_QUIET)
        self._asked = 0

    async def drive(self, count: int) -> None:
        """Press so many keys."""
        while self.counts["keys"] < count and not self.violations:
            self.trace.clear()
            self.watch = Watch(TRUST_QUIET)
            self._typed, self._answered_after = "", -1
            self._enter = Enter()
            self._in_word = self._signed = False
            await self.in_program(Driven(self._launch(), clock=self.clock), self._drive)

    def patches(self) -> Iterator[Any]:
        """Have the question's delays follow the clock, too."""
        yield patch.object(trust, "after", self.timers.after)

    def _launch(self) -> Launch:
        self._asked += 1
        project = self.where / f"project {self._asked}"
        project.mkdir()
        servers = {f"db{n}": {"command": "npx", "args": ["-y", f"db-{n}"]} for n in range(self._asked % 40)}
        (project / ".mcp.json").write_text(json.dumps({"mcpServers": servers or {"db": {"command": "npx"}}}))
        return replace(launch_with({"cwd": project}), program=ProgramArguments(state=project / "state"))

    @property
    def _asking(self) -> TrustScreen | None:
        return next((one for one in self.app.screen_stack if isinstance(one, TrustScreen)), None)

    def looked(self) -> None:
        """See whether the question is in front."""
        front = self._asking if self.app.screen_stack and self.app.screen is self._asking else None
        if self.watch.looked(front, self.clock.now, asked_for=self.trace[-1:] == ["press f1"]):
            self.counts["questions"] += front is not None

    async def _drive(self) -> None:
        first = self.counts["keys"]
        while self.counts["keys"] - first < MOST_KEYS and self._asking is not None:
            await self._do_something()
            if self.violations or self._answered_after >= 0:
                break
        await self._see_to_the_end()

    async def _do_something(self) -> None:
        what = self.random.random()
        if what < 0.05:
            await self.resize()
        elif what < 0.25:
            keys = self.letters()
            if self.random.random() < 0.4:
                keys.insert(self.random.randint(0, len(keys)), "enter")
            await self._press(*keys)
        elif what < 0.40:
            await self.pass_time(self.random.choice((0.5, 0.81, 3.0)))
            for _ in range(self.random.randint(0, 3)):
                await self._press(self.random.choice(MOVES), pause=0.85)
            await self._press("enter", pause=self.random.choice((0.2, 0.85)))
        elif what < 0.7:
            await self._press(self.random.choice(LETTERS))
        else:
            await self._press(self.random.choice(OTHERS))

    async def _press(self, *keys: str, pause: float | None = None) -> None:
        await self.pass_time(pause)
        screen = self._asking
        if self._answered_after >= 0:
            return
        if screen is None or self.app.screen is not screen:
            if self.app.screen_stack and self.app.screen is not screen:
                self.post("f1")  # the help lies over it
                await self.settle()
            return
        at, frame = self.clock.now, self.frame()
        may = max(self._judge(key, at) for key in keys)
        before, self._typed = self._typed, self._typed + "".join(map(typed, keys))
        if "enter" in keys:
            upto = len(self._typed) - len("".join(map(typed, _behind(keys))))
            self._enter = Enter(at, frame, may, upto, "❯" if len(keys) == 1 else "")
        elif at - self._enter.at >= WORD:  # one that waited for a repeat answers as the next key comes
            self._enter = Enter(typed=len(before))
        self.post(*keys)
        await self.settle()
        self._answers(screen)

    async def pass_time(self, pause: float | None = None) -> None:
        """Let some time pass; an Enter that nothing repeats answers then."""
        screen = self._asking
        await super().pass_time(pause)
        if screen is not None:
            self._answers(screen)

    def _answers(self, screen: TrustScreen) -> None:
        """Look whether an answer came of a key that might give it."""
        enter = self._enter
        if (row := screen._question.answer) is None:
            self.expect(self.run.session is None, "a session began without an answer")
        elif self._answered_after < 0:
            self._answered_after = enter.typed
            seen = enter.frame.shows(ROWS[row.value], enter.sign)
            self.confirmed(enter.may and seen, f"{row}: might {enter.may}, in sight {seen}")

    def _judge(self, key: str, at: float) -> bool:
        """Note a key; return whether it may answer."""
        fresh = self.watch.fresh(at)
        may = key == "enter" and not self._in_word and (self._signed or not fresh)
        self._signed = key == "enter" and fresh
        if typed(key):
            self._in_word = True
            self.watch.quiet_from = at + TRUST_QUIET
        elif key == "enter" or key in MOVES:
            self._in_word = False
        return may

    async def _see_to_the_end(self) -> None:
        """Type on, and look where all of it is."""
        if self._answered_after < 0:
            self.counts["left"] += 1
            return
        while not (self.app._exit or self.run.session is not None):
            await self.settle()
        await self.settle()
        if self.app._exit:
            directory = self.run.app._launch.settings.directory
            text = prompt_kept(directory / "state", directory_key(directory))
            self._all_there((text.text if text else "").replace("\n", "").strip(), end=True)
            return
        behind = self.letters()
        self.post(*behind)
        self._typed += "".join(map(typed, behind))
        await self.settle()
        self._all_there(self.run.session_screen.dock.prompt.text.replace("\n", ""), end=False)

    def _all_there(self, text: str, *, end: bool) -> None:
        wanted = self._typed.strip() if end else self._typed
        self.expect(text == wanted, f"{text!r} stands there, not {wanted!r}")


def _behind(keys: tuple[str, ...]) -> tuple[str, ...]:
    """Return what was typed behind the answer."""
    return keys[keys.index("enter") + 1 :] if "enter" in keys else ()

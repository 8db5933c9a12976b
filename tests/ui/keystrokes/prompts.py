"""The prompt's own keys while panels come up: they decide and send nothing, and nothing typed is lost."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

from ccq_tui.agent.events import ModelChoice, ModelsListed, SessionState, StateChanged
from ccq_tui.commands import shell
from ccq_tui.config.launch import Launch, ProgramArguments
from ccq_tui.config.settings import Settings
from ccq_tui.prompts.shell_runs import ShellRun
from ccq_tui.screens.session import prompts
from tests.ui.keystrokes.hands import LETTERS, PAUSES
from tests.ui.keystrokes.panels import Before, Panels
from tests.ui.session import Driven
from tests.unit.prompts.pictures import png

QUITTING = ("ctrl+c", "ctrl+d")
DELETING = ("ctrl+u", "ctrl+w", "ctrl+k")
OPENING = ("alt+p", "alt+t", "ctrl+t", "ctrl+b")
NEWER = (*("ctrl+c", "ctrl+d", "ctrl+s", "ctrl+s", "ctrl+v", "!"), *DELETING, *OPENING)
MODELS = ModelsListed((ModelChoice("a", "A", "The first", "claude-a"),))


class Ran:
    """A command behind `!` that is over at once."""

    def __init__(self, command: str, *_: object) -> None:
        self.command, self.stopped = command, False

    async def run(self) -> ShellRun:
        return ShellRun(self.command, "out\n")

    def stop(self) -> None:
        self.stopped = True

    def kill(self) -> None:
        self.stopped = True


class Prompts(Panels):
    """The prompt with images, commands behind `!`, what is put aside, and Vim's keys in some programs."""

    PLACE = "prompt"
    normal = False
    """Whether letters were commands of Vim when the last key was pressed."""

    async def drive(self, count: int) -> None:
        """Press so many keys; a program that was quit is started again."""
        self.goal = count
        while self.counts["keys"] < count:
            settings = Settings(cwd=self.where, vim_prompt=self.random.random() < 0.4)
            launch = Launch(settings=settings, program=ProgramArguments(state=self.where))
            await self.in_program(Driven(launch, clock=self.clock), self._drive)

    def patches(self) -> Iterator[Any]:
        """Stand in for the shell and the clipboard."""

        async def held(_: object) -> bytes | str:
            return self.random.choice((png(4, 4), "from the clipboard"))

        yield patch.object(shell, "ShellProcess", Ran)
        yield patch.object(prompts, "reader", lambda _: None)
        yield patch.object(prompts, "read_clipboard", held)

    async def _drive(self) -> None:
        self.run.told.tell(MODELS)
        if self.random.random() < 0.5:
            self.run.told.tell(StateChanged(SessionState.WORKING))
        await self.settle()
        while self.counts["keys"] < self.goal and not self.over:
            await self._do_something()
        if self.over:
            pressed = [key for said in self.trace if said.startswith("press ") for key in said.split()[1:]]
            self.counts["quits"] += 1
            # A session that still ends may take one more key.
            pairs = zip(pressed[-3:], pressed[-2:], strict=False)
            meant = any(first == second and first in QUITTING for first, second in pairs)
            self.expect(meant, f"{pressed[-3:]} quit")

    async def _do_something(self) -> None:
        if self.random.random() < 0.3:
            await self._press_newer(self.random.choice(NEWER))
        else:
            await super()._do_something()

    # -- what is there ---------------------------------------------------------------------------------------

    def _before(self) -> Before:
        self.normal = self.dock.prompt.field.vim.mode.startswith("NORMAL")
        return super()._before()

    @property
    def over(self) -> bool:
        """Whether the program was quit, even if its session still ends."""
        return self.app._exit or self.run.app._ending

    def texts(self) -> dict[str, Counter[str]]:
        """Every character that stands somewhere; what was put aside comes back."""
        prompt = self.dock.prompt
        aside = prompt._stashed.text if prompt._stashed else ""
        left = prompt._walk.draft if prompt._walk.draft != prompt.field.text else ""
        sent = (re.sub(r"(?s)</?bash-input>|\n<bash-stdout>.*", "", one) for one in self.run.told.sent)
        return super().texts() | {"prompt": Counter("".join([prompt.text, aside, left, *sent]))}

    @property
    def kept(self) -> Counter[str]:
        """Every character of the prompt and of what was put aside."""
        return Counter(self.dock.prompt.kept.text.replace("\n", ""))

    async def pass_time(self, pause: float | None = None) -> None:
        """Let some time pass; two keys never come at one time, as they do not by a real clock."""
        await super().pass_time(max(0.001, self.random.choice(PAUSES) if pause is None else pause))

    # -- keys ------------------------------------------------------------------------------------------------

    async def _press_newer(self, key: str) -> None:
        await self.pass_time()
        if self.over:
            return
        before, text, kept = self._before(), self.dock.prompt.text, self.kept
        if key == "!":
            if before.prompt_has_keys and not text:
                await self._press("!", 0.0)
            return
        await self._pressed(key)
        if self.over:
            return
        if before.prompt_has_keys and not self.dock.prompt.searching:
            await self._judge(key, text, kept)
        await self._come_back()

    async def _judge(self, key: str, text: str, kept: Counter[str]) -> None:
        """Look whether a key of the prompt lost anything."""
        now = self.dock.prompt.text
        match key:
            case "ctrl+s":
                self.expect(self.kept == kept, f"{kept - self.kept} was not put aside")
            case "ctrl+c" if now != text:
                known = [one.strip() for one in self.run.session_screen.queue.earlier]
                self.expect(not now and text.strip() in known, f"{text!r} was cleared, and is nowhere")
            case "ctrl+v":
                self.expect(not Counter(text) - Counter(now), f"{text!r} became {now!r}")
                self.counts["pasted"] += now != text
            case "ctrl+d":
                self.expect(len(text) - len(now) in (0, 1) or "[" in text, f"{text!r} became {now!r}")
            case _ if key in OPENING:
                self.expect(now == text, f"{text!r} became {now!r} by {key}")
            case _ if now != text and self.front is None:
                self.post("ctrl+y")
                await self.settle()
                back = self.dock.prompt.text
                self.expect(text in back or self.front is not None, f"{text!r} came back as {back!r}")

    async def _come_back(self) -> None:
        """Leave the list that a key has opened."""
        for _ in range(3):
            if self.over or self.app.screen is self.run.session_screen:
                return
            await self.pass_time(1.0)
            self.post("escape")
            await self.settle()
        if not self.over:
            self.expect(self.app.screen is self.run.session_screen, "a list stays open")

    async def _press(self, key: str, pause: float | None = None) -> None:
        if not self.over:
            await super()._press(key, pause)

    def _account(self, keys: tuple[str, ...], before: Before) -> None:
        if not (self.normal or self.over):  # there letters are commands, or go with the program
            super()._account(keys, before)

    async def _burst(self) -> None:
        """Type in one go; among Vim's commands it is only seen that nothing is decided."""
        self._before()
        if not (self.normal or self.over):
            await super()._burst()
        elif self.front is None and self.prompt_has_keys and not self.over:
            before = self._before()
            self.post(*self.random.choices(LETTERS.replace(" ", ""), k=5))
            await self.settle()
            self.expect(len(self.answers) == before.answers, "an outcome in a burst of Vim's commands")

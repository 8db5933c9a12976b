"""Lists to choose from: of a command, of earlier prompts, and those that complete a prompt."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from unittest.mock import patch

from textual.worker import Worker

from ccq_tui.agent.controls import Control
from ccq_tui.agent.events import ModelChoice, ModelsListed, PromptAccepted
from ccq_tui.commands.command import PickRow
from ccq_tui.config.launch import Launch
from ccq_tui.config.settings import Settings
from ccq_tui.screens.list_screen import ListField
from ccq_tui.screens.pickers import Picker
from ccq_tui.screens.session.screen import SessionScreen
from tests.ui.keystrokes.hands import gained
from tests.ui.keystrokes.oracle import Frame, typed
from tests.ui.keystrokes.panels import Panels, may_act
from tests.ui.session import Driven, T, ToldSession, asked

COMMANDS = ("/model", "/mode", "/effort", "/rewind", "/rewind", "/mcp", "/theme")
OTHERS = ("enter", "enter", "escape", "down", "up", "pagedown", "end", "home", "tab", "f2", "f1", "ctrl+d")
LETTERS = "aeloprs12 /@é"
TAKING = ("enter",)
MODELS = ModelsListed(
    tuple(
        ModelChoice(f"model-{n}", f"Model {n}", "for much", f"claude-{n}", ("low", "high")) for n in range(12)
    )
)
REPLIES: Mapping[str, Any] = {
    "rewind_files": {"canRewind": True, "filesChanged": ["/a.txt"], "deletions": 4},
    "rewind_conversation": {"rewound": True, "prefillText": "Prompt"},
    "mcp_status": {"mcpServers": [{"name": f"server {n}", "status": "connected"} for n in range(3)]},
}


class SlowSession(ToldSession):
    """A session whose CLI takes its time where it is told to."""

    held: asyncio.Event | None = None

    async def ask(self, control: Control[T]) -> T:
        self.replies.update(REPLIES)
        if self.held is not None:
            await self.held.wait()
        return await super().ask(control)


class Lists(Panels):
    """Lists that open at a command, some of them late, while somebody types on."""

    PLACE = "lists"

    def __init__(self, seed: int, where: Path) -> None:
        super().__init__(seed, where)
        self._chosen: list[tuple[Picker, str]] = []
        self._left: list[str] = []
        self._submitted: list[str] = []
        self._known: object = None
        self._last = ""

    async def drive(self, count: int) -> None:
        """Press so many keys."""
        self.goal = count
        (self.where / "src").mkdir()
        for name in ("alpha.py", "beta.py", "epsilon.py", "src/rest.py"):
            (self.where / name).write_text("")
        launch = Launch(settings=Settings(cwd=self.where))
        await self.in_program(Driven(launch, SlowSession, self.clock), self._drive)

    def patches(self) -> Iterator[Any]:
        """Hear what is chosen and sent."""
        hands, dismiss, take = self, Picker.dismiss, SessionScreen.take_command

        def dismissed(picker: Picker, result: str | None = None) -> Any:
            if picker.is_active:
                hands._left.append(picker.field.text)
                if result is not None:
                    hands._chosen.append((picker, result))
            return dismiss(picker, result)

        def taken(screen: SessionScreen, text: str) -> bool:
            hands._submitted.append(text)
            return take(screen, text)

        yield patch.object(Picker, "dismiss", dismissed)
        yield patch.object(SessionScreen, "take_command", taken)

    async def _drive(self) -> None:
        while self.counts["keys"] < self.goal:
            await self._begin_session()
            await self._do_something()
        await self._reply()

    async def _begin_session(self) -> None:
        """Tell the session what there is to choose."""
        if self.run.session is self._known:
            return
        self._known = self.run.session
        self.run.told.tell(MODELS)
        for number in range(9):
            self.run.told.tell(PromptAccepted(f"Prompt {number}", prompt_id=f"p{number}"))
        await self.settle()

    async def _do_something(self) -> None:
        what = self.random.random()
        if what < 0.14:
            await self._command()
        elif what < 0.20:
            await self._reply()
        elif what < 0.22:
            await self.resize()
        elif what < 0.24 and not self.dock.line.items:
            self._names += 1
            self.say("asked")
            self.run.told.tell(asked(f"r{self._names}"))
            await self.settle()
        elif what < 0.40:
            await self._burst()
        elif what < 0.52:
            await self._press(self.random.choice(("enter", "enter", "down", "ctrl+f")), 1.6)
        elif what < 0.70:
            await self._press(self.random.choice(LETTERS))
        else:
            await self._press(self.random.choice(OTHERS))

    async def _command(self) -> None:
        """Give a command in an empty prompt, with or without something typed on at once."""
        if not self.prompt_has_keys or self._command_runs:
            return
        await self.pass_time()
        if not self.prompt_has_keys:
            return
        self.dock.prompt.put("")
        await self.settle()
        await self.pass_time(3.0)  # a prompt that a panel left sends nothing before
        if not self.prompt_has_keys:
            return
        if self.random.random() < 0.5:
            self.run.told.held = asyncio.Event()  # type: ignore[attr-defined]
        self.post(*self.random.choice(COMMANDS), "enter")
        await self.settle()

    async def _reply(self) -> None:
        held = getattr(self.run.told, "held", None)
        if held is not None:
            self.say("the CLI replies")
            self.run.told.held = None  # type: ignore[attr-defined]
            held.set()
            await self.settle()

    def rests(self, worker: Worker[Any]) -> bool:
        """Whether work is none that is to be waited for: sessions come late, or one is to be deleted."""
        asks = any(type(screen) is Picker for screen in self.app.screen_stack)
        late = getattr(self.run.told, "held", None) is not None or asks
        return super().rests(worker) or (worker.name == "sessions" and late)

    # -- what is there ---------------------------------------------------------------------------------------

    @property
    def _command_runs(self) -> bool:
        return any(worker.is_running and worker.name.startswith("/") for worker in self.app.workers)

    @property
    def list(self) -> Picker | None:
        """The list in front, or None."""
        return self.app.screen if isinstance(self.app.screen, Picker) else None

    def looked(self) -> None:
        """See what came to the front; a list that was asked for came at once, by a key in the prompt."""
        if not any(isinstance(screen, SessionScreen) for screen in self.app.screen_stack):
            return
        shown = self.list
        super().looked()
        if shown is None:
            self.watch.looked(None, self.clock.now, asked_for=True)
            return
        last = self.trace[-1]
        by_key = (
            last.startswith("press") and last.endswith("enter") and not isinstance(self.watch.front, Picker)
        )
        if self.watch.looked(shown, self.clock.now, asked_for=by_key or last == "press f1"):
            self.counts["lists"] += 1

    def texts(self) -> dict[str, Counter[str]]:
        """Every character that stands somewhere, what was to be found and what was sent included."""
        places = super().texts()
        # A list that comes late lies over the help or the inbox: what follows its Esc goes there.
        filters = [one.text for screen in self.app.screen_stack for one in screen.query(ListField)]
        places["lists"] = Counter("".join([*filters, *self._left]))
        places["prompt"] = Counter("".join([self.dock.prompt.text, *self._submitted]))
        return places

    # -- keys ------------------------------------------------------------------------------------------------

    async def _burst(self) -> None:
        """Type in one go, with what takes or leaves a list among it."""
        await self.pass_time()
        shown = self.list
        if shown is None and not self.prompt_has_keys:
            return
        letters = [self.random.choice(LETTERS) for _ in range(self.random.randint(1, 6))]
        first = [] if shown is not None and shown.field.text else [*self.random.choice(("", "e", "r"))]
        keys = [*({"e": "escape", "r": "enter"}[one] for one in first if shown is not None), *letters]
        if self.random.random() < 0.4:
            keys.append("enter")
        await self._in_list(*keys)
        self.counts["bursts"] += 1

    async def _press(self, key: str, pause: float | None = None) -> None:
        completing = self.prompt_has_keys and self.dock.prompt.choices is not None
        if self.list is None and not completing:
            if self.prompt_has_keys and key in ("up", "tab", "ctrl+f"):
                return  # they bring back earlier prompts, or what was sent
            await super()._press(key, pause)
            return
        await self.pass_time(pause)
        await self._in_list(key)

    async def _in_list(self, *keys: str) -> None:
        now, shown, frame = self.clock.now, self.list, self.frame()
        before, chosen, prompt = self.texts(), len(self._chosen), self.dock.prompt.text
        fresh, offered, told = self.watch.fresh(now), self.dock.prompt.choices, self.run.told
        answers = len(told.answers)
        self._word = None
        again, self._last = self._last == "enter", keys[-1]  # the line of keys named the next one
        had_keys, sent = shown is not None or self.prompt_has_keys, len(self._submitted)
        self.post(*keys)
        await self.settle()
        # Of the session that had the keys: a list of sessions may have put another one in its place.
        self.expect(len(told.answers) == answers, "a panel was answered by a key for a list")
        for picker, value in self._chosen[chosen:]:
            row = next((row for row in picker.state.rows if row.value == value), PickRow("", ""))
            label = row.label
            right = any(key in TAKING for key in keys) and picker is shown
            seen = frame.shows(label, "❯" if len(keys) == 1 else "") or frame.begins(label, "❯")
            # Who writes what to find and takes it in one go has not seen the row, but has named it.
            words = self._left[-1].casefold().split() if keys[:-1] and all(map(typed, keys[:-1])) else []
            seen |= bool(words) and all(word in f"{label} {row.description}".casefold() for word in words)
            self.confirmed(
                right and seen and (again or not fresh),
                f"{label!r} of {picker.heading!r} by {keys}: right {right}, in sight {seen}, fresh {fresh}\n"
                + "\n".join(frame.lines),
            )
        if shown is None and len(keys) == 1 and offered is not None and len(self._submitted) == sent:
            self._completed(keys[0], prompt, frame)
        letters = Counter("".join(map(typed, keys)))
        if had_keys and not (keys[0] in ("tab", "enter") and shown is None):
            # A panel that comes up behind the list takes letters as commands, where it was used before.
            behind = may_act("".join(map(typed, keys)), None) if self.front is not None else Counter[str]()
            missing = letters - gained(before, self.texts()) - behind
            self.expect(not missing, f"{''.join(missing)!r} of {keys} is nowhere")

    def _completed(self, key: str, prompt: str, frame: Frame) -> None:
        """Look whether a row that was put into the prompt was in sight."""
        now = self.dock.prompt.text
        if now == prompt or typed(key) or key in ("escape", "f2", "ctrl+d"):
            return
        took = now.split()[-1].lstrip("@") if now.split() else ""
        seen = frame.shows(took[:6], "❯") or frame.shows(took[-6:], "❯")
        self.counts["completed"] += 1
        self.confirmed(
            key in ("tab", "enter") and seen, f"{prompt!r} became {now!r} by {key}, in sight {seen}"
        )

"""/model, /mode, /effort, /thinking and /cost."""

from collections.abc import Callable, Collection
from typing import get_args

from ccq_tui.agent import controls
from ccq_tui.agent import events as ev
from ccq_tui.choices import Effort, PermissionMode
from ccq_tui.commands.command import CommandGroup, CommandRunner, CommandUi, PickRow, Work
from ccq_tui.runtime.view import BYPASS
from ccq_tui.words import on_clock, plural

CYCLE = ("default", "acceptEdits", "plan", "auto", BYPASS)
"""The modes in the order of the key, which only leaves dontAsk: that refuses what it would ask."""
MEANINGS = {
    "default": "asks before it changes or runs anything",
    "acceptEdits": "edits files unasked, asks before it runs commands",
    "plan": "looks and plans, changes nothing",
    "auto": "lets a classifier decide when to ask",
    "dontAsk": "denies whatever needs permission",
    BYPASS: "does everything unasked, without any check",
}
"""What Claude does in each mode."""
MODE_ERROR = "mode"
"""Kind of the error that reports a refused mode."""
NAMES = {"acceptEdits": "Accept edits", "dontAsk": "Don't ask", BYPASS: "BYPASS PERMISSIONS"}
"""Names shown for modes in place of their own."""
Take = Callable[[str], None]


def offered_modes(*, auto: bool, bypass: bool, refused: Collection[str] = ()) -> tuple[str, ...]:
    """Return the modes that the key goes through."""
    left_out = {*refused, *(() if auto else ("auto",)), *(() if bypass else (BYPASS,))}
    return tuple(mode for mode in CYCLE if mode == "default" or mode not in left_out)


def next_mode(mode: str, offered: tuple[str, ...]) -> str:
    """Return the mode after one; the first after the last, and after one that is not offered."""
    return offered[(offered.index(mode) + 1) % len(offered)] if mode in offered else offered[0]


def mode_words(mode: str) -> str:
    """Return the name of a wanted mode and what it means."""
    return f"{NAMES.get(mode, mode.capitalize())} mode · Claude {MEANINGS[mode]}"


EFFORTS = {
    "low": "quick answers",
    "medium": "a balance",
    "high": "thinks longer",
    "xhigh": "thinks much longer",
    "max": "as long as it takes",
}


class ModelCommands(CommandGroup[CommandUi]):
    """Chooses model, permission mode and effort, by name or from a list, and shows what they use."""

    def __init__(self, runner: CommandRunner[CommandUi]) -> None:
        super().__init__(runner)
        self.models: tuple[ev.ModelChoice, ...] = ()
        """The models to choose from."""
        self._thinks = True
        self._wanted = ""
        """The mode on its way: the key may be pressed again before the CLI has said yes."""
        self._refused: frozenset[str] = frozenset()

    def take(self, event: ev.AgentEvent) -> None:
        """Remember the models, the present thinking, and what became of the wanted mode."""
        match event:
            case ev.ModelsListed(models):
                self.models = models
            case ev.ModeChanged(mode) if mode == self._wanted:
                self._wanted = ""
            case ev.ErrorReported(kind=kind) if kind == MODE_ERROR and self._wanted:
                self._refused |= {self._wanted}
                self._wanted = ""
            case ev.Connected():
                self._thinks = True
            case ev.EffortChanged(level):
                self._runner.tell(f"Effort: {level}, from the next request")

    def _named(self, name: str, take: Take, pick: Work) -> Work | None:
        """Take what is named, or else have it picked from the list."""
        if not name:
            return pick
        take(name)
        return None

    # -- model -------------------------------------------------------------------------------------------

    def model(self, name: str) -> Work | None:
        """Choose the model named, or one from the list."""
        return self._named(name, self._named_model, self._pick_model)

    async def _choose(self, title: str, rows: list[PickRow], take: Take, about: str = "") -> None:
        if (value := await self._runner.pick(title, rows, about=about)) is not None:
            take(value)

    async def _pick_model(self) -> None:
        if not self.models:
            self._ui.say("Claude is still starting · /model NAME works already")
            return
        now = self._model_now()
        rows = [PickRow(one.value, one.name, one.description, current=one is now) for one in self.models]
        about = "Takes effect with the next prompt; /model NAME accepts any model."
        await self._choose("Model", rows, self._named_model, about)

    def _model_now(self) -> ev.ModelChoice | None:
        """Return the model in use; of several that are the same, the one whose name was chosen."""
        exact = [model for model in self.models if model.value == self._ui.view.model]
        return next(iter([*exact, *(m for m in self.models if m.resolved == self._ui.view.model)]), None)

    def _named_model(self, name: str) -> None:
        wanted = name.casefold()
        found = next((m for m in self.models if wanted in (m.value.casefold(), m.name.casefold())), None)
        value = found.value if found else name
        self._ui.session.agent.set_option("model", "" if value == "default" else value)
        shown = f"{found.name} ({found.resolved})" if found and found.resolved else value
        # The CLI reports it in the transcript itself, once it is done.
        self._ui.say(f"Model: {shown}, from the next prompt")

    # -- mode --------------------------------------------------------------------------------------------

    def mode(self, name: str) -> Work | None:
        """Choose the permission mode named, or one from the list."""
        return self._named(name, self._named_mode, self._pick_mode)

    def next_mode(self) -> None:
        """Go to the next permission mode."""
        settings = self._ui.launch.settings
        bypass = settings.permission_mode == BYPASS or settings.allow_dangerously_skip_permissions
        auto = any(model.auto_mode for model in self.models)
        offered = offered_modes(auto=auto, bypass=bypass, refused=self._refused)
        self._wanted = next_mode(self._wanted or self._ui.view.mode, offered)
        self.set_mode(self._wanted)

    def set_mode(self, mode: str) -> None:
        """Ask for a permission mode."""
        self._ui.session.agent.set_option("mode", mode)
        self._ui.say(mode_words(mode))  # the status line says it once the CLI has agreed

    def _modes(self) -> list[str]:
        """Return the modes to choose from; the one without checks only if the session started with it."""
        bypassing = self._ui.launch.settings.permission_mode == BYPASS
        return [mode for mode in get_args(PermissionMode) if mode != BYPASS or bypassing]

    async def _pick_mode(self) -> None:
        now = self._ui.view.mode
        rows = [PickRow(mode, mode, MEANINGS[mode], current=mode == now) for mode in self._modes()]
        await self._choose("Permission mode", rows, self.set_mode)

    def _named_mode(self, name: str) -> None:
        modes = {mode.casefold(): mode for mode in self._modes()}
        mode = modes.get(name.casefold())
        if mode is not None:
            self.set_mode(mode)
        elif name.casefold() == BYPASS.casefold():
            self._runner.tell(
                f"{BYPASS} is available only when ccq-tui starts with --permission-mode {BYPASS}", "warning"
            )
        else:
            self._runner.tell(f"Unknown mode {name}; choose {', '.join(modes.values())}", "warning")

    # -- effort ------------------------------------------------------------------------------------------

    def effort(self, level: str) -> Work | None:
        """Choose the effort named, or one from the list."""
        return self._named(level, self._named_effort, self._pick_effort)

    def _efforts(self) -> tuple[str, ...]:
        now = self._model_now()
        return now.efforts if now and now.efforts else get_args(Effort)

    async def _pick_effort(self) -> None:
        now = self._ui.view.effort
        if not now and (self._ui.view.busy or self._ui.view.state is ev.SessionState.IDLE):
            now = await self._runner.send_control(controls.APPLIED_EFFORT)
        now = now or self._ui.launch.settings.effort or ""
        rows = [PickRow(one, one, EFFORTS.get(one, ""), current=one == now) for one in self._efforts()]
        await self._choose("Effort", rows, self._named_effort, "How hard the model thinks.")

    # -- thinking ----------------------------------------------------------------------------------------

    async def thinking(self) -> None:
        """Turn extended thinking off, or on again."""
        on = not self._thinks
        await self._runner.send_control(controls.set_thinking(on=on))
        self._thinks = on
        still = "" if on else " · adaptive models still think: /effort steers them"
        self._ui.say(f"Thinking is {'on' if on else 'off'} from the next prompt{still}", seconds=8.0)

    def _named_effort(self, name: str) -> None:
        level = name.casefold()
        if level in self._efforts():
            self._ui.session.agent.set_option("effort", level)
        else:
            self._runner.tell(f"Unknown effort {name}; choose {', '.join(self._efforts())}", "warning")

    # -- usage -------------------------------------------------------------------------------------------

    async def cost(self) -> None:
        """Show cost, tokens and time."""
        report = (await self._runner.send_control(controls.SESSION_COST)).strip()
        turns = f"{plural(self._ui.view.turns, 'turn')} ended in this terminal"
        self._runner.tell(f"{turns}, {on_clock(int(self._ui.view.worked))} of work\n{report}".rstrip())

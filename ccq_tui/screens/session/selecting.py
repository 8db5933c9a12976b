"""The part of the screen where model, permission mode and effort are chosen."""

from __future__ import annotations

from typing import get_args

from ccq_tui.agent.events import EffortChanged, ModelChoice, ModelsListed
from ccq_tui.choices import Effort, PermissionMode
from ccq_tui.screens.pickers import PickRow
from ccq_tui.screens.session.commanding import Commanding
from ccq_tui.screens.session.commands import Called
from ccq_tui.screens.session.modes import BYPASS, MEANINGS, said
from ccq_tui.supervisor.events import SessionEvent

EFFORTS = {
    "low": "quick answers",
    "medium": "a balance",
    "high": "thinks longer",
    "xhigh": "thinks much longer",
    "max": "as long as it takes",
}


class Selecting(Commanding):
    """Does /model, /mode and /effort, with a name or from a list."""

    _models: tuple[ModelChoice, ...] = ()
    _effort = ""

    def handle(self, event: SessionEvent) -> None:
        """Remember what there is to choose from."""
        super().handle(event)
        match event:
            case ModelsListed(models):
                self._models = models
            case EffortChanged(level):
                self._effort = level
                self.tell(f"Effort: {level}, from the next request on")
            case _:
                pass

    def command(self, command: Called) -> None:
        """Choose, from a list where no name is given."""
        match command.name:
            case "model":
                self._named_model(command.argument) if command.argument else self.work(
                    self._pick_model, "model"
                )
            case "mode":
                self._named_mode(command.argument) if command.argument else self.work(self._pick_mode, "mode")
            case "effort" if command.argument:
                self._named_effort(command.argument)
            case "effort":
                self.work(self._pick_effort, "effort")
            case _:
                super().command(command)

    # -- model -------------------------------------------------------------------------------------------

    async def _pick_model(self) -> None:
        if not self._models:
            self.dock.notices.say("Claude is still starting · /model NAME works already")
            return
        now = self._model_now()
        rows = [
            PickRow(model.value, model.name, model.description, current=model is now)
            for model in self._models
        ]
        about = "Answers from the next prompt on; /model NAME takes any other."
        if (name := await self.pick("Model", rows, about=about)) is not None:
            self._named_model(name)

    def _model_now(self) -> ModelChoice | None:
        """Return the model in use, by the name it was chosen by where several are the same."""
        exact = [model for model in self._models if model.value == self.view.model]
        return next(iter([*exact, *(m for m in self._models if m.resolved == self.view.model)]), None)

    def _named_model(self, name: str) -> None:
        wanted = name.casefold()
        found = next((m for m in self._models if wanted in (m.value.casefold(), m.name.casefold())), None)
        value = found.value if found else name
        chosen = None if value == "default" else value
        self.session.agent.set_model(chosen)
        self.chose("model", chosen)
        shown = f"{found.name} ({found.resolved})" if found and found.resolved else value
        # In the transcript the CLI says it itself, once it has done it.
        self.dock.notices.say(f"Model: {shown}, from the next prompt on")

    # -- mode --------------------------------------------------------------------------------------------

    def _modes(self) -> list[str]:
        """Return the modes that there are; the one without checks only where it was started with."""
        bypassing = self.launch.settings.permission_mode == BYPASS
        return [mode for mode in get_args(PermissionMode) if mode != BYPASS or bypassing]

    async def _pick_mode(self) -> None:
        rows = [PickRow(mode, mode, MEANINGS[mode], current=mode == self.view.mode) for mode in self._modes()]
        if (mode := await self.pick("Permission mode", rows)) is not None:
            self._named_mode(mode)

    def _named_mode(self, name: str) -> None:
        modes = {mode.casefold(): mode for mode in self._modes()}
        mode = modes.get(name.casefold())
        if mode is not None:
            self.session.agent.set_mode(mode)
            self.chose("mode", mode)
            self.dock.notices.say(said(mode))  # the status line says it once the CLI has agreed
        elif name.casefold() == BYPASS.casefold():
            self.tell(
                f"{BYPASS} is there only where ccq-tui was started with --permission-mode {BYPASS}", "warning"
            )
        else:
            self.tell(f"There is no mode {name}: {', '.join(modes.values())}", "warning")

    # -- effort ------------------------------------------------------------------------------------------

    def _efforts(self) -> tuple[str, ...]:
        now = self._model_now()
        return now.efforts if now and now.efforts else get_args(Effort)

    async def _pick_effort(self) -> None:
        now = self._effort or self.launch.settings.effort or ""
        rows = [
            PickRow(level, level, EFFORTS.get(level, ""), current=level == now) for level in self._efforts()
        ]
        if (level := await self.pick("Effort", rows, about="How hard the model thinks.")) is not None:
            self._named_effort(level)

    def _named_effort(self, name: str) -> None:
        level = name.casefold()
        if level in self._efforts():
            self.session.agent.set_effort(level)
            self.chose("effort", level)
        else:
            self.tell(f"There is no effort {name}: {', '.join(self._efforts())}", "warning")

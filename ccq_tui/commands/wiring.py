"""The prompts and commands of a session, the same on every surface on which a person leads one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ccq_tui.commands.command import Command, CommandRunner, CommandUi, called
from ccq_tui.commands.completions import Completions, UnknownCommands
from ccq_tui.commands.listings import ListingCommands, PermissionsCommand, TasksCommand
from ccq_tui.commands.models import ModelCommands
from ccq_tui.commands.shell import ShellCommands
from ccq_tui.commands.workspace import RewindCommand, WorkspaceCommands
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.prompts.images import PromptImage
from ccq_tui.prompts.shell_runs import command_in
from ccq_tui.runtime.events import SessionEvent
from ccq_tui.runtime.prompt_queue import PromptQueue
from ccq_tui.worktrees.removal import begun


class Leading:
    """Base of a surface on which a person leads a session: what its prompts and commands do."""

    def wire(self, ui: CommandUi, inbox: Inbox, commands: tuple[Command, ...]) -> None:
        """Make it, for the surface itself as ``ui``, once that has its prompt."""
        self._ui = ui
        self._own = commands
        self.queue = PromptQueue(ui, inbox)
        self.runner: CommandRunner[Any] = CommandRunner(ui)
        self.shell = ShellCommands(ui)
        own = tuple(one.listed for one in commands)
        self.completions = Completions(ui, own, lambda: self.queue.earlier)
        self.unknown = UnknownCommands(ui, self.completions)
        self.rewind = RewindCommand(self.runner)
        self.models = ModelCommands(self.runner)
        self.tasks = TasksCommand(self.runner)
        self.workspace = WorkspaceCommands(self.runner, lambda: self.shell.runs or bool(ui.view.tasks))
        self.listings = ListingCommands(self.runner)
        self.rules = PermissionsCommand(self.runner)

    def plan(self, prompt: str) -> None:
        """Switch to the mode in which Claude plans, and send a prompt there."""
        self.models.set_mode("plan")
        if prompt:
            self._ui.send(prompt)

    def begin(self) -> None:
        """Say what the launch met, and bring back what was typed before."""
        if self._ui.launch.worktree is not None:
            self._ui.note(begun(self._ui.launch.worktree))
        for notice in self._ui.launch.notices:
            self._ui.note(notice, "warning")
        self.queue.begin()

    def heed(self, event: SessionEvent) -> None:
        """Give an event to those who need it."""
        for one in (self.rewind, self.workspace, self.models, self.completions, self.queue):
            one.take(event)

    def take_command(self, text: str) -> bool:
        """Run a prompt that is a command of the program's own; return whether it was one."""
        found = called(text, self._own)
        if found is not None:
            self.runner.obey(found[0], self, found[1])
        return found is not None

    def obey(self, text: str, images: Mapping[str, PromptImage]) -> None:
        """Do what was typed: a command of ours or of the shell, else a prompt."""
        if text.strip() == "exit":  # as in a shell
            self._ui.quit()
        elif command := command_in(text):
            self.shell.do(command)
        elif not self.take_command(text):
            self._ui.send(text, images, typed=True)
        self.queue.remember(text, images)

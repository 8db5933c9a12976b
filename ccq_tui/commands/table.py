"""The commands of every surface on which a person leads a session."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Protocol

from ccq_tui.commands.command import Command
from ccq_tui.commands.listings import ListingCommands, PermissionsCommand, TasksCommand
from ccq_tui.commands.models import ModelCommands
from ccq_tui.commands.workspace import RewindCommand, WorkspaceCommands
from ccq_tui.runtime.session import SupervisedSession


class PromptSender(Protocol):
    """Sends prompts of a session."""

    def send(self, text: str) -> None:
        """Show a prompt, and send it once it is on disk."""


class Leading(Protocol):
    """A surface on which a person leads a session, with what its commands do."""

    session: SupervisedSession
    models: ModelCommands
    workspace: WorkspaceCommands
    listings: ListingCommands
    permissions: PermissionsCommand
    tasks: TasksCommand
    rewind: RewindCommand

    @property
    def prompts(self) -> PromptSender:
        """Sends prompts."""

    def quit(self) -> None:
        """End all sessions, then the program."""


def _plan(surface: Leading, prompt: str) -> None:
    """Switch to the mode in which Claude plans, and send a prompt there."""
    surface.models.set_mode("plan")
    if prompt:
        surface.prompts.send(prompt)


SHARED_COMMANDS: tuple[Command[Leading], ...] = (
    Command("rename", "TITLE", "Give this session a title", lambda s: s.workspace.rename),
    Command("model", "[name]", "Choose the model", lambda s: s.models.model),
    Command("mode", "[name]", "Choose the permission mode", lambda s: s.models.mode),
    Command("effort", "[level]", "Choose how hard the model thinks", lambda s: s.models.effort),
    Command("thinking", "", "Turn extended thinking off or on", lambda s: s.models.thinking),
    Command("plan", "[prompt]", "Plan first: look and change nothing", lambda s: partial(_plan, s)),
    Command("status", "", "Show version, account, model and settings", lambda s: s.workspace.status),
    Command("diff", "", "Show uncommitted changes", lambda s: s.workspace.diff),
    Command(
        "add-dir", "PATH", "Let Claude work in another directory too", lambda s: s.workspace.add_directory
    ),
    Command("context", "", "Show what fills the context", lambda s: s.models.context),
    Command("cost", "", "Show cost, tokens and time of this session", lambda s: s.models.cost),
    Command("park", "", "Stop Claude's process; its questions keep waiting", lambda s: s.session.agent.park),
    Command("mcp", "", "See MCP servers, reconnect them, turn them on and off", lambda s: s.listings.servers),
    Command(
        "permissions",
        "[allow|ask|deny RULE]",
        "See permission rules, add and remove them",
        lambda s: s.permissions.do,
    ),
    Command("hooks", "", "See hooks, and edit the file of one", lambda s: s.listings.hooks),
    Command("skills", "", "See skills, and put one in the prompt", lambda s: s.listings.skills),
    Command("memory", "", "Edit CLAUDE.md and other memory", lambda s: s.listings.memory),
    Command(
        "btw",
        "QUESTION",
        "Ask Claude a side question, outside the conversation",
        lambda s: s.listings.ask_beside,
    ),
    Command("tasks", "", "See background tasks, and stop them", lambda s: s.tasks.stop),
    Command("background", "", "Send the running work to the background", lambda s: s.tasks.background),
    Command("rewind", "", "Rewind files and conversation to an earlier prompt", lambda s: s.rewind.rewind),
    Command("exit", "", "End all sessions and quit", lambda s: s.quit),
    Command("quit", "", "End all sessions and quit", lambda s: s.quit),
)
"""The commands that need no screen."""


def shared(names: str) -> Iterator[Command[Leading]]:
    """Yield some of them, named in order."""
    known = {one.name: one for one in SHARED_COMMANDS}
    return (known[name] for name in names.split())

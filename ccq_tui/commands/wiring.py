"""The prompts, commands and completions of a session, the same on every surface that leads one."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from ccq_tui.agent.events import AgentEvent, CommandsListed, SlashCommand
from ccq_tui.commands.command import Command, CommandRunner, CommandUi, called
from ccq_tui.commands.listings import ListingCommands
from ccq_tui.commands.models import ModelCommands
from ccq_tui.commands.shell import ShellCommands
from ccq_tui.commands.workspace import RewindCommand, WorkspaceCommands
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.input.gate import HELD
from ccq_tui.prompts.command_names import ALTERNATIVES, named, nearest
from ccq_tui.prompts.completion_context import CompletionKind, WantedCompletion
from ccq_tui.prompts.completion_list import MOST_ROWS, Completion
from ccq_tui.prompts.files import list_files
from ccq_tui.prompts.fuzzy import Index
from ccq_tui.prompts.image_paths import file_facts
from ccq_tui.prompts.images import PromptImage
from ccq_tui.prompts.shell_runs import command_in
from ccq_tui.runtime.prompt_queue import PromptQueue
from ccq_tui.worktrees.removal import begun

Offer = Callable[..., object]
"""Takes the rows for a piece of the text; see `ccq_tui.widgets.completer.Completer.offer`."""


class Completions:
    """Looks for completions in threads; the text shows those that are still wanted."""

    def __init__(
        self, ui: CommandUi, own: tuple[SlashCommand, ...], earlier: Callable[[], tuple[str, ...]]
    ) -> None:
        self._ui = ui
        self._own = own
        self.commands = own
        """All commands, the program's own first."""
        self.listed = False
        """Whether the CLI has listed its commands."""
        self._earlier = earlier
        self._files: Index | None = None
        """The files as they were listed last."""
        self._listed_at = float("-inf")
        self._listing: asyncio.Task[None] | None = None
        self._search = 0
        self._last: tuple[WantedCompletion, Offer] | None = None

    def take(self, event: AgentEvent) -> None:
        """Take in the CLI's commands; an open list gets them too."""
        if isinstance(event, CommandsListed):
            self.listed = True
            self.commands = merged(self._own, event.commands)
            if self._last is not None and self._last[0].kind is CompletionKind.COMMANDS:
                self._offer_commands(*self._last)

    def _offer_commands(self, wanted: WantedCompletion, offer: Offer) -> None:
        # Within a prompt a command is for Claude to read: none of the program's own is.
        offer(wanted, commands_for(wanted.query, self.others if wanted.start else self.commands))

    @property
    def others(self) -> tuple[SlashCommand, ...]:
        """The CLI's commands that none of the program's own shadows."""
        return self.commands[len(self._own) :]

    def find(self, wanted: WantedCompletion, offer: Offer) -> None:
        """Look for completions of a word of a text."""
        self._search += 1
        self._last = (wanted, offer)
        self._ui.start(partial(self._find, wanted, offer), "choices", group="choices", exclusive=True)

    async def _find(self, wanted: WantedCompletion, offer: Offer) -> None:
        match wanted.kind:
            case CompletionKind.COMMANDS:
                self._offer_commands(wanted, offer)
            case CompletionKind.HISTORY:
                index = await asyncio.to_thread(Index, self._earlier())
                rows, more = await self._found(index, wanted.query)
                none = "nothing found" if self._earlier() else "none yet"
                offer(wanted, rows, "" if rows else f"{none} · Esc goes back to what you typed", more)
            case CompletionKind.FILES:
                listing = self._listing
                # The old list serves while the files are listed again.
                if listing is None or (listing.done() and self._ui.clock() - self._listed_at >= 15.0):
                    listing = self._listing = asyncio.create_task(self._list_files())
                if self._files is None:
                    offer(wanted, (), "Looking for files…")
                    # Typing on ends this search, not the listing that the next one needs as well.
                    await asyncio.shield(listing)
                if self._files is not None:
                    rows, more = await self._found(self._files, wanted.query)
                    sized = await asyncio.to_thread(_with_sizes, rows, self._ui.view.cwd)
                    offer(wanted, sized, more=more)

    async def _list_files(self) -> None:
        paths = await asyncio.to_thread(list_files, self._ui.view.cwd)
        self._files = await asyncio.to_thread(Index, paths, paths=True)
        self._listed_at = self._ui.clock()

    async def _found(self, index: Index, query: str) -> tuple[tuple[Completion, ...], int]:
        """Return the best rows, and how many more match."""
        mine = self._search
        found, count = await asyncio.to_thread(index.search, query, MOST_ROWS, lambda: mine != self._search)
        rows = tuple(Completion(index.texts[at], index.texts[at]) for at in found)
        return rows, count - len(rows)


def merged(own: Iterable[SlashCommand], others: Iterable[SlashCommand]) -> tuple[SlashCommand, ...]:
    """Return both, the program's own first; a name occurs once, and is nobody's alias."""
    commands: dict[str, SlashCommand] = {}
    for command in (*own, *others):
        commands.setdefault(command.name, command)
    return tuple(
        replace(command, aliases=tuple(alias for alias in command.aliases if alias not in commands))
        for command in commands.values()
    )


def _with_sizes(rows: Iterable[Completion], directory: Path) -> tuple[Completion, ...]:
    """Return files with the size of those that are images. For a thread."""
    return tuple(replace(row, detail=file_facts(directory / row.value)) for row in rows)


def commands_for(query: str, commands: tuple[SlashCommand, ...]) -> tuple[Completion, ...]:
    """Return the commands whose names match, the likeliest first; one whose alias is typed is the first.

    If the query names a command of Claude Code's own screen alone, commands that merely read like it are left
    out, so that Enter names the alternative.
    """
    if query in ALTERNATIVES:
        commands = tuple(one for one in commands if one.name.startswith(query) or query in one.aliases)
    aliased = [command for command in commands if query in command.aliases]
    commands = (*aliased, *(command for command in commands if command not in aliased))
    names = (query if query in command.aliases else command.name for command in commands)
    found, _ = Index(names).search(query, len(commands))
    return tuple(
        Completion(command.name, f"/{command.name}", command.arguments, command.description, command.aliases)
        for command in (commands[at] for at in found)
    )


SECONDS = 20.0
"""Seconds to show why a text was not sent."""


class UnknownCommands:
    """Keeps a prompt that begins with an unknown command in its field, until Enter comes again."""

    def __init__(self, ui: CommandUi, completions: Completions) -> None:
        self._ui = ui
        self._completions = completions
        self._kept = ""
        self._asked_at = float("-inf")

    def holds_back(self, text: str) -> bool:
        """Whether a text must not be sent yet; says why. A key repeat of this Enter does not send it."""
        words = self._objection(text)
        now = self._ui.clock()
        again = text == self._kept and now - self._asked_at >= HELD
        self._kept, self._asked_at = text, now
        if words and not again:
            self._ui.say_unsent(words, SECONDS)
            return True
        self._kept = ""
        return False

    def _objection(self, text: str) -> str:
        name = named(text)
        names = [one for command in self._completions.commands for one in (command.name, *command.aliases)]
        # The CLI's commands are not known before it has started.
        if not name or name in names or not self._completions.listed:
            return ""
        if name in ALTERNATIVES:
            return f"/{name} is not available here: {ALTERNATIVES[name]}"
        like = nearest(name, names)
        hint = f" · did you mean {' '.join(f'/{one}' for one in like)}?" if like else ""
        return f"Unknown command /{name}{hint} · Enter again sends it as text"


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
        self.workspace = WorkspaceCommands(self.runner)
        self.listings = ListingCommands(self.runner)

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

    def heed(self, event: AgentEvent) -> None:
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

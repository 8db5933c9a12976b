"""Prompts of a session: sent, queued, taken back, with images; the interrupt, and the remedy of an error."""

import asyncio
import math
import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial

from ccq_tui.agent import events as ev
from ccq_tui.agent.controls import CommandError, ImageFile
from ccq_tui.agent.problems import Remedy
from ccq_tui.commands.shell import STOPPING, ShellCommands
from ccq_tui.commands.workspace import RewindCommand
from ccq_tui.config.keymap import key_of, with_keys
from ccq_tui.input.gate import Face
from ccq_tui.prompts.image_paths import existing, file_facts, mentioned, paths_in
from ccq_tui.prompts.images import MOST_IMAGES, ImageStore, PromptImage, UnfitImageError
from ccq_tui.prompts.shell_runs import run_in
from ccq_tui.runtime.limits import LimitReached
from ccq_tui.runtime.prompt_queue import PromptQueue
from ccq_tui.screens.clipboard import NoReaderError, read_clipboard, reader
from ccq_tui.screens.editor import edit_for
from ccq_tui.screens.session.ui import SessionUi
from ccq_tui.text import one_line, reason
from ccq_tui.words import spoken

CLEARED = "Prompt cleared · Ctrl+_ or ↑ brings it back"
VIM_ON = "Vim's keys are on: Esc for commands, i to type · vim_prompt = true keeps them"
VIM_OFF = "Vim's keys are off"
GIVEN_BACK = "↶ Interrupted before Claude answered: the prompt is back · Enter sends it again"
ANSWERS = (ev.BlockGrew, ev.BlockFinished, ev.ToolStarted)
"""Events after which the turn has something of Claude's to keep."""


@dataclass(eq=False)
class Prompts:
    """Sends prompts, takes back what was not sent, interrupts.

    A prompt whose turn is interrupted before Claude says anything is given back, as the native screen does.
    The conversation forgets it, so that the next prompt does not follow it.
    """

    _ui: SessionUi
    _queue: PromptQueue
    _rewind: RewindCommand
    _shell: ShellCommands

    def __post_init__(self) -> None:
        self._ui.dock.prompt.field.vim.on = self._ui.launch.settings.vim_prompt
        self._queued = self._ui.dock.prompt.queued
        self._ui.dock.prompt.take_back = lambda: self._ui.session.agent.withdraw(self._queued[-1])
        self._images: dict[str, Mapping[str, PromptImage]] = {}
        """Images of sent prompts, by the prompt: one may have to be sent again."""
        self._read: list[str] = []
        """The prompts of the turn that the agent has read."""
        self._answered = self._wanted = False
        """Whether Claude has said anything in it, and a person has interrupted it with nothing else typed."""
        self._ended = ""
        """The prompt of a turn that ended this way, until Claude is ready."""

    def take(self, event: ev.AgentEvent) -> None:
        """Note what Claude has not read, and say that a prompt was withdrawn."""
        self._note_queued(event)
        self._name_waiting()
        self._note_turn(event)
        if isinstance(event, ev.PromptReturned) and event.wanted:
            self._ui.say("Prompt withdrawn before Claude read it · Enter sends it again")

    def _note_queued(self, event: ev.AgentEvent) -> None:
        match event:
            case ev.PromptAccepted(text) if run_in(text) is not None:
                pass  # an answer, or what a command of the shell printed
            case ev.PromptAccepted(queued=True, prompt_id=name) if name:
                if name not in self._queued:
                    self._queued.append(name)
            case (
                ev.PromptAccepted(prompt_id=name)
                | ev.PromptDelivered(prompt_id=name)
                | ev.PromptReturned(prompt_id=name)
            ) if name in self._queued:
                self._queued.remove(name)
            case ev.SessionLost():
                self._queued.clear()

    def _note_turn(self, event: ev.AgentEvent) -> None:
        """Follow the turn, and give its prompt back once it has ended."""
        match event:
            case ev.PromptDelivered(prompt_id):
                self._read.append(prompt_id)
            case _ if isinstance(event, ANSWERS):
                self._answered = True
            case ev.TurnEnded(reason=reason):
                early = self._wanted and not self._answered and reason.startswith("aborted")
                self._ended = self._read[0] if early and len(self._read) == 1 else ""
            case ev.StateChanged(ev.SessionState.IDLE):
                if self._ended:
                    self._ui.start(partial(self._give_back, self._ended), "give a prompt back")
                self._read, self._answered, self._wanted, self._ended = [], False, False, ""

    async def _give_back(self, prompt_id: str) -> None:
        try:
            text = await self._rewind.forget(prompt_id)
        except CommandError:
            return  # as where the CLI refuses: the prompt stays in the conversation, and in the history
        if text:
            self._ui.dock.prompt.put_back(text)
            self._ui.note(GIVEN_BACK)

    def _name_waiting(self) -> None:
        """Name a session that waits for a process after its first prompt, to tell it from others."""
        if self._ui.view.state is ev.SessionState.QUEUED and not self._ui.view.title:
            self._ui.view = self._ui.session.be_called(self._queue.first_words)

    def send(self, text: str, images: Mapping[str, PromptImage] | None = None) -> None:
        """Show a prompt, and send it once it is on disk; the session keeps it while it starts or works.

        Without ``images``, sends those with which the same text was sent before.
        """
        text = text.rstrip()
        if images:
            self._images[text] = dict(images)
        attached = tuple(
            ImageFile(image.name, self._queue.images.path(image), image.media_type)
            for image in (self._images.get(text, {}) if images is None else images).values()
        )
        self._ui.transcript.add_prompt(text)
        if mentioned(text):
            self._ui.start(partial(name_mentioned, self._ui, text), "mentioned")
        name, kept = self._queue.send(text, attached)
        self._name_waiting()
        # Before there is a CLI, nothing reads it.
        kept.add_done_callback(lambda _: self._may_be_taken_back(name))

    def _may_be_taken_back(self, name: str) -> None:
        if self._ui.view.state is ev.SessionState.STARTING and name in self._queue.sent and self._ui.live:
            self._queued.append(name)

    def edit(self) -> None:
        """Edit the prompt, or the text of a panel in its place, in the person's editor."""
        dock = self._ui.dock
        if dock.panel is not None and not dock.prompt.display:
            dock.panel.open_editor()
        else:
            edit_for(dock, dock.prompt.text, dock.prompt.put_edited, self._ui.say)

    def vim(self) -> None:
        """Turn Vim's keys in the prompt on or off."""
        dock = self._ui.dock
        keys = dock.prompt.field.vim
        keys.on = not keys.on
        keys.insert()
        dock.fit()
        self._ui.say(VIM_ON if keys.on else VIM_OFF, seconds=8.0)

    def interrupt(self) -> None:
        """Interrupt the turn; where that would withdraw a hidden request, ask once.

        Where nothing runs, two presses clear the prompt or rewind.
        """
        dock = self._ui.dock
        if self._shell.runs:
            self._shell.stop()
        elif not self._ui.view.busy:
            clears = f"{key_of('interrupt')} again clears the prompt" if dock.prompt.holds_text else ""
            dock.pressed(Face(twice="clear"), self._clear_or_rewind, lambda: clears)
        else:
            words = f"{key_of('interrupt')} again interrupts Claude and withdraws what waits"
            words += f" · {key_of('panel')} shows it"
            twice = "interrupt" if dock.line.items else ""
            dock.pressed(Face(twice=twice, interrupts=True), self._interrupt, lambda: words)

    def _clear_or_rewind(self) -> None:
        dock = self._ui.dock
        if self._ui.view.busy or not dock.prompt.display or not self._ui.in_front:
            return
        if dock.prompt.holds_text:
            self._ui.say(self.clear())
        elif not dock.line.items:
            self._rewind.begin()

    def clear(self) -> str:
        """Empty the prompt; return what to say, with the ways back, or ""."""
        if not self._ui.dock.prompt.holds_text:
            return ""
        images = self._ui.dock.prompt.draft.images
        self._queue.remember(self._ui.dock.prompt.clear(), images)
        return CLEARED

    def stop(self) -> str:
        """Interrupt Claude where nothing waits for an answer, else clear the prompt; return what to say."""
        dock = self._ui.dock
        if not dock.prompt.display:
            return ""
        if self._shell.runs:
            self._shell.stop()
            return with_keys(STOPPING)
        if self._ui.view.busy and not dock.line.items:
            self._interrupt()
            return "Interrupting Claude"
        return self.clear()

    def _interrupt(self) -> None:
        """Interrupt the turn, if it has not ended; queued prompts begin the next one, and follow this one."""
        dock = self._ui.dock
        if self._ui.view.busy:
            self._wanted = not (self._queued or dock.prompt.holds_text or dock.line.items)
            self._ui.session.agent.interrupt()


SECONDS = 10.0
"""Seconds that files may take to read; those of a network may be out of reach."""
EMPTY = "The clipboard holds no image and no text · copy one first"
SLOW = "The clipboard did not answer in time · copy again, or drop the image's file"
SLOW_FILE = "The image was not read in time · its path stays as text"


class PromptImages:
    """Attaches images to the prompt."""

    def __init__(self, ui: SessionUi, store: ImageStore) -> None:
        self._ui = ui
        self._store = store
        self._reads = False
        ui.dock.prompt.reads_paths = self.attach_paths

    def attach_paths(self, pasted: str) -> None:
        """Replace a paste by images, if it consists of their paths."""
        self._ui.start(partial(self._attach, partial(self._files, pasted), SLOW_FILE, pasted), "images")

    def paste(self) -> None:
        """Paste what the clipboard holds: an image, else a text."""
        if self._reads:
            return  # the key is held down
        self._reads = True
        self._ui.dock.prompt.expect_images()
        self._ui.start(partial(self._attach, self._pasted, SLOW), "clipboard")

    async def _attach(
        self, find: Callable[[], Awaitable[list[PromptImage]]], slow: str, *pasted: str
    ) -> None:
        """Put images into the prompt, or say why there are none."""
        attached: list[PromptImage] = []
        words = ""
        try:
            attached = await find()
        except (UnfitImageError, NoReaderError) as error:
            words = str(error)
        except TimeoutError:
            words = slow
        except OSError as error:
            words = f"The image cannot be kept: {one_line(reason(error), 60)}"
        finally:
            words = self._ui.dock.prompt.put_images(attached, *pasted) or words
        if words:
            self._ui.say(words)

    async def _files(self, pasted: str) -> list[PromptImage]:
        async with asyncio.timeout(SECONDS):
            paths = await asyncio.to_thread(existing, paths_in(pasted), self._ui.view.cwd)
            add = self._store.add_file
            return await asyncio.to_thread(lambda: [add(path) for path in paths[: MOST_IMAGES + 1]])

    async def _pasted(self) -> list[PromptImage]:
        try:
            found = await self._clipboard()
            if isinstance(found, bytes) and not self._ui.dock.prompt.searching:
                return [await asyncio.to_thread(self._store.add, found, "pasted")]
        finally:
            self._reads = False
        if not isinstance(found, str) or not found:
            raise NoReaderError(EMPTY)
        self._ui.dock.prompt.field.paste(found)
        return []

    async def _clipboard(self) -> bytes | str:
        """Read the system's clipboard; if nothing can or it is empty, return what this program copied."""
        try:
            how = await asyncio.to_thread(reader, os.environ)
        except NoReaderError:
            if self._ui.app.clipboard:
                return self._ui.app.clipboard
            raise
        return await read_clipboard(how) or self._ui.app.clipboard


async def name_mentioned(ui: SessionUi, text: str) -> None:
    """Say in the transcript which images a prompt mentions, and their sizes: Claude Code attaches them."""
    paths = mentioned(text)
    facts = await asyncio.to_thread(lambda: [file_facts(ui.view.cwd / path) for path in paths])
    if named := ", ".join(
        f"{one_line(path, 60)} ({fact})" for path, fact in zip(paths, facts, strict=True) if fact
    ):
        ui.note(f"Attached to the prompt: {named}")


IDLE_ENDED = "Closed while idle, to make room for another session · your next prompt resumes it"
NO_ERROR = "No error to recover from · {recover} works after one"
GO_ON = "Go on."
"""The prompt that continues after the turn limit, or after the process has ended."""


@dataclass(eq=False)
class Remedies:
    """Applies the remedy of the newest error, which the dock offers."""

    _ui: SessionUi
    _send: Callable[[str], object]
    _command: Callable[[str], object]

    def take(self, event: ev.AgentEvent) -> None:
        """Say what became of Claude's process."""
        match event:
            case ev.Reconnected():
                self._ui.note("Connected again.")
            case LimitReached(limit):
                after = spoken(limit.seconds)
                self._ui.note(f"Paused after {after} without an answer · your answer resumes the session")
            case ev.IdleProcessEnded():
                self._ui.note(IDLE_ENDED)

    def do(self) -> None:
        recovery = self._ui.session.recovery
        offer = recovery.offer
        if offer is None:
            self._ui.say(with_keys(NO_ERROR))
            return
        wait = recovery.seconds_to_wait(self._ui.clock())
        if wait > 0:
            self._ui.say(f"It has just failed · {key_of('recover')} works again in {math.ceil(wait)} s")
            return
        self._ui.session.take_offer()
        self._ui.changed()
        self._remedies()[offer]()

    def _remedies(self) -> dict[Remedy, Callable[[], object]]:
        return {
            Remedy.RETRY: lambda: self._send(self._ui.session.recovery.prompt),
            Remedy.CHANGE: lambda: self._ui.dock.prompt.put_back(self._ui.session.recovery.prompt),
            Remedy.GO_ON: self._continue_turn,
            Remedy.COMPACT: lambda: self._send("/compact"),
            Remedy.MODEL: lambda: self._command("/model"),
            Remedy.SIGN_IN: lambda: self._command("/login"),
            Remedy.SERVERS: lambda: self._command("/mcp"),
            Remedy.RECONNECT: self._ui.session.reconnect,
            Remedy.ANEW: self._ui.session.reconnect,
            Remedy.ELSEWHERE: lambda: self._ui.act("elsewhere", self._ui.session),
        }

    def _continue_turn(self) -> None:
        recovery = self._ui.session.recovery
        if recovery.unsure and recovery.prompt_id:
            self._ui.start(partial(self._continue_from, recovery.prompt, recovery.prompt_id), "go on")
        else:
            self._send(GO_ON)

    async def _continue_from(self, prompt: str, prompt_id: str) -> None:
        """Send a prompt again after its process ended, or `GO_ON` if the record says that it was read."""
        read = await self._ui.session.agent.taken({prompt_id: self._ui.view.session_id})
        self._send(GO_ON if prompt_id in read else prompt)

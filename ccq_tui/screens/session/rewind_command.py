"""/rewind: files and conversation as they were before an earlier prompt."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ccq_tui.agent import controls
from ccq_tui.agent.controls import FilesToRewind
from ccq_tui.agent.events import (
    ConversationReset,
    HistoryLoaded,
    PromptAccepted,
    PromptReturned,
    SessionState,
)
from ccq_tui.config.keymap import with_keys
from ccq_tui.prompts.shell_runs import run_in
from ccq_tui.runtime.events import SessionEvent
from ccq_tui.screens.pickers import PickRow
from ccq_tui.screens.session.commands import CommandGroup
from ccq_tui.text import listed, one_line, plural

WAITS = "Claude waits for you · answer it"
RESTORES = "Restores files and conversation to their state before it. You see the changes first."
WHICH_PROMPT = "Rewind to before which prompt?"
NO_PROMPT = "No prompt to rewind to"
MOST_PROMPTS = 200
MOST_FILES = 8
"""Most files named before a rewind; more are only counted."""


@dataclass(frozen=True, slots=True)
class Given:
    """A prompt that the agent was given."""

    prompt_id: str
    text: str


class RewindCommand(CommandGroup):
    """Asks which prompt, shows what will change, and only then takes it back."""

    given: tuple[Given, ...] = ()
    """The prompts that the conversation holds, the newest last."""

    def take(self, event: SessionEvent) -> None:
        """Remember the prompts of the conversation."""
        match event:
            case ConversationReset():
                self.given = ()
            case HistoryLoaded(events, older=True):
                later, self.given = self.given, ()
                self._remember(one for one in events if isinstance(one, PromptAccepted))
                self.given = (*self.given, *later)[-MOST_PROMPTS:]
            case HistoryLoaded(events):
                self._remember(one for one in events if isinstance(one, PromptAccepted))
            case PromptAccepted():
                self._remember([event])
            case PromptReturned(prompt_id=name):
                self.given = tuple(one for one in self.given if one.prompt_id != name)
            case _:
                pass

    def _remember(self, prompts: Iterable[PromptAccepted]) -> None:
        known = [
            Given(one.prompt_id, one.text)
            for one in prompts
            if one.prompt_id and one.text[:1] != "/" and run_in(one.text) is None
        ]
        self.given = (*self.given, *known)[-MOST_PROMPTS:]

    def begin(self) -> None:
        self._runner.run(self.rewind, "rewind")

    async def rewind(self) -> None:
        """Choose a prompt, see what changes, and rewind."""
        self._runner.need_process()
        if self._ui.view.busy:
            waits = self._ui.view.state is SessionState.AWAITING
            doing = WAITS if waits else "Claude is working"
            self._ui.say(with_keys(f"{doing} · {{interrupt}} interrupts it, then /rewind"))
            return
        if not self.given:
            self._ui.say(NO_PROMPT)
            return
        rows = [
            PickRow(one.prompt_id, one_line(one.text, 120), "the last one" if not index else "")
            for index, one in enumerate(reversed(self.given))
        ]
        about = RESTORES
        while True:
            prompt_id = await self._runner.pick(WHICH_PROMPT, rows, about=about)
            given = next((one for one in self.given if one.prompt_id == prompt_id), None)
            if given is None:
                return
            files = await self._runner.ask(controls.files_to_rewind(given.prompt_id))
            what = await self._runner.pick(
                f"Rewind to before: {given.text}",
                choices(files),
                about=what_changes(files, self._ui.view.cwd),
                choose="rewind",
            )
            if what is not None:
                break
            # Esc in the second list goes back to the first.
        if what == "files":
            await self._rewind_files(given)
        else:
            await self._rewind_conversation(given, files=what == "both")

    async def _rewind_files(self, given: Given) -> None:
        left = await self._runner.asking(
            controls.take_files_back(self._ui.session.agent.ask, given.prompt_id)
        )
        if left.refusal:
            self._runner.tell(f"The files were not restored: {left.refusal}", "warning")
        elif left.files:
            self._tell_left(left.files)
        else:
            self._runner.tell(f"Files are as they were before: {one_line(given.text, 120)}")

    def _tell_left(self, files: Sequence[str]) -> None:
        self._runner.tell(
            f"Not restored: {_named(files, self._ui.view.cwd)} · a directory or a link is there instead, "
            "or it cannot be written · all other files are as they were before the prompt",
            "warning",
        )

    async def forget(self, prompt_id: str) -> str:
        """Rewind the conversation to before its last prompt, which had no result; raises `CommandError`.

        Returns the text of the prompt, or "" if it is not the last one or the CLI refused.
        """
        given = self.given[-1] if self.given else None
        if given is None or given.prompt_id != prompt_id:
            return ""
        done = await self._ui.session.agent.rewind(prompt_id, files=False)
        if done.refusal:
            return ""
        self._drop(given)
        return given.text

    def _drop(self, given: Given) -> int:
        """Forget a prompt and all after it; return their number."""
        place = self.given.index(given) if given in self.given else 0
        gone = len(self.given) - place
        self.given = self.given[:place]
        return gone

    async def _rewind_conversation(self, given: Given, *, files: bool) -> None:
        done = await self._runner.asking(self._ui.session.agent.rewind(given.prompt_id, files=files))
        if done.refusal:
            kept = "Nothing was rewound" if files else "The conversation was not rewound"
            self._runner.tell(f"{kept}: {done.refusal}", "warning")
            return
        gone = self._drop(given)
        last = "the last prompt" if gone == 1 else f"the last {gone} prompts"
        before = one_line(given.text, 120)
        followed = files and not (done.files_refusal or done.files_left)
        also = " · files are as they were before it" if followed else ""
        self._runner.tell(f"↶ Claude no longer knows {last}, from here back to: {before}{also}")
        if done.files_refusal:
            self._runner.tell(f"The files were not restored: {done.files_refusal}", "warning")
        elif done.files_left:
            self._tell_left(done.files_left)
        self._ui.dock.prompt.put_back(done.prompt or given.text)


def choices(files: FilesToRewind) -> list[PickRow]:
    """Return the rows of what can be rewound."""
    conversation = PickRow("conversation", "Conversation only", "files stay as they are")
    if files.refusal or not files.files:
        return [PickRow("conversation", "Conversation", "puts the prompt back into its field")]
    return [
        PickRow("both", "Conversation and files", "puts the prompt back into its field"),
        conversation,
        PickRow("files", "Files only", "the conversation stays as it is"),
    ]


def what_changes(files: FilesToRewind, cwd: Path) -> str:
    """Say which files a rewind would change, and how much."""
    if files.refusal:
        return f"Files cannot be restored: {files.refusal}"
    if not files.files:
        return "Claude's editing tools changed no files since then. Effects of commands stay."
    count = plural(len(files.files), "file")
    lines = f"Restores {count}: +{files.insertions} −{files.deletions} lines. Effects of commands stay."
    return f"{lines}\n{_named(files.files, cwd)}"


def _named(files: Sequence[str], cwd: Path) -> str:
    return listed([_short(path, cwd) for path in files], MOST_FILES)


def _short(path: str, cwd: Path) -> str:
    try:
        return one_line(str(Path(path).relative_to(cwd)), 80)
    except ValueError:
        return one_line(path, 80)

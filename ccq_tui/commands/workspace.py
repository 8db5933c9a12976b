"""/copy, /status, /rename, /diff, /add-dir and /rewind."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ccq_tui.agent import controls
from ccq_tui.agent import events as ev
from ccq_tui.agent.controls import ChangedFile, CommandError, FilesToRewind
from ccq_tui.bounded import begin
from ccq_tui.commands.command import CommandGroup, CommandUi, PickRow
from ccq_tui.config.keymap import with_keys
from ccq_tui.prompts.files import untracked_files
from ccq_tui.text import one_line
from ccq_tui.transcript.blocks import PromptBlock, ProseBlock
from ccq_tui.words import listed, plural

UNTRACKED = "not in git"
MOST_NEW = 200
"""Most untracked files listed."""
MOST_BYTES = 100_000
"""Most bytes read of such a file."""
LONGEST_TITLE = 200
MOST_LINES = 500
"""Most lines shown of a diff."""


class WorkspaceCommands(CommandGroup[CommandUi]):
    """Shows and names what a session works on, copies what was said, and adds directories."""

    _added: tuple[str, ...] = ()

    def take(self, event: ev.AgentEvent) -> None:
        """Forget the directories added for an earlier Claude process."""
        if isinstance(event, ev.Connected):
            self._added = ()

    # -- /copy -------------------------------------------------------------------------------------------

    async def copy(self, which: str) -> None:
        """Copy Claude's last answer, or the Nth from the end."""
        number = int(which) if which.isdecimal() else 1
        blocks = [block for block in self._ui.transcript.model.blocks if isinstance(block, ProseBlock)]
        if (which and not which.isdecimal()) or not 1 <= number <= len(blocks):
            answers = plural(len(blocks), "answer")
            raise CommandError(f"the transcript has {answers} · /copy N copies the Nth from the end")
        text = blocks[-number].document.text.strip("\n")
        self._ui.copy(text)
        first = one_line(text.strip().split("\n", 1)[0], 40)
        self._ui.say(f"Copied {len(text):,} characters: {first}")

    # -- /status -----------------------------------------------------------------------------------------

    async def status(self) -> None:
        """Show version, account, model and settings."""
        lines: list[str] = []
        for section in await self._runner.send_control(controls.SESSION_STATUS):
            lines += [
                section.title,
                *(f"  {': '.join(part for part in row if part)}" for row in section.rows),
            ]
        self._runner.tell("\n".join(lines) or "Claude Code reported no status")

    # -- /rename -----------------------------------------------------------------------------------------

    async def rename(self, title: str) -> None:
        """Give the session a title."""
        self._runner.need_process()
        await self._runner.asking(self._ui.session.agent.rename(title[:LONGEST_TITLE]))
        self._runner.tell(f"Title: {one_line(title, LONGEST_TITLE)}")

    # -- /diff -------------------------------------------------------------------------------------------

    async def diff(self) -> None:
        """List the files that are changed and not committed, and show the diff of one."""
        cwd = self._ui.view.cwd
        known = await self._runner.send_control(controls.WORKSPACE_DIFF)
        new = await asyncio.to_thread(untracked_files, cwd)
        # Claude Code lists some of the new files too, without their lines.
        untracked = set(new)
        tracked = (one for one in known if one.path not in untracked)
        files = (*tracked, *(ChangedFile(path, UNTRACKED) for path in new[:MOST_NEW]))
        more = f"and {len(new) - MOST_NEW:,} more untracked files" if len(new) > MOST_NEW else ""
        choose, none = "show the diff", "No uncommitted changes"
        file = await self._runner.one_of(
            "Changed files", files, _file_row, about=more, choose=choose, none=none
        )
        if file is not None:
            if file.status == UNTRACKED:
                file = await asyncio.to_thread(_whole, cwd, file)
            self._runner.tell(_diff_of(file), "diff")

    # -- /add-dir ----------------------------------------------------------------------------------------

    async def add_directory(self, path: str) -> None:
        """Let Claude work in another directory, for this session."""
        self._runner.need_process()
        directory = await asyncio.to_thread(_resolved, path, self._ui.view.cwd)
        added = tuple(dict.fromkeys((*self._added, str(directory))))
        await self._runner.send_control(controls.add_directories(added))
        self._added = added
        self._ui.session.add_directory(directory)
        self._runner.tell(f"Claude may work in {directory} too, as long as this session is open")


def _resolved(path: str, base: Path) -> Path:
    """Return a typed directory as an absolute path; raises `CommandError`."""
    try:
        directory = (base / Path(path.strip("\"'")).expanduser()).resolve(strict=True)
    except (OSError, RuntimeError, ValueError) as error:
        raise CommandError(f"no directory {one_line(path, 200)}") from error
    if not directory.is_dir():
        raise CommandError(f"{one_line(path, 200)} is not a directory")
    return directory


def _whole(directory: Path, file: ChangedFile) -> ChangedFile:
    """Return an untracked file with all its lines as added ones. For a thread."""
    try:
        content = begin(directory / file.path, MOST_BYTES)
    except (OSError, ValueError) as error:
        raise CommandError(
            f"{one_line(file.path, 200)} cannot be read: {one_line(str(error), 200)}"
        ) from error
    if b"\0" in content:
        return replace(file, status="binary")
    lines = tuple(f"+{line}" for line in content.decode("utf-8", "replace").splitlines())
    return replace(file, added=len(lines), lines=lines)


def _file_row(one: ChangedFile) -> PickRow:
    return PickRow(
        "", one.path, one.status, "" if one.status == UNTRACKED else f"+{one.added} −{one.removed}"
    )


def _diff_of(file: ChangedFile) -> str:
    head = f"{file.path} · {file.status} · +{file.added} −{file.removed}"
    more = len(file.lines) - MOST_LINES
    rest = [f"… {more:,} more lines"] if more > 0 else []
    return "\n".join([head, *file.lines[:MOST_LINES], *rest])


WAITS = "Claude waits for you · answer it"

NO_PROMPT = "No prompt to rewind to"
MOST_FILES = 8
"""Most files named before a rewind; more are only counted."""


class RewindCommand(CommandGroup[CommandUi]):
    """Asks which prompt, shows what will change, and only then takes it back."""

    _dropped: frozenset[str] = frozenset()
    """Prompts in the transcript that the conversation no longer holds."""

    @property
    def given(self) -> list[PromptBlock]:
        """The prompts that the conversation holds, the newest last."""
        prompts = [one for one in self._ui.transcript.model.blocks if isinstance(one, PromptBlock)]
        known = [one for one in prompts if one.prompt_id and one.text[:1] != "/"]
        return [one for one in known if one.prompt_id not in self._dropped][-200:]

    def take(self, event: ev.AgentEvent) -> None:
        """Forget the prompts of a conversation that was cleared."""
        if isinstance(event, ev.ConversationReset):
            self._dropped |= {one.prompt_id for one in self.given}

    def begin(self) -> None:
        """Run the command, from a key."""
        self._runner.run(self.rewind, "rewind")

    async def rewind(self) -> None:
        """Choose a prompt, see what changes, and rewind."""
        self._runner.need_process()
        if self._ui.view.busy:
            waits = self._ui.view.state is ev.SessionState.AWAITING
            doing = WAITS if waits else "Claude is working"
            self._ui.say(with_keys(f"{doing} · {{interrupt}} interrupts it, then /rewind"))
            return
        known = self.given
        if not known:
            self._ui.say(NO_PROMPT)
            return
        while True:
            given = await self._runner.one_of(
                "Rewind to before which prompt?",
                known[::-1],
                lambda one: PickRow("", one_line(one.text, 120), "the last one" if one is known[-1] else ""),
                about="Restores files and conversation to their state before it. You see the changes first.",
            )
            if given is None:
                return
            files = await self._runner.send_control(controls.files_to_rewind(given.prompt_id))
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

    async def _rewind_files(self, given: PromptBlock) -> None:
        left = await self._runner.asking(
            controls.take_files_back(self._ui.session.agent.send_control, given.prompt_id)
        )
        self._tell_left(left.refusal, left.files)
        if not (left.refusal or left.files):
            self._runner.tell(f"Files are as they were before: {one_line(given.text, 120)}")

    def _tell_left(self, refusal: str, files: Sequence[str]) -> None:
        """Say which files were not restored, if any."""
        if refusal:
            self._runner.tell(f"The files were not restored: {refusal}", "warning")
        elif files:
            self._runner.tell(
                f"Not restored: {_named(files, self._ui.view.cwd)} · a directory or a link is there instead, "
                "or it cannot be written · all other files are as they were before the prompt",
                "warning",
            )

    async def forget(self, prompt_id: str) -> str:
        """Rewind the conversation to before its last prompt, which had no result; raises `CommandError`.

        Returns the text of the prompt, or "" if it is not the last one or the CLI refused.
        """
        given = next((one for one in self.given[-1:] if one.prompt_id == prompt_id), None)
        if given is None:
            return ""
        done = await self._ui.session.agent.rewind(prompt_id, files=False)
        if done.refusal:
            return ""
        self._drop(given)
        return given.text

    def _drop(self, given: PromptBlock) -> int:
        """Forget a prompt and all after it; return their number."""
        known = self.given
        dropped = known[known.index(given) if given in known else 0 :]
        self._dropped |= {one.prompt_id for one in dropped}
        return len(dropped)

    async def _rewind_conversation(self, given: PromptBlock, *, files: bool) -> None:
        done = await self._runner.asking(self._ui.session.agent.rewind(given.prompt_id, files=files))
        if done.refusal:
            kept = "Nothing was rewound" if files else "The conversation was not rewound"
            self._runner.tell(f"{kept}: {done.refusal}", "warning")
            return
        dropped = self._drop(given)
        last = "the last prompt" if dropped == 1 else f"the last {dropped} prompts"
        before = one_line(given.text, 120)
        followed = files and not (done.files_refusal or done.files_left)
        also = " · files are as they were before it" if followed else ""
        self._runner.tell(f"↶ Claude no longer knows {last}, from here back to: {before}{also}")
        self._tell_left(done.files_refusal, done.files_left)
        self._ui.prompt.put_back(done.prompt or given.text)


def choices(files: FilesToRewind) -> list[PickRow]:
    """Return the rows of what can be rewound."""
    if files.refusal or not files.files:
        return [PickRow("conversation", "Conversation", "puts the prompt back into its field")]
    return [
        PickRow("both", "Conversation and files", "puts the prompt back into its field"),
        PickRow("conversation", "Conversation only", "files stay as they are"),
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

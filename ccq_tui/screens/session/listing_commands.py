"""/hooks, /skills, /memory, /btw, /rename and /resume."""

from __future__ import annotations

import asyncio
from heapq import nlargest
from pathlib import Path

from ccq_tui.agent import listings
from ccq_tui.agent.commands import CommandError
from ccq_tui.agent.listings import Hook, MemoryPlace
from ccq_tui.agent.options import session_options
from ccq_tui.agent.reader import ReaderError
from ccq_tui.compat.textual.driver import is_lent
from ccq_tui.config.errors import SettingsError
from ccq_tui.config.permission_rules import RuleError, Scope, rules_file
from ccq_tui.runtime.launches import WayOn, launch_to_resume
from ccq_tui.screens.editor import GROUP, EditorError, edit_file
from ccq_tui.screens.pickers import PickRow, SessionPicker, Shelf, shelf_of
from ccq_tui.screens.session.commands import ASKING, CommandGroup
from ccq_tui.screens.session.messages import ProgramAction
from ccq_tui.screens.session.permissions_command import SOURCES
from ccq_tui.screens.session.view import short_path
from ccq_tui.text import one_line

FILES: tuple[Scope, ...] = ("localSettings", "projectSettings", "userSettings")
STATES = {"on": "", "name-only": "known by name only", "user-invocable-only": "only for you", "off": "off"}
NO_HOOKS = "No hooks yet · add them under `hooks` in .claude/settings.json"
MOST_MEMORIES = 500
"""Most files listed of a directory of memories."""
READ_LATER = "takes effect after /clear or in a new session"
NO_MEMORY = "No instruction files are loaded here · --bare leaves them out"
NO_SKILLS = "No skills yet · add one as .claude/skills/NAME/SKILL.md"

LONGEST_TITLE = 200


class ResumeCommand(CommandGroup):
    """Names the session, and puts an earlier one in its place."""

    async def rename(self, title: str) -> None:
        self._runner.need_process()
        await self._runner.asking(self._ui.session.agent.rename(title[:LONGEST_TITLE]))
        self._runner.tell(f"Title: {one_line(title, LONGEST_TITLE)}")

    async def resume(self, wanted: str) -> None:
        """Resume the session whose id begins with ``wanted``, or a chosen one, in place of this one."""
        shelf = shelf_of(self._ui.app, session_options(self._ui.launch), self._ui.view.session_id)
        way = await self._named(shelf, wanted) if wanted else await self._choose(shelf)
        while way is not None and (sure := await self._is_sure()) != "no":
            if sure:
                await self._go_on(way)
                return
            way = await self._choose(shelf, find=wanted)  # Esc goes back to the list

    async def _named(self, shelf: Shelf, wanted: str) -> WayOn | None:
        """Find the session whose id begins with ``wanted``; unless just one does, let the person choose."""
        self._ui.say("Looking for earlier sessions…", 30.0, ASKING)
        try:
            found = await shelf.sessions(everywhere=True)
        except ReaderError as error:
            self._runner.tell(f"Earlier sessions could not be read: {error}", "warning")
            return None
        finally:
            self._ui.dock.notices.hush(ASKING)
        fitting = [one.session for one in found if one.session.session_id.startswith(wanted)]
        if len(fitting) == 1:
            return WayOn(fitting[0])
        return await self._choose(shelf, find=wanted)

    async def _choose(self, shelf: Shelf, find: str = "") -> WayOn | None:
        about = "This session ends. You can resume it the same way, with your draft."
        picker = SessionPicker(shelf, find=find, about=about)
        await self._runner.show_picker(picker)
        return picker.way

    async def _is_sure(self) -> str | None:
        """Ask if there is something to lose; "yes", "no", or None if the question was left."""
        if not self._ui.view.busy:
            return "yes"
        rows = [PickRow("no", "Stay here"), PickRow("yes", "Interrupt it", "and continue the other session")]
        return await self._runner.pick("Claude is working in this session", rows)

    async def _go_on(self, way: WayOn) -> None:
        """End this session, and continue another one in this terminal."""
        try:
            launch = await asyncio.to_thread(launch_to_resume, way, self._ui.launch)
        except SettingsError as error:
            where = one_line(way.session.directory, 300)
            self._runner.tell(f"The session cannot be resumed in {where}: {error}", "warning")
            return
        self._ui.post_message(ProgramAction("replace", self._ui.session, launch))


class ListingCommands(CommandGroup):
    """Shows hooks, skills and files of instructions, and asks questions beside the conversation."""

    # -- /hooks ------------------------------------------------------------------------------------------

    async def hooks(self) -> None:
        """List the hooks, and open the file of one in the person's editor."""
        found = await self._runner.ask(listings.hooks())
        if not found:
            self._ui.say(NO_HOOKS, seconds=8.0)
            return
        rows = [
            PickRow(
                str(number),
                _named(one),
                one.command,
                "off" if one.disabled else SOURCES.get(one.source, one.source),
            )
            for number, one in enumerate(found)
        ]
        chosen = await self._runner.pick("Hooks", rows, choose="edit its file")
        if chosen is not None:
            await self._open(found[int(chosen)])

    async def _open(self, hook: Hook) -> None:
        scope = next((one for one in FILES if one == hook.source), None)
        if scope is None:
            raise CommandError(f"this hook is in none of your settings files: {one_line(hook.place, 80)}")
        try:
            file = await asyncio.to_thread(rules_file, scope, self._ui.launch.settings.directory)
        except RuleError as error:
            raise CommandError(str(error)) from error
        self._edit(file.path)

    def _edit(self, path: Path, then: str = "") -> None:
        if is_lent(self._ui.app):
            return

        async def edit() -> None:
            try:
                failed = await edit_file(self._ui.app, path)
            except EditorError as error:
                self._ui.say(str(error))
                return
            if failed:
                self._ui.say(f"The editor failed: {failed}")
            elif await asyncio.to_thread(path.is_file):
                words = f"The editor was closed: {path}"
                self._ui.say(f"{words} · a change {then}" if then else words, seconds=8.0)
            else:
                self._ui.say(f"Nothing was saved · {path} does not exist")

        self._ui.start(edit, "editor", group=GROUP)

    # -- /skills -----------------------------------------------------------------------------------------

    async def skills(self) -> None:
        """List the skills, and put the one that is chosen in the prompt."""
        found = await self._runner.ask(listings.skills())
        if not found:
            self._ui.say(NO_SKILLS, seconds=8.0)
            return
        rows = [
            PickRow(str(number), one.name, one.description, STATES.get(one.state, one.state) or one.source)
            for number, one in enumerate(found)
        ]
        chosen = await self._runner.pick("Skills", rows, choose="put it in the prompt")
        if chosen is None:
            return
        skill = found[int(chosen)]
        name = one_line(skill.name, 200)
        if not skill.callable:
            raise CommandError(f"{name} is not a command · only Claude may use it, or it is turned off")
        prompt = self._ui.dock.prompt
        if prompt.text.strip():
            self._ui.say(f"The prompt is not empty · clear it, then type /{name}", seconds=8.0)
        else:
            prompt.put(f"/{name} ")

    # -- /memory -----------------------------------------------------------------------------------------

    async def memory(self) -> None:
        """List the files of instructions, and open one in the person's editor."""
        places = await self._runner.ask(listings.memory())
        if not places:
            self._ui.say(NO_MEMORY, seconds=8.0)
            return
        chosen = await self._runner.pick(
            "Memory", [_place_row(number, one) for number, one in enumerate(places)], choose="edit it"
        )
        if chosen is None:
            return
        place = places[int(chosen)]
        path = Path(place.path)
        if place.is_directory:
            await self._memories(path)
            return
        try:
            # Editors do not make the directory of a new file. It stays: it may be the project's own.
            await asyncio.to_thread(path.parent.mkdir, parents=True, exist_ok=True)
        except OSError as error:
            raise CommandError(f"{path.parent} cannot be created: {error.strerror}") from error
        self._edit(path, READ_LATER)

    async def _memories(self, directory: Path) -> None:
        try:
            found = await asyncio.to_thread(_files_below, directory)
        except OSError as error:
            raise CommandError(f"{directory} cannot be read: {error.strerror}") from error
        if not found:
            self._ui.say(
                f"Claude has saved no memories yet · they will be in {short_path(directory)}", seconds=8.0
            )
            return
        rows = [PickRow(str(one), str(one.relative_to(directory))) for one in found]
        chosen = await self._runner.pick(f"Memories in {short_path(directory)}", rows, choose="edit it")
        if chosen is not None:
            self._edit(Path(chosen), READ_LATER)

    # -- /btw --------------------------------------------------------------------------------------------

    async def ask_beside(self, question: str) -> None:
        """Ask the model a question that stays out of the conversation."""
        answer = await self._runner.ask(listings.side_question(question))
        if not answer.strip():
            raise CommandError("Claude gave no answer · ask again, or send it as a prompt")
        self._runner.tell(f"Beside the conversation: {one_line(question, 200)}\n{answer}")


def _named(hook: Hook) -> str:
    return f"{hook.event} {hook.matcher}".strip()


def _place_row(number: int, place: MemoryPlace) -> PickRow:
    label = place.label.removeprefix("Open ").removeprefix("L ")
    about = short_path(Path(place.path))
    # The CLI's note repeats the place of its usual files.
    note = "" if not place.note or place.note.startswith("Saved in") else place.note
    return PickRow(str(number), label, about, note if place.exists else "new")


def _files_below(directory: Path) -> list[Path]:
    """Return the newest files, sorted by name."""
    files = ((one.stat().st_mtime, one) for one in directory.rglob("*.md") if one.is_file())
    return sorted(one for _, one in nlargest(MOST_MEMORIES, files))

"""/hooks, /skills, /memory and /btw: what Claude Code lists and answers beside the conversation."""

from __future__ import annotations

import asyncio
from heapq import nlargest
from pathlib import Path

from ccq_tui.agent import listings
from ccq_tui.agent.commands import CommandError
from ccq_tui.agent.listings import Hook, MemoryPlace
from ccq_tui.compat.textual.driver import is_lent
from ccq_tui.config.permission_rules import RuleError, Scope, rules_file
from ccq_tui.screens.editor import GROUP, EditorError, edit_file
from ccq_tui.screens.pickers import PickRow
from ccq_tui.screens.session.commands import CommandGroup
from ccq_tui.screens.session.permissions_command import SOURCES
from ccq_tui.screens.session.view import short_path
from ccq_tui.text import one_line

FILES: tuple[Scope, ...] = ("localSettings", "projectSettings", "userSettings")
STATES = {
    "on": "",
    "name-only": "known by name only",
    "user-invocable-only": "only for you",
    "off": "off",
}
NO_HOOKS = "No hooks yet · add them under `hooks` in .claude/settings.json"
MOST_MEMORIES = 500
"""Most files listed of a directory of memories."""
READ_LATER = "takes effect after /clear or in a new session"
NO_MEMORY = "No instruction files are loaded here · --bare leaves them out"
NO_SKILLS = "No skills yet · add one as .claude/skills/NAME/SKILL.md"


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

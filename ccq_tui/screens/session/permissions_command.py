"""/permissions: the rules by which Claude's tools are allowed, asked about or denied."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path

from ccq_tui.agent import listings
from ccq_tui.agent.commands import CommandError
from ccq_tui.agent.events import SessionState
from ccq_tui.agent.listings import PermissionRule
from ccq_tui.config.permission_rules import (
    BEHAVIORS,
    Behavior,
    RuleError,
    RulesFile,
    Scope,
    add_rule,
    checked_rule,
    remove_rule,
    rules_file,
)
from ccq_tui.screens.pickers import PickRow
from ccq_tui.screens.session.commands import CommandGroup
from ccq_tui.text import one_line

SCOPES: dict[Scope, str] = {
    "localSettings": "this project, only for you",
    "projectSettings": "this project, for everyone",
    "userSettings": "all your projects",
}
SOURCES = {
    "localSettings": "local",
    "projectSettings": "project",
    "userSettings": "user",
    "flagSettings": "--settings",
    "policySettings": "your organization",
    "cliArg": "flag",
    "command": "a slash command",
    "session": "this session",
}
ADD = "add"
USAGE = "/permissions allow RULE · ask and deny work too · a rule looks like Bash(npm test *)"
SECONDS = 5.0
"""Seconds that Claude Code may take to notice a changed settings file."""
PAUSE = 0.25
LATER = "Claude Code still lists it · another file may have it too"
UNLISTED = "Claude Code does not list it · check its spelling, then look at /permissions"


class PermissionsCommand(CommandGroup):
    """Shows the rules in force, and adds and removes those of settings files."""

    def do(self, argument: str) -> None:
        """Show the rules, or add the one that is named."""
        if not argument:
            self._runner.run(self._show, "permissions")
            return
        word, _, rule = argument.partition(" ")
        behavior = next((one for one in BEHAVIORS if one == word.casefold()), None)
        if behavior is None or not rule.strip():
            self._runner.tell(USAGE, "warning")
        else:
            self._runner.run(partial(self._add, behavior, rule), "permissions")

    # -- seeing and removing -----------------------------------------------------------------------------

    async def _show(self) -> None:
        said = ""
        while True:
            rules = await self._runner.ask(listings.permission_rules())
            rows = [
                PickRow(ADD, "Add a rule…", "continues in the prompt"),
                *(PickRow(str(index), one.rule, _source(one), one.behavior) for index, one in _sorted(rules)),
            ]
            chosen = await self._runner.pick("Permission rules", rows, about=said, choose="change")
            if chosen is None:
                return
            if chosen == ADD:
                self._go_on()
                return
            said = await self._change(rules[int(chosen)]) or said

    def _go_on(self) -> None:
        prompt = self._ui.dock.prompt
        if not prompt.text.strip():
            prompt.put("/permissions allow ")
        self._ui.say(USAGE, seconds=20.0)

    async def _change(self, rule: PermissionRule) -> str:
        """Let the person remove a rule; return what came of it."""
        shown = one_line(rule.rule, 80)
        scope = next((one for one in SCOPES if one == rule.source), None)
        behavior = next((one for one in BEHAVIORS if one == rule.behavior), None)
        if scope is None or behavior is None:
            return f"{shown} is in none of your settings files: it comes from {_source(rule)}"
        try:
            file = await asyncio.to_thread(rules_file, scope, self._ui.launch.settings.directory)
            row = PickRow("remove", "Remove this rule", f"from {file.real}")
            if await self._runner.pick(f"{behavior}: {rule.rule}", [row], choose="remove") is None:
                return ""
            found = await asyncio.to_thread(remove_rule, file, behavior, rule.rule)
        except RuleError as error:
            return f"{shown} was not removed: {error}"
        if not found:
            return f"{shown} was not found in {file.real} · look in the directories above"
        gone = await self._seen(rule, wanted=False)
        return f"Removed {shown}" if gone else f"Removed {shown} from {file.real} · {LATER}"

    # -- adding ------------------------------------------------------------------------------------------

    async def _add(self, behavior: Behavior, text: str) -> None:
        try:
            rule = checked_rule(text)
            files = await asyncio.to_thread(_files, self._ui.launch.settings.directory)
            rows = [PickRow(file.scope, SCOPES[file.scope], str(file.real)) for file in files]
            heading = f"{behavior}: {rule}"
            chosen = await self._runner.pick(heading, rows, about="Where to write it?", choose="add")
            file = next((one for one in files if one.scope == chosen), None)
            if file is None:
                return
            new = await asyncio.to_thread(add_rule, file, behavior, rule)
        except RuleError as error:
            raise CommandError(str(error)) from error
        if not new:
            self._runner.tell(f"{rule} exists already: {file.real}")
            return
        added = f"Added to {behavior}: {rule} · {file.real}"
        if self._ui.view.state is SessionState.PARKED:
            self._runner.tell(f"{added} · it applies when the session continues")
        elif await self._seen(PermissionRule(behavior, file.scope, rule), wanted=True):
            self._runner.tell(f"{added} · it applies now")
        else:
            self._runner.tell(f"{added} · {UNLISTED}", "warning")

    async def _seen(self, rule: PermissionRule, *, wanted: bool) -> bool:
        """Wait until Claude Code has noticed that a rule is there, or gone; return whether it has."""
        known = (rule.behavior, rule.source, rule.rule)
        ends = self._ui.clock() + SECONDS
        while True:
            rules = await self._runner.ask(listings.permission_rules())
            if (known in {(one.behavior, one.source, one.rule) for one in rules}) is wanted:
                return True
            if self._ui.clock() >= ends:
                return False
            await asyncio.sleep(PAUSE)


def _files(directory: Path) -> list[RulesFile]:
    return [rules_file(scope, directory) for scope in SCOPES]


def _sorted(rules: tuple[PermissionRule, ...]) -> list[tuple[int, PermissionRule]]:
    """Return the numbered rules in the order of their checks: deny first."""
    order = {"deny": 0, "ask": 1, "allow": 2}
    return sorted(enumerate(rules), key=lambda one: order.get(one[1].behavior, 3))


def _source(rule: PermissionRule) -> str:
    source = SOURCES.get(rule.source, rule.source)
    return source if rule.in_effect else f"{source} · your organization disables it"

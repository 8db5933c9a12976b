"""Permissions and plans at their sizes, to the cell, as they were drawn before they were built."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ccq_tui.inbox.file_changes import change_of
from ccq_tui.inbox.requests import PermissionRequest, PlanRequest
from ccq_tui.inbox.suggestions import Rule, Suggestion
from tests.ui.host import DecisionHost

SCREENS = Path(__file__).parent / "decision_screens"
ACCEPT = Suggestion("setMode", mode="acceptEdits")
MODULE = (
    "LIMIT = 10\n\n\ndef first():\n    if LIMIT:\n        pass\n    return 1\n\n\n"
    "def second():\n    return LIMIT + LIMIT\n"
)
SCRIPT = (SCREENS / "script.sh").read_text(encoding="utf-8")


def always(*rules: Rule) -> Suggestion:
    return Suggestion("addRules", "localSettings", rules, "allow")


def call(tool: str, values: dict[str, object], *suggested: Suggestion, **told: str) -> PermissionRequest:
    return PermissionRequest("t", "s", tool, values, suggestions=suggested, **told)  # type: ignore[arg-type]


ISSUE = {
    "owner": "acme",
    "repo": "shop",
    "title": "Search pages return duplicates",
    "labels": ["bug", "search", "p2"],
    "assignee": {"login": "jo", "notify": True},
    "body": "Steps:\n1. search for “red”\n2. go to page 2\n\nThe last hit of page 1 is there again.",
}
EDITED = {"file_path": "mod.py", "old_string": "return 1", "new_string": "return 42"}
EVERYWHERE = {"old_string": "LIMIT", "new_string": "MAXIMUM", "replace_all": True}
CALLS: dict[str, PermissionRequest | PlanRequest] = {
    "bash": call(
        "Bash",
        {"command": "touch hello.txt && echo hi"},
        always(Rule("Bash", "touch *")),
        description="Create the hello file",
        reason="This command requires approval",
    ),
    "bash30": call("Bash", {"command": SCRIPT}),
    "create": call("Write", {"file_path": "new.py", "content": "print('hello')\nprint('x')\n"}, ACCEPT),
    "overwrite": call("Write", {"file_path": "small.py", "content": "x = 9\ny = 2\nz = 3\n"}, ACCEPT),
    "edit": call(
        "Edit", {"file_path": "mod.py", "old_string": "return 1", "new_string": "return 42"}, ACCEPT
    ),
    "all": call("Edit", {**EDITED, **EVERYWHERE}, ACCEPT),
    "mcp": call(
        "mcp__github__create_issue",
        ISSUE,
        always(Rule("mcp__github__create_issue")),
        description="Tool of the server github · Create a new issue in a repository",
    ),
    "plan": PlanRequest("t", "s", "\n".join(f"line {number}" for number in range(21))),
}
KEYS = {"edit-40x12": ("down", "down"), "large-40x12": ("p",)}
UNSEEN = {"plan-80x24": 12, "plan-40x12": 19}
SAID = "put it into fixtures/, and use the name greeting.txt"


@pytest.mark.parametrize("name", sorted(path.stem for path in SCREENS.glob("*.txt")))
async def test_it_looks_as_drawn(name: str, tmp_path: Path) -> None:
    kind, _, size = name.partition("-")
    (tmp_path / "small.py").write_text("x = 1\nx2 = 2\ny = 2\nz = 3\n")
    (tmp_path / "mod.py").write_text(MODULE)
    request = CALLS[{"large": "bash30", "deny": "bash"}.get(kind, kind)]
    if isinstance(request, PermissionRequest):
        request = replace(request, change=change_of(request.tool, request.input, str(tmp_path)))
    app = DecisionHost(request, asked_for=True)
    app.panel.session = ""
    app.panel.form.unseen_above = lambda: (UNSEEN.get(name, 0), False)
    width, _, height = size.partition("x")
    async with app.run_test(size=(int(width), int(height))) as pilot:
        await pilot.press(*KEYS.get(name, ()))
        if kind == "deny":
            await pilot.press("e", *("space" if one == " " else one for one in SAID))
        app.panel.look()
        await pilot.pause()
        lines = "\n".join(line.rstrip() for line in app.panel_text.splitlines()).strip("\n")
        assert lines == (SCREENS / f"{name}.txt").read_text(encoding="utf-8").strip("\n")


@pytest.mark.parametrize("size", [(80, 14), (80, 12), (60, 10), (40, 10), (40, 12), (30, 8)])
@pytest.mark.parametrize("kind", ["bash", "bash30", "mcp"])
async def test_on_a_low_screen_enter_takes_only_a_choice_whose_words_are_whole(
    kind: str, size: tuple[int, int]
) -> None:
    async with DecisionHost(CALLS[kind], asked_for=True).shown(size=size) as (app, pilot):
        for index, choice in enumerate(app.panel.state.choices):
            await pilot.press("home", *["down"] * index)
            label = choice.brief if choice.brief and size[0] < 60 else choice.label
            assert "".join(label.split()) in "".join(app.panel_text.split())
            in_sight = app.panel.state.in_sight or frozenset()
            assert index in in_sight or "Enter ask again" in app.panel_text or choice.takes_text
            assert size[1] < 10 or {0, 1} <= in_sight, "allowing and denying are never scrolled away"

"""Our hooks in settings files: added, changed and taken out, with everything else as it was."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.bridges.claude_code.hook_settings import installed, wanted, with_hooks
from ccq_tui.bridges.edited_file import SettingsFileError

COMMAND = "/home/a/.local/bin/ccq-tui hook"
QUESTIONS = wanted(COMMAND, permissions=False, elicitation=False)
ALL = wanted(COMMAND, permissions=True, elicitation=True)
ENTRY = {"type": "command", "command": COMMAND, "timeout": 86400}
FOREIGN = """{
    "model": "opus",
    "permissions": {"allow": ["Bash(ls)"],   "deny": []},
    "hooks": {
        "PreToolUse": [ {"matcher": "Bash", "hooks": [{"type": "command", "command": "check"}]} ],
        "PermissionRequest": [
            {"matcher": "Bash", "hooks": [{"type": "command", "command": "say hi"}]}
        ]
    },
    "env": {}
}
"""


def test_an_empty_file_gets_the_hook_alone() -> None:
    for text in ("", "{}", " \n"):
        assert json.loads(with_hooks(text, QUESTIONS)) == {
            "hooks": {"PermissionRequest": [{"matcher": "AskUserQuestion", "hooks": [ENTRY]}]}
        }


def test_flags_say_what_is_installed() -> None:
    assert json.loads(with_hooks("", ALL))["hooks"] == {
        "PermissionRequest": [{"matcher": "*", "hooks": [ENTRY]}],
        "Elicitation": [{"hooks": [ENTRY]}],
    }
    assert with_hooks(with_hooks("", ALL), QUESTIONS) == with_hooks("", QUESTIONS)


def test_everything_foreign_keeps_its_place_and_look() -> None:
    text = with_hooks(FOREIGN, ALL)
    assert with_hooks(text, ALL) == text
    assert [hook.covers for hook in installed(text)] == ["questions, permissions and plans", "elicitations"]
    before, after = FOREIGN.splitlines(), text.splitlines()
    assert [line for line in before if line.rstrip(",") not in {one.rstrip(",") for one in after}] == []
    assert with_hooks(text, []) == FOREIGN


entries = st.sampled_from(
    [
        {"type": "command", "command": "say hi"},
        {"type": "command", "command": "/old/ccq-tui hook"},
        {"type": "command", "command": "/usr/bin/python3 -m ccq_tui hook --wait 2h", "timeout": 60},
        ENTRY,
        {"type": "command"},
        "odd",
    ]
)
groups = st.fixed_dictionaries(
    {"hooks": st.lists(entries, max_size=3)},
    optional={"matcher": st.sampled_from(["", "*", "AskUserQuestion"])},
)
settings = st.fixed_dictionaries(
    {},
    optional={
        "model": st.just("opus"),
        "hooks": st.dictionaries(
            st.sampled_from(["PermissionRequest", "Elicitation", "Stop"]),
            st.lists(groups | st.just(7), max_size=3),
            max_size=3,
        ),
    },
)


def foreign(said: dict[str, Any]) -> list[Any]:
    """Return the entries that are not ours, in their order."""
    ours = (COMMAND, "/old/ccq-tui hook", "/usr/bin/python3 -m ccq_tui hook --wait 2h")
    return [
        (event, group.get("matcher"), entry)
        for event, items in said.get("hooks", {}).items()
        for group in items
        if isinstance(group, dict)
        for entry in group["hooks"]
        if not (isinstance(entry, dict) and entry.get("command") in ours)
    ]


@given(settings, st.sampled_from([None, 2, "\t"]), st.sampled_from([[], QUESTIONS, ALL]))
def test_any_file_ends_with_what_is_wanted(said: dict[str, Any], indent: Any, hooks: list[Any]) -> None:
    text = json.dumps(said, indent=indent)
    done = with_hooks(text, hooks)
    assert sorted(map(str, installed(done))) == sorted(map(str, hooks))
    assert foreign(json.loads(done)) == foreign(said)
    assert with_hooks(done, hooks) == done


@pytest.mark.parametrize(
    "command",
    [
        "ccq-tui hook",
        "'/opt/a b/ccq-tui' hook --wait 2h",
        "exec /x/ccq-tui hook",
        "/v/bin/python -m ccq_tui hook",
        "/c/tools/ccq-tui.exe hook",
    ],
)
def test_our_command_is_known_wherever_the_program_is(command: str) -> None:
    text = json.dumps({"hooks": {"PermissionRequest": [{"hooks": [{"command": command}]}]}})
    assert [hook.command for hook in installed(text)] == [command]
    assert json.loads(with_hooks(text, [])) == {}


@pytest.mark.parametrize("command", ["ccq-tui hooks", "my-ccq-tui hook", "ccq-tui", "ccq-tui 'hook", "hook"])
def test_another_command_is_not_ours(command: str) -> None:
    text = json.dumps({"hooks": {"PermissionRequest": [{"hooks": [{"command": command}]}]}})
    assert installed(text) == []
    assert with_hooks(text, []) == text


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{\n  // mine\n  "a": 1\n}', "line 2 is a comment, which JSON does not have: take it out"),
        ('{\n  "a": 1, /* b */\n  "c": 2\n}', "line 2 is a comment, which JSON does not have: take it out"),
        ('{\n  "a": 1,\n}', "line 3 is no JSON: "),
        ("[]", "it is no JSON object"),
        ('{"hooks": []}', 'its "hooks" is no JSON object'),
        ('{"hooks": {"PermissionRequest": {}}}', 'its "hooks" has a "PermissionRequest" that is no list'),
        ('{"hooks": {}, "hooks": {}}', 'it has "hooks" twice: Claude Code reads the last one alone'),
        ('{"hooks": {"Elicitation": [], "Elicitation": []}}', 'it has "Elicitation" twice: Claude Code'),
        ("[" * 5000, "it is nested more than 64 levels deep"),
        ('{"a":' * 70 + "1" + "}" * 70, "it is nested more than 64 levels deep"),
    ],
)
def test_a_file_that_cannot_be_changed_says_why(text: str, problem: str) -> None:
    with pytest.raises(SettingsFileError) as caught:
        with_hooks(text, QUESTIONS)
    assert str(caught.value).startswith(problem)
